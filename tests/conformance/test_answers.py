"""Recorded answers in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.kit.program import Program
from conformance.record import recordings
from conformance.record.answers import entries, heard, lines
from fakecuda.codes import CRASH, Result

if TYPE_CHECKING:
    from pathlib import Path

RULE = "core.initialized.DRIVER_IS_INITIALIZED"
SMALL = recordings.ROOT / "h200" / "cases.jsonl.gz"


def test_answers_become_a_line() -> None:
    """The commonest answer comes first, each with the plainest program that shows it."""
    told = [
        ("a.b.C", "cuA", 1, "machine/1-1"),
        ("a.b.C", "cuB", 1, "cuB/pairs/0"),
        ("a.b.C", "cuB", 1, "cuB/case/0"),
        ("a.b.C", "cuC", CRASH, "cuC/undefined/0"),
        ("a.b.D", "cuA", 3, "machine/1-1"),
    ]
    assert lines(told) == {
        "a.b.C": "580 answers `INVALID_VALUE` to 2 calls (program `cuB/case/0`, for one), "
        "and crashes (program `cuC/undefined/0`)",
        "a.b.D": "580 answers `NOT_INITIALIZED` (program `machine/1-1`)",
    }


def test_a_line_becomes_an_entry_where_none_is() -> None:
    """It says which file it belongs to; what somebody has noted of a driver stays."""
    assert entries({RULE: "580 answers so", "hip.va.NEW": "580 answers `A`"}) == (
        '# fakecuda/evidence/hip/va.toml\n[[note]]\nrule = "hip.va.NEW"\ndriver = "580 answers `A`"\n\n'
    )


def test_a_program_tells_until_the_model_differs(tmp_path: Path) -> None:
    """What follows a difference says nothing, until the next stretch begins."""
    found = recordings.read(SMALL)
    call: dict[str, Any] = {"call": "cuCtxGetCurrent", "process": "a", "args": []}
    steps: list[dict[str, Any]] = [{"call": "spawn", "process": "a"}]
    answers: list[Any] = [{"code": 0, "outs": {}}]
    for label, code in (("one", Result.NOT_INITIALIZED), ("two", Result.INVALID_VALUE), ("three", 3)):
        steps += [{"call": "world", "process": "", "args": [label]}, call, call]
        answers += [{"code": 0, "outs": {}}, {"code": int(code), "outs": {}}, {"code": 3, "outs": {}}]
    path = tmp_path / "h200" / "cases.jsonl"
    path.parent.mkdir()
    recordings.write(path, found.header, [Program("p/case/0", steps, answers, "case")])
    assert heard(path, 0) == [(RULE, "cuCtxGetCurrent", 3, "p/case/0")] * 4
