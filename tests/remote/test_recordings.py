"""Recorded programs run by real processes: the driver's answers in every step, for a program of each recording.

``pytest conformance --target=processes`` runs them all, as .ci/long does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.kit.world import Unavailable
from conformance.record.recordings import files
from conformance.record.replay import PROCESSES, main, recording, replay

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.long(".ci/long has all programs of all recordings run by real processes")

MOST = 60
"""The maximum number of steps of a program here."""
TENSOR_MAPS = "questions/arrays/tensor_maps"
"""A recorded program with a tensor map change, which attached processes lack."""


@pytest.mark.parametrize("path", list(files()), ids=lambda path: f"{path.parent.name}-{path.name.partition('.')[0]}")
def test_real_processes_answer_as_the_driver_did(path: Path) -> None:
    """Also in what several processes share; the longest program that is short enough, else the shortest."""
    read = recording(path)
    assert not isinstance(read, Exception), read
    steps = {number: len(program.steps) for number, program in enumerate(read.programs)}
    short = {number: count for number, count in steps.items() if count <= MOST}
    chosen = max(short, key=short.__getitem__) if short else min(steps, key=steps.__getitem__)
    assert replay(path, chosen, PROCESSES).unknown == ()


def test_what_attached_processes_cannot_run_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """A whole run skips such programs, with the reason; the command leaves them out."""
    (path,) = (path for path in files() if (path.parent.name, path.name) == ("h200-x2", "arrays.jsonl.gz"))
    read = recording(path)
    assert not isinstance(read, Exception), read
    (number,) = read.programs.named(TENSOR_MAPS)
    with pytest.raises(
        Unavailable, match="changing the address of a tensor map is not modelled for an OS process that has attached"
    ):
        replay(path, number, PROCESSES)
    assert main([str(path), "--only", TENSOR_MAPS, f"--target={PROCESSES}"]) == 0
    assert f"{TENSOR_MAPS}: left out: changing the address" in capsys.readouterr().out
