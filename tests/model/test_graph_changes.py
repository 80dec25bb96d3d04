"""What a card told of graphs beside its calls' codes: why an instantiation failed, and the text of a printed graph.

The codes are recorded: ``conformance/data/recordings/h200-x2/capture.jsonl.gz``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import fakecuda

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FLAGS = (0, 1, 2, 4, 5, 8, 16)
REFUSED = {
    "graph": {4: (3, True), 5: (1, False), 16: (1, False)},
    "cycle": {**dict.fromkeys((0, 1, 2, 8), (2, True)), 4: (3, True), 5: (1, False), 16: (1, False)},
    "null": dict.fromkeys(FLAGS, (1, False)),
}
"""By graph and flags: the result that cuGraphInstantiateWithParams told an H200's caller, and whether it named a node."""
DOT = """digraph dot {
subgraph cluster_3 {
label="graph_3" graph[style="dashed"];
"graph_3_node_0"[style="solid" shape="rectangle" label="0
EMPTY
"];

"graph_3_node_1"[style="solid" shape="invtrapezium"label="1
MEMSET
(7,16)
"];

"graph_3_node_0" -> "graph_3_node_1";
}
}
"""
"""What an H200 wrote of a memset behind an empty node, the third graph of its process."""
WAIT, WRITE = 1, 2
"""CUstreamBatchMemOpType."""


@pytest.fixture(name="cu")
def driver_of_a_process() -> Iterator[Any]:
    """The look-alike of a process with a context."""
    with fakecuda.simulate("h200-x2", strict=False) as machine:
        driver = machine.spawn("p").driver
        made(driver.cuInit(0))
        made(driver.cuCtxCreate(None, 0, 0))
        yield driver


def made(answer: tuple[Any, ...]) -> Any:
    """Return the result of a call that succeeds."""
    assert int(answer[0]) == 0
    return answer[1] if len(answer) > 1 else None


def test_an_instantiation_tells_why_it_failed(cu: Any) -> None:
    """By the graph, the flags and the stream to upload in, as an H200 told it."""
    stream, graph, cycle = made(cu.cuStreamCreate(1)), made(cu.cuGraphCreate(0)), made(cu.cuGraphCreate(0))
    made(cu.cuGraphAddEmptyNode(graph, None, 0))
    nodes = [made(cu.cuGraphAddEmptyNode(cycle, None, 0)) for _ in range(2)]
    made(cu.cuGraphAddDependencies(cycle, nodes, nodes[::-1], None, 2))
    for name, of in (("graph", graph), ("cycle", cycle), ("null", 0)):
        for flags in FLAGS:
            for upload in (None, stream, 0):
                params = cu.CUDA_GRAPH_INSTANTIATE_PARAMS()
                params.flags = flags
                if upload is not None:
                    params.hUploadStream = upload
                cu.cuGraphInstantiateWithParams(of, params)
                told = int(params.result_out), bool(int(params.hErrNode_out))
                assert (name, flags, told) == (name, flags, REFUSED[name].get(flags, (0, False)))


def test_a_graph_is_printed_as_a_card_prints_it(cu: Any, tmp_path: Path) -> None:
    """Line by line; with a flag that says more, and with one that is unknown."""
    memory = made(cu.cuMemAlloc(4096))
    _, _, graph = (made(cu.cuGraphCreate(0)) for _ in range(3))
    empty = made(cu.cuGraphAddEmptyNode(graph, None, 0))
    params = cu.CUDA_MEMSET_NODE_PARAMS()
    params.dst, params.value, params.width, params.height, params.elementSize = memory, 7, 16, 1, 1
    made(cu.cuGraphAddMemsetNode(graph, [empty], 1, params, made(cu.cuCtxGetCurrent())))
    path = tmp_path / "graph.dot"
    for flags, lines in ((0, 15), (1, 14), (1 << 20, 15)):
        made(cu.cuGraphDebugDotPrint(graph, str(path).encode(), flags))
        assert (flags, len(path.read_text().splitlines())) == (flags, lines)
        assert flags or path.read_text() == DOT
    assert int(cu.cuGraphDebugDotPrint(graph, str(path / "x" / "y").encode(), 0)[0]) == 304
    assert int(cu.cuGraphDebugDotPrint(0, b"x", 0)[0]) == 1


