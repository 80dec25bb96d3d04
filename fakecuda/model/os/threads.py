"""The OS threads of this process.

Records of ended threads are dropped, because the system reuses thread ids.
"""

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
    """The id of each OS thread, kept per thread.

    Attributes:
        number: The native id. Asking the system takes four times as long.
    """

    def __init__(self) -> None:
        self.ask()

    def ask(self) -> None:
        """Ask the system for the thread id, which changes in a forked child."""
        self.number = threading.get_native_id()


class Callers(dict[int | str, Any]):
    """The threads of a process by native id; missing threads are looked up.

    Args:
        find: Returns the thread that the calling OS thread acts as. It may enter the thread here.
    """

    __slots__ = ("find",)

    def __init__(self, find: Callable[[], Any]) -> None:
        super().__init__()
        self.find = find

    def __missing__(self, number: int) -> Any:
        return self.find()

    def current(self) -> Any:
        """Return the simulated thread of the calling OS thread."""
        return self[own.number]


own = _Own()
os.register_at_fork(after_in_child=own.ask)
_local = threading.local()
SERVANTS: set[int] = set()
"""Hook: the ids of OS threads that call machines only for other OS processes, or never. Listeners add their own threads.

No wait expects that the thread calls. It must not call the driver for this OS process.
"""
_ending: set[int] = set()
"""Threads that have left Python and run C destructors, or have ended."""
LEAVES = 1.0
"""The maximum seconds that a machine waits for such threads."""
LOOKS = 0.001
"""Seconds between two checks of such threads."""


class _End:
    """A thread-local object that is destroyed when the thread ends."""

    __slots__ = ("kept",)

    def __init__(self) -> None:
        self.kept: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    def __del__(self, finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if finalizing():  # modules that this needs may be gone, and the table is no longer used
            return
        for process, number in self.kept.items():
            process.threads.pop(number, None)
            _ending.add(number)


def at_thread_end(process: Any, number: int) -> None:
    """Drop a process's record of the calling thread when the thread ends.

    The process may have gone by then.

    The local storage of a thread that Python did not create lasts for only one callback. The native door watches the
    end of those threads itself.
    """
    if isinstance(threading.current_thread(), threading._DummyThread):  # noqa: SLF001 - there is no public test
        return
    end = getattr(_local, "end", None)
    if end is None:
        end = _local.end = _End()
        _ending.discard(number)
    end.kept[process] = number


def running() -> frozenset[int]:
    """Return the native ids of the running threads.

    If the system does not list them, only Python's threads are returned.
    """
    try:
        return frozenset(map(int, os.listdir("/proc/self/task")))  # noqa: PTH208 - at every start and end of a machine
    except OSError:
        return frozenset(thread.native_id for thread in threading.enumerate() if thread.native_id)


def await_ending() -> None:
    """Wait until threads that have left Python have ended.

    ``Thread.join`` returns before a thread's destructors in C have called the driver. Threads that do not end in time
    are not waited for again.
    """
    limit = time.monotonic() + LEAVES
    while _ending:
        _ending.intersection_update(running())
        _ending.difference_update(thread.native_id for thread in threading.enumerate() if thread.native_id)
        if time.monotonic() > limit:
            _ending.clear()
        elif _ending:
            time.sleep(LOOKS)
