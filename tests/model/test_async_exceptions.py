"""Exceptions that one thread has another one raise: they come between operations, as handlers of signals do."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.fuzz.interrupts import Stop, interrupt, prepare
from fakecuda.model.memory import memory_effects
from fakecuda.model.os import async_exceptions, interruption
from fakecuda.model.os.async_exceptions import machines
from fakecuda.rules.registry import DRIVER

from .world import done, started

if TYPE_CHECKING:
    from fakecuda import Machine


def throw(thread: int) -> int:
    """Have a thread raise, as limits of time do; return in how many threads."""
    found: int = ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Stop))
    return found


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the threads that would raise; none does."""
    seen: list[int] = []

    def note(thread: Any, _: object) -> int:
        seen.append(thread.value)
        return 1

    fakecuda.Machine("h200").close()
    monkeypatch.setattr(ctypes.pythonapi, "PyThreadState_SetAsyncExc", async_exceptions.Setter(note))
    return seen


def test_one_that_comes_in_an_operation_of_the_thread_itself_comes_out_of_it(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As from a trace function, or from a finaliser; the operation has happened."""
    a, allocate = started(machine), memory_effects.allocate

    def thrower(*args: Any) -> Any:
        assert throw(threading.get_ident()) == 1
        return allocate(*args)

    monkeypatch.setattr(memory_effects, "allocate", thrower)
    with pytest.raises(Stop):
        a.c.cuMemAlloc(512)
    assert len(a.memory) == 1


def test_one_outside_of_operations_comes_at_once(machine: Machine) -> None:
    """In the thread itself, and in another one, whatever it waits for."""
    with pytest.raises(Stop):
        throw(threading.get_ident())
    begun, ended = threading.Event(), list[str]()

    def wait() -> None:
        try:
            begun.set()
            while True:
                threading.Event().wait(0.001)
        except Stop:
            ended.append("stopped")

    thread = threading.Thread(target=wait)
    thread.start()
    begun.wait()
    assert throw(thread.ident or 0) == 1
    thread.join()
    assert ended == ["stopped"]
    done(started(machine).c.cuMemAlloc(512))


def test_one_in_another_thread_waits_for_the_locks_of_all_machines(machine: Machine, real: list[int]) -> None:
    """Whoever has one has an operation under way."""
    with machine.lock:
        thread = threading.Thread(target=throw, args=(1,))
        thread.start()
        while not async_exceptions._one_at_a_time.locked():
            threading.Event().wait(0.001)
        assert not real
    thread.join()
    assert real == [1]


def test_one_waits_for_the_end_of_an_exchange(real: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a thread of an attached process; handlers of signals wait likewise."""
    ran: list[str] = []
    former = signal.signal(signal.SIGUSR2, lambda *_: ran.append("handler"))

    def pause(_: float) -> None:
        assert not real
        signal.raise_signal(signal.SIGUSR2)
        assert not ran
        async_exceptions.exchanging.clear()

    monkeypatch.setattr(async_exceptions.time, "sleep", pause)  # type: ignore[attr-defined]
    async_exceptions.exchanging.add(1)
    assert throw(1) == 1
    assert (real, ran) == ([1], ["handler"])
    signal.signal(signal.SIGUSR2, former)


def test_one_waits_no_longer_than_its_timeout(
    machine: Machine, real: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who holds the lock may wait for who raises it."""
    monkeypatch.setattr(async_exceptions, "TIMEOUT", 0.0)
    async_exceptions.exchanging.add(1)
    held, over = threading.Event(), threading.Event()

    def hold() -> None:
        with machine.lock:
            held.set()
            over.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    assert throw(1) == 1
    over.set()
    thread.join()
    assert real == [1]
    async_exceptions.exchanging.clear()


def test_a_machine_that_was_cut_keeps_nobody(real: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lock is nobody's to have."""
    with fakecuda.Machine("h200") as cut:
        a = started(cut)
        monkeypatch.setattr(interruption, "_cuts", lambda *_: True)
        monkeypatch.setattr(memory_effects, "allocate", fail)
        with pytest.raises(Stop):
            a.c.cuMemAlloc(512)
        assert interruption.is_torn(cut)
        assert throw(1) == 1
    assert real == [1]


def fail(*_: object) -> None:
    """Fail as an effect."""
    raise Stop


def test_the_function_has_the_attributes_that_it_had(real: list[int]) -> None:
    """Programs say what it takes; another machine puts nothing in its place any more."""
    stand_in: Any = ctypes.pythonapi.PyThreadState_SetAsyncExc
    stand_in.argtypes = (ctypes.c_ulong, ctypes.py_object)
    assert stand_in.real.argtypes == stand_in.argtypes
    fakecuda.Machine("h200").close()
    assert ctypes.pythonapi.PyThreadState_SetAsyncExc is stand_in
    assert not real


def test_a_forked_child_has_no_thread_that_would_be_waited_for(real: list[int]) -> None:
    """Those of its parent are not there."""
    with async_exceptions._one_at_a_time:
        async_exceptions.exchanging.add(1)
        child = os.fork()
        if not child:
            os._exit(throw(1) + len(async_exceptions.exchanging))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
        assert not real
        async_exceptions.exchanging.add(1)
        async_exceptions._forked()
        assert throw(1) == 1


def test_one_that_comes_before_an_operation_begins_cuts_none() -> None:
    """As while it waits for the machine's lock, though it would have several effects."""
    several = DRIVER.ops["cuMemSetAccess"]
    with pytest.raises(Stop) as came:
        fail()
    trace = came.value.__traceback__
    assert trace is not None
    assert interruption._cuts(several, came.value)
    assert not interruption._cuts(several, came.value.with_traceback(trace.tb_next))


def test_a_cut_by_another_thread_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where whoever raises does not wait for operations."""
    monkeypatch.setattr(machines, "add", lambda _: None)
    prepare({"cuCtxDestroy"})
    assert any("cut in two" in line for line in interrupt("cuCtxDestroy", "thrown", 7).wrong)
