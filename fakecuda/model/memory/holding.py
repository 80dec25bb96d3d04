"""The memory that a process holds, once per reference."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fakecuda.model.code.linking import blocks_of
from fakecuda.model.memory.array import later_of
from fakecuda.model.memory.backing import DeviceMemory
from fakecuda.model.memory.memory import Mapped, Placed, Registered
from fakecuda.model.memory.pool import Pooled, pools_of
from fakecuda.model.os.process import FORKED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.os.process import Process


def extents_of(process: Process) -> Iterator[Extent]:
    """Yield the memory that a process holds, once per reference.

    Memory that a fork copied belongs to its parent.
    """
    yield from (item.extent for item in process.memory if not isinstance(item, Placed | Registered | Mapped | Pooled))
    yield from (handle.physical.extent for handle in process.handles.values() if handle.references)
    if process.state != FORKED:
        for context in process.contexts.values():
            for arena in (context.linear, *context.arenas.values()):
                yield from (block.extent for block in arena.blocks.values())
        yield from (block.extent for block in blocks_of(process))
        for later in later_of(process):
            yield from later.held
    for pool in pools_of(process):
        yield from (chunk.block.extent for chunk in pool.chunks.values())


def own_sizes(process: Process) -> dict[DeviceMemory, int]:
    """Return the bytes of each device's memory that only this process holds.

    The memory of its contexts is included.
    """
    machine, sizes = process.machine, Counter[DeviceMemory]()
    for extent, count in Counter(extents_of(process)).items():
        if extent.references == count and isinstance(extent.memory, DeviceMemory):
            sizes[extent.memory] += extent.held
    for context in process.contexts.values():
        sizes[context.card.memory] += machine.profile.context_memory
    return dict(sizes)
