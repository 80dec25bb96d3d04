"""Captures of streams, beyond what calls answer.

What they answer is recorded: ``conformance/data/recordings/h200-x2/capture.jsonl.gz``.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import attrs
import pytest

import fakecuda
from conformance.cases.driver.stream.mem_ops import devices
from fakecuda.model.graph import capture
from fakecuda.profiles import load
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    Calls: TypeAlias = Any

KERNEL = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry nothing() { ret; }
\0"""


@pytest.fixture(name="c")
def c_of_a_process() -> Iterator[Calls]:
    """The calls of a process with a context."""
    with fakecuda.simulate("h200-x2", strict=False) as machine:
        process = machine.spawn("p")
        assert process.c.cuInit(0) == (0,)
        assert process.c.cuCtxCreate(None, 0, 0)[0] == 0
        yield process.c


RELAXED = 2


def _captured(c: Calls, flags: int = 1) -> int:
    """Return a new stream that is captured."""
    stream: int = c.cuStreamCreate(flags)[1]
    assert c.cuStreamBeginCapture(stream, RELAXED) == (0,)
    return stream


def test_what_was_captured_is_done_by_a_launch(c: Calls) -> None:
    """Copies, rows, memsets, functions, launches and external events, in their order."""
    made: list[int] = []
    fakecuda.kernel("nothing")(lambda *_: made.append(1))
    stream = c.cuStreamCreate(1)[1]
    one, other, host = c.cuMemAlloc(64)[1], c.cuMemAlloc(64)[1], c.cuMemAllocHost(64)[1]
    module = c.cuModuleLoadData(KERNEL)[1]
    function = c.cuModuleGetFunction(module, b"nothing")[1]
    event = c.cuEventCreate(0)[1]
    assert c.cuMemsetD8(one, 0, 64) == (0,)
    assert c.cuStreamBeginCapture(stream, 0) == (0,)
    rows = (0, 0, 2, 0, one, 0, 32, 0, 0, 2, 0, other, 0, 32, 8, 2)
    box = (0, 0, 0, 0, 2, 0, other, 0, 0, 0, 0, 0, 0, 0, 0, 1, host, 0, 0, 0, 0, 0, 64, 1, 1)
    for answer in (
        c.cuMemsetD2D16Async(one, 32, 0x0707, 4, 2, stream),
        c.cuMemcpy2DAsync(rows, stream),
        c.cuMemcpy2DAsync((*rows[:-1], 0), stream),
        c.cuMemcpy3DAsync(box, stream),
        c.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, 0, 0),
        c.cuLaunchKernelEx((*[1] * 6, 0, stream, ((0,),)), function, 0, 0),
        c.cuEventRecordWithFlags(event, stream, 1),
        c.cuStreamWaitEvent(stream, event, 1),
    ):
        assert answer == (0,)
    code, graph = c.cuStreamEndCapture(stream)
    assert (code, made) == (0, [])
    executable = c.cuGraphInstantiate(graph, 0)[1]
    assert c.cuGraphLaunch(executable, stream) == (0,)
    assert c.cuStreamSynchronize(stream) == (0,)
    assert c.cuEventQuery(event) == (0,)
    assert made == [1, 1]
    assert ctypes.string_at(host, 64)[:8] == ctypes.string_at(host, 64)[32:40] == b"\7" * 8


