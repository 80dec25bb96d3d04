"""Samples: forty parts of the suite of similar size, each with 1/40 of each group.

``python -m fakecuda conform`` runs one part first, and ``--quick`` runs it alone. The commit's number says which: forty
commits in a row, or any forty numbers in a row, run every check.
"""

from __future__ import annotations

import subprocess
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from conformance.runner.checks import chapter_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.runner.checks import Check

PARTS = 40
"""The number of samples of the whole suite."""


@frozen
class Draw:
    """The sample that a run takes.

    Attributes:
        number: Any whole number from 0; those with one remainder by ``PARTS`` are one sample.
        origin: What gave the number.
    """

    number: int
    origin: str

    def __str__(self) -> str:
        return f"sample {self.part + 1} of {PARTS}, by {self.origin} (--sample {self.number})"

    @property
    def part(self) -> int:
        """The number of the sample, from 0."""
        return self.number % PARTS


def draw(root: Path, number: int | None = None) -> Draw:
    """Return the sample that a run takes.

    Args:
        root: The folder that holds the suite.
        number: A number that the user gave; None for the commit's number among its first parents. A shallow clone does not
            know that, and has a hash of the commit. A suite outside of a repository has a hash of fakecuda's version.
    """
    if number is not None:
        return Draw(number, "its number")
    top, shallow, head = (*_git(root, "rev-parse", "--show-toplevel", "--is-shallow-repository", "HEAD"), "", "", "")[
        :3
    ]
    if top and Path(top).resolve() == root.resolve():
        counted = _git(root, "rev-list", "--count", "--first-parent", "HEAD") if shallow == "false" else []
        return Draw(int(counted[0]), "the commit's number") if counted else Draw(_hashed(head), "the commit's hash")
    try:
        return Draw(_hashed(version("fakecuda")), "fakecuda's version")
    except PackageNotFoundError:
        return Draw(0, "default")


def _git(root: Path, *arguments: str) -> list[str]:
    """Return the lines that a git command prints; an empty list if it fails."""
    try:
        command = ["git", "-C", str(root), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - git, from the path
    except OSError:
        return []
    return [] if done.returncode else done.stdout.splitlines()


def _hashed(text: str) -> int:
    """Return a number that depends only on a text."""
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest())


def parts_of(group: str, checks: Sequence[Check]) -> list[int]:
    """Return the sample number, from 0, of each check of a group.

    The checks of one chapter and kind are sorted by a hash of their names and dealt out to all parts in turn. So a new check moves
    no check of another group.

    Args:
        group: The group's node id.
        checks: Its checks.
    """
    alike: dict[tuple[str, bool], list[int]] = {}
    for place, check in enumerate(checks):
        pairs = any(len(case.twists) > 1 for case in check.cases)
        alike.setdefault((chapter_of(check.calls), pairs), []).append(place)
    found = [0] * len(checks)
    for (chapter, pairs), places in alike.items():
        first = _hashed(f"{group} {chapter} {pairs}")
        places.sort(key=lambda place: (_hashed(f"{group}[{checks[place].name}]"), place))
        for turn, place in enumerate(places):
            found[place] = (first + turn) % PARTS
    return found
