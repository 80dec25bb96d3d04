"""cuGraphDestroy, cuGraphDestroyNode: a graph ends with its nodes, and a node with its edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.graph import graph
from fakecuda.model.history import here
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.graph.handle import node_of, own_graph_of
from fakecuda.rules.driver.graph.without_memory import without_memory
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuGraphDestroy")
def graph_destroy(call: Call, handle: int) -> None:
    """Destroy a graph; executable graphs that were made of it live on."""
    # CHECK
    require_initialized(call)
    destroyed = own_graph_of(call, handle)
    # EFFECT
    graph.end(destroyed, here())


@DRIVER.op("cuGraphDestroyNode")
def graph_destroy_node(call: Call, handle: int) -> None:
    """Destroy a node, with its edges."""
    # CHECK
    require_initialized(call)
    node = node_of(call, handle)
    without_memory(node.graph)
    # EFFECT
    graph.remove_node(node, here())
