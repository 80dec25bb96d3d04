"""Questions about addresses beyond a reservation: what ends there, what is mapped there, and what lies there afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.va.fixtures import prop
from conformance.kit.world import GRANULE, access, pinned
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import Process, World

NEVER, ONCE, FIRST = "nothing", "something once", "something in its first half"
"""What was mapped in a reservation of four granules."""
LARGE = (256 * GRANULE, 1 << 36, 1 << 46, 1 << 48, 1 << 63)


def reserved(a: Process, granules: int, had: str = NEVER) -> int:
    """Return the start of a new reservation.

    Args:
        a: The process.
        granules: Its size.
        had: What was mapped in it.
    """
    ptr: int = a.ok.cuMemAddressReserve(granules * GRANULE, 0, 0, 0)
    if had != NEVER:
        size = granules * GRANULE // (2 if had == FIRST else 1)
        a.ok.cuMemMap(ptr, size, 0, a.ok.cuMemCreate(size, pinned(), 0), 0)
        if had == ONCE:
            a.ok.cuMemUnmap(ptr, size)
    return ptr


def ranges(ptr: int, size: int) -> list[tuple[int, int]]:
    """Return ranges from a reservation's start and from behind it that end before its end, at it, and behind it."""
    starts = (ptr, ptr + 1, ptr + PAGE, ptr + GRANULE, ptr + size - GRANULE, ptr + size - 1)
    ends = (ptr + size - 1, ptr + size, ptr + size + 1, ptr + size + PAGE, ptr + size + GRANULE, ptr + 2 * size)
    return [(start, end - start) for start in starts for end in ends if end > start]


@question()
def unmapping_beyond_a_reservation(w: World) -> None:
    """Whether a range in which nothing is mapped may run on behind its reservation, by where it starts and ends."""
    for had in (NEVER, ONCE):
        a = w.process(context=False)
        ptr = reserved(a, 4, had)
        for start, size in ranges(ptr, 4 * GRANULE):
            a.c.cuMemUnmap(start, size)
        for size in LARGE:
            a.c.cuMemUnmap(ptr, size)
        a.c.cuMemUnmap(ptr, (1 << 64) - ptr)
        a.c.cuMemUnmap(ptr, (1 << 64) - 1)
        a.c.cuMemAddressFree(ptr, 4 * GRANULE)


@question()
def unmapping_beyond_a_small_reservation(w: World) -> None:
    """The same of reservations of one granule, which a program has several of: before, beside and behind others."""
    for had in (NEVER, ONCE):
        a = w.process(context=False)
        several = [reserved(a, 1, had) for _round in range(4)]
        for ptr in several:
            for start, size in ranges(ptr, GRANULE):
                a.c.cuMemUnmap(start, size)
            a.c.cuMemUnmap(ptr, 64 * GRANULE)


@question()
def unmapping_beyond_a_reservation_in_use(w: World) -> None:
    """The same where something is mapped: in the reservation, and in the one behind it."""
    for had in (FIRST, NEVER):
        a = w.process(context=False)
        ptr = reserved(a, 4, had)
        for start, size in (
            (ptr + 2 * GRANULE, 2 * GRANULE + 1),
            (ptr + 2 * GRANULE, 4 * GRANULE),
            (ptr + 2 * GRANULE + 1, 2 * GRANULE),
            (ptr + 1, 2 * GRANULE),
            (ptr + 1, 4 * GRANULE),
            (ptr, GRANULE),
            (ptr, 3 * GRANULE),
            (ptr, 5 * GRANULE),
            (ptr, 4 * GRANULE),
        ):
            a.c.cuMemUnmap(start, size)
        near = a.c.cuMemAddressReserve(4 * GRANULE, 0, ptr + 4 * GRANULE, 0)[1]
        if near == ptr + 4 * GRANULE:
            handle = a.ok.cuMemCreate(4 * GRANULE, pinned(), 0)
            a.c.cuMemMap(near, 4 * GRANULE, 0, handle, 0)
            for start, size in (
                (ptr, 4 * GRANULE),
                (ptr, 4 * GRANULE + 1),
                (ptr + 1, 4 * GRANULE),
                (ptr, 6 * GRANULE),
                (ptr, 8 * GRANULE),
            ):
                a.c.cuMemUnmap(start, size)
            a.c.cuMemUnmap(near, 4 * GRANULE)


@question()
def unmapping_by_alignment(w: World) -> None:
    """Whether a range that is no multiple of the granularity is refused where nothing is mapped, and what a mapping was."""
    for had in (NEVER, ONCE, FIRST):
        a = w.process(context=False)
        ptr = reserved(a, 4, had)
        for start in (2 * GRANULE, 2 * GRANULE + 1, 2 * GRANULE + 512, 2 * GRANULE + PAGE, 2 * GRANULE + (64 << 10)):
            for size in (0, 1, 512, PAGE, 64 << 10, GRANULE - 1, GRANULE, GRANULE + 1):
                a.c.cuMemUnmap(ptr + start, size)


