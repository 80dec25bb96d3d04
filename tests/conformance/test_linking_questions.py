"""Questions about linkers and textures: the model's look-alike answers them as the card that was asked."""

from __future__ import annotations

import contextlib
import gzip
import importlib
import json
import re
from collections import defaultdict
from typing import Any

import pytest

import fakecuda
from conformance import DATA
from conformance.record.linking import linkers, seen
from conformance.record.linking.asking import QUESTIONS, Asker

ELSEWHERE = ("sizes_of_logs",)
"""Those that need a driver's library."""
RECORDED: dict[str, list[list[Any]]] = json.loads(gzip.decompress((DATA / "linking" / "h100.json.gz").read_bytes()))
UNMODELLED = re.compile(r" as [345]$")
"""Labels of inputs of linkers that are not modelled: objects, libraries, NVVM."""
OTHERWISE = {
    "creating": {"option 0"},  # an option whose value a driver takes for an address
    "logs": {"a bad line", "a bad line, again", "a bad line, then good"},  # what PTX has in its functions is not read
    "images": {"copied from"},  # memory of the linker's is none of the host's to the model
    "destroyed_states": {"destroyed"},  # a driver reads what is there, and crashes in the end
}
"""By question the labels to which a card's codes are others, with the reason."""


def said_of(name: str) -> list[list[Any]]:
    """Return what the model answers to a question, up to where it says that something is not modelled."""
    said: list[list[Any]] = []
    with contextlib.suppress(fakecuda.FakeCudaError), fakecuda.simulate("h100-x2", strict=False):
        QUESTIONS[name](Asker(importlib.import_module("cuda.bindings.driver"), said.append))
    return said


def codes(rows: list[list[Any]]) -> dict[tuple[str, str], list[int]]:
    """Return the codes of answers in order, by label and call."""
    found = defaultdict(list)
    for label, call, code, *_ in (row for row in rows if len(row) > 2):
        if isinstance(code, int) and not UNMODELLED.search(label):
            found[label, call].append(code)
    return found


@pytest.mark.filterwarnings("ignore::fakecuda.NotModelledWarning")
@pytest.mark.parametrize("name", sorted(QUESTIONS.keys() - set(ELSEWHERE)))
def test_questions_are_answered_as_a_card_does(name: str) -> None:
    """By the same codes, but for what is listed and for texture references; answers are plain."""
    said = said_of(name)
    assert said or name in OTHERWISE
    assert json.loads(json.dumps(said)) == said
    theirs, ours = codes(RECORDED[name]), codes(said)
    other = {label for label, call in theirs if theirs[label, call] != ours[label, call][: len(theirs[label, call])]}
    assert {label for label in other if "references" not in label} == OTHERWISE.get(name, set())


def test_the_modules_enter_themselves() -> None:
    """Those that the command imports."""
    assert all(vars(module) for module in (linkers, seen))
    assert set(ELSEWHERE) < set(QUESTIONS)
