"""Device-updatable kernel nodes: what the host cannot do with them and with their graphs.

A node becomes one by the attribute CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, and stays one. Its graph counts as one with such
nodes if they are its own or those of a conditional body; those of child graphs do not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.graph.executables import Executable
from fakecuda.model.graph.graph import CHILD, CONDITIONAL, KERNEL, Graph
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.spec import launch_config
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.graph.executables import Body
    from fakecuda.model.graph.graph import Node
    from fakecuda.model.work.launch import Launch

HANDLE_IS_A_RESULT = Rule(
    "`devNode` of CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE is 0 when the attribute is set",
    Result.INVALID_VALUE,
    observed(
        "cuGraphKernelNodeSetAttribute",
        "the driver answers INVALID_VALUE to any other devNode, for deviceUpdatable 0, too",
    ),
    fix="set devNode to 0, and read the handle with cuGraphKernelNodeGetAttribute",
)
NODE_STAYS_UPDATABLE = Rule(
    "no call sets a device-updatable node back, or removes it from its graph",
    Result.NOT_SUPPORTED,
    manual("cuLaunchKernelEx", "any attempt to set the attribute to 0 will result in an error"),
    fix="destroy the whole graph, and build another one",
)
ATTRIBUTES_STAY = Rule(
    "neither node of cuGraphKernelNodeCopyAttributes is device-updatable",
    Result.NOT_SUPPORTED,
    observed(
        "cuGraphKernelNodeCopyAttributes",
        "the driver answers NOT_SUPPORTED if the source or the target is device-updatable",
    ),
    fix="set each attribute with cuGraphKernelNodeSetAttribute",
)
GRAPH_IS_NOT_UPDATABLE = Rule(
    "neither a graph to clone nor the graph or executable graph of cuGraphExecUpdate has device-updatable nodes",
    Result.NOT_SUPPORTED,
    manual("cuGraphExecUpdate", "Neither `hGraph` nor `hGraphExec` may contain device-updatable"),
    fix="build and instantiate another graph",
)
UPDATABLE_IS_EXECUTABLE_ONCE = Rule(
    "if the graph has device-updatable nodes, no executable graph of it with such nodes exists yet",
    Result.NOT_SUPPORTED,
    manual("cuGraphInstantiate", "also applies if `hGraph` contains any device-updatable kernel nodes"),
    fix="call cuGraphExecDestroy before you instantiate the graph again",
)
MOVED_GRAPH_IS_NOT_EXECUTABLE = Rule(
    "no graph with device-updatable nodes that a child node took over has an executable graph",
    Result.INVALID_VALUE,
    undefined("cuGraphInstantiate", "the manual says nothing about this; driver 580 crashes"),
    fix="call cuGraphExecDestroy before cuGraphAddNode moves the graph",
)
CONTEXTS_OUTLIVE_UPDATABLE = Rule(
    "no context of a device-updatable node of the graph has been destroyed",
    Result.SUCCESS,
    undefined(
        "cuGraphDestroy", "the manual says nothing about this; driver 580 crashes unless the graph was instantiated"
    ),
    fix="destroy the graph before you destroy the contexts of its nodes",
)


def _launches(of: Graph | Body) -> list[Launch]:
    """Return the kernels of a graph or of an executable one, with those of conditional bodies."""
    found: list[Launch] = []
    for part in of.nodes if isinstance(of, Graph) else of.steps:
        if part.kind == KERNEL:
            found.append(part.params)
        elif part.kind == CONDITIONAL:
            for body in part.embedded():
                found += _launches(body)
    return found


def has_updatable(of: Graph | Body) -> bool:
    """Return whether a graph, or an executable one, has device-updatable nodes."""
    return any(launch.updatable for launch in _launches(of))


@guard
def staying(node: Node) -> None:
    """Check that a node is not device-updatable."""
    if node.kind == KERNEL and node.params.updatable:
        raise NODE_STAYS_UPDATABLE.broken(node=node)


@guard
def opted(node: Node, updatable: int, handle: int) -> bytes:
    """Check the members of the attribute, and return the value that the node stores."""
    if not updatable:
        staying(node)
    if handle:
        raise HANDLE_IS_A_RESULT.broken(handle=handle)
    return launch_config.value(launch_config.UPDATABLE, (updatable, 0))


@guard
def copyable(*nodes: Node) -> None:
    """Check that attributes can be copied between kernel nodes."""
    for node in nodes:
        if node.params.updatable:
            raise ATTRIBUTES_STAY.broken(node=node)


@guard
def revisable(of: Graph, body: Body | None = None) -> None:
    """Check that a graph can be cloned, or can update an executable graph with a body."""
    if has_updatable(of) or (body is not None and has_updatable(body)):
        raise GRAPH_IS_NOT_UPDATABLE.broken(graph=of)


def _made_of(of: Graph) -> Executable | None:
    """Return the executable graph of a graph with device-updatable nodes; None without one."""
    if not has_updatable(of):
        return None
    made = (one for one in of.process.graphs.values() if isinstance(one, Executable) and one.graph is of)
    return next((one for one in made if has_updatable(one.body)), None)


@guard
def single(call: Call, of: Graph) -> None:
    """Check that a graph with device-updatable nodes, or a graph that it took over, has no executable graph with such nodes."""
    made = _made_of(of)
    if made is not None:
        raise UPDATABLE_IS_EXECUTABLE_ONCE.broken(graph=of, executable=made)
    for node in of.every():
        made = _made_of(node.params) if node.kind == CHILD and node.params.moved else None
        if made is not None:
            call.undefined(MOVED_GRAPH_IS_NOT_EXECUTABLE, graph=of, child=node.params, executable=made)
            raise MOVED_GRAPH_IS_NOT_EXECUTABLE.broken(graph=of, child=node.params, executable=made)


@guard
def at_home(call: Call, of: Graph) -> None:
    """Report the end of a graph with device-updatable nodes whose context was destroyed."""
    for launch in _launches(of):
        if launch.updatable and launch.function.module.context.destroyed:
            call.undefined(CONTEXTS_OUTLIVE_UPDATABLE, graph=of, function=launch.function)
