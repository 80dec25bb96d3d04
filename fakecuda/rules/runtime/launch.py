"""Launches by the runtime API, which every ``kernel<<<grid, block>>>(...)`` compiles to.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EXECUTION.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.core.initialized import require_driver_callable
from fakecuda.rules.driver.execution.launch_kernel import (
    BLOCK,
    GRID,
    LOADED_ALONE,
    LOADED_AT_ONCE,
    launch_cooperative_kernel,
    launch_kernel,
)
from fakecuda.rules.driver.execution.launch_kernel_ex import LOADED_AS_CONFIGURED, launch_kernel_ex
from fakecuda.rules.driver.library.library_get_module import kernel_get_function
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import active, given, initialised
from fakecuda.rules.runtime.library import IN_THE_CONTEXT, named
from fakecuda.rules.runtime.program import HOST_FUNCTION_IS_REGISTERED, function_at, kernel_at, registered_kernel
from fakecuda.spec import launch_config
from fakecuda.spec.codes import Error, Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.rules.runtime.box import Triple

MAX_THREADS = 1
"""CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK."""

CONFIGURATION_IS_POSSIBLE = Rule(
    "each dimension of the grid and of the block is at least 1, and both are within the limits of the device",
    Error.INVALID_CONFIGURATION,
    manual(
        "cudaError_t", "This indicates that a kernel launch is requesting resources that can never be satisfied by the"
    ),
    fix="launch at least one block of one thread, and at most cudaDeviceProp.maxThreadsPerBlock threads in a block",
)
LAUNCH_IS_CONFIGURED = Rule(
    "`config` is not null",
    Result.INVALID_VALUE,
    manual("cudaError_t", "This indicates that one or more of the parameters passed to the API call is not within"),
    fix="pass the address of the launch's configuration",
)


@guard
def possible(context: Context, grid: Triple, block: Triple) -> None:
    """Check a grid and a block against the limits of a context's device."""
    has = context.device.profile.attributes
    fits = all(0 < size <= has[limit] for size, limit in zip((*grid, *block), (*GRID, *BLOCK), strict=True))
    if not fits or block[0] * block[1] * block[2] > has[MAX_THREADS]:
        raise CONFIGURATION_IS_POSSIBLE.broken(grid=grid, block=block, most=has[MAX_THREADS])


@guard
def launched(call: Call, func: int, grid: Triple, block: Triple) -> int:
    """Return the handle of the kernel of a launch, whose dimensions its device allows."""
    context = active(call)
    named(func)
    possible(context, grid, block)
    return kernel_at(call, func).handle


@guard
def configured(call: Call, config: int) -> tuple[Any, ...]:
    """Return a cudaLaunchConfig_t, as :mod:`fakecuda.spec.launch_config` has it."""
    if not config:
        raise LAUNCH_IS_CONFIGURED.broken()
    load = call.process.system.load
    (content,) = load((config, launch_config.HEAD.size))
    return launch_config.read(content, lambda address, size: load((address, size))[0])


@RUNTIME.op("cudaLaunchKernel", acts_before=LOADED_ALONE, several=IN_THE_CONTEXT)
def launch(call: Call, func: int, grid: Triple, block: Triple, args: int, shared: int, stream: int) -> None:
    """Have a stream run a kernel.

    Args:
        call: The call.
        func: The host function that stands for the kernel, or a cudaKernel_t.
        grid: Blocks of the grid, in each dimension.
        block: Threads of a block, in each dimension.
        args: The address of an array of pointers, one for each parameter; 0 for none.
        shared: Bytes of dynamic shared memory of a block.
        stream: The stream.
    """
    kernel = launched(call, func, grid, block)
    launch_kernel(call, kernel, *grid, *block, shared, stream, args, 0)


@RUNTIME.op("cudaLaunchCooperativeKernel", acts_before=LOADED_AT_ONCE, several=IN_THE_CONTEXT)
def launch_cooperative(call: Call, func: int, grid: Triple, block: Triple, args: int, shared: int, stream: int) -> None:
    """Have a stream run a cooperative kernel; arguments as for cudaLaunchKernel."""
    kernel = launched(call, func, grid, block)
    launch_cooperative_kernel(call, kernel, *grid, *block, shared, stream, args)


@RUNTIME.op("cudaLaunchKernelExC", acts_before=LOADED_AS_CONFIGURED, several=IN_THE_CONTEXT)
def launch_configured(call: Call, config: int, func: int, args: int) -> None:
    """Have a stream run a kernel as a configuration says.

    Args:
        call: The call.
        config: The address of a cudaLaunchConfig_t.
        func: The host function that stands for the kernel, or a cudaKernel_t.
        args: The address of an array of pointers, one for each parameter; 0 for none.
    """
    active(call)
    how = configured(call, config)
    kernel = launched(call, func, how[:3], how[3:6])
    launch_kernel_ex(call, how, kernel, args, 0)


@RUNTIME.op("cudaGetKernel")
def get_kernel(call: Call, func: int) -> int:
    """Return the cudaKernel_t of the kernel that a host function stands for; no context need be current."""
    initialised(call)
    require_driver_callable(call)
    given(call)
    symbol = function_at(call.process, named(func))
    if symbol is None:
        raise HOST_FUNCTION_IS_REGISTERED.broken(function=func)
    return registered_kernel(call, symbol).handle


@RUNTIME.op("cudaGetFuncBySymbol", several=IN_THE_CONTEXT)
def get_function(call: Call, func: int) -> int:
    """Return the cudaFunction_t that a kernel is in the current context."""
    active(call)
    given(call)
    kernel = kernel_at(call, named(func))
    return kernel_get_function(call, kernel.handle)
