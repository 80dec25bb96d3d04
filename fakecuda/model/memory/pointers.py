"""Checks of host addresses from a program, before their use.

Using an address without memory would crash the process, so the system is asked first. It is asked at every copy,
because memory can be unmapped or protected in between. It is not asked for addresses in the heap: the C library knows
its end.
"""

from __future__ import annotations

import ctypes

from fakecuda.model.memory.space import access_of, mapped_access, maps

_process = ctypes.PyDLL(None)


def reaches(start: int, size: int, access: int) -> bool:
    """Return whether the host may access a whole range of its own memory.

    Args:
        start: The first address.
        size: Bytes, one at least.
        access: ``READ`` or ``WRITE``.
    """
    return (start >= HEAP and start + size <= _break.value) or access_of(start, size) >= access


def is_mapped(start: int, size: int, access: int) -> bool:
    """Return whether the host may access a whole range, even of device addresses."""
    return (start >= HEAP and start + size <= _break.value) or mapped_access(start, size) >= access


def first_of_heap(maps: str) -> int:
    """Return the first address of the heap.

    2**64 without a heap.

    Args:
        maps: The mappings of the process, as Linux lists them.
    """
    heap = next((line for line in maps.splitlines() if line.endswith("[heap]")), f"{1 << 64:x}-")
    return int(heap.partition("-")[0], 16)


def _end_of_heap() -> ctypes.c_size_t:
    try:
        return ctypes.c_size_t.in_dll(_process, "__curbrk")
    except ValueError:  # pragma: no cover - another C library
        return ctypes.c_size_t(0)


HEAP, _break = first_of_heap(maps()), _end_of_heap()
