"""Who may wake a call that waits: threads, host functions, handlers of signals; and who no longer can."""

from __future__ import annotations

import ctypes
import os
import queue
import signal
import threading
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from fakecuda.model.os import threads
from fakecuda.model.os.threads import running
from fakecuda.model.work import blocked as blocked_module
from fakecuda.model.work import wait_graph, waiting
from fakecuda.model.work.waiting import Wait
from fakecuda.rules.driver.stream.launch_host_func import FUNCTION
from tests.model import blocked_streams
from tests.model.blocked_streams import LONG, Beside, blocked, endless, waits, written

from .world import done, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Clock

    Call = Callable[[], tuple[Any, ...]]


def test_another_thread_that_has_called_may_wake_it(patient: Machine) -> None:
    """The call waits until it does, or until that thread has ended."""
    a = started(patient)
    stream, place = blocked(a)
    other = Beside(lambda: a.thread("other").c.cuStreamSynchronize(stream))
    waits(patient)
    with patient.lock:
        told = wait_graph.find(patient).callers
    assert told == [f"thread MainThread ({threading.get_native_id()}), which has called the machine"]
    written(a, place)
    assert other.end() == (0,)


def test_the_thread_that_made_the_machine_may_wake_it(patient: Machine) -> None:
    """Also before it has called."""
    places: list[int] = []

    def call() -> tuple[Any, ...]:
        a = started(patient, name="a")
        stream, place = blocked(a)
        places.append(place)
        answer: tuple[Any, ...] = a.c.cuStreamSynchronize(stream)
        return answer

    other = Beside(call)
    waits(patient)
    with patient.lock:
        told = wait_graph.find(patient).callers
    assert told == [f"thread MainThread ({threading.get_native_id()}), which made the machine"]
    a = patient.processes["a"]
    done(a.c.cuCtxSetCurrent(next(iter(a.contexts))))
    written(a, places[0])
    assert other.end() == (0,)


def test_a_thread_that_has_ended_wakes_no_call(patient: Machine) -> None:
    """What began after the machine holds a call up as long as it lives."""
    a = started(patient)
    stream, _ = blocked(a)
    told: list[str] = []

    def leave() -> None:
        waits(patient)
        with patient.lock:
            told.extend(wait_graph.find(patient).callers)

    thread = threading.Thread(target=leave, name="beside")
    thread.start()
    endless(lambda: a.c.cuStreamSynchronize(stream))
    thread.join(LONG)
    assert told == [f"thread beside ({thread.native_id}), which began after the machine was made"]


def test_threads_that_wait_for_each_other(patient: Machine) -> None:
    """All of them end, each with the names of the others."""
    a = started(patient)
    (one, _), (two, _) = blocked(a), blocked(a)
    other = Beside(lambda: a.thread("other").c.cuStreamSynchronize(two))
    waits(patient)
    first, *lines = endless(lambda: a.c.cuStreamSynchronize(one))
    assert first.endswith(", and the calls wait for each other: no other thread or process can end the wait")
    theirs, *same = other.end().split("\n  ")
    assert theirs.startswith(f"cuStreamSynchronize in thread other of process a waits for stream {two:#x} ")
    assert lines == same
    assert [line for line in lines if "cuStreamSynchronize in" in line] == [
        "waits      cuStreamSynchronize in thread other of process a",
        f"waits      cuStreamSynchronize in thread {threading.get_native_id()} of process a",
    ]
    assert len(patient.deadlocks) == 1
    assert not patient.scheduler.census.waiting


def test_a_wait_that_is_over_counts(patient: Machine) -> None:
    """Its thread has not gone on yet, but will: whoever waits for that thread waits on."""
    a = started(patient)
    (one, first), (two, second) = blocked(a), blocked(a)

    def help_out() -> None:
        c = a.thread("other").c
        done(c.cuCtxSetCurrent(context))
        done(c.cuStreamSynchronize(two))
        done(c.cuStreamWriteValue32(0, first, 1, 0))

    context = done(a.c.cuCtxGetCurrent())
    other = Beside(help_out)
    waits(patient)
    with patient.lock:  # the other one cannot look
        written(a, second)
        patient.scheduler.census.waiting[0] = Wait("a test", lambda: False, "it")
        found = wait_graph.find(patient)
        del patient.scheduler.census.waiting[0]
        assert "cuStreamSynchronize in thread other of process a, whose wait is over" in found.callers
        assert a.c.cuStreamSynchronize(one) == (0,)
    other.end()


