"""Forms of calls that libcudart.so.12 alone has, for programs that were built for CUDA 12: the driver's older forms.

A form has the name of its symbol, with ``_v1`` behind that of a call of libcudart.so.13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.graph.add_node import DEPENDENCIES_DIFFER
from fakecuda.rules.driver.graph.any_node import PARAMETERS_SUIT_THE_TYPE, graph_add_node
from fakecuda.rules.driver.graph.memory import ADDRESSES_SUFFICE
from fakecuda.rules.forms.arguments import mem_advise_v1, mem_prefetch_async_v1
from fakecuda.rules.forms.graphs import (
    graph_add_dependencies_v1,
    graph_get_edges_v1,
    graph_node_get_dependencies_v1,
    graph_node_get_dependent_nodes_v1,
    graph_remove_dependencies_v1,
    stream_get_capture_info_v1,
    stream_get_capture_info_v2,
    stream_update_capture_dependencies_v1,
)
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import active
from fakecuda.rules.runtime.any_node import told
from fakecuda.rules.runtime.listing import renamed
from fakecuda.rules.runtime.through import once_told, through

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.rules.runtime.graph import Dependencies


@RUNTIME.op(
    "cudaGraphAddNode_v1",
    acts_before=(PARAMETERS_SUIT_THE_TYPE, DEPENDENCIES_DIFFER, ADDRESSES_SUFFICE),
    several="the addresses of memory are there before the node",
)
def add_node_v1(
    call: Call, graph: int, dependencies: Dependencies, count: int, params: bytes | None
) -> tuple[int, tuple[int, ...] | None]:
    """Add a node of any type, with edges without data; return as for cudaGraphAddNode.

    Args:
        call: The call.
        graph: The graph.
        dependencies: The nodes that it depends on.
        count: Their number.
        params: cudaGraphNodeParams.
    """
    return graph_add_node(call, graph, dependencies, None, count, told(call, params))


@RUNTIME.op("cudaGraphNodeGetDependencies_v1")
def get_dependencies_v1(call: Call, node: int, room: int) -> object:
    """Return the nodes that a node depends on, and their number."""
    active(call)
    return graph_node_get_dependencies_v1(renamed(call), node, room)


@RUNTIME.op("cudaGraphNodeGetDependentNodes_v1")
def get_dependent_nodes_v1(call: Call, node: int, room: int) -> object:
    """Return the nodes that depend on a node, and their number."""
    active(call)
    return graph_node_get_dependent_nodes_v1(renamed(call), node, room)


through("cudaGraphAddDependencies_v1", graph_add_dependencies_v1)
through("cudaGraphGetEdges_v1", graph_get_edges_v1)
through("cudaGraphRemoveDependencies_v1", graph_remove_dependencies_v1)
through("cudaMemAdvise_v1", mem_advise_v1)
through("cudaMemPrefetchAsync_v1", mem_prefetch_async_v1)
through("cudaStreamGetCaptureInfo_v1", stream_get_capture_info_v1, once_told)
through("cudaStreamGetCaptureInfo_v2", stream_get_capture_info_v2, once_told)
through("cudaStreamUpdateCaptureDependencies_v1", stream_update_capture_dependencies_v1)