@question()
def what_else_runs_on_behind_a_reservation(w: World) -> None:
    """Access, handles and ends of a range that is longer than its reservation."""
    a = w.process()
    ptr = reserved(a, 4, FIRST)
    for size in (GRANULE, 2 * GRANULE, 2 * GRANULE + 1, 3 * GRANULE, 4 * GRANULE, 5 * GRANULE, 64 * GRANULE):
        a.c.cuMemSetAccess(ptr, size, (access(),), 1)
    for place in (0, 1, GRANULE, 2 * GRANULE - 1, 2 * GRANULE, 3 * GRANULE, 4 * GRANULE):
        a.c.cuMemGetAccess((1, 0), ptr + place)
        code, handle = a.c.cuMemRetainAllocationHandle(ptr + place)
        if not code:
            a.c.cuMemRelease(handle)
        a.c.cuMemGetAddressRange(ptr + place)
    a.ok.cuMemUnmap(ptr, 2 * GRANULE)
    for start, size in (
        (ptr, 5 * GRANULE),
        (ptr, 2 * GRANULE),
        (ptr, 4 * GRANULE + 1),
        (ptr + 1, 4 * GRANULE),
        (ptr + GRANULE, 3 * GRANULE),
        (ptr, 0),
        (ptr, 4 * GRANULE),
    ):
        a.c.cuMemAddressFree(start, size)


def asked_of(a: Process, ptr: int, granules: int) -> None:
    """Ask what lies at the start of each granule of a range."""
    for number in range(granules):
        a.c.cuMemGetAccess((1, 0), ptr + number * GRANULE)
        a.c.cuMemGetAddressRange(ptr + number * GRANULE)
        a.c.cuPointerGetAttribute(12, ptr + number * GRANULE)


def used(a: Process, ptr: int, size: int) -> None:
    """Give access to memory, write all of it, and read its ends."""
    a.c.cuMemSetAccess(ptr, size, (access(),), 1)
    a.c.cuMemsetD8(ptr, 5, size)
    a.c.cuMemcpyDtoH(bytearray(4), ptr, 4)
    a.c.cuMemcpyDtoH(bytearray(4), ptr + size - 4, 4)
    a.c.cuCtxSynchronize()


@question()
def a_mapping_past_its_reservation(w: World) -> None:
    """What it is, how it ends, and in which order its parts may end."""
    for reserve, at, mapped in ((1, 0, 2), (2, 1, 2), (4, 0, 8), (4, 3, 4), (1, 0, 32)):
        a = w.process()
        ptr = reserved(a, reserve) + at * GRANULE
        start, size = ptr - at * GRANULE, mapped * GRANULE
        a.c.cuMemMap(ptr, size, 0, a.ok.cuMemCreate(size, pinned(), 0), 0)
        asked_of(a, start, min(at + mapped + 1, 8))
        used(a, ptr, size)
        a.c.cuMemMap(ptr, size, 0, a.ok.cuMemCreate(size, pinned(), 0), 0)
        a.c.cuMemAddressFree(start, reserve * GRANULE)
        a.c.cuMemUnmap(ptr, size - GRANULE)
        a.c.cuMemUnmap(ptr, size + GRANULE)
        a.c.cuMemUnmap(ptr, size)
        asked_of(a, start, 2)
        a.c.cuMemMap(ptr, size, 0, a.ok.cuMemCreate(size, pinned(), 0), 0)
        a.c.cuMemUnmap(ptr, size)
        a.c.cuMemAddressFree(start, reserve * GRANULE)
        a.c.cuCtxSynchronize()


@question()
def what_is_reserved_after_a_mapping_past_its_reservation(w: World) -> None:
    """Whether the next reservations keep off it, at any address and at the one that it covers, and what can be mapped there."""
    for wanted in (True, False):
        a = w.process()
        ptr = reserved(a, 1)
        a.c.cuMemMap(ptr, 4 * GRANULE, 0, a.ok.cuMemCreate(4 * GRANULE, pinned(), 0), 0)
        used(a, ptr, 4 * GRANULE)
        for number in (1, 2, 4):
            made = a.c.cuMemAddressReserve(GRANULE, 0, ptr + number * GRANULE if wanted else 0, 0)[1]
            a.c.cuMemGetAddressRange(made)
            a.c.cuMemGetAccess((1, 0), made)
            a.c.cuMemMap(made, GRANULE, 0, a.ok.cuMemCreate(GRANULE, pinned(), 0), 0)
            used(a, made, GRANULE)
        linear = [a.ok.cuMemAlloc(GRANULE) for _round in range(4)]
        for one in linear:
            a.c.cuMemsetD8(one, 7, GRANULE)
        a.c.cuMemcpyDtoH(bytearray(4), ptr, 4)
        a.c.cuMemcpyDtoH(bytearray(4), ptr + GRANULE, 4)
        a.c.cuMemUnmap(ptr, 4 * GRANULE)
        a.c.cuCtxSynchronize()


