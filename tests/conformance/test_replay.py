"""Replays of recordings: on the profile that each brought, whatever driver it has, and on another machine's."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import attrs
import pytest

from conformance.kit.program import OTHER_STEPS, Program
from conformance.kit.world import Unavailable
from conformance.record import recordings
from conformance.record.recorder import main as record
from conformance.record.recordings import files, read
from conformance.record.replay import check, main, replay
from fakecuda.profiles import load
from fakecuda.reach.native.stubs import NATIVE

if TYPE_CHECKING:
    from pathlib import Path

OF_A_CARD = {
    *("cuCtxGetLimit", "cuDeviceGetAttribute", "cuDeviceGetName", "cuDeviceTotalMem", "cuMemGetInfo"),
    *("cudaDeviceGetAttribute", "cudaDeviceGetLimit", "cudaGetDeviceProperties", "cudaMemGetInfo"),
    *("cuDeviceGetPCIBusId", "cudaDeviceGetPCIBusId"),
}
"""Calls that describe a card: its memory, location and limits."""
NVML = "nvml.jsonl.gz"
"""Recordings with calls that describe a card."""
EVERY = 4
"""One program in this many is replayed."""

NEVER = 999
"""A code that no driver returns."""
LIBRARY = "conformance.record.dry_run:library"
"""A driver that is a model behind a C interface."""


def changed(folder: Path) -> Path:
    """Write a recording of three programs: as it was recorded, with another answer, and without answers."""
    kept = read(recordings.ROOT / "h200" / "questions.jsonl.gz")
    folder.mkdir()
    shutil.copy(kept.profile(), folder / recordings.BESIDE)
    same, other, unasked = (
        kept.programs[number] for number in kept.programs.named("questions/ranges/*,questions/pools/frees")[-3:]
    )
    other.about, other.alone = "Whether it is found.", True
    other.answers[3]["code"] = NEVER
    recordings.write(folder / "mine.jsonl", kept.header, [same, other, attrs.evolve(unasked, answers=[])])
    return folder / "mine.jsonl"


@pytest.mark.parametrize(
    "path",
    [path for path in files() if path.parent.name == "h200-x2" and path.name != NVML],
    ids=lambda path: path.name,
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


@pytest.mark.parametrize("target", ["model", "processes"])
def test_programs_are_replayed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str) -> None:
    """A file, with what the programs ask that differ; what is written agrees, and has the answers that were missing."""
    path = changed(tmp_path / "h200")
    names = [read(path).programs.name(number) for number in range(3)]
    assert main([str(path), "--target", target, "--out", str(tmp_path / "out")]) == 1
    told = capsys.readouterr().out
    assert f"{names[1]}, about: Whether it is found.\n{names[1]}: step" in told
    assert f"{path}: 1 of 2 programs agree on h200, 1 have no recorded answers" in told
    assert main([str(path), "--only", f"{names[0]},{names[2]}", "--target", target]) == 0
    assert f"{path}: 1 of 1 programs agree on h200, 1 have no recorded answers" in capsys.readouterr().out
    (written,) = files(tmp_path / "out")
    assert all(program.answers for program in read(written).programs)
    assert read(written).programs[1].about == "Whether it is found."
    assert main([str(tmp_path / "out")]) == 0


@pytest.mark.parametrize("what", ["code", "number"])
def test_each_answer_that_differs_fails_its_check(tmp_path: Path, what: str) -> None:
    """Wherever it stands in a program: a code, or a number among the results, that the model does not give."""
    kept = read(recordings.ROOT / "h200" / "questions.jsonl.gz")
    shutil.copy(kept.profile(), tmp_path / recordings.BESIDE)
    (place,) = kept.programs.named("questions/pools/frees")
    programs = [kept.programs[place]]
    for number, step in enumerate(programs[0].steps):
        program = kept.programs[place]
        answer = program.answers[number]
        plain = [name for name, value in answer["outs"].items() if isinstance(value, int)]
        if step["call"] in OTHER_STEPS or (what == "number" and not plain):
            continue
        if what == "code":
            answer["code"] = NEVER
        else:
            answer["outs"][plain[0]] += 1
        programs.append(program)
    assert len(programs) > 1
    path = tmp_path / "planted.jsonl"
    recordings.write(path, kept.header, programs)
    assert check(path, 0, "recordings").counts["answers"] > 0
    for number in range(1, len(programs)):
        with pytest.raises(AssertionError, match="instead of"):
            check(path, number, "recordings")


def test_what_is_not_modelled_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the program's name; the programs behind it are replayed."""
    path = changed(tmp_path / "h200")
    kept = read(path)
    calls: list[tuple[str, tuple[object, ...]]] = [
        ("spawn", ()),
        ("cuInit", (0,)),
        ("cuCtxCreate", (None, 0, 0)),
        ("cuLinkCreate", (0, None, None)),
    ]
    calls += [("cuLinkAddData", ({"ref": "a.linker1"}, 3, {"hex": b"!<arch>".hex()}, 7, None, 0, None, None))]
    steps = [{"process": "a", "call": call, "args": list(args)} for call, args in calls]
    recordings.write(path, kept.header, [Program("mine", steps), kept.programs[0]])
    assert main([str(path)]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("mine: a host object")
    assert f"{path}: 1 of 1 programs agree on h200, 1 have no recorded answers" in told
    assert told[-1] == "differences: 1 of what is not modelled"


@pytest.mark.skipif(not NATIVE, reason="the native door is not for this processor")
def test_a_card_confirms_what_another_one_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It answers what has no answers yet; programs that need more devices are left out."""
    path = changed(tmp_path / "h200")
    names = [read(path).programs.name(number) for number in range(3)]
    two = recordings.ROOT / "h200-x2" / "found-2.jsonl.gz"
    card = ["--target=real", "--library", LIBRARY, "--profile", "h200", "--jobs", "1", "--limit", "60"]
    assert main([str(path), str(two), *card, "--out", str(tmp_path / "out")]) == 1
    told = capsys.readouterr().out
    assert f"{len(read(two).programs)} programs left out: they need more devices than the 1 here" in told
    assert f"{names[1]}, about: Whether it is found.\n{names[1]}: step" in told
    assert told.count(": step") == 1
    assert f"{path}: 1 of 2 programs agree on h200, 1 have no recorded answers" in told
    (written,) = files(tmp_path / "out")
    assert [len(one.answers) for one in read(written).programs] == [len(one.steps) for one in read(path).programs]
    assert [(one.name, one.about, one.alone) for one in read(written).programs] == [
        (one.name, one.about, one.alone) for one in read(path).programs
    ]
    assert main([str(written)]) == 0


def test_programs_of_hip_are_left_out_of_processes() -> None:
    """The suite's attached processes make calls of CUDA and NVML alone."""
    path = recordings.ROOT / "mi300x-emulated-7.2.4" / "questions.jsonl.gz"
    with pytest.raises(Unavailable, match="no calls of HIP"):
        replay(path, 0, "processes")
    assert not replay(path, 0).unknown


def test_programs_that_attached_processes_cannot_run_are_left_out() -> None:
    """They add a node that such a process cannot have."""
    path = recordings.ROOT / "h100" / "pairs.jsonl.gz"
    number = next(n for n, one in enumerate(read(path).programs) if one.name == "cuGraphAddBatchMemOpNode/pairs/8")
    with pytest.raises(Unavailable, match="adding a batch memory operation node is not modelled"):
        replay(path, number, "processes")
