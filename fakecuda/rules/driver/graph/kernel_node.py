"""Kernel nodes: launches in a graph. They get the checks of launches, and run the functions of ``@fakecuda.kernel``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code import module_effects
from fakecuda.model.code.kernels import Config
from fakecuda.model.code.module import Function
from fakecuda.model.graph import graph
from fakecuda.model.graph.graph import KERNEL
from fakecuda.model.history import here
from fakecuda.model.work.launch import Launch
from fakecuda.rules.core import Rule, guard, observed, undefined
from fakecuda.rules.driver.context.current import CONTEXT_IS_CURRENT, require_usable_context
from fakecuda.rules.driver.context.handle import live_context_of
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.execution.launch_kernel import at_once, clustered, prepared
from fakecuda.rules.driver.graph.add_node import DEPENDENCIES_DIFFER, ready_place
from fakecuda.rules.driver.graph.node import of_kind, require_node_without_init
from fakecuda.rules.driver.graph.node_set import changed_anywhere
from fakecuda.rules.driver.graph.params import PARAMETERS_ARE_GIVEN
from fakecuda.rules.driver.library.handle import kernel_of
from fakecuda.rules.driver.library.module import module_in
from fakecuda.rules.driver.module.handle import used_function_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.rules.driver.graph.add_node import Dependencies

    Params = tuple[int, ...]
    """CUDA_KERNEL_NODE_PARAMS."""

SOMETHING_IS_RUN = Rule(
    "the node's parameters name a function (`func`) or, in the driver API, a kernel (`kern`) that is not null",
    Result.INVALID_HANDLE,
    observed("cuGraphAddKernelNode", "the driver answers INVALID_HANDLE if both func and kern are null"),
    fix="pass a CUfunction as func, or a CUkernel as kern",
)
A_CONTEXT_IS_CURRENT = Rule(
    "the calling thread has a current context if `func` in the node's parameters is not null",
    Result.INVALID_CONTEXT,
    undefined(
        "cuGraphAddKernelNode",
        "the manual says nothing about threads without a context; driver 580 crashes (segmentation fault)",
    ),
    fix="make a context current with cuCtxSetCurrent before the call",
)
FUNCTION_IS_OF_THE_CONTEXT = Rule(
    "a CUfunction that is passed as `kern` belongs to the context of the node: `ctx`, or the current one",
    Result.INVALID_VALUE,
    observed(
        "cuGraphAddKernelNode",
        "the driver answers INVALID_VALUE to a function of another context, and accepts "
        "a function of the node's context",
    ),
    fix="pass the function as func, and 0 for kern",
)


@guard
def own_context(call: Call) -> Context:
    """Return the calling thread's current context, alive, after the cuInit check."""
    stack = call.thread.stack
    if not stack:
        raise CONTEXT_IS_CURRENT.broken(thread=call.thread.name)
    require_usable_context(stack[-1])
    return stack[-1]


@guard
def run_by(call: Call, func: int, kern: int, ctx: int) -> Function:
    """Return the function of a kernel node.

    Args:
        call: The call.
        func: A CUfunction; 0 for none.
        kern: A CUkernel, or a CUfunction of the context, which is looked at where func is null.
        ctx: The context in which it runs; 0 for the current one.
    """
    if not func and not kern:
        raise SOMETHING_IS_RUN.broken()
    if func:
        if not call.thread.stack:
            call.undefined(A_CONTEXT_IS_CURRENT, function=func)
            raise A_CONTEXT_IS_CURRENT.broken(function=func)
        return used_function_of(call, func)
    named = call.process.loaded.get(kern)
    if isinstance(named, Function):
        context = live_context_of(call, ctx) if ctx else own_context(call)
        if used_function_of(call, kern).module.context is not context:
            raise FUNCTION_IS_OF_THE_CONTEXT.broken(function=named, context=context)
        return named
    kernel = kernel_of(call, kern)
    context = live_context_of(call, ctx) if ctx else own_context(call)
    return module_effects.function_of(module_in(call, kernel.library, context), kernel.entry)


@guard
def launched(call: Call, params: Params | None) -> Launch:
    """Return the checked launch of a kernel node."""
    if params is None:
        raise PARAMETERS_ARE_GIVEN.broken()
    func, x, y, z, block_x, block_y, block_z, shared, places, extra, kern, ctx = params
    function = run_by(call, func, kern, ctx)
    config = Config((x, y, z), (block_x, block_y, block_z), shared)
    args = prepared(call, function, config, places, extra, node=True)
    kernel = 0 if func or kern == function.handle else kern
    return Launch(function, config, args, kernel, packed=bool(extra))


@guard
def attributed(launch: Launch) -> Launch:
    """Check that a launch is valid with the attributes of its node, and return it."""
    if launch.cluster is not None:
        clustered(launch.function, launch.config, launch.cluster)
    if launch.cooperative:
        at_once(launch.function, launch.config)
    return launch


@guard
def relaunched(call: Call, params: Params | None, was: Launch) -> Launch:
    """Return a kernel node's launch with new parameters and its old attributes."""
    return attributed(launched(call, params).like(was))


def told(launch: Launch) -> Params:
    """Return the CUDA_KERNEL_NODE_PARAMS of a node; the node owns the argument memory."""
    function, context = launch.function, launch.function.module.context
    config = launch.config
    return (
        function.handle,
        *config.grid,
        *config.block,
        config.shared,
        *launch.places(),
        launch.kernel,
        context.handle,
    )


@DRIVER.op("cuGraphAddKernelNode", acts_before=(DEPENDENCIES_DIFFER,))
def graph_add_kernel_node(
    call: Call, handle: int, dependencies: Dependencies, count: int, params: Params | None
) -> int:
    """Add a kernel node with a copy of its arguments, and return the node.

    Args:
        call: The call.
        handle: The graph.
        dependencies: The nodes that it depends on.
        count: Their number.
        params: What it runs how, a CUDA_KERNEL_NODE_PARAMS.
    """
    # CHECK
    require_initialized(call)
    launch = launched(call, params)
    target, after = ready_place(call, handle, dependencies, count)
    # EFFECT
    return graph.add_node(target, KERNEL, launch, after, here()).handle


@DRIVER.op("cuGraphKernelNodeGetParams")
def graph_kernel_node_get_params(call: Call, handle: int) -> Params:
    """Return the parameters of a kernel node."""
    # CHECK
    node = of_kind(require_node_without_init(call, handle), KERNEL)
    # EFFECT
    return told(node.params)


@DRIVER.op("cuGraphKernelNodeSetParams")
def graph_kernel_node_set_params(call: Call, handle: int, params: Params | None) -> None:
    """Set the parameters of a kernel node.

    Args:
        call: The call.
        handle: The node.
        params: What it runs how, a CUDA_KERNEL_NODE_PARAMS.
    """
    # CHECK
    node = changed_anywhere(call, handle, KERNEL)
    require_initialized(call)
    launch = relaunched(call, params, node.params)
    # EFFECT
    node.change(launch)
