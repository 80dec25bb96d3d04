"""The system of a process: its host memory and host functions.

A process of this OS process is reached directly. :mod:`fakecuda.reach.remote` reaches processes that are other OS
processes.
"""

from __future__ import annotations

import os
import struct
import sys
from typing import TYPE_CHECKING, Any

from fakecuda.model.code.program import Program
from fakecuda.model.memory import pointers
from fakecuda.model.memory.backing import Extent
from fakecuda.model.memory.space import Followed, access_of, all_bytes
from fakecuda.model.memory.transfer import UNPLACED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fakecuda.model.memory.host_memory import HostMemory
    from fakecuda.model.memory.transfer import Pieces, Shape

    Staging = tuple[Pieces, Shape | None]


POINTER = struct.calcsize("P")
KEPT = 64
"""The most arrays of pointers that a process remembers."""


class Whole(Extent):
    """All host memory of an OS process, with addresses as offsets.

    Args:
        memory: The memory.
    """

    __slots__ = ()

    def __init__(self, memory: HostMemory) -> None:
        super().__init__(memory, 0, 0)
        self.written = True


class System:
    """The system of the processes of this OS process.

    Attributes:
        whole: The memory.
        program: What the program and its libraries have registered with the runtime library.
    """

    __slots__ = ("_followed", "program", "whole")

    def __init__(self, memory: HostMemory = UNPLACED) -> None:
        self.whole = Whole(memory)
        self.program = Program()
        self._followed: dict[tuple[int, tuple[int, ...]], Followed | list[tuple[int, int]]] = {}

    def write(self, text: str) -> None:
        """Print a kernel's text."""
        sys.stdout.write(text)

    def path(self, name: bytes) -> str:
        """Return the path of a file that the process names, for this OS process."""
        return os.fsdecode(name)

    def pieces(self, address: int, size: int) -> Pieces:
        """Return a range of host memory as a piece."""
        return [(self.whole, address, size)]

    def access_of(self, start: int, size: int) -> int:
        """Return how the host may access a range.

        See :func:`fakecuda.model.memory.space.access_of`.
        """
        return access_of(start, size)

    def reaches(self, start: int, size: int, access: int) -> bool:
        """Return whether the process may access a whole range of its own memory.

        Args:
            start: The first address.
            size: Bytes.
            access: ``READ`` or ``WRITE``.
        """
        near = self.whole.memory.near
        return pointers.reaches(start, size, access) if near else self.access_of(start, size) >= access

    def load(self, *places: tuple[int, int]) -> tuple[bytes, ...]:
        """Return bytes of the process's memory.

        Args:
            places: The address and the number of bytes of each.

        Raises:
            Unreadable: Some cannot be read.
        """
        return all_bytes(*places)

    def follow(self, start: int, sizes: tuple[int, ...]) -> tuple[bytes, ...] | None:
        """Return bytes that an array of pointers points to; None if it has a null pointer.

        An array that had the same pointers twice is copied together with what they point to.

        Args:
            start: The array.
            sizes: How many bytes each pointer points to.

        Raises:
            Unreadable: As for :meth:`load`.
            RetryCall: The process is another OS process, which was asked for them now.
        """
        known = self._followed.pop((start, sizes), None)  # no other thread reads by it meanwhile
        if isinstance(known, Followed):
            found = known.read()
            if found is not None:
                self._followed[start, sizes] = known
                return found
        pointers = struct.unpack(f"{len(sizes)}Q", self.load((start, len(sizes) * POINTER))[0])
        if not all(pointers):
            return None
        places = list(zip(pointers, sizes, strict=True))
        if len(self._followed) >= KEPT:
            self._followed.clear()
        again = known == places and self.whole.memory.near
        self._followed[start, sizes] = Followed(start, places) if again else places
        return self.load(*places)

    def can_be_followed(self, start: int, size: int, access: int) -> bool:
        """Return whether the process may access a range, as far as is known here.

        In that case the copy of the bytes finds the error.
        """
        return not self.whole.memory.near or pointers.reaches(start, size, access)

    def stage(self, place: tuple[int, int], shape: Shape | None, stage: Callable[[], Staging]) -> Staging:  # noqa: ARG002
        """Return a snapshot of the process's own memory.

        Args:
            place: The first address and the bytes.
            shape: The rows to copy. None for all bytes.
            stage: Makes the snapshot, as :func:`fakecuda.model.memory.transfer.stage` does.
        """
        return stage()

    def collect(self, act: Callable[[], None]) -> Callable[[], None] | None:
        """Execute work of a stream; return the rest to do without the machine's lock.

        None if nothing is left.
        """
        act()
        return None

    def use(
        self, owned: Iterable[tuple[int, int, int]], act: Callable[[], None], fail: Callable[[int, int], None]
    ) -> None:
        """Call ``act`` if the process may access some of its own memory, else ``fail``.

        Args:
            owned: The ranges: first address, bytes and needed access.
            act: Called if all of them are usable.
            fail: Called with the first address and the bytes of a range that is not.
        """
        gone = [place for place in owned if self.access_of(*place[:2]) < place[2]]
        if gone:
            fail(*gone[0][:2])
        else:
            act()

    def registered(self, known: HostMemory, address: int, size: int) -> Extent:
        """Return an extent of memory that the caller owns.

        Args:
            known: The page-locked memory of the machine.
            address: The memory's address.
            size: Bytes.
        """
        return known.registered(address, size)

    def function(self, prototype: Any, address: int) -> Callable[..., None]:
        """Return a Python function that calls a host function.

        Args:
            prototype: The ctypes class of its prototype.
            address: Its address.
        """
        made: Callable[..., None] = prototype(address)
        return made


CALLS_NULL = (1 << 64) - 1
"""A host function that does nothing, which cuda.bindings passes for null."""
OWN = System()
"""The system of this OS process."""
