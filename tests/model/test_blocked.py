"""Which threads do not go on by themselves: by the system calls that they are in, and by their frames."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.model.work import blocked
from fakecuda.model.work.blocked import COMMAND, FOREVER, FUTEX, PRIVATE, WAIT4, WALL, Blocked, Look
from tests.limits import LONG, started, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(FUTEX < 0, reason="the numbers of this processor's system calls are not known")
WAKES = """
import signal, sys, threading
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
lock = threading.Lock()
lock.acquire()
print("ready", flush=True)
{}
"""
HELD, FREE = "lock.acquire()", "sys.stdin.read()"


class Beside:
    """A daemon thread that makes a call.

    Args:
        call: The call.
    """

    def __init__(self, call: Callable[[], object]) -> None:

        def make() -> None:
            with suppress(
                OSError, ValueError, subprocess.TimeoutExpired
            ):  # the child ends, and with it what is read of it
                call()

        self._thread = threading.Thread(target=make, daemon=True)
        self._thread.start()
        BEGUN.append(self)
        assert self._thread.native_id
        self.number = self._thread.native_id

    def why(self) -> Blocked | None:
        """Return why it does not go on."""
        return blocked.why(self.number, blocked.frames().get(self.number))

    def blocked(self) -> Blocked:
        """Return why it does not go on, once it does not."""
        assert until(lambda: self.why() is not None)
        found = self.why()
        assert found is not None
        return found

    def end(self) -> None:
        """Wait for its end."""
        self._thread.join(LONG)
        assert not self._thread.is_alive()


BEGUN: list[Beside] = []
"""The threads of a test."""


@pytest.fixture(autouse=True)
def nothing_goes_on() -> Iterator[None]:
    """A test ends its threads. While a thread is left, the deadlock of another test cannot be proved."""
    yield
    while BEGUN:
        BEGUN.pop().end()


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """Return a process that ends when it is killed."""
    with started(["/bin/sleep", "1000"]) as process:
        yield process
        process.kill()


def test_a_lock() -> None:
    """Without a limit, with one, and once the thread has ended; what has run differs by its mark."""
    lock = threading.Lock()
    lock.acquire()
    thread = Beside(lock.acquire)
    found = thread.blocked()
    assert (found.what, found.left, found.child) == ("a lock, which another thread of its process lets go", FOREVER, 0)
    assert thread.why() == found
    lock.release()
    thread.end()
    assert thread.why() is None
    event = threading.Event()
    thread = Beside(lambda: event.wait(LONG))
    assert 0 < thread.blocked().left <= LONG
    event.set()
    thread.end()


def test_what_the_lock_is_for() -> None:
    """By the method of Python's library."""
    over, barrier = threading.Event(), threading.Barrier(2)
    stays = threading.Thread(target=over.wait, name="stays", daemon=True)
    stays.start()
    for call, what in (
        (over.wait, "a threading.Event"),
        (barrier.wait, "a threading.Barrier"),
        (stays.join, "the end of thread stays"),
    ):
        assert Beside(call).blocked().what.startswith(what)
    over.set()
    barrier.wait()


def test_who_goes_on() -> None:
    """A thread that sleeps, or that runs."""
    over = threading.Event()
    threads = [Beside(lambda: until(over.is_set)), Beside(lambda: time.sleep(1))]
    assert [thread.why() for thread in threads] == [None, None]
    over.set()
    for thread in threads:
        thread.end()


@pytest.mark.parametrize("again", [False, True])
def test_a_thread_that_runs_while_it_is_looked_at(monkeypatch: pytest.MonkeyPatch, *, again: bool) -> None:
    """Its limit is read from its memory, which holds anything once it has run; it is not blocked, also if it is again."""
    first = threading.Semaphore(0)

    def waits() -> None:
        first.acquire(timeout=LONG)
        if again:
            first.acquire(timeout=LONG)

    thread = Beside(waits)
    before = thread.blocked()
    read = blocked._left

    def runs(arguments: list[int], process: int | str) -> float | None:
        left = read(arguments, process)
        monkeypatch.undo()
        first.release()
        if again:
            assert until(lambda: (now := thread.why()) is not None and now.mark != before.mark)
        else:
            thread.end()
        return left

    monkeypatch.setattr(blocked, "_left", runs)
    assert thread.why() is None
    first.release()
    thread.end()


