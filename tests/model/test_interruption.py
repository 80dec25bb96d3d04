"""Handlers of signals that come within an operation: they run when it has ended."""

from __future__ import annotations

import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.fuzz.interrupts import Stop
from fakecuda.model.call import Call
from fakecuda.model.memory import memory_effects
from fakecuda.model.os import interruption
from fakecuda.rules.driver.memory.mem_free import NO_IMPORTER_IS_OPEN

from .world import done, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine


@pytest.fixture
def within(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Have something done within each allocation."""

    def put(what: Callable[[], object]) -> None:
        real = memory_effects.allocate

        def allocate(*args: Any) -> Any:
            what()
            return real(*args)

        monkeypatch.setattr(memory_effects, "allocate", allocate)

    return put


def send() -> None:
    """Send the signal to this thread."""
    signal.raise_signal(signal.SIGUSR2)


def test_a_handler_runs_behind_the_call(
    machine: Machine, handled: list[Callable[[], Any]], within: Callable[[Callable[[], object]], None]
) -> None:
    """It may call itself, and finds what the call has made."""
    a = started(machine)
    within(send)
    sizes: list[int] = []

    def look() -> None:
        sizes.append(len(a.memory))
        assert a.c.cuMemGetInfo()[0] == 0

    handled.append(look)
    done(a.c.cuMemAlloc(512))
    assert sizes == [1]
    assert [call.call for call in machine.log[-2:]] == ["cuMemAlloc", "cuMemGetInfo"]


def test_what_a_handler_raises_comes_out_of_the_whole_call(
    machine: Machine, handled: list[Callable[[], Any]], within: Callable[[Callable[[], object]], None]
) -> None:
    """It has happened; of a call of the runtime API all has that it is made of."""
    a = started(machine)
    within(send)

    def stop() -> None:
        raise Stop

    handled.append(stop)
    for call in (a.c.cuMemAlloc, a.c.cudaMalloc):
        before = len(a.memory)
        with pytest.raises(Stop):
            call(512)
        assert len(a.memory) == before + 1
        machine.check_invariants()
    assert a.c.cudaGetLastError() == (0,)


def test_what_is_put_off_waits_for_the_outermost_operation(
    machine: Machine, within: Callable[[Callable[[], object]], None]
) -> None:
    """One that is part of another does not end it."""
    a, ran = started(machine), list[int]()

    def part() -> None:
        interruption.defer(threading.get_ident(), lambda: ran.append(len(a.memory)))
        interruption.run_deferred(sys._getframe())
        assert not ran

    within(part)
    assert a.c.cuMemAlloc(512)[0] == 0
    assert ran == [1]


def test_a_handler_runs_behind_a_call_that_raises(
    machine: Machine, handled: list[Callable[[], Any]], within: Callable[[Callable[[], object]], None]
) -> None:
    """As one that the machine's user has made a mistake with."""
    a = started(machine)
    seen: list[str] = []
    handled.append(lambda: seen.append(repr(machine.lock).split()[0]))

    def fail() -> None:
        send()
        raise fakecuda.FakeCudaError

    within(fail)
    with pytest.raises(fakecuda.FakeCudaError):
        a.c.cuMemAlloc(512)
    assert seen == ["<unlocked"]
    assert a.c.cuMemGetInfo()[0] == 0


def test_another_thread_leaves_handlers_to_the_main_one(machine: Machine) -> None:
    """Which is the one that Python runs them in."""
    a, ran = started(machine), list[int]()
    interruption.defer(threading.get_ident(), lambda: ran.append(threading.get_native_id()))
    thread = threading.Thread(target=lambda: a.thread("other").c.cuInit(0))
    thread.start()
    thread.join()
    assert not ran
    a.c.cuInit(0)
    assert ran == [threading.get_native_id()]


def test_a_handler_that_was_set_before_the_first_machine_runs_behind_the_call(
    machine: Machine,
    handled: list[Callable[[], Any]],
    within: Callable[[Callable[[], object]], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As one that is set later."""
    stand_in: Any = signal.signal
    monkeypatch.setattr(signal, "signal", stand_in._real)
    monkeypatch.setattr(signal, "getsignal", signal.getsignal.__wrapped__)  # type: ignore[attr-defined]
    signal.signal(signal.SIGUSR2, lambda *_: [one() for one in handled])
    interruption.put_off()
    a, held = started(machine), list[bool]()
    handled.append(lambda: held.append(machine.lock._is_owned()))  # type: ignore[attr-defined]
    within(send)
    assert a.c.cuMemAlloc(512)[0] == 0
    assert held == [False]


def test_a_machine_of_another_thread_sets_no_handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the main thread may."""
    real = signal.signal
    monkeypatch.setattr(signal, "signal", lambda *_: pytest.fail("it was set"))
    thread = threading.Thread(target=lambda: fakecuda.Machine("h200").close())
    thread.start()
    thread.join()
    assert real is not signal.signal


def test_a_handler_runs_behind_a_call_that_another_process_makes(machine: Machine) -> None:
    """The owner's answer comes first."""
    a, ran = started(machine), list[str]()

    def remote(*_: object) -> tuple[int, None]:
        interruption.defer(threading.get_ident(), lambda: ran.append("handler"))
        ran.append("answer")
        return 0, None

    a.thread_of("main").remote = remote
    assert a.thread("main").c.cuInit(0) == (0,)
    assert ran == ["answer", "handler"]


def test_a_call_that_looks_again_reports_a_finding_once(machine: Machine) -> None:
    """It has said before it waited what it says again."""
    call = Call(started(machine).current_thread(), native=True).after("work")
    for _ in range(2):
        call.undefined(NO_IMPORTER_IS_OPEN, allocation=1)
    assert len(machine.findings) == 1
    machine.findings.clear()


def test_what_a_handler_has_done_meanwhile_is_not_done_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that comes while put-off handlers are run may call, and the end of its call runs them."""
    done: list[str] = []

    class Raced(list[Any]):
        def remove(self, one: Any) -> None:
            super().remove(one)
            one[1]()
            super().remove(one)

    monkeypatch.setattr(interruption, "deferred", Raced([(threading.get_ident(), lambda: done.append("once"))]))
    interruption.run_deferred(None)
    assert done == ["once"]
