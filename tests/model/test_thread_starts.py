"""Where threads were started, for calls that a thread makes as its target."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import threading
import weakref
from concurrent import futures
from functools import partial
from multiprocessing.pool import ThreadPool
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from fakecuda.model import history
from fakecuda.model.os import thread_starts
from fakecuda.model.os.thread_starts import FRAMES, start, starter_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


def test_the_target_of_a_thread_has_the_line_that_started_it() -> None:
    """Only if the call is the target itself. The line of a function that calls is nearer."""
    found: list[history.Stack] = []

    def own() -> None:
        found.append(history.whole())

    scope = {"__name__": "fakecuda.call", "found": found, "whole": history.whole}
    for target in (eval("lambda: found.append(whole())", scope), own):  # noqa: S307 - the first is fakecuda's own
        thread = threading.Thread(target=target)
        thread.start()
        thread.join()
    direct, nearer = ([line.rpartition(" in ")[2] for line in history.lines(stack)] for stack in found)
    name = test_the_target_of_a_thread_has_the_line_that_started_it.__name__
    assert direct[:4] == ["Thread.run", "Thread._bootstrap_inner", "Thread._bootstrap", name]
    assert len(direct) == 3 + FRAMES
    assert nearer[0] == f"{name}.<locals>.own"
    assert name not in nearer


def test_other_frames_have_none() -> None:
    """No frame, a frame outside of threads, a frame of a thread that has no start."""
    assert starter_of(None) == ()
    assert starter_of(sys._getframe()) == ()
    assert threading.Thread.start is start
    frames: list[FrameType] = []
    thread = threading.Thread(target=lambda: frames.append(sys._getframe(1)))
    thread.run()
    assert starter_of(frames[0]) == ()


def ways() -> dict[str, Callable[[Callable[[], object]], object]]:
    """Return ways in which the standard library makes a call for a program, by name."""

    def thread(call: Callable[[], object], kind: Callable[..., threading.Thread]) -> None:
        started = kind(call)
        started.start()
        started.join()

    async def soon(call: Callable[[], object]) -> None:
        asyncio.get_running_loop().call_soon(call)
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def executed(call: Callable[[], object]) -> None:
        await asyncio.get_running_loop().run_in_executor(None, call)

    def closed(call: Callable[[], object]) -> None:
        with contextlib.ExitStack() as stack:
            stack.callback(call)

    def pooled(call: Callable[[], object], *, warm: bool) -> None:
        with futures.ThreadPoolExecutor(1) as pool:
            if warm:
                pool.submit(int).result()
            pool.submit(call).result()
            list(pool.map(lambda one: one, [0]))

    def mapped(call: Callable[[], object]) -> None:
        with futures.ThreadPoolExecutor(1) as pool:
            list(pool.map(partial(apply, call), [0]))

    def starred(call: Callable[[], object]) -> None:
        with ThreadPool(1) as pool:
            pool.starmap(call, [()])

    return {
        "Thread": partial(thread, kind=lambda call: threading.Thread(target=call)),
        "Timer": partial(thread, kind=partial(threading.Timer, 0)),
        "executor": partial(pooled, warm=False),
        "executor with a thread": partial(pooled, warm=True),
        "map of an executor": mapped,
        "to_thread": lambda call: asyncio.run(asyncio.to_thread(call)),
        "run_in_executor": lambda call: asyncio.run(executed(call)),
        "call_soon": lambda call: asyncio.run(soon(call)),
        "ExitStack": closed,
        "finalize": lambda call: weakref.finalize(ways, call)(),
        "ThreadPool": starred,
    }


def apply(call: Callable[[], object], _: int) -> object:
    """Make a call."""
    return call()


@pytest.mark.parametrize("name", ways())
def test_the_first_line_is_the_program_s(name: str) -> None:
    """Whatever part of the standard library makes the call itself."""
    found: list[history.Stack] = []
    scope = {"__name__": "fakecuda.call", "found": found, "here": history.here}
    call = eval("lambda: found.append(here(1))", scope)  # noqa: S307 - the frame is fakecuda's own
    ways()[name](call)
    (stack,) = found
    assert history.places(stack)[0].startswith(__file__)


def test_work_of_executors_is_noted_from_their_import_on() -> None:
    """Once, and never before a program imports them."""
    code = (
        "import sys, threading; from fakecuda.model.os.thread_starts import KEY, RUNS, note_work; "
        "assert 'concurrent.futures.thread' not in sys.modules and len(RUNS) == 2; "
        "from concurrent.futures import ThreadPoolExecutor; note_work(); note_work(); assert len(RUNS) == 3"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_what_notes_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work of an executor's class is given its place when it is made."""

    class Work:
        def __init__(self, call: Callable[[], object]) -> None:
            self.call = call

        def run(self) -> object:
            return self.call()

    monkeypatch.setattr(thread_starts, "RUNS", set(thread_starts.RUNS))
    monkeypatch.setitem(sys.modules, thread_starts.EXECUTOR, SimpleNamespace(_WorkItem=Work))
    thread_starts.note_work()
    thread_starts.note_work()
    assert Work.run.__code__ in thread_starts.RUNS
    code, *_ = vars(Work(int))[thread_starts.KEY]
    assert code.co_name == "test_what_notes_work"
