"""The places where threads and executor work were started, for call stacks."""

from __future__ import annotations

import sys
import threading
from functools import cache, wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

FRAMES = 4
"""The number of frames to keep of a starting place."""
KEY = "_fakecuda_start"
"""The attribute of a thread or a work item that holds its starting place."""
EXECUTOR = "concurrent.futures.thread"
RUNS = {threading.Thread.run.__code__, threading.Timer.run.__code__}
"""Library methods that make calls for a program, and know where they were started."""
_start = threading.Thread.start


@cache
def is_library(name: str | None) -> bool:
    """Return whether a module is in the standard library."""
    return (name or "").partition(".")[0] in sys.stdlib_module_names


def _place(frame: FrameType | None) -> tuple[Any, ...]:
    """Return the stack from a frame on, without inner frames of the standard library."""
    found: list[Any] = []
    while frame is not None and len(found) < 2 * FRAMES:
        if found or not is_library(frame.f_globals.get("__name__")):
            found += frame.f_code, frame.f_lasti
        frame = frame.f_back
    return tuple(found)


@wraps(_start)
def start(self: threading.Thread) -> None:
    """Start a thread, and note the starting place."""
    note_work()
    vars(self)[KEY] = _place(sys._getframe(1))  # noqa: SLF001 - as history does
    _start(self)


threading.Thread.start = start  # type: ignore[method-assign]


def note_work() -> None:
    """Have executors note where their work was submitted.

    The work that starts an executor's first thread was made before; the thread has its place.
    """
    item = getattr(sys.modules.get(EXECUTOR), "_WorkItem", None)
    if item is None or item.run.__code__ in RUNS:
        return
    make = item.__init__

    @wraps(make)
    def made(self: Any, *args: Any) -> None:
        make(self, *args)
        vars(self)[KEY] = _place(sys._getframe(1))  # noqa: SLF001 - as history does

    item.__init__ = made
    RUNS.add(item.run.__code__)


note_work()


def starter_of(frame: FrameType | None) -> tuple[Any, ...]:
    """Return the stack that started a thread or submitted work; empty for others.

    Args:
        frame: The innermost frame outside fakecuda.
    """
    while frame is not None and is_library(frame.f_globals.get("__name__")):
        if frame.f_code in RUNS:
            found: tuple[Any, ...] = getattr(frame.f_locals["self"], KEY, ())
            if found:
                return found
        frame = frame.f_back
    return ()
