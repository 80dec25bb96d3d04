"""When an OS thread ends, what was kept for it is forgotten: the system uses thread ids again."""

from __future__ import annotations

import threading
from typing import Any

_local = threading.local()


class _End:
    """Held by a thread's local storage; its end is the thread's end."""

    __slots__ = ("kept",)

    def __init__(self) -> None:
        self.kept: list[tuple[dict[Any, Any], int]] = []

    def __del__(self) -> None:
        for table, number in self.kept:
            table.pop(number, None)


def at_thread_end(table: dict[Any, Any], number: int) -> None:
    """Drop ``table[number]`` when the calling thread ends.

    The local storage of a thread that Python did not make lasts for one callback only; the native door watches the
    end of those itself.
    """
    if isinstance(threading.current_thread(), threading._DummyThread):  # noqa: SLF001 - there is no public test
        return
    end = getattr(_local, "end", None)
    if end is None:
        end = _local.end = _End()
    end.kept.append((table, number))
