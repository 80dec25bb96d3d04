"""Launches of the runtime API, to which ``kernel<<<grid, block>>>(...)`` compiles.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EXECUTION.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.call import NO_NULLS
from fakecuda.rules.core import Rule, guard, observed, undefined
from fakecuda.rules.driver.core.initialized import require_driver_callable
from fakecuda.rules.driver.execution.launch_attributes import RULES
from fakecuda.rules.driver.execution.launch_kernel import (
    CLUSTER_FITS,
    GRID_FITS,
    LOADED_ALONE,
    LOADED_AT_ONCE,
    launch_cooperative_kernel,
    launch_kernel,
)
from fakecuda.rules.driver.execution.launch_kernel_ex import LOADED_AS_CONFIGURED, dimensions, launch_kernel_ex
from fakecuda.rules.driver.execution.occupancy_clusters import (
    occupancy_max_active_clusters,
    occupancy_max_potential_cluster_size,
)
from fakecuda.rules.driver.library.kernel_get import (
    PARAMETER_IS_ONE,
    kernel_get_name,
    kernel_get_param_info,
    require_offset_result,
)
from fakecuda.rules.driver.library.library_get_module import kernel_get_function
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import active, given, initialised
from fakecuda.rules.runtime.library import IN_THE_CONTEXT, named
from fakecuda.rules.runtime.program import function_at, kernel_at, registered_kernel
from fakecuda.spec import launch_config
from fakecuda.spec.codes import Error, Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code.module import Kernel
    from fakecuda.rules.runtime.box import Triple

LOW = 0xFFFF_FFFF
"""A mask: the library passes only 32 bits of a shared memory size to the driver."""
COUNTED = (*RULES, GRID_FITS, CLUSTER_FITS)
"""Rules that are checked when a cluster query has loaded its kernel."""

SYMBOL_IS_A_FUNCTION = Rule(
    "the pointer is the host function (stub) of a kernel that a loaded program or library registered",
    Error.INVALID_DEVICE_FUNCTION,
    observed(
        "cudaGetKernel",
        "the library answers cudaErrorInvalidDeviceFunction to any other pointer, and does not read the memory there",
    ),
    fix="pass the name of a __global__ function, and link the file that defines it to the same shared libcudart",
)
LAUNCH_IS_CONFIGURED = Rule(
    "`config` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cudaLaunchKernelExC",
        "the manual says nothing about a null argument; the library reads from the null pointer (segmentation fault)",
    ),
    fix="pass the address of the launch's configuration",
)
BLOCK_HAS_THREADS = Rule(
    "the configuration's block has at least one thread in each dimension",
    Result.INVALID_VALUE,
    observed("cudaOccupancyMaxActiveClusters", "a block of no threads answers cudaErrorInvalidValue"),
    fix="set each dimension of the configuration's block to at least 1",
)


@guard
def launched(call: Call, func: int) -> int:
    """Return the kernel handle of a launch."""
    active(call)
    return kernel_at(call, named(func)).handle


@guard
def registered(call: Call, func: int) -> Kernel:
    """Return the kernel of a host function; a cudaKernel_t is not accepted."""
    symbol = function_at(call.process, named(func))
    if symbol is None:
        raise SYMBOL_IS_A_FUNCTION.broken(function=func)
    return registered_kernel(call, symbol)


@guard
def configured(call: Call, config: int) -> tuple[Any, ...]:
    """Return a cudaLaunchConfig_t in the form of :mod:`fakecuda.spec.launch_config`."""
    if not config:
        call.undefined(LAUNCH_IS_CONFIGURED)
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
        shared: Bytes of dynamic shared memory of a block; only its low 32 bits count.
        stream: The stream.
    """
    kernel = launched(call, func)
    launch_kernel(call, kernel, *grid, *block, shared & LOW, stream, args, 0)


@RUNTIME.op("cudaLaunchCooperativeKernel", acts_before=LOADED_AT_ONCE, several=IN_THE_CONTEXT)
def launch_cooperative(call: Call, func: int, grid: Triple, block: Triple, args: int, shared: int, stream: int) -> None:
    """Have a stream run a cooperative kernel; arguments as for cudaLaunchKernel."""
    kernel = launched(call, func)
    launch_cooperative_kernel(call, kernel, *grid, *block, shared & LOW, stream, args)


@RUNTIME.op("cudaLaunchKernelExC", acts_before=LOADED_AS_CONFIGURED, several=IN_THE_CONTEXT)
def launch_configured(call: Call, config: int, func: int, args: int) -> None:
    """Have a stream run a kernel with a launch configuration.

    Args:
        call: The call.
        config: The address of a cudaLaunchConfig_t.
        func: The host function that stands for the kernel, or a cudaKernel_t.
        args: The address of an array of pointers, one for each parameter; 0 for none.
    """
    active(call)
    how = configured(call, config)
    kernel = launched(call, func)
    launch_kernel_ex(call, how, kernel, args, 0)


@RUNTIME.op("cudaGetKernel")
def get_kernel(call: Call, func: int) -> int:
    """Return the cudaKernel_t of a host function (stub). No current context is needed."""
    initialised(call)
    require_driver_callable(call)
    given(call)
    return registered(call, func).handle


@RUNTIME.op("cudaGetFuncBySymbol", several=IN_THE_CONTEXT)
def get_function(call: Call, func: int) -> int:
    """Return the cudaFunction_t of a kernel in the current context. The result pointer may be null."""
    active(call)
    return kernel_get_function(call.without(NO_NULLS), registered(call, func).handle)


@RUNTIME.op("cudaFuncGetName")
def func_get_name(call: Call, func: int) -> bytes:
    """Return the name of a kernel, as its image has it. No current context is needed."""
    initialised(call)
    require_driver_callable(call)
    given(call)
    return kernel_get_name(call, kernel_at(call, named(func)).handle)


@RUNTIME.op("cudaFuncGetParamInfo", acts_before=(PARAMETER_IS_ONE,))
def func_get_param_info(call: Call, func: int, index: int) -> tuple[int, int]:
    """Return the offset and the bytes of a parameter of a kernel."""
    active(call)
    named(func)
    require_offset_result(call)
    return kernel_get_param_info(call, kernel_at(call, func).handle, index)


@guard
def clustered(call: Call, func: int, config: int) -> tuple[int, tuple[Any, ...]]:
    """Return the kernel handle and the launch configuration of a cluster query."""
    active(call)
    how = configured(call, config)
    named(func)
    given(call)
    block = dimensions(how).block
    if not all(block):
        raise BLOCK_HAS_THREADS.broken(block=block)
    return kernel_at(call, func).handle, how


@RUNTIME.op("cudaOccupancyMaxActiveClusters", acts_before=COUNTED, several=IN_THE_CONTEXT)
def max_active_clusters(call: Call, func: int, config: int) -> int:
    """Return how many clusters of a launch run at once.

    Args:
        call: The call.
        func: The host function that stands for the kernel, or a cudaKernel_t.
        config: The address of a cudaLaunchConfig_t.
    """
    return occupancy_max_active_clusters(call, *clustered(call, func, config))


@RUNTIME.op("cudaOccupancyMaxPotentialClusterSize", acts_before=COUNTED, several=IN_THE_CONTEXT)
def max_potential_cluster_size(call: Call, func: int, config: int) -> int:
    """Return the largest cluster size of a launch; arguments as for cudaOccupancyMaxActiveClusters."""
    return occupancy_max_potential_cluster_size(call, *clustered(call, func, config))
