"""Calls where something has run out: they succeed, or are refused and have changed nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.fuzz import interrupts, shortage
from fakecuda import FakeCudaError, Machine
from fakecuda.model.memory import blocks

if TYPE_CHECKING:
    from fakecuda.model.memory.blocks import Arena, Block
    from fakecuda.model.os.process import Process

CALLS = (
    "cuMemAlloc",
    "cuMemAllocAsync",
    "cuMemAllocManaged",
    "cuMemAddressReserve",
    "cuMemCreate",
    "cuMemMap",
    "cuMemsetD8Async",
    "cuMemHostAlloc",
    "cuCtxCreate",
    "cuStreamCreate",
    "cuIpcOpenMemHandle",
    "cudaMalloc",
    "cudaMallocAsync",
    "hipMalloc",
    "hipMemset3DAsync",
)
"""Calls that need memory or addresses; the command takes all calls."""


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """The cases, which say how a call is made valid."""
    interrupts.calls()


@pytest.mark.parametrize("call", CALLS)
def test_a_call_where_something_has_run_out(call: str) -> None:
    """It does all, or nothing and says so."""
    assert shortage.exhaust(call).wrong == []


def test_shortages_refuse_calls() -> None:
    """Each does, or it would show nothing."""
    outcomes = [shortage.exhaust(call).outcomes for call in ("cuMemCreate", "cuMemAddressReserve", "hipMemset3DAsync")]
    assert outcomes[0]["no memory: 2"]
    assert outcomes[1]["no addresses: 2"]
    assert outcomes[2]["no more bytes: FakeCudaError"]


def test_an_effect_before_its_check_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted one: a card shrinks where memory is missed."""
    take = blocks.take

    def missed(process: Process, arena: Arena, size: int, flags: int = 0) -> tuple[int, Block] | None:
        found = take(process, arena, size, flags)
        if found is None:
            process.machine.devices[0].memory.total -= 1
        return found

    monkeypatch.setattr(blocks, "take", missed)
    assert "answers 2 and has changed something" in shortage.exhaust("cuMemAlloc").wrong[0]


def test_a_first_work_that_the_machine_cannot_hold_takes_no_place_in_a_queue() -> None:
    """The stream is as fresh as before."""
    with Machine("h200", memory_cap=0) as machine:
        a = machine.spawn().thread("main").c
        a.cuInit(0)
        a.cuCtxCreate(None, 0, 0)
        pointer = a.cuMemAlloc(512)[1]
        stream = a.cuStreamCreate(0)[1]
        before = machine.snapshot()
        with pytest.raises(FakeCudaError, match="pass a larger memory_cap, in bytes"):
            a.cuMemsetD8Async(pointer, 1, 512, stream)
        assert machine.snapshot() == before
