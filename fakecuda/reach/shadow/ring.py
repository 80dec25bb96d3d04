"""The ring buffer between a recorded program and the reader."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
from contextlib import suppress
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from fakecuda.reach.shadow.build import SHADOW
from fakecuda.reach.shadow.tables import MOST_FAULTS, digest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

HEAD = 4096
"""The offset of the records."""
CAPACITY = 1 << 24
"""The size of the records area: what a program writes in a tenth of a second."""
WRITTEN, READ, TICKETS, LOST, NESTED = 2, 3, 4, 5, 6
"""Offsets of 8-byte words in the ring's head."""
READER, CLOSED = 14, 15
"""Offsets of 4-byte words in the ring's head."""
MET = 13
"""The first counter of each fault's matching calls; failed calls follow."""
RECORD = Struct("<IBBHQiiii")
"""The head of a record: size, kind, flags, function, ticket, and so on."""
STARTED, CALLED, ANSWERED, OTHER, STACK, ENDED = 1, 2, 3, 4, 5, 6
"""The kinds of records: a process, the words of a call, its answer, a function whose arguments are not known, the stack of the
thread's next call, a process that has run its exit handlers."""
CUT, FORKED_LATER, FAULT = 1, 2, 4
"""Flags: the values of a call were too many for a record; the process is a fork of one that had used the driver; a fault answered."""


class Record(NamedTuple):
    """A record in the ring.

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

    Its file is locked while this process lives: see :func:`is_locked`.

    Args:
        path: The file, which must not exist.
        capacity: The bytes for records, a multiple of 8.

    Attributes:
        path: The file.

    Raises:
        OSError: The file system has no room for it.
    """

    def __init__(self, path: Path, capacity: int = CAPACITY) -> None:
        self.path = path
        self._capacity = capacity
        with path.with_suffix(".new").open("xb+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # the map keeps the file open
            os.posix_fallocate(file.fileno(), 0, HEAD + capacity)  # a page without room would end the program by SIGBUS
            self._map = mmap.mmap(file.fileno(), HEAD + capacity)
        make = ctypes.CDLL(str(SHADOW.library())).shadow_make
        make.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
        start = ctypes.c_char.from_buffer(self._map)
        make(ctypes.addressof(start), digest(), capacity)
        del start
        path.with_suffix(".new").rename(path)
        self._words = memoryview(self._map)[: 8 * (MET + 2 * MOST_FAULTS)].cast("Q")
        self._halves = memoryview(self._map)[: 8 * 8].cast("i")

    @property
    def lost(self) -> int:
        """The number of records that did not fit into a ring."""
        return self._words[LOST]

    @property
    def nested(self) -> int:
        """The number of unrecorded calls, made within another call of the same thread."""
        return self._words[NESTED]

    def met(self, fault: int) -> tuple[int, int]:
        """Return how many calls a fault has matched, and how many it has failed.

        Args:
            fault: Its number, from 0.
        """
        return self._words[MET + fault], self._words[MET + MOST_FAULTS + fault]

    def drain(self, to: BinaryIO) -> int:
        """Move new records to a file; return their size in bytes."""
        start, end = self._words[READ], self._words[WRITTEN]
        place, size = start % self._capacity, end - start
        first = min(size, self._capacity - place)
        data = self._map[HEAD + place : HEAD + place + first] + self._map[HEAD : HEAD + size - first]
        while data:  # a file without a buffer may take less than all
            data = data[to.write(data) :]
        self._words[READ] = end
        return size

    def end(self) -> None:
        """Take no further records; programs that still write continue without the ring."""
        self._halves[CLOSED] = 1

    def close(self) -> None:
        """End the ring, and do not read it any more."""
        self.end()
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
        """The ticket of the last record; 0 without records."""
        return self._words[TICKETS]


def records(data: bytes) -> Iterator[Record]:
    """Yield the records that were moved to a file."""
    at = 0
    while at < len(data):
        size, *head = RECORD.unpack_from(data, at)
        yield Record._make((*head, data[at + RECORD.size : at + size]))
        at += size + 7 & ~7


def whole(data: bytes) -> int:
    """Return the size of the complete records at the beginning of data."""
    at, end = 0, 0
    while end <= len(data):
        at = end
        if len(data) - at < RECORD.size:
            break
        end = at + (RECORD.unpack_from(data, at)[0] + 7 & ~7)
    return at


def lock(path: Path) -> int:
    """Lock a file or a folder while this process lives, if its file system has locks; return the open descriptor."""
    opened = os.open(path, os.O_RDONLY)
    with suppress(OSError):
        fcntl.flock(opened, fcntl.LOCK_EX)
    return opened


def is_locked(path: Path) -> bool:
    """Return whether a living process has locked a file or a folder.

    Raises:
        OSError: This user may not open it, or it does not exist.
    """
    opened = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(opened)
    return False


def place() -> str | None:
    """Return a folder in memory for a ring; None if there is no writable one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - a new folder of this user is made in it
