"""Host memory of garbage programs, followed by inaccessible pages."""

from __future__ import annotations

import mmap

from fakecuda.model.memory.files import MAP_FIXED
from fakecuda.model.memory.space import MAP_NORESERVE, PROT_NONE, WIDE, libc, map_memory

BEHIND = WIDE
"""The size of the inaccessible memory in bytes."""
FLAGS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE


def guarded(size: int) -> int:
    """Return the address of some pages, followed by inaccessible memory."""
    start = map_memory(size + BEHIND, PROT_NONE, FLAGS)
    map_memory(size, mmap.PROT_READ | mmap.PROT_WRITE, FLAGS | MAP_FIXED, -1, start)
    return start


def free(start: int, size: int) -> None:
    """Free these pages."""
    libc.munmap(start, size + BEHIND)