@question()
def a_mapping_over_two_reservations(w: World) -> None:
    """Whether it may cover two that adjoin, one that is mapped by then, and which ends first."""
    for second in (NEVER, ONCE, FIRST):
        a = w.process()
        ptr = reserved(a, 2)
        near = a.c.cuMemAddressReserve(2 * GRANULE, 0, ptr + 2 * GRANULE, 0)[1]
        if near != ptr + 2 * GRANULE:
            a.c.cuMemAddressFree(near, 2 * GRANULE)
            continue
        if second != NEVER:
            half = GRANULE if second == FIRST else 2 * GRANULE
            a.c.cuMemMap(near, half, 0, a.ok.cuMemCreate(half, pinned(), 0), 0)
            if second == ONCE:
                a.c.cuMemUnmap(near, half)
        whole = a.ok.cuMemCreate(4 * GRANULE, pinned(), 0)
        a.c.cuMemMap(ptr, 4 * GRANULE, 0, whole, 0)
        asked_of(a, ptr, 4)
        a.c.cuMemMap(near, 2 * GRANULE, 0, a.ok.cuMemCreate(2 * GRANULE, pinned(), 0), 0)
        a.c.cuMemMap(near + GRANULE, GRANULE, 0, a.ok.cuMemCreate(GRANULE, pinned(), 0), 0)
        a.c.cuMemAddressFree(near, 2 * GRANULE)
        a.c.cuMemAddressFree(ptr, 2 * GRANULE)
        a.c.cuMemAddressFree(ptr, 4 * GRANULE)
        a.c.cuMemUnmap(ptr, 2 * GRANULE)
        a.c.cuMemUnmap(near, 2 * GRANULE)
        a.c.cuMemUnmap(ptr, 4 * GRANULE)
        a.c.cuMemAddressFree(near, 2 * GRANULE)
        a.c.cuMemAddressFree(ptr, 2 * GRANULE)


@question()
def a_mapping_past_its_reservation_and_another_fault(w: World) -> None:
    """What is looked at first: alignment, what is mapped, the size, the flags, or the end."""
    a = w.process(context=False)
    ptr = reserved(a, 2)
    large, small = (a.ok.cuMemCreate(size * GRANULE, pinned(), 0) for size in (4, 1))
    for start, size, offset, handle, flags in (
        (ptr + 1, 4 * GRANULE, 0, large, 0),
        (ptr + PAGE, 4 * GRANULE, 0, large, 0),
        (ptr, 4 * GRANULE, 0, large, 1),
        (ptr, 3 * GRANULE, 0, large, 0),
        (ptr, 3 * GRANULE, GRANULE, large, 0),
        (ptr, 8 * GRANULE, 0, large, 0),
        (ptr + 2 * GRANULE, GRANULE, 0, small, 0),
        (ptr + 2 * GRANULE, 4 * GRANULE, 0, large, 0),
        (ptr + GRANULE, GRANULE, 0, small, 0),
        (ptr, 4 * GRANULE, 0, large, 0),
        (ptr + 1, 4 * GRANULE, 0, large, 0),
    ):
        a.c.cuMemMap(start, size, offset, handle, flags)


@question()
def mapping_a_handle_that_was_released(w: World) -> None:
    """Whether a released handle is mapped by its old size, at once and after others were made and released."""
    for later in (0, 1, 2, 8):
        for size, asked in ((1, 1), (1, 2), (2, 1), (2, 2)):
            a = w.process(context=False)
            ptr = reserved(a, 4)
            gone = a.ok.cuMemCreate(size * GRANULE, prop(), 0)
            a.ok.cuMemRelease(gone)
            for _round in range(later):
                a.ok.cuMemCreate(GRANULE, pinned(), 0)
            a.c.cuMemMap(ptr, asked * GRANULE, 0, gone, 0)
            a.c.cuMemSetAccess(ptr, asked * GRANULE, (access(),), 1)
            a.c.cuMemUnmap(ptr, asked * GRANULE)


@question()
def uses_of_a_handle_that_was_released(w: World) -> None:
    """What the other calls with a handle answer then, and those with one that a mapping alone holds."""
    for mapped in (False, True):
        for call, arguments in (
            ("cuMemRelease", ()),
            ("cuMemExportToShareableHandle", (1, 0)),
            ("cuMemGetAllocationPropertiesFromHandle", ()),
        ):
            a = w.process(context=False)
            ptr = reserved(a, 1)
            gone = a.ok.cuMemCreate(GRANULE, prop(), 0)
            if mapped:
                a.ok.cuMemMap(ptr, GRANULE, 0, gone, 0)
            a.ok.cuMemRelease(gone)
            getattr(a.c, call)(gone, *arguments)
            a.c.cuMemRetainAllocationHandle(ptr)
            a.c.cuMemUnmap(ptr, GRANULE)
            getattr(a.c, call)(gone, *arguments)