def test_a_child(sleeper: subprocess.Popen[bytes]) -> None:
    """Its end, with and without a limit; what polls says so by its frame."""
    plain = Beside(lambda: os.waitpid(sleeper.pid, 0)).blocked()
    assert (plain.what, plain.left, plain.child) == (f"the end of OS process {sleeper.pid}", FOREVER, sleeper.pid)
    for call, least in (
        (lambda: sleeper.wait(LONG), 1),
        (lambda: sleeper.communicate(timeout=LONG), 1),
        (sleeper.communicate, FOREVER),
    ):
        found = Beside(call).blocked()
        assert least <= found.left <= max(LONG, least)
        assert found.child == sleeper.pid
    sleeper.kill()


def test_pipes_of_a_child() -> None:
    """All that ``communicate`` does ends with the child; a read does not."""
    command = ["/bin/sleep", "1000"]
    for pipes, options, left in (
        ({"stdout": -1}, {}, FOREVER),
        ({"stdout": -1, "stderr": -1}, {}, FOREVER),
        ({"stdout": -1, "stderr": -1}, {"timeout": LONG}, LONG),
    ):
        with started(command, **pipes) as process:
            thread = Beside(lambda made=process, given=options: made.communicate(**given))  # type: ignore[misc]
            found = thread.blocked()
            assert found.child == process.pid
            assert left - 60 <= found.left <= left
            process.kill()
            thread.end()  # before its pipes are closed, which would not wake it


def _stay() -> None:
    time.sleep(LONG)


def test_a_process_of_multiprocessing() -> None:
    """It is joined, for ever or for a while."""
    process = multiprocessing.get_context("fork").Process(target=_stay)
    process.start()
    for limit in (None, LONG):
        found = Beside(lambda most=limit: process.join(most)).blocked()  # type: ignore[misc]
        assert found.child == process.pid
        assert (found.left == FOREVER) is (limit is None)
    process.kill()
    process.join()


def test_an_event_loop() -> None:
    """Other threads alone can end it, or the first moment that is scheduled."""
    loops: list[asyncio.AbstractEventLoop] = []

    async def main(wait: float | None) -> None:
        loops.append(asyncio.get_running_loop())
        over.append(asyncio.Event())
        await asyncio.wait_for(over[-1].wait(), wait)

    over: list[asyncio.Event] = []
    for wait in (None, LONG):
        thread = Beside(lambda most=wait: asyncio.run(main(most)))  # type: ignore[misc]
        found = thread.blocked()
        assert found.what == "another thread of its process, in an event loop"
        assert (found.left == FOREVER) is (wait is None)
        loops[-1].call_soon_threadsafe(over[-1].set)
        thread.end()
    ours, theirs = os.pipe()

    async def reads() -> None:
        asyncio.get_running_loop().add_reader(ours, lambda: over[-1].set())  # noqa: PLW0108 - the one of then
        await main(None)

    thread = Beside(lambda: asyncio.run(reads()))
    assert until(lambda: len(over) == 3)
    assert thread.why() is None
    os.write(theirs, b"\0")
    thread.end()
    os.close(ours)
    os.close(theirs)


def call(name: str, *arguments: int) -> Any:
    """Return what stands for a thread's system call."""
    return lambda _: ({"futex": FUTEX, "wait": WAIT4}.get(name, -2), [*arguments, 0, 0, 0])


