"""cuPointerGetAttribute: an attribute of a pointer.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__UNIFIED.html

The valid call asks for the device pointer, which alone depends on the current context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import fakecuda
from conformance.cases.driver.memory.fixtures import READ_ONLY, memory, registered
from conformance.cases.driver.module.fixtures import module
from conformance.cases.driver.pool.fixtures import MANAGED, pool
from conformance.cases.driver.pool.fixtures import memory as pooled
from conformance.cases.driver.va.fixtures import HOST, NOWHERE, READ, freed, half_mapped, imported, prop
from conformance.kit.case import Entry
from conformance.kit.program import Recorder
from conformance.kit.world import GRANULE, POSIX, READ_WRITE, Session
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

ATTRIBUTE = {name.removeprefix("CU_POINTER_ATTRIBUTE_"): value for name, value in ENUMS["CUpointer_attribute"].items()}
LATER = {name for name, value in ATTRIBUTE.items() if value > ATTRIBUTE["IS_HW_DECOMPRESS_CAPABLE"]}
"""Attributes that the recorded drivers do not know."""
KNOWN = [name for name in ATTRIBUTE if name != "HOST_POINTER" and name not in LATER]
"""Attributes of device memory."""


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuPointerGetAttribute", attribute=ATTRIBUTE["DEVICE_POINTER"], ptr=a.ok.cuMemAlloc(4096))


def itself(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the value equals the input."""
    assert results == (i.args["ptr"],)


def ask(a: Process, name: str, ptr: int) -> Plain:
    """Return an attribute of a pointer."""
    return a.ok.cuPointerGetAttribute(ATTRIBUTE[name], ptr)


entry = Entry("cuPointerGetAttribute", valid, itself)
entry.null("data", "RESULT_IS_GIVEN")
entry.breaks("ATTRIBUTE_IS_KNOWN", attribute=0)
entry.breaks("ATTRIBUTE_IS_KNOWN", "negative", attribute=-1)
entry.breaks("ATTRIBUTE_IS_KNOWN", "beyond the last", attribute=99)
entry.breaks("POINTER_IS_KNOWN", ptr=NOWHERE)
entry.breaks("POINTER_IS_KNOWN", "null", ptr=0)
entry.breaks("POINTER_IS_KNOWN", "just behind", ptr=lambda i: i.args["ptr"] + 4096)
entry.breaks("POINTER_IS_KNOWN", "freed", ptr=lambda i: freed(i.process))
entry.breaks("POINTER_IS_KNOWN", "reserved", ptr=lambda i: half_mapped(i.process) + GRANULE)
entry.breaks("DEVICE_CAN_ACCESS_IT", ptr=lambda i: half_mapped(i.process, 0))
entry.breaks("HOST_CAN_ACCESS_IT", attribute=ATTRIBUTE["HOST_POINTER"])
entry.breaks(
    "MEMORY_IS_THE_DEVICES", attribute=ATTRIBUTE["P2P_TOKENS"], ptr=lambda i: i.process.ok.cuMemHostAlloc(4096, 0)
)
entry.breaks(
    "MEMORY_IS_THE_DEVICES", "registered", attribute=ATTRIBUTE["P2P_TOKENS"], ptr=lambda i: registered(i.process)
)


@entry.world("CONTEXT_IS_CURRENT", "the current context is destroyed")
def destroyed(_: World, i: Invocation) -> None:
    context = i.process.ok.cuCtxCreate(None, 0, 0)
    i.process.thread("destroyer").ok.cuCtxDestroy(context)


@entry.world("DEVICE_CAN_ACCESS_IT", "of another device")
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)
    ptr = i.process.ok.cuMemAlloc(4096)
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(ptr=ptr)


entry.also("inside", ptr=lambda i: i.args["ptr"] + 5, then=itself)
entry.also("memory to read", ptr=lambda i: half_mapped(i.process, READ), then=itself)


def every_attribute(a: Process, ptr: int) -> None:
    """Query all attributes of device memory."""
    for name in KNOWN:
        ask(a, name, ptr)


@entry.also("every attribute of an allocation")
def allocation(_: World, i: Invocation) -> None:
    every_attribute(i.process, i.args["ptr"] + 100)


@entry.also("every attribute of a mapping")
def mapping(_: World, i: Invocation) -> None:
    every_attribute(i.process, half_mapped(i.process) + 100)


