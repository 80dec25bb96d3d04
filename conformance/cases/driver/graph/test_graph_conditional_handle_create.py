"""Conditions of graphs.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.anywhere import anywhere
from conformance.cases.driver.context.fixtures import GARBAGE
from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.copy.test_memcpy_peer import destroyed
from conformance.cases.driver.graph.conditionals import ASSIGNS, condition, conditional, following
from conformance.cases.driver.graph.fixtures import ROOM, executable, graph, of_memset, refuse_graph
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call(
        "cuGraphConditionalHandleCreate",
        hGraph=graph(a),
        ctx=a.ok.cuCtxGetCurrent(),
        defaultLaunchValue=1,
        flags=ASSIGNS,
    )


def is_followed(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that a conditional node can use it, and that the graph can be launched."""
    a, of = i.process, i.args["hGraph"]
    a.ok.cuGraphAddNode(of, None, None, 0, following(a, results[0], ctx=i.args["ctx"]))
    made = executable(a, of)
    a.ok.cuGraphLaunch(made, 0)


def is_zero(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that a launch skips the conditional node's body."""
    a, of, place = i.process, i.args["hGraph"], filled(i.process, 0, ROOM)
    (inner,) = a.ok.cuGraphAddNode(of, None, None, 0, following(a, results[0], ctx=i.args["ctx"]))[1]
    of_memset(a, place, 7, inner)
    a.ok.cuGraphLaunch(executable(a, of), 0)
    assert content(a, place) == bytes(4)


entry = Entry("cuGraphConditionalHandleCreate", valid, is_followed)
anywhere(entry)
entry.without("not_initialized")  # to such a process the graph is garbage, which the driver follows
refuse_graph(entry, "hGraph")
entry.undefined("CONTEXT_IS_KNOWN", code=Result.INVALID_CONTEXT, ctx=GARBAGE)
entry.breaks("CONTEXT_IS_LIVE", ctx=lambda i: destroyed(i.process))
entry.null("pHandle_out", "RESULT_IS_GIVEN")
entry.breaks("FLAGS_ARE_KNOWN", flags=2)
entry.breaks("CONTEXT_IS_NAMED", ctx=0)
entry.also("no default", flags=0, then=is_zero)


@entry.also("as many as there are in the graph and in what is around it")
def numbered(_: World, i: Invocation) -> None:
    a, of = i.process, i.args["hGraph"]
    inner, *_rest = conditional(a, of)
    assert [condition(a, one) for one in (inner, of, graph(a))] == [2, 3, 1]


entry.also("another default", defaultLaunchValue=0xFFFFFFFF, then=is_followed)

test_graph_conditional_handle_create = entry.test()
