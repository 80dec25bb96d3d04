"""Memory of contexts of CUDA 3.1: addresses below 4 GiB, and which context finds which memory."""

from __future__ import annotations

import ctypes
import warnings
from typing import TYPE_CHECKING

from fakecuda import Machine
from fakecuda.model.leaks import leaks_on
from fakecuda.model.memory.narrow import END, FIRST, GRANULE, ROOM, Narrow
from fakecuda.spec.codes import Result
from tests.rules.test_contexts_of_cuda_3_1 import PTX, a, machine, refused

if TYPE_CHECKING:
    from fakecuda.reach.process import Process

__all__ = ["a", "machine"]

INVALID_VALUE, OUT_OF_MEMORY = int(Result.INVALID_VALUE), int(Result.OUT_OF_MEMORY)
INVALID_CONTEXT, NOT_SUPPORTED = int(Result.INVALID_CONTEXT), int(Result.NOT_SUPPORTED)
INCOMPATIBLE, NOT_FOUND = 49, int(Result.NOT_FOUND)
BYTES, LINE = 4096, (4096, 0, 1, 1)
DEVICE, UNIFIED = 2, 4


def test_addresses_are_taken_from_below_and_joined() -> None:
    """The lowest range that is large enough is taken; ranges that are given back join their neighbours."""
    free = Narrow(lambda *_: None)
    first, second, third = free.take(1), free.take(3 * GRANULE), free.take(GRANULE + 1)
    assert (first, second, third) == (FIRST, FIRST + GRANULE, FIRST + 4 * GRANULE)
    free.give(second, 3 * GRANULE)
    assert free.take(2 * GRANULE) == second
    assert free.take(GRANULE) == second + 2 * GRANULE
    assert free.take(END) == 0
    for start, size in ((second, 2 * GRANULE), (first, 1), (second + 2 * GRANULE, GRANULE), (third, GRANULE + 1)):
        free.give(start, size)
    assert free.unused == END - FIRST
    assert (free.take(END - FIRST), free.unused, free.take(1)) == (FIRST, 0, 0)


def test_memory_lies_below_4_gib(a: Process) -> None:
    """A context's free memory is what addresses of 32 bits are left; a freed range is found again."""
    c = a.c
    assert c.cuMemGetInfo_v1() == (0, END - FIRST, END - 1)
    assert c.cuMemAlloc_v1(3 << 30) == (0, FIRST)
    assert c.cuMemGetInfo_v1() == (0, END - FIRST - (3 << 30), END - 1)
    assert c.cuMemAlloc_v1(1 << 30)[0] == OUT_OF_MEMORY
    assert c.cuMemFree_v1(FIRST) == (0,)
    assert c.cuMemAlloc_v1(1 << 30) == (0, FIRST)
    assert c.cuMemFree_v1(FIRST + 1) == (INVALID_VALUE,)
    _, module = c.cuModuleLoadData(PTX)
    assert c.cuModuleGetGlobal_v1(module, b"counter") == (0, FIRST + (1 << 30), 4)
    assert c.cuMemHostAlloc(BYTES, 3)[1] > END


def test_addressing_is_not_unified(a: Process) -> None:
    """No call tells what an address is; pool memory is not freed, and host memory has no address for devices."""
    c = a.c
    _, pointer = c.cuMemAlloc_v1(BYTES)
    _, stream = c.cuStreamCreate(0)
    assert c.cuPointerGetAttributes(1, (2,), pointer)[0] == INVALID_VALUE
    assert c.cuMemGetHandleForAddressRange(pointer, BYTES, 1, 0)[0] == INVALID_VALUE
    assert c.cuMemFreeAsync(c.cuMemAllocAsync(BYTES, stream)[1], stream) == (INVALID_VALUE,)
    assert c.cuMemFreeAsync(pointer, stream) == (0,)
    _, pinned = c.cuMemHostAlloc(BYTES, 0)
    assert c.cuStreamWriteValue32(stream, pinned, 1, 0) == (INVALID_VALUE,)
    assert c.cuStreamWriteValue32(stream, c.cuMemAlloc_v1(BYTES)[1], 1, 0) == (0,)


def test_flags_of_page_locked_memory_are_those_that_were_given(a: Process) -> None:
    """No memory is mapped for devices by itself, and a single context has none that is portable."""
    c = a.c
    mapped, plain = c.cuMemHostAlloc(BYTES, 7)[1], c.cuMemAllocHost_v1(BYTES)[1]
    assert (c.cuMemHostGetFlags(mapped), c.cuMemHostGetFlags(plain)) == ((0, 6), (0, 0))
    memory = a.host_memory(BYTES)
    assert c.cuMemHostRegister(memory, BYTES, 1) == (0,)
    assert c.cuMemHostGetFlags(memory) == (0, 0)
    assert c.cuMemHostGetDevicePointer_v1(memory, 0)[0] == INVALID_VALUE
    assert c.cuMemHostGetDevicePointer_v1(plain, 0)[0] == INVALID_VALUE
    assert c.cuMemHostGetDevicePointer_v1(mapped, 0)[1] < END


