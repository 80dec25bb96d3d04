"""Checks of addresses that a binding reads or writes before it makes a call."""

from __future__ import annotations

import ctypes
import mmap

from fakecuda.errors import FakeCudaError
from fakecuda.model.memory.space import READ, WRITE, mapped_access


def followed(address: int, size: int, access: int = READ) -> None:
    """Check that host memory is readable or writable.

    Args:
        address: The first address.
        size: The size in bytes.
        access: ``READ`` or ``WRITE``.

    Raises:
        FakeCudaError: It is not; a binding would end the process there.
    """
    if mapped_access(address, size) < access:
        done = "written" if access == WRITE else "read"
        msg = (
            f"an argument points to {size} bytes at {address:#x} that cannot be {done}: pass the address of mapped host "
            "memory, because a binding would crash here"
        )
        raise FakeCudaError(msg)


def text_at(address: int) -> bytes:
    """Return the text at an address, without its terminating zero.

    Args:
        address: The address of the first character.

    Raises:
        FakeCudaError: The readable memory ends before the text.
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
