"""Captures, arrays, halted processes and calls that wait answer as recorded.

``conform`` replays all recordings, and these reach what no case reaches.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import conformance
from conformance.record import replay

FOLDER = Path(conformance.__file__).parent / "data" / "recordings"
PATHS = sorted(path for kind in ("arrays", "capture", "halted", "waits") for path in FOLDER.glob(f"*/{kind}*.jsonl.gz"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_recorded_answers_come(path: Path) -> None:
    """No answer differs."""
    assert replay.main([str(path)]) == 0
