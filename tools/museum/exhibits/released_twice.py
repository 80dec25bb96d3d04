"""A handle is released by whoever comes, and nobody keeps count."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from cuda.bindings import driver

from tools.museum.exhibit import Exhibit, Part
from tools.museum.workshop import MIB, checked, context, logged, mapped, properties, unmapped

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def sleep(_: FakeCuda, *, fixed: bool) -> None:
    """The whole allocator sleeps after a part of it has."""
    context(driver)
    awake = {}
    for tag in ("weights", "cache"):
        handle = checked(driver.cuMemCreate(2 * MIB, properties(), 0))
        awake[tag] = mapped(driver, 2 * MIB, handle), handle
    for tags in (["weights"], ["weights", "cache"]):
        for tag in tags:
            if fixed and tag not in awake:
                continue
            address, handle = awake.pop(tag) if fixed else awake[tag]
            if logged(driver.cuMemUnmap(address, 2 * MIB)):
                checked(driver.cuMemAddressFree(address, 2 * MIB))
            logged(driver.cuMemRelease(handle))


def collector(_: FakeCuda, *, fixed: bool) -> None:
    """A tensor whose memory sleeps is collected by another thread, which frees it."""
    context(driver, 1)
    handle = checked(driver.cuMemCreate(6 * MIB, properties(1), 0))
    tensor = mapped(driver, 6 * MIB, handle, 1)
    held = {tensor: handle}

    unmapped(driver, tensor, 6 * MIB)
    checked(driver.cuMemRelease(held.pop(tensor) if fixed else held[tensor]))

    def collect() -> None:
        for one in held.values():
            logged(driver.cuMemRelease(one))

    thread = threading.Thread(target=collect)
    thread.start()
    thread.join()


EXHIBITS = [
    Exhibit(
        number=8,
        report="vllm-project/vllm#36651",
        title="cuMemRelease twice",
        happens=(
            "An allocator that sleeps and wakes releases each allocation without a note of which ones it has released already. "
            "A second sleep, or a tensor that is collected meanwhile, releases a handle that may be another's by then."
        ),
        part=Part.UNDEFINED,
        told=("va.handle.HANDLE_IS_HELD", "cuMemRelease"),
        programs={"sleep": sleep, "collector": collector},
    ),
]
