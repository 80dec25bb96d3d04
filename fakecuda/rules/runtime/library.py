"""Libraries and kernels in the runtime API: a kernel stands for its function in the current context.

A kernel is a cudaKernel_t of a library, or the host function that stands for a kernel of a compiled program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.context.ctx_set_shared_mem_config import known as width
from fakecuda.rules.driver.execution.attributes import ATTRIBUTE, DYNAMIC, POLICY, cache, value_of
from fakecuda.rules.driver.execution.func_attribute import func_set_cache_config, func_set_shared_mem_config
from fakecuda.rules.driver.execution.occupancy import (
    asked,
    occupancy_available_dynamic_smem_per_block,
    occupancy_max_active_blocks_per_multiprocessor,
    occupancy_max_active_blocks_per_multiprocessor_with_flags,
    some,
)
from fakecuda.rules.driver.library.kernel_attribute import kernel_set_attribute
from fakecuda.rules.driver.library.library_get_global import library_get_global
from fakecuda.rules.driver.library.library_get_kernel import (
    library_enumerate_kernels,
    library_get_kernel,
    library_get_kernel_count,
)
from fakecuda.rules.driver.library.library_get_managed import library_get_managed, library_get_unified_function
from fakecuda.rules.driver.library.library_get_module import kernel_get_function
from fakecuda.rules.driver.library.library_load import library_load_data, library_load_from_file
from fakecuda.rules.driver.library.library_unload import library_unload
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import active, given, initialised
from fakecuda.rules.runtime.program import function_at, kernel_at
from fakecuda.rules.runtime.through import through
from fakecuda.spec.codes import Error, Result
from fakecuda.spec.runtime import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code.module import Function, Kernel
    from fakecuda.model.context import Context

TOLD = (
    *("SHARED_SIZE_BYTES", "CONST_SIZE_BYTES", "LOCAL_SIZE_BYTES", "MAX_THREADS_PER_BLOCK", "NUM_REGS"),
    *("PTX_VERSION", "BINARY_VERSION", "CACHE_MODE_CA", "MAX_DYNAMIC_SHARED_SIZE_BYTES"),
    *("PREFERRED_SHARED_MEMORY_CARVEOUT", "CLUSTER_SIZE_MUST_BE_SET", "REQUIRED_CLUSTER_WIDTH"),
    *("REQUIRED_CLUSTER_HEIGHT", "REQUIRED_CLUSTER_DEPTH", "CLUSTER_SCHEDULING_POLICY_PREFERENCE"),
    "NON_PORTABLE_CLUSTER_SIZE_ALLOWED",
)
"""The attributes in a cudaFuncAttributes, in the order of its members."""
NEWER = (0, ENUMS["cudaSharedMemoryMode"]["cudaSharedMemoryModeDefault"])
"""Values of the last cudaFuncAttributes members, newer than CUDA 13.0."""
IN_THE_CONTEXT = "a kernel becomes a function of the context"

FUNCTION_IS_GIVEN = Rule(
    "the address of the function is not null",
    Error.INVALID_DEVICE_FUNCTION,
    manual("cudaFuncSetCacheConfig", "If the specified function does not exist, then"),
    fix="pass the cudaKernel_t that cudaLibraryGetKernel returned",
)
ATTRIBUTE_IS_KNOWN = Rule(
    "`attr` is a cudaFuncAttribute that CUDA 13.0 can set",
    Result.INVALID_VALUE,
    observed(
        "cudaFuncSetAttribute",
        "the library answers cudaErrorInvalidValue to any other attribute, before it checks "
        "the function and the device",
    ),
    fix="pass a cudaFuncAttribute, such as cudaFuncAttributeMaxDynamicSharedMemorySize",
)


@guard
def named(func: int) -> int:
    """Return a function handle, which must not be null."""
    if not func:
        raise FUNCTION_IS_GIVEN.broken()
    return func


@guard
def function_in(call: Call, func: int) -> tuple[Context, Kernel, Function | None]:
    """Return the context, the kernel, and its function there, if it is loaded."""
    context = active(call)
    kernel = kernel_at(call, named(func))
    module = kernel.library.modules.get(context)
    return context, kernel, None if module is None else module.functions.get(kernel.entry.name)


@guard
def occupied(call: Call, func: int) -> int:
    """Return the handle of a kernel's function in the current context, or its own."""
    _, kernel, function = function_in(call, func)
    return kernel.handle if function is None else function.handle


