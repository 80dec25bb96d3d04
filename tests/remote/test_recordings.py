"""Recorded programs run by real processes: the driver's answers in every step, for a program of each recording.

``pytest conformance --target=processes`` runs them all, as .ci/long does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.kit.world import Unavailable
from conformance.record.recordings import files
from conformance.record.replay import NEAR, PROCESSES, main, recording, replay

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.long(".ci/long has all programs of all recordings run by real processes")

MOST = 60
"""Steps of a program that is run here."""


LEFT_OUT = "device_launch"
"""The recording whose kernels have arguments, which attached processes cannot give."""


@pytest.mark.parametrize(
    "path",
    [path for path in files() if not path.name.startswith(LEFT_OUT)],
    ids=lambda path: f"{path.parent.name}-{path.name.partition('.')[0]}",
)
def test_real_processes_answer_as_the_driver_did(path: Path) -> None:
    """Also in what several processes share; the longest program that is short enough, else the shortest."""
    read = recording(path)
    assert not isinstance(read, Exception), read
    steps = {number: len(program.steps) for number, program in enumerate(read.programs) if program.name not in NEAR}
    short = {number: count for number, count in steps.items() if count <= MOST}
    chosen = max(short, key=short.__getitem__) if short else min(steps, key=steps.__getitem__)
    assert replay(path, chosen, PROCESSES).unknown == ()


def test_what_attached_processes_cannot_run_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """A whole run skips such programs, with the reason; the command leaves them out."""
    (path,) = (path for path in files() if path.name.startswith(LEFT_OUT))
    with pytest.raises(
        Unavailable, match="a launch with kernel arguments is not modelled for an OS process that has attached"
    ):
        replay(path, 0, "processes")
    assert main([str(path), "--only", "*/a_graph_behind", "--target=processes"]) == 0
    assert "questions/device_launch/a_graph_behind: left out: a launch with" in capsys.readouterr().out