@entry.also("every attribute of a variable")
def variable(_: World, i: Invocation) -> None:
    every_attribute(i.process, i.process.ok.cuModuleGetGlobal(module(i.process), b"table")[0])


OF_THE_HOST = ("pinned", "registered", "managed")


def _every(kind: str) -> None:
    @entry.also(f"every attribute of {kind} memory")
    def act(_: World, i: Invocation) -> None:
        ptr = memory(i.process, kind) + 100
        for name in KNOWN:
            if name != "P2P_TOKENS":
                ask(i.process, name, ptr)
        assert ask(i.process, "HOST_POINTER", ptr) == ptr


for kind in OF_THE_HOST:
    _every(kind)


@entry.also("page-locked memory is the host's, and managed memory a device's")
def types(_: World, i: Invocation) -> None:
    found = [ask(i.process, "MEMORY_TYPE", memory(i.process, kind)) for kind in OF_THE_HOST]
    types = ENUMS["CUmemorytype"]
    assert found == [types[f"CU_MEMORYTYPE_{name}"] for name in ("HOST", "HOST", "DEVICE")]


@entry.also("managed memory says so")
def managed(_: World, i: Invocation) -> None:
    a = i.process
    found = [ask(a, "IS_MANAGED", ptr) for ptr in (i.args["ptr"], *(memory(a, kind) for kind in OF_THE_HOST))]
    assert found == [0, 0, 0, 1]


@entry.also("managed memory of a pool says so")
def managed_pool(_: World, i: Invocation) -> None:
    a = i.process
    ptr = pooled(a, pool(a, kind=MANAGED))
    assert [ask(a, name, ptr) for name in ("IS_MANAGED", "SYNC_MEMOPS")] == [1, 1]


@entry.also("hardware decompression where a pool was made for it")
def decompression(_: World, i: Invocation) -> None:
    a = i.process
    found = [ask(a, "IS_HW_DECOMPRESS_CAPABLE", pooled(a, pool(a, usage=usage))) for usage in (0, 2)]
    assert found == [0, 1]


@entry.also("managed memory has peer-to-peer tokens")
def tokens(_: World, i: Invocation) -> None:
    a = i.process
    ptr = memory(a, "managed")
    ask(a, "P2P_TOKENS", ptr)
    assert ask(a, "SYNC_MEMOPS", ptr) == 1