@guard
def is_handle(call: Call, func: int) -> bool:
    """Return whether a function argument is a handle, not a registered host function."""
    active(call)
    return function_at(call.process, named(func)) is None


@guard
def listed(attribute: int) -> None:
    """Check that the library can set a function attribute."""
    if not DYNAMIC <= attribute <= POLICY:
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attribute)


@RUNTIME.op("cudaFuncGetAttributes")
def func_get_attributes(call: Call, func: int) -> tuple[int, ...]:
    """Return the cudaFuncAttributes of a kernel on the current device; cuFuncSetAttribute changes none of them."""
    # CHECK
    active(call)
    given(call)
    context, kernel, _ = function_in(call, func)
    # EFFECT
    device = context.device
    values = []
    for name in TOLD:
        attribute = ATTRIBUTE[name]
        values += [value_of(kernel.entry, device, attribute, kernel.attributes.get((device.ordinal, attribute)))]
    return (*values, *NEWER)


@RUNTIME.op("cudaFuncSetAttribute")
def set_attribute(call: Call, func: int, attribute: int, value: int) -> None:
    """Set an attribute of a kernel on the device of the current context."""
    active(call)
    listed(attribute)
    context, kernel, _ = function_in(call, func)
    kernel_set_attribute(call, attribute, value, kernel.handle, context.device.ordinal)


@RUNTIME.op("cudaFuncSetCacheConfig", several=IN_THE_CONTEXT)
def set_cache_config(call: Call, func: int, config: int) -> None:
    """Set the cache preference of a kernel's function in the current context."""
    # CHECK
    _, kernel, _ = function_in(call, func)
    cache(config)
    # EFFECT
    func_set_cache_config(call, kernel_get_function(call, kernel.handle), config)


@RUNTIME.op("cudaFuncSetSharedMemConfig", several=IN_THE_CONTEXT)
def set_shared_mem_config(call: Call, func: int, config: int) -> None:
    """Set the shared memory bank size of a kernel's function in the current context. The call loads the function."""
    # CHECK
    active(call)
    named(func)
    width(config)
    _, kernel, _ = function_in(call, func)
    # EFFECT
    func_set_shared_mem_config(call, kernel_get_function(call, kernel.handle), config)


@RUNTIME.op("cudaKernelSetAttributeForDevice")
def set_kernel_attribute(call: Call, kernel: int, attribute: int, value: int, device: int) -> None:
    """Set an attribute of a kernel on a device."""
    initialised(call)
    listed(attribute)
    kernel_set_attribute(call, attribute, value, kernel, device)


@RUNTIME.op("cudaOccupancyMaxActiveBlocksPerMultiprocessor")
def max_active_blocks(call: Call, func: int, threads: int, dynamic: int) -> int:
    """Return how many blocks of a kernel, of a given size and shared memory, run at once on a multiprocessor."""
    if is_handle(call, func):
        asked(call, 0)
    handle = occupied(call, func)
    return occupancy_max_active_blocks_per_multiprocessor(call, handle, threads, dynamic)


@RUNTIME.op("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")
def max_active_blocks_with_flags(call: Call, func: int, threads: int, dynamic: int, flags: int) -> int:
    """Return how many blocks run at once on a multiprocessor. The flags make no difference."""
    if is_handle(call, func):
        asked(call, flags)
    handle = occupied(call, func)
    return occupancy_max_active_blocks_per_multiprocessor_with_flags(call, handle, threads, dynamic, flags)


@RUNTIME.op("cudaOccupancyAvailableDynamicSMemPerBlock")
def available_dynamic_memory(call: Call, func: int, blocks: int, threads: int) -> int:
    """Return the dynamic shared memory that each block can have if `numBlocks` blocks run on a multiprocessor."""
    if is_handle(call, func):
        some(blocks)
    handle = occupied(call, func)
    return occupancy_available_dynamic_smem_per_block(call, handle, blocks, threads)


through("cudaLibraryEnumerateKernels", library_enumerate_kernels, initialised)
through("cudaLibraryGetGlobal", library_get_global)
through("cudaLibraryGetKernel", library_get_kernel, initialised)
through("cudaLibraryGetKernelCount", library_get_kernel_count, initialised)
through("cudaLibraryGetManaged", library_get_managed, initialised)
through("cudaLibraryGetUnifiedFunction", library_get_unified_function, initialised)
through("cudaLibraryLoadData", library_load_data, initialised)
through("cudaLibraryLoadFromFile", library_load_from_file, initialised)
through("cudaLibraryUnload", library_unload, initialised)
