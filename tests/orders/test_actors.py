"""What actors of an explored program do: they wait, poll, die, raise, and call through each binding."""

from __future__ import annotations

import ctypes
import threading
from functools import partial
from typing import TYPE_CHECKING

import pytest

from fakecuda import EndlessWait, FakeCudaError, Result
from tests.model.world import done, started
from tests.orders import programs
from tests.orders.programs import explored

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Orders, Process

SIZE = 4096
NOT_READY = int(Result.NOT_READY)


def test_actors_that_wait_for_each_other_are_told() -> None:
    """Two locks in two orders: the first order passes."""

    def program(orders: Orders) -> None:
        locks = [orders.lock(), orders.lock()]

        def hold(first: int) -> None:
            with locks[first], locks[not first]:
                pass

        orders.start(hold, 0, name="one")
        orders.start(hold, 1, name="two")

    found = explored(program)
    assert isinstance(found.error, EndlessWait)
    assert found.schedule == "one@2:two"
    assert "no actor can go on\n  main waits for the other actors\n  one takes a lock\n  two takes a lock" in str(
        found.error
    )


def waits_for_a_value(orders: Orders, *, written: bool) -> None:
    """A stream waits for a value, which another thread's stream writes, or nobody."""
    waiting, writing = programs.threads(orders, "waiting", "writing")
    process = orders.machine.processes["a"]
    word = done(waiting.cuMemAlloc(SIZE))
    done(waiting.cuMemsetD8(word, 0, SIZE))
    done(waiting.cuCtxSynchronize())
    streams = [done(waiting.cuStreamCreate(1)) for _ in range(2)]

    def wait() -> None:
        done(waiting.cuStreamWaitValue32(streams[0], word, 1, 1))
        done(waiting.cuStreamSynchronize(streams[0]))

    orders.start(wait, process=process)
    if written:
        orders.start(lambda: done(writing.cuStreamWriteValue32(streams[1], word, 1, 0)), process=process)


def test_a_call_that_waits_gives_its_turn_away() -> None:
    """To who brings about what it waits for, in every order; where nobody does, that is told."""
    assert explored(partial(waits_for_a_value, written=True), schedules=60).error is None
    found = explored(partial(waits_for_a_value, written=False))
    assert isinstance(found.error, EndlessWait)
    assert "wait waits in a call for stream" in str(found.error)
    assert "waits for the 32 bits at" in str(found.error)


def test_work_that_waits_for_other_work_is_told() -> None:
    """Where a stream waits for one that cannot go on."""

    def program(orders: Orders) -> None:
        (c,) = programs.threads(orders, "one")
        first, second = (done(c.cuStreamCreate(1)) for _ in range(2))
        event, word = done(c.cuEventCreate(2)), done(c.cuMemAlloc(SIZE))
        done(c.cuMemsetD8(word, 0, SIZE))
        done(c.cuCtxSynchronize())
        done(c.cuStreamWaitValue32(first, word, 1, 1))
        done(c.cuEventRecord(event, first))
        done(c.cuStreamWaitEvent(second, event, 0))
        done(c.cuStreamSynchronize(second))

    assert "waits for work of stream" in str(explored(program).error)


def test_a_program_that_polls_comes_to_its_end() -> None:
    """A call that answers NOT_READY lets streams, and then the others, come first."""

    def program(orders: Orders) -> None:
        (c,) = programs.threads(orders, "one")
        stream, flag = done(c.cuStreamCreate(1)), list[int]()
        done(c.cuMemsetD8Async(done(c.cuMemAlloc(SIZE)), 1, SIZE, stream))
        orders.start(flag.append, 1, name="other")
        while c.cuStreamQuery(stream)[0] == NOT_READY:
            pass
        orders.wait(lambda: flag)

    assert explored(program, schedules=20).error is None


