"""Calls that add nodes to a graph: the work of a graph, and its order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.graph import graph
from fakecuda.model.graph.graph import CHILD, EMPTY, EVENT_RECORD, HOST, MEMCPY, MEMSET, WAIT_EVENT
from fakecuda.model.history import here
from fakecuda.rules.core import Rule, guard, manual, undefined
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.graph.handle import any_graph_of, graph_of
from fakecuda.rules.driver.graph.params import at_home, copied, event_named, filled, function_given, working
from fakecuda.rules.driver.graph.without_memory import embeddable, independent
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.graph.graph import Graph, Node
    from fakecuda.model.work.event import Event

    Dependencies = tuple[int, ...] | None

DEPENDENCIES_ARE_GIVEN = Rule(
    "the array of dependencies has `numDependencies` nodes, and is not null unless `numDependencies` is 0",
    Result.INVALID_VALUE,
    manual("cuGraphAddEmptyNode", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass as many nodes as numDependencies says",
)
DEPENDENCIES_ARE_OF_THE_GRAPH = Rule(
    "each node in the array of dependencies belongs to the graph that gets the node",
    Result.INVALID_VALUE,
    manual("cuGraphAddEmptyNode", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass nodes of the graph that the new node is added to",
)
DEPENDENCIES_DIFFER = Rule(
    "no node appears twice in the array of dependencies",
    Result.INVALID_VALUE,
    manual("cuGraphAddEmptyNode", "dependencies may not have any duplicate entries"),
    fix="list each dependency once",
)
CHILD_IS_NO_PARENT = Rule(
    "the child graph is not the graph that gets the node, and does not contain it",
    Result.INVALID_VALUE,
    undefined(
        "cuGraphAddChildGraphNode", "the manual says nothing about this; driver 580 crashes (segmentation fault)"
    ),
    fix="embed a clone that cuGraphClone returned",
)


@guard
def place(call: Call, handle: int, dependencies: Dependencies, count: int) -> tuple[Graph, list[Node]]:
    """Return the graph that a node is added to, and the nodes that it depends on.

    Args:
        call: The call.
        handle: The graph.
        dependencies: The nodes.
        count: Their number.
    """
    return _placed(call, any_graph_of(call, handle), dependencies, count)


@guard
def placed_anywhere(call: Call, handle: int, dependencies: Dependencies, count: int) -> tuple[Graph, list[Node]]:
    """Return graph and dependencies; duplicate dependencies are checked later."""
    target = any_graph_of(call, handle)
    return target, _beside(call, target, dependencies, count)


@guard
def ready_place(call: Call, handle: int, dependencies: Dependencies, count: int) -> tuple[Graph, list[Node]]:
    """Return graph and dependencies as :func:`place` does, after cuInit."""
    require_initialized(call)
    return _placed(call, graph_of(call, handle), dependencies, count)


@guard
def ready_beside(call: Call, handle: int, dependencies: Dependencies, count: int) -> tuple[Graph, list[Node]]:
    """Return graph and dependencies as :func:`placed_anywhere` does, after cuInit."""
    require_initialized(call)
    target = graph_of(call, handle)
    return target, _beside(call, target, dependencies, count)


@guard
def placeable(call: Call) -> None:
    """Check that the result pointer for a new node is not null."""
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)


@guard
def differing(nodes: list[Node], kind: int) -> None:
    """Check that a new node names no dependency twice."""
    if len(set(nodes)) < len(nodes):
        nodes[0].graph.refuse(kind, nodes)
        raise DEPENDENCIES_DIFFER.broken(dependencies=nodes)


@guard
def _placed(call: Call, target: Graph, dependencies: Dependencies, count: int) -> tuple[Graph, list[Node]]:
    nodes = _beside(call, target, dependencies, count)
    differing(nodes, EMPTY)
    return target, nodes


@guard
def _beside(call: Call, target: Graph, dependencies: Dependencies, count: int) -> list[Node]:
    placeable(call)
    if count and (dependencies is None or len(dependencies) < count):
        raise DEPENDENCIES_ARE_GIVEN.broken(count=count)
    known = call.process.graphs
    nodes: list[Any] = [known.get(one) for one in (dependencies or ())[:count]]
    if not all(node in target.nodes for node in nodes):
        raise DEPENDENCIES_ARE_OF_THE_GRAPH.broken(dependencies=dependencies, graph=target)
    return nodes


@DRIVER.op("cuGraphAddEmptyNode", acts_before=(DEPENDENCIES_DIFFER,))
def graph_add_empty_node(call: Call, handle: int, dependencies: Dependencies, count: int) -> int:
    """Add an empty node; arguments as for :func:`place`."""
    # CHECK
    target, after = place(call, handle, dependencies, count)
    # EFFECT
    return graph.add_node(target, EMPTY, None, after, here()).handle


@DRIVER.op("cuGraphAddMemsetNode", acts_before=(DEPENDENCIES_DIFFER,))
def graph_add_memset_node(
    call: Call, handle: int, dependencies: Dependencies, count: int, params: tuple[int, ...] | None, ctx: int
) -> int:
    """Add a memset node, and return it.

    Args:
        call: The call.
        handle: The graph.
        dependencies: The nodes that it depends on.
        count: Their number.
        params: What it fills with what, a CUDA_MEMSET_NODE_PARAMS.
        ctx: The context that does it; 0 for the current one, or else that of the stream.
    """
    # CHECK
    context = working(call, ctx)
    target, after = ready_beside(call, handle, dependencies, count)
    what = filled(call, params, context)
    at_home(call, what, ctx)
    differing(after, MEMSET)
    # EFFECT
    return graph.add_node(target, MEMSET, what, after, here()).handle


@DRIVER.op("cuGraphAddMemcpyNode", acts_before=(DEPENDENCIES_DIFFER,))
def graph_add_memcpy_node(
    call: Call, handle: int, dependencies: Dependencies, count: int, params: tuple[int, ...] | None, ctx: int
) -> int:
    """Add a memcpy node, and return it; arguments as for a memset node, with a CUDA_MEMCPY3D."""
    # CHECK
    context = working(call, ctx)
    target, after = ready_beside(call, handle, dependencies, count)
    what = copied(call, params, context, given=bool(ctx))
    differing(after, MEMCPY)
    # EFFECT
    return graph.add_node(target, MEMCPY, what, after, here()).handle


@DRIVER.op("cuGraphAddHostNode", acts_before=(DEPENDENCIES_DIFFER,))
def graph_add_host_node(
    call: Call, handle: int, dependencies: Dependencies, count: int, params: tuple[int, int] | None
) -> int:
    """Add a host node, and return it; arguments as for a memset node, with a CUDA_HOST_NODE_PARAMS."""
    # CHECK
    target, after = placed_anywhere(call, handle, dependencies, count)
    params = function_given(params)
    differing(after, HOST)
    # EFFECT
    return graph.add_node(target, HOST, params, after, here()).handle


@DRIVER.op("cuGraphAddChildGraphNode", acts_before=(DEPENDENCIES_DIFFER,))
def graph_add_child_graph_node(call: Call, handle: int, dependencies: Dependencies, count: int, child: int) -> int:
    """Add a child graph node with a clone of a graph.

    Args:
        call: The call.
        handle: The graph.
        dependencies: The nodes that it depends on.
        count: Their number.
        child: The graph that it gets a clone of.
    """
    # CHECK
    require_initialized(call)
    placeable(call)
    embedded = embeddable(independent(graph_of(call, child)))
    target, after = ready_place(call, handle, dependencies, count)
    if embedded in target.around():
        call.undefined(CHILD_IS_NO_PARENT, graph=target, child=embedded)
        raise CHILD_IS_NO_PARENT.broken(graph=target, child=embedded)
    # EFFECT
    return graph.add_node(target, CHILD, embedded, after, here()).handle


def _of_event(name: str, kind: int) -> Callable[[Call, int, Dependencies, int, int], int]:
    """Declare a call that adds a node with an event."""

    @DRIVER.op(name, acts_before=(DEPENDENCIES_DIFFER,))
    def graph_add_event_node(call: Call, handle: int, dependencies: Dependencies, count: int, event: int) -> int:
        """Add an event record or event wait node; arguments as for :func:`place`, and the event."""
        # CHECK
        target, after = placed_anywhere(call, handle, dependencies, count)
        named: Event = event_named(call, event)
        differing(after, kind)
        # EFFECT
        return graph.add_node(target, kind, named, after, here()).handle

    return graph_add_event_node


graph_add_event_record_node = _of_event("cuGraphAddEventRecordNode", EVENT_RECORD)
graph_add_event_wait_node = _of_event("cuGraphAddEventWaitNode", WAIT_EVENT)
