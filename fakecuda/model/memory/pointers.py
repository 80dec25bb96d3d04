"""Addresses of the host that a program gives: whether they can be followed is found before they are.

An address that is followed and holds nothing ends the process. The system is asked instead, at every copy: memory may be
unmapped, or mapped with other rights, between two of them. Nothing is asked of the heap, whose end the C library knows.
"""

from __future__ import annotations

import ctypes

from fakecuda.model.memory.space import access_of, mapped_access, maps

_process = ctypes.PyDLL(None)


def reaches(start: int, size: int, access: int) -> bool:
    """Return whether the host may use all of a range of its own memory.

    Args:
        start: The first address.
        size: Bytes, one at least.
        access: ``READ`` or ``WRITE``.
    """
    return (start >= HEAP and start + size <= _break.value) or access_of(start, size) >= access


def is_mapped(start: int, size: int, access: int) -> bool:
    """Return the same of memory of any kind, that among the device addresses too."""
    return (start >= HEAP and start + size <= _break.value) or mapped_access(start, size) >= access


def first_of_heap(maps: str) -> int:
    """Return the first address of the heap, which moves at its end alone; beyond all addresses where there is none.

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
