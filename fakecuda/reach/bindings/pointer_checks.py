"""Addresses that a binding follows before it makes a call: what lies there is looked for first."""

from __future__ import annotations

import ctypes
import mmap

from fakecuda.errors import FakeCudaError
from fakecuda.model.memory.space import READ, WRITE, mapped_access


def followed(address: int, size: int, access: int = READ) -> None:
    """Check that memory of the host can be read, or written.

    Args:
        address: The first address.
        size: Bytes.
        access: ``READ`` or ``WRITE``.

    Raises:
        FakeCudaError: It cannot, and a binding that does so ends the process.
    """
    if mapped_access(address, size) < access:
        done = "written" if access == WRITE else "read"
        msg = (
            f"an argument leads to {address:#x}, where no {size} bytes can be {done}: a binding ends the process there"
        )
        raise FakeCudaError(msg)


def text_at(address: int) -> bytes:
    """Return the text at an address, up to its end.

    Args:
        address: The first letter's.

    Raises:
        FakeCudaError: Memory that can be read ends before it.
    """
    found = b""
    while True:
        at = address + len(found)
        size = mmap.PAGESIZE - at % mmap.PAGESIZE
        followed(at, size)
        part, end, _ = ctypes.string_at(at, size).partition(b"\0")
        found += part
        if end:
            return found
