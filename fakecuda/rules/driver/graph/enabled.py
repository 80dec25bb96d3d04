"""cuGraphNodeSetEnabled, cuGraphNodeGetEnabled: whether an executable graph does anything for a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.codes import Result
from fakecuda.model.graph import KERNEL, MEMCPY, MEMSET
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, ready
from fakecuda.rules.driver.graph.handle import executable_of, node_of

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.graph import Executable, Node, Step

SWITCHED = {KERNEL, MEMCPY, MEMSET}
"""Kinds of nodes that can be disabled."""

NODE_IS_OF_THE_EXECUTABLE = Rule(
    "the node is one of the graph that the executable graph was made of",
    Result.INVALID_VALUE,
    manual("cuGraphNodeSetEnabled", "`hNode` must not have been removed from the original graph"),
)
NODE_CAN_BE_DISABLED = Rule(
    "the node runs a kernel, copies or fills memory",
    Result.INVALID_VALUE,
    manual("cuGraphNodeSetEnabled", "Currently only kernel, memset and memcpy nodes are supported"),
)


@guard
def step_of(executable: Executable, node: Node) -> Step:
    """Return what an executable graph does for a node."""
    step = executable.step_of(node)
    if step is None:
        raise NODE_IS_OF_THE_EXECUTABLE.broken(executable=executable, node=node)
    return step


@guard
def switched(call: Call, executable: int, handle: int) -> Step:
    """Return the step of a node that can be disabled.

    Args:
        call: The call.
        executable: The executable graph.
        handle: The node.
    """
    step = step_of(executable_of(call, executable), node_of(call, handle))
    if step.kind not in SWITCHED:
        raise NODE_CAN_BE_DISABLED.broken(node=step.node, kind=step.kind)
    return step


@DRIVER.op("cuGraphNodeSetEnabled")
def graph_node_set_enabled(call: Call, executable: int, handle: int, enabled: int) -> None:
    """Have later launches do what a node is for, or leave it out.

    Args:
        call: The call.
        executable: The executable graph.
        handle: The node of the graph that it was made of.
        enabled: 0 to leave it out.
    """
    # CHECK
    ready(call)
    step = switched(call, executable, handle)
    # EFFECT
    step.enable(bool(enabled))


@DRIVER.op("cuGraphNodeGetEnabled")
def graph_node_get_enabled(call: Call, executable: int, handle: int) -> int:
    """Return 1 where launches do what a node is for, else 0; arguments as of cuGraphNodeSetEnabled."""
    # CHECK
    ready(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    step = switched(call, executable, handle)
    # EFFECT
    return int(step.enabled)
