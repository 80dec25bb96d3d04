"""A rule's statement is one short sentence, and names arguments and members as the manual does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fakecuda.spec
from fakecuda.explain.reports.rule import rules_by_id
from fakecuda.rules.registry import EVERY_API, Api, home
from tests.docs.phrases import INSTEAD, count

RULES = rules_by_id()
LONGEST = 120
"""How many characters a statement has at most."""
DESCRIPTIONS = Path(fakecuda.spec.__file__).parent / "generated"
CODE = re.compile(r"`([^`]*)`")
VAGUE = ("is given", "are given", "the flags are 0", *INSTEAD)


def named(statement: str) -> set[str]:
    """Return the names between backticks: `location.id` has two."""
    return {name for code in CODE.findall(statement) for name in re.findall(r"[A-Za-z]\w*", code)}


def is_plain(statement: str) -> bool:
    """Return whether a statement is one short sentence without a full stop, in plain words."""
    short = 0 < len(statement) <= LONGEST and statement.count("`") % 2 == 0
    return short and not statement.endswith(".") and not any(count(statement, phrase) for phrase in VAGUE)


@pytest.mark.parametrize("api", EVERY_API.values(), ids=EVERY_API)
def test_statements_name_what_the_manual_names(api: Api) -> None:
    """A parameter of a call, or a member of a struct, of the rule's API."""
    words = set(re.findall(r"\w+", (DESCRIPTIONS / f"{api.name}.json").read_text()))
    own = [rule for rule in RULES.values() if home(rule.module) is api]
    assert any(named(rule.statement) for rule in own)
    assert {rule.id: unknown for rule in own if (unknown := named(rule.statement) - words)} == {}


def test_statements_are_plain() -> None:
    """Each is short, and says what must hold."""
    assert [(rule.id, rule.statement) for rule in RULES.values() if not is_plain(rule.statement)] == []


@pytest.mark.parametrize(
    "planted",
    ["the properties are given", "a hint is none", "`flags is 0", "`flags` is 0.", "", "x" * (LONGEST + 1)],
)
def test_a_planted_statement_is_found(planted: str) -> None:
    """The words that statements had before are not plain."""
    assert not is_plain(planted)
    assert named("`location.id` is 0") == {"location", "id"}


UNCLEAR = (
    "knows",
    "team",
    "the last address",
    "context is current",
    "lies in memory of the process",
    "a multiple of the granularity",
)
"""Words that leave a stranger in doubt: who knows it, whose memory, which granularity."""


def unclear(statement: str) -> list[str]:
    """Return the words of a statement that leave a stranger in doubt."""
    return [words for words in UNCLEAR if re.search(rf"\b{words}\b", statement)]


def test_statements_of_the_driver_are_clear() -> None:
    """To a programmer who sees the call's name and the statement alone."""
    own = [one for one in RULES.values() if one.module.startswith("fakecuda.rules.driver.")]
    told = {one.id: words for one in own if ".graph." not in one.module and (words := unclear(one.statement))}
    assert told == {}


def test_an_unclear_statement_is_found() -> None:
    """Whole words count."""
    assert unclear("`ptr` lies in memory that CUDA knows") == ["knows"]
    assert unclear("the device is acknowledged by the steam") == []
