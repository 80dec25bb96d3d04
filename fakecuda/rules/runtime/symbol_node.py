"""Graph nodes that copy to and from variables of compiled programs.

A node keeps the address that the variable has in the current context, not the variable.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import guard
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.graph.add_node import DEPENDENCIES_ARE_GIVEN, DEPENDENCIES_DIFFER, graph_add_memcpy_node
from fakecuda.rules.driver.graph.executable_set import graph_exec_memcpy_node_set_params
from fakecuda.rules.driver.graph.handle import GRAPH_IS_GIVEN
from fakecuda.rules.driver.graph.node_set import graph_memcpy_node_set_params
from fakecuda.rules.driver.graph.params import SOMETHING_IS_COPIED
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import active
from fakecuda.rules.runtime.graph import in_a_row
from fakecuda.rules.runtime.symbol import FROM, TO, place_of, within

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.rules.runtime.graph import Dependencies

IN_THE_CONTEXT = "a variable is placed in the context"
PLACED = (GRAPH_IS_GIVEN, SOMETHING_IS_COPIED, RESULT_IS_GIVEN, DEPENDENCIES_ARE_GIVEN, DEPENDENCIES_DIFFER)
"""Rules that are checked when the first use of a variable has loaded it."""


@guard
def _to(call: Call, context: Context, symbol: int, src: int, count: int, offset: int, kind: int) -> tuple[int, ...]:
    """Return the CUDA_MEMCPY3D of a copy to a variable."""
    within(call, symbol, offset, count)
    return in_a_row(place_of(call, context, symbol, offset, kind, TO), src, count, kind)


@guard
def _from(call: Call, context: Context, dst: int, symbol: int, count: int, offset: int, kind: int) -> tuple[int, ...]:
    """Return the CUDA_MEMCPY3D of a copy from a variable."""
    within(call, symbol, offset, count)
    return in_a_row(dst, place_of(call, context, symbol, offset, kind, FROM), count, kind)


@RUNTIME.op("cudaGraphAddMemcpyNodeToSymbol", acts_before=PLACED, several=IN_THE_CONTEXT)
def add_memcpy_node_to_symbol(
    call: Call,
    graph: int,
    dependencies: Dependencies,
    number: int,
    symbol: int,
    src: int,
    count: int,
    offset: int,
    kind: int,
) -> int:
    """Add a memcpy node that copies ``count`` bytes to a variable at ``offset``.

    Args:
        call: The call.
        graph: The graph.
        dependencies: The nodes that it depends on.
        number: Their number.
        symbol: The host address that stands for the variable.
        src: The source.
        count: Bytes.
        offset: The first byte in the variable.
        kind: cudaMemcpyKind.
    """
    context = active(call)
    copy = _to(call, context, symbol, src, count, offset, kind)
    return graph_add_memcpy_node(call, graph, dependencies, number, copy, context.handle)


@RUNTIME.op("cudaGraphAddMemcpyNodeFromSymbol", acts_before=PLACED, several=IN_THE_CONTEXT)
def add_memcpy_node_from_symbol(
    call: Call,
    graph: int,
    dependencies: Dependencies,
    number: int,
    dst: int,
    symbol: int,
    count: int,
    offset: int,
    kind: int,
) -> int:
    """Add a memcpy node that copies ``count`` bytes from a variable at ``offset``."""
    context = active(call)
    copy = _from(call, context, dst, symbol, count, offset, kind)
    return graph_add_memcpy_node(call, graph, dependencies, number, copy, context.handle)


@RUNTIME.op("cudaGraphMemcpyNodeSetParamsToSymbol", several=IN_THE_CONTEXT)
def set_memcpy_to_symbol(call: Call, node: int, symbol: int, src: int, count: int, offset: int, kind: int) -> None:
    """Set a memcpy node to copy into a variable."""
    context = active(call)
    graph_memcpy_node_set_params(call, node, _to(call, context, symbol, src, count, offset, kind))


@RUNTIME.op("cudaGraphMemcpyNodeSetParamsFromSymbol", several=IN_THE_CONTEXT)
def set_memcpy_from_symbol(call: Call, node: int, dst: int, symbol: int, count: int, offset: int, kind: int) -> None:
    """Set a memcpy node to copy from a variable."""
    context = active(call)
    graph_memcpy_node_set_params(call, node, _from(call, context, dst, symbol, count, offset, kind))


@RUNTIME.op("cudaGraphExecMemcpyNodeSetParamsToSymbol", several=IN_THE_CONTEXT)
def set_step_to_symbol(
    call: Call, executable: int, node: int, symbol: int, src: int, count: int, offset: int, kind: int
) -> None:
    """Set a memcpy node in an executable graph to copy into a variable."""
    context = active(call)
    copy = _to(call, context, symbol, src, count, offset, kind)
    graph_exec_memcpy_node_set_params(call, executable, node, copy, context.handle)


@RUNTIME.op("cudaGraphExecMemcpyNodeSetParamsFromSymbol", several=IN_THE_CONTEXT)
def set_step_from_symbol(
    call: Call, executable: int, node: int, dst: int, symbol: int, count: int, offset: int, kind: int
) -> None:
    """Set a memcpy node in an executable graph to copy from a variable."""
    context = active(call)
    copy = _from(call, context, dst, symbol, count, offset, kind)
    graph_exec_memcpy_node_set_params(call, executable, node, copy, context.handle)
