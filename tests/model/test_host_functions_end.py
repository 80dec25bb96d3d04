"""The end of host functions and their threads: with a context, a process, a machine or a fork, and after exceptions."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import traceback
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.errors import EndlessWait, FakeCudaError
from fakecuda.model.work import stream_scheduler
from tests.limits import LONG, until
from tests.model.test_host_functions import Host, _no_thread_is_left, a, host, new_stream

from .world import done, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Machine, Process

__all__ = ["_no_thread_is_left", "a", "host"]


@pytest.mark.parametrize("how", ["close", "kill", "exit", "begin_exit", "destroy", "reset"])
def test_what_runs_returns_first(host: Host, how: str) -> None:
    """Memory goes when nothing uses it any more; then the thread ends. What waits is dropped, but where a context ends."""
    machine = fakecuda.Machine("h200")
    a = started(machine)
    context = done(a.c.cuCtxGetCurrent())
    if how == "reset":
        context = done(a.c.cuDevicePrimaryCtxRetain(0))
        done(a.c.cuCtxSetCurrent(context))
    entered, stream = threading.Event(), new_stream(a)
    seen: list[Any] = []
    place = done(a.c.cuMemAllocHost(64))

    def function(_: int | None) -> None:
        entered.set()
        go.wait(LONG)
        seen.append(ctypes.c_uint.from_address(place).value)

    go = threading.Event()
    done(a.c.cuLaunchHostFunc(stream, host.function(function), 0))
    done(a.c.cuLaunchHostFunc(stream, host.function(lambda _: seen.append("waited")), 0))
    done(a.c.cuStreamAddCallback(stream, host.callback(lambda *_: seen.append("waited")), 0, 0))
    assert entered.wait(LONG)
    timer = threading.Timer(0.02, go.set)
    timer.start()
    act: Callable[[], object] = {
        "close": machine.close,
        "destroy": lambda: done(a.c.cuCtxDestroy(context)),
        "reset": lambda: done(a.c.cuDevicePrimaryCtxReset(0)),
    }.get(how) or getattr(a, how)
    act()
    assert seen == ([0, "waited", "waited"] if how in {"destroy", "reset"} else [0])
    assert not machine.scheduler.pending
    machine.check_invariants()
    machine.close()
    timer.join()


def test_a_function_may_end_its_own_process(host: Host) -> None:
    """Nothing waits for itself: neither the process nor the machine."""
    machine = fakecuda.Machine("h200")
    a, ended = started(machine), threading.Event()

    def function(_: int | None) -> None:
        a.kill()
        machine.check_invariants()
        machine.close()
        ended.set()

    done(a.c.cuLaunchHostFunc(0, host.function(function), 0))
    assert ended.wait(LONG)
    machine.close()


def test_a_function_that_has_not_begun_when_its_context_ends(host: Host, machine: Machine) -> None:
    """The worker was given it and drops it, for its process was ended by the function before."""
    a, seen = started(machine), []
    first, second = new_stream(a), new_stream(a)
    go = threading.Event()

    def function(_: int | None) -> None:
        go.wait(LONG)
        a.kill()

    done(a.c.cuLaunchHostFunc(first, host.function(function), 0))
    done(a.c.cuLaunchHostFunc(second, host.function(lambda _: seen.append(1)), 0))
    go.set()
    machine.scheduler.workers[-1].thread.join(LONG)
    assert not seen


@pytest.mark.usefixtures("clock")
def test_a_function_that_does_not_return_is_told_of(host: Host) -> None:
    """By calls that wait for it, and by the machine's end."""
    go = threading.Event()
    machine = fakecuda.Machine("h200")
    a = started(machine)
    done(a.c.cuLaunchHostFunc(0, host.function(lambda _: until(go.is_set)), 0))
    (worker,) = machine.scheduler.workers
    with pytest.raises(EndlessWait, match=f"not woken by {worker.name}, which run"):
        a.c.cuStreamSynchronize(0)
    for act in (a.kill, machine.close):
        with pytest.raises(EndlessWait, match="the program waits for running host functions, and nothing has"):
            act()
    go.set()
    machine.close()
    assert not worker.thread.is_alive()


