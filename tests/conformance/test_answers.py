"""Recorded answers in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.kit.program import Program
from conformance.record import recordings
from conformance.record.answers import heard, outdated, words
from fakecuda.explain import evidence
from fakecuda.spec.codes import CRASH, Result

if TYPE_CHECKING:
    from pathlib import Path

RULE = "core.initialized.DRIVER_IS_INITIALIZED"
SMALL = recordings.ROOT / "h200" / "cases.jsonl.gz"
NOTED = "array.array_create.DESCRIPTOR_IS_GIVEN"
"""A rule with a hand-written note on a driver's behaviour."""

TOLD = [
    ("a.b.C", "cuA", 1, "machine/1-1", "H200"),
    ("a.b.C", "cuB", 1, "cuB/pairs/0", "H100"),
    ("a.b.C", "cuB", 1, "cuB/case/0", "H200"),
    ("a.b.C", "cuC", CRASH, "cuC/undefined/0", "H100"),
    ("a.b.D", "cuA", 3, "machine/1-1", "H100"),
    (NOTED, "cuA", 3, "machine/1-1", "H100"),
]


def test_answers_become_a_text() -> None:
    """The commonest answer comes first, each with the plainest program that shows it; a note by hand stands for itself."""
    text = "580 answers `INVALID_VALUE` to 2 calls (program `cuB/case/0`, for one), and crashes (program `cuC/undefined/0`)"
    assert words(TOLD) == words(reversed(TOLD))
    assert words(TOLD) == {
        "H100": {"a.b.D": "580 answers `NOT_INITIALIZED` (program `machine/1-1`)"},
        "H200 and H100": {"a.b.C": text},
    }


def test_what_is_kept_is_compared_with_what_a_whole_run_told() -> None:
    """A line names each rule that has another answer now, none, or none yet, and the command."""
    kept = {
        "a.b.C": ("H200 and H100", words(TOLD)["H200 and H100"]["a.b.C"]),
        "a.b.D": ("H100", "580 answers `OTHER` (program `machine/1-1`)"),
        "a.b.E": ("H200", "580 crashes (program `machine/1-1`)"),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence, "answers", lambda: kept)
        lines = outdated(TOLD)
    head = "answers.json: a.b.{}: write it again (python -m tools.codegen answers): {}"
    assert lines == [
        head.format("D", "H100 580 answers `NOT_INITIALIZED` (program `machine/1-1`)"),
        head.format("E", "no program breaks it"),
    ]


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
    assert heard(path, 0) == ((RULE, "cuCtxGetCurrent", 3, "p/case/0", "H200"),)
