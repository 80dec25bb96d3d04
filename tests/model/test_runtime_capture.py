"""Captures by the runtime API: each call does what those of the driver do that it makes."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.kit.kernels import PTX
from fakecuda.model.graph import capture

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    Calls: TypeAlias = Any

GLOBAL, RELAXED = 0, 2
TO_DEVICE, TO_HOST, ON_DEVICE = 1, 2, 3
UNSUPPORTED, INVALIDATED, IMPLICIT, OF_AN_EVENT = 900, 901, 906, 907
"""cudaErrorStreamCaptureUnsupported, …Invalidated, …Implicit and cudaErrorCapturedEvent."""


@pytest.fixture(name="c")
def c_of_a_process() -> Iterator[Calls]:
    """The calls of a process that uses the runtime API alone."""
    with fakecuda.simulate("h200-x2", strict=False) as machine:
        yield machine.spawn("p").c


def captured(c: Calls, mode: int = RELAXED, flags: int = 1) -> int:
    """Return a new stream that is being captured."""
    stream: int = c.cudaStreamCreateWithFlags(flags)[1]
    assert c.cudaStreamBeginCapture(stream, mode) == (0,)
    return stream


def test_what_a_stream_is_given_becomes_a_graph(c: Calls) -> None:
    """Memsets, copies and functions are done when it is launched, and no sooner."""
    one, two, host = c.cudaMalloc(64)[1], c.cudaMalloc(64)[1], c.cudaHostAlloc(64, 0)[1]
    event, done = c.cudaEventCreate()[1], []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: done.append(1))
    address = ctypes.cast(function, ctypes.c_void_p).value
    stream, other = captured(c), c.cudaStreamCreateWithFlags(1)[1]
    for answer in (
        c.cudaMemsetAsync(one, 0x107, 64, stream),
        c.cudaMemcpyAsync(two, one, 64, ON_DEVICE, stream),
        c.cudaEventRecord(event, stream),
        c.cudaStreamWaitEvent(other, event, 0),
        c.cudaMemcpy2DAsync(host, 16, two, 16, 8, 2, TO_HOST, other),
        c.cudaLaunchHostFunc(other, address, 0),
        c.cudaEventRecord(event, other),
        c.cudaStreamWaitEvent(stream, event, 0),
    ):
        assert answer == (0,)
    code, graph = c.cudaStreamEndCapture(stream)
    assert (code, done, ctypes.string_at(host, 64)) == (0, [], bytes(64))
    executable = c.cuGraphInstantiate(graph, 0)[1]
    assert c.cuGraphLaunch(executable, stream) == (0,)
    assert c.cudaStreamSynchronize(stream) == (0,)
    assert (done, ctypes.string_at(host, 64)) == ([1], (bytes([7] * 8) + bytes(8)) * 2 + bytes(32))


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("cudaStreamSynchronize", UNSUPPORTED),
        ("cudaStreamQuery", UNSUPPORTED),
        ("cudaDeviceSynchronize", UNSUPPORTED),
        ("cudaEventQuery", OF_AN_EVENT),
        ("cudaEventSynchronize", OF_AN_EVENT),
    ],
)
def test_what_asks_of_captured_work_breaks_the_capture(c: Calls, call: str, code: int) -> None:
    """The calls that follow say that it is broken, and the thread has the last error."""
    stream, event = captured(c), c.cudaEventCreate()[1]
    assert c.cudaEventRecord(event, stream) == (0,)
    asked = () if call.startswith("cudaDevice") else (event if call.startswith("cudaEvent") else stream,)
    assert getattr(c, call)(*asked) == (code,)
    assert c.cudaGetLastError() == (code,)
    assert c.cudaStreamIsCapturing(stream) == (0, capture.INVALIDATED)
    assert c.cudaLaunchHostFunc(stream, 1, 0) == (INVALIDATED,)
    assert c.cudaStreamEndCapture(stream)[0] == INVALIDATED


def test_a_capture_of_mode_global_forbids_what_no_stream_sees(c: Calls) -> None:
    """Not to ask of devices and streams; a relaxed one forbids nothing."""
    stream = captured(c, GLOBAL)
    assert c.cudaGetDeviceProperties(0)[0] == c.cudaDeviceGetAttribute(75, 0)[0] == c.cudaGetDeviceCount()[0] == 0
    assert c.cudaStreamIsCapturing(stream) == (0, capture.ACTIVE)
    assert c.cudaMalloc(64)[0] == UNSUPPORTED
    assert c.cudaStreamEndCapture(stream)[0] == INVALIDATED
    captured(c)
    assert c.cudaMalloc(64)[0] == 0


def test_the_legacy_stream_is_not_free_while_a_blocking_one_is_captured(c: Calls) -> None:
    """Copies that wait are in it."""
    place = c.cudaMalloc(64)[1]
    stream = captured(c, RELAXED, 0)
    assert c.cudaMemcpy(place, place + 32, 8, ON_DEVICE) == (IMPLICIT,)
    assert c.cudaStreamEndCapture(stream)[0] == INVALIDATED


def test_calls_beneath_that_are_not_modelled_in_a_capture_say_so(c: Calls) -> None:
    """By the name of the driver's; those that act by themselves by their own."""
    stream = captured(c)
    with pytest.warns(fakecuda.NotModelledWarning, match="cuMemcpyAtoHAsync is not modelled while"):
        assert c.cuMemcpyAtoHAsync(0, 0, 0, 0, stream)[0] == 801
    with pytest.warns(fakecuda.NotModelledWarning, match="cudaMemset3DAsync is not modelled while"):
        assert c.cudaMemset3DAsync((4096, 1, 1, 1), 0, (1, 1, 1), stream) == (801,)
    assert c.cudaMemset3DAsync((0, 0, 0, 0), 0, (0, 0, 0), stream) == (0,)
    assert c.cudaStreamEndCapture(stream)[0] == 0


