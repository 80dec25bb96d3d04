"""Functions of the host: which thread runs them, when, and what they may do."""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.rules.driver.stream.launch_host_func import FUNCTION
from fakecuda.rules.driver.stream.stream_add_callback import CALLBACK
from tests.limits import LONG

from .world import done, pinned, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda import Machine, Process

NON_BLOCKING = 1
EQUAL = 1
NOT_READY, NOT_PERMITTED, LAUNCH_FAILED = 600, 800, 719
GRANULE = 2 << 20


class Host:
    """Host functions with their addresses, which live as long as the test."""

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def function(self, act: Callable[[int | None], object]) -> int:
        """Return the address of a CUhostFn."""
        return self._address(FUNCTION(lambda data: act(data) and None))

    def callback(self, act: Callable[[int | None, int, int | None], object]) -> int:
        """Return the address of a CUstreamCallback."""
        return self._address(CALLBACK(lambda stream, status, data: act(stream, status, data) and None))

    def _address(self, made: Any) -> int:
        self.kept.append(made)
        return ctypes.cast(made, ctypes.c_void_p).value or 0


@pytest.fixture
def host() -> Host:
    """Return what makes functions."""
    return Host()


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    """Whatever a test does, the threads of its machines have ended with them."""
    before = set(threading.enumerate())
    yield
    assert [thread for thread in threading.enumerate() if thread not in before] == []


@pytest.fixture
def a(machine: Machine) -> Process:
    """Return a process with a context."""
    return started(machine)


def new_stream(process: Process, flags: int = NON_BLOCKING) -> int:
    """Return a new stream."""
    return int(done(process.c.cuStreamCreate(flags)))


def test_a_launch_returns_at_once(a: Process, host: Host, machine: Machine) -> None:
    """The function waits for what the caller does after it; meanwhile nothing of its stream is done."""
    go, seen = threading.Event(), []
    stream, event, place = new_stream(a), done(a.c.cuEventCreate(0)), done(a.c.cuMemAllocHost(64))
    done(a.c.cuLaunchHostFunc(stream, host.function(lambda data: seen.append((go.wait(LONG), data))), 77))
    done(a.c.cuEventRecord(event, stream))
    done(a.c.cuStreamWriteValue32(stream, place, 5, 0))
    assert (a.c.cuStreamQuery(stream), a.c.cuEventQuery(event)) == ((NOT_READY,), (NOT_READY,))
    machine.check_invariants()
    assert ctypes.c_uint.from_address(place).value == 0
    go.set()
    done(a.c.cuStreamSynchronize(stream))
    assert seen == [(True, 77)]
    assert ctypes.c_uint.from_address(place).value == 5
    assert a.c.cuEventQuery(event) == (0,)
    machine.check_invariants()


@pytest.mark.parametrize("wait", ["cuEventSynchronize", "cuStreamSynchronize", "cuCtxSynchronize"])
def test_calls_wait_for_a_function(a: Process, host: Host, wait: str) -> None:
    """It returns while they wait."""
    entered, seen = threading.Event(), []

    def function(_: int | None) -> None:
        entered.wait(LONG)
        seen.append(1)

    stream, event = new_stream(a), done(a.c.cuEventCreate(0))
    done(a.c.cuLaunchHostFunc(stream, host.function(function), 0))
    done(a.c.cuEventRecord(event, stream))
    threading.Timer(0.01, entered.set).start()
    subject = {"cuEventSynchronize": (event,), "cuStreamSynchronize": (stream,)}.get(wait, ())
    done(getattr(a.c, wait)(*subject))
    assert seen == [1]
    for timer in threading.enumerate():
        if isinstance(timer, threading.Timer):
            timer.join()


def test_work_behind_a_function_needs_no_call(a: Process, host: Host) -> None:
    """When it has returned the worker goes on: the host sees the value in page-locked memory."""
    stream, place = new_stream(a), done(a.c.cuMemAllocHost(64))
    behind = threading.Event()
    done(a.c.cuLaunchHostFunc(stream, a.c_function("sem_post"), place))
    done(a.c.cuStreamWriteValue32(stream, place + 4, 5, 0))
    done(a.c.cuLaunchHostFunc(stream, host.function(lambda _: behind.set()), 0))
    assert behind.wait(LONG)
    assert [ctypes.c_uint.from_address(place + at).value for at in (0, 4)] == [1, 5]


def test_functions_of_a_context_share_a_thread(a: Process, host: Host) -> None:
    """Whatever stream they are of; another context has another one."""
    seen: list[str] = []
    function = host.function(lambda _: seen.append(threading.current_thread().name))
    for stream in (new_stream(a), new_stream(a), 0):
        done(a.c.cuLaunchHostFunc(stream, function, 0))
    done(a.c.cuCtxSynchronize())
    done(a.c.cuCtxCreate(None, 0, 1))
    done(a.c.cuLaunchHostFunc(0, function, 0))
    done(a.c.cuCtxSynchronize())
    assert len(seen) == 4
    assert len(set(seen[:3])) == 1
    assert "device 0 of process a" in seen[0]
    assert "device 1 of process a" in seen[3]


def test_functions_of_several_contexts_run_at_once(a: Process, host: Host) -> None:
    """Each waits for the other; so they do for a function and the main thread."""
    both = threading.Barrier(2, timeout=LONG)
    function = host.function(lambda _: both.wait())
    first = new_stream(a)
    done(a.c.cuCtxCreate(None, 0, 1))
    second = new_stream(a)
    for stream in (first, second):
        done(a.c.cuLaunchHostFunc(stream, function, 0))
    for stream in (first, second):
        done(a.c.cuStreamSynchronize(stream))