def test_a_function_that_returns_during_the_look(patient: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have ended a wait that was looked at before."""
    monkeypatch.setattr(blocked_module, "why", lambda *_: None)  # the function runs
    a = started(patient)
    stream, place = blocked(a)
    other = Beside(lambda: a.thread("other").c.cuStreamSynchronize(stream))
    waits(patient)
    worker: Any = SimpleNamespace(thread=other._thread, name="a function", busy=True)

    def over() -> bool:
        worker.busy = False
        return False

    census = patient.scheduler.census
    with patient.lock:
        patient.scheduler.workers.append(worker)
        kept, census.waiting = census.waiting, {0: Wait("a test", over, "it")}
        found = wait_graph.find(patient)
        census.waiting = kept
        patient.scheduler.workers.remove(worker)
    assert "a function, which run" in found.callers
    written(a, place)
    other.end()


def test_a_function_of_the_host_that_waits(patient: Machine) -> None:
    """It runs, but can wake no call: the call that waits for it ends with it."""
    a, b = started(patient), started(patient)
    stream, _ = blocked(b)
    told: queue.Queue[list[str]] = queue.Queue()
    function = FUNCTION(lambda _: told.put(endless(lambda: b.c.cuStreamSynchronize(stream))))
    done(a.c.cuLaunchHostFunc(0, ctypes.cast(function, ctypes.c_void_p).value, 0))
    first, *lines = endless(lambda: a.c.cuStreamSynchronize(0))
    theirs = told.get()  # it ends beside the call
    assert theirs[1:] == lines
    assert first.endswith("the calls wait for each other: no other thread or process can end the wait")
    assert "  for      a host function that has not returned" in lines
    assert lines[-2].startswith("fix        let the host function return that was queued at ")
    assert lines[-2].count(__file__) == 3
    done(a.c.cuStreamSynchronize(0))


def test_threads_of_functions(patient: Machine) -> None:
    """An idle one wakes no call; the id of an ended thread may be another thread's by now."""
    a = started(patient)
    done(a.c.cuLaunchHostFunc(0, a.c_function("abs"), 0))
    done(a.c.cuStreamSynchronize(0))
    stream, place = blocked(a)
    endless(lambda: a.c.cuStreamSynchronize(stream))
    other = Beside(lambda: a.thread("other").c.cuStreamSynchronize(stream))
    waits(patient)
    ended = threading.Thread()
    ended._native_id = threading.get_native_id()  # type: ignore[attr-defined]
    worker: Any = SimpleNamespace(thread=ended, busy=False)
    with patient.lock:
        patient.scheduler.workers.append(worker)
        found = wait_graph.find(patient)
        patient.scheduler.workers.remove(worker)
    assert found.callers == [f"thread MainThread ({threading.get_native_id()}), which has called the machine"]
    written(a, place)
    assert other.end() == (0,)


def test_an_older_thread_that_never_called(by_itself: None, clock: Clock) -> None:
    """A thirtieth of the wait timeout is for it; for one that has called, by whatever door, all of it."""
    del by_itself
    ask, answered = threading.Semaphore(0), threading.Semaphore(0)
    ways: list[Callable[[], object]] = []

    def serve() -> None:
        while True:
            if ask.acquire(timeout=0.001):  # it does not sleep for long: it may call at any time
                if not ways:
                    return
                ways.pop()()
                answered.release()

    thread = threading.Thread(target=serve, name="older", daemon=True)
    thread.start()
    for named in (True, False):
        with Machine("h200", strict=False, wait_timeout=90) as machine:
            a = started(machine)
            stream, _ = blocked(a)
            context = done(a.c.cuCtxGetCurrent())
            began = clock.now
            lines = endless(partial(a.c.cuStreamSynchronize, stream))
            assert lines[0].endswith(", and nothing has ended the wait within 3 s")
            assert f"not woken by thread older ({thread.native_id}), which never called the machine" in lines
            assert 3 < clock.now - began < 9
            c = a.thread("name").c if named else a.c
            ways.append(partial(c.cuCtxSetCurrent, context))
            ask.release()
            assert answered.acquire(timeout=LONG)
            began = clock.now
            lines = endless(partial(a.c.cuStreamSynchronize, stream))
            assert lines[0].endswith(", and nothing has ended the wait within 90 s")
            assert lines[-2] == f"not woken by thread older ({thread.native_id}), which has called the machine"
            start, _, end = lines[-1].partition(f" at {blocked_streams.__file__}:")
            assert start == "fix        end the wait"
            assert end.endswith(
                " in endless from another thread or process, or give the machine a longer time limit than wait_timeout=90 seconds"
            )
            assert 90 < clock.now - began < 99
    ask.release()
    thread.join(LONG)


def test_a_handler_of_a_signal(by_itself: None, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may call while the main thread waits, as rarely as an older thread that never called."""
    del by_itself, clock
    monkeypatch.setattr(wait_graph, "SIGNALS", [signal.SIGINT, signal.SIGUSR2])
    before = signal.signal(signal.SIGUSR2, lambda *_: None)
    try:
        with Machine("h200") as machine:
            a = started(machine)
            stream, _ = blocked(a)
            lines = endless(lambda: a.c.cuStreamSynchronize(stream))
    finally:
        signal.signal(signal.SIGUSR2, before)
    assert lines[0].endswith(" within 2 s")
    assert lines[-2] == "not woken by the handler of SIGUSR2"


class Interrupted(threading.Condition):
    """Wakes waiting calls, but runs a signal's handler first.

    Args:
        machine: The machine.
    """

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine.lock)
        self.acts: list[Callable[[], object]] = []

    def wait(self, timeout: float | None = None) -> bool:
        """Have the handler called."""
        self.acts.pop(0)()
        return super().wait(timeout)


@pytest.mark.usefixtures("interruptible")
def test_what_interrupts_a_wait(patient: Machine) -> None:
    """A signal's handler may call, wait itself and wake the call; what it raises ends the call."""
    patient.scheduler.progress = progress = Interrupted(patient)
    patient.scheduler.census.outside = lambda: ["this test"]
    a = started(patient)
    (stream, place), (other, here) = blocked(a), blocked(a)
    seen: list[list[Wait]] = []

    def handle() -> None:
        outer = [*patient.scheduler.census.waiting.values()]
        done(a.c.cuStreamSynchronize(other))
        seen.extend((outer, [*patient.scheduler.census.waiting.values()]))
        written(a, place)

    progress.acts += [handle, lambda: written(a, here)]
    assert a.c.cuStreamSynchronize(stream) == (0,)
    before, after = seen
    assert before == after
    assert len(before) == 1
    stream, _ = blocked(a)
    progress.acts.append(partial(signal.raise_signal, signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        a.c.cuStreamSynchronize(stream)
    assert not patient.scheduler.census.waiting


def test_threads_are_not_looked_at_all_the_time(patient: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is waited for is looked at again and again, who could bring it about now and then."""
    monkeypatch.setattr(waiting, "monotonic", lambda: 5.0)
    patient.scheduler.progress = progress = Interrupted(patient)
    seen: list[str] = []
    patient.scheduler.census.outside = lambda: seen.append("a look") or seen  # type: ignore[func-returns-value]
    a = started(patient)
    stream, place = blocked(a)
    progress.acts += [int, int, lambda: written(a, place)]
    assert a.c.cuStreamSynchronize(stream) == (0,)
    assert seen == ["a look"]


def test_by_a_fork_all_others_are_gone(patient: Machine) -> None:
    """Its one thread waits for itself alone."""
    a = started(patient)
    stream, place = blocked(a)
    other = Beside(lambda: a.thread("other").c.cuStreamSynchronize(stream))
    waits(patient)
    child = os.fork()
    if not child:
        code = 1
        try:
            first, *_ = endless(lambda: a.c.cuStreamSynchronize(stream))
            code = 0 if first.endswith(", and no other thread or process can end the wait") else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    written(a, place)
    assert other.end() == (0,)


def test_where_no_call_comes_meanwhile(patient: Machine) -> None:
    """Whoever knows that may say so: threads and processes count no more."""
    a = started(patient)
    stream, _ = blocked(a)
    go = threading.Event()
    other = Beside(lambda: go.wait(LONG))
    patient.scheduler.census.outside = lambda: ["a process"]
    patient.scheduler.census.alone = True
    endless(lambda: a.c.cuStreamSynchronize(stream))
    go.set()
    other.end()


def test_a_wait_that_is_over_is_not_endless(patient: Machine) -> None:
    """A function may return between the look at the wait and the look at who could end it."""
    census = patient.scheduler.census
    census.alone = True
    for is_over in (False, True):
        census.waiting[0] = Wait("a function", partial(bool, is_over), "the program", late=False, within=None)
        with patient.lock:
            assert bool(wait_graph.find(patient).callers) is is_over


def test_threads_without_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system does not tell who runs, those count that Python knows."""

    def refuse(path: str) -> list[str]:
        raise FileNotFoundError(path)

    monkeypatch.setattr(threads.os, "listdir", refuse)  # type: ignore[attr-defined]
    assert threading.get_native_id() in running()
