"""How far a run is, on stderr: a bar in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time

from attrs import define, field

BAR = 30
LINES = 10
"""Lines that tell how far it is, where there is no terminal."""
REDRAW = 0.05
"""Seconds after which the bar is drawn again."""


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
    _start: float = field(factory=time.monotonic)

    def add(self, done: int) -> None:
        """Count what was done."""
        self.done += done

    def show(self, failed: int) -> None:
        """Show how far it is, where that has changed.

        Args:
            failed: How many checks have failed so far.
        """
        if self.terminal:
            now = time.monotonic()
            if now - self._drawn < REDRAW and self.done < self.total:
                return
            self._drawn = now
            full = BAR * self.done // max(self.total, 1)
            minutes, seconds = divmod(int(now - self._start), 60)
            trouble = f"  {failed} failed" if failed else ""
            bar = "#" * full + "-" * (BAR - full)
            sys.stderr.write(f"\r[{bar}] {self.done}/{self.total}  {minutes}:{seconds:02}{trouble}")
        else:
            tenths = LINES * self.done // max(self.total, 1)
            for tenth in range(self._told + 1, tenths + 1):
                sys.stderr.write(f"{tenth * 100 // LINES} %\n")
            self._told = tenths
        sys.stderr.flush()

    def end(self) -> None:
        """End the line of the bar."""
        if self.terminal and self._drawn:
            sys.stderr.write("\n")
            sys.stderr.flush()