def test_arguments_of_what_is_captured(c: Calls) -> None:
    """What is refused adds no node; a launch with wrong dimensions breaks the capture, too."""
    module = c.cuModuleLoadData(KERNEL)[1]
    function = c.cuModuleGetFunction(module, b"nothing")[1]
    stream, one, event = _captured(c), c.cuMemAlloc(64)[1], c.cuEventCreate(0)[1]
    for refused in (
        c.cuMemsetD16Async(one + 1, 0, 1, stream),
        c.cuMemsetD2D16Async(one, 33, 0, 1, 2, stream),
        c.cuMemsetD2D16Async(one, 2, 0, 2, 2, stream),
        c.cuMemcpyAsync(0, one, 8, stream),
        c.cuMemcpyDtoDAsync(one, 8, 8, stream),
        c.cuMemcpy2DAsync(None, stream),
        c.cuMemcpy3DAsync(None, stream),
        c.cuEventRecordWithFlags(event, stream, 2),
        c.cuStreamWaitEvent(stream, event, 2),
    ):
        assert refused == (Result.INVALID_VALUE,)
    assert c.cuLaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, stream, 0, 0) == (Result.INVALID_HANDLE,)
    assert c.cuStreamIsCapturing(stream) == (0, capture.ACTIVE)
    assert c.cuLaunchKernelEx(None, function, 0, 0) == (Result.INVALID_VALUE,)
    assert c.cuLaunchKernelEx((*[1] * 6, 0, stream, ()), 0, 0, 0) == (Result.INVALID_HANDLE,)
    assert c.cuStreamIsCapturing(stream) == (0, capture.ACTIVE)
    assert c.cuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, stream, 0, 0) == (Result.INVALID_VALUE,)
    assert c.cuStreamIsCapturing(stream) == (0, capture.INVALIDATED)
    assert c.cuStreamEndCapture(stream)[0] == Result.STREAM_CAPTURE_INVALIDATED


def test_calls_that_are_not_modelled_in_a_capture_say_so(c: Calls) -> None:
    """Memory of managed pools that lies on no device, and what calls of the runtime API do by themselves; their last error can be asked."""
    code, pool = c.cuMemPoolCreate((2, 0, (0, 0), 0, 0, 0, 0))
    assert code == 0
    stream = _captured(c)
    with pytest.warns(fakecuda.NotModelledWarning, match="cuMemAllocFromPoolAsync is not modelled while a stream is"):
        assert c.cuMemAllocFromPoolAsync(64, pool, stream)[0] == Result.NOT_SUPPORTED
    with pytest.warns(fakecuda.NotModelledWarning, match="cudaDeviceReset is not modelled while a stream is captured"):
        assert c.cudaDeviceReset()[0] == 801
    assert c.cudaGetLastError() == (801,)
    assert c.cuStreamEndCapture(stream)[0] == 0
    assert c.cudaDeviceReset()[0] == 0


def test_a_context_that_ends_takes_its_captures(c: Calls) -> None:
    """With their graphs; copies in another context meet none of them."""
    context = c.cuCtxCreate(None, 0, 0)[1]
    stream = _captured(c, 0)
    assert c.cuCtxPopCurrent()[0] == 0
    assert c.cuCtxSynchronize() == (0,)
    assert c.cuCtxDestroy(context) == (0,)
    assert c.cuMemAlloc(64)[0] == 0
    assert c.cuStreamIsCapturing(stream)[0] == Result.INVALID_CONTEXT


def test_no_context_is_current_while_a_stream_is_captured(c: Calls) -> None:
    """A stream that was created is enough."""
    stream, one = _captured(c), c.cuMemAlloc(64)[1]
    assert c.cuCtxPopCurrent()[0] == 0
    assert c.cuMemsetD8Async(one, 0, 8, 0) == (Result.INVALID_CONTEXT,)
    assert c.cuMemsetD8(one, 0, 8) == (Result.INVALID_CONTEXT,)
    assert c.cuMemsetD8Async(one, 0, 8, stream) == (0,)
    assert c.cuStreamEndCapture(stream)[0] == 0


def test_graphs_that_are_captured_to_are_not_destroyed(c: Calls) -> None:
    """Others are, by a handle that is one."""
    graph, stream = c.cuGraphCreate(0)[1], c.cuStreamCreate(1)[1]
    node = c.cuGraphAddEmptyNode(graph, None, 0)[1]
    assert c.cuStreamBeginCaptureToGraph(stream, graph, (node,), None, 1, RELAXED) == (0,)
    assert c.cuGraphDestroy(graph) == c.cuGraphDestroyNode(node) == (Result.ILLEGAL_STATE,)
    assert c.cuGraphDestroy(c.cuGraphCreate(0)[1]) == (0,)
    assert c.cuGraphDestroy(0) == (Result.INVALID_VALUE,)
    assert c.cuStreamEndCapture(stream) == (0, graph)
    assert c.cuGraphDestroy(graph) == (0,)


