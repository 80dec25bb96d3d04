"""The everyday corpus: the recorded programs that a normal run replays.

:mod:`conformance.record.choice` says which these are. The file lists the programs that are left out, with the hash of their
recording. So a recording that is new or has changed is in the corpus until ``python -m tools.codegen everyday`` has run again.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

from conformance import DATA
from conformance.record.recordings import hash_of, place_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FILE = DATA / "everyday.json"
DIGITS = 16
"""Hexadecimal digits of a recording's hash in the file."""


def left_out(path: Path) -> frozenset[int]:
    """Return the indices of a recording's programs to leave out."""
    known = _chosen().get(place_of(path))
    return _numbers(known["left out"]) if known and known["hash"] == hash_of(path)[:DIGITS] else frozenset()


@cache
def _chosen() -> dict[str, dict[str, str]]:
    chosen: dict[str, dict[str, str]] = json.loads(FILE.read_text())
    return chosen


def entry(path: Path, numbers: Iterable[int]) -> dict[str, str]:
    """Return the file's entry for a recording.

    Args:
        path: The recording.
        numbers: The places of the programs that are left out, rising.
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return {"hash": hash_of(path)[:DIGITS], "left out": ",".join("-".join(map(str, run)) for run in runs)}


def _numbers(text: str) -> frozenset[int]:
    """Return the numbers of a text such as ``0-3,7``."""
    runs = [[int(end) for end in run.split("-")] for run in text.split(",")]
    return frozenset(number for run in runs for number in range(run[0], run[-1] + 1))
