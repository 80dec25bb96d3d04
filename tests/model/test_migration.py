"""Processes that are put away and brought back on other cards: what they are told, what they keep, what others see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import pytest

from fakecuda import FakeCudaError, Machine
from fakecuda.model.invariants import check
from fakecuda.profiles import load
from tests.model.world import created, done, mapped, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Process

SIZE, GRANULE, GIGABYTE = 4 << 20, 2 << 20, 1 << 30
INVALID_VALUE, OUT_OF_MEMORY, OPERATING_SYSTEM = 1, 2, 304
CHECKPOINTED = 2
IPC_PEER = NON_BLOCKING = 1
SHAREABLE = (1, 1, (1, 0), 0, (0, 0, 0))
"""CUmemAllocationProp of exportable memory on the first device."""


@pytest.fixture
def machine() -> Machine:
    """Four cards."""
    return Machine("h200-x4", seed=1)


@pytest.fixture
def a(machine: Machine) -> Process:
    """A process with a context on the first device."""
    return started(machine, name="a")


@pytest.fixture
def b(machine: Machine) -> Process:
    """One that looks on, with a context on each device."""
    process = machine.spawn("b")
    process.c.cuInit(0)
    for device in range(4):
        done(process.c.cuCtxCreate(None, 0, device))
    return process


def uuids(process: Process) -> list[bytes]:
    """Return the UUIDs of the devices as a process knows them."""
    return [done(process.c.cuDeviceGetUuid(device)) for device in range(4)]


def turned(machine: Machine, by: int = 1) -> tuple[Any, ...]:
    """Return the arguments that have each card be one of the next ones."""
    own = [device.profile.uuid for device in machine.devices]
    return tuple(zip(own, own[by:] + own[:by], strict=True)), 4, 0


def goes(a: Process, b: Process, args: tuple[Any, ...] | None) -> tuple[Any, ...]:
    """Have a process put another one away and bring it back; return the answer to that."""
    for does in ("Lock", "Checkpoint"):
        done(getattr(b.c, f"cuCheckpointProcess{does}")(a.pid, None))
    answer: tuple[Any, ...] = b.c.cuCheckpointProcessRestore(a.pid, args)
    if answer == (0,):
        done(b.c.cuCheckpointProcessUnlock(a.pid, None))
    check(a.machine)
    return answer


def used(machine: Machine) -> list[int]:
    """Return how much of each card's memory is in use."""
    return [device.memory.used for device in machine.devices]


def test_a_process_goes_round(machine: Machine, a: Process, b: Process) -> None:
    """It knows its devices by the numbers and places that they had, and has what it had; others see where it is."""
    linear, showing = int(done(a.c.cuMemAlloc(SIZE))), mapped(a, created(a))
    pool = int(done(a.c.cuMemAllocAsync(SIZE, 0)))
    elsewhere = done(a.c.cuCtxCreate(None, 0, 2))
    other = int(done(a.c.cuMemAlloc(SIZE)))
    done(a.c.cuMemsetD8(other, 4, GRANULE))
    done(a.c.cuCtxPopCurrent())
    for value, place in enumerate((linear, showing, pool), 1):
        done(a.c.cuMemsetD8(place, value, GRANULE))
    done(a.c.cuCtxSynchronize())
    own, places = uuids(a), [a.c.cuDeviceGetPCIBusId(16, device) for device in range(4)]
    empty = machine.profile.context_memory
    before = [size - empty for size in used(machine)]
    for step in range(1, 5):
        assert goes(a, b, turned(machine)) == (0,)
        assert uuids(a) == own[step:] + own[:step]
        assert uuids(b) == own
        assert [a.c.cuDeviceGetPCIBusId(16, device) for device in range(4)] == places
        assert a.c.cuCtxGetDevice() == (0, 0)
        assert [size - empty for size in used(machine)] == before[-step:] + before[:-step]
        room = bytearray(8)
        for value, place in enumerate((linear, showing, pool, other), 1):
            done(a.c.cuMemcpyDtoH(room, place, 8))
            assert room == bytes([value]) * 8
    assert a.checkpoint is None
    done(a.c.cuCtxDestroy(elsewhere))
    check(machine)