def test_calls_inside_of_a_function_are_refused(a: Process, machine: Machine, host: Host) -> None:
    """By either surface of its process, whatever they ask for; texts and the version are no secret."""
    answers: dict[str, Any] = {}

    def function(_: int | None) -> None:
        for name, args in {
            "cuMemAlloc": (16,),
            "cuCtxSynchronize": (),
            "cuDeviceGetCount": (),
            "cuEventCreate": (0,),
            "cuDriverGetVersion": (),
            "cuGetErrorName": (1,),
        }.items():
            answers[name] = getattr(a.c, name)(*args)
        answers["look-alike"] = a.driver.cuMemAlloc(16)

    done(a.c.cuLaunchHostFunc(0, host.function(function), 0))
    done(a.c.cuStreamSynchronize(0))
    refused = [name for name, answer in answers.items() if answer[0] == NOT_PERMITTED]
    assert refused == ["cuMemAlloc", "cuCtxSynchronize", "cuDeviceGetCount", "cuEventCreate", "look-alike"]
    assert answers["cuDriverGetVersion"][0] == answers["cuGetErrorName"][0] == 0
    rules = {record.rule.id for record in machine.log if record.code == NOT_PERMITTED and record.rule}
    assert rules == {"core.initialized.CALLS_ARE_PERMITTED"}
    assert not machine.findings
    done(a.c.cuMemAlloc(16))


def test_another_process_is_no_concern_of_a_function(a: Process, machine: Machine, host: Host) -> None:
    """Its thread is one of its own process alone."""
    b, answers = started(machine), []
    done(a.c.cuLaunchHostFunc(0, host.function(lambda _: answers.append(b.c.cuDeviceGetCount())), 0))
    done(a.c.cuCtxSynchronize())
    assert answers == [(0, 2)]


def test_a_callback_is_told_stream_status_and_data(a: Process, host: Host) -> None:
    """The stream as it was given."""
    seen: list[Any] = []
    callback = host.callback(lambda *args: seen.append(args))
    created_ = new_stream(a)
    for stream in (0, 1, created_):
        done(a.c.cuStreamAddCallback(stream, callback, 5, 0))
        done(a.c.cuStreamSynchronize(stream))
    assert seen == [(None, 0, 5), (1, 0, 5), (created_, 0, 5)]


@pytest.mark.parametrize("completion", ["eager", "manual"])
def test_after_an_error_callbacks_alone_are_called(host: Host, completion: str) -> None:
    """They are told the code, once, in their order; other work is dropped."""
    seen: list[Any] = []
    with fakecuda.Machine("h200-x2", strict=False, completion=completion) as machine:
        a = started(machine)
        gate, stream, other = done(a.c.cuMemAllocHost(64)), new_stream(a), new_stream(a)
        go = threading.Event()
        if completion == "eager":
            done(a.c.cuLaunchHostFunc(other, host.function(lambda _: go.wait(LONG)), 0))
        done(a.c.cuStreamWaitValue32(stream, gate, 1, EQUAL))
        done(a.c.cuLaunchHostFunc(stream, host.function(lambda _: seen.append("function")), 0))
        for data in (1, 2):
            done(a.c.cuStreamAddCallback(stream, host.callback(lambda _, *told: seen.append(told)), data, 0))
        done(a.c.cuStreamWaitValue32(new_stream(a), gate, 1, EQUAL))
        lose(a)
        machine.check_invariants()
        go.set()
        machine.complete()
        assert seen == [(LAUNCH_FAILED, 1), (LAUNCH_FAILED, 2)]
        assert a.c.cuStreamQuery(stream) == (LAUNCH_FAILED,)
        assert not machine.scheduler.pending
        machine.check_invariants()


def lose(process: Process) -> None:
    """Have work of the current context fail: a memset over mappings of two devices."""
    start = done(process.c.cuMemAddressReserve(2 * GRANULE, 0, 0, 0))
    for device in (0, 1):
        handle = done(process.c.cuMemCreate(GRANULE, pinned(device), 0))
        done(process.c.cuMemMap(start + device * GRANULE, GRANULE, 0, handle, 0))
    done(process.c.cuMemSetAccess(start, 2 * GRANULE, (((1, 0), 3),), 1))
    assert process.c.cuMemsetD8(start, 0, 2 * GRANULE) == (LAUNCH_FAILED,)


def test_by_hand_functions_are_called_when_somebody_waits(host: Host) -> None:
    """Or completes the machine, which waits for them and for what is behind them."""
    seen: list[int | None] = []
    with fakecuda.Machine("h200", completion="manual") as machine:
        a = started(machine)
        function, stream, place = host.function(seen.append), new_stream(a), done(a.c.cuMemAllocHost(64))
        done(a.c.cuLaunchHostFunc(stream, function, 1))
        done(a.c.cuStreamWriteValue32(stream, place, 3, 0))
        done(a.c.cuLaunchHostFunc(stream, function, 2))
        assert (seen, a.c.cuStreamQuery(stream)) == ([], (NOT_READY,))
        machine.complete()
        assert (seen, a.c.cuStreamQuery(stream)) == ([1, 2], (0,))
        assert ctypes.c_uint.from_address(place).value == 3
        done(a.c.cuLaunchHostFunc(stream, function, 3))
        done(a.c.cuStreamSynchronize(stream))
        assert seen == [1, 2, 3]


def test_null_is_no_function(a: Process, machine: Machine) -> None:
    """A strict machine says so at the call; a driver may end the process later."""
    with pytest.raises(fakecuda.UndefinedBehaviour, match="breaks the rule: `fn` is not null"):
        a.c.cuLaunchHostFunc(0, 0, 0)
    with pytest.raises(fakecuda.UndefinedBehaviour, match="breaks the rule: `callback` is not null"):
        a.c.cuStreamAddCallback(0, 0, 0, 0)
    assert len(machine.findings) == 2
