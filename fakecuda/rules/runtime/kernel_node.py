"""Kernel nodes in the runtime API, in the current context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, observed, undefined
from fakecuda.rules.driver.graph.add_node import DEPENDENCIES_DIFFER
from fakecuda.rules.driver.graph.executable_set import graph_exec_kernel_node_set_params
from fakecuda.rules.driver.graph.kernel_attribute import (
    graph_kernel_node_copy_attributes,
    graph_kernel_node_get_attribute,
    graph_kernel_node_set_attribute,
)
from fakecuda.rules.driver.graph.kernel_node import (
    graph_add_kernel_node,
    graph_kernel_node_get_params,
    graph_kernel_node_set_params,
)
from fakecuda.rules.driver.library.handle import known_kernel_of
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import active, active_once_told
from fakecuda.rules.runtime.library import named
from fakecuda.rules.runtime.program import handle_at, host_function_of
from fakecuda.rules.runtime.through import through
from fakecuda.spec.codes import Error, Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.rules.runtime.box import Triple
    from fakecuda.rules.runtime.graph import Dependencies

    Params = tuple[int, Triple, Triple, int, int, int]
    """A cudaKernelNodeParams: kernel, grid, block, shared memory, arguments."""

PARAMETERS_ARE_READ = Rule(
    "`pNodeParams` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cudaGraphExecKernelNodeSetParams",
        "the manual says nothing about a null argument; the library reads from the null pointer (segmentation fault)",
    ),
    fix="pass the address of a cudaKernelNodeParams",
)
FUNCTION_IS_REGISTERED = Rule(
    "the node's kernel is a function that the program registered (with nvcc), not a kernel of a library",
    Error.INVALID_DEVICE_FUNCTION,
    observed(
        "cudaGraphKernelNodeGetParams",
        "the library answers cudaErrorInvalidDeviceFunction for a node that was added with a kernel of a library",
    ),
    fix="keep the parameters that you passed for the node: the runtime API cannot return parameters of a library's "
    "kernel",
)


@guard
def launching(call: Call, params: Params | None) -> tuple[int, ...] | None:
    """Convert cudaKernelNodeParams to CUDA_KERNEL_NODE_PARAMS with the kernel itself."""
    if params is None:
        return None
    func, grid, block, shared, places, extra = params
    return (0, *grid, *block, shared, places, extra, handle_at(call, named(func)), 0)


@RUNTIME.op("cudaGraphAddKernelNode", acts_before=(DEPENDENCIES_DIFFER,))
def add_kernel_node(call: Call, graph: int, dependencies: Dependencies, count: int, params: Params | None) -> int:
    """Add a kernel node with a copy of its arguments, and return the node.

    Args:
        call: The call.
        graph: The graph.
        dependencies: The nodes that it depends on.
        count: Their number.
        params: What it runs how, a cudaKernelNodeParams.
    """
    active(call)
    return graph_add_kernel_node(call, graph, dependencies, count, launching(call, params))


@RUNTIME.op("cudaGraphKernelNodeSetParams")
def set_kernel(call: Call, node: int, params: Params | None) -> None:
    """Set the parameters of a kernel node."""
    active(call)
    graph_kernel_node_set_params(call, node, launching(call, params))


@RUNTIME.op("cudaGraphExecKernelNodeSetParams")
def set_step(call: Call, executable: int, node: int, params: Params | None) -> None:
    """Set the kernel parameters of a node in an executable graph."""
    active(call)
    if params is None:
        call.undefined(PARAMETERS_ARE_READ)
        raise PARAMETERS_ARE_READ.broken()
    graph_exec_kernel_node_set_params(call, executable, node, launching(call, params))


@RUNTIME.op("cudaGraphKernelNodeGetParams")
def get_kernel(call: Call, node: int) -> Params:
    """Return the parameters of a kernel node. The runtime library names a kernel by its host function (stub)."""
    active_once_told(call)
    func, *sizes, shared, places, extra, kernel, _ = graph_kernel_node_get_params(call, node)
    x, y, z, wide, high, deep = sizes
    known = known_kernel_of(call, kernel)
    found = None if known is None else host_function_of(call.process, known)
    if found is None:
        raise FUNCTION_IS_REGISTERED.broken(function=kernel or func)
    return found, (x, y, z), (wide, high, deep), shared, places, extra


through("cudaGraphKernelNodeCopyAttributes", graph_kernel_node_copy_attributes)
through("cudaGraphKernelNodeGetAttribute", graph_kernel_node_get_attribute)
through("cudaGraphKernelNodeSetAttribute", graph_kernel_node_set_attribute)
