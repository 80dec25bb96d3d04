"""The places that started threads: a thread whose target is a call itself has no line of the program on its stack."""

from __future__ import annotations

import sys
import threading
from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

FRAMES = 4
"""How many frames of the place are kept."""
KEY = "_fakecuda_start"
"""The member of a thread that has them."""
_RUN = threading.Thread.run.__code__
_start = threading.Thread.start


@wraps(_start)
def start(self: threading.Thread) -> None:
    """Start a thread, and note where."""
    found: list[Any] = []
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - as history does
    while frame is not None and len(found) < 2 * FRAMES:
        found += frame.f_code, frame.f_lasti
        frame = frame.f_back
    vars(self)[KEY] = tuple(found)
    _start(self)


threading.Thread.start = start  # type: ignore[method-assign]


def starter_of(frame: FrameType | None) -> tuple[Any, ...]:
    """Return the stack that started a thread, if a frame is that of ``Thread.run``. Empty for another frame.

    Args:
        frame: The innermost frame outside fakecuda. A thread's target is the call if ``Thread.run`` has made it.
    """
    if frame is None or frame.f_code is not _RUN:
        return ()
    found: tuple[Any, ...] = vars(frame.f_locals["self"]).get(KEY, ())
    return found
