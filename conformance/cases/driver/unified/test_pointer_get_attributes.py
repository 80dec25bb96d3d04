"""cuPointerGetAttributes: several attributes of a pointer, known or not.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import KINDS, PAGE, memory, pointers
from conformance.cases.driver.unified.test_pointer_get_attribute import ATTRIBUTE, LATER
from conformance.cases.driver.va.fixtures import freed, half_mapped, imported
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

ALL = tuple(value for name, value in ATTRIBUTE.items() if name not in LATER and name != "P2P_TOKENS")
SOME = tuple(ATTRIBUTE[name] for name in ("CONTEXT", "MEMORY_TYPE", "DEVICE_POINTER"))
P2P = ATTRIBUTE["P2P_TOKENS"]


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuPointerGetAttributes", numAttributes=len(SOME), attributes=SOME, ptr=a.ok.cuMemAlloc(PAGE))


def one_by_one(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the values equal those of cuPointerGetAttribute."""
    asked = i.args["attributes"][: i.args["numAttributes"]]
    assert results == (tuple(i.process.ok.cuPointerGetAttribute(one, i.args["ptr"]) for one in asked),)


def nothing(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that an unknown address has no attributes."""
    assert results == ((0,) * i.args["numAttributes"],)


entry = Entry("cuPointerGetAttributes", valid, one_by_one)
entry.without("no_context", "destroyed_context")  # the device pointer is null without a context: see below
entry.null("data", "RESULT_IS_GIVEN")
entry.breaks("COUNT_IS_POSITIVE", numAttributes=0)
entry.breaks("ATTRIBUTES_ARE_GIVEN", attributes=None)
for name, attribute in {"none": 0, "negative": -1, "beyond the last": 99, "tokens": P2P}.items():
    entry.breaks("ATTRIBUTES_ARE_KNOWN", name, attributes=(attribute, *SOME[1:]))
entry.breaks("ATTRIBUTES_ARE_KNOWN", "the last one", attributes=(*SOME[:2], 99))

entry.also("inside", ptr=lambda i: i.args["ptr"] + 5, then=one_by_one)
entry.also("only the first", numAttributes=1, attributes=(SOME[0], 99, P2P), then=one_by_one)
entry.also("null", ptr=0, then=nothing)
entry.also("freed", ptr=lambda i: freed(i.process), then=nothing)
entry.also("without access", ptr=lambda i: half_mapped(i.process, 0))
for kind, args in pointers("ptr", "pinned", "registered", "managed", "mapped"):
    entry.also(kind, then=one_by_one, **args)
for kind, args in pointers("ptr", "plain", "nowhere"):
    entry.also(kind, then=nothing, **args)


def every_attribute(a: Process, ptr: int) -> dict[str, Plain]:
    """Return all attributes of a pointer by name."""
    values = a.ok.cuPointerGetAttributes(len(ALL), ALL, ptr)
    return dict(zip((name for name, value in ATTRIBUTE.items() if value in ALL), values, strict=True))


def _every(kind: str) -> None:
    @entry.also(f"every attribute of {kind} memory")
    def act(_: World, i: Invocation) -> None:
        every_attribute(i.process, memory(i.process, kind))


for kind in KINDS:
    _every(kind)


@entry.also("what is no memory of the process")
def unknown(_: World, i: Invocation) -> None:
    """Check that an unknown address is a possible host pointer, on no device."""
    ptr = memory(i.process, "plain")
    expected = dict.fromkeys(every_attribute(i.process, i.args["ptr"]), 0)
    assert every_attribute(i.process, ptr) == expected | {"HOST_POINTER": ptr, "DEVICE_ORDINAL": -2}


@entry.also("memory of another process")
def opened(w: World, i: Invocation) -> None:
    every_attribute(i.process, imported(i.process, w.process())[0])


@entry.also("the host has no pointer to linear memory")
def no_host_pointer(_: World, i: Invocation) -> None:
    assert every_attribute(i.process, i.args["ptr"])["HOST_POINTER"] == 0


@entry.also("no device pointer without a context")
def bare_thread(_: World, i: Invocation) -> None:
    bare = i.process.thread("bare")
    for kind in ("linear", "pinned", "managed"):
        ptr = memory(i.process, kind)
        assert bare.ok.cuPointerGetAttributes(2, SOME[1:], ptr)[1] == 0


@entry.also("no device pointer in a destroyed context")
def destroyed(_: World, i: Invocation) -> None:
    context = i.process.ok.cuCtxCreate(None, 0, 0)
    i.process.thread("destroyer").ok.cuCtxDestroy(context)
    assert i.process.ok.cuPointerGetAttributes(2, SOME[1:], i.args["ptr"])[1] == 0
    i.process.ok.cuCtxPopCurrent()


@entry.also("no device pointer to memory of another device")
def other_device(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)
    assert i.process.ok.cuPointerGetAttributes(2, SOME[1:], i.args["ptr"])[1] == 0
    i.process.ok.cuCtxPopCurrent()


test_pointer_get_attributes = entry.test()
