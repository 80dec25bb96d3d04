"""Calls that change the parameters of a node in an executable graph.

The nodes of the original graph do not change, and in-flight launches continue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.graph import executables
from fakecuda.model.graph.graph import CHILD, EVENT_RECORD, HOST, KERNEL, MEMCPY, MEMSET, WAIT_EVENT
from fakecuda.model.graph.graph_memory import has_memory
from fakecuda.model.history import here
from fakecuda.rules.core import Rule, guard, observed
from fakecuda.rules.driver.context.handle import live_context_of
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.rules.driver.graph.alike import alike, child_pairs, copy_kept, event_kept, kernel_kept, memory_kept
from fakecuda.rules.driver.graph.enabled import own_step_of
from fakecuda.rules.driver.graph.handle import executable_of, graph_of, node_of
from fakecuda.rules.driver.graph.kernel_node import relaunched
from fakecuda.rules.driver.graph.node import of_kind
from fakecuda.rules.driver.graph.params import (
    copied,
    event_named,
    filled,
    function_given,
)
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.graph.executables import Step
    from fakecuda.model.graph.graph import Graph

SOME_CONTEXT_IS_THERE = Rule(
    "the call names a context that is not null, or the calling thread has a current context",
    Result.INVALID_VALUE,
    observed(
        "cuGraphExecMemsetNodeSetParams",
        "the driver answers INVALID_VALUE to a null context in a thread without a current context",
    ),
    fix="pass a context, or make one current with cuCtxSetCurrent",
)
EVENT_KEEPS_THE_CONTEXT = Rule(
    "the new event belongs to the context of the event that it replaces",
    Result.INVALID_VALUE,
    observed("cuGraphExecEventRecordNodeSetEvent", "the driver answers INVALID_VALUE to an event of another context"),
    fix="pass an event of the same context, or instantiate the graph again",
)
CHILD_HAS_NO_MEMORY = Rule(
    "the new child graph has no memory nodes and has never refused a memory node",
    Result.GRAPH_EXEC_UPDATE_FAILURE,
    observed(
        "cuGraphExecChildGraphNodeSetParams",
        "the driver answers GRAPH_EXEC_UPDATE_FAILURE to a graph with an allocation node",
    ),
    fix="instantiate the graph again with a child that has memory nodes",
)


@guard
def step(call: Call, executable: int, handle: int, kind: int) -> Step:
    """Return the step of a node of the expected kind.

    Args:
        call: The call.
        executable: The executable graph.
        handle: The node of the original graph.
        kind: CUgraphNodeType.
    """
    require_driver_up(call)
    executable_of(call, executable)
    return own_step_of(call, executable, of_kind(node_of(call, handle), kind))


@guard
def without_memory_nodes(child: Graph) -> None:
    """Check that the new graph of a child step has no memory nodes."""
    if has_memory(child):
        raise CHILD_HAS_NO_MEMORY.broken(graph=child)


@guard
def some_context(call: Call, handle: int) -> None:
    """Check that a memset or memcpy step has a context: the given or the current one."""
    if not handle and not call.thread.stack:
        raise SOME_CONTEXT_IS_THERE.broken()


@guard
def used_context(call: Call, handle: int) -> Context:
    """Return the context in which a memset or memcpy step uses memory."""
    some_context(call, handle)
    return live_context_of(call, handle) if handle else call.thread.stack[-1]


@DRIVER.op("cuGraphExecMemsetNodeSetParams")
def graph_exec_memset_node_set_params(
    call: Call, executable: int, handle: int, params: tuple[int, ...] | None, ctx: int
) -> None:
    """Set the memset parameters of a node in an executable graph.

    Args:
        call: The call.
        executable: The executable graph.
        handle: The node of the original graph.
        params: What it fills with what, a CUDA_MEMSET_NODE_PARAMS.
        ctx: The context that does it; 0 for the current one.
    """
    # CHECK
    require_driver_up(call)
    context = used_context(call, ctx)
    changed = step(call, executable, handle, MEMSET)
    what = filled(call, params, context)
    memory_kept(call, changed, what)
    # EFFECT
    changed.change(what)


@DRIVER.op("cuGraphExecMemcpyNodeSetParams")
def graph_exec_memcpy_node_set_params(
    call: Call, executable: int, handle: int, params: tuple[int, ...] | None, ctx: int
) -> None:
    """Set the copy parameters of a node in an executable graph; arguments as for a memset, with a CUDA_MEMCPY3D."""
    # CHECK
    require_driver_up(call)
    context = used_context(call, ctx)
    changed = step(call, executable, handle, MEMCPY)
    what = copied(call, params, context)
    copy_kept(call, executable_of(call, executable), changed, what)
    # EFFECT
    changed.change(what)


@DRIVER.op("cuGraphExecHostNodeSetParams")
def graph_exec_host_node_set_params(call: Call, executable: int, handle: int, params: tuple[int, int] | None) -> None:
    """Set the host function of a node in an executable graph.

    Arguments as for a memset, with a CUDA_HOST_NODE_PARAMS.
    """
    # CHECK
    changed = step(call, executable, handle, HOST)
    params = function_given(params)
    # EFFECT
    changed.change(params)


@DRIVER.op("cuGraphExecKernelNodeSetParams")
def graph_exec_kernel_node_set_params(call: Call, executable: int, handle: int, params: tuple[int, ...] | None) -> None:
    """Set the kernel parameters of a node in an executable graph.

    Arguments as for a memset, with a CUDA_KERNEL_NODE_PARAMS.
    """
    # CHECK
    changed = step(call, executable, handle, KERNEL)
    launch = relaunched(call, params, changed.params)
    kernel_kept(call, executable_of(call, executable), changed, launch)
    # EFFECT
    changed.change(launch)


@DRIVER.op("cuGraphExecChildGraphNodeSetParams")
def graph_exec_child_graph_node_set_params(call: Call, executable: int, handle: int, child: int) -> None:
    """Update a child graph node of an executable graph from another graph with the same nodes and edges.

    Args:
        call: The call.
        executable: The executable graph.
        handle: The node of the original graph.
        child: The graph.
    """
    # CHECK
    require_driver_up(call)
    embedded = graph_of(call, child)
    without_memory_nodes(embedded)
    changed = step(call, executable, handle, CHILD)
    found = child_pairs(changed.params, embedded)
    alike(call, executable_of(call, executable), found)
    # EFFECT
    executables.take_over(changed.params, embedded, found, here())


def _of_event(name: str, kind: int) -> Callable[[Call, int, int, int], None]:
    """Declare a call that sets the event of a step."""

    @DRIVER.op(name)
    def graph_exec_node_set_event(call: Call, executable: int, handle: int, event: int) -> None:
        """Set the event of a node in an executable graph.

        Args:
            call: The call.
            executable: The executable graph.
            handle: The node of the original graph.
            event: The event.
        """
        # CHECK
        changed = step(call, executable, handle, kind)
        named = event_named(call, event)
        event_kept(call, changed, named)
        if named.context is not changed.params.context:
            raise EVENT_KEEPS_THE_CONTEXT.broken(event=named, was=changed.params)
        # EFFECT
        changed.change(named)

    return graph_exec_node_set_event


graph_exec_event_record_node_set_event = _of_event("cuGraphExecEventRecordNodeSetEvent", EVENT_RECORD)
graph_exec_event_wait_node_set_event = _of_event("cuGraphExecEventWaitNodeSetEvent", WAIT_EVENT)
