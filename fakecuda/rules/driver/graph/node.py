"""Queries of nodes: their types, their parameters, and their counterparts in a clone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.graph import graph
from fakecuda.model.graph.graph import CHILD, EVENT_RECORD, HOST, KERNEL, MEMCPY, MEMSET, WAIT_EVENT
from fakecuda.model.history import here
from fakecuda.rules.core import Rule, guard, manual, undefined
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up, require_initialized
from fakecuda.rules.driver.graph.handle import NODE_IS_GIVEN, graph_of, node_of
from fakecuda.rules.driver.graph.updatable import revisable
from fakecuda.rules.driver.graph.without_memory import embeddable
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.graph.graph import Node

CLONE_HAS_THE_NODE = Rule(
    "the cloned graph has a clone of the original node that has not been destroyed",
    Result.INVALID_VALUE,
    manual("cuGraphNodeFindInClone", "the corresponding cloned node in hClonedGraph must not have been removed"),
    fix="pass a node of the graph that was cloned, together with its clone",
)
CONTEXTS_OUTLIVE_KERNELS = Rule(
    "no context of a kernel node of the graph has been destroyed",
    Result.INVALID_VALUE,
    undefined("cuGraphClone", "the manual says nothing about contexts that were destroyed; driver 580 crashes"),
    fix="clone the graph before cuCtxDestroy",
)
NODE_IS_OF_ITS_KIND = Rule(
    "the node's type is the type in the call's name; in a call for all types, it is `type` of the new parameters",
    Result.INVALID_VALUE,
    manual("cuGraphChildGraphNodeGetGraph", "CUDA_ERROR_INVALID_VALUE"),
    fix="check the node's type with cuGraphNodeGetType",
)


@guard
def require_node(call: Call, handle: int) -> Node:
    """Return the node of a query, after the cuInit check."""
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    return node_of(call, handle)


@guard
def require_node_without_init(call: Call, handle: int) -> Node:
    """Return the node of a query that also works in forks and host functions."""
    if not handle:
        raise NODE_IS_GIVEN.broken()
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    return node_of(call, handle)


@guard
def of_kind(node: Node, kind: int) -> Node:
    """Return a node, which must be of a certain kind."""
    if node.kind != kind:
        raise NODE_IS_OF_ITS_KIND.broken(node=node, kind=node.kind)
    return node


@DRIVER.op("cuGraphClone")
def graph_clone(call: Call, handle: int) -> int:
    """Clone a graph."""
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    original = embeddable(graph_of(call, handle))
    revisable(original)
    for node in original.every():
        if node.kind == KERNEL and node.params.function.module.context.destroyed:
            call.undefined(CONTEXTS_OUTLIVE_KERNELS, graph=original, node=node)
            raise CONTEXTS_OUTLIVE_KERNELS.broken(graph=original, node=node)
    # EFFECT
    return graph.clone(original, here()).handle


@DRIVER.op("cuGraphNodeFindInClone")
def graph_node_find_in_clone(call: Call, original: int, clone: int) -> int:
    """Return the node of a cloned graph that corresponds to a node of the original graph.

    Args:
        call: The call.
        original: The node.
        clone: The clone of its graph.
    """
    # CHECK
    node = require_node(call, original)
    copies = graph_of(call, clone)
    found = next((one for one in copies.nodes if one.origin is node), None)
    if found is None:
        raise CLONE_HAS_THE_NODE.broken(node=node, graph=copies)
    # EFFECT
    return found.handle


@DRIVER.op("cuGraphChildGraphNodeGetGraph")
def graph_child_graph_node_get_graph(call: Call, handle: int) -> int:
    """Return the graph of a child graph node."""
    # CHECK
    node = of_kind(require_node(call, handle), CHILD)
    # EFFECT
    found: int = node.params.handle
    return found


@DRIVER.op("cuGraphNodeGetType")
def graph_node_get_type(call: Call, handle: int) -> int:
    """Return a node's CUgraphNodeType."""
    # CHECK
    node = require_node(call, handle)
    # EFFECT
    return node.kind


def _copied_of(name: str, kind: int) -> Callable[[Call, int], tuple[int, ...]]:
    """Declare a call that returns the parameters of memset or memcpy nodes."""

    @DRIVER.op(name)
    def graph_node_get_params(call: Call, handle: int) -> tuple[int, ...]:
        """Return a node's parameters."""
        # CHECK
        node = of_kind(require_node(call, handle), kind)
        # EFFECT
        params: tuple[int, ...] = node.params[0]
        return params

    return graph_node_get_params


def _event_of(name: str, kind: int) -> Callable[[Call, int], int]:
    """Declare a call that returns the event of event nodes."""

    @DRIVER.op(name)
    def graph_node_get_event(call: Call, handle: int) -> int:
        """Return the event of an event node."""
        # CHECK
        node = of_kind(require_node_without_init(call, handle), kind)
        # EFFECT
        found: int = node.params.handle
        return found

    return graph_node_get_event


@DRIVER.op("cuGraphHostNodeGetParams")
def graph_host_node_get_params(call: Call, handle: int) -> tuple[int, ...]:
    """Return the host function of a host node and its argument."""
    # CHECK
    node = of_kind(require_node_without_init(call, handle), HOST)
    # EFFECT
    params: tuple[int, ...] = node.params
    return params


graph_memcpy_node_get_params = _copied_of("cuGraphMemcpyNodeGetParams", MEMCPY)
graph_memset_node_get_params = _copied_of("cuGraphMemsetNodeGetParams", MEMSET)
graph_event_record_node_get_event = _event_of("cuGraphEventRecordNodeGetEvent", EVENT_RECORD)
graph_event_wait_node_get_event = _event_of("cuGraphEventWaitNodeGetEvent", WAIT_EVENT)
