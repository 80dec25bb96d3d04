"""Memory of the host for programs of garbage: what is too long for it ends in memory that nobody can use."""

from __future__ import annotations

import mmap

from fakecuda.model.memory.files import MAP_FIXED
from fakecuda.model.memory.space import MAP_NORESERVE, PROT_NONE, WIDE, libc, map_memory

BEHIND = WIDE
"""Bytes that nobody can use: of a smaller range, its ends tell whether it is usable."""
FLAGS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE


def guarded(size: int) -> int:
    """Return the address of some whole pages, behind which nobody can use anything."""
    start = map_memory(size + BEHIND, PROT_NONE, FLAGS)
    map_memory(size, mmap.PROT_READ | mmap.PROT_WRITE, FLAGS | MAP_FIXED, -1, start)
    return start


def free(start: int, size: int) -> None:
    """Give such pages back."""
    libc.munmap(start, size + BEHIND)
