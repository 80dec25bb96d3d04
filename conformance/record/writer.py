"""The files that a recording writes during its run."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from attrs import define, field

from conformance.record import recordings
from conformance.record.recordings import line_of
from fakecuda.spec.codes import CRASH, HANG

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from conformance.kit.program import Program
    from conformance.record.recordings import Header

TOLD = 30.0
"""Seconds between progress messages."""
ENDS = {CRASH: "ended the process", HANG: "did not return"}


@define
class Writer:
    """The files of a recording.

    Attributes:
        folder: Where they are.
        header: What each says of itself.
        programs: What has been written, by the file's name without its ending.
        problems: What could not be recorded, and what is odd.
        begun: When it began, seconds since the epoch.
        told: When it was last told how far it is.
    """

    folder: Path
    header: Header
    programs: dict[str, list[Program]] = field(factory=dict)
    problems: list[str] = field(factory=list)
    begun: float = field(factory=time.time)
    told: float = field(factory=time.time)

    def path(self, stem: str) -> Path:
        """Return the file with a name."""
        return self.folder / f"{stem}.jsonl"

    def add(self, programs: Sequence[Program], problems: Sequence[str], stem: str = "") -> None:
        """Write a worker's programs at once.

        Args:
            programs: The programs.
            problems: What could not be recorded, and what is odd.
            stem: The name of the file that takes the programs; empty for the file of each program's origin.
        """
        for program in programs:
            own = stem or ("cases" if program.origin == "case" else program.origin)
            known = self.programs.setdefault(own, [])
            with self.path(own).open("a" if known else "w") as file:
                file.write("" if known else f"{line_of(self.header)}\n")
                file.write(f"{line_of(program)}\n")
            known.append(program)
        problems = [*problems, *(line for program in programs for line in _ends(program))]
        if problems:
            self.problems += problems
            with (self.folder / "problems.txt").open("a") as file:
                file.writelines(f"{problem}\n" for problem in problems)

    def tell(self, left: int) -> None:
        """Print the progress, now and then.

        Args:
            left: How many tasks are left.
        """
        if time.time() > self.told + TOLD:
            self.told = time.time()
            sys.stdout.write(f"{self}, {left} tasks left\n")
            sys.stdout.flush()

    def __str__(self) -> str:
        counts = ", ".join(f"{len(programs)} of {stem}" for stem, programs in self.programs.items())
        return f"{counts or 'no'} programs in {time.time() - self.begun:.0f} s, {len(self.problems)} problems"

    def finish(self) -> None:
        """Write the files sorted and compressed."""
        for stem, programs in self.programs.items():
            path = self.path(stem)
            ordered = sorted(programs, key=lambda program: program.name)
            recordings.write(path.with_suffix(".jsonl.gz"), self.header, ordered)
            path.unlink()


def _ends(program: Program) -> list[str]:
    """Return a line for each call that crashed or hung."""
    lines, label = [], program.name
    for step, answer in zip(program.steps, program.answers, strict=True):
        if step["call"] == "world":
            label = step["args"][0]
        elif answer["code"] in ENDS:
            lines.append(f"{label}: {step['call']} {ENDS[answer['code']]}")
    return lines
