"""Captures of streams, beyond what calls answer.

What they answer is recorded: ``conformance/data/recordings/h200-x2/capture.jsonl.gz``.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.model.call import RetryCall
from fakecuda.model.graph import capture
from fakecuda.rules.driver.stream import nodes
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import launch_config
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


def test_a_capture_does_not_see_calls_of_nvml(c: Calls) -> None:
    """Programs query NVML at any time: PyTorch does when memory is missing in a capture."""
    for mode in range(RELAXED + 1):
        stream = c.cuStreamCreate(1)[1]
        assert c.cuStreamBeginCapture(stream, mode) == (0,)
        assert c.nvmlInit_v2() == (0,)
        assert c.nvmlDeviceGetCount_v2() == (0, 2)
        assert c.nvmlShutdown() == (0,)
        assert c.cuStreamEndCapture(stream)[0] == 0
    assert c.cudaDeviceReset()[0] == 0


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


def test_a_launch_of_which_more_would_be_made_is_no_node(c: Calls) -> None:
    """What a driver makes of an early one behind a kernel and a memset, and of an external event, and of a preferred cluster.

    The capture goes on.
    """
    function = c.cuModuleGetFunction(c.cuModuleLoadData(KERNEL)[1], b"nothing")[1]
    stream = _captured(c)
    assert c.cuMemsetD8Async(c.cuMemAllocAsync(64, stream)[1], 0, 64, stream) == (0,)
    behind_a_memset = c.cuLaunchKernelEx((*[1] * 6, 0, stream, ((6, 1),)), function, 0, 0)
    assert behind_a_memset == (0,)  # it is like any other
    other, forks, joins = c.cuStreamCreate(1)[1], *(c.cuEventCreate(2)[1] for _ in range(2))
    c.cuEventRecord(forks, stream)
    c.cuStreamWaitEvent(other, forks, 0)
    c.cuMemsetD8Async(c.cuMemAllocAsync(64, other)[1], 0, 64, other)
    c.cuLaunchKernel(function, *[1] * 6, 0, stream, 0, 0)
    c.cuEventRecord(joins, other)
    c.cuStreamWaitEvent(stream, joins, 0)
    for given in ((6, 1), (12, c.cuEventCreate(2)[1], 1), (launch_config.PREFERRED_CLUSTER, 1, 1, 1)):
        with pytest.warns(fakecuda.NotModelledWarning, match="cuLaunchKernelEx is not modelled while a stream is"):
            refused = c.cuLaunchKernelEx((*[1] * 6, 0, stream, (given,)), function, 0, 0)
        assert refused == (Result.NOT_SUPPORTED,)
    assert c.cuStreamEndCapture(stream)[0] == 0


def test_a_call_that_runs_again_breaks_no_capture(c: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that asks another process for its arguments does."""
    stream, memory = _captured(c), c.cuMemAllocAsync(64, c.cuStreamCreate(1)[1])[1]
    adds, tried = nodes.NODES["cuMemsetD8Async"], []

    def again(*args: Any) -> Any:
        tried.append(args)
        if len(tried) == 1:
            raise RetryCall(stream)
        return adds(*args)

    monkeypatch.setitem(nodes.NODES, "cuMemsetD8Async", again)
    assert c.cuMemsetD8Async(memory, 0, 16, stream) == (0,)
    assert len(tried) == 2
    assert c.cuStreamEndCapture(stream)[0] == 0


def test_calls_beneath_that_are_not_modelled_in_a_capture_say_so(c: Calls) -> None:
    """By the name of the driver's; those that act by themselves by their own."""
    stream = _captured(c)
    with pytest.warns(fakecuda.NotModelledWarning, match="cuMemcpyAtoHAsync is not modelled while"):
        assert c.cuMemcpyAtoHAsync(0, 0, 0, 0, stream)[0] == 801
    with pytest.warns(fakecuda.NotModelledWarning, match="cudaMemset3DAsync is not modelled while"):
        assert c.cudaMemset3DAsync((4096, 1, 1, 1), 0, (1, 1, 1), stream) == (801,)
    assert c.cudaMemset3DAsync((0, 0, 0, 0), 0, (0, 0, 0), stream) == (0,)
    assert c.cudaStreamEndCapture(stream)[0] == 0


