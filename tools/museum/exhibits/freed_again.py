"""A range that was moved is freed a second time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from cuda.bindings import driver

from tools.museum.exhibit import ERRORS, Exhibit, Part
from tools.museum.workshop import MIB, checked, context, logged, mapped, properties, unmapped

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def deallocate(address: int, size: int) -> None:
    """Free memory and addresses as a deleter, and log failures."""
    code, handle = driver.cuMemRetainAllocationHandle(address)
    if logged((code,)):
        unmapped(driver, address, size)
        checked(driver.cuMemRelease(handle))


def moved(_: FakeCuda, *, fixed: bool) -> None:
    """A grow moves a buffer and frees the old range by hand; then the old buffer's deleter frees it as well."""
    context(driver)
    handle = checked(driver.cuMemCreate(4 * MIB, properties(), 0))
    old = mapped(driver, 4 * MIB, handle)
    new = mapped(driver, 4 * MIB, handle)
    unmapped(driver, old, 4 * MIB)

    for buffer in (new,) if fixed else (old, new):
        deallocate(buffer, 4 * MIB)
    checked(driver.cuMemRelease(handle))


def finaliser(_: FakeCuda, *, fixed: bool) -> None:
    """A finaliser thread releases what is still on its list, a second time."""
    current = context(driver, 1)
    handle = checked(driver.cuMemCreate(2 * MIB, properties(1), 0))
    alive = [mapped(driver, 2 * MIB, handle, 1) for _ in range(3)]
    unmapped(driver, alive[1], 2 * MIB)
    if fixed:
        del alive[1]

    def finalise() -> None:
        checked(driver.cuCtxSetCurrent(current))
        for address in alive:
            deallocate(address, 2 * MIB)

    thread = threading.Thread(target=finalise)
    thread.start()
    thread.join()
    checked(driver.cuMemRelease(handle))


EXHIBITS = [
    Exhibit(
        number=4,
        report="NVIDIA/cuda-python#2877",
        title="a moved range is given back twice",
        happens=(
            "If a grow must move the buffer, it frees the old range and then drops the old buffer, whose deleter "
            "frees the range again. The deleter turns the refusal into a warning, so that the tests stay green."
        ),
        part=Part.IGNORED,
        told=("cuMemRetainAllocationHandle", "INVALID_VALUE", "va.mem_retain_allocation_handle.POINTER_IS_MAPPED"),
        programs={"moved": moved, "finaliser": finaliser},
        devices={"finaliser": 2},
        settings=ERRORS,
    ),
]
