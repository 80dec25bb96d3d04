"""Threads of a process: the calling OS thread has one, and takes it along when it ends."""

from __future__ import annotations

import _thread
import ctypes
import threading
import time
from typing import TYPE_CHECKING

from fakecuda.machine import simulating
from fakecuda.model.os import threads
from tests.limits import LONG, until

from .world import done, started

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from fakecuda import Machine


def run(function: Callable[[], object]) -> int:
    """Run a function in a thread of its own and return that thread's id."""
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()
    assert thread.native_id is not None
    return thread.native_id


def test_the_record_of_a_thread_goes_with_it(machine: Machine) -> None:
    """In every process that it called."""
    a, b = started(machine), started(machine)
    context = done(a.c.cuCtxGetCurrent())

    def call() -> None:
        done(a.c.cuCtxSetCurrent(context))
        done(b.c.cuCtxGetCurrent())
        assert threading.get_native_id() in a.threads
        assert threading.get_native_id() in b.threads

    number = run(call)
    assert until(lambda: number not in a.threads and number not in b.threads)
    assert threading.get_native_id() in a.threads


def test_an_id_used_again_begins_with_an_empty_stack(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system gives the ids of ended threads to new ones; contexts do not come along."""
    a = started(machine)
    context = done(a.c.cuCtxGetCurrent())
    answers: list[int] = []
    mine = threading.get_ident()
    real = threading.get_native_id
    monkeypatch.setattr(threading, "get_native_id", lambda: real() if threading.get_ident() == mine else 1)

    def call() -> None:
        answers.append(done(a.c.cuCtxGetCurrent()))
        done(a.c.cuCtxSetCurrent(context))

    for _ in range(3):
        run(call)
        assert until(lambda: 1 not in a.threads)
    assert answers == [0, 0, 0]


def test_a_thread_may_outlive_the_process(machine: Machine) -> None:
    """Its end finds the table empty and says nothing."""
    a = started(machine)
    called, ended = threading.Event(), threading.Event()

    def call() -> None:
        done(a.c.cuCtxGetCurrent())
        called.set()
        ended.wait(LONG)

    thread = threading.Thread(target=call)
    thread.start()
    assert called.wait(LONG)
    a.kill()
    ended.set()
    thread.join()
    assert not a.threads


def test_a_thread_that_python_did_not_make_keeps_its_record(machine: Machine) -> None:
    """Its local storage lasts for one callback only, so nothing is bound to it."""
    a = started(machine)
    context = done(a.c.cuCtxGetCurrent())
    called, ended = threading.Event(), threading.Event()
    numbers: list[int] = []

    def call() -> None:
        numbers.append(threading.get_native_id())
        done(a.c.cuCtxSetCurrent(context))
        called.set()
        ended.wait(LONG)

    _thread.start_new_thread(call, ())
    assert called.wait(LONG)
    record = a.threads[numbers[0]]
    ended.set()
    time.sleep(0.01)
    assert a.threads[numbers[0]] is record
    assert [item.handle for item in record.stack] == [context]


def test_nothing_is_bound_to_a_thread_that_python_did_not_make(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The native door watches the end of those."""
    dummy = object.__new__(threading._DummyThread)
    monkeypatch.setattr(threading, "current_thread", lambda: dummy)
    process = machine.spawn()
    threads.at_thread_end(process, 1)
    assert process not in getattr(threads._local, "end", threads._End()).kept


def test_named_threads_are_made_on_first_use(machine: Machine) -> None:
    """One record a name, apart from the calling thread's."""
    a = started(machine)
    door = a.thread("t2")
    assert "t2" not in a.threads
    assert door.c.cuCtxGetCurrent() == (0, 0)
    record = a.threads["t2"]
    assert record.name == "t2"
    assert a.thread_of("t2") is record
    assert a.current_thread() is not record


def test_a_machine_waits_for_threads_that_have_left_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their destructors in C call the driver when ``join`` has returned; the machine is there until they have ended."""
    asked = threading.Event()
    key = ctypes.c_uint()
    libc = ctypes.CDLL(None)
    ends: list[object] = []

    def running() -> frozenset[int]:
        asked.set()
        return threads_running()

    threads_running = threads.running
    monkeypatch.setattr(threads, "running", running)
    with simulating.simulate("h200", door="lookalike") as made:

        def destructor(_: object) -> None:
            asked.wait(LONG)
            ends.append(made.closed)

        called = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(destructor)
        assert libc.pthread_key_create(ctypes.byref(key), called) == 0

        def work() -> None:
            made.here.c.cuInit(0)
            libc.pthread_setspecific(key, ctypes.c_void_p(1))
            asked.clear()

        run(work)
    asked.set()
    assert ends == [False]
    libc.pthread_key_delete(key)


def test_a_thread_that_does_not_end_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a machine ends without it; threads that Python knows are not waited for."""
    monkeypatch.setattr(threads, "_ending", {0, threading.get_native_id()})
    monkeypatch.setattr(threads, "LEAVES", -1.0)
    monkeypatch.setattr(threads, "running", lambda: frozenset({0, threading.get_native_id()}))
    threads.await_ending()
    assert not threads._ending


def test_a_thread_is_waited_for_until_it_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked for again, and no longer."""
    looks = [frozenset({0, 1}), frozenset({1}), frozenset[int]()]
    monkeypatch.setattr(threads, "_ending", {0, 1})
    monkeypatch.setattr(threads, "LEAVES", LONG)
    monkeypatch.setattr(threads, "running", lambda: looks.pop(0))
    threads.await_ending()
    assert not looks
    assert not threads._ending


def test_nothing_is_forgotten_when_the_interpreter_ends(machine: Machine) -> None:
    """What that would need may be gone."""
    process = machine.spawn()
    process.thread_of(7)
    end = threads._End()
    end.kept[process] = 7
    threads._End.__del__(end, lambda: True)
    assert 7 in process.threads
    threads._End.__del__(end, lambda: False)
    assert 7 not in process.threads
