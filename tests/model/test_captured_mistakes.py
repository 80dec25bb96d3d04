"""Captures and mistakes that a driver sees first, and what graphs remember of nodes that they refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.kit.kernels import PTX
from fakecuda.model.call import RetryCall
from fakecuda.rules.driver.stream import nodes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    Calls: TypeAlias = Any

GLOBAL, RELAXED = 0, 2
NONE, ACTIVE, INVALIDATED = 0, 1, 2
ALLOCATION = ((1, 0, (1, 0), 0, 0, 0, 0), 0, 0, 4096, 0)
"""CUDA_MEM_ALLOC_NODE_PARAMS of a page on the first device."""


@pytest.fixture(name="c")
def c_of_a_process() -> Iterator[Calls]:
    """The calls of a process with a context."""
    with fakecuda.Machine("h200", strict=False) as machine:
        c = machine.spawn("p").c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        yield c


def captured(c: Calls, mode: int = GLOBAL, flags: int = 1) -> int:
    """Return a new stream that is being captured."""
    stream: int = c.cuStreamCreate(flags)[1]
    assert c.cuStreamBeginCapture(stream, mode) == (0,)
    return stream


def test_the_legacy_stream_that_is_destroyed_breaks_captures(c: Calls) -> None:
    """Of blocking streams, and of no others."""
    blocking, other = captured(c, RELAXED, flags=0), captured(c, RELAXED)
    assert c.cuStreamDestroy(1) == (906,)
    assert [c.cuStreamIsCapturing(one)[1] for one in (blocking, other)] == [INVALIDATED, ACTIVE]


def test_a_size_is_looked_at_before_the_capture(c: Calls) -> None:
    """It breaks none."""
    stream = captured(c)
    assert c.cuMemAllocManaged(0, 1)[0] == 1
    assert c.cuStreamIsCapturing(stream) == (0, ACTIVE)


def test_a_batch_of_copies_is_refused_without_harm(c: Calls) -> None:
    """In a captured stream; a batch without copies is a mistake."""
    stream, memory = captured(c), c.cuMemAlloc
    kinds = ((1, (0, 0), (0, 0), 0),)
    assert memory(64)[0] == 900
    c.cuStreamEndCapture(stream)
    place = memory(4096)[1]
    c.cuStreamBeginCapture(stream, GLOBAL)
    assert c.cuMemcpyBatchAsync((place,), (place + 256,), (8,), 1, kinds, (0,), 1, stream)[0] == 900
    assert c.cuMemcpyBatchAsync((place,), (place + 256,), (8,), 0, kinds, (0,), 1, stream)[0] == 1
    assert c.cuMemcpyBatchAsync(None, None, None, 1, None, None, 1, stream)[0] == 1
    assert c.cuStreamIsCapturing(stream) == (0, ACTIVE)
    assert c.cuStreamSynchronize(stream)[0] == 900
    for count in (0, 1):  # whose capture is looked at before its mistakes once it is broken
        assert c.cuMemcpyBatchAsync((place,), (place + 256,), (8,), count, kinds, (0,), 1, stream)[0] == 901


@pytest.mark.parametrize("call", ["cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchCooperativeKernel"])
def test_a_function_of_another_context_breaks_no_capture(c: Calls, call: str) -> None:
    """Its launch is refused; one without threads breaks the capture."""
    stream = c.cuStreamCreate(1)[1]
    c.cuCtxCreate(None, 0, 0)
    function = c.cuModuleGetFunction(c.cuModuleLoadData(PTX)[1], b"empty")[1]
    home = c.cuStreamCreate(1)[1]

    def launch(where: int, threads: int) -> int:
        if call == "cuLaunchKernelEx":
            answer = c.cuLaunchKernelEx((1, 1, 1, threads, 1, 1, 0, where, ()), function, 0, 0)
        else:
            answer = getattr(c, call)(function, 1, 1, 1, threads, 1, 1, 0, where, 0, *[0] * (call == "cuLaunchKernel"))
        return int(answer[0])

    for where, threads, code, status in ((stream, 1, 400, ACTIVE), (home, 0, 1, INVALIDATED)):
        assert c.cuStreamBeginCapture(where, RELAXED) == (0,)
        assert launch(where, threads) == code
        assert c.cuStreamIsCapturing(where) == (0, status)


@pytest.mark.parametrize(
    "call", ["cuMemPrefetchBatchAsync", "cuMemDiscardBatchAsync", "cuMemDiscardAndPrefetchBatchAsync"]
)
def test_a_batch_s_flags_and_the_legacy_stream_come_before_captures(c: Calls, call: str) -> None:
    """Neither breaks a capture; a batch without a mistake does."""
    memory = c.cuMemAllocManaged(4096, 1)[1]
    places: Any = (((1, 0),), (0,), 1) if "Prefetch" in call else ()
    stream = captured(c, flags=0)
    make = getattr(c, call)
    for wrong in ((7, stream), (0, 0), (0, 1)):
        assert make((memory,), (4096,), 1, *places, *wrong)[0] == 1
        assert c.cuStreamIsCapturing(stream) == (0, ACTIVE)
    assert make((memory,), (4096,), 1, *places, 0, stream)[0] == 900
    assert c.cuStreamIsCapturing(stream) == (0, INVALIDATED)


def test_attributes_are_copied_from_captures_that_are_whole(c: Calls) -> None:
    """Those of a broken one say so."""
    source, target = captured(c, RELAXED), c.cuStreamCreate(1)[1]
    assert c.cuStreamCopyAttributes(target, source) == (0,)
    assert c.cuStreamWaitEvent(source, 0, 0) == (400,)
    assert c.cuStreamIsCapturing(source) == (0, INVALIDATED)
    assert c.cuStreamCopyAttributes(target, source) == (901,)


def test_root_nodes_are_listed_by_when_they_became_such_nodes(c: Calls) -> None:
    """The last one first; a node that keeps a dependency does not become one."""
    graph = c.cuGraphCreate(0)[1]
    first, second, third = (c.cuGraphAddEmptyNode(graph, None, 0)[1] for _ in range(3))
    assert c.cuGraphGetRootNodes(graph, 3) == (0, (third, second, first), 3)
    c.cuGraphAddDependencies(graph, (second, third), (first, first), None, 2)
    c.cuGraphRemoveDependencies(graph, (second,), (first,), None, 1)
    assert c.cuGraphGetRootNodes(graph, 2) == (0, (third, second), 2)
    c.cuGraphRemoveDependencies(graph, (third,), (first,), None, 1)
    assert c.cuGraphGetRootNodes(graph, 3) == (0, (first, third, second), 3)


def test_nodes_of_graphs_with_memory_are_refused_by_the_call(c: Calls) -> None:
    """Not by the capture that adds to the graph, as on an H200."""
    graph, stream = c.cuGraphCreate(0)[1], c.cuStreamCreate(1)[1]
    node = c.cuGraphAddMemAllocNode(graph, None, 0, ALLOCATION)[1]
    assert c.cuStreamBeginCaptureToGraph(stream, graph, (node,), None, 1, RELAXED) == (0,)
    assert c.cuGraphDestroyNode(node) == (801,)
    assert c.cuStreamEndCapture(stream) == (0, graph)
    memory = c.cuMemAlloc(4096)[1]  # which is no graph's
    assert c.cuGraphAddMemsetNode(graph, None, 0, (memory, 0, 0, 1, 16, 1), c.cuCtxGetCurrent()[1])[0] == 0


def test_a_call_that_runs_again_breaks_no_capture(c: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that asks another process for its arguments does."""
    stream, memory = captured(c, RELAXED), c.cuMemAllocAsync(64, c.cuStreamCreate(1)[1])[1]
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


def test_an_interprocess_event_without_a_record_breaks_a_capture(c: Calls) -> None:
    """Though there is nothing to wait for."""
    stream, event = captured(c, RELAXED), c.cuEventCreate(2 | 4)[1]
    assert c.cuStreamWaitEvent(stream, event, 0) == (900,)
    assert c.cuStreamEndCapture(stream)[0] == 901