def test_the_capture_of_a_thread_forbids_others_what_is_global(c: Calls) -> None:
    """A local one forbids its own thread alone; what comes of a later record is asked as before."""
    stream, event = c.cuStreamCreate(1)[1], c.cuEventCreate(0)[1]
    assert c.cuStreamBeginCapture(stream, 1) == (0,)
    assert c.cuMemAlloc(64)[0] == Result.STREAM_CAPTURE_UNSUPPORTED
    assert c.cuStreamEndCapture(stream)[0] == Result.STREAM_CAPTURE_INVALIDATED
    stream = _captured(c)
    assert c.cuEventRecord(event, stream) == (0,)
    assert c.cuStreamEndCapture(stream)[0] == 0
    assert c.cuEventSynchronize(event) == (Result.INVALID_VALUE,)
    assert c.cuEventRecord(event, stream) == (0,)
    assert c.cuEventSynchronize(event) == (0,)


def test_events_of_captures_that_have_ended(c: Calls) -> None:
    """A capture that waits for one is broken; calls with other events are as before."""
    context = c.cuCtxGetCurrent()[1]
    event, other = (c.cuEventCreate(0)[1] for _ in range(2))
    first = _captured(c)
    assert c.cuEventRecord(event, first) == (0,)
    assert c.cuStreamEndCapture(first)[0] == 0
    assert c.cuCtxWaitEvent(context, other) == (0,)
    assert c.cuCtxWaitEvent(context, event) == (Result.INVALID_VALUE,)
    second = _captured(c)
    assert c.cuStreamWaitEvent(second, event, 0) == (Result.INVALID_VALUE,)
    assert c.cuStreamIsCapturing(second) == (0, capture.INVALIDATED)


def test_the_legacy_stream_joins_no_capture(c: Calls) -> None:
    """Though none of its streams has an order with it; why it was refused names the capture."""
    stream, event = _captured(c), c.cuEventCreate(0)[1]
    assert c.cuEventRecord(event, stream) == (0,)
    assert c.cuStreamWaitEvent(0, event, 0) == (Result.STREAM_CAPTURE_IMPLICIT,)
    assert c.cuStreamIsCapturing(stream) == (0, capture.INVALIDATED)
    assert f"capture 1 of stream {stream:#x}" in fakecuda.why()


def test_copies_per_thread_leave_the_legacy_stream_alone() -> None:
    """A memset of such a variant is none of the legacy stream's."""
    with fakecuda.simulate("h200") as machine:
        process = machine.spawn("p")
        c = process.c
        assert (c.cuInit(0), c.cuCtxCreate(None, 0, 0)[0]) == ((0,), 0)
        one, _ = c.cuMemAlloc(64)[1], _captured(c, 0)
        (thread,) = process.threads.values()
        assert DRIVER.ops["cuMemsetD8"].invoke(thread.per_thread, one, 7, 16)[0] == 0
        assert c.cuMemsetD8(one, 7, 16) == (Result.STREAM_CAPTURE_IMPLICIT,)


@pytest.mark.parametrize(
    ("call", "args"),
    [
        ("cuStreamGetPriority", ()),
        ("cuStreamGetCtx", ()),
        ("cuStreamGetAttribute", (3,)),
        ("cuStreamCopyAttributes", (2,)),
    ],
)
def test_a_broken_capture_says_so_when_its_stream_is_asked(call: str, args: tuple[int, ...]) -> None:
    """A whole one does not; importing a pool is unsafe."""
    with fakecuda.Machine("h200", strict=False) as machine:
        c = machine.spawn().c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        stream = c.cuStreamCreate(1)[1]
        assert c.cuStreamBeginCapture(stream, 0) == (0,)
        assert getattr(c, call)(stream, *args)[0] == 0
        assert c.cuMemPoolImportFromShareableHandle(-1, 1, 0)[0] == Result.STREAM_CAPTURE_UNSUPPORTED
        assert getattr(c, call)(stream, *args)[0] == Result.STREAM_CAPTURE_INVALIDATED


