"""System resources for memory: sparse files, mapped pages, and pipes."""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
import tempfile
from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.model.memory.space import MAP_NORESERVE, PROT_NONE, libc
from fakecuda.model.os.scarcity import scarcity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAP_FIXED = 0x10
PUNCH_HOLE = 3  # FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE


class Files:
    """The files of devices that are mapped in this OS process.

    Each file takes the address space of four cards. A dropped machine gives its files back when the garbage collector
    finds it. The collector counts objects and not the memory that they hold, so it must be started explicitly.

    Attributes:
        mapped: How many files are mapped.
        enough: The number of files at which the collector runs. A run takes milliseconds, so this is twice the number
            that the last run has left.
    """

    __slots__ = ("enough", "mapped")

    def __init__(self) -> None:
        self.mapped = 0
        self.enough = FEW

    def count(self, change: int) -> None:
        """Count mapped files; a negative number counts unmapped files."""
        self.mapped += change

    def make_room(self) -> None:
        """Collect dropped machines if many files are mapped.

        Each new machine begins with this call.
        """
        if self.mapped >= self.enough:
            gc.collect()
            self.enough = max(FEW, 2 * self.mapped)


FEW = 16
FILES = Files()


def hide(address: int, size: int) -> None:
    """Make device addresses inaccessible to the host again."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED
    libc.mmap(address, size, PROT_NONE, flags, -1, 0)
    tell(address, size, -1, 0)


watchers: list[Callable[[int, int, int, int], None]] = []
"""Hook: hears of device addresses that the host can use from now on, or no longer. Set while processes are attached.

Called with the address, its bytes, the file that lies there, or -1, and the offset in it, with the lock held. It must not call
the driver.
"""


def tell(address: int, size: int, descriptor: int, offset: int) -> None:
    """Call the watchers."""
    for watcher in watchers:
        watcher(address, size, descriptor, offset)


def new_pipe() -> tuple[int, int]:
    """Return the two ends of a new pipe, whose writing end stands for memory.

    The first descriptor is the writing end, the second the reading end.

    Raises:
        FakeCudaError: The system has no descriptors left.
    """
    try:
        ours, theirs = os.pipe()
    except OSError as error:
        msg = f"cannot create a file descriptor for a shareable handle: {scarcity(error)}"
        raise FakeCudaError(msg) from error
    return theirs, ours


def sparse_file(size: int) -> int:
    """Return the descriptor of a new file of zeros without a name.

    Args:
        size: The file's bytes, which take no room.

    Raises:
        FakeCudaError: The system cannot create the file.
    """
    descriptor = -1
    try:
        if hasattr(os, "memfd_create"):
            descriptor = os.memfd_create("fakecuda-device")
        else:
            with tempfile.TemporaryFile() as file:
                descriptor = os.dup(file.fileno())
        os.ftruncate(descriptor, size)
    except OSError as error:
        if descriptor >= 0:
            os.close(descriptor)
        msg = f"cannot create a sparse file of {size >> 30} GiB for simulated device memory: {scarcity(error)}"
        raise FakeCudaError(msg) from error
    return descriptor


def data_in(descriptor: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts (start, end) of a range of a sparse file that are not holes."""
    while start < end and descriptor >= 0:
        try:
            data = os.lseek(descriptor, start, os.SEEK_DATA)
        except OSError:
            return
        start = os.lseek(descriptor, data, os.SEEK_HOLE)
        if data < end:
            yield data, min(start, end)


def punched(descriptor: int, offset: int, size: int) -> bool:
    """Punch a hole into a file, and return whether the system can do that."""
    try:
        return bool(libc.fallocate(descriptor, PUNCH_HOLE, ctypes.c_long(offset), ctypes.c_long(size)) == 0)
    except AttributeError:
        return False
