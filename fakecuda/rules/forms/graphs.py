"""Older versions of graph and capture functions, without edge data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.call import NO_NULLS
from fakecuda.rules.core import Broken
from fakecuda.rules.driver.graph.add_node import DEPENDENCIES_DIFFER
from fakecuda.rules.driver.graph.alike import refusals_kept
from fakecuda.rules.driver.graph.any_node import PARAMETERS_SUIT_THE_TYPE, graph_add_node
from fakecuda.rules.driver.graph.edges import (
    EDGE_IS_NEW,
    EDGE_IS_THERE,
    graph_add_dependencies,
    graph_remove_dependencies,
)
from fakecuda.rules.driver.graph.executable import graph_instantiate
from fakecuda.rules.driver.graph.executable_set import graph_exec_kernel_node_set_params
from fakecuda.rules.driver.graph.graph_exec_update import NOT_SUPPORTED, TOPOLOGY, checked, graph_exec_update
from fakecuda.rules.driver.graph.kernel_node import (
    graph_add_kernel_node,
    graph_kernel_node_get_params,
    graph_kernel_node_set_params,
)
from fakecuda.rules.driver.graph.listing import (
    graph_get_edges,
    graph_node_get_dependencies,
    graph_node_get_dependent_nodes,
)
from fakecuda.rules.driver.graph.memory import ADDRESSES_SUFFICE
from fakecuda.rules.driver.stream.capture_info import stream_get_capture_info
from fakecuda.rules.driver.stream.stream_capture import stream_begin_capture, stream_update_capture_dependencies
from fakecuda.rules.registry import FORMS
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.rules.driver.graph.add_node import Dependencies
    from fakecuda.rules.driver.graph.edges import Nodes
    from fakecuda.rules.driver.graph.listing import Handles

    Parameters = tuple[int, ...]
    """CUDA_KERNEL_NODE_PARAMS_v1: CUDA_KERNEL_NODE_PARAMS without kernel and context."""

RELAXED = ENUMS["CUstreamCaptureMode"]["CU_STREAM_CAPTURE_MODE_RELAXED"]
EXECUTABLE = frozenset({"phGraphExec"})
"""The result of cuGraphInstantiate in all its forms."""
NO_EDGE_DATA, NO_CAPTURED_EDGES = frozenset({"edgeData"}), frozenset({"edgeData_out"})
NO_CAPTURED_GRAPH = frozenset({"graph_out", "dependencies_out", "edgeData_out", "numDependencies_out"})
"""Results of the newest forms that the older forms do not have."""


@FORMS.op(
    "cuGraphAddDependencies_v1", acts_before=(EDGE_IS_NEW,), several="the edges before one that is refused are added"
)
def graph_add_dependencies_v1(call: Call, handle: int, first: Nodes, second: Nodes, count: int) -> None:
    """Add edges without data to a graph.

    Args:
        call: The call.
        handle: The graph.
        first: The nodes that the edges come from.
        second: The nodes that they lead to.
        count: How many edges.
    """
    graph_add_dependencies(call, handle, first, second, None, count)


@FORMS.op(
    "cuGraphRemoveDependencies_v1",
    acts_before=(EDGE_IS_THERE,),
    several="the edges before one that is refused are removed",
)
def graph_remove_dependencies_v1(call: Call, handle: int, first: Nodes, second: Nodes, count: int) -> None:
    """Remove edges from a graph, whatever their edge data is.

    Args:
        call: The call.
        handle: The graph.
        first: The nodes that the edges come from.
        second: The nodes that they lead to.
        count: How many edges.
    """
    graph_remove_dependencies(call, handle, first, second, None, count)


@FORMS.op("cuGraphGetEdges_v1")
def graph_get_edges_v1(call: Call, handle: int, room: int | None) -> tuple[Handles, Handles, int]:
    """Return the edges of a graph: their first nodes, their second nodes, and their number.

    Args:
        call: The call.
        handle: The graph.
        room: How many edges there is room for.
    """
    first, second, _, count = graph_get_edges(call.without(call.nulls | NO_EDGE_DATA), handle, room)
    return first, second, count


@FORMS.op("cuGraphNodeGetDependencies_v1")
def graph_node_get_dependencies_v1(call: Call, handle: int, room: int | None) -> tuple[Handles, int]:
    """Return the nodes that a node depends on, and their number.

    Args:
        call: The call.
        handle: The node.
        room: How many nodes there is room for.
    """
    nodes, _, count = graph_node_get_dependencies(call.without(call.nulls | NO_EDGE_DATA), handle, room)
    return nodes, count


@FORMS.op("cuGraphNodeGetDependentNodes_v1")
def graph_node_get_dependent_nodes_v1(call: Call, handle: int, room: int | None) -> tuple[Handles, int]:
    """Return the nodes that depend on a node, and their number.

    Args:
        call: The call.
        handle: The node.
        room: How many nodes there is room for.
    """
    nodes, _, count = graph_node_get_dependent_nodes(call.without(call.nulls | NO_EDGE_DATA), handle, room)
    return nodes, count


@FORMS.op(
    "cuGraphAddNode_v1",
    acts_before=(PARAMETERS_SUIT_THE_TYPE, DEPENDENCIES_DIFFER, ADDRESSES_SUFFICE),
    several="memory gets its address before the node is added",
)
def graph_add_node_v1(
    call: Call, handle: int, dependencies: Dependencies, count: int, params: bytes | None
) -> tuple[int, tuple[int, ...] | None]:
    """Add a node to a graph, with edges without data.

    Args:
        call: The call.
        handle: The graph.
        dependencies: The nodes that it comes after.
        count: How many they are.
        params: CUgraphNodeParams.
    """
    return graph_add_node(call, handle, dependencies, None, count, params)


@FORMS.op("cuGraphAddKernelNode_v1")
def graph_add_kernel_node_v1(
    call: Call, handle: int, dependencies: Dependencies, count: int, params: Parameters | None
) -> int:
    """Add a kernel node to a graph, in the current context.

    Args:
        call: The call.
        handle: The graph.
        dependencies: The nodes that it comes after.
        count: How many they are.
        params: CUDA_KERNEL_NODE_PARAMS_v1.
    """
    return graph_add_kernel_node(call, handle, dependencies, count, _newest(params))


@FORMS.op("cuGraphKernelNodeGetParams_v1")
def graph_kernel_node_get_params_v1(call: Call, handle: int) -> Parameters:
    """Return a kernel node's parameters, with a CUfunction instead of a CUkernel."""
    return graph_kernel_node_get_params(call, handle)[:-2]


