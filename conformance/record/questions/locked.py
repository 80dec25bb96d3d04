"""Questions about memory of the host that is registered a second time, as I/O memory, and in ranges that are far too long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import PAGE
from conformance.kit.world import GRANULE
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import Process, World

IO, READ_ONLY = 4, 8
FIRST, LAST = 4, 8
"""Pages of a plain range of sixteen that are registered: from the one to before the other."""
RANGES = (
    *((4, 8), (4, 6), (5, 6), (6, 8), (4, 5), (7, 8)),
    *((2, 4), (8, 10), (2, 5), (2, 6), (2, 8), (2, 10), (3, 5), (5, 9), (6, 10), (7, 9), (4, 10), (0, 16)),
)
"""First and last page of a second registration."""


def registered(a: Process) -> int:
    """Return sixteen pages of the host, some of which are registered."""
    ptr = a.host_memory(16 * PAGE)
    a.ok.cuMemHostRegister(ptr + FIRST * PAGE, (LAST - FIRST) * PAGE, 0)
    return ptr


def _again(w: World, flags: int) -> None:
    a = w.process()
    ptr = registered(a)
    for start, end in RANGES:
        for left, right in ((0, 0), (1, 0), (0, -1), (-1, 0), (0, 1)):
            if start * PAGE + left < 0 or end * PAGE + right > 16 * PAGE:
                continue
            begin = ptr + start * PAGE + left
            code = a.c.cuMemHostRegister(begin, ptr + end * PAGE + right - begin, flags)[0]
            if not code:
                a.ok.cuMemHostUnregister(begin)


@question()
def registered_again(w: World) -> None:
    """What a second registration answers, by how it overlaps the first, to the byte."""
    _again(w, 0)


@question()
def registered_again_as_io_memory(w: World) -> None:
    """Likewise, as I/O memory."""
    _again(w, IO)


@question()
def registered_again_as_io_memory_with_other_flags(w: World) -> None:
    """Likewise, with all other flags, too."""
    _again(w, IO | 3)


@question()
def registered_again_as_io_memory_to_read(w: World) -> None:
    """Likewise, to be read alone."""
    _again(w, IO | READ_ONLY)
    _again(w, READ_ONLY)


@question()
def small_registrations_again(w: World) -> None:
    """The same of a few bytes, whose pages the driver may look at, first as they are and then as I/O memory."""
    a = w.process()
    ptr = a.host_memory(16 * PAGE)
    for first, size in ((0, 1), (100, 64), (PAGE - 1, 2), (4 * PAGE - 1, 1), (2 * PAGE, PAGE)):
        a.ok.cuMemHostRegister(ptr + first, size, 0)
        for flags in (0, IO):
            for start, length in (
                (first, size),
                (first + size, 1),
                (first - 1, 1),
                (first - 1, 2),
                (first + size - 1, 1),
                (0, first),
                (0, first + 1),
                (0, 8 * PAGE),
                (first, 8 * PAGE),
                (first + size, 8 * PAGE),
            ):
                if start < 0 or not length:
                    continue
                code = a.c.cuMemHostRegister(ptr + start, length, flags)[0]
                if not code:
                    a.ok.cuMemHostUnregister(ptr + start)
        a.ok.cuMemHostUnregister(ptr + first)


@question()
def two_registrations_and_io_memory(w: World) -> None:
    """A range over two registered ones, with and without a gap, as it is and as I/O memory."""
    a = w.process()
    ptr = a.host_memory(16 * PAGE)
    a.ok.cuMemHostRegister(ptr + 2 * PAGE, 2 * PAGE, 0)
    a.ok.cuMemHostRegister(ptr + 6 * PAGE, 2 * PAGE, 0)
    a.ok.cuMemHostRegister(ptr + 8 * PAGE, 2 * PAGE, 0)
    for flags in (0, IO):
        for start in range(11):
            for end in (start + 1, start + 3, 7, 9, 12):
                if end > start:
                    code = a.c.cuMemHostRegister(ptr + start * PAGE, (end - start) * PAGE, flags)[0]
                    if not code:
                        a.ok.cuMemHostUnregister(ptr + start * PAGE)


@question()
def memory_of_the_driver_as_io_memory(w: World) -> None:
    """Memory that the driver gave, and what has none, each with each of the flags."""
    a = w.process()
    for ptr in (
        a.ok.cuMemAllocHost(GRANULE),
        a.ok.cuMemHostAlloc(PAGE, 7),
        a.ok.cuMemAllocManaged(GRANULE, 1),
        a.ok.cuMemAlloc(GRANULE),
        a.ok.cuMemAddressReserve(GRANULE, 0, 0, 0),
    ):
        for flags in (0, IO, READ_ONLY, IO | READ_ONLY):
            for start, size in ((0, PAGE), (PAGE, PAGE), (0, 1), (100, 64)):
                code = a.c.cuMemHostRegister(ptr + start, size, flags)[0]
                if not code:
                    a.ok.cuMemHostUnregister(ptr + start)


@question()
def ranges_far_too_long(w: World) -> None:
    """What is said of a range that runs on behind what the process has, by its length, with and without a registered part."""
    for part in (False, True):
        for flags in (0, IO):
            a = w.process()
            ptr = registered(a) if part else a.host_memory(16 * PAGE)
            for exponent in (62, 63) if flags else (38, 40, 42, 44, 46, 47, 48, 56, 62, 63):
                a.c.cuMemHostRegister(ptr, 1 << exponent, flags)
            a.c.cuMemHostRegister(ptr, (1 << 64) - 1, flags)


@question()
def freed_addresses_of_the_host(w: World) -> None:
    """What is said of registered memory that was unregistered, of freed memory of the driver, and of parts of both."""
    a = w.process()
    ptr = registered(a)
    pinned = a.ok.cuMemAllocHost(PAGE)
    a.ok.cuMemFreeHost(pinned)
    for one in (pinned, pinned + 1, ptr, ptr + FIRST * PAGE + 1, ptr + LAST * PAGE):
        a.c.cuMemHostUnregister(one)
        a.c.cuMemHostGetFlags(one)
    a.c.cuMemHostUnregister(ptr + FIRST * PAGE)
    a.c.cuMemHostUnregister(ptr + FIRST * PAGE)
    a.c.cuMemHostUnregister(a.ok.cuMemAlloc(PAGE))
    a.c.cuMemHostUnregister(a.ok.cuMemAllocManaged(PAGE, 1))
    a.c.cuMemHostUnregister(a.ok.cuMemAllocHost(PAGE))