@pytest.mark.parametrize(
    ("made", "left"),
    [
        (call("futex", 1, PRIVATE, 0, 0), FOREVER),
        (call("futex", 1, PRIVATE | 6, 0, 0), None),
        (call("futex", 1, PRIVATE, 0, 1), None),
        (call("futex", 1, 9, os.getpid(), 0), FOREVER),
        (call("futex", 1, 9, os.getpid(), 1), None),
        (call("futex", 1, 9, 1 << 30, 0), None),
        (call("wait", 7, 0, 0), FOREVER),
        (call("wait", 7, 0, 1), None),
        (call("wait", (1 << 64) - 1, 0, 0), None),
        (call("other"), None),
    ],
)
def test_system_calls(made: Any, left: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock of this process's alone, without a limit or until a moment; the end of one child, waited for without a limit."""
    monkeypatch.setattr(blocked, "_call", made)
    monkeypatch.setattr(blocked, "_switches", lambda _: ())  # this thread runs, as no thread that waits does
    found = blocked.blocked(os.getpid())
    assert (found and found.left) == left


@pytest.mark.parametrize("clock", [0, WALL])
def test_the_clock_of_a_limit(clock: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the system's, or one that only goes forward; the limit lies in the memory of the process."""
    import ctypes  # noqa: PLC0415 - here alone

    now = time.time() if clock else time.monotonic()
    limit = (ctypes.c_longlong * 2)(int(now) + 100, 0)
    place = ctypes.addressof(limit)
    monkeypatch.setattr(blocked, "_call", call("futex", 1, PRIVATE | clock | 9, 0, place))
    monkeypatch.setattr(blocked, "_switches", lambda _: ())  # this thread runs, as no thread that waits does
    found = blocked.blocked(os.getpid())
    assert found is not None
    assert 10 < found.left <= 100
    assert COMMAND & PRIVATE == 0


def test_where_the_system_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody may go on."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(blocked, "_call", refuse)
    assert blocked.blocked(os.getpid()) is None
    assert blocked.idle_service(1 << 30, os.getpid()) is None
    assert blocked.ends(1 << 30, os.getpid())
    assert blocked.threads_of(1 << 30) == set()
    monkeypatch.setattr(Path, "write_text", refuse)
    blocked.serve()


@contextmanager
def child(code: str) -> Iterator[subprocess.Popen[bytes]]:
    """Give a process that is about to run a line."""
    with started([sys.executable, "-c", WAKES.format(code)], stdin=-1, stdout=-1) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process


def test_another_process() -> None:
    """Each of its threads is blocked, or one is not, or it has a signal to take. An ended process has no threads."""
    with child(HELD) as held, child(FREE) as free:
        assert until(lambda: Look(FOREVER).takes_process(held.pid, "one"))
        look = Look(FOREVER)
        assert look.takes_process(held.pid, "one")
        assert [one.who for one in look.held] == [f"thread {held.pid} of one"]
        assert look.seen == {held.pid}
        assert not look.takes_process(free.pid, "other")
        assert look.alert
        look = Look(FOREVER, members={free.pid: {free.pid}})
        assert look.takes_process(free.pid, "other")
        assert not look.held
        held.send_signal(signal.SIGUSR1)
        assert until(lambda: not Look(FOREVER).takes_process(held.pid, "one"))
        held.kill()
        os.waitid(os.P_PID, held.pid, os.WEXITED | os.WNOWAIT)
        assert not Look(FOREVER).takes_process(held.pid, "one")
        free.kill()


def held(number: int) -> int:
    """Return how many threads of a process are blocked; 0 while one of them is not."""
    look = Look(FOREVER)
    return len(look.held) if look.takes_process(number, "one") else 0


def threads(number: int) -> list[str]:
    """Return what the system says of each thread of a process, for a test that fails."""
    places = sorted(Path(f"/proc/{number}/task").iterdir())
    return ["; ".join((place / name).read_text().strip() for name in ("comm", "syscall", "status")) for place in places]


def test_a_service_of_another_process() -> None:
    """A thread that waits for the owner of a machine does nothing by itself, unless it waits for a lock."""
    lines = (
        "threading.Thread(target=lambda: (blocked.serve(), {}), daemon=True).start()\n"
        "while not any(open(f'/proc/self/task/{{one}}/comm').read() == 'fakecuda\\n' for one in __import__('os').listdir('/proc/self/task')): pass\n"
        "lock.acquire()"
    )
    for what, blocks in (("sys.stdin.read()", 1), ("lock.acquire()", 2)):
        with child("from fakecuda.model.work import blocked\n" + lines.format(what)) as process:
            assert until(lambda number=process.pid, count=blocks: held(number) == count), threads(process.pid)  # type: ignore[misc]
            process.kill()


def test_who_waits_for_a_child_that_may_end() -> None:
    """It counts as one that may go on, unless each thread of the child is blocked."""
    look = Look(10.0)
    assert look.takes("one", Blocked("the end of OS process 7", FOREVER, 7, None))
    assert not look.takes("two", Blocked("the end of OS process 8", 5.0, 8, None))
    assert not look.takes("three", None)
    look.seen.add(8)
    assert look.free() == ["one, which waits for the end of OS process 7"]
    assert (look.held, [one.who for one in look.timed]) == ([], ["two"])


def test_a_join_that_has_not_begun_to_wait() -> None:
    """Until when it waits is not known yet: it may go on."""
    frame: Any = SimpleNamespace(f_locals={"timeout": 1.0}, f_back=None)
    inner: Any = SimpleNamespace(f_locals={}, f_back=frame)
    assert blocked.JOINS["multiprocessing.popen_fork", "wait"](frame, inner) is None