@pytest.mark.parametrize(("mode", "code"), [(0, Result.STREAM_CAPTURE_UNSUPPORTED), (RELAXED, Result.SUCCESS)])
def test_a_fork_follows_the_capture_of_its_parent(mode: int, code: int) -> None:
    """In calls that forks may make: those that would be unsafe in the parent are refused; others know no capture."""
    with fakecuda.simulate("h200", strict=False) as machine:
        process = machine.spawn("p")
        c, fork = process.c, process.forked
        assert c.cuInit(0) == (0,)
        assert c.cuCtxCreate(None, 0, 0)[0] == 0
        array, stream, other = c.cuArrayCreate((64, 64, 1, 1))[1], c.cuStreamCreate(1)[1], c.cuStreamCreate(1)[1]
        assert c.cuStreamBeginCapture(stream, mode) == (0,)
        assert fork.cuStreamQuery(other) == fork.cuStreamSynchronize(other) == fork.cuArrayDestroy(array) == (code,)
        assert fork.cuStreamGetFlags(other) == (0, 1)
        assert fork.cuMemAlloc(16)[0] == Result.NOT_INITIALIZED
        assert c.cuStreamEndCapture(stream)[0] == 0


def test_a_capture_does_not_see_mistakes_that_are_found_before(c: Calls) -> None:
    """Null results and sizes of elements of cuMemAllocPitch, and null results of cuMemAllocManaged."""
    stream = c.cuStreamCreate(1)[1]
    assert c.cuStreamBeginCapture(stream, 0) == (0,)
    assert c.cuMemAllocPitch(16, 16, 5)[0] == c.cuMemAllocPitch(16, 16, 4, null="pPitch")[0] == 1
    assert c.cuMemAllocManaged(16, 1, null="dptr")[0] == 1
    assert c.cuStreamEndCapture(stream)[0] == 0


def test_a_record_of_an_interprocess_event_breaks_no_capture(c: Calls) -> None:
    """Neither a call nor a launch that records it; an external record becomes a node."""
    stream, event = _captured(c), c.cuEventCreate(6)[1]
    kernel = c.cuModuleGetFunction(c.cuModuleLoadData(KERNEL)[1], b"nothing")[1]
    assert c.cuEventRecord(event, stream) == (Result.STREAM_CAPTURE_UNSUPPORTED,)
    recording = (*[1] * 6, 0, stream, ((launch_config.EVENT, event, 0, 0),))
    assert c.cuLaunchKernelEx(recording, kernel, 0, 0) == (Result.STREAM_CAPTURE_UNSUPPORTED,)
    assert c.cuEventRecordWithFlags(event, stream, 1) == (0,)
    code, graph = c.cuStreamEndCapture(stream)
    assert code == 0
    assert len(c.cuGraphGetNodes(graph, 1)[1]) == 1


def test_a_launch_without_a_configuration_breaks_no_capture(c: Calls) -> None:
    """Also one that would go to the legacy stream."""
    stream = _captured(c, flags=0)
    assert c.cuLaunchKernelEx(None, 0, 0, 0) == (Result.INVALID_VALUE,)
    assert c.cuStreamEndCapture(stream)[0] == 0


def test_the_device_updatable_attribute_of_a_captured_launch(c: Calls) -> None:
    """Other values than 0 and 1, and a handle, are refused, and the capture goes on."""
    stream = _captured(c)
    kernel = c.cuModuleGetFunction(c.cuModuleLoadData(KERNEL)[1], b"nothing")[1]
    codes = [
        c.cuLaunchKernelEx((*[1] * 6, 0, stream, ((launch_config.UPDATABLE, *value),)), kernel, 0, 0)[0]
        for value in ((2, 0), (1, 1), (0, 0), (1, 0))
    ]
    assert codes == [Result.INVALID_VALUE, Result.INVALID_VALUE, 0, 0]
    graph = c.cuStreamEndCapture(stream)[1]
    assert c.cuGraphInstantiate(graph, 0)[0] == 0
    assert c.cuGraphInstantiate(graph, 0)[0] == Result.NOT_SUPPORTED


def test_a_buffer_that_is_too_large_breaks_no_capture(c: Calls) -> None:
    """A driver looks at the arguments of a captured launch first."""
    stream, kernel = _captured(c), c.cuModuleGetFunction(c.cuModuleLoadData(KERNEL)[1], b"nothing")[1]
    data = ctypes.create_string_buffer(8)
    size = ctypes.c_size_t(8)
    extra = (ctypes.c_uint64 * 5)(1, ctypes.addressof(data), 2, ctypes.addressof(size), 0)
    launch = (kernel, *[1] * 6, 0, stream, 0, ctypes.addressof(extra))
    assert c.cuLaunchKernel(*launch) == (Result.INVALID_VALUE,)
    assert c.cuStreamEndCapture(stream)[0] == 0
    assert c.cuLaunchKernel(*launch) == (Result.LAUNCH_OUT_OF_RESOURCES,)