def test_a_copy_gives_what_was_written(a: Process) -> None:
    """Without a warning."""
    c = a.c
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, pointer = c.cuMemAlloc_v1(BYTES)
        _, pinned = c.cuMemHostAlloc(BYTES, 0)
        assert c.cuMemsetD32_v1(pointer, 0x01020304, 4) == (0,)
        assert c.cuMemcpyDtoH_v1(pinned, pointer + 1, 8) == (0,)
    assert ctypes.string_at(pinned, 8) == bytes((3, 2, 1, 4)) * 2


def test_mapped_memory_has_addresses_below_4_gib(machine: Machine, a: Process) -> None:
    """A copy by them is one of the host's memory; they end with it, and no call frees or exports them."""
    c = a.c
    _, pinned = c.cuMemHostAlloc(BYTES, 2)
    _, mapped = c.cuMemHostGetDevicePointer_v1(pinned, 0)
    assert c.cuMemHostGetDevicePointer_v1(pinned + 5, 0) == (0, mapped + 5)
    assert c.cuMemGetInfo_v1()[1] == END - FIRST - GRANULE
    assert c.cuMemsetD32_v1(mapped, 7, 4) == (0,)
    assert ctypes.string_at(pinned, 8) == bytes((7, 0, 0, 0)) * 2
    assert (
        repr(machine.processes[a.name].memory.at(mapped)) == f"pinned memory {pinned:#x}+0x1000 as {mapped:#x}+0x1000"
    )
    assert c.cuMemGetAddressRange_v1(mapped + 9) == (0, pinned % END, BYTES)
    assert c.cuMemsetD8_v1(mapped + 1, 7, BYTES) == (INVALID_VALUE,)
    refusals = c.cuMemFree_v1(mapped), c.cuIpcGetMemHandle(mapped), c.cuMemFreeHost(mapped), c.cuMemHostGetFlags(mapped)
    assert {answer[0] for answer in refusals} == {INVALID_VALUE}
    _, stream = c.cuStreamCreate(0)
    assert c.cuMemFreeAsync(mapped, stream) == (INVALID_VALUE,)
    assert c.cuStreamWriteValue32(stream, mapped, 1, 0) == (0,)
    assert [leak.kind for leak in leaks_on(machine)].count("allocation") == 1
    assert c.cuMemFreeHost(pinned) == (0,)
    assert c.cuMemsetD8_v1(mapped, 7, 1) == (INVALID_VALUE,)
    assert c.cuMemGetInfo_v1()[1] == END - FIRST
    assert c.cuMemHostAlloc(END, 2)[0] == OUT_OF_MEMORY
    memory = a.host_memory(2 * BYTES) + 8
    assert c.cuMemHostRegister(memory, BYTES, 2) == (0,)
    _, registered = c.cuMemHostGetDevicePointer_v1(memory, 0)
    assert registered % BYTES == memory % BYTES
    assert c.cuMemHostUnregister(memory) == (0,)
    assert c.cuMemGetInfo_v1()[1] == END - FIRST
    _, reserved = c.cuMemAddressReserve(GRANULE, 0, 0, 0)
    _, handle = c.cuMemCreate(GRANULE, (1, 0, (1, 0), 0, (0, 0, 0)), 0)
    assert c.cuMemMap(reserved, GRANULE, 0, handle, 0) == (0,)
    assert c.cuMemSetAccess(reserved, GRANULE, (((1, 0), 3),), 1) == (0,)
    assert refused(c.cuMemHostGetDevicePointer_v1, reserved, 0) == NOT_SUPPORTED


