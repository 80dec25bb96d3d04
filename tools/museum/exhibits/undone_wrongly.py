"""A failed call is undone incompletely or wrongly."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from cuda.bindings import driver

from tools.museum.exhibit import SWEEP, Exhibit, Part
from tools.museum.workshop import MIB, checked, context, open_to, properties

if TYPE_CHECKING:
    from fakecuda import FakeCuda

GRAIN = 2 * MIB


def noted_first(_: FakeCuda, *, fixed: bool) -> None:
    """The free of addresses is registered before their reservation is checked."""
    context(driver)
    with ExitStack() as undo:
        handle = checked(driver.cuMemCreate(GRAIN, properties(), 0))
        undo.callback(driver.cuMemRelease, handle)
        answer = driver.cuMemAddressReserve(GRAIN, 0, 0, 0)
        if not fixed:
            undo.callback(driver.cuMemAddressFree, answer[1] or 0, GRAIN)
        address = checked(answer)
        if fixed:
            undo.callback(driver.cuMemAddressFree, address, GRAIN)
        checked(driver.cuMemMap(address, GRAIN, 0, handle, 0))
        undo.callback(driver.cuMemUnmap, address, GRAIN)
        open_to(driver, address, GRAIN, 0)


def behind_its_own(_: FakeCuda, *, fixed: bool) -> None:
    """A growing buffer frees the addresses after its own even if it has none."""
    context(driver)
    first = checked(driver.cuMemAddressReserve(GRAIN, 0, 0, 0))
    code, behind = driver.cuMemAddressReserve(2 * GRAIN, 0, int(first) + GRAIN, 0)
    if not int(code) or not fixed:
        driver.cuMemAddressFree(behind or 0, 2 * GRAIN)
    checked(driver.cuMemAddressFree(first, GRAIN))
    checked((code,))


def back_in_place(_: FakeCuda, *, fixed: bool) -> None:
    """A failed grow maps the memory at its old place, but sets no access."""
    context(driver)
    with ExitStack() as ends:
        handle, address = buffer(ends)
        checked(driver.cuMemUnmap(address, GRAIN))
        code, more = driver.cuMemCreate(2 * GRAIN, properties(), 0)
        if not int(code):
            checked(driver.cuMemRelease(more))
        checked(driver.cuMemMap(address, GRAIN, 0, handle, 0))
        ends.callback(driver.cuMemUnmap, address, GRAIN)
        if not int(code) or fixed:
            open_to(driver, address, GRAIN, 0)
        checked((code,))


def moved_back(_: FakeCuda, *, fixed: bool) -> None:
    """A buffer that cannot move stays at its old place, without access."""
    context(driver)
    with ExitStack() as ends:
        handle, old = buffer(ends)
        checked(driver.cuMemUnmap(old, GRAIN))
        code, new = driver.cuMemAddressReserve(4 * GRAIN, 0, 0, 0)
        if not int(code):
            checked(driver.cuMemAddressFree(new, 4 * GRAIN))
        checked(driver.cuMemMap(old, GRAIN, 0, handle, 0))
        ends.callback(driver.cuMemUnmap, old, GRAIN)
        if not int(code) or fixed:
            open_to(driver, old, GRAIN, 0)
        checked((code,))


def buffer(ends: ExitStack) -> tuple[Any, Any]:
    """Return a handle and its mapped address; the caller ends only the mapping."""
    handle = checked(driver.cuMemCreate(GRAIN, properties(), 0))
    ends.callback(driver.cuMemRelease, handle)
    address = checked(driver.cuMemAddressReserve(GRAIN, 0, 0, 0))
    ends.callback(driver.cuMemAddressFree, address, GRAIN)
    checked(driver.cuMemMap(address, GRAIN, 0, handle, 0))
    try:
        open_to(driver, address, GRAIN, 0)
    except RuntimeError:
        checked(driver.cuMemUnmap(address, GRAIN))
        raise
    return handle, address


EXHIBITS = [
    Exhibit(
        number=2,
        report="NVIDIA/cuda-python#2345",
        title="cuMemAddressFree after a reservation that was refused",
        happens=(
            "The program registers the cleanup of the addresses before it knows whether the reservation succeeds. "
            "If the reservation fails, the cleanup frees addresses that were never reserved, and the error of this "
            "free hides the first error."
        ),
        part=Part.SWEPT,
        told=("cuMemAddressReserve", "va.mem_address_free.RANGE_IS_A_RESERVATION"),
        programs={"noted-first": noted_first, "behind-its-own": behind_its_own},
        settings=SWEEP,
    ),
    Exhibit(
        number=6,
        report="NVIDIA/cuda-python#2388",
        title="mapped again in a rollback, without cuMemSetAccess",
        happens=(
            "A buffer that cannot grow is mapped again at its old address. A new mapping has no access, so the next "
            "use faults, long after the program has handled the failure."
        ),
        part=Part.SWEPT,
        told=("no access  mapping ",),
        programs={"back-in-place": back_in_place, "moved-back": moved_back},
        settings=SWEEP,
    ),
]