def test_what_streams_do_early_and_late_is_seen() -> None:
    """A query answers both, in some order."""
    answers = set()

    def program(orders: Orders) -> None:
        (c,) = programs.threads(orders, "one")
        stream = done(c.cuStreamCreate(1))
        event = done(c.cuEventCreate(2))
        done(c.cuMemsetD8Async(done(c.cuMemAlloc(SIZE)), 1, SIZE, stream))
        done(c.cuEventRecord(event, stream))
        answers.add((c.cuStreamQuery(stream)[0], c.cuEventQuery(event)[0]))

    assert explored(program).whole
    assert answers == {(0, 0), (NOT_READY, 0), (NOT_READY, NOT_READY)}
    answers.clear()
    found = explored(program, completion="eager")
    assert (found.orders, answers) == (1, {(0, 0)})


def exchange(orders: Orders, *, careful: bool) -> None:
    """A reader opens what another process exports, and may die before it has said so."""
    owner, reader = started(orders.machine, name="owner"), orders.machine.spawn("reader")
    memory = done(owner.c.cuMemAlloc(SIZE))
    handle = done(owner.c.cuIpcGetMemHandle(memory))
    said: list[str] = []

    def read() -> None:
        try:
            done(reader.c.cuInit(0))
            done(reader.c.cuCtxCreate(None, 0, 0))
            done(reader.c.cuIpcCloseMemHandle(done(reader.c.cuIpcOpenMemHandle(handle, 1))))
            said.append("done")
        finally:
            if reader.alive:
                done(reader.c.cuInit(0))

    actor = orders.start(read, process=reader)
    orders.may_die(reader)
    if careful:
        orders.wait(lambda: actor.ended)
    else:
        orders.wait(lambda: said, "the reader")
    done(owner.c.cuMemFree(memory))


def test_processes_die_where_a_test_lets_them() -> None:
    """At every place, with the actors that run as them: who waits for a word of theirs waits for ever."""
    found = explored(partial(exchange, careful=False))
    assert isinstance(found.error, EndlessWait)
    (switch,) = found.schedule.split()
    assert switch.endswith(":!reader")
    assert "main waits for the reader" in str(found.error)
    found = explored(partial(exchange, careful=True))
    assert found.error is None
    assert found.whole
    assert found.orders > 5


def test_a_process_that_polls_may_die_by_its_own_choice() -> None:
    """Its thread, which chooses, ends with it."""
    ended: list[str] = []

    def program(orders: Orders) -> None:
        process = orders.machine.spawn("other")

        def act() -> None:
            try:
                done(process.c.cuInit(0))
                done(process.c.cuDeviceGetCount())
            except BaseException as error:  # noqa: BLE001 - which nobody else sees
                ended.append(type(error).__name__)
                raise KeyError from None  # nobody hears of it: the process has died

        orders.may_die(process)
        orders.start(act, process=process)

    assert explored(program, schedule="act@2:!other").error is None
    assert ended == ["Halt"]


def test_code_runs_as_the_process_of_its_actor() -> None:
    """Over cuda.bindings, too, in every order."""
    driver = pytest.importorskip("cuda.bindings.driver")

    def program(orders: Orders) -> None:
        def act(process: Process) -> None:
            for _ in range(2):
                assert driver.cuInit(0) == (0,)
                assert orders.machine.log[-1].process == process.name
            with orders.machine.processes["z"]:
                driver.cuInit(0)
                driver.cuInit(0)
                assert orders.machine.here.name == "z"
            assert orders.machine.here is process

        orders.machine.spawn("z")
        for name in "ab":
            process = orders.machine.spawn(name)
            orders.start(act, process, process=process, name=name)
        orders.join()
        assert orders.machine.here.name == "here"

    assert explored(program, prune=False, schedules=40).error is None


