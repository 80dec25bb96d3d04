"""How far a run is, on stderr: a bar in a terminal; elsewhere a line at each tenth of what takes longer than a moment."""

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
"""Lines that tell how far it is, where there is no terminal."""
REDRAW = 0.05
"""Seconds after which the bar is drawn again."""
MOMENT = 2.0
"""Seconds that a run takes without a line."""


@define
class Progress:
    """How far a run is.

    Attributes:
        total: How much there is to do.
        done: How much is done.
        terminal: Whether to draw a bar.
    """

    total: int
    done: int = 0
    terminal: bool = field(factory=lambda: sys.stderr.isatty())  # noqa: PLW0108 - a test's stderr is another one
    _told: int = 0
    _drawn: float = 0.0
    _start: float = field(factory=lambda: time.monotonic())  # noqa: PLW0108 - a test's time is another one

    def add(self, done: int = 1) -> None:
        """Count what was done."""
        self.done += done

    def show(self, text: str = "") -> None:
        """Show how far it is, where that has changed.

        Args:
            text: What there is to say of it: what is under way, how many have failed.
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
    """Yield items, and show how many are done and which is under way; :func:`say` prints meanwhile.

    Args:
        items: The items, which are counted first.
        name: What to call one.
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
    """Print a text, unless it is empty, in the place of a bar; that is drawn again when there is more to show."""
    if text:
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
