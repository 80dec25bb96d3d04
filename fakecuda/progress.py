"""Progress of a run, on stderr.

In a terminal it is a bar. Elsewhere it is a line at each tenth, if the run takes longer than two seconds.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TypeVar

from attrs import define, field

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

T = TypeVar("T")

BAR = 30
LINES = 10
"""Number of progress lines if stderr is not a terminal."""
REDRAW = 0.05
"""Seconds between two updates of the bar."""
MOMENT = 2.0
"""Seconds before the first line is printed."""


@define
class Progress:
    """Progress of a run.

    Attributes:
        total: Number of items to do.
        done: Number of items done.
        terminal: Whether to draw a bar.
    """

    total: int
    done: int = 0
    terminal: bool = field(factory=lambda: sys.stderr.isatty())  # noqa: PLW0108 - tests replace sys.stderr
    _told: int = 0
    _drawn: float = 0.0
    _start: float = field(factory=lambda: time.monotonic())  # noqa: PLW0108 - tests replace time.monotonic

    def add(self, done: int = 1) -> None:
        """Count finished items."""
        self.done += done

    def show(self, text: str = "") -> None:
        """Show the progress, if it has changed.

        Args:
            text: A text to show with it, such as the current item or the number of failures.
        """
        now = time.monotonic()
        if self.terminal:
            if now - self._drawn < REDRAW and self.done < self.total:
                return
            self._drawn = now
            full = BAR * self.done // max(self.total, 1)
            sys.stderr.write(f"\r[{'#' * full}{'-' * (BAR - full)}] {self._line(text, now)}\033[K")
        else:
            tenths = LINES * self.done // max(self.total, 1)
            if tenths <= self._told or now - self._start < MOMENT:
                return
            self._told = tenths
            sys.stderr.write(f"{100 * self.done // max(self.total, 1)} %  {self._line(text, now)}\n")
        sys.stderr.flush()

    def _line(self, text: str, now: float) -> str:
        left = (now - self._start) * (self.total - self.done) / self.done if self.done else 0
        minutes, seconds = divmod(int(left), 60)
        parts = [f"{self.done}/{self.total}", f"{minutes}:{seconds:02} left" if self.done else "", text]
        return "  ".join(part for part in parts if part)

    def end(self) -> None:
        """End the line of the bar."""
        if self.terminal and self._drawn:
            sys.stderr.write("\n")
            sys.stderr.flush()


def each(items: Iterable[T], name: Callable[[T], str] = str) -> Generator[T]:
    """Yield items and show the progress; :func:`say` prints during it.

    Args:
        items: The items. They are counted first.
        name: Returns the name of an item.
    """
    found = list(items)
    bar = Progress(len(found))
    try:
        for item in found:
            bar.show(name(item))
            yield item
            bar.add()
        bar.show()
    finally:
        bar.end()


def say(text: str) -> None:
    """Print a text in place of the progress bar, which the next progress draws again.

    An empty text prints nothing.
    """
    if text:
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
