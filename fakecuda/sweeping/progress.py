"""How far a program is that is run many times."""

from __future__ import annotations

import sys

from attrs import field, frozen

BAR = 30


@frozen
class Progress:
    """How many runs are done, on stderr where that is a terminal.

    Attributes:
        total: How many runs there are.
    """

    total: int
    _done: list[str] = field(factory=list)
    _shown: bool = field(factory=lambda: sys.stderr.isatty())  # noqa: PLW0108 - a test's stderr is another one

    def show(self, text: str) -> None:
        """Show which run is under way."""
        self._done.append(text)
        if self._shown:
            done = len(self._done)
            full = BAR * done // self.total
            sys.stderr.write(f"\r[{'#' * full}{'-' * (BAR - full)}] {done}/{self.total}  {text}\033[K")
            sys.stderr.flush()

    def end(self) -> None:
        """End the line."""
        if self._shown and self._done:
            sys.stderr.write("\n")
            sys.stderr.flush()
