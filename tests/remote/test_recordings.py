"""Recorded programs run by real processes: the driver's answers in every step, for a program of each recording.

``pytest conformance --target=processes`` runs them all, as .ci/long does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.record.recordings import files
from conformance.record.replay import recording, replay

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.long(".ci/long has all programs of all recordings run by real processes")

MOST = 60
"""Steps of a program that is run here."""


@pytest.mark.parametrize("path", list(files()), ids=lambda path: f"{path.parent.name}-{path.name.partition('.')[0]}")
def test_real_processes_answer_as_the_driver_did(path: Path) -> None:
    """Also in what several processes share; the longest program that is short enough, else the shortest."""
    read = recording(path)
    assert not isinstance(read, Exception), read
    steps = [len(program.steps) for program in read.programs]
    short = [count for count in steps if count <= MOST]
    assert replay(path, steps.index(max(short, default=min(steps))), "processes").unknown == ()