def test_what_comes_later_lies_on_the_new_card(machine: Machine, a: Process, b: Process) -> None:
    """Contexts, linear memory, handles, pools and arrays: it fills where the device is by now."""
    assert goes(a, b, turned(machine)) == (0,)
    before = used(machine)
    done(a.c.cuMemAlloc(SIZE))
    created(a)
    done(a.c.cuMemAllocAsync(SIZE, 0))
    done(a.c.cuArrayCreate((64, 64, 1, 4)))
    done(a.c.cuCtxCreate(None, 0, 0))
    after = used(machine)
    assert [one for one in range(4) if after[one] != before[one]] == [1]
    free, _ = done(a.c.cuMemGetInfo())
    assert free == machine.devices[1].memory.total - after[1]
    assert a.c.cuMemAlloc(free + 1)[0] == OUT_OF_MEMORY
    assert a.c.cuMemCreate(free // GRANULE * GRANULE + GRANULE, (1, 0, (1, 0), 0, (0, 0, 0)), 0)[0] == OUT_OF_MEMORY
    assert b.c.nvmlInit_v2() == (0,)
    card = done(b.c.nvmlDeviceGetHandleByIndex_v2(1))
    assert a.pid in [row[0] for row in done(b.c.nvmlDeviceGetComputeRunningProcesses_v3(card, 9))[1]]
    a.kill()
    check(machine)


def test_without_pairs_it_comes_back_where_it_was(machine: Machine, a: Process, b: Process) -> None:
    """That is the card that it went to last; pairs that change nothing do the same."""
    assert goes(a, b, turned(machine, 2)) == (0,)
    there = uuids(a)
    for args in (None, (0, 0, 0), turned(machine, 4)):
        assert goes(a, b, args) == (0,)
        assert uuids(a) == there
    assert goes(a, b, turned(machine, 2)) == (0,)
    assert uuids(a) == uuids(b)


@pytest.mark.parametrize("wrong", ["one too few", "one too many", "one twice", "unknown", "not read"])
def test_pairs_that_are_wrong_change_nothing(machine: Machine, a: Process, b: Process, wrong: str) -> None:
    """The process is put away still, and is brought back by others."""
    pairs, _, _ = turned(machine)
    given = {
        "one too few": pairs[1:],
        "one too many": (*pairs, pairs[0]),
        "one twice": (*pairs[:3], (pairs[3][0], pairs[0][1])),
        "unknown": (*pairs[:3], (pairs[3][0], bytes(16))),
        "not read": 0,
    }[wrong]
    assert goes(a, b, (given, len(given) if given else 1 << 20, 0)) == (INVALID_VALUE,)
    assert b.c.cuCheckpointProcessGetState(a.pid) == (0, CHECKPOINTED)
    assert b.c.cuCheckpointProcessRestore(a.pid, turned(machine)) == (0,)


def test_a_card_without_room(machine: Machine, a: Process, b: Process) -> None:
    """The card that it goes to counts, and there is no second try."""
    done(a.c.cuMemAlloc(4 * GIGABYTE))
    machine.exhaust_memory(1, GIGABYTE)
    assert goes(a, b, turned(machine)) == (OUT_OF_MEMORY,)
    assert b.c.cuCheckpointProcessRestore(a.pid, turned(machine)) == (OPERATING_SYSTEM,)


def test_memory_that_others_hold_stays(machine: Machine, a: Process, b: Process) -> None:
    """Nobody has asked a card what becomes of it: the process can come back where it was."""
    memory = done(a.c.cuMemAlloc(SIZE))
    opened = done(b.c.cuIpcOpenMemHandle(done(a.c.cuIpcGetMemHandle(memory)), IPC_PEER))
    with pytest.raises(FakeCudaError, match="have the other process close the memory"):
        goes(a, b, turned(machine))
    assert b.c.cuCheckpointProcessRestore(a.pid, None) == (0,)
    done(b.c.cuCheckpointProcessUnlock(a.pid, None))
    done(b.c.cuIpcCloseMemHandle(opened))
    assert goes(a, b, turned(machine)) == (0,)


def test_what_is_shared_afterwards_is_refused(machine: Machine, a: Process, b: Process) -> None:
    """By name: memory that it shared would be on another card than its device is to others."""
    handle, theirs = (
        done(a.c.cuMemCreate(GRANULE, SHAREABLE, 0)),
        done(b.c.cuIpcGetMemHandle(done(b.c.cuMemAlloc(SIZE)))),
    )
    memory = done(a.c.cuMemAlloc(SIZE))
    named = done(a.c.cuIpcGetMemHandle(memory))
    assert goes(a, b, turned(machine)) == (0,)
    refused: list[Callable[[], object]] = [
        lambda: a.c.cuIpcGetMemHandle(done(a.c.cuMemAlloc(SIZE))),
        lambda: a.c.cuIpcOpenMemHandle(theirs, IPC_PEER),
        lambda: b.c.cuIpcOpenMemHandle(named, IPC_PEER),
        lambda: a.c.cuMemExportToShareableHandle(handle, 1, 0),
    ]
    for call in refused:
        with pytest.raises(FakeCudaError, match="was restored on other devices"):
            call()
        check(machine)
    assert goes(a, b, turned(machine, 3)) == (0,)
    done(b.c.cuIpcOpenMemHandle(named, IPC_PEER))


def test_storage_of_the_callers_own() -> None:
    """A driver that does not know it takes it for a reserved member; of one that does it is not modelled."""
    given = {"Checkpoint": (1,), "Restore": (0, 0, 1)}
    with Machine("h200") as machine:
        a = started(machine, name="a")
        for does, args in given.items():
            assert getattr(a.c, f"cuCheckpointProcess{does}")(a.pid, args) == (INVALID_VALUE,)
    with Machine(attrs.evolve(load("h200"), driver_version=13040)) as machine:
        a = started(machine, name="a")
        for does, args in given.items():
            with pytest.raises(FakeCudaError, match="custom storage for checkpoints"):
                getattr(a.c, f"cuCheckpointProcess{does}")(a.pid, args)


def test_what_is_locked_is_done(machine: Machine, a: Process, b: Process) -> None:
    """The lock has waited for it: no stream races with it afterwards."""
    memory = done(a.c.cuMemAlloc(SIZE))
    one, other = (done(a.c.cuStreamCreate(NON_BLOCKING)) for _ in range(2))
    done(a.c.cuMemsetD8Async(memory, 1, SIZE, one))
    assert goes(a, b, turned(machine)) == (0,)
    done(a.c.cuMemsetD8Async(memory, 2, SIZE, other))
