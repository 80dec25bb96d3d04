"""Graphs are listed, changed, updated and printed as an H200 did it: questions of conformance.record.capture."""

from __future__ import annotations

import json
from typing import Any

import pytest

import fakecuda
from conformance import SUITE
from conformance.record.asking import Asker
from conformance.record.capture import changes  # noqa: F401 - they enter themselves
from conformance.record.capture.scene import QUESTIONS

RECORDED: dict[str, list[list[Any]]] = json.loads((SUITE / "data" / "capture" / "h200.json").read_text())
ASKED = ("enabled", "instantiated_with", "listings", "printed", "setters", "updates", "user_objects")


@pytest.mark.parametrize("name", ASKED)
def test_a_card_answered_so(name: str) -> None:
    """Each code, and each result that is told."""
    said: list[list[Any]] = []
    fakecuda.kernel("nothing")(lambda *_: None)
    with fakecuda.simulate("h200-x2", strict=False) as machine:
        QUESTIONS[name](Asker(machine.spawn("p").driver, said.append))
    answers = json.loads(json.dumps(said))
    rights = [one for one in RECORDED[name] if one[0] != "ended"]
    assert [(answer, right) for answer, right in zip(answers, rights, strict=False) if answer != right] == []
    assert len(answers) == len(rights)
