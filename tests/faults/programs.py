"""Programs with bugs that only a failure shows, each with its fix: public reports, in our own words."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from fakecuda import Machine
    from fakecuda.surfaces.c import CLevel

GRANULE = 2 << 20
PINNED = (1, 0, (1, 0), 0, (0, 0, 0))
READ_WRITE = ((1, 0), 3)


class CallError(Exception):
    """A call of the driver has failed."""


def done(answer: tuple[Any, ...]) -> Any:  # noqa: ANN401 - plain values
    """Return the result of a call that must succeed."""
    code, *results = answer
    if code:
        raise CallError(code)
    return results[0] if results else None


def started(machine: Machine) -> CLevel:
    """Return the calls of a process that has a driver."""
    c = machine.here.c
    done(c.cuInit(0))
    return c


class Transaction:
    """What is undone when something fails, the last first."""

    def __init__(self) -> None:
        self.undo: list[Any] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        for function, *args in reversed(self.undo if kind else []):
            function(*args)


def allocate(c: CLevel, *, early: bool) -> int:
    """Reserve, create, map and give access; whatever fails, undo the rest.

    Museum 2, cuda-python#2345: what frees the addresses is put down before they are checked.
    """
    with Transaction() as transaction:
        handle = done(c.cuMemCreate(GRANULE, PINNED, 0))
        transaction.undo.append((c.cuMemRelease, handle))
        code, start = c.cuMemAddressReserve(GRANULE, 0, 0, 0)
        if early:
            transaction.undo.append((c.cuMemAddressFree, start or 0, GRANULE))
        done((code,))
        if not early:
            transaction.undo.append((c.cuMemAddressFree, start, GRANULE))
        done(c.cuMemMap(start, GRANULE, 0, handle, 0))
        transaction.undo.append((c.cuMemUnmap, start, GRANULE))
        done(c.cuMemSetAccess(start, GRANULE, (READ_WRITE,), 1))
        done(c.cuMemRelease(handle))
        transaction.undo.remove((c.cuMemRelease, handle))
    return int(start)


def free(c: CLevel, start: int) -> None:
    """Give it back; each step is tried, whatever becomes of the one before."""
    for answer in (c.cuMemUnmap(start, GRANULE), c.cuMemAddressFree(start, GRANULE)):
        done(answer)


def addresses_freed_that_were_never_reserved(machine: Machine) -> None:
    """Museum 2."""
    c = started(machine)
    free(c, allocate(c, early=True))


def addresses_freed_once_they_are_reserved(machine: Machine) -> None:
    """Its fix."""
    c = started(machine)
    free(c, allocate(c, early=False))


def grow(c: CLevel, start: int, old: int, *, restore: bool) -> int:
    """Move a mapping of one granule to two at another place; put it back where that fails.

    Museum 6, cuda-python#2388: what is put back nobody has access to.
    """
    with Transaction() as transaction:
        new = done(c.cuMemCreate(GRANULE, PINNED, 0))
        transaction.undo.append((c.cuMemRelease, new))
        target = done(c.cuMemAddressReserve(2 * GRANULE, 0, 0, 0))
        transaction.undo.append((c.cuMemAddressFree, target, 2 * GRANULE))
        done(c.cuMemUnmap(start, GRANULE))
        if restore:
            transaction.undo.append((c.cuMemSetAccess, start, GRANULE, (READ_WRITE,), 1))
        transaction.undo.append((c.cuMemMap, start, GRANULE, 0, old, 0))
        for place, handle in ((target, old), (target + GRANULE, new)):
            done(c.cuMemMap(place, GRANULE, 0, handle, 0))
            transaction.undo.append((c.cuMemUnmap, place, GRANULE))
        done(c.cuMemSetAccess(target, 2 * GRANULE, (READ_WRITE,), 1))
    done(c.cuMemAddressFree(start, GRANULE))
    done(c.cuMemRelease(new))
    return int(target)


def _grown(machine: Machine, *, restore: bool) -> None:
    c = started(machine)
    handle = done(c.cuMemCreate(GRANULE, PINNED, 0))
    start, size = 0, GRANULE
    try:
        start = done(c.cuMemAddressReserve(GRANULE, 0, 0, 0))
        done(c.cuMemMap(start, GRANULE, 0, handle, 0))
        try:
            done(c.cuMemSetAccess(start, GRANULE, (READ_WRITE,), 1))
            start, size = grow(c, start, handle, restore=restore), 2 * GRANULE
        finally:
            done(c.cuMemUnmap(start, size))
    finally:
        if start:
            done(c.cuMemAddressFree(start, size))
        done(c.cuMemRelease(handle))


def mapped_back_without_access(machine: Machine) -> None:
    """Museum 6."""
    _grown(machine, restore=False)


def mapped_back_with_access(machine: Machine) -> None:
    """Its fix; the undo list runs backwards, so that access comes after the mapping."""
    _grown(machine, restore=True)


def wake(c: CLevel, start: int, count: int, *, tidy: bool) -> None:
    """Back a range with memory again, granule by granule.

    Museum 9, vllm#34602: where memory runs out midway, what is mapped by then stays, and the caller hears of a sleep that goes on.
    """
    mapped = 0
    try:
        for number in range(count):
            handle = done(c.cuMemCreate(GRANULE, PINNED, 0))
            try:
                done(c.cuMemMap(start + number * GRANULE, GRANULE, 0, handle, 0))
            finally:
                done(c.cuMemRelease(handle))
            mapped += 1
        done(c.cuMemSetAccess(start, count * GRANULE, (READ_WRITE,), 1))
    except CallError:
        if tidy and mapped:
            done(c.cuMemUnmap(start, mapped * GRANULE))
        raise


def _slept(machine: Machine, *, tidy: bool) -> None:
    c, count = started(machine), 3
    start = done(c.cuMemAddressReserve(count * GRANULE, 0, 0, 0))
    try:
        wake(c, start, count, tidy=tidy)
    except CallError:
        with suppress(CallError):
            done(c.cuMemAddressFree(start, count * GRANULE))
        raise
    done(c.cuMemUnmap(start, count * GRANULE))
    done(c.cuMemAddressFree(start, count * GRANULE))


def mapped_half(machine: Machine) -> None:
    """Museum 9."""
    _slept(machine, tidy=False)


def mapped_whole_or_not(machine: Machine) -> None:
    """Its fix."""
    _slept(machine, tidy=True)
