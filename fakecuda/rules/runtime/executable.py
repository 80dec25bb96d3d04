"""Executable graphs in the runtime API: updates of their nodes, and queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.graph.enabled import graph_node_get_enabled, graph_node_set_enabled
from fakecuda.rules.driver.graph.executable import graph_exec_get_flags, graph_instantiate_with_params
from fakecuda.rules.driver.graph.executable_set import (
    graph_exec_child_graph_node_set_params,
    graph_exec_event_record_node_set_event,
    graph_exec_event_wait_node_set_event,
    graph_exec_host_node_set_params,
    graph_exec_memcpy_node_set_params,
    graph_exec_memset_node_set_params,
)
from fakecuda.rules.driver.graph.graph_exec_update import graph_exec_update
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import active, initialised
from fakecuda.rules.runtime.copy import kind_of
from fakecuda.rules.runtime.graph import boxed, in_a_row
from fakecuda.rules.runtime.through import through

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.rules.runtime.box import Params


@RUNTIME.op("cudaGraphExecMemsetNodeSetParams")
def set_memset(call: Call, executable: int, node: int, params: tuple[int, ...] | None) -> None:
    """Set the memset parameters of a node in an executable graph, in the current context.

    Args:
        call: The call.
        executable: The executable graph.
        node: The node of the graph that it was made of.
        params: What it fills with what, a cudaMemsetParams.
    """
    context = active(call)
    graph_exec_memset_node_set_params(call, executable, node, params, context.handle)


@RUNTIME.op("cudaGraphExecMemcpyNodeSetParams")
def set_memcpy(call: Call, executable: int, node: int, params: Params | None) -> None:
    """Set the copy parameters of a node in an executable graph; arguments as for a memset, with a cudaMemcpy3DParms."""
    context = active(call)
    copy = boxed(call, params)
    graph_exec_memcpy_node_set_params(call, executable, node, copy, context.handle)


@RUNTIME.op("cudaGraphExecMemcpyNodeSetParams1D")
def set_memcpy_1d(call: Call, executable: int, node: int, dst: int, src: int, count: int, kind: int) -> None:
    """Set a node in an executable graph to copy ``count`` bytes from one address to another."""
    context = active(call)
    copy = in_a_row(dst, src, count, kind_of(kind))
    graph_exec_memcpy_node_set_params(call, executable, node, copy, context.handle)


through("cudaGraphExecChildGraphNodeSetParams", graph_exec_child_graph_node_set_params)
through("cudaGraphExecEventRecordNodeSetEvent", graph_exec_event_record_node_set_event)
through("cudaGraphExecEventWaitNodeSetEvent", graph_exec_event_wait_node_set_event)
through("cudaGraphExecGetFlags", graph_exec_get_flags)
through("cudaGraphExecHostNodeSetParams", graph_exec_host_node_set_params)
through("cudaGraphExecUpdate", graph_exec_update)
through("cudaGraphInstantiateWithParams", graph_instantiate_with_params)
through("cudaGraphNodeGetEnabled", graph_node_get_enabled, initialised)
through("cudaGraphNodeSetEnabled", graph_node_set_enabled, initialised)