def test_values_that_a_captured_stream_waits_for_and_writes(c: Calls) -> None:
    """In their order; what a batch of none would be is no node."""
    one, host = c.cuMemAlloc(64)[1], c.cuMemAllocHost(64)[1]
    assert c.cuMemsetD8(one, 0, 64) == (0,)
    stream, other = _captured(c), c.cuStreamCreate(1)[1]
    for answer in (
        c.cuStreamBatchMemOp(stream, 0, None, 0),
        c.cuStreamWriteValue64(stream, one, 3, 0),
        c.cuStreamBatchMemOp(stream, 2, ((6, 0), (2, one + 16, 7, 0)), 0),
        c.cuStreamWaitValue64(stream, host, 5, 1),
        c.cuStreamWriteValue32(stream, one + 8, 4, 0),
    ):
        assert answer == (0,)
    assert c.cuStreamBatchMemOp(stream, 1, ((8, 0, 0, 14, one, 1),), 0) == (Result.INVALID_VALUE,)
    graph = c.cuStreamEndCapture(stream)[1]
    executable = c.cuGraphInstantiate(graph, 0)[1]
    ctypes.memset(host, 0, 64)
    assert c.cuGraphLaunch(executable, stream) == (0,)
    assert c.cuStreamQuery(stream) == (Result.NOT_READY,)
    assert c.cuStreamWriteValue64(other, host, 5, 0) == (0,)
    assert c.cuStreamSynchronize(stream) == (0,)
    content = ctypes.create_string_buffer(24)
    assert c.cuMemcpyDtoH(content, one, 24) == (0,)
    assert content.raw == bytes([3, *[0] * 7, 4, *[0] * 7, 7, *[0] * 7])


def test_a_captured_reduction() -> None:
    """On a device that has them."""
    profile = attrs.evolve(load("h200-x2"), **devices(ATOMIC_REDUCTION_SUPPORTED=1))
    with fakecuda.Machine(profile, strict=False) as machine:
        c = machine.spawn().c
        assert (c.cuInit(0)[0], c.cuCtxCreate(None, 0, 0)[0]) == (0, 0)
        one, host = c.cuMemAlloc(64)[1], c.cuMemAllocHost(64)[1]
        assert c.cuMemsetD32(one, 4, 1) == (0,)
        stream = _captured(c)
        assert c.cuStreamBatchMemOp(stream, 1, ((8, 0, 0, 14, one, 3),), 0) == (0,)
        graph = c.cuStreamEndCapture(stream)[1]
        assert c.cuGraphLaunch(c.cuGraphInstantiate(graph, 0)[1], stream) == (0,)
        assert c.cuStreamSynchronize(stream) == (0,)
        assert c.cuMemcpy(host, one, 4) == (0,)
        assert ctypes.string_at(host, 4) == b"\7\0\0\0"


def test_values_in_memory_that_is_gone_fail_the_launch(c: Calls) -> None:
    """As a memset of such memory does."""
    stream, one = _captured(c), c.cuMemAlloc(64)[1]
    assert c.cuStreamWriteValue32(stream, one, 1, 0) == (0,)
    executable = c.cuGraphInstantiate(c.cuStreamEndCapture(stream)[1], 0)[1]
    assert c.cuMemFree(one) == (0,)
    assert c.cuGraphLaunch(executable, stream) == (0,)
    assert c.cuStreamSynchronize(stream) == (Result.LAUNCH_FAILED,)


def test_a_callback_is_looked_at_before_its_stream(c: Calls) -> None:
    """Its flags are 0, and it is there; the capture goes on."""
    stream = _captured(c, 0)
    assert c.cuStreamAddCallback(0, 1, 0, 7) == (Result.INVALID_VALUE,)
    assert c.cuStreamAddCallback(stream, 0, 0, 0) == (Result.INVALID_VALUE,)
    assert c.cuStreamIsCapturing(stream) == (0, capture.ACTIVE)