def operation(cu: Any, kind: int, place: Any, value: int = 0, flags: int = 0) -> Any:
    """Return a wait for a value, or a write of one."""
    one = cu.CUstreamBatchMemOpParams()
    one.operation = cu.CUstreamBatchMemOpType(kind)
    part = one.waitValue if kind == WAIT else one.writeValue
    part.operation = one.operation
    part.address, part.value, part.flags = place, cu.cuuint32_t(value), flags
    return one


def batch(cu: Any, *operations: Any, count: int | None = None, flags: int = 0, context: Any = None) -> Any:
    """Return the parameters of a node that does operations."""
    params = cu.CUDA_BATCH_MEM_OP_NODE_PARAMS()
    params.ctx = made(cu.cuCtxGetCurrent()) if context is None else context
    params.count = len(operations) if count is None else count
    params.paramArray, params.flags = list(operations), flags
    return params


def test_nodes_of_memory_operations_are_made_and_changed_as_on_a_card(cu: Any) -> None:
    """As an H100 did it. The operations lie in memory of the host, which no recorded program writes."""
    place, other = made(cu.cuMemAlloc(4096)), made(cu.cuMemAlloc(4096))
    write, wait, graph = operation(cu, WRITE, place, 1), operation(cu, WAIT, place, 1), made(cu.cuGraphCreate(0))
    node = made(cu.cuGraphAddBatchMemOpNode(graph, None, 0, batch(cu, write, wait)))
    for given, code in (
        (None, 1),
        (batch(cu), 0),
        (batch(cu, write, count=257), 1),
        (batch(cu, write, flags=1), 1),
        (batch(cu, write, context=cu.CUcontext(0)), 1),
        (batch(cu, operation(cu, WRITE, cu.CUdeviceptr(8))), 0),
        (batch(cu, operation(cu, WRITE, cu.CUdeviceptr(int(place) + 2))), 1),
        (batch(cu, operation(cu, WRITE, place, flags=8)), 1),
        (batch(cu, operation(cu, WAIT, place, flags=64)), 1),
    ):
        assert int(cu.cuGraphAddBatchMemOpNode(made(cu.cuGraphCreate(0)), None, 0, given)[0]) == code
        assert int(cu.cuGraphBatchMemOpNodeSetParams(node, given)[0]) == code
    made(cu.cuGraphBatchMemOpNodeSetParams(node, batch(cu, write, wait)))
    executable = made(cu.cuGraphInstantiate(graph, 0))
    for given, code in (
        (batch(cu, operation(cu, WRITE, place, 2), operation(cu, WAIT, place, 2)), 0),
        (batch(cu, write), 1),
        (batch(cu, wait, write), 1),
        (batch(cu, write, operation(cu, WAIT, place, 1, 1)), 0),
        (batch(cu, operation(cu, WRITE, other, 1), operation(cu, WAIT, other, 1)), 0),
        (None, 1),
    ):
        assert int(cu.cuGraphExecBatchMemOpNodeSetParams(executable, node, given)[0]) == code
    made(cu.cuGraphLaunch(executable, 0))
    made(cu.cuCtxSynchronize())
    stream = made(cu.cuStreamCreate(1))
    made(cu.cuStreamBeginCapture(stream, cu.CUstreamCaptureMode(2)))
    assert [int(cu.cuStreamBatchMemOp(stream, count, [write], count)[0]) for count in (0, 1)] == [0, 1]
    kinds = [made(cu.cuGraphNodeGetType(one)) for one in made_nodes(cu, made(cu.cuStreamEndCapture(stream)))]
    assert [int(one) for one in kinds] == [12]


def made_nodes(cu: Any, graph: Any) -> list[Any]:
    """Return the nodes of a graph."""
    code, nodes, count = cu.cuGraphGetNodes(graph, 8)
    assert int(code) == 0
    return list(nodes[: int(count)])