@entry.also("device and host pointers in another context")
def elsewhere(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    a = i.process
    pointers = [memory(a, kind) for kind in OF_THE_HOST]
    a.ok.cuCtxCreate(None, 0, 1)
    for ptr in pointers:
        found = [ask(a, name, ptr) for name in ("DEVICE_POINTER", "HOST_POINTER", "DEVICE_ORDINAL", "CONTEXT")]
        assert found == [ptr, ptr, 0, a.context]
    a.ok.cuCtxPopCurrent()


@entry.also("a registration is a block of its own")
def registration(_: World, i: Invocation) -> None:
    ptr = registered(i.process, 8192)
    names = ("RANGE_START_ADDR", "RANGE_SIZE", "MAPPING_BASE_ADDR", "MAPPING_SIZE")
    assert [ask(i.process, name, ptr + 100) for name in names] == [ptr, 8192] * 2


@entry.also("registered as read-only")
def read_only(_: World, i: Invocation) -> None:
    found = [ask(i.process, "ACCESS_FLAGS", registered(i.process, flags=flags)) for flags in (0, READ_ONLY)]
    assert found == [READ_WRITE, READ]


@entry.also("every attribute of memory of another process")
def opened(w: World, i: Invocation) -> None:
    every_attribute(i.process, imported(i.process, w.process(), 100)[0])


@entry.also("memory of the host")
def host(_: World, i: Invocation) -> None:
    """Check that the host pointer equals the device pointer if the host has access."""
    a = i.process
    ptr = a.ok.cuMemAddressReserve(GRANULE, 0, 0, 0)
    a.ok.cuMemMap(ptr, GRANULE, 0, a.ok.cuMemCreate(GRANULE, prop(handle_types=0, location=(HOST, 0)), 0), 0)
    assert ask(a, "MEMORY_TYPE", ptr) == ENUMS["CUmemorytype"]["CU_MEMORYTYPE_HOST"]
    a.ok.cuMemSetAccess(ptr, GRANULE, (((HOST, 0), 3),), 1)
    assert ask(a, "HOST_POINTER", ptr + 5) == ptr + 5


@entry.also("the context that allocated it")
def context_of_it(_: World, i: Invocation) -> None:
    a = i.process
    context = a.ok.cuCtxCreate(None, 0, 0)
    ptr = a.ok.cuMemAlloc(4096)
    a.ok.cuCtxPopCurrent()
    assert [ask(a, "CONTEXT", ptr), ask(a, "CONTEXT", i.args["ptr"])] == [context, a.context]


@entry.also("a mapping belongs to no context")
def no_context(_: World, i: Invocation) -> None:
    assert ask(i.process, "CONTEXT", half_mapped(i.process)) == 0


@entry.also("no context is needed for the rest")
def bare_thread(_: World, i: Invocation) -> None:
    bare = i.process.thread("bare")
    assert bare.ok.cuPointerGetAttribute(ATTRIBUTE["CONTEXT"], i.args["ptr"]) == i.process.context


@entry.also("buffer ids are not reused")
def buffer_ids(_: World, i: Invocation) -> None:
    a, seen = i.process, set()
    for _round in range(3):
        ptr = a.ok.cuMemAlloc(4096)
        seen.add(ask(a, "BUFFER_ID", ptr))
        a.ok.cuMemFree(ptr)
    assert len(seen) == 3


@entry.also("small allocations share a block of 2 MiB")
def block(_: World, i: Invocation) -> None:
    a = i.process
    pair = a.ok.cuMemAlloc(1), a.ok.cuMemAlloc(1)
    assert [ask(a, "MAPPING_SIZE", ptr) for ptr in pair] == [2 << 20] * 2
    for name in ("MEMORY_BLOCK_ID", "MAPPING_BASE_ADDR"):
        assert ask(a, name, pair[0]) == ask(a, name, pair[1])


@entry.also("the ordinal of the memory's device")
def ordinal(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)
    ptr = i.process.ok.cuMemAlloc(4096)
    i.process.ok.cuCtxPopCurrent()
    assert [ask(i.process, "DEVICE_ORDINAL", one) for one in (ptr, i.args["ptr"])] == [1, 0]


@entry.also("the range of a mapping is its reservation")
def reservation(_: World, i: Invocation) -> None:
    ptr = half_mapped(i.process)
    assert [ask(i.process, name, ptr + 5) for name in ("RANGE_START_ADDR", "RANGE_SIZE")] == [ptr, 2 * GRANULE]


@entry.also("only linear memory has legacy IPC handles")
def legacy(w: World, i: Invocation) -> None:
    a = i.process
    pointers = i.args["ptr"], half_mapped(a), imported(a, w.process())[0]
    assert [ask(a, "IS_LEGACY_CUDA_IPC_CAPABLE", ptr) for ptr in pointers] == [1, 0, 0]


@entry.also("the handle types that were requested")
def handle_types(_: World, i: Invocation) -> None:
    a = i.process
    pointers = i.args["ptr"], half_mapped(a), half_mapped(a, handle_types=0)
    assert [ask(a, "ALLOWED_HANDLE_TYPES", ptr) for ptr in pointers] == [0, POSIX, 0]


@entry.also("the access that was granted")
def access(_: World, i: Invocation) -> None:
    granted = [0, READ, READ_WRITE]
    assert [ask(i.process, "ACCESS_FLAGS", half_mapped(i.process, flags)) for flags in granted] == granted


@entry.also("GPUDirect RDMA where it was asked for")
def rdma(_: World, i: Invocation) -> None:
    a = i.process
    pointers = half_mapped(a), half_mapped(a, capabilities=(0, 1, 0))
    assert [ask(a, "IS_GPU_DIRECT_RDMA_CAPABLE", ptr) for ptr in pointers] == [0, 1]


@entry.also("asking for the peer-to-peer tokens makes memory operations synchronous")
def sync_memops(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["ptr"]
    before = ask(a, "SYNC_MEMOPS", ptr)
    ask(a, "P2P_TOKENS", ptr)
    assert [before, ask(a, "SYNC_MEMOPS", ptr)] == [0, 1]


test_pointer_get_attribute = entry.test()


@pytest.mark.parametrize("kind", ["pinned", "registered"])
def test_memory_is_the_devices(kind: str) -> None:
    """Tokens need device memory; no recording shows the code for host memory."""
    with fakecuda.Machine("h200") as machine:
        a = Session(Recorder(machine)).world(kind).process()
        tokens = ATTRIBUTE["P2P_TOKENS"]
        assert a.c.cuPointerGetAttribute(tokens, memory(a, kind)) == (Result.INVALID_VALUE, None)
