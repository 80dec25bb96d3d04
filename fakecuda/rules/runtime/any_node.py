"""Nodes of any type in the runtime API: a cudaGraphNodeParams is a CUgraphNodeParams in the current context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.rules.core import Broken, guard
from fakecuda.rules.driver.graph.add_node import DEPENDENCIES_DIFFER
from fakecuda.rules.driver.graph.any_node import (
    PARAMETERS_SUIT_THE_TYPE,
    TYPE_IS_KNOWN,
    TYPE_IS_MODELLED,
    graph_add_node,
    graph_exec_node_set_params,
    graph_node_set_params,
    modelled,
)
from fakecuda.rules.driver.graph.graph_conditional_handle_create import graph_conditional_handle_create
from fakecuda.rules.driver.graph.memory import ADDRESSES_SUFFICE
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import active
from fakecuda.rules.runtime.graph import boxed
from fakecuda.rules.runtime.library import named
from fakecuda.spec.node_params import (
    BATCH_MEM_OP,
    CONDITIONAL,
    EVENT_RECORD,
    HOST,
    KERNEL,
    MEMCPY,
    MEMSET,
    RUNTIME_LAYOUTS,
    WAIT_EVENT,
    pack,
    unpack,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.rules.driver.graph.edges import Data
    from fakecuda.rules.runtime.graph import Dependencies

    Numbers = tuple[Any, ...]

FUNCTION = 3
"""cudaKernelFunctionTypeFunction, for a driver function instead of a kernel."""


@guard
def own(*others: int) -> None:
    """Check that node parameters without a model, such as execution contexts, are 0."""
    modelled("nodes with an execution context or a mode of the host", not any(others))


def _kernel(_call: Call, values: Numbers, _context: int) -> Numbers:
    func, *members, ctx, kind = values
    own(ctx)
    return (func, *members, 0, 0) if kind == FUNCTION else (0, *members, named(func), 0)


def _memcpy(call: Call, values: Numbers, context: int) -> Numbers:
    flags, reserved, ctx, *box = values
    own(ctx)
    params = box[0], box[1:4], box[4:8], box[8], box[9:12], box[12:16], box[16:19], box[19]
    given: Any = tuple(tuple(one) if isinstance(one, list) else one for one in params)
    return (flags, reserved, context, *boxed(call, given))


def _in_context(_call: Call, values: Numbers, context: int) -> Numbers:
    own(values[-1])
    return (*values[:-1], context)


def _without(count: int) -> Callable[[Call, Numbers, int], Numbers]:
    """Return a converter that keeps the first ``count`` values, and checks the others."""

    def left(_call: Call, values: Numbers, _context: int) -> Numbers:
        own(*values[count:])
        return values[:count]

    return left


SAYS: dict[int, Callable[[Call, Numbers, int], Numbers]] = {
    KERNEL: _kernel,
    MEMCPY: _memcpy,
    MEMSET: _in_context,
    HOST: _without(2),
    WAIT_EVENT: _without(1),
    EVENT_RECORD: _without(1),
    CONDITIONAL: _in_context,
}
"""Converters from runtime to driver parameters, by node type. Others are equal."""


@guard
def told(call: Call, params: bytes | None) -> bytes | None:
    """Convert a cudaGraphNodeParams to a CUgraphNodeParams."""
    context = active(call)
    if params is None:
        return None
    kind, values, clean = unpack(params, RUNTIME_LAYOUTS)
    if kind == BATCH_MEM_OP:
        raise TYPE_IS_KNOWN.broken(kind=kind)
    if kind not in SAYS:
        return params
    return pack(kind, suited(call, kind, values, context.handle)) if clean else params[:-1] + b"\1"


@guard
def suited(call: Call, kind: int, values: Numbers, context: int) -> Numbers:
    """Convert the parameters of a node type to the driver's form."""
    try:
        return SAYS[kind](call, values, context)
    except Broken as broken:
        if broken.rule is TYPE_IS_MODELLED:
            raise
        raise Broken(PARAMETERS_SUIT_THE_TYPE, {"of": broken.rule.id, **broken.facts}, broken.code) from broken


@RUNTIME.op(
    "cudaGraphAddNode",
    acts_before=(PARAMETERS_SUIT_THE_TYPE, DEPENDENCIES_DIFFER, ADDRESSES_SUFFICE),
    several="memory gets its address before the node is added",
)
def add_node(
    call: Call, graph: int, dependencies: Dependencies, data: Data, count: int, params: bytes | None
) -> tuple[int, tuple[int, ...] | None]:
    """Add a node of any type; return it with the address of its memory, its body graphs, or None.

    Args:
        call: The call.
        graph: The graph.
        dependencies: The nodes that it depends on.
        data: What the edges from these are like; None for nothing that is said of them.
        count: Their number.
        params: What it does, a cudaGraphNodeParams.
    """
    return graph_add_node(call, graph, dependencies, data, count, told(call, params))


@RUNTIME.op("cudaGraphConditionalHandleCreate_v2")
def conditional_handle_create_v2(call: Call, graph: int, ctx: int, default: int, flags: int) -> int:
    """Create a conditional handle for a graph, in the current context.

    Args:
        call: The call.
        graph: The graph.
        ctx: An execution context; null for the current one.
        default: The number that launches assign, if they do.
        flags: Whether they do: cudaGraphCondAssignDefault.
    """
    context = active(call)
    own(ctx)
    return graph_conditional_handle_create(call, graph, context.handle, default, flags)


@RUNTIME.op("cudaGraphNodeSetParams")
def set_params(call: Call, node: int, params: bytes | None) -> None:
    """Set the parameters of a node of any type."""
    graph_node_set_params(call, node, told(call, params))


@RUNTIME.op("cudaGraphExecNodeSetParams")
def set_step_params(call: Call, executable: int, node: int, params: bytes | None) -> None:
    """Set the parameters of a node of any type in an executable graph."""
    graph_exec_node_set_params(call, executable, node, told(call, params))
