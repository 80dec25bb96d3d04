"""Processes that are locked: their calls wait."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from fakecuda import EndlessWait, FakeCudaError, Machine
from fakecuda.model.snapshot import check, snapshot

if TYPE_CHECKING:
    from fakecuda import Process

OUT_OF_CONTEXT, LOCKED = 201, 1


@pytest.fixture
def pair() -> tuple[Process, Process]:
    """Two processes of a machine that have called cuInit."""
    machine = Machine("h200-x2", patience=float("inf"))
    made = machine.spawn("a"), machine.spawn("b")
    for process in made:
        process.c.cuInit(0)
    return made


@pytest.mark.parametrize("call", ["cuDeviceGetCount", "cuInit", "cudaGetDeviceCount"])
def test_calls_of_a_locked_process_wait(pair: tuple[Process, Process], call: str) -> None:
    """Until it is unlocked, by another one; that it was put away meanwhile makes no difference."""
    a, b = pair
    before = snapshot(a.machine)
    assert b.c.cuCheckpointProcessLock(a.pid, None) == (0,)
    assert snapshot(a.machine) != before
    check(a.machine)
    answers: list[tuple[object, ...]] = []
    args = (0,) if call == "cuInit" else ()
    caller = threading.Thread(target=lambda: answers.append(getattr(a.c, call)(*args)))
    caller.start()
    assert b.c.cuCheckpointProcessCheckpoint(a.pid, (0,)) == (0,)
    caller.join(0.05)
    assert caller.is_alive()
    assert b.c.cuCheckpointProcessRestore(a.pid, (0, 0, 0)) == (0,)
    assert b.c.cuCheckpointProcessGetState(a.pid) == (0, LOCKED)
    assert not answers
    assert b.c.cuCheckpointProcessUnlock(a.pid, None) == (0,)
    caller.join()
    assert answers[0][0] == 0


@pytest.mark.usefixtures("by_itself")
def test_a_process_that_has_locked_itself_waits_for_ever(pair: tuple[Process, Process]) -> None:
    """Nobody else can unlock it; it can."""
    a, _ = pair
    assert a.c.cuCheckpointProcessLock(a.pid, None) == (0,)
    with pytest.raises(EndlessWait, match="cuCheckpointProcessUnlock"):
        a.c.cuCtxSynchronize()
    assert a.c.cuCheckpointProcessUnlock(a.pid, None) == (0,)
    assert a.c.cuCtxSynchronize() == (OUT_OF_CONTEXT,)


def test_work_is_done_before_a_process_is_locked(pair: tuple[Process, Process]) -> None:
    """What its streams do."""
    a, b = pair
    a.c.cuCtxCreate(None, 0, 0)
    _, memory = a.c.cuMemAlloc(4096)
    a.c.cuMemsetD8Async(memory, 7, 4096, 0)
    assert b.c.cuCheckpointProcessLock(a.pid, None) == (0,)
    assert not a.machine.pending


@pytest.mark.parametrize("does", ["Checkpoint", "Restore"])
def test_storage_of_the_callers_own_is_not_modelled(pair: tuple[Process, Process], does: str) -> None:
    """An address for what tells of it says so."""
    a, b = pair
    b.c.cuCheckpointProcessLock(a.pid, None)
    if does == "Restore":
        b.c.cuCheckpointProcessCheckpoint(a.pid, None)
    args = (4096,) if does == "Checkpoint" else (0, 0, 4096)
    with pytest.raises(FakeCudaError, match="storage of the caller's own"):
        getattr(b.c, f"cuCheckpointProcess{does}")(a.pid, args)


def test_events_of_a_locked_process_are_opened(pair: tuple[Process, Process]) -> None:
    """They are there."""
    a, b = pair
    for process in pair:
        process.c.cuCtxCreate(None, 0, 0)
    _, event = a.c.cuEventCreate(6)
    _, handle = a.c.cuIpcGetEventHandle(event)
    b.c.cuCheckpointProcessLock(a.pid, None)
    assert b.c.cuIpcOpenEventHandle(handle)[0] == 0


def test_a_locked_process_ends(pair: tuple[Process, Process]) -> None:
    """Its number is nobody's then."""
    a, b = pair
    b.c.cuCheckpointProcessLock(a.pid, None)
    a.exit()
    assert b.c.cuCheckpointProcessGetState(a.pid)[0] == 304
