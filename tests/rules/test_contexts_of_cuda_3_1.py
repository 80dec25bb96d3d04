"""Contexts of CUDA 3.1: which calls are made there, which are refused, and which are not modelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine, NotModelledWarning
from fakecuda.model.memory.narrow import END
from fakecuda.rules.forms import narrow_calls
from fakecuda.rules.registry import DRIVER, FORMS, RUNTIME
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.reach.process import Process

INVALID_VALUE, OUT_OF_MEMORY = int(Result.INVALID_VALUE), int(Result.OUT_OF_MEMORY)
INVALID_CONTEXT, NOT_SUPPORTED = int(Result.INVALID_CONTEXT), int(Result.NOT_SUPPORTED)
INVALID_HANDLE, DESTROYED = int(Result.INVALID_HANDLE), int(Result.CONTEXT_IS_DESTROYED)
UNSUPPORTED = int(Result.STREAM_CAPTURE_UNSUPPORTED)
INCOMPATIBLE, NOT_FOUND = 49, int(Result.NOT_FOUND)
BYTES, LINE = 4096, (4096, 0, 1, 1)
DEVICE, UNIFIED = 2, 4
PTX = b""".version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 counter = 5;
\0"""


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A machine that is not strict."""
    with Machine(strict=False) as made:
        yield made


@pytest.fixture
def a(machine: Machine) -> Process:
    """A process with a context of CUDA 3.1."""
    process = machine.spawn()
    assert process.c.cuInit(0) == (0,)
    assert process.c.cuCtxCreate_v1(0, 0)[0] == 0
    return process


def refused(call: Any, *args: Any) -> int:
    """Return the code of a call that is not modelled."""
    with pytest.warns(NotModelledWarning, match="is not modelled in a context of CUDA 3.1"):
        code: int = call(*args)[0]
    return code


def test_the_lists_name_calls_once() -> None:
    """Each name is a call, and stands in one list of its API."""
    of_driver = [
        *narrow_calls.OF_64_BITS,
        *narrow_calls.OF_ADDRESSES,
        *narrow_calls.WITH_A_CONTEXT,
        *narrow_calls.UNASKED,
    ]
    of_driver += [*narrow_calls.QUEUED, *narrow_calls.UNASKED_OF_SEVERAL]
    assert len(of_driver) == len({*of_driver})
    assert {*of_driver} <= DRIVER.ops.keys() | FORMS.ops.keys()
    of_runtime = [*narrow_calls.OF_THE_RUNTIME, *narrow_calls.OF_THE_RUNTIMES_CONTEXT, *narrow_calls.RANGES]
    assert len(of_runtime) == len({*of_runtime})
    assert RUNTIME.ops.keys() >= {*of_runtime}


def test_a_process_has_contexts_of_one_kind(a: Process) -> None:
    """No other context is made beside them, and on a second device none is modelled. After them others are made as always."""
    c = a.c
    assert c.cuCtxCreate(None, 0, 0)[0] == c.cuDevicePrimaryCtxRetain(0)[0] == OUT_OF_MEMORY
    assert refused(c.cuCtxCreate_v1, 0, 1) == NOT_SUPPORTED
    _, context = c.cuCtxGetCurrent()
    _, second = c.cuCtxCreate_v1(0, 0)
    assert (c.cuCtxGetApiVersion(context), c.cuCtxGetApiVersion(second)) == ((0, 3010), (0, 3010))
    assert c.cuCtxDestroy(context) == (0,)
    assert c.cuCtxCreate(None, 0, 0)[0] == OUT_OF_MEMORY
    assert c.cuCtxDestroy(second) == (0,)
    _, other = c.cuCtxCreate(None, 0, 0)
    assert c.cuMemAlloc(BYTES)[0] == 0
    assert c.cuCtxCreate_v1(0, 0)[0] == OUT_OF_MEMORY
    assert c.cuCtxGetApiVersion(other) == (0, 3020)


