"""The ring between the processes of a recorded program and the reader: its layout, and reading from it."""

from __future__ import annotations

import ctypes
import mmap
import os
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from fakecuda.reach.shadow.build import SHADOW
from fakecuda.reach.shadow.tables import MOST_FAULTS, digest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

HEAD = 4096
"""Where records begin."""
CAPACITY = 1 << 24
"""The bytes for records: what a program writes while the reader is away for a tenth of a second."""
WRITTEN, READ, TICKETS, LOST, NESTED = 2, 3, 4, 5, 6
"""Places of words of 8 bytes in the ring's head."""
READER, CLOSED = 14, 15
"""Places of words of 4 bytes there."""
MET = 13
"""The first word of those that count the calls of each fault; behind them stand those that count the refused ones."""
RECORD = Struct("<IBBHQiiii")
"""The head of a record: its bytes, kind, flags, function, ticket, process, thread, code, parent."""
STARTED, CALLED, ANSWERED, OTHER, STACK, ENDED = 1, 2, 3, 4, 5, 6
"""The kinds of records: a process, the words of a call, its answer, a function whose arguments are not known, the stack of the
thread's next call, a process that has run its exit handlers."""
CUT, FORKED_LATER, FAULT = 1, 2, 4
"""Flags: the values of a call were too many for a record; the process is a fork of one that had used the driver; a fault answered."""


class Record(NamedTuple):
    """A record of the ring.

    Attributes:
        kind: Its kind.
        flags: Its flags.
        symbol: The number of the function.
        ticket: Its number among the records of all processes.
        process: The process, by the number that the system gives.
        thread: The thread, by the number that the system gives.
        code: The driver's answer.
        parent: The parent of a process that starts.
        body: The rest.
    """

    kind: int
    flags: int
    symbol: int
    ticket: int
    process: int
    thread: int
    code: int
    parent: int
    body: bytes


class Ring:
    """A ring that programs write to and this process reads.

    Args:
        path: The file, which must not exist.
        capacity: The bytes for records, a multiple of 8.
    """

    def __init__(self, path: Path, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        with path.open("xb+") as file:
            file.truncate(HEAD + capacity)
            self._map = mmap.mmap(file.fileno(), HEAD + capacity)
        make = ctypes.CDLL(str(SHADOW.library())).shadow_make
        make.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
        start = ctypes.c_char.from_buffer(self._map)
        make(ctypes.addressof(start), digest(), capacity)
        del start
        self._words = memoryview(self._map)[: 8 * (MET + 2 * MOST_FAULTS)].cast("Q")
        self._halves = memoryview(self._map)[: 8 * 8].cast("i")

    @property
    def lost(self) -> int:
        """How many records no ring took."""
        return self._words[LOST]

    @property
    def nested(self) -> int:
        """How many calls were made within a call of the same thread, and have no record."""
        return self._words[NESTED]

    def met(self, fault: int) -> tuple[int, int]:
        """Return how many calls a fault has met, and how many it refused.

        Args:
            fault: Its number, from 0.
        """
        return self._words[MET + fault], self._words[MET + MOST_FAULTS + fault]

    def drain(self, to: BinaryIO) -> int:
        """Move what was written to a file; return how many bytes that were."""
        start, end = self._words[READ], self._words[WRITTEN]
        place, size = start % self._capacity, end - start
        first = min(size, self._capacity - place)
        to.write(self._map[HEAD + place : HEAD + place + first])
        to.write(self._map[HEAD : HEAD + size - first])
        self._words[READ] = end
        return size

    def close(self) -> None:
        """Read no more. Programs that still write go on without."""
        self._halves[CLOSED] = 1
        self._words.release()
        self._halves.release()
        self._map.close()


class Tickets:
    """The tickets of a ring that another process reads.

    Args:
        path: The ring's file.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._words = memoryview(mmap.mmap(file.fileno(), HEAD, access=mmap.ACCESS_READ)).cast("Q")

    @property
    def last(self) -> int:
        """The ticket of the last record so far; 0 without any."""
        return self._words[TICKETS]


def records(data: bytes) -> Iterator[Record]:
    """Yield the records that were moved to a file."""
    at = 0
    while at < len(data):
        size, *head = RECORD.unpack_from(data, at)
        yield Record._make((*head, data[at + RECORD.size : at + size]))
        at += size + 7 & ~7


def whole(data: bytes) -> int:
    """Return how many bytes the whole records have that data begins with."""
    at, end = 0, 0
    while end <= len(data):
        at = end
        if len(data) - at < RECORD.size:
            break
        end = at + (RECORD.unpack_from(data, at)[0] + 7 & ~7)
    return at


def place() -> str | None:
    """Return the folder in memory for a ring; None if the system has none that this process can write to."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - a new folder of this user is made in it
