"""Streams are captured as an H200 did it: the questions of conformance.record.capture, put to the look-alike."""

from __future__ import annotations

import contextlib
import ctypes
import json
from typing import TYPE_CHECKING, Any, cast

import pytest

import fakecuda
from conformance import SUITE
from conformance.record.arrays.asking import Asker
from conformance.record.capture import calls, changes, scenes  # noqa: F401 - they enter themselves
from conformance.record.capture.scene import KERNEL, QUESTIONS
from fakecuda.api import DRIVER
from fakecuda.codes import Result
from fakecuda.model import capture

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from fakecuda import Process

    Calls: TypeAlias = Any

RECORDED: dict[str, list[list[Any]]] = json.loads((SUITE / "data" / "capture" / "h200.json").read_text())
UNMODELLED = {
    *("cuDeviceGraphMemTrim", "cuMemAllocAsync", "cuMemFreeAsync", "cuLaunchHostFunc of null"),
    *("cuStreamWaitValue32", "cuStreamWriteValue32", "cuStreamBatchMemOp"),
}
"""Questions about nodes and calls that are not modelled, and of what crashes when it is launched."""
LATE = {600: 0, 712: 0}
"""What a card answers that has not come so far, or has registered memory before: it was asked more."""
ASKED = [name for name in RECORDED if name not in {*vars(changes), "modes_exchanged"} | UNMODELLED]
"""The questions of captures."""


class Driver:
    """A process's driver, and what it does not model: how graphs and captures are told to the questions."""

    def __init__(self, process: Process) -> None:
        self.process, self.driver = process, process.driver

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as the driver
        return getattr(self.driver, name)

    def cuThreadExchangeStreamCaptureMode(self, _: Any) -> tuple[int, int]:  # noqa: ANN401 - as the driver
        """Answer that the thread heeded all captures."""
        return 0, 0

    def cuGraphGetNodes(self, graph: Any, _: int) -> tuple[Any, ...]:  # noqa: ANN401 - as the driver
        """Return a graph's nodes."""
        if int(graph) not in self.process.graphs:
            return (1,)
        nodes = [self.driver.CUgraphNode(one.handle) for one in self.process.graphs[int(graph)].nodes]  # type: ignore[union-attr]
        return 0, nodes, len(nodes)

    def cuGraphGetEdges(self, graph: Any, _: int) -> tuple[Any, ...]:  # noqa: ANN401 - as the driver
        """Return the ends of a graph's edges."""
        edges = [(one.handle, other.handle) for one in self.process.graphs[int(graph)].nodes for other in one.before]  # type: ignore[union-attr]
        return 0, [one for one, _ in edges], [other for _, other in edges], None, len(edges)

    def cuStreamGetCaptureInfo(self, stream: Any) -> tuple[Any, ...]:  # noqa: ANN401 - as the driver
        """Return what is known of a stream's capture."""
        code, status = self.driver.cuStreamIsCapturing(stream)
        if int(code) or int(status) != capture.ACTIVE:
            return code, status, 0, 0, None, None, 0
        state, number = self.process.captures, int(stream)
        assert state is not None
        found = self.process.streams.get(number) or next(one for one in state.of if one.handle == number)
        one = state.of[found]
        nodes = [self.driver.CUgraphNode(node.handle) for node in one.streams[found]]
        return code, status, one.number, self.driver.CUgraph(one.graph.handle), nodes, None, len(nodes)


def _ask(name: str) -> list[list[Any]]:
    """Return the model's answers to a question, which may end early."""
    fakecuda.kernel("nothing")(lambda *_: None)
    with fakecuda.simulate("h200-x2", strict=False) as machine:
        said: list[list[Any]] = []
        with contextlib.suppress(RuntimeError):
            QUESTIONS[name](Asker(Driver(machine.spawn("p")), said.append))
    return cast("list[list[Any]]", json.loads(json.dumps(said)))


def _told(answers: list[list[Any]]) -> Iterator[list[Any]]:
    """Yield the answers that are compared."""
    for answer in answers:
        label, *rest = answer
        if rest[0] != "cuThreadExchangeStreamCaptureMode" and not label.endswith(
            ("thread 1", "thread 2", "relaxed thread")
        ):
            yield [label, *(LATE.get(one, one) if isinstance(one, int) else one for one in rest)]


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.filterwarnings("ignore::fakecuda.NotModelledWarning")
def test_a_card_captured_so(name: str) -> None:
    """Up to where the card crashed."""
    rights = [one for one in RECORDED[name] if one[0] != "ended"]
    for answer, right in zip(_told(_ask(name)[: len(rights)]), _told(rights), strict=True):
        if not isinstance(right[-1], str):  # else the binding refused to ask
            assert answer == right


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


def test_a_launch_with_attributes_is_no_node(c: Calls) -> None:
    """A node here has no attributes: the call says so, and the capture goes on."""
    function = c.cuModuleGetFunction(c.cuModuleLoadData(KERNEL)[1], b"nothing")[1]
    stream = _captured(c)
    with pytest.warns(fakecuda.NotModelledWarning, match="cuLaunchKernelEx is not modelled while a stream is captured"):
        assert c.cuLaunchKernelEx((*[1] * 6, 0, stream, ((4, 1, 1, 1),)), function, 0, 0) == (Result.NOT_SUPPORTED,)
    assert c.cuStreamEndCapture(stream)[0] == 0


def test_calls_that_are_not_modelled_in_a_capture_say_so(c: Calls) -> None:
    """Nodes that allocate, and the runtime API; its last error can be asked."""
    stream = _captured(c)
    with pytest.warns(fakecuda.NotModelledWarning, match="cuMemAllocAsync is not modelled while a stream is captured"):
        assert c.cuMemAllocAsync(64, stream)[0] == Result.NOT_SUPPORTED
    with pytest.warns(fakecuda.NotModelledWarning, match="cudaMalloc is not modelled while a stream is captured"):
        assert c.cudaMalloc(64)[0] == 801
    assert c.cudaGetLastError() == (801,)
    assert c.cuStreamEndCapture(stream)[0] == 0
    assert c.cudaMalloc(64)[0] == 0


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