def test_calls_with_64_bits_are_refused(a: Process) -> None:
    """Some look at arguments before the context; one has nothing to tell in each context."""
    c = a.c
    assert c.cuMemAlloc(0)[0] == c.cuMemcpyHtoD(0, 0, 0)[0] == INVALID_CONTEXT
    assert c.cuMemGetAddressRange(0)[0] == INVALID_CONTEXT
    assert c.cuMemGetAddressRange(0, null="pbase psize") == (0, None, None)
    assert c.cuArrayGetDescriptor(0)[0] == INVALID_HANDLE
    assert c.cuArrayGetDescriptor(c.cuArrayCreate_v1(LINE)[1])[0] == INVALID_CONTEXT
    assert c.cuModuleGetGlobal(0, b"counter")[0] == INVALID_HANDLE
    assert c.cuModuleGetGlobal(c.cuModuleLoadData(PTX)[1], b"nothing")[0] == INVALID_CONTEXT
    assert c.cuMemAllocManaged(BYTES, 1, null="dptr")[0] == INVALID_VALUE
    assert c.cuMemAllocManaged(0, 1)[0] == c.cuMemAllocManaged(BYTES, 3)[0] == INVALID_VALUE
    assert c.cuMemAllocManaged(BYTES, 1)[0] == INVALID_CONTEXT
    batch = (0,), (0,), (0,), 1, ((1, (0, 0), (0, 0), 0),), (0,), 1
    assert c.cuMemcpyBatchAsync(*batch, 0)[0] == INVALID_VALUE
    assert c.cuMemcpyBatchAsync(*batch, c.cuStreamCreate(0)[1])[0] == INVALID_CONTEXT


def test_a_thread_without_a_context(a: Process) -> None:
    """Its calls with 64 bits need a context of today, too; a free finds no memory."""
    _, pointer = a.c.cuMemAlloc_v1(BYTES)
    _, stream = a.c.cuStreamCreate(0)
    c = a.thread("other").c
    assert c.cuMemsetD8Async(pointer, 0, 1, stream) == (INVALID_CONTEXT,)
    assert (c.cuMemFree(pointer), c.cuMemFree(0)) == ((INVALID_VALUE,), (0,))
    assert c.cuPointerGetAttribute(2, pointer)[0] == INVALID_VALUE
    assert refused(c.cuPointerGetAttributes, 1, (2,), pointer) == NOT_SUPPORTED
    assert c.cuMemGetHandleForAddressRange(pointer, BYTES, 1, 0)[0] == INVALID_CONTEXT
    assert c.cudaGetDevice() == (0, 0)


def test_nodes_need_their_context(a: Process) -> None:
    """A node that fills or copies is given the context; a memory type of today needs none, which is not modelled."""
    c = a.c
    _, context = c.cuCtxGetCurrent()
    _, pointer = c.cuMemAlloc_v1(BYTES)
    _, graph = c.cuGraphCreate(0)
    fill = pointer, 0, 1, 4, 4, 1
    assert c.cuGraphAddMemsetNode(graph, (), 0, fill, 0)[0] == INVALID_VALUE
    assert c.cuGraphAddMemsetNode(graph, (), 0, fill, context)[0] == 0

    def copy(kind: int) -> tuple[int, ...]:
        side = kind, 0, pointer, 0, 0, 64, 1
        return *[0] * 4, *side, *[0] * 4, *side, 16, 1, 1

    assert c.cuGraphAddMemcpyNode(graph, (), 0, copy(DEVICE), 0)[0] == INVALID_VALUE
    assert c.cuGraphAddMemcpyNode(graph, (), 0, copy(DEVICE), context)[0] == 0
    assert c.cuGraphAddMemcpyNode(graph, (), 0, copy(UNIFIED), context)[0] == INVALID_VALUE
    assert c.cuGraphAddMemcpyNode(graph, (), 0, None, context)[0] == INVALID_VALUE
    assert refused(c.cuGraphAddMemcpyNode, graph, (), 0, copy(UNIFIED), 0) == NOT_SUPPORTED
    assert refused(c.cuGraphAddNode, graph, (), (), 0, None) == NOT_SUPPORTED
    assert c.cuMemPoolTrimTo(0, 0) == (INVALID_VALUE,)