@FORMS.op("cuGraphKernelNodeSetParams_v1")
def graph_kernel_node_set_params_v1(call: Call, handle: int, params: Parameters | None) -> None:
    """Set a kernel node's parameters.

    Args:
        call: The call.
        handle: The node.
        params: CUDA_KERNEL_NODE_PARAMS_v1.
    """
    graph_kernel_node_set_params(call, handle, _newest(params))


@FORMS.op("cuGraphExecKernelNodeSetParams_v1")
def graph_exec_kernel_node_set_params_v1(call: Call, executable: int, handle: int, params: Parameters | None) -> None:
    """Set the kernel parameters of a node in an executable graph.

    Args:
        call: The call.
        executable: The executable graph.
        handle: The node.
        params: CUDA_KERNEL_NODE_PARAMS_v1.
    """
    graph_exec_kernel_node_set_params(call, executable, handle, _newest(params))


def _declare_instantiation(name: str) -> None:
    """Declare a form of cuGraphInstantiate that writes a log."""

    @FORMS.op(name)
    def instantiate(call: Call, handle: int, _size: int) -> tuple[int, int, bytes]:
        """Instantiate a graph.

        Args:
            call: The call.
            handle: The graph.
            _size: How many bytes the log has room for.

        Returns:
            The executable graph, no node, and an empty log.
        """
        return graph_instantiate(call.without(call.nulls & EXECUTABLE), handle, 0), 0, b""


for _name in ("cuGraphInstantiate_v1", "cuGraphInstantiate_v2"):
    _declare_instantiation(_name)


@FORMS.op("cuGraphExecUpdate_v1")
def graph_exec_update_v1(call: Call, executable: int, handle: int) -> tuple[int, int]:
    """Update an executable graph from a graph.

    Args:
        call: The call.
        executable: The executable graph.
        handle: The graph.

    Returns:
        The node that cannot be updated, or 0, and CUgraphExecUpdateResult; another topology counts as not supported.
    """
    try:
        held, source, found = checked(call.without(NO_NULLS), executable, handle)
        refusals_kept(held.body, source, found)
        graph_exec_update(call.without(NO_NULLS), executable, handle)  # not its effect alone: its injected faults count
    except Broken as broken:
        if broken.outs is None:  # a fault of the newest form tells no results
            raise
        why, node, _ = broken.outs
        raise broken.telling((node, NOT_SUPPORTED if why == TOPOLOGY else why))  # noqa: B904 - it is the same
    return 0, 0


@FORMS.op("cuStreamBeginCapture_v1")
def stream_begin_capture_v1(call: Call, stream: int) -> None:
    """Begin a capture in relaxed mode.

    Args:
        call: The call.
        stream: The stream.
    """
    stream_begin_capture(call, stream, RELAXED)


@FORMS.op("cuStreamGetCaptureInfo_v1")
def stream_get_capture_info_v1(call: Call, stream: int) -> tuple[int, int]:
    """Return the status and the id of a stream's capture."""
    return stream_get_capture_info(call.without(call.nulls | NO_CAPTURED_GRAPH), stream)[:2]


@FORMS.op("cuStreamGetCaptureInfo_v2")
def stream_get_capture_info_v2(call: Call, stream: int) -> tuple[int, int, int, tuple[int, ...], int]:
    """Return the status, id, graph and dependencies of a stream's capture."""
    info = stream_get_capture_info(call.without(call.nulls | NO_CAPTURED_EDGES), stream)
    return *info[:4], info[5]


@FORMS.op("cuStreamUpdateCaptureDependencies_v1")
def stream_update_capture_dependencies_v1(call: Call, stream: int, nodes: Nodes, count: int, flags: int) -> None:
    """Change the dependencies of a stream's next captured node, without edge data.

    Args:
        call: The call.
        stream: The stream.
        nodes: The nodes.
        count: How many.
        flags: CUstreamUpdateCaptureDependencies_flags.
    """
    stream_update_capture_dependencies(call, stream, nodes, None, count, flags)


def _newest(params: Parameters | None) -> Parameters | None:
    """Convert CUDA_KERNEL_NODE_PARAMS of the older form to the newest form."""
    return None if params is None else (*params, 0, 0)
