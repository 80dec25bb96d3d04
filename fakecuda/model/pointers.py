"""Addresses of the host that a program gives: whether they can be followed is found before they are.

An address that is followed and holds nothing ends the process. The system is asked instead, at every copy: memory may be
unmapped between two of them. What a page permits is asked once, and whether it is mapped, which costs less, each time.
Nothing is asked of the heap, whose end the C library knows.
"""

from __future__ import annotations

import ctypes
import mmap
from pathlib import Path

from fakecuda.model.space import MS_ASYNC, WRITE, access_of

MOST = 1024
"""Ranges whose permission is remembered."""
PAGE_BITS = mmap.PAGESIZE.bit_length() - 1
_process = ctypes.PyDLL(None)
_is_hole = _process.msync  # it takes a microsecond: letting other threads run meanwhile would take as long
_is_hole.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_writable: dict[int, int] = {}
"""Ranges that the host may write: the page of the first address, and the end."""


def reaches(start: int, size: int, access: int) -> bool:
    """Return whether the host may use all of a range of its own memory.

    Args:
        start: The first address.
        size: Bytes, one at least.
        access: ``READ`` or ``WRITE``.
    """
    end = start + size
    if start >= HEAP and end <= _break.value:
        return True
    page = start >> PAGE_BITS
    if _writable.get(page, 0) >= end:
        first = page << PAGE_BITS
        return not _is_hole(first, end - first, MS_ASYNC)
    found = access_of(start, size)
    if found == WRITE:
        if len(_writable) >= MOST:
            _writable.clear()
        _writable[page] = end
    return found >= access


def first_of_heap(maps: str) -> int:
    """Return the first address of the heap, which moves at its end alone; beyond all addresses where there is none.

    Args:
        maps: The mappings of the process, as Linux lists them.
    """
    heap = next((line for line in maps.splitlines() if line.endswith("[heap]")), f"{1 << 64:x}-")
    return int(heap.partition("-")[0], 16)


def _maps() -> str:
    try:
        return Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:  # pragma: no cover - not on Linux
        return ""


def _end_of_heap() -> ctypes.c_size_t:
    try:
        return ctypes.c_size_t.in_dll(_process, "__curbrk")
    except ValueError:  # pragma: no cover - another C library
        return ctypes.c_size_t(0)


HEAP, _break = first_of_heap(_maps()), _end_of_heap()
