"""Replays of recordings: on the profile that each brought, whatever driver it has, and on another machine's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.record.recorder import main as record
from conformance.record.recordings import files, read
from conformance.record.replay import main, replay
from fakecuda.profiles import load

if TYPE_CHECKING:
    from pathlib import Path

OF_A_CARD = {
    *("cuCtxGetLimit", "cuDeviceGetAttribute", "cuDeviceGetName", "cuDeviceTotalMem", "cuMemGetInfo"),
    *("cudaDeviceGetAttribute", "cudaDeviceGetLimit", "cudaGetDeviceProperties", "cudaMemGetInfo"),
    *("cuDeviceGetPCIBusId", "cudaDeviceGetPCIBusId"),
}
"""Calls that tell of a card, its memory, its place and its limits."""
EVERY = 4
"""Of so many programs one is replayed."""


@pytest.mark.parametrize(
    "path", [path for path in files() if path.parent.name == "h200-x2"], ids=lambda path: path.name
)
def test_two_h100_answer_as_two_h200(path: Path) -> None:
    """But to calls that tell of the card: what H200 answered holds on the profile of H100, under the same driver."""
    pair = load("h100-x2")
    found = read(path)
    differing = {
        found.programs[number].steps[difference.step]["call"]
        for number in range(0, len(found.programs), EVERY)
        for difference in replay(path, number, on=pair).unknown
    }
    assert differing <= OF_A_CARD


def test_a_recording_of_another_driver_brings_its_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is replayed on that; on a newer driver a function is there that it lacked, and a code is known."""
    only = ["--only", "cuGetErrorName,cuDeviceGetAttribute,cuCtxCreate", "--kinds", "case", "--jobs", "1"]
    made = record(["--target", "model", "--profile", "driver-12.4", "--out", str(tmp_path), *only])
    capsys.readouterr()
    assert made == 0
    assert {read(path).header.driver for path in files(tmp_path)} == {12040}
    assert main([str(tmp_path)]) == 0
    assert "programs agree on driver-12.4" in capsys.readouterr().out
    assert main([str(tmp_path), "--profile", "h200-x2"]) == 1
    told = capsys.readouterr().out.splitlines()[-1]
    assert told.startswith("differences: ")
    assert "cuCtxCreate" in told


def test_recordings_that_cannot_be_replayed_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown profile, a folder without any, and a file that is none."""
    assert main([str(tmp_path), "--profile", "nope"]) == 2
    assert "profile 'nope' is unknown" in capsys.readouterr().err
    assert main([str(tmp_path)]) == 2
    assert "no folder in it holds recordings" in capsys.readouterr().err
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "cases.jsonl").write_text("{}\n")
    assert main([str(tmp_path)]) == 2
    assert "python -m conformance.record" in capsys.readouterr().err
