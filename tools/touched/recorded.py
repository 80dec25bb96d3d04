"""Replays recorded programs: ``python -m tools.touched.recorded PLAN OUT``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.record.recordings import RecordingError, files, place_of
from conformance.record.replay import check, recording

if TYPE_CHECKING:
    from collections.abc import Collection

MOST = 3000
"""Maximum number of programs to replay. Programs named after a call come first, then the shortest."""
WORST = 5
"""Maximum number of failures with their text. The others are counted."""


def holding(calls: Collection[str], most: int = MOST) -> tuple[list[tuple[Path, int]], int]:
    """Return the programs that make a call, and the number of further ones.

    Each program comes as file and index.

    Args:
        calls: The calls.
        most: The maximum number of programs to return.
    """
    marks = tuple(f'"call":"{call}"' for call in calls)
    found: list[tuple[bool, int, Path, int]] = []
    for path in files():
        read = recording(path)
        if isinstance(read, RecordingError):
            raise read
        for number in range(len(read.programs)):
            line = read.programs.line(number)
            if any(mark in line for mark in marks):
                own = read.programs.name(number).partition("/")[0] in calls
                found.append((not own, len(line), path, number))
    found.sort()
    return [(path, number) for *_, path, number in found[:most]], max(len(found) - most, 0)


def run(plan: dict[str, Any]) -> dict[str, Any]:
    """Replay a plan's programs.

    Return the failures, and the numbers of replayed and of left-out programs.
    """
    failures: list[dict[str, str]] = []
    try:
        chosen, more = holding(plan["calls"], plan["most"])
    except RecordingError as error:
        return {
            "failures": [{"name": "recordings", "text": str(error), "command": "python -m fakecuda conform"}],
            "count": 0,
            "more": 0,
        }
    others = 0
    for path, number in chosen:
        try:
            check(path, number, "recordings")
        except Exception as error:  # noqa: BLE001 - every error is a failure
            read = recording(path)
            assert not isinstance(read, RecordingError)
            name = f"test_recorded[{place_of(path)}][{read.programs.name(number)}]"
            if len(failures) < WORST:
                said = str(error) if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"
                text = said.partition('\n\n"""')[0]  # the command prints the program, too
                failures.append({"name": name, "text": text, "command": f"python -m fakecuda conform '{name}'"})
            else:
                others += 1
    if others:
        text = f"{others} more recorded programs differ"
        failures.append({"name": "recordings", "text": text, "command": "python -m fakecuda conform test_recorded"})
    return {"failures": failures, "count": len(chosen), "more": more}


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(run(json.loads(Path(sys.argv[1]).read_text()))))
