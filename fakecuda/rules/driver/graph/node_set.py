"""Calls that change a node's work. Existing executable graphs do not change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.graph.graph import EVENT_RECORD, HOST, MEMCPY, MEMSET, WAIT_EVENT
from fakecuda.rules.core import guard
from fakecuda.rules.driver.core.initialized import require_calls_permitted, require_driver_up, require_initialized
from fakecuda.rules.driver.graph.handle import NODE_IS_GIVEN, node_of
from fakecuda.rules.driver.graph.node import of_kind
from fakecuda.rules.driver.graph.params import (
    PARAMETERS_ARE_GIVEN,
    at_home,
    copied,
    event_named,
    filled,
    function_given,
)
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.graph.graph import Node


@guard
def changed(call: Call, handle: int, kind: int, params: object) -> Node:
    """Return a node to change, of a certain kind, after the cuInit check."""
    require_driver_up(call)
    require_calls_permitted(call)
    node = of_kind(node_of(call, handle), kind)
    if params is None:
        raise PARAMETERS_ARE_GIVEN.broken()
    require_initialized(call)
    return node


@guard
def changed_anywhere(call: Call, handle: int, kind: int) -> Node:
    """Return a node to change, for calls that also work in forks and host functions."""
    if not handle:
        raise NODE_IS_GIVEN.broken()
    require_driver_up(call)
    return of_kind(node_of(call, handle), kind)


@DRIVER.op("cuGraphMemsetNodeSetParams")
def graph_memset_node_set_params(call: Call, handle: int, params: tuple[int, ...] | None) -> None:
    """Set the parameters of a memset node. The context of the memset node does not change.

    Args:
        call: The call.
        handle: The node.
        params: What it fills with what, a CUDA_MEMSET_NODE_PARAMS.
    """
    # CHECK
    node = changed(call, handle, MEMSET, params)
    what = filled(call, params, node.params[1])
    at_home(call, what, call.thread.stack)
    # EFFECT
    node.change(what)


@DRIVER.op("cuGraphMemcpyNodeSetParams")
def graph_memcpy_node_set_params(call: Call, handle: int, params: tuple[int, ...] | None) -> None:
    """Set the parameters of a memcpy node; arguments as for a memset, with a CUDA_MEMCPY3D."""
    # CHECK
    node = changed(call, handle, MEMCPY, params)
    what = copied(call, params, node.params[1])
    # EFFECT
    node.change(what)


@DRIVER.op("cuGraphHostNodeSetParams")
def graph_host_node_set_params(call: Call, handle: int, params: tuple[int, int] | None) -> None:
    """Set the function of a host node; arguments as for a memset, with a CUDA_HOST_NODE_PARAMS."""
    # CHECK
    node = changed_anywhere(call, handle, HOST)
    params = function_given(params)
    # EFFECT
    node.change(params)


def _of_event(name: str, kind: int) -> Callable[[Call, int, int], None]:
    """Declare a call that sets the event of a node."""

    @DRIVER.op(name)
    def graph_node_set_event(call: Call, handle: int, event: int) -> None:
        """Set the event of an event node.

        Args:
            call: The call.
            handle: The node.
            event: The event.
        """
        # CHECK
        node = changed_anywhere(call, handle, kind)
        named = event_named(call, event)
        # EFFECT
        node.change(named)

    return graph_node_set_event


graph_event_record_node_set_event = _of_event("cuGraphEventRecordNodeSetEvent", EVENT_RECORD)
graph_event_wait_node_set_event = _of_event("cuGraphEventWaitNodeSetEvent", WAIT_EVENT)
