"""Processes that are locked: their calls wait."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from conformance.kit.world import pinned
from conformance.record.recordings import ROOT
from fakecuda import EndlessWait, Machine, UndefinedBehaviour, profiles
from fakecuda.model.invariants import check
from fakecuda.model.memory.holding import extents_of
from fakecuda.model.os.process import FORKED
from fakecuda.model.snapshot import snapshot
from fakecuda.rules.driver.checkpoint import halted

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Process

OUT_OF_CONTEXT, LOCKED = 201, 1
NOT_FOUND, OPERATING_SYSTEM, UNKNOWN = 500, 304, 999


@pytest.fixture
def pair() -> tuple[Process, Process]:
    """Two processes of a machine that have called cuInit."""
    machine = Machine("h200-x2", wait_timeout=float("inf"))
    made = machine.spawn("a"), machine.spawn("b")
    for process in made:
        process.c.cuInit(0)
    return made


@pytest.mark.parametrize("call", ["cuInit", "cuCtxCreate", "cudaMalloc"])
def test_calls_of_a_locked_process_wait(pair: tuple[Process, Process], call: str) -> None:
    """Until it is unlocked, by another one; that it was put away meanwhile makes no difference."""
    a, b = pair
    before = snapshot(a.machine)
    assert b.c.cuCheckpointProcessLock(a.pid, None) == (0,)
    assert snapshot(a.machine) != before
    check(a.machine)
    answers: list[tuple[object, ...]] = []
    args = {"cuInit": (0,), "cuCtxCreate": (None, 0, 0), "cudaMalloc": (64,)}[call]
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


def test_a_look_answers_at_once_where_it_succeeds(pair: tuple[Process, Process]) -> None:
    """And waits where an H100 waits before it refuses."""
    a, b = pair
    context = a.c.cuCtxCreate(None, 0, 0)[1]
    memory = a.c.cuMemAlloc(64)[1]
    current, locked = threading.Event(), threading.Event()
    answers: list[tuple[object, ...]] = []

    def ask() -> None:
        a.c.cuCtxSetCurrent(context)
        current.set()
        locked.wait()
        answers.append(a.c.cuMemGetAddressRange(memory + (1 << 30)))

    caller = threading.Thread(target=ask)
    caller.start()
    current.wait()
    b.c.cuCheckpointProcessLock(a.pid, None)
    locked.set()
    assert a.c.cuMemGetAddressRange(memory) == (0, memory, 64)
    caller.join(0.05)
    assert not answers
    b.c.cuCheckpointProcessUnlock(a.pid, None)
    caller.join()
    assert answers[0][0] == NOT_FOUND


@pytest.mark.parametrize("strict", [True, False])
def test_what_a_process_that_is_put_away_is_refused(*, strict: bool) -> None:
    """Some calls by a code, and those that read what is gone by a finding, for a driver crashes."""
    with Machine("h200", strict=strict, wait_timeout=float("inf")) as machine:
        a, b = machine.spawn("a"), machine.spawn("b")
        for process in (a, b):
            process.c.cuInit(0)
        a.c.cuCtxCreate(None, 0, 0)
        b.c.cuCheckpointProcessLock(a.pid, None)
        b.c.cuCheckpointProcessCheckpoint(a.pid, (0,))
        assert a.c.cuDeviceGetName(64, 0)[0] == OPERATING_SYSTEM
        if strict:
            with pytest.raises(UndefinedBehaviour, match="MEMORY_IS_THERE_TO_READ"):
                a.c.cuCtxSynchronize()
        else:
            assert a.c.cuCtxSynchronize() == (UNKNOWN,)


@pytest.mark.usefixtures("by_itself")
def test_a_process_that_has_locked_itself_waits_for_ever(pair: tuple[Process, Process]) -> None:
    """Nobody else can unlock it; it can."""
    a, _ = pair
    assert a.c.cuCheckpointProcessLock(a.pid, None) == (0,)
    with pytest.raises(EndlessWait, match="cuCheckpointProcessUnlock"):
        a.c.cuCtxCreate(None, 0, 0)
    assert a.c.cuCheckpointProcessUnlock(a.pid, None) == (0,)
    assert a.c.cuCtxSynchronize() == (OUT_OF_CONTEXT,)


GIGABYTE = 1 << 30


def free(process: Process) -> int:
    """Return how much memory a process sees as free."""
    return int(process.c.cuMemGetInfo()[1])


def test_others_have_the_memory_of_a_process_that_is_put_away(pair: tuple[Process, Process]) -> None:
    """All of it, with what its contexts take, until it is brought back or ends; it stays what it was."""
    a, b = pair
    b.c.cuCtxCreate(None, 0, 0)
    empty = free(b)
    a.c.cuCtxCreate(None, 0, 0)
    _, memory = a.c.cuMemAlloc(GIGABYTE)
    a.c.cuMemsetD8(memory, 7, 16)
    held = free(b)
    for call, seen in (("Lock", held), ("Checkpoint", empty), ("Restore", held), ("Unlock", held)):
        assert getattr(b.c, f"cuCheckpointProcess{call}")(a.pid, None) == (0,)
        assert free(b) == seen
        check(a.machine)
    out = bytearray(16)
    a.c.cuMemcpyDtoH(out, memory, 16)
    assert out == bytes([7] * 16)
    for call in ("Lock", "Checkpoint"):
        getattr(b.c, f"cuCheckpointProcess{call}")(a.pid, None)
    a.exit()
    check(a.machine)
    assert free(b) == empty


MAKERS: dict[str, Callable[[Process], object]] = {
    "none": lambda a: a,
    "linear": lambda a: a.c.cuMemAlloc(GIGABYTE),
    "mapped": lambda a: a.c.cuMemMap(
        a.c.cuMemAddressReserve(GIGABYTE, 0, 0, 0)[1], GIGABYTE, 0, a.c.cuMemCreate(GIGABYTE, pinned(0), 0)[1], 0
    ),
    "of a pool": lambda a: a.c.cuMemAllocAsync(GIGABYTE, 0),
    "managed": lambda a: a.c.cuMemAllocManaged(GIGABYTE, 1),
    "of the host": lambda a: a.c.cuMemHostAlloc(GIGABYTE, 2),
}
EMPTY, CONTEXT = 80552.2, 80028.6
SEEN = {
    "none": (CONTEXT, EMPTY),
    "linear": (79004.6, EMPTY),
    "mapped": (79004.6, EMPTY),
    "of a pool": (79004.6, EMPTY),
    "managed": (79004.6, 79004.6),
    "of the host": (80026.6, EMPTY),
}
"""Free memory of an H100 in MB, beside a running and a checkpointed process."""
UNLIKE = {"managed": (CONTEXT, CONTEXT), "of the host": (CONTEXT, EMPTY)}
"""Memory that the model counts differently: used managed memory, and page tables."""


@pytest.mark.parametrize("kind", SEEN)
def test_free_memory_is_that_of_a_card(kind: str) -> None:
    """As another process sees it; a process with managed memory cannot be checkpointed."""
    with Machine(profiles.load(ROOT / "h100-d" / "profile.toml"), strict=False) as machine:
        watcher, other = machine.spawn(), machine.spawn()
        for process in (watcher, other):
            process.c.cuInit(0)
        watcher.c.cuCtxCreate(None, 0, 0)

        def look() -> float:
            return round(free(watcher) / (1 << 20), 1)

        assert look() == EMPTY
        other.c.cuCtxCreate(None, 0, 0)
        MAKERS[kind](other)
        seen = [look()]
        for call in ("Lock", "Checkpoint", "Restore", "Unlock"):
            getattr(watcher.c, f"cuCheckpointProcess{call}")(other.pid, None)
            seen.append(look())
        running, checkpointed = UNLIKE.get(kind, SEEN[kind])
        assert seen == [running, running, checkpointed, running, running]


def test_memory_that_others_hold_too_stays(pair: tuple[Process, Process]) -> None:
    """What another process has opened is not put away."""
    a, b = pair
    for process in pair:
        process.c.cuCtxCreate(None, 0, 0)
    _, memory = a.c.cuMemAlloc(GIGABYTE)
    b.c.cuIpcOpenMemHandle(a.c.cuIpcGetMemHandle(memory)[1], 1)
    held = free(b)
    for call in ("Lock", "Checkpoint"):
        assert getattr(b.c, f"cuCheckpointProcess{call}")(a.pid, None) == (0,)
        check(a.machine)
    assert held < free(b) < held + GIGABYTE


def test_books_are_right_when_a_call_gives_memory_back_that_is_put_away(pair: tuple[Process, Process]) -> None:
    """The pool of a process that is put away is trimmed, which is not waited with: nobody sees that before it is back."""
    a, b = pair
    b.c.cuCtxCreate(None, 0, 0)
    a.c.cudaSetDevice(0)
    held = free(b)
    _, pool = a.c.cudaDeviceGetDefaultMemPool(0)
    a.c.cudaMemPoolSetAttribute(pool, 4, 2 * GIGABYTE)
    a.c.cudaFreeAsync(a.c.cudaMallocAsync(GIGABYTE, 0)[1], 0)
    a.c.cudaDeviceSynchronize()
    assert free(b) < held
    for call in ("Lock", "Checkpoint"):
        getattr(b.c, f"cuCheckpointProcess{call}")(a.pid, None)
    away = free(b)
    assert a.c.cudaMemPoolTrimTo(pool, 0) == (0,)
    check(a.machine)
    assert free(b) == away
    assert b.c.cuCheckpointProcessRestore(a.pid, None) == (0,)
    assert free(b) == held


@pytest.mark.usefixtures("by_itself")
def test_a_lock_gives_up(pair: tuple[Process, Process]) -> None:
    """Where work never ends: NOT_READY, and the process goes on; without a limit nobody comes back."""
    a, b = pair
    b.c.cuCtxCreate(None, 0, 0)
    _, memory = b.c.cuMemAlloc(64)
    a.c.cuCtxCreate(None, 0, 0)
    opened = a.c.cuIpcOpenMemHandle(b.c.cuIpcGetMemHandle(memory)[1], 1)[1]
    a.c.cuStreamWaitValue32(0, opened, 7, 1)
    assert b.c.cuCheckpointProcessLock(a.pid, (1000, 0, (0,) * 7)) == (600,)
    assert b.c.cuCheckpointProcessGetState(a.pid) == (0, 0)
    with pytest.raises(EndlessWait):
        b.c.cuCheckpointProcessLock(a.pid, (0, 0, (0,) * 7))
    b.c.cuMemsetD8(memory, 7, 64)
    b.c.cuMemsetD32(memory, 7, 16)
    assert b.c.cuCheckpointProcessLock(a.pid, (1000, 0, (0,) * 7)) == (0,)


@pytest.mark.usefixtures("by_itself")
def test_who_waits_for_the_same_goes_on_when_a_lock_gives_up(pair: tuple[Process, Process]) -> None:
    """The caller of the lock may bring about then what nobody could before."""
    a, b = pair
    for process in pair:
        process.c.cuCtxCreate(None, 0, 0)
    _, memory = b.c.cuMemAlloc(64)
    opened = a.c.cuIpcOpenMemHandle(b.c.cuIpcGetMemHandle(memory)[1], 1)[1]
    a.c.cuStreamWaitValue32(0, opened, 7, 1)
    context = a.c.cuCtxGetCurrent()[1]
    answers: list[tuple[object, ...]] = []

    def synchronize() -> None:
        a.c.cuCtxSetCurrent(context)
        answers.append(a.c.cuStreamSynchronize(0))

    caller = threading.Thread(target=synchronize)
    caller.start()
    assert b.c.cuCheckpointProcessLock(a.pid, (500, 0, (0,) * 7)) == (600,)
    b.c.cuMemsetD32(memory, 7, 16)
    caller.join()
    assert answers == [(0,)]


def test_only_the_caller_is_kept_from_acting() -> None:
    """Threads that call other machines meanwhile act as ever."""
    keep: Any = halted.holding
    keep(threading.get_ident() + 1)(None)
    with pytest.raises(halted.Held):
        keep(threading.get_ident())(None)


def test_a_fork_holds_no_memory_of_its_parents_contexts(pair: tuple[Process, Process]) -> None:
    """It has copies of what is written down of them, and no more."""
    a, _ = pair
    a.c.cuCtxCreate(None, 0, 0)
    a.c.cuMemAlloc(64)
    process = a.machine.processes["a"]
    assert list(extents_of(process))
    process.state = FORKED
    assert not list(extents_of(process))
