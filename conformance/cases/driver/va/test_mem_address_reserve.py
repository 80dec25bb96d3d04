"""cuMemAddressReserve: reserve a range of addresses.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.va.fixtures import on_model
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE
from fakecuda.model.memory.address_ranges import Territory
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    import pytest

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

SIZE = 2 * GRANULE


def valid(w: World) -> Invocation:
    return w.process().call("cuMemAddressReserve", size=SIZE, alignment=0, addr=0, flags=0)


def aligned(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the range's alignment, at least to the granularity."""
    assert results[0] % max(i.args["alignment"], GRANULE) == 0


entry = Entry("cuMemAddressReserve", valid, aligned)
entry.null("ptr", "RESULT_IS_GIVEN")
entry.breaks("FLAGS_ARE_ZERO", flags=1)
entry.breaks("SIZE_IS_POSITIVE", size=0)
for size in (4096, 4097, 65536, GRANULE + 4096):
    entry.breaks("SIZE_IS_ALIGNED", f"{size} bytes", size=size)
entry.breaks("ALIGNMENT_IS_A_POWER_OF_TWO", alignment=3)
entry.breaks("ALIGNMENT_IS_A_POWER_OF_TWO", "three granules", alignment=3 * GRANULE)
entry.breaks("HINT_IS_ALIGNED", addr=0x2000_0000_1001)
entry.breaks("HINT_IS_ALIGNED", "a page", addr=0x2000_0000_1000)
entry.breaks("ADDRESSES_SUFFICE", size=1 << 47)
entry.breaks("ADDRESSES_SUFFICE", "past the last address", size=(1 << 64) - GRANULE)
entry.breaks("ADDRESSES_SUFFICE", "aligned beyond all addresses", alignment=1 << 48)

for alignment in (1, 4096, 65536, GRANULE, 4 * GRANULE, 1 << 40):
    entry.also(f"aligned to {alignment}", alignment=alignment, then=aligned)
entry.also("a hint", addr=0x2000_0000_0000, then=aligned)
entry.also("a tebibyte", size=1 << 40, then=aligned)


@entry.also("a hint that is taken", then=aligned)
def hint_taken(_: World, i: Invocation) -> Invocation:
    first = i.process.ok.cuMemAddressReserve(SIZE, 0, 0, 0)
    assert i.process.ok.cuMemAddressReserve(SIZE, 0, first, 0) != first
    return i.evolve(addr=first)


@entry.also("after one that was freed")
def freed_before(_: World, i: Invocation) -> None:
    i.process.ok.cuMemAddressFree(i.process.ok.cuMemAddressReserve(SIZE, 0, 0, 0), SIZE)


test_mem_address_reserve = entry.test()


def test_addresses_suffice(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_addresses(_: World, __: Invocation) -> None:
        monkeypatch.setattr(Territory, "window", lambda _, __: None)

    on_model(entry, "ADDRESSES_SUFFICE", Result.OUT_OF_MEMORY, no_addresses)
