"""The reference of cuMemCreate is never released."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.bindings import driver

from tools.museum.exhibit import LEAKS, Exhibit, Part
from tools.museum.workshop import MIB, checked, context, mapped, properties, unmapped

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def buffers(_: FakeCuda, *, fixed: bool) -> None:
    """Eight buffers are created and closed; a close retains a handle and releases it."""
    context(driver)
    for _buffer in range(8):
        created = checked(driver.cuMemCreate(64 * MIB, properties(), 0))
        address = mapped(driver, 64 * MIB, created)
        if fixed:
            checked(driver.cuMemRelease(created))  # the mapping keeps the memory

        retained = checked(driver.cuMemRetainAllocationHandle(address))
        unmapped(driver, address, 64 * MIB)
        checked(driver.cuMemRelease(retained))


def growth(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Another process grows a buffer by a move, with a retained reference."""
    api = fakecuda.spawn("worker").driver
    context(api, 1)
    old = checked(api.cuMemCreate(2 * MIB, properties(1), 0))
    place = mapped(api, 2 * MIB, old, 1)
    checked(api.cuMemRelease(old))

    moving = checked(api.cuMemRetainAllocationHandle(place))
    unmapped(api, place, 2 * MIB)
    place = mapped(api, 2 * MIB, moving, 1)
    if fixed:
        checked(api.cuMemRelease(moving))
    unmapped(api, place, 2 * MIB)


EXHIBITS = [
    Exhibit(
        number=1,
        report="NVIDIA/cuda-python#2344",
        title="cuMemCreate's reference is never released",
        happens=(
            "A buffer maps new memory and keeps the reference that cuMemCreate returned. Closing the buffer releases "
            "only "
            "the reference that the close itself has taken, so every buffer leaks card memory."
        ),
        part=Part.LEFT,
        told=("left behind: ", "handle: allocation handle "),
        programs={"buffers": buffers, "growth": growth},
        devices={"growth": 2},
        settings=LEAKS,
    ),
]
