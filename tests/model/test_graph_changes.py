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
