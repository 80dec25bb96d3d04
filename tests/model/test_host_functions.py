"""Functions of the host: who runs them, when, what they may do, and how their threads end."""

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
from fakecuda.rules.driver.stream.launch_host_func import FUNCTION
from fakecuda.rules.driver.stream.stream_add_callback import CALLBACK
from tests.limits import LONG, until

from .world import done, pinned, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda import Machine, Process

NON_BLOCKING = 1
EQUAL = 1
NOT_READY, NOT_PERMITTED, LAUNCH_FAILED = 600, 800, 719
GRANULE = 2 << 20


class Host:
    """Functions of the host with their addresses, kept as long as the test."""

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


def test_streams_of_a_context_take_turns(a: Process, host: Host) -> None:
    """A stream that waits for a value lets the function of another one go first."""
    seen: list[int | None] = []
    gate = done(a.c.cuMemAllocHost(64))
    function = host.function(seen.append)
    first, second = new_stream(a), new_stream(a)
    done(a.c.cuStreamWaitValue32(first, gate, 1, EQUAL))
    done(a.c.cuLaunchHostFunc(first, function, 1))
    done(a.c.cuLaunchHostFunc(second, function, 2))
    done(a.c.cuStreamSynchronize(second))
    assert seen == [2]
    done(a.c.cuLaunchHostFunc(second, a.c_function("sem_post"), gate))
    done(a.c.cuStreamSynchronize(first))
    assert seen == [2, 1]


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


def test_null_is_no_function(a: Process, machine: Machine) -> None:
    """A strict machine says so at the call; a driver may end the process later."""
    with pytest.raises(fakecuda.UndefinedBehaviour, match="breaks the rule: `fn` is not null"):
        a.c.cuLaunchHostFunc(0, 0, 0)
    with pytest.raises(fakecuda.UndefinedBehaviour, match="breaks the rule: `callback` is not null"):
        a.c.cuStreamAddCallback(0, 0, 0, 0)
    assert len(machine.findings) == 2
