"""Findings that are reported while the program still runs."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections import Counter
from threading import Timer
from typing import TYPE_CHECKING, Any

import pytest

from conformance.record.checked import Comparison, compared
from conformance.record.live import follow
from conformance.record.log import Log
from fakecuda import Machine, profiles
from fakecuda.model.code.kernels import kernel
from fakecuda.reach.shadow import ring
from fakecuda.reach.shadow.build import PROCESSOR
from fakecuda.reach.shadow.run import run
from tests.limits import LONG

from .shadow import on

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conformance.record.findings import RecordedFinding

pytestmark = pytest.mark.skipif(os.uname().machine != PROCESSOR, reason=f"programs are recorded on {PROCESSOR}")

CUT = 100
"""The size of a piece of a recording in bytes; records may cross pieces."""


def test_a_finding_comes_before_the_program_ends(machine: Machine, compile_program: Callable[..., Path]) -> None:
    """The program ends after its finding was read. The report at the end does not repeat the finding, and counts it."""
    program = compile_program("wrong", "libcuda.so", options=("-g", "-ldl"))
    library, environ = on(machine)
    variables = {**os.environ, **environ, "LD_LIBRARY_PATH": str(library.parent)}
    command = [
        sys.executable,
        "-m",
        "fakecuda",
        "check",
        "--real",
        "--profile",
        "h200-x2",
        "--",
        str(program),
        "unmap",
        "wait",
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=variables, stdin=pipe, stderr=pipe, text=True) as check:
        assert check.stdin is not None
        assert check.stderr is not None
        hangs = Timer(LONG, check.stdin.close)  # without live reports, the program would wait for ever
        hangs.start()
        first = [check.stderr.readline()]
        hangs.cancel()
        assert check.poll() is None
        check.stdin.close()
        said = "".join(first + check.stderr.readlines())
    assert check.returncode == 1
    assert first[0].startswith("fakecuda: undefined behaviour: cuMemUnmap in process a")
    assert said.count("undefined behaviour: cuMemUnmap in process a") == 1
    assert "in unmap" in said
    assert " 1 finding, 0 of " in said


@kernel("repeated")
def repeated(_grid: object, _block: object) -> None:
    """Do nothing."""


def written(machine: Machine, program: Path, what: str) -> bytes:
    """Return the records of a program as the reader writes them."""
    library, environ = on(machine)
    to = io.BytesIO()
    run(
        lambda variables: subprocess.call([program, what], env={**variables, **environ}),
        to,
        library=library,
        stacks=True,
    )
    return to.getvalue()


@pytest.mark.parametrize("what", ["unmap", "race", "twice", "again", "share", "past", "hidden"])
def test_what_is_found_live_is_found_at_the_end(
    machine: Machine, compile_program: Callable[..., Path], what: str
) -> None:
    """The records come in pieces. What a process left behind is reported at the end alone."""
    data = written(machine, compile_program("wrong", "libcuda.so", options=("-g", "-ldl")), what)
    pieces = [data[place : place + CUT] for place in range(0, len(data), CUT)]
    records = Pieces(pieces)
    profile = profiles.load("h200-x2")
    found = list(follow(records, profile, records.is_over))
    assert found == at_the_end(data)
    assert found


def at_the_end(data: bytes) -> list[RecordedFinding]:
    """Return what the check at the end finds in records, but what a process left behind."""
    log = Log()
    log.read(ring.records(data))
    with Machine("h200-x2", seed=0, kernels="skip") as model:
        return [one for one in compared(log.program, model).found if one.kind != "left behind"]


def test_the_device_of_a_runtimes_context_is_known_by_its_next_call(
    machine: Machine, compile_program: Callable[..., Path]
) -> None:
    """Without the context, the model would not know the order of work. The machine has two devices. Records come one after another."""
    data = written(machine, compile_program("wrong", "libcuda.so", options=("-g", "-ldl")), "tables")
    whole = at_the_end(data)
    assert [one.kind for one in whole] == ["undefined behaviour"]
    assert list(follow(Slow(data), profiles.load("h200-x2"), lambda: True)) == whole


def test_repeated_calls_are_made_once(
    machine: Machine, compile_program: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model makes one of three launches that come one after another, and one of two queries. They order work all the same."""
    made: Counter[str] = Counter()
    go_on = Comparison.go_on

    def count(self: Comparison, number: int, step: Any, expected: Any) -> None:
        made[step["call"]] += 1
        go_on(self, number, step, expected)

    data = written(machine, compile_program("wrong", "libcuda.so", options=("-g", "-ldl")), "loop")
    whole, records = at_the_end(data), Pieces([data])
    monkeypatch.setattr(Comparison, "go_on", count)
    assert list(follow(records, profiles.load("h200-x2"), records.is_over)) == whole
    assert len(whole) == 1
    assert made["cuMemsetD8Async"] == 80
    assert made["cuLaunchKernel"] == 38
    assert made["cuEventQuery"] == 40
    assert not made["cuCtxGetDevice_v2"]


class Pieces(io.BytesIO):
    """A file that grows by a piece once all earlier pieces are read.

    Args:
        pieces: The pieces.
    """

    def __init__(self, pieces: list[bytes]) -> None:
        super().__init__()
        self.pieces = pieces

    def is_over(self) -> bool:
        """Return whether all was written; else write the next piece."""
        if not self.pieces:
            return True
        place = self.tell()
        self.write(self.pieces.pop(0))
        self.seek(place)
        return False


class Slow(io.BytesIO):
    """A file that has been written, and is read in pieces."""

    def read(self, _: int | None = -1) -> bytes:
        """Return the next piece."""
        return super().read(CUT)
