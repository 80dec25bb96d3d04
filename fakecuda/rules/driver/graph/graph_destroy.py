"""cuGraphDestroy, cuGraphDestroyNode: destroy a graph or a node with its edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.graph import graph
from fakecuda.model.history import here
from fakecuda.rules.core import Rule, undefined
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.graph.handle import node_of, own_graph_of
from fakecuda.rules.driver.graph.updatable import at_home, staying
from fakecuda.rules.driver.graph.without_memory import without_memory
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

BODIES_LIVE = Rule(
    "no capture into a child graph or conditional body of the graph has failed",
    Result.INVALID_VALUE,
    undefined(
        "cuGraphDestroy",
        "the manual says nothing about this; the failed capture has destroyed its graph, and driver 580 crashes "
        "in cuGraphDestroy",
    ),
    fix="capture to a separate graph, and add this graph as a child with cuGraphAddNode",
)


@DRIVER.op("cuGraphDestroy")
def graph_destroy(call: Call, handle: int) -> None:
    """Destroy a graph. Executable graphs that were instantiated from it continue to exist."""
    # CHECK
    require_initialized(call)
    destroyed = own_graph_of(call, handle)
    for embedded in (one for node in destroyed.every() for one in node.embedded()):
        if embedded.ended:
            call.undefined(BODIES_LIVE, graph=destroyed, body=embedded)
            raise BODIES_LIVE.broken(graph=destroyed, body=embedded)
    at_home(call, destroyed)
    # EFFECT
    graph.end(destroyed, here(), again=True)


@DRIVER.op("cuGraphDestroyNode")
def graph_destroy_node(call: Call, handle: int) -> None:
    """Destroy a node, with its edges."""
    # CHECK
    require_initialized(call)
    node = node_of(call, handle)
    without_memory(node.graph)
    staying(node)
    # EFFECT
    graph.remove_node(node, here())