def test_ended_workers_are_not_kept(machine: Machine, host: Host) -> None:
    """Contexts may come and go for long."""
    a = started(machine)
    function = host.function(lambda _: None)
    for _ in range(5):
        context = done(a.c.cuCtxCreate(None, 0, 0))
        done(a.c.cuLaunchHostFunc(0, function, 0))
        done(a.c.cuCtxSynchronize())
        worker = machine.scheduler.workers[-1]
        done(a.c.cuCtxDestroy(context))
        worker.thread.join(LONG)
    assert len(machine.scheduler.workers) == 1
    assert len(a.threads) == 1


def test_an_error_of_work_behind_a_function_is_met_by_who_waits(host: Host) -> None:
    """The worker lives on: here a cap on the simulated memory is passed."""
    with fakecuda.Machine("h200", memory_cap=1 << 20) as machine:
        a, go = started(machine), threading.Event()
        memory = done(a.c.cuMemAlloc(8 << 20))
        done(a.c.cuLaunchHostFunc(0, host.function(lambda _: go.wait(LONG)), 0))
        done(a.c.cuMemsetD8(memory, 1, 4 << 20))
        go.set()
        with pytest.raises(FakeCudaError, match="memory_cap"):
            a.c.cuStreamSynchronize(0)
        assert machine.scheduler.workers[-1].thread.is_alive()


def test_exceptions_are_reported_as_those_of_any_callback(a: Process, host: Host) -> None:
    """Python prints them; the stream goes on."""
    raised = []

    def function(_: int | None) -> None:
        msg = "mine"
        raise ValueError(msg)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.unraisablehook", lambda what: raised.append(str(what.exc_value)))
        done(a.c.cuLaunchHostFunc(0, host.function(function), 0))
        done(a.c.cuStreamSynchronize(0))
    assert raised == ["mine"]


def occupied(a: Process, host: Host) -> tuple[int, threading.Event, list[int | None]]:
    """Return a stream in which a function of the host waits and another is behind it, what lets it go on, and what they saw."""
    seen: list[int | None] = []
    entered, go, stream = threading.Event(), threading.Event(), new_stream(a)

    def function(data: int | None) -> None:
        entered.set()
        go.wait(LONG)
        seen.append(data)

    done(a.c.cuLaunchHostFunc(stream, host.function(function), 1))
    done(a.c.cuLaunchHostFunc(stream, host.function(seen.append), 2))
    assert entered.wait(LONG)
    return stream, go, seen


def test_a_fork_has_no_worker_until_it_needs_one(a: Process, host: Host, machine: Machine) -> None:
    """What runs does so in the parent; what waits is done in the child as in the parent."""
    stream, go, seen = occupied(a, host)
    child = os.fork()
    if not child:
        code = 1
        try:
            machine.check_invariants()
            assert not machine.scheduler.workers
            done(a.c.cuStreamSynchronize(stream))
            done(a.c.cuLaunchHostFunc(0, host.function(seen.append), 3))
            done(a.c.cuStreamSynchronize(0))
            assert seen == [2, 3]
            machine.close()
            code = 0
        except BaseException:  # noqa: BLE001 - the parent's test shows it
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    go.set()
    done(a.c.cuStreamSynchronize(stream))
    assert seen == [1, 2]


def test_a_forked_machine_leaves_what_runs_to_the_parent(a: Process, host: Host, machine: Machine) -> None:
    """The same in the process that coverage watches: what waits behind it goes on, in a new thread."""
    stream, go, seen = occupied(a, host)
    (worker,) = machine.scheduler.workers
    stream_scheduler.forked(machine)
    machine.check_invariants()
    done(a.c.cuStreamSynchronize(stream))
    assert seen == [2]
    go.set()
    worker.stop()
    worker.thread.join(LONG)
    assert seen == [2, 1]
