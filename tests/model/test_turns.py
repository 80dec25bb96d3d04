"""Threads that take turns: who gives his away in a call that waits, and what comes out of it."""

from __future__ import annotations

import threading

import pytest
from attrs import define, field

from fakecuda import EndlessWait, Machine
from fakecuda.model.effect import Act, watched
from fakecuda.model.work.stream_scheduler import can_advance, do_oldest
from fakecuda.model.work.waiting import give_turn

from .world import contents, done, started


@define
class InTurn:
    """A thread that takes turns; the oldest stream work runs when it yields."""

    machine: Machine
    thread: int = field(factory=threading.get_ident)
    given: int = 0

    def mine(self) -> bool:
        """Return whether the thread calls."""
        return threading.get_ident() == self.thread

    def give(self) -> None:
        """Do one piece of work; nobody holds the machine's lock meanwhile."""
        assert not self.machine.lock._is_owned()  # type: ignore[attr-defined]
        self.given += 1
        with self.machine.lock:
            able = [stream for stream in self.machine.scheduler.pending if can_advance(stream)]
            if not able:
                msg = "nobody can go on"
                raise EndlessWait(msg)
            do_oldest(self.machine, able[0])

    def threads(self, kernel: str) -> int:  # noqa: ARG002 - no launch has an order here
        """Return the usual order."""
        return 0


def test_a_call_that_waits_has_work_done_by_others_turns() -> None:
    """One piece each time, until all that it waits for is done; the call is made again then."""
    with Machine("h200", seed=0, completion="manual") as machine:
        a = started(machine)
        memory, stream = done(a.c.cuMemAlloc(8)), done(a.c.cuStreamCreate(1))
        turns = machine.scheduler.census.turns = InTurn(machine)
        for value in (1, 2, 3):
            done(a.c.cuMemsetD8Async(memory, value, 8, stream))
        done(a.c.cuStreamSynchronize(stream))
        assert turns.given == 3
        assert contents(a, memory, 8) == b"\3" * 8
        assert not any(map(can_advance, machine.scheduler.pending))


def test_other_threads_wait_as_ever() -> None:
    """They have what they wait for done themselves."""
    with Machine("h200", seed=0, completion="manual") as machine:
        a = started(machine)
        memory, stream = done(a.c.cuMemAlloc(8)), done(a.c.cuStreamCreate(1))
        turns = machine.scheduler.census.turns = InTurn(machine, thread=0)
        done(a.c.cuMemsetD8Async(memory, 1, 8, stream))
        done(a.c.cuStreamSynchronize(stream))
        assert turns.given == 0


def test_what_giving_a_turn_away_raises_ends_the_wait() -> None:
    """The lock is let go, and the machine goes on."""
    with Machine("h200", seed=0, completion="manual") as machine:
        a = started(machine)
        word, stream = done(a.c.cuMemAlloc(8)), done(a.c.cuStreamCreate(1))
        done(a.c.cuMemsetD8(word, 0, 8))
        done(a.c.cuCtxSynchronize())
        done(a.c.cuStreamWaitValue32(stream, word, 1, 1))
        turns = machine.scheduler.census.turns = InTurn(machine)
        with pytest.raises(EndlessWait, match="nobody can go on"):
            a.c.cuStreamSynchronize(stream)
        assert not machine.scheduler.census.waiting
        assert not machine.lock._is_owned()  # type: ignore[attr-defined]
        machine.scheduler.census.turns = None
        with machine.lock, pytest.raises(EndlessWait, match="nobody can go on"):
            give_turn(machine, turns)
        done(a.c.cuDeviceGetCount())


def test_an_effect_tells_what_it_was_called_with() -> None:
    """By place and by name."""
    seen: list[Act] = []
    with Machine("h200", seed=0) as machine, watched(seen.append):
        a = started(machine)
        done(a.c.cuCtxSetLimit(0, 1 << 12))
    (act,) = (one for one in seen if one.effect.name == "context.Context.set_limit")
    assert act.values == (*act.arguments.values(),)
