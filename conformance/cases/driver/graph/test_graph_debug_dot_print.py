"""cuGraphDebugDotPrint: write a graph to a DOT file.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.anywhere import anywhere
from conformance.cases.driver.graph.fixtures import graph, node, refuse_graph
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    of = graph(a)
    node(a, of, node(a, of))
    return a.call("cuGraphDebugDotPrint", hGraph=of, path=b"/dev/null", flags=0)


entry = Entry("cuGraphDebugDotPrint", valid)
refuse_graph(entry, "hGraph")
anywhere(entry)
entry.without("not_initialized")  # to such a process the graph is garbage, which the driver follows
entry.breaks("PATH_IS_GIVEN", path=None)
entry.breaks("FILE_CAN_BE_WRITTEN", path=b"/nowhere/graph.dot")
entry.breaks("FILE_CAN_BE_WRITTEN", "empty", path=b"")
for flags in (1, 1 << 10, 1 << 20):
    entry.also(f"{flags}", flags=flags)
entry.also("of nothing", hGraph=lambda i: graph(i.process))
entry.also("without a current context")(lambda _w, i: i.process.ok.cuCtxPopCurrent() and None)

test_graph_debug_dot_print = entry.test()
