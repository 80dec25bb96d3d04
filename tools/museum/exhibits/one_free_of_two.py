"""One cuMemAddressFree is called for two reservations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cuda.bindings import driver

from tools.museum.exhibit import ERRORS, Exhibit, Part
from tools.museum.workshop import MIB, checked, context, logged, open_to, properties

if TYPE_CHECKING:
    from fakecuda import FakeCuda


def fast_path(_: FakeCuda, *, fixed: bool) -> None:
    """A buffer grows in place, with a reservation after its own."""
    context(driver)
    base = int(checked(driver.cuMemAddressReserve(4 * MIB, 0, 0, 0)))
    behind = int(checked(driver.cuMemAddressReserve(4 * MIB, 0, base + 4 * MIB, 0)))
    assert behind == base + 4 * MIB
    for place in (base, behind):
        handle = checked(driver.cuMemCreate(4 * MIB, properties(), 0))
        checked(driver.cuMemMap(place, 4 * MIB, 0, handle, 0))
        checked(driver.cuMemRelease(handle))
    open_to(driver, base, 8 * MIB, 0)

    checked(driver.cuMemUnmap(base, 8 * MIB))
    if fixed:
        checked(driver.cuMemAddressFree(base, 4 * MIB))
        checked(driver.cuMemAddressFree(behind, 4 * MIB))
    else:
        logged(driver.cuMemAddressFree(base, 8 * MIB))


def grown_twice(fakecuda: FakeCuda, *, fixed: bool) -> None:
    """Another process's arena is three adjoining reservations without mappings."""
    api = fakecuda.spawn("arena").driver
    checked(api.cuInit(0))
    base = int(checked(api.cuMemAddressReserve(2 * MIB, 0, 0, 0)))
    parts = [(base, 2 * MIB), (base + 2 * MIB, 4 * MIB), (base + 6 * MIB, 2 * MIB)]
    for wanted, size in parts[1:]:
        assert int(checked(api.cuMemAddressReserve(size, 0, wanted, 0))) == wanted
    for address, size in parts if fixed else [(base, 8 * MIB)]:
        logged(api.cuMemAddressFree(address, size))


EXHIBITS = [
    Exhibit(
        number=5,
        report="NVIDIA/cuda-python#2887",
        title="one cuMemAddressFree for two reservations",
        happens=(
            "A buffer that grows in place has a second reservation behind its first. The driver frees a reservation "
            "only by its exact address and size. One call over both reservations is refused, and both stay."
        ),
        part=Part.IGNORED,
        told=("cuMemAddressFree", "va.mem_address_free.RANGE_IS_A_RESERVATION", "INVALID_VALUE"),
        programs={"fast-path": fast_path, "grown-twice": grown_twice},
        settings=ERRORS,
    ),
]
