"""Moving bytes: between host and device memory, between pieces of device memory, and filling them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakecuda.model.backing import Extent

    Pieces = list[tuple[Extent, int, int]]


def write(pieces: Pieces, source: int) -> None:
    """Copy from host address ``source`` to device memory; a cap that it would pass is said before the first byte."""
    for extent, offset, size in pieces:
        extent.memory.before_write(extent, offset, size)
    for extent, offset, size in pieces:
        ctypes.memmove(extent.memory.address(extent) + offset, source, size)
        source += size


def read(pieces: Pieces, target: int) -> None:
    """Copy from device memory to host address ``target``."""
    for extent, offset, size in pieces:
        if extent.written:
            ctypes.memmove(target, extent.memory.address(extent) + offset, size)
        else:
            ctypes.memset(target, 0, size)  # reading would make the system hold pages
        target += size


def copy(targets: Pieces, sources: Pieces) -> None:
    """Copy between device memory; pieces of several mappings go through a buffer."""
    if len(targets) == len(sources) == 1:
        extent, offset, _ = sources[0]
        write(targets, extent.memory.address(extent) + offset)
        return
    buffer = ctypes.create_string_buffer(sum(size for _, _, size in sources))
    read(sources, ctypes.addressof(buffer))
    write(targets, ctypes.addressof(buffer))


def fill(pieces: Pieces, value: int) -> None:
    """Set every byte of device memory to a value."""
    for extent, offset, size in pieces:
        extent.memory.fill(extent, offset, value, size)
