"""Graphs in the runtime API: driver calls, and copies with a cudaMemcpy3DParms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.rules.core import guard
from fakecuda.rules.driver.copy.shape import ARRAY, DEVICE, HOST
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.graph.add_node import (
    DEPENDENCIES_DIFFER,
    graph_add_child_graph_node,
    graph_add_empty_node,
    graph_add_event_record_node,
    graph_add_event_wait_node,
    graph_add_host_node,
    graph_add_memcpy_node,
    graph_add_memset_node,
)
from fakecuda.rules.driver.graph.edges import graph_add_dependencies, graph_remove_dependencies
from fakecuda.rules.driver.graph.executable import graph_exec_destroy, graph_instantiate, graph_upload
from fakecuda.rules.driver.graph.graph_conditional_handle_create import graph_conditional_handle_create
from fakecuda.rules.driver.graph.graph_create import graph_create
from fakecuda.rules.driver.graph.graph_destroy import graph_destroy, graph_destroy_node
from fakecuda.rules.driver.graph.graph_launch import graph_launch
from fakecuda.rules.driver.graph.memory import (
    ADDRESSES_SUFFICE,
    graph_add_mem_alloc_node,
    graph_add_mem_free_node,
    graph_mem_alloc_node_get_params,
    graph_mem_free_node_get_params,
)
from fakecuda.rules.driver.graph.node import (
    graph_child_graph_node_get_graph,
    graph_clone,
    graph_event_record_node_get_event,
    graph_event_wait_node_get_event,
    graph_host_node_get_params,
    graph_memcpy_node_get_params,
    graph_memset_node_get_params,
    graph_node_find_in_clone,
    graph_node_get_type,
)
from fakecuda.rules.driver.graph.node_set import (
    graph_event_record_node_set_event,
    graph_event_wait_node_set_event,
    graph_host_node_set_params,
    graph_memcpy_node_set_params,
    graph_memset_node_set_params,
)
from fakecuda.rules.driver.graph.params import SOMETHING_IS_COPIED
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import active, active_once_told, initialised
from fakecuda.rules.runtime.box import described, element_of
from fakecuda.rules.runtime.copy import DEFAULT, SIDES, kind_of
from fakecuda.rules.runtime.through import through

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.array import Element
    from fakecuda.rules.driver.copy.shape import Side
    from fakecuda.rules.runtime.box import Params, Place, Triple

    Dependencies = tuple[int, ...] | None
    Allocation = tuple[Any, ...]
    """A cudaMemAllocNodeParams: pool properties, access descriptors, size, address."""

NOTHING = (0,) * 25
"""The CUDA_MEMCPY3D of an empty copy, which no node accepts."""
KINDS = {sides: kind for kind, sides in SIDES.items()}
"""cudaMemcpyKind by the memory types of source and destination."""


def solid(target: Side, source: Side, size: Triple) -> tuple[int, ...]:
    """Return the CUDA_MEMCPY3D of a copy between two sides."""
    members: list[int] = []
    for kind, host, other, array, x, y, z, pitch, rows in (source, target):
        members += x, y, z, 0, kind, host, other, array, 0, pitch, rows
    return (*members, *size)


@guard
def boxed(call: Call, params: Params | None) -> tuple[int, ...]:
    """Return the CUDA_MEMCPY3D that a cudaMemcpy3DParms describes."""
    copy = described(call, params)
    return NOTHING if copy is None else solid(*copy)


def in_a_row(dst: int, src: int, count: int, kind: int) -> tuple[int, ...]:
    """Return the CUDA_MEMCPY3D of ``count`` bytes from one address to another."""
    source, target = SIDES[kind]
    sides = [
        (kind, *((place, 0) if kind == HOST else (0, place)), 0, 0, 0, 0, 0, 0)
        for kind, place in ((target, dst), (source, src))
    ]
    return solid(sides[0], sides[1], (count, 1, 1))


@RUNTIME.op("cudaGraphAddMemsetNode", acts_before=(DEPENDENCIES_DIFFER,))
def add_memset_node(
    call: Call, graph: int, dependencies: Dependencies, count: int, params: tuple[int, ...] | None
) -> int:
    """Add a memset node in the current context, and return it.

    Args:
        call: The call.
        graph: The graph.
        dependencies: The nodes that it depends on.
        count: Their number.
        params: What it fills with what, a cudaMemsetParams.
    """
    context = active(call)
    return graph_add_memset_node(call, graph, dependencies, count, params, context.handle)


@RUNTIME.op("cudaGraphAddMemcpyNode", acts_before=(DEPENDENCIES_DIFFER,))
def add_memcpy_node(call: Call, graph: int, dependencies: Dependencies, count: int, params: Params | None) -> int:
    """Add a memcpy node with a cudaMemcpy3DParms, and return it."""
    context = active(call)
    copy = boxed(call, params)
    return graph_add_memcpy_node(call, graph, dependencies, count, copy, context.handle)


@RUNTIME.op("cudaGraphAddMemcpyNode1D", acts_before=(DEPENDENCIES_DIFFER,))
def add_memcpy_node_1d(
    call: Call, graph: int, dependencies: Dependencies, number: int, dst: int, src: int, count: int, kind: int
) -> int:
    """Add a memcpy node for ``count`` bytes, and return it.

    Args:
        call: The call.
        graph: The graph.
        dependencies: The nodes that it depends on.
        number: Their number.
        dst: The target.
        src: The source.
        count: Bytes.
        kind: cudaMemcpyKind.
    """
    context = active(call)
    copy = in_a_row(dst, src, count, kind_of(kind))
    return graph_add_memcpy_node(call, graph, dependencies, number, copy, context.handle)


@RUNTIME.op("cudaGraphMemcpyNodeSetParams")
def set_memcpy_params(call: Call, node: int, params: Params | None) -> None:
    """Set the parameters of a memcpy node."""
    active(call)
    graph_memcpy_node_set_params(call, node, boxed(call, params))


@RUNTIME.op("cudaGraphMemcpyNodeSetParams1D")
def set_memcpy_params_1d(call: Call, node: int, dst: int, src: int, count: int, kind: int) -> None:
    """Set a memcpy node to copy ``count`` bytes from one address to another."""
    active(call)
    if not count:  # which is looked at before the kind
        raise SOMETHING_IS_COPIED.broken(size=count)
    graph_memcpy_node_set_params(call, node, in_a_row(dst, src, count, kind_of(kind)))


@RUNTIME.op("cudaGraphMemcpyNodeGetParams")
def get_memcpy_params(call: Call, node: int) -> Params:
    """Return the parameters of a memcpy node. The row sizes of cudaPitchedPtr are lost in a CUDA_MEMCPY3D."""
    active_once_told(call)
    params = graph_memcpy_node_get_params(call, node)
    (source, from_, ours), (target, to, theirs) = _place(call, params[:11]), _place(call, params[11:22])
    element = ours if source[0] else theirs
    extent = params[22] // element.size * element.side, params[23] * element.side, params[24]
    return *source, *target, extent, KINDS.get((from_, to), DEFAULT)


def _place(call: Call, members: tuple[int, ...]) -> tuple[Place, int, Element]:
    """Return one side of a copy: its place, its memory type, and its element."""
    x, y, z, _, kind, host, device, array, _, pitch, rows = members
    element = element_of(call, array)
    place = x // element.size * element.side, y * element.side, z
    return (array, place, (host or device, pitch, 0, rows)), DEVICE if kind == ARRAY else kind, element


@RUNTIME.op(
    "cudaGraphAddMemAllocNode",
    acts_before=(DEPENDENCIES_DIFFER, ADDRESSES_SUFFICE),
    several="the addresses are there before the node",
)
def add_mem_alloc_node(
    call: Call, graph: int, dependencies: Dependencies, count: int, params: Allocation | None
) -> tuple[int, Allocation]:
    """Add an allocation node, and return it with its parameters and address.

    Args:
        call: The call.
        graph: The graph.
        dependencies: The nodes that it depends on.
        count: Their number.
        params: How much where, a cudaMemAllocNodeParams.
    """
    active(call)
    given = None if params is None else ((*params[0], 0), *params[1:])
    node, (props, *rest) = graph_add_mem_alloc_node(call, graph, dependencies, count, given)
    return node, (props[:-1], *rest)


@RUNTIME.op("cudaGraphMemAllocNodeGetParams")
def get_mem_alloc_params(call: Call, node: int) -> Allocation:
    """Return the parameters of an allocation node."""
    active_once_told(call)
    props, *rest = graph_mem_alloc_node_get_params(call, node)
    return props[:-1], *rest


@RUNTIME.op("cudaGraphConditionalHandleCreate")
def conditional_handle_create(call: Call, graph: int, default: int, flags: int) -> int:
    """Create a conditional handle for a graph, in the current context.

    Args:
        call: The call.
        graph: The graph.
        default: The number that launches assign, if they do.
        flags: Whether they do: cudaGraphCondAssignDefault.
    """
    initialised(call)
    require_initialized(call)
    stack = call.thread.stack
    return graph_conditional_handle_create(call, graph, stack[-1].handle if stack else 0, default, flags)


through("cudaGraphAddChildGraphNode", graph_add_child_graph_node)
through("cudaGraphAddDependencies", graph_add_dependencies)
through("cudaGraphAddEmptyNode", graph_add_empty_node)
through("cudaGraphAddEventRecordNode", graph_add_event_record_node)
through("cudaGraphAddEventWaitNode", graph_add_event_wait_node)
through("cudaGraphAddHostNode", graph_add_host_node)
through("cudaGraphAddMemFreeNode", graph_add_mem_free_node)
through("cudaGraphChildGraphNodeGetGraph", graph_child_graph_node_get_graph)
through("cudaGraphClone", graph_clone)
through("cudaGraphCreate", graph_create)
through("cudaGraphDestroy", graph_destroy)
through("cudaGraphDestroyNode", graph_destroy_node)
through("cudaGraphEventRecordNodeGetEvent", graph_event_record_node_get_event, active_once_told)
through("cudaGraphEventRecordNodeSetEvent", graph_event_record_node_set_event)
through("cudaGraphEventWaitNodeGetEvent", graph_event_wait_node_get_event, active_once_told)
through("cudaGraphEventWaitNodeSetEvent", graph_event_wait_node_set_event)
through("cudaGraphExecDestroy", graph_exec_destroy)
through("cudaGraphHostNodeGetParams", graph_host_node_get_params, active_once_told)
through("cudaGraphHostNodeSetParams", graph_host_node_set_params)
through("cudaGraphInstantiate", graph_instantiate)
through("cudaGraphInstantiateWithFlags", graph_instantiate)
through("cudaGraphLaunch", graph_launch)
through("cudaGraphMemFreeNodeGetParams", graph_mem_free_node_get_params, active_once_told)
through("cudaGraphMemsetNodeGetParams", graph_memset_node_get_params, active_once_told)
through("cudaGraphMemsetNodeSetParams", graph_memset_node_set_params)
through("cudaGraphNodeFindInClone", graph_node_find_in_clone)
through("cudaGraphNodeGetType", graph_node_get_type, active_once_told)
through("cudaGraphRemoveDependencies", graph_remove_dependencies)
through("cudaGraphUpload", graph_upload)
