"""Questions that no card was asked yet: they can be put to the model's look-alike."""

from __future__ import annotations

import contextlib
import importlib
import json
from typing import Any

import pytest

import fakecuda
from conformance.record.arrays.asking import Asker
from conformance.record.linking import linkers, seen
from conformance.record.linking.entered import QUESTIONS

ELSEWHERE = ("sizes_of_logs",)
"""Those that need a driver's library."""


@pytest.mark.filterwarnings("ignore::fakecuda.NotModelledWarning")
@pytest.mark.parametrize("name", sorted(QUESTIONS.keys() - set(ELSEWHERE)))
def test_questions_can_be_asked(name: str) -> None:
    """Each is answered, up to where the model says that something is not modelled; answers are plain."""
    said: list[list[Any]] = []
    with contextlib.suppress(fakecuda.FakeCudaError), fakecuda.simulate("h200-x2", strict=False):
        QUESTIONS[name](Asker(importlib.import_module("cuda.bindings.driver"), said.append))
    assert said
    assert json.loads(json.dumps(said)) == said


def test_the_modules_enter_themselves() -> None:
    """Those that the command imports."""
    assert all(vars(module) for module in (linkers, seen))
    assert set(ELSEWHERE) < set(QUESTIONS)
