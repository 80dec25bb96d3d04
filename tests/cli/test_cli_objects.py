"""``show(handle)`` for every kind of object: no text has the ``repr`` of an internal object."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from attrs import define

from fakecuda.prompt.facts import facts_of, is_told
from fakecuda.prompt.objects import KINDS, live
from fakecuda.prompt.show import show_text
from fakecuda.prompt.tables import LISTINGS
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.driver import CALLS, ENUMS, STRUCTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.prompt.console import Prompt

PTX = (
    'b".version 8.0\\n.target sm_90\\n.address_size 64\\n.global .align 4 .u32 v;\\n'
    '.visible .entry k(.param .u64 x) { ret; }\\n\\0"'
)
EVERY = f"""
d = a.driver
_, stream = d.cuStreamCreate(1)
_, event = d.cuEventCreate(6)
_, event_share = d.cuIpcGetEventHandle(event)
_, graph = d.cuGraphCreate(0)
_, node = d.cuGraphAddEmptyNode(graph, None, 0)
_, later = d.cuGraphAddEmptyNode(graph, [node], 1)
_, child = d.cuGraphAddChildGraphNode(graph, None, 0, d.cuGraphCreate(0)[1])
_, executable = d.cuGraphInstantiate(graph, 0)
_, pool = d.cuDeviceGetDefaultMemPool(0)
_, module = d.cuModuleLoadData({PTX})
_, function = d.cuModuleGetFunction(module, b"k")
_, variable, _ = d.cuModuleGetGlobal(module, b"v")
_, library = d.cuLibraryLoadData({PTX}, None, None, 0, None, None, 0)
_, kernel = d.cuLibraryGetKernel(library, b"k")
_, of_library = d.cuLibraryGetModule(library)
_, linker = a.c.cuLinkCreate(0, (), ())
desc = d.CUDA_ARRAY3D_DESCRIPTOR(); desc.Width = 8; desc.Height = 8; desc.NumChannels = 1; desc.Flags = 2
desc.Format = d.CUarray_format.CU_AD_FORMAT_FLOAT
_, array = d.cuArray3DCreate(desc)
_, mipmapped = d.cuMipmappedArrayCreate(desc, 2)
res = d.CUDA_RESOURCE_DESC(); res.resType = d.CUresourcetype.CU_RESOURCE_TYPE_ARRAY; res.res.array.hArray = array
_, texture = d.cuTexObjectCreate(res, d.CUDA_TEXTURE_DESC(), None)
_, surface = d.cuSurfObjectCreate(res)
_, condition = d.cuGraphConditionalHandleCreate(graph, d.cuCtxGetCurrent()[1], 0, 0)
_, user_object = a.c.cuUserObjectCreate(0, a.c_function("free"), 1, 1)
_, managed = d.cuMemAllocManaged(4096, 1)
_, pinned = d.cuMemHostAlloc(4096, 0)
_, props = 0, d.CUmemPoolProps(); props.handleTypes = d.CUmemAllocationHandleType(1); props.allocType = d.CUmemAllocationType(1)
props.location.type = d.CUmemLocationType(1)
_, shared = d.cuMemPoolCreate(props)
_, descriptor = d.cuMemPoolExportToShareableHandle(shared, d.CUmemAllocationHandleType(1), 0)
_, pooled = d.cuMemAllocFromPoolAsync(4096, shared, stream)
_, pointer = d.cuMemPoolExportPointer(pooled)
_, team = a.c.cuMulticastCreate((2, 2 << 20, 1, 0))
_, captured = d.cuStreamCreate(1)
_, = d.cuStreamBeginCapture(captured, 1)
into = d.cuStreamGetCaptureInfo(captured)[3]
_, context = d.cuCtxGetCurrent()
_, share = d.cuIpcGetMemHandle(p)
""".strip().splitlines()
"""Statements that make an object of each kind, in addition to those of the ``world``."""
NO_OBJECTS = {
    "CUuuid": "a number",
    "CUdevprop": "a structure",
    "CUsurfref": "no call of the model makes one",
    "CUtexref": "no call of the model makes one",
    "CUtensorMap": "a structure",
}
"""Results of calls without an object, with the reason."""
INTERNAL = re.compile(r"\w\(\w+=|<[\w.]+ |object at|functools|fakecuda\.(model|reach)|\bPoolProps\b|\bBody\b")


@pytest.fixture
def every(world: Prompt, capsys: pytest.CaptureFixture[str]) -> Iterator[Prompt]:
    """Return a prompt whose machine holds an object of each kind."""
    world.feed(EVERY)
    told = capsys.readouterr()
    assert not world.failed, told.err
    assert not [str(record) for record in world.machine.log if record.code]
    yield world
    os.close(int(world.scope["descriptor"]))


def objects(prompt: Prompt) -> dict[str, dict[Any, Any]]:
    """Return the live objects of all processes by the C type of their value."""
    found: dict[str, dict[Any, Any]] = defaultdict(dict)
    for process in prompt.machine.processes.values():
        for ctype in KINDS:
            found[ctype] |= live(process, ctype)
    return found


def test_every_handle_of_a_call_is_known() -> None:
    """A handle that a modelled call returns has its kind here, or a reason why it names no object."""
    types = {
        result.type: name
        for name in DRIVER.ops
        if name in CALLS
        for result in CALLS[name].outputs
        if result.type[:2] == "CU"
    }
    plain = {name for name in types if name in ENUMS or name in STRUCTS or name.startswith("CUDA_")}
    values = {name for name in types if name.endswith(("AttrValue", "Params", "Param", "Prop", "EdgeData", "Info"))}
    unknown = types.keys() - plain - values - KINDS.keys() - NO_OBJECTS.keys()
    assert not unknown, {name: types[name] for name in unknown}
    assert not NO_OBJECTS.keys() & KINDS.keys()


def test_every_kind_is_made(every: Prompt) -> None:
    """The statements above leave out no kind."""
    assert {ctype for ctype, items in objects(every).items() if not items} == set()


def test_every_kind_is_shown(every: Prompt) -> None:
    """By the variable that holds it, by its value, and as a table, in words for people."""
    variables = [value for name, value in every.scope.items() if name not in every.given and name[0] != "_"]
    texts = [show_text(every.machine, value, 200) for value in variables]
    for ctype, items in objects(every).items():
        for value, item in items.items():
            told = show_text(every.machine, value, 200)
            assert value in range(8) or str(item).split(" of ")[0] in told, (ctype, told)
            texts.append(told)
    texts += [show_text(every.machine, one.name, 200) for one in LISTINGS]
    texts += [
        show_text(every.machine, one, 200) for one in (every.machine, every.scope["a"], every.scope["a"].thread("w"))
    ]
    for told in texts:
        assert not INTERNAL.search(told.partition(" at <input")[0]), told


@pytest.mark.parametrize("name", ["texture", "surface", "condition"])
def test_small_numbers_are_told_apart_by_their_class(every: Prompt, name: str) -> None:
    """A texture object, a surface object and a condition may have the same number; a plain number is a device."""
    assert int(every.scope[name]) == 1
    assert show_text(every.machine, every.scope[name]).startswith(name)
    assert show_text(every.machine, 1) == "device 1\n  ordinal  1\n  lost     0"
    assert show_text(every.machine, every.scope["d"].cuDeviceGet(1)[1]).startswith("device 1\n")


def test_the_facts_of_graphs_and_code_are_words(every: Prompt) -> None:
    """Kinds of nodes, dependencies, kernels and captures are named."""

    def told(name: str) -> str:
        return show_text(every.machine, every.scope[name], 300)

    assert re.search(r"nodes +0x\w+ empty, 0x\w+ empty, 0x\w+ graph\n", told("graph"))
    assert f"depends on  {int(every.scope['node']):#x}\n" in told("later")
    assert re.search(r"embedded +graph 0x", told("child"))
    assert re.search(r"steps +empty, empty, graph\n", told("executable"))
    assert re.search(r"kernels +k\n", told("module"))
    assert re.search(r"parameters +8 bytes at 0\n", told("kernel"))
    assert re.search(r"capture +capture 1 of stream", told("captured"))
    assert show_text(every.machine, "others", 300).splitlines()[1].startswith("a        2 streams, 1 event")
    assert "valid" in show_text(every.machine, "captures", 200)


def test_an_internal_object_is_found() -> None:
    """A member whose class has only the text of attrs is left out."""

    @define
    class Inner:
        number: int = 1

    @define
    class Outer:
        inner: Inner
        several: list[Inner]
        number: int = 2

    assert facts_of(Outer(Inner(), [Inner()])) == {"number": 2}
    assert not is_told({1: (Inner(),)})
    assert INTERNAL.search(str(Inner()))


def test_what_is_no_object_is_said_so(every: Prompt) -> None:
    """In short words, without the address of a Python object."""
    for value, begins in ((every.scope["d"], "an object of Driver"), ({"x": "y" * 100}, "{'x': 'yyy")):
        told = show_text(every.machine, value, 200)
        assert told.startswith(begins)
        assert "is not a topic, a process, an address or a handle" in told
        assert len(told) < 400