def test_functions_of_the_host_return_before_anybody_goes_on() -> None:
    """Whichever thread of the system runs them."""
    called = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

    def program(orders: Orders) -> None:
        (c,) = programs.threads(orders, "one")
        told: list[int] = []
        function = called(lambda _: told.append(1))
        stream = done(c.cuStreamCreate(1))
        done(c.cuLaunchHostFunc(stream, ctypes.cast(function, ctypes.c_void_p).value, 0))
        before = list(told)
        ready = c.cuStreamQuery(stream)[0] == 0
        assert len(before) <= ready == bool(told)
        done(c.cuStreamSynchronize(stream))
        assert told == [1]

    found = explored(program)
    assert found.error is None
    assert found.orders > 1


def test_a_function_of_the_host_that_does_not_return_is_told() -> None:
    """It ends the run when the machine's wait timeout is at its end."""
    called, go = ctypes.CFUNCTYPE(None, ctypes.c_void_p), threading.Event()

    def program(orders: Orders) -> None:
        (c,) = programs.threads(orders, "one")
        stream = done(c.cuStreamCreate(1))
        function = called(lambda _: go.wait())
        orders.machine.kept = function  # type: ignore[attr-defined]
        done(c.cuLaunchHostFunc(stream, ctypes.cast(function, ctypes.c_void_p).value, 0))
        try:
            done(c.cuStreamSynchronize(stream))
        finally:
            go.set()

    assert "does not return" in str(explored(program, wait_timeout=0.05).error)


def test_an_actor_that_waits_in_python_is_told() -> None:
    """With what to write; it is left alone."""
    go = threading.Event()

    def program(orders: Orders) -> None:
        orders.start(go.wait, name="stuck")
        orders.start(go.set, name="never")

    found = explored(program, wait_timeout=0.05)
    go.set()
    assert isinstance(found.error, EndlessWait)
    assert "stuck has made no call for 0.05 s" in str(found.error)
    assert "orders.wait()" in str(found.error)


def test_what_an_actor_raises_ends_the_run() -> None:
    """The others are unwound, whatever their last lines try; the exception is told with its lines."""
    ended: list[str] = []

    def program(orders: Orders) -> None:
        process = started(orders.machine)

        def fails() -> None:
            raise KeyError

        def other() -> None:
            try:
                orders.point()
            finally:
                ended.append("other")
                process.c.cuDeviceGetCount()
                ended.append("never")

        orders.start(other, process=process)
        orders.start(fails, process=process)
        try:
            orders.join()
        finally:
            ended.append("main")

    found = explored(program, schedule="other@1:fails")
    assert isinstance(found.error, KeyError)
    assert sorted(ended) == ["main", "other"]
    assert "in fails" in found.report


def test_a_condition_that_raises_does_so_where_it_stands() -> None:
    """In the actor that waits."""

    def program(orders: Orders) -> None:
        def wait() -> None:
            with pytest.raises(ZeroDivisionError):
                orders.wait(lambda: 1 // 0)

        orders.start(wait)

    assert explored(program).error is None


def test_other_threads_call_at_once() -> None:
    """They take no turns; but they start no actors either."""

    def program(orders: Orders) -> None:
        process = started(orders.machine)
        wrong: list[str] = []

        def other() -> None:
            done(process.c.cuDeviceGetCount())
            try:
                orders.point()
            except FakeCudaError as error:
                wrong.append(str(error))

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert "was called in a thread of your own" in wrong[0]

    assert explored(program).error is None


async def later() -> None:
    """Nobody awaits it."""


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda orders: orders.start(print, name="a b"), "that no other started function has"),
        (lambda orders: orders.start(print, name="main"), "that no other started function has"),
        (lambda orders: orders.may_die(orders.machine.here), "the explored program itself runs as this process"),
    ],
)
def test_what_an_actor_may_not_be_is_refused(wrong: Callable[[Orders], object], told: str) -> None:
    """In the program, where it stands."""
    error = explored(wrong).error
    assert isinstance(error, FakeCudaError)
    assert told in str(error)
    assert "coroutine function" in str(explored(later).error)
