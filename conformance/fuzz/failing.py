"""The library of :file:`failing.c`, which has calls of the system fail in the process that has loaded it first."""

from __future__ import annotations

import contextlib
import ctypes
import errno
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

SIDES = ("owner", "child", "c")
"""Whose calls fail: the owner's of the machine, those of an attached process in Python, or in C."""
REPORT = 1 << 16
"""Bytes of what is counted, as text."""
EVER = 1 << 30
"""How many calls fail where all do, until the first process has ended."""


class Failing:
    """The library that has calls fail, which is loaded in this process.

    Args:
        program: The program in C, with the library beside it.
    """

    def __init__(self, program: str) -> None:
        self.program = program
        self.library = str(Path(program).with_name("failing.so"))
        self._c = ctypes.CDLL(self.library)
        self._c.moments_arm.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_long, ctypes.c_int, ctypes.c_long]
        self.rest = self._c.moments_rest

    def arm(self, point: Point) -> None:
        """Count from now on, and have a call fail."""
        name, thread, first, error, times = point.told().split()
        self._c.moments_arm(name.encode(), int(thread), int(first), int(error), int(times))

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Have the current thread's calls not count."""
        self._c.moments_aside(1)
        try:
            yield
        finally:
            self._c.moments_aside(0)

    def seen(self) -> tuple[int, str]:
        """Return how many calls have failed, and what was counted."""
        text = ctypes.create_string_buffer(REPORT)
        self._c.moments_report(text, len(text))
        return self._c.moments_hits(), text.value.decode()


@frozen
class Point:
    """Which call of the system fails.

    Attributes:
        side: One of ``SIDES``.
        call: Its name; none for a dry run.
        thread: The number of the thread that makes it.
        first: Which of the thread's calls of that name, from 1 on.
        error: The name of the error.
        times: How many of them fail.
    """

    side: str
    call: str = "none"
    thread: int = 0
    first: int = 1
    error: str = "EIO"
    times: int = 1

    def told(self) -> str:
        """Return it as the library reads it."""
        return f"{self.call} {self.thread} {self.first} {getattr(errno, self.error)} {self.times}"

    def __str__(self) -> str:
        which = f"from {self.first} on" if self.times > 1 else str(self.first)
        return f"{self.side}: {self.call} {which} of thread {self.thread} by {self.error}"
