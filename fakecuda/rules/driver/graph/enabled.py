"""cuGraphNodeSetEnabled, cuGraphNodeGetEnabled: whether an executable graph runs a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.graph.graph import KERNEL, MEMCPY, MEMSET
from fakecuda.model.os.process import UP
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.driver.graph.handle import NODE_IS_GIVEN, executable_of, node_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.graph.executables import Executable, Step
    from fakecuda.model.graph.graph import Node

SWITCHED = {KERNEL, MEMCPY, MEMSET}
"""Kinds of nodes that can be disabled."""

CALLER_HAS_THE_EXECUTABLE = Rule(
    "the call is made neither in a fork of the process that called cuInit nor inside a host function",
    Result.INVALID_VALUE,
    observed("cuGraphNodeSetEnabled", "in a fork, and in a host function, every call answers INVALID_VALUE"),
    fix="make the call in the process that instantiated the graph, and not in a host function",
)
NODE_IS_OF_THE_EXECUTABLE = Rule(
    "the node belongs to the graph that the executable graph was instantiated from, child graphs included",
    Result.INVALID_VALUE,
    manual("cuGraphNodeSetEnabled", "`hNode` must not have been removed from the original graph"),
    fix="pass a node of the graph that was instantiated, or of its clones in child nodes",
)
NODE_CAN_BE_DISABLED = Rule(
    "`hNode` is a kernel, memset or memcpy node",
    Result.INVALID_VALUE,
    manual("cuGraphNodeSetEnabled", "Currently only kernel, memset and memcpy nodes are supported"),
    fix="replace the node by an empty node, and instantiate the graph again",
)


@guard
def step_of(executable: Executable, node: Node) -> Step:
    """Return the step of an executable graph for a node."""
    step = executable.step_of(node)
    if step is None:
        raise NODE_IS_OF_THE_EXECUTABLE.broken(executable=executable, node=node)
    return step


@guard
def own_executable_of(call: Call, executable: int) -> Executable:
    """Return the executable graph of that handle, the caller's own."""
    held = executable_of(call, executable)
    if call.process.state not in UP or call.thread.in_function:
        raise CALLER_HAS_THE_EXECUTABLE.broken(process=call.process, executable=held)
    return held


@guard
def own_step_of(call: Call, executable: int, node: Node) -> Step:
    """Return the step of the caller's own executable graph for a node.

    Args:
        call: The call.
        executable: The executable graph.
        node: The node.
    """
    held = own_executable_of(call, executable)
    return step_of(held, node)


@guard
def named(call: Call, handle: int) -> Node:
    """Return the node of a handle, which is checked before the executable graph."""
    if not handle:
        raise NODE_IS_GIVEN.broken()
    require_driver_up(call)
    return node_of(call, handle)


@guard
def switched(call: Call, executable: int, handle: int) -> Step:
    """Return the step of a node that can be disabled.

    Args:
        call: The call.
        executable: The executable graph.
        handle: The node.
    """
    step = own_step_of(call, executable, named(call, handle))
    if step.kind not in SWITCHED:
        raise NODE_CAN_BE_DISABLED.broken(node=step.node, kind=step.kind)
    return step


@DRIVER.op("cuGraphNodeSetEnabled")
def graph_node_set_enabled(call: Call, executable: int, handle: int, enabled: int) -> None:
    """Enable or disable a node for later launches.

    Args:
        call: The call.
        executable: The executable graph.
        handle: The node of the original graph.
        enabled: 0 to leave it out.
    """
    # CHECK
    step = switched(call, executable, handle)
    # EFFECT
    step.enable(bool(enabled))


@DRIVER.op("cuGraphNodeGetEnabled")
def graph_node_get_enabled(call: Call, executable: int, handle: int) -> int:
    """Return 1 if launches run a node, else 0; arguments as for cuGraphNodeSetEnabled."""
    # CHECK
    named(call, handle)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    step = switched(call, executable, handle)
    # EFFECT
    return int(step.enabled)