def test_forms_of_cuda_3_1_are_not_captured(a: Process) -> None:
    """A captured stream refuses them, and its capture is broken; another stream copies."""
    c = a.c
    _, pointer = c.cuMemAlloc_v1(BYTES)
    _, other = c.cuMemAlloc_v1(BYTES)
    (_, captured), (_, free) = c.cuStreamCreate(1), c.cuStreamCreate(1)
    assert c.cuMemcpyDtoDAsync_v1(other, pointer, 64, captured) == (0,)
    assert c.cuStreamBeginCapture(captured, 2) == (0,)
    assert c.cuMemcpyDtoDAsync_v1(other, pointer, 64, free) == (0,)
    assert c.cuMemsetD8_v1(pointer, 1, 4) == (0,)
    assert c.cuMemcpyDtoDAsync_v1(other, pointer, 64, captured) == (UNSUPPORTED,)
    assert c.cuStreamEndCapture(captured)[0] == int(Result.STREAM_CAPTURE_INVALIDATED)


def test_the_runtime_needs_a_primary_context(a: Process) -> None:
    """Its calls that need a context find one of the driver's; some end before, and some are not modelled there."""
    c = a.c
    _, pointer = c.cuMemAlloc_v1(BYTES)
    _, stream = c.cuStreamCreate(0)
    memory = a.host_memory(BYTES)
    assert c.cudaMalloc(BYTES)[0] == c.cudaStreamAddCallback(stream, memory, 0, 0)[0] == INCOMPATIBLE
    assert c.cudaStreamAddCallback(stream, 0, 0, 0)[0] == INVALID_VALUE
    assert c.cudaMemcpyToSymbol(memory, memory, 0, 0, 1) == (0,)
    assert c.cudaMemcpyToSymbol(memory, memory, 4, 0, 1) == (INCOMPATIBLE,)
    assert c.cudaGetDevice() == (0, 0)
    assert c.cudaPointerGetAttributes(pointer)[0] == INVALID_VALUE
    assert c.cudaMemRangeGetAttribute(4, 1, pointer, 64)[0] == INVALID_CONTEXT
    assert c.cudaFreeAsync(c.cuMemAllocAsync(BYTES, stream)[1], stream) == (INVALID_VALUE,)
    assert c.cudaFreeAsync(pointer, stream) == (0,)
    with pytest.warns(NotModelledWarning, match=r"^cudaGetKernel is not modelled in a context of CUDA 3.1"):
        assert c.cudaGetKernel(memory)[0] == NOT_SUPPORTED


def test_a_thread_that_has_chosen_a_device(a: Process) -> None:
    """The runtime API wants a primary context for it, which the process cannot have; a device that is missing is not chosen."""
    c = a.c
    assert c.cudaSetDevice(9)[0] == c.cudaInitDevice(9, 0, 0)[0] == 101
    assert c.cudaInitDevice(0, 0, 0)[0] == OUT_OF_MEMORY
    assert c.cudaMalloc(BYTES)[0] == INCOMPATIBLE
    assert (c.cudaSetDevice(0), c.cudaMalloc(BYTES)[0]) == ((OUT_OF_MEMORY,), OUT_OF_MEMORY)
    other = a.thread("other").c
    assert other.cuCtxSetCurrent(c.cuCtxGetCurrent()[1]) == (0,)
    assert other.cudaMalloc(BYTES)[0] == INCOMPATIBLE


def test_handles_that_have_ended_and_others(a: Process) -> None:
    """A form that looks at its handle before the context answers as the newest form does."""
    c = a.c
    _, array = c.cuArrayCreate_v1(LINE)
    assert a.thread("t2").c.cuArrayGetDescriptor_v1(array) == (0, LINE)
    assert c.cuArrayDestroy(array) == (0,)
    assert c.cuArrayGetDescriptor_v1(array)[0] == DESTROYED
    assert c.cuModuleGetGlobal_v1(c.cuStreamCreate(0)[1], b"counter")[0] == INVALID_HANDLE


def test_a_destroyed_context_and_the_end_of_the_process(machine: Machine, a: Process) -> None:
    """A thread whose current context was destroyed hears of that; a process ends with its context."""
    b = machine.spawn()
    assert b.c.cuInit(0) == (0,)
    _, context = b.c.cuCtxCreate_v1(0, 0)
    _, handle = b.c.cuIpcGetMemHandle(b.c.cuMemAlloc_v1(BYTES)[1])
    assert a.c.cuIpcOpenMemHandle(handle, 1)[1] < END
    assert b.thread("other").c.cuCtxDestroy(context) == (0,)
    assert b.c.cuMemAlloc(BYTES)[0] == b.c.cuMemAlloc_v1(BYTES)[0] == DESTROYED
    assert b.thread("other").c.cuCtxCreate_v1(0, 0)[0] == 0
    assert b.c.cuMemAlloc(BYTES)[0] == DESTROYED
    b.exit()
    assert not b.alive


