"""Moving bytes: between pieces of memory, of devices or of the host, and filling them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from fakecuda.model.backing import HostMemory
from fakecuda.model.multicast import Fabric

if TYPE_CHECKING:
    from fakecuda.model.backing import Extent

    Pieces = list[tuple[Extent, int, int]]

CHUNK = 4096
"""Bytes of a pattern that are made at once; what is longer doubles them."""
HOST = HostMemory(0, 0).registered(0, 0)
"""The host's memory as a whole: offsets in it are addresses."""


def host(address: int, size: int) -> Pieces:
    """Return memory of the host as a piece."""
    return [(HOST, address, size)]


def write(pieces: Pieces, source: int) -> None:
    """Copy from host address ``source`` to device memory; a cap that it would pass is said before the first byte."""
    for extent, offset, size in pieces:
        extent.memory.before_write(extent, offset, size)
    for extent, offset, size in pieces:
        if isinstance(extent.memory, Fabric):
            for at, memory, start, length in extent.memory.parts(extent, offset, size):
                ctypes.memmove(memory.memory.address(memory) + start, source + at, length)
        else:
            ctypes.memmove(extent.memory.address(extent) + offset, source, size)
        source += size


def read(pieces: Pieces, target: int) -> None:
    """Copy from device memory to host address ``target``."""
    for extent, offset, size in pieces:
        if isinstance(extent.memory, Fabric):
            ctypes.memset(target, 0, size)
            for at, memory, start, length in extent.memory.parts(extent, offset, size):
                read([(memory, start, length)], target + at)
        elif extent.written:
            ctypes.memmove(target, extent.memory.address(extent) + offset, size)
        else:
            ctypes.memset(target, 0, size)  # reading would make the system hold pages
        target += size


def copy(targets: Pieces, sources: Pieces) -> None:
    """Copy between pieces; those of several mappings go through a buffer."""
    extent, offset, _ = sources[0]
    if len(targets) == len(sources) == 1 and not isinstance(extent.memory, Fabric):
        if extent.written:
            write(targets, extent.memory.address(extent) + offset)
        else:
            fill(targets, 0)  # reading would make the system hold pages
        return
    buffer = ctypes.create_string_buffer(sum(size for _, _, size in sources))
    read(sources, ctypes.addressof(buffer))
    write(targets, ctypes.addressof(buffer))


def fill(pieces: Pieces, value: int, width: int = 1) -> None:
    """Set memory to a value, over and over.

    Args:
        pieces: The memory, each piece a whole number of values.
        value: The value; what of it does not fit is left out.
        width: Its bytes.
    """
    pattern = (value & (1 << 8 * width) - 1).to_bytes(width, "little")
    if pattern.count(pattern[0]) == width:
        for extent, offset, size in pieces:
            extent.memory.fill(extent, offset, pattern[0], size)
        return
    pieces = [piece for one in pieces for piece in _everywhere(*one)]
    for extent, offset, size in pieces:
        extent.memory.before_write(extent, offset, size)
    for extent, offset, size in pieces:
        start = extent.memory.address(extent) + offset
        done = min(size, CHUNK)
        ctypes.memmove(start, pattern * (done // width), done)
        while done < size:
            more = min(done, size - done)
            ctypes.memmove(start + done, start, more)
            done += more


def _everywhere(extent: Extent, offset: int, size: int) -> Pieces:
    """Return the memory that is written where a piece is: that of every device for a multicast object."""
    if isinstance(extent.memory, Fabric):
        return [part[1:] for part in extent.memory.parts(extent, offset, size)]
    return [(extent, offset, size)]
