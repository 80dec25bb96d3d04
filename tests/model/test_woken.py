"""A call that waits when its process or its machine ends: it says so, and never that what it waited for has come."""

from __future__ import annotations

import threading
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.fuzz.whole import is_held
from fakecuda.errors import MachineClosed, ProcessDied
from fakecuda.model.work import waiting
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.spec.codes import Result
from tests.limits import LONG, until
from tests.model.waiting_calls import PRIMARY, WAITING, World
from tests.rotation import part

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine

ENDS: dict[str, tuple[Callable[[Machine], None], object]] = {
    "kill": (lambda machine: machine.here.kill(), ProcessDied),
    "exit": (lambda machine: machine.here.exit(), ProcessDied),
    "begin_exit": (lambda machine: machine.here.begin_exit(), Result.DEINITIALIZED),
    "close": (lambda machine: machine.close(), MachineClosed),
}
"""Endings, and the exception in Python; C gets ``DEINITIALIZED``."""


def outcome(machine: Machine, name: str, end: Callable[[Machine], None]) -> object:
    """Return what a call answers or raises that waits when something ends."""
    world, answers = World(created=name in WAITING), list[Any]()

    def call() -> None:
        world.enter()
        try:
            answers.append({**WAITING, **PRIMARY}[name](world))
        except fakecuda.FakeCudaError as error:
            answers.append(type(error))

    thread = threading.Thread(target=call)
    thread.start()
    assert until(lambda: thread.native_id in machine.scheduler.census.waiting or not thread.is_alive())
    assert thread.is_alive()
    end(machine)
    thread.join(LONG)
    return answers[0]


def outcome_at(machine: Machine, name: str, end: Callable[[Machine], None], at: int, order: str) -> object:
    """Return what a call answers or raises when something ends just before one of its wake-ups.

    Args:
        machine: The machine.
        name: The call.
        end: Ends something.
        at: Before which wake-up, counted from 1.
        order: Whether what it waits for comes before that, behind it, or not at all.
    """
    world, count, real = World(created=name in WAITING), 0, waiting.glance
    ended: list[bool] = []

    def act() -> None:
        for flag in (0, 1) if order == "before" else ():
            world.write(flag)
        end(machine)
        ended.append(True)
        for flag in (0, 1) if order == "behind" else ():
            world.write(flag)

    def glance(one: Machine) -> None:
        nonlocal count
        count += 1
        real(one)
        if count == at:
            lock: Any = one.lock
            held = lock._release_save()
            other = threading.Thread(target=act)
            other.start()
            assert until(lambda: bool(ended) or bool(getattr(machine, "closed", False)))
            other.join(LONG)
            lock._acquire_restore(held)

    answers = list[Any]()

    def call() -> None:
        world.enter()
        try:
            answers.append({**WAITING, **PRIMARY}[name](world))
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test compares it
            answers.append(type(error))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(waiting, "glance", glance)
        thread = threading.Thread(target=call)
        thread.start()
        thread.join(LONG)
    assert ended
    return answers[0]


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("name", [*WAITING, *PRIMARY])
def test_an_end_at_every_wake_up(name: str, how: str) -> None:
    """What is waited for may have come by then, or may come still: the call never answers for one that has ended.

    A run has one wake-up, by the commit's number.
    """
    end, heard = ENDS[how]
    for order, at in part(product(("before", "behind", "not at all"), (1, 2, 3)), 3):
        with fakecuda.simulate("h200", door="lookalike", strict=False) as machine:
            assert outcome_at(machine, name, end, at, order) == heard, (order, at)
            machine.check_invariants()
            assert not is_held(machine)


def test_a_call_that_does_not_look_again_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it waited for has come, but its process is no more."""
    monkeypatch.setattr("fakecuda.model.os.process.Process.lives", lambda _: None)
    monkeypatch.setattr(waiting, "RetryCall", type("Never", (Exception,), {}))
    end, heard = ENDS["kill"]
    with fakecuda.simulate("h200", door="lookalike", strict=False) as machine:
        assert outcome_at(machine, "cuStreamSynchronize", end, 1, "before") != heard


@pytest.mark.parametrize(
    "door", ["lookalike", pytest.param("native", marks=pytest.mark.skipif(not NATIVE, reason=NEEDS))]
)
@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("name", [*WAITING, *PRIMARY])
def test_what_ends_wakes_a_call(name: str, how: str, door: str) -> None:
    """Each call that waits, each end, by both doors; the machine is whole behind it."""
    end, heard = ENDS[how]
    with fakecuda.simulate("h200", door=door, strict=False) as machine:
        found = outcome(machine, name, end)
        machine.check_invariants()
    through_c = door == "native" and not name.startswith("cuda")  # the runtime API has a module in Python by each door
    assert found == (Result.DEINITIALIZED if through_c else heard)
