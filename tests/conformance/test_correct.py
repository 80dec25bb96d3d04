"""Correct programs have no finding, and a detector that reports too much has some."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.fuzz.ordered import correct
from conformance.fuzz.ordered.correct import Author, mistake
from fakecuda.model.os.page_guards import Guards
from fakecuda.model.work.happens_before import Races
from fakecuda.model.work.host_accesses import HostAccesses
from fakecuda.rules.driver.stream import value_races

if TYPE_CHECKING:
    from collections.abc import Callable

FEW = 12
Patch = pytest.MonkeyPatch


def drop(place: object, name: str) -> Callable[[Patch], None]:
    """Return a mistake: a function does nothing."""
    return lambda patch: patch.setattr(place, name, lambda *_, **__: None)


MISTAKES: dict[str, Callable[[Patch], None]] = {
    "an event orders nothing": drop(Races, "follow"),
    "a value orders nothing": drop(Races, "follow_value"),
    "a flag of kernels orders nothing": drop(Races, "follow_strong"),
    "a flag of a kernel for the host does not count": drop(value_races, "released"),
    "a wait of the host for a stream does not count": drop(Races, "seen_stream"),
    "a wait of the host for a context does not count": drop(Races, "seen_context"),
    "the host's memory is watched for ever": drop(HostAccesses, "look"),
    "guarded pages stay closed": drop(Guards, "remove"),
    "the program leaves out an order": drop(Author, "clear"),
}


@pytest.mark.parametrize("number", range(FEW))
def test_correct_programs(number: int) -> None:
    """They have no finding, whichever way their work is completed and the manual is read."""
    assert not mistake(0, number)


@pytest.mark.parametrize("name", MISTAKES)
def test_planted_mistakes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the programs shows each."""
    MISTAKES[name](monkeypatch)
    assert any(mistake(0, number) for number in range(FEW))


def test_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It says how many programs were right, or prints the first that is not."""
    assert correct.main(["--programs", "2", "--seed", "1"]) == 0
    assert capsys.readouterr().out == "2 programs, no finding\n"
    MISTAKES["an event orders nothing"](monkeypatch)
    assert correct.main(["--programs", "9"]) == 1
    assert "breaks the rule: two accesses" in capsys.readouterr().out