def test_attributes_are_copied_from_no_legacy_stream_while_one_is_captured(c: Calls) -> None:
    """To a stream that is captured, and to another one; those of streams that leave it alone may be."""
    stream, other = _captured(c, 0), c.cuStreamCreate(1)[1]
    assert c.cuStreamCopyAttributes(other, stream) == (0,)
    assert c.cuStreamCopyAttributes(other, 1) == (Result.STREAM_CAPTURE_IMPLICIT,)
    assert c.cuStreamIsCapturing(stream) == (0, capture.INVALIDATED)
    again = _captured(c, 0)
    assert c.cuStreamCopyAttributes(again, 0) == (Result.STREAM_CAPTURE_IMPLICIT,)
    assert c.cuStreamCopyAttributes(again, 0) == (Result.STREAM_CAPTURE_INVALIDATED,)


def test_a_fork_has_copies_of_captures(machine: fakecuda.Machine) -> None:
    """They answer there as they did, and what is done there leaves the parent's as they are."""
    a = machine.spawn("a")
    c = a.c
    assert c.cuInit(0) == (0,)
    assert c.cuCtxCreate(None, 0, 0)[0] == 0
    stream, broken, joined, others = _captured(c, 0), _captured(c, 1), c.cuStreamCreate(1)[1], c.cuStreamCreate(1)[1]
    event = c.cuEventCreate(2)[1]
    assert c.cuEventRecord(event, stream) == (0,)
    assert c.cuStreamWaitEvent(joined, event, 0) == (0,)
    assert c.cuStreamSynchronize(broken) == (Result.STREAM_CAPTURE_UNSUPPORTED,)
    assert a.thread("second").c.cuCtxSetCurrent(c.cuCtxGetCurrent()[1]) == (0,)
    assert a.thread("second").c.cuStreamBeginCapture(others, 0) == (0,)
    forked = a.forked
    assert forked.cuStreamBeginCapture(stream, 2) == (Result.ILLEGAL_STATE,)
    assert forked.cuStreamEndCapture(joined) == (Result.STREAM_CAPTURE_UNMATCHED, None)
    assert forked.cuStreamEndCapture(broken) == (Result.STREAM_CAPTURE_INVALIDATED, None)
    assert forked.cuStreamEndCapture(others) == (Result.STREAM_CAPTURE_WRONG_THREAD, None)
    assert forked.cuStreamUpdateCaptureDependencies(broken, None, None, 0, 0) == (Result.STREAM_CAPTURE_INVALIDATED,)
    code, graph = c.cuStreamEndCapture(stream)
    assert (code, graph > 0) == (0, True)
    assert c.cuStreamEndCapture(broken) == (Result.STREAM_CAPTURE_INVALIDATED, None)


def test_an_instantiation_that_uploads_is_a_call_of_its_stream(c: Calls) -> None:
    """A capture forbids it in the captured stream, and without an upload everywhere."""
    graph, stream, other = c.cuGraphCreate(0)[1], c.cuStreamCreate(1)[1], c.cuStreamCreate(1)[1]
    upload = 2
    assert c.cuStreamBeginCapture(stream, 1) == (0,)
    assert c.cuGraphInstantiateWithParams(graph, (upload, other, 0, 0))[0] == 0
    assert c.cuGraphInstantiateWithParams(graph, (upload | 64, stream, 0, 0))[0] == Result.INVALID_VALUE
    assert c.cuStreamIsCapturing(stream) == (0, 1)
    assert c.cuGraphInstantiateWithParams(graph, (upload, stream, 0, 0))[0] == Result.STREAM_CAPTURE_UNSUPPORTED
    assert c.cuStreamEndCapture(stream)[0] == Result.STREAM_CAPTURE_INVALIDATED
    for params in ((0, other, 0, 0), None):
        assert c.cuStreamBeginCapture(stream, 1) == (0,)
        assert c.cuGraphInstantiateWithParams(graph, params)[0] == Result.STREAM_CAPTURE_UNSUPPORTED
        assert c.cuStreamEndCapture(stream)[0] == Result.STREAM_CAPTURE_INVALIDATED