def test_a_kernel_node_runs_the_kernel_of_a_library(c: Calls) -> None:
    """The driver tells it as it was added, and as it was changed; the graph runs what was there when it was made executable."""
    ran: list[int] = []
    fakecuda.kernel("empty")(lambda *_: ran.append(1))
    library = c.cudaLibraryLoadData(PTX, None, None, 0, None, None, 0)[1]
    kernel = c.cudaLibraryGetKernel(library, b"empty")[1]
    graph = c.cudaGraphCreate(0)[1]
    launch = (kernel, (2, 1, 1), (32, 1, 1), 0, 0, 0)
    code, node = c.cudaGraphAddKernelNode(graph, None, 0, launch)
    assert code == 0
    assert c.cuGraphKernelNodeGetParams(node)[1][1:7] == (2, 1, 1, 32, 1, 1)
    executable = c.cudaGraphInstantiate(graph, 0)[1]
    assert c.cudaGraphKernelNodeSetParams(node, (kernel, (3, 1, 1), *launch[2:])) == (0,)
    assert c.cuGraphKernelNodeGetParams(node)[1][1:4] == (3, 1, 1)
    assert c.cudaGraphLaunch(executable, 0) == c.cudaDeviceSynchronize() == (0,)
    assert ran


def test_bytes_that_a_captured_stream_copies_to_an_array_become_nodes(c: Calls) -> None:
    """A node for each row that they go on in; the copies are made when the graph is launched."""
    array, place = c.cudaMallocArray((8, 0, 0, 0, 1), 64, 16, 0)[1], c.cudaMalloc(256)[1]
    assert c.cudaMemset(place, 7, 256) == (0,)
    stream = captured(c)
    assert c.cudaMemcpyToArrayAsync(array, 60, 1, place, 72, ON_DEVICE, stream) == (0,)
    code, graph = c.cudaStreamEndCapture(stream)
    assert code == 0
    assert c.cudaGraphGetNodes(graph, 9)[-1] == 3
    back = c.cudaMalloc(256)[1]
    for expected in (bytes(72), bytes([7] * 72)):
        assert c.cudaMemcpyFromArray(back, array, 60, 1, 72, ON_DEVICE) == (0,)
        told = ctypes.create_string_buffer(72)
        assert c.cudaMemcpy(ctypes.addressof(told), back, 72, TO_HOST) == (0,)
        assert told.raw == expected
        assert c.cudaGraphLaunch(c.cudaGraphInstantiate(graph, 0)[1], 0) == c.cudaDeviceSynchronize() == (0,)


def test_batches_break_the_capture_of_their_stream(c: Calls) -> None:
    """Those of the driver, too, which the runtime API makes."""
    place = c.cudaMallocManaged(4096, 1)[1]
    for call in (c.cudaMemDiscardBatchAsync, c.cuMemDiscardBatchAsync):
        stream = captured(c)
        assert call((place,), (4096,), 1, 0, stream) == (UNSUPPORTED,)
        assert c.cudaStreamEndCapture(stream)[0] == INVALIDATED
