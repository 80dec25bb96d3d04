"""Memory of this OS process that launches of native code use, one after another."""

from __future__ import annotations

import ctypes
import mmap

from fakecuda.model.memory.space import MAP_NORESERVE

ALIGNED = 64
ROOM = 1 << 30
"""Addresses of the memory of a launch. Larger allocations have memory of their own."""


class Room:
    """Memory of launches, which takes none of the system's until it is used.

    Args:
        size: Its addresses.

    Attributes:
        held: What holds it.
        start: Its first address.
        size: Its addresses.
        used: How many bytes of it are taken.
        last: What names the launches that have used it last.
    """

    def __init__(self, size: int) -> None:
        self.held = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self.held))
        self.size = size
        self.used = 0
        self.last: object = None

    def take(self, size: int) -> int:
        """Return the address of so many bytes; 0 without room."""
        size = -(-size // ALIGNED) * ALIGNED
        if self.used + size > self.size:
            return 0
        self.used += size
        return self.start + self.used - size


ROOMS: list[Room] = []
"""What the next launches use."""
ZEROS: list[Room] = []
"""Memory without any writes."""


def leave(room: Room) -> None:
    """Leave memory to the next launch."""
    ROOMS.append(room)


def left() -> Room | None:
    """Return what an earlier launch has left. None without any."""
    try:
        return ROOMS.pop()
    except IndexError:
        return None


def zeros(size: int) -> int:
    """Return the address of so many zeros."""
    if not ZEROS or ZEROS[-1].size < size:
        ZEROS.append(Room(max(2 * size, ROOM)))  # launches use the last one still
    return ZEROS[-1].start
