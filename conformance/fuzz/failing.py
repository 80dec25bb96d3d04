"""The library of :file:`failing.c`, which has system calls of its process fail."""

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
"""The side of failures: the owner, an attached Python process, or a C program."""
REPORT = 1 << 16
"""The maximum size of the report, in bytes."""
EVER = 1 << 30
"""The number of failures if all calls fail until the first process has ended."""


class Failing:
    """The library that has system calls fail, loaded in this process.

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
        """Start to count calls, and have one fail."""
        name, thread, first, error, times = point.told().split()
        self._c.moments_arm(name.encode(), int(thread), int(first), int(error), int(times))

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Exclude the current thread's calls from the count."""
        self._c.moments_aside(1)
        try:
            yield
        finally:
            self._c.moments_aside(0)

    def seen(self) -> tuple[int, str]:
        """Return the number of failed calls, and the counts."""
        text = ctypes.create_string_buffer(REPORT)
        self._c.moments_report(text, len(text))
        return self._c.moments_hits(), text.value.decode()


@frozen
class Point:
    """The system call that fails.

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
        """Return the point as the library reads it."""
        return f"{self.call} {self.thread} {self.first} {getattr(errno, self.error)} {self.times}"

    def __str__(self) -> str:
        which = f"from {self.first} on" if self.times > 1 else str(self.first)
        return f"{self.side}: {self.call} {which} of thread {self.thread} by {self.error}"
