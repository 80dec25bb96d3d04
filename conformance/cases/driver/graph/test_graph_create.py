"""cuGraphCreate: a graph without nodes.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.graph.fixtures import executable
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuGraphCreate", flags=0)


def launched(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the graph can be launched."""
    i.process.ok.cuGraphLaunch(executable(i.process, results[0]), 0)


entry = Entry("cuGraphCreate", valid)
entry.null("phGraph", "RESULT_IS_GIVEN")
entry.breaks("FLAGS_ARE_ZERO", flags=1)
entry.after("it can be launched")(launched)

test_graph_create = entry.test()
