"""cuMemAlloc: allocate linear memory on the current device.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import on_another_device
from conformance.cases.driver.va.fixtures import freed, on_model
from conformance.kit.case import Entry
from fakecuda.model.memory.address_ranges import Territory
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    import pytest

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

MIB = 1 << 20


def valid(w: World) -> Invocation:
    return w.process().call("cuMemAlloc", bytesize=4096)


def as_requested(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the size of the range, and its alignment."""
    assert i.c.cuMemGetAddressRange(results[0]) == (Result.SUCCESS, results[0], i.args["bytesize"])
    assert results[0] % 512 == 0


def large(_: World, __: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that an allocation above 1 MiB is aligned to 2 MiB."""
    assert results[0] % (2 * MIB) == 0


entry = Entry("cuMemAlloc", valid, as_requested)
entry.breaks("SIZE_IS_POSITIVE", bytesize=0)
entry.breaks("MEMORY_SUFFICES", bytesize=1 << 40)
entry.breaks("MEMORY_SUFFICES", "more than there are addresses", bytesize=(1 << 64) - 1)
entry.null("dptr", "RESULT_IS_GIVEN")

for size in (1, 511, 513, MIB):
    entry.also(f"{size} bytes", bytesize=size, then=as_requested)
for size in (MIB + 1, 2 * MIB, 2 * MIB + 1):
    entry.also(f"{size} bytes", bytesize=size, then=large)


@entry.also("beside others")
def beside(_: World, i: Invocation) -> None:
    others = [i.process.ok.cuMemAlloc(size) for size in (1, 1, 512, 513)]
    assert len(set(others)) == 4


@entry.also("where memory was freed")
def reused(_: World, i: Invocation) -> None:
    freed(i.process)


entry.also("on another device")(on_another_device)


@entry.also("it dies with its context")
def dies_with_its_context(_: World, i: Invocation) -> None:
    context = i.process.ok.cuCtxCreate(None, 0, 0)
    ptr = i.process.ok.cuMemAlloc(4 * MIB)
    i.process.ok.cuCtxDestroy(context)
    assert i.c.cuMemGetAddressRange(ptr) == (Result.NOT_FOUND, None, None)


@entry.also("another context of the device may use it")
def other_context(_: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)
    ptr = i.process.ok.cuMemAlloc(4096)
    i.process.ok.cuCtxPopCurrent()
    i.process.ok.cuMemsetD8(ptr, 1, 16)


@entry.also("the card is nearly full")
def nearly_full(_: World, i: Invocation) -> None:
    most = i.process.ok.cuMemAlloc(100 << 30)
    assert i.c.cuMemAlloc(100 << 30) == (Result.OUT_OF_MEMORY, None)
    i.process.ok.cuMemFree(most)


entry.alone("the-card-is-nearly-full")

test_mem_alloc = entry.test()


def test_memory_suffices_without_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_addresses(_: World, i: Invocation) -> Invocation:
        monkeypatch.setattr(Territory, "window", lambda _, __: None)
        return i.evolve(bytesize=1 << 30)

    on_model(entry, "MEMORY_SUFFICES", Result.OUT_OF_MEMORY, no_addresses)
