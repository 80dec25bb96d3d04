"""The OS threads of this process; when one ends, what was kept for it is forgotten: the system uses thread ids again."""

from __future__ import annotations

import os
import threading
from typing import Any
from weakref import WeakKeyDictionary

_local = threading.local()


class _End:
    """Held by a thread's local storage; its end is the thread's end."""

    __slots__ = ("kept",)

    def __init__(self) -> None:
        self.kept: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    def __del__(self) -> None:
        for process, number in self.kept.items():
            process.threads.pop(number, None)


def at_thread_end(process: Any, number: int) -> None:  # noqa: ANN401 - a process of this OS process or of another one
    """Drop ``process.threads[number]`` when the calling thread ends; the process may be gone before.

    The local storage of a thread that Python did not make lasts for one callback only; the native door watches the
    end of those itself.
    """
    if isinstance(threading.current_thread(), threading._DummyThread):  # noqa: SLF001 - there is no public test
        return
    end = getattr(_local, "end", None)
    if end is None:
        end = _local.end = _End()
    end.kept[process] = number


def running() -> frozenset[int]:
    """Return the ids of the OS threads that run now; where the system does not tell, of those that Python knows."""
    try:
        return frozenset(map(int, os.listdir("/proc/self/task")))  # noqa: PTH208 - at every start and end of a machine
    except OSError:
        return frozenset(thread.native_id for thread in threading.enumerate() if thread.native_id)