def test_each_context_finds_its_own_memory(a: Process) -> None:
    """Whichever thread asks: copies look in the current context, streams and nodes in theirs."""
    c = a.c
    _, first = c.cuCtxGetCurrent()
    _, of_first = c.cuMemAlloc_v1(BYTES)
    _, stream = c.cuStreamCreate(1)
    _, pinned = c.cuMemHostAlloc(BYTES, 2)
    assert c.cuModuleLoadData(PTX.replace(b".visible .global .align 4 .u32 counter = 5;", b""))[0] == 0
    _, second = c.cuCtxCreate_v1(0, 0)
    assert c.cuMemGetInfo_v1()[1] == END - FIRST - ROOM - 2 * GRANULE
    _, of_second = c.cuMemAlloc_v1(BYTES)
    memory = a.host_memory(BYTES)
    assert c.cuMemcpyDtoD_v1(of_second, of_first, 64) == c.cuMemcpyDtoD_v1(of_first, of_second, 64) == (INVALID_VALUE,)
    assert c.cuMemcpyDtoD_v1(of_second, of_first, 0) == (0,)
    assert c.cuMemGetAddressRange_v1(of_first)[0] == NOT_FOUND
    refusals = (
        c.cuMemFree_v1(of_first),
        c.cuIpcGetMemHandle(of_first),
        c.cuMemFreeHost(pinned),
        c.cuMemHostGetFlags(pinned),
    )
    assert {answer[0] for answer in refusals} == {INVALID_VALUE}
    flat = 0, 0, 1, memory, 0, 0, 64, 0, 0, 2, 0, of_first, 0, 64, 32, 2
    assert c.cuMemcpy2D_v1(flat) == (INVALID_VALUE,)
    assert c.cuMemcpy2D_v1((*flat[:-1], 0)) == (0,)
    assert c.cuMemcpy2D_v1((*flat[:11], of_second, *flat[12:])) == (0,)
    assert c.cuMemcpyHtoDAsync_v1(of_first, memory, 64, stream) == (INVALID_VALUE,)
    assert c.cuMemcpyHtoDAsync_v1(of_second, memory, 64, stream) == (0,)
    assert c.cuStreamWriteValue32(stream, of_first, 1, 0) == c.cuStreamWriteValue32(0, of_second, 1, 0) == (0,)
    assert c.cuStreamWriteValue32(stream, of_second, 1, 0) == (INVALID_VALUE,)
    assert c.cuMemFreeAsync(of_first, 0) == (INVALID_VALUE,)
    assert c.cuStreamWriteValue32(0x1234, of_first, 1, 0)[0] == int(Result.INVALID_HANDLE)
    _, graph = c.cuGraphCreate(0)
    fill = 0, 1, 4, 4, 1
    assert c.cuGraphAddMemsetNode(graph, (), 0, (of_first, *fill), first)[0] == 0
    assert c.cuGraphAddMemsetNode(graph, (), 0, (of_first, *fill), second)[0] == INVALID_VALUE
    assert c.cuGraphAddMemsetNode(graph, (), 0, None, second)[0] == INVALID_VALUE
    side = DEVICE, 0, of_first, 0, 0, 64, 1
    copy = *[0] * 4, *side, *[0] * 4, *side, 16, 1, 1
    assert c.cuGraphAddMemcpyNode(graph, (), 0, copy, second)[0] == INVALID_VALUE
    assert c.cuGraphAddMemcpyNode(graph, (), 0, copy, first)[0] == 0
    assert refused(c.cuStreamBatchMemOp, stream, 0, None, 0) == NOT_SUPPORTED
    assert c.cuCtxDestroy(first) == (0,)
    assert c.cuMemGetInfo_v1()[1] == END - FIRST - GRANULE


def test_portable_memory_of_several_contexts(a: Process) -> None:
    """Each of them frees it; its address for devices is one of its own context."""
    c = a.c
    _, first = c.cuCtxGetCurrent()
    assert c.cuCtxCreate_v1(0, 0)[0] == 0
    _, shared = c.cuMemHostAlloc(BYTES, 3)
    assert (c.cuMemHostGetDevicePointer_v1(shared, 0)[0], c.cuMemHostGetFlags(shared)) == (0, (0, 3))
    assert c.cuCtxSetCurrent(first) == (0,)
    assert c.cuMemHostGetDevicePointer_v1(shared, 0)[0] == INVALID_VALUE
    assert c.cuMemHostGetFlags(shared) == (0, 1)
    assert c.cuMemFreeHost(shared) == (0,)
    memory, own = a.host_memory(BYTES), a.host_memory(BYTES)
    assert c.cuMemHostRegister(memory, BYTES, 1) == c.cuMemHostRegister(own, BYTES, 0) == (0,)
    t = a.thread("other").c
    assert refused(t.cuMemHostUnregister, own) == NOT_SUPPORTED
    assert t.cuMemHostUnregister(memory) == c.cuMemHostUnregister(own) == (0,)


def test_a_kernel_finds_memory_of_its_context() -> None:
    """And page-locked memory by its address for devices alone."""
    ptx = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry bump(.param .u64 p) { .reg .u64 %a; .reg .u32 %v; ld.param.u64 %a,[p]; ld.global.u32 %v,[%a];
 add.u32 %v,%v,1; st.global.u32 [%a],%v; ret; }
\0"""
    for own in (True, False):
        with Machine(strict=False, kernels="run") as machine:
            c = machine.here.c
            c.cuInit(0)
            c.cuCtxCreate_v1(0, 0)
            _, pinned = c.cuMemHostAlloc(BYTES, 2)
            _, mapped = c.cuMemHostGetDevicePointer_v1(pinned, 0)
            if not own:
                c.cuCtxCreate_v1(0, 0)
            _, function = c.cuModuleGetFunction(c.cuModuleLoadData(ptx)[1], b"bump")
            value = ctypes.c_uint64(mapped)
            places = (ctypes.c_void_p * 1)(ctypes.addressof(value))
            assert c.cuLaunchKernel(function, *[1] * 6, 0, 0, ctypes.addressof(places), 0) == (0,)
            assert (c.cuCtxSynchronize() == (0,)) is own
            assert ctypes.string_at(pinned, 1)[0] == own
