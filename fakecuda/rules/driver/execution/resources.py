"""How many blocks of a kernel fit on a multiprocessor, by threads and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code.cubin import RESERVED
from fakecuda.rules.driver.execution.attributes import (
    CARVEOUT,
    DYNAMIC,
    REGISTERS,
    THREADS,
    WARP,
    WHOLE,
    dynamic_at_most,
    registers_of_warp,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.code.code import Entry
    from fakecuda.model.code.module import Function, Kernel
    from fakecuda.model.context import Context, Device

    Attributes = Callable[[int], int | None]

MULTIPROCESSORS, THREADS_OF_ALL, SHARED_OF_ALL, REGISTERS_OF_ALL, BLOCKS_OF_ALL = 16, 39, 81, 82, 106
"""CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, and the limits of a multiprocessor."""
PARTITIONS = 4
"""A multiprocessor has this many register files, each with its own warps."""
UNIT = 128
"""Blocks get shared memory in multiples of this many bytes."""
CARVED = {8: (0, 8, 16, 32, 64, 100, 132, 164), 9: (0, 8, 16, 32, 64, 100, 132, 164, 196, 228)}
"""Possible shared memory sizes of a multiprocessor in KiB, by major architecture."""
KILO = 1024
CONFIGS = {1: WHOLE, 2: 0, 3: WHOLE // 2}
"""The per cent of shared memory for each CUfunc_cache."""


def blocks_held(entry: Entry, device: Device, attributes: Attributes, threads: int, dynamic: int) -> int:
    """Return how many blocks of a kernel fit on a multiprocessor.

    Args:
        entry: The kernel.
        device: The device.
        attributes: Returns the value of a kernel's attribute, or None if it was not set.
        threads: Threads of a block.
        dynamic: Bytes of dynamic shared memory of a block.
    """
    has = device.profile.attributes
    room = max(dynamic_at_most(entry, device, None), attributes(DYNAMIC) or 0)
    if threads > has[THREADS] or dynamic > room:
        return 0
    warps = -(-threads // WARP)
    most = min(has[BLOCKS_OF_ALL], has[THREADS_OF_ALL] // WARP // warps)
    taken = registers_of_warp(entry)
    if taken:
        if warps * taken > has[REGISTERS]:
            return 0
        most = min(most, has[REGISTERS_OF_ALL] // taken // PARTITIONS * PARTITIONS // warps)
    block = _block(entry, device, dynamic)
    return min(most, _carved(device, attributes(CARVEOUT), block) // block) if block else most


def shared_by(entry: Entry, device: Device, attributes: Attributes, blocks: int) -> int:
    """Return the shared memory for each of several blocks on a multiprocessor."""
    asked = attributes(CARVEOUT) if blocks > 1 else None
    return _carved(device, asked, _block(entry, device, 0)) // blocks // UNIT * UNIT


def of_function(function: Function, attribute: int) -> int | None:
    """Return the set value of a function attribute. A carveout beats a CUfunc_cache."""
    return _preferred(function.attribute(attribute), attribute, function.preference)


def of_kernel(kernel: Kernel, context: Context, attribute: int) -> int | None:
    """Return the set value of a kernel attribute in a context."""
    return _preferred(kernel.attributes.get((context.device.ordinal, attribute)), attribute, kernel.preference(context))


def _preferred(value: int | None, attribute: int, config: int) -> int | None:
    return CONFIGS.get(config) if attribute == CARVEOUT and (value is None or value < 0) else value


def _block(entry: Entry, device: Device, dynamic: int) -> int:
    """Return the shared memory that a block uses."""
    taken = entry.shared + dynamic + RESERVED.get(device.architecture, 0)
    return taken + -taken % UNIT


def _carved(device: Device, asked: int | None, block: int) -> int:
    """Return the shared memory carveout of a multiprocessor, at least one block's."""
    has = device.profile.attributes[SHARED_OF_ALL]
    steps = CARVED.get(device.architecture // 10)
    if asked is None or steps is None:
        return has
    wanted = max(has * asked // WHOLE, block)
    return next((step * KILO for step in steps if step * KILO >= wanted), has)


def best_block(blocks: Callable[[int], int], device: Device, limit: int) -> tuple[int, int]:
    """Return the grid size that fills a device, and the block size with most threads.

    Args:
        blocks: Returns how many blocks of so many threads a multiprocessor holds.
        device: The device.
        limit: The most threads of a block; 0 for as many as the kernel can have.
    """
    most, best, held = 0, 0, 0
    for aligned in range(limit + -limit % WARP, 0, -WARP):
        threads = min(limit, aligned)
        count = blocks(threads)
        if threads * count > most:
            most, best, held = threads * count, threads, count
        if most == device.profile.attributes[THREADS_OF_ALL]:
            break
    return held * device.profile.attributes[MULTIPROCESSORS], best
