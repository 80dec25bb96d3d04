"""The OS threads of this process; when one ends, what was kept for it is forgotten: the system uses thread ids again."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable


class _Own(threading.local):
    """What each OS thread is to itself.

    Attributes:
        number: Its id; the system takes four times as long to tell it.
    """

    def __init__(self) -> None:
        self.ask()

    def ask(self) -> None:
        """Ask the system: a forked child's thread has another one."""
        self.number = threading.get_native_id()


class Callers(dict[int | str, Any]):
    """The threads of a process by the ids of the OS threads that act as them: one that is not there yet is found.

    Args:
        find: Returns the thread that the calling OS thread acts as; if it enters that here, it is asked once.
    """

    __slots__ = ("find",)

    def __init__(self, find: Callable[[], Any]) -> None:
        super().__init__()
        self.find = find

    def __missing__(self, number: int) -> Any:
        return self.find()

    def current(self) -> Any:
        """Return the thread that the calling OS thread acts as."""
        return self[own.number]


own = _Own()
os.register_at_fork(after_in_child=own.ask)
_local = threading.local()
SERVANTS: set[int] = set()
"""Hook: the ids of OS threads that call machines only for other OS processes, or never. Listeners add their own threads.

No wait expects that the thread calls. It must not call the driver for this OS process.
"""
_ending: set[int] = set()
"""Threads that have left Python, and run their destructors in C, or have ended."""
LEAVES = 1.0
"""How long a machine waits for such threads, in seconds."""
LOOKS = 0.001
"""How long it waits between two looks, in seconds."""


class _End:
    """Held by a thread's local storage; its end is the thread's end."""

    __slots__ = ("kept",)

    def __init__(self) -> None:
        self.kept: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    def __del__(self, finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if finalizing():  # the modules that this needs may be gone, and nobody asks any more
            return
        for process, number in self.kept.items():
            process.threads.pop(number, None)
            _ending.add(number)


def at_thread_end(process: Any, number: int) -> None:
    """Drop ``process.threads[number]`` when the calling thread ends; the process may be gone before.

    The local storage of a thread that Python did not make lasts for one callback only; the native door watches the
    end of those itself.
    """
    if isinstance(threading.current_thread(), threading._DummyThread):  # noqa: SLF001 - there is no public test
        return
    end = getattr(_local, "end", None)
    if end is None:
        end = _local.end = _End()
        _ending.discard(number)
    end.kept[process] = number


def running() -> frozenset[int]:
    """Return the ids of the OS threads that run now; where the system does not tell, of those that Python knows."""
    try:
        return frozenset(map(int, os.listdir("/proc/self/task")))  # noqa: PTH208 - at every start and end of a machine
    except OSError:
        return frozenset(thread.native_id for thread in threading.enumerate() if thread.native_id)


def await_ending() -> None:
    """Wait for threads that have left Python: ``Thread.join`` returns before their destructors in C have called the driver.

    One that does not end, and a thread that Python did not make and that has the id of one that has, are waited for once.
    """
    limit = time.monotonic() + LEAVES
    while _ending:
        _ending.intersection_update(running())
        _ending.difference_update(thread.native_id for thread in threading.enumerate() if thread.native_id)
        if time.monotonic() > limit:
            _ending.clear()
        elif _ending:
            time.sleep(LOOKS)
