"""A dry run does what runs beside a GPU: processes, conversions to C, jobs and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import realcuda
from conformance.record import recordings, replay
from conformance.record.recorder import main
from conformance.record.recordings import read
from fakecuda.reach.native.stubs import NATIVE

if TYPE_CHECKING:
    from pathlib import Path

LIBRARY = "conformance.record.dry_run:library"
pytestmark = [
    pytest.mark.skipif(not NATIVE, reason="the native door is not for this processor"),
    pytest.mark.long("the recorder runs where there is a card"),
]


def test_a_recording_runs_dry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What processes answer through C is what the model answers."""
    arguments = ["--library", LIBRARY, "--profile", "h200", "--only", "cuStreamIsCapturing"]
    kinds = ["--kinds", "case,undefined", "--jobs", "1", "--limit", "60"]
    assert main([*arguments, *kinds, "--out", str(tmp_path)]) == 0
    assert "programs in" in capsys.readouterr().out
    names = {path.name for path in tmp_path.glob("h200/*")}
    wanted = {"cases.jsonl.gz", "undefined.jsonl.gz", "profile.toml", "problems.txt"}
    assert names == wanted
    # A door that is shut at a process's end succeeds at all.
    assert (tmp_path / "h200" / "problems.txt").read_text() == "cuStreamIsCapturing[torn_down]: 0 instead of 4\n"
    for path in recordings.files(tmp_path):
        for number in range(len(read(path).programs)):
            assert all("torn_down" in one.label for one in replay.replay(path, number).unknown)


def test_a_recording_of_the_runtime_api_runs_dry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its cases and programs of the state machine, on a libcudart that leads to the same model."""
    arguments = ["--library", LIBRARY, "--cudart", "conformance.record.dry_run:cudart", "--profile", "h200"]
    chosen = ["--kinds", "runtime", "--only", "cudaMalloc", "--machine-programs", "3", "--seed", "1"]
    assert main([*arguments, *chosen, "--jobs", "1", "--limit", "60", "--out", str(tmp_path)]) == 0
    assert "programs in" in capsys.readouterr().out
    (path,) = recordings.files(tmp_path)
    programs = read(path).programs
    assert path.name == "runtime.jsonl.gz"
    assert sum("machine" in program.name for program in programs) == 3
    for number, program in enumerate(programs):
        # Processes have models of their own here: what one shares the other does not know.
        if "machine" not in program.name:
            assert all("torn_down" in one.label for one in replay.replay(path, number).unknown)


def test_a_process_gets_little_managed_memory() -> None:
    """More than a card has free can hang it; what no process has addresses for is asked all the same."""
    with realcuda.Machine(library=LIBRARY) as machine:
        a = machine.spawn()
        a.c.cuInit(0)
        a.c.cuCtxCreate(None, 0, 0)
        assert a.c.cuMemAllocManaged(1 << 20, 1)[0] == 0
        assert a.c.cuMemAllocManaged(1 << 48, 1)[0] == 2
        with pytest.raises(PermissionError, match="hang"):
            a.c.cuMemAllocManaged(1 << 30, 1)
        with pytest.raises(PermissionError, match="hang"):
            a.driver.cuMemAllocManaged(1 << 30, 1)
        made = [a.c.cuMemPoolCreate((kind, 0, (1, 0), 0, 0, 0, 0))[1] for kind in (1, 2)]
        made += [a.c.cuMemGetDefaultMemPool((1, 0), kind)[1] for kind in (1, 2)]
        for pinned, managed in (made[:2], made[2:]):
            assert a.c.cuMemAllocFromPoolAsync(2 << 30, pinned, 0)[0] == 0
            assert a.c.cuMemAllocFromPoolAsync(1 << 20, managed, 0)[0] == 0
            with pytest.raises(PermissionError, match="hang"):
                a.c.cuMemAllocFromPoolAsync(1 << 30, managed, 0)
        assert a.c.cuMemPoolCreate(None)[0] == 1
