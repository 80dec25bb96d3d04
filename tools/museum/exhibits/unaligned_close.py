"""A buffer is closed with its requested size instead of its mapped size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.bindings import driver

from tools.museum.exhibit import ERRORS, Exhibit, Part
from tools.museum.workshop import MIB, checked, context, granularity, logged, mapped, open_to, properties

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def grown(_: FakeCuda, *, fixed: bool) -> None:
    """A buffer of 7 MiB is one mapping of 8 MiB."""
    context(driver)
    wanted, step = 7 * MIB, granularity(driver)
    size = -(-wanted // step) * step
    handle = checked(driver.cuMemCreate(size, properties(), 0))
    address = mapped(driver, size, handle)
    recorded = size if fixed else wanted
    if logged(driver.cuMemUnmap(address, recorded)):
        checked(driver.cuMemAddressFree(address, recorded))
    checked(driver.cuMemRelease(handle))


def chunks(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Another process grows a buffer, and records a size inside the second chunk."""
    api = fakecuda.spawn("worker").driver
    context(api, 1)
    address = int(checked(api.cuMemAddressReserve(16 * MIB, 0, 0, 0)))
    for place in (address, address + 8 * MIB):
        handle = checked(api.cuMemCreate(8 * MIB, properties(1), 0))
        checked(api.cuMemMap(place, 8 * MIB, 0, handle, 0))
        checked(api.cuMemRelease(handle))
    open_to(api, address, 16 * MIB, 1)
    logged(api.cuMemUnmap(address, (16 if fixed else 10) * MIB))


EXHIBITS = [
    Exhibit(
        number=3,
        report="NVIDIA/cuda-python#2907",
        title="cuMemUnmap ends inside a mapping",
        happens=(
            "A grown buffer stores the requested size, but memory was mapped in multiples of the granularity. Closing "
            "the buffer unmaps a range that ends inside the last mapping. The unmap is refused, nothing is released, "
            "and the program only warns."
        ),
        part=Part.IGNORED,
        told=("va.mapped.MAPPINGS_ARE_WHOLE", "INVALID_VALUE"),
        programs={"grown": grown, "chunks": chunks},
        devices={"chunks": 2},
        settings=ERRORS,
    ),
]