def test_a_locked_process_makes_its_calls_there(machine: Machine, a: Process) -> None:
    """What is refused in a context of CUDA 3.1 is refused at once while the process is locked."""
    b = machine.spawn()
    assert b.c.cuInit(0) == (0,)
    assert b.c.cuCheckpointProcessLock(a.pid, None) == (0,)
    assert a.c.cuMemAlloc(BYTES)[0] == INVALID_CONTEXT
    assert b.c.cuCheckpointProcessUnlock(a.pid, None) == (0,)
    assert a.c.cuMemAlloc(BYTES)[0] == INVALID_CONTEXT


def test_a_form_with_a_stream_needs_no_current_context(a: Process) -> None:
    """The stream's counts; without a current context no address is found, but arrays are, and nothing is copied anyway."""
    c = a.c
    _, pointer = c.cuMemAlloc_v1(BYTES)
    _, pinned = c.cuMemHostAlloc(BYTES, 0)
    _, array = c.cuArrayCreate_v1(LINE)
    _, stream = c.cuStreamCreate(1)
    memory = a.host_memory(BYTES)
    t = a.thread("other").c
    assert t.cuMemcpyHtoDAsync_v1(pointer, memory, 64, stream) == (INVALID_VALUE,)
    assert t.cuMemcpyHtoDAsync_v1(pointer, memory, 0, stream) == (0,)
    assert t.cuMemcpyHtoAAsync_v1(array, 0, memory, 32, stream) == (0,)
    assert (
        t.cuMemcpyHtoAAsync_v1(array, 0, memory, 32, 0) == t.cuMemcpyHtoD_v1(pointer, memory, 64) == (INVALID_CONTEXT,)
    )
    flat = 0, 0, 1, memory, 0, 0, 64, 0, 0, 2, 0, pointer, 0, 64, 32, 2
    assert t.cuMemcpy2DAsync_v1(flat, stream) == (INVALID_VALUE,)
    assert t.cuMemcpy2DAsync_v1(flat, 0) == (INVALID_CONTEXT,)
    assert t.cuMemcpyHtoDAsync_v1(pointer, memory, 64, 0x1234) == (INVALID_HANDLE,)
    assert t.cuMemFreeHost(pinned) == (INVALID_VALUE,)
    assert t.cuStreamWriteValue32(stream, pointer, 1, 0) == (0,)


def test_a_form_with_a_stream_of_today(machine: Machine) -> None:
    """It needs a context of CUDA 3.1, with or without a current one."""
    a = machine.spawn()
    assert a.c.cuInit(0) == (0,)
    assert a.c.cuCtxCreate(None, 0, 0)[0] == 0
    _, stream = a.c.cuStreamCreate(1)
    for process in (a, a.thread("other")):
        assert process.c.cuMemcpyHtoDAsync_v1(1, 1, 64, stream) == (INVALID_CONTEXT,)


def test_images_with_managed_variables(a: Process) -> None:
    """No context of CUDA 3.1 stands beside one; an image that cannot be loaded has none."""
    c = a.c
    managed = PTX.replace(b".global", b".global .attribute(.managed)")
    no_options = None, None, 0, None, None, 0
    assert c.cuModuleLoadData(managed)[0] == c.cuLibraryLoadData(managed, *no_options)[0] == NOT_SUPPORTED
    assert a.thread("other").c.cuLibraryLoadData(managed, *no_options)[0] == NOT_SUPPORTED
    assert c.cuLibraryLoadData(b"garbage", *no_options)[0] == 0
    assert c.cuCtxDestroy(c.cuCtxGetCurrent()[1]) == (0,)
    assert c.cuLibraryLoadData(managed, *no_options)[0] == 0
    assert c.cuCtxCreate_v1(0, 0)[0] == NOT_SUPPORTED
