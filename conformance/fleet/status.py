"""The progress of a fleet on stderr: one line that a terminal redraws."""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

from attrs import define, field

from conformance.fleet.gathered import ASKED
from conformance.fleet.slices import DESCRIBE, STREAMS

if TYPE_CHECKING:
    from conformance.fleet.fleet import Fleet

REDRAW, LINES = 0.5, 30.0
"""Seconds between lines, in a terminal and elsewhere."""


@define
class StatusLine:
    """Shows the progress of a fleet.

    Attributes:
        terminal: Whether one line is written anew.
    """

    terminal: bool = field(factory=lambda: sys.stderr.isatty())  # noqa: PLW0108 - a test's stderr is another one
    _told: float = field(factory=time.monotonic, init=False)
    _lost: int = field(default=0, init=False)

    def show(self, fleet: Fleet) -> None:
        """Show the progress if it is time, or if a slice was lost."""
        for name, node, how in fleet.losses.told[self._lost :]:
            self._write(f"fleet: lost {name} on {node}: {how}", last=True)
        self._lost = len(fleet.losses.told)
        now = time.monotonic()
        if now >= self._told + (REDRAW if self.terminal else LINES):
            self._told = now
            self._write(line(fleet), last=False)

    def _write(self, text: str, *, last: bool) -> None:
        if self.terminal:
            sys.stderr.write(f"\r\x1b[K{text[:200]}" + "\n" * last)
        else:
            sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def end(self) -> None:
        """End the line."""
        if self.terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def line(fleet: Fleet) -> str:
    """Return the progress of a fleet on one line."""
    gathered = fleet.gathered
    done = Counter(name.partition("/")[0] for name in gathered.done)
    left = Counter(one.kind for one in (*fleet.pending, *(one for one, _ in fleet.running.values())))
    parts = [
        f"{done[kind]} of {done[kind] + left[kind]} {kind}" for kind in sorted({*done, *left} - {*STREAMS, DESCRIBE})
    ]
    programs = sum(seen.journal.reached.programs for seen in gathered.machines.values())
    different = sum(one.told.kind in ASKED for one in gathered.differences.values())
    hours, seconds = divmod(int(time.monotonic() - fleet.begun), 3600)
    parts += [
        f"{programs} programs",
        f"{different} differences",
        f"{len(gathered.failures)} causes of failures",
        f"{len(fleet.losses.told)} lost",
        f"{len(fleet.running)} under way on {len(fleet.roster.there)} hosts",
    ]
    return f"fleet {hours}:{seconds // 60:02}:{seconds % 60:02}  " + ", ".join(parts)
