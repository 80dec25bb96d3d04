"""Occupancy: how many blocks of a kernel run at once, by threads, registers and shared memory.

The calls take a CUfunction, or a CUkernel in the current context.
"""

from __future__ import annotations

import ctypes
from functools import partial
from typing import TYPE_CHECKING, Any

from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.execution.attributes import CARVEOUT, DYNAMIC, dynamic_at_most, threads_at_most
from fakecuda.rules.driver.execution.resources import best_block, blocks_held, of_function, of_kernel, shared_by
from fakecuda.rules.driver.library.handle import known_kernel_of
from fakecuda.rules.driver.library.module import run_by
from fakecuda.rules.driver.module.handle import FUNCTION_IS_GIVEN, used_function_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code.code import Entry
    from fakecuda.model.context import Device
    from fakecuda.rules.driver.execution.resources import Attributes

    Held = tuple[Entry, Device, Attributes]

FLAGS = 1
"""CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE."""
TO_SHARED = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)
"""CUoccupancyB2DSize."""

OCCUPANCY_FLAGS_ARE_KNOWN = Rule(
    "the occupancy flags are CU_OCCUPANCY_DEFAULT or CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE",
    Result.INVALID_VALUE,
    observed(
        "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "the driver answers INVALID_VALUE to the flags 2 and 3"
    ),
    fix="pass CU_OCCUPANCY_DEFAULT or CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE",
)
BLOCKS_FIT = Rule(
    "`numBlocks` is at least 1 and fits on a multiprocessor",
    Result.INVALID_VALUE,
    observed(
        "cuOccupancyAvailableDynamicSMemPerBlock",
        "the driver answers INVALID_VALUE to 0 blocks, and to more blocks than a multiprocessor holds",
    ),
    fix="pass at most the number of blocks that cuOccupancyMaxActiveBlocksPerMultiprocessor returns",
)
ROOM_IS_GIVEN = Rule(
    "`dynamicSmemSize` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuOccupancyAvailableDynamicSMemPerBlock",
        "the manual says nothing about a null argument; driver 580 writes to the null pointer (segmentation fault)",
    ),
    fix="pass the address of a size_t",
)
BLOCK_IS_POSITIVE = Rule(
    "the block size is positive, and a block size limit is not negative",
    Result.INVALID_VALUE,
    manual("cuOccupancyMaxActiveBlocksPerMultiprocessor", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass a block size of at least 1, or a limit of at least 0",
)


@guard
def flagged(flags: int) -> None:
    """Check the flags of an occupancy query."""
    if flags & ~FLAGS:
        raise OCCUPANCY_FLAGS_ARE_KNOWN.broken(flags=flags)


@guard
def some(blocks: int) -> None:
    """Check that the block size is not 0, before the kernel is checked."""
    if blocks <= 0:
        raise BLOCKS_FIT.broken(blocks=blocks)


@guard
def require_current_context(call: Call) -> None:
    """Check that a context is current, even for a function with a context of its own."""
    require_initialized(call)
    current(call)


@guard
def asked(call: Call, flags: int) -> None:
    """Check a query's context, result pointers and flags before its kernel."""
    require_current_context(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    flagged(flags)


@guard
def held(call: Call, handle: int) -> Held:
    """Return a kernel's entry and device, and the function that reads its attributes."""
    if not handle:
        raise FUNCTION_IS_GIVEN.broken(function=handle)
    kernel = known_kernel_of(call, handle)
    if kernel is not None:
        context = current(call)
        run_by(kernel.library, context)
        return kernel.entry, context.device, partial(of_kernel, kernel, context)
    function = used_function_of(call, handle)
    return function.entry, function.module.context.device, partial(of_function, function)


@guard
def active(call: Call, handle: int, threads: int, dynamic: int, flags: int) -> int:
    """Return how many blocks of a kernel fit on a multiprocessor at once."""
    asked(call, flags)
    known = held(call, handle)
    if threads <= 0:
        raise BLOCK_IS_POSITIVE.broken(threads=threads)
    return blocks_held(*known, threads, dynamic)


def _with_any_carveout(attributes: Attributes, attribute: int) -> int | None:
    """Return a kernel attribute for the best block: a nonzero carveout is ignored."""
    return None if attribute == CARVEOUT else attributes(attribute)


@guard
def potential(call: Call, handle: int, to_shared: int, dynamic: int, limit: int, flags: int) -> tuple[int, int]:
    """Return the grid size that fills the device, and the block size with the most threads running at once."""
    asked(call, flags)
    entry, device, attributes = held(call, handle)
    if limit < 0:
        raise BLOCK_IS_POSITIVE.broken(limit=limit)
    most = threads_at_most(entry, device)
    if attributes(CARVEOUT):
        attributes = partial(_with_any_carveout, attributes)
    sized: Any = call.process.system.function(TO_SHARED, to_shared) if to_shared else lambda _: dynamic
    return best_block(
        lambda threads: blocks_held(entry, device, attributes, threads, sized(threads)),
        device,
        min(limit, most) if limit else most,
    )


@DRIVER.op("cuOccupancyMaxActiveBlocksPerMultiprocessor")
def occupancy_max_active_blocks_per_multiprocessor(call: Call, handle: int, threads: int, dynamic: int) -> int:
    """Return how many blocks of a kernel, of a given size and shared memory, run at once on a multiprocessor."""
    # CHECK
    return active(call, handle, threads, dynamic, 0)


@DRIVER.op("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")
def occupancy_max_active_blocks_per_multiprocessor_with_flags(
    call: Call, handle: int, threads: int, dynamic: int, flags: int
) -> int:
    """Return how many blocks run at once on a multiprocessor. The flags make no difference."""
    # CHECK
    return active(call, handle, threads, dynamic, flags)


@DRIVER.op("cuOccupancyAvailableDynamicSMemPerBlock")
def occupancy_available_dynamic_smem_per_block(call: Call, handle: int, blocks: int, threads: int) -> int:
    """Return the dynamic shared memory that each block can have if `numBlocks` blocks run on a multiprocessor."""
    # CHECK
    require_current_context(call)
    some(blocks)
    entry, device, attributes = held(call, handle)
    if call.nulls:
        call.undefined(ROOM_IS_GIVEN)
        raise ROOM_IS_GIVEN.broken()
    if threads <= 0:
        raise BLOCK_IS_POSITIVE.broken(threads=threads)
    if blocks > blocks_held(entry, device, attributes, threads, 0):
        raise BLOCKS_FIT.broken(blocks=blocks)
    # EFFECT
    share = shared_by(entry, device, attributes, blocks)
    return min(share - entry.shared, dynamic_at_most(entry, device, attributes(DYNAMIC)))


@DRIVER.op("cuOccupancyMaxPotentialBlockSize")
def occupancy_max_potential_block_size(
    call: Call, handle: int, to_shared: int, dynamic: int, limit: int
) -> tuple[int, int]:
    """Return the grid size that fills the device, and the block size with the most threads running at once.

    Args:
        call: The call.
        handle: A CUfunction, or a CUkernel.
        to_shared: A function that returns the dynamic shared memory of a block of so many threads; 0 for none.
        dynamic: The dynamic shared memory of a block, where there is no such function.
        limit: The most threads of a block; 0 for as many as the kernel can have.
    """
    # CHECK
    return potential(call, handle, to_shared, dynamic, limit, 0)


@DRIVER.op("cuOccupancyMaxPotentialBlockSizeWithFlags")
def occupancy_max_potential_block_size_with_flags(
    call: Call, handle: int, to_shared: int, dynamic: int, limit: int, flags: int
) -> tuple[int, int]:
    """Return how many blocks run at once on a multiprocessor. The flags make no difference."""
    # CHECK
    return potential(call, handle, to_shared, dynamic, limit, flags)
