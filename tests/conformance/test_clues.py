"""Clues of tests: which of them run against a mutant, and in what order."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from conformance.cases.driver.core.test_initialized import entry_of
from conformance.mutate.clues import Clue, Clues, learn
from conformance.mutate.mutation import CODE, DROPPED, Mutant
from conformance.runner.checks import Check

if TYPE_CHECKING:
    from conformance.kit.case import Case

CALL = "cuGetErrorName"
KNOWN = "core.get_error_name.CODE_IS_KNOWN"
GIVEN = "core.get_error_name.STRING_IS_GIVEN"
"""A rule whose code the case gives."""
CASES = {case.name: case for case in entry_of(CALL).singles()}


def order(rule: str, kind: str, *tests: tuple[list[Case], bool, int]) -> list[int]:
    """Return in which order tests run against a mutant, by their cases, whether they break its rule, and their calls."""
    clues = Clues([Check("", frozenset({CALL}), lambda: None, cases) for cases, *_ in tests])
    for number, (_, breaks, made) in enumerate(tests):
        clues.add(Clue(number, frozenset({CALL, "cuInit"}), frozenset({(CALL, rule)} if breaks else ()), made, 0.0))
    return [clue.number for clue in clues.against(Mutant(CALL, rule, kind))]


def test_the_shortest_test_that_breaks_the_rule_comes_first() -> None:
    """All that call come some time: nothing else is certain."""
    tests = [([], False, 1), ([CASES["CODE_IS_KNOWN"]], True, 9), ([], True, 30), ([CASES["valid"]], True, 2)]
    assert order(KNOWN, DROPPED, *tests) == [3, 1, 2, 0]


def test_of_another_code_a_case_that_follows_it_tells_little() -> None:
    """One that gives the code itself is as good as a recording."""
    tests = [([CASES["CODE_IS_KNOWN"]], True, 1), ([], True, 30), ([], False, 1)]
    assert order(KNOWN, CODE, *tests) == [1, 0, 2]
    tests = [([CASES["STRING_IS_GIVEN"]], True, 2), ([], True, 30), ([CASES["CODE_IS_KNOWN"]], True, 1)]
    assert order(GIVEN, CODE, *tests) == [0, 1, 2]


def test_tests_that_do_not_call_are_left_out() -> None:
    """They cannot tell."""
    clues = Clues([])
    clues.add(Clue(0, frozenset({"cuInit"}), frozenset(), 1, 0.0))
    assert clues.against(Mutant(CALL, KNOWN, DROPPED)) == []


def test_a_check_that_ends_its_process_is_told() -> None:
    """It would end any run of the suite."""
    check = Check("", frozenset({CALL}), lambda: os._exit(0))
    with pytest.raises(RuntimeError, match="ended by itself"):
        learn([check], 1)


def test_what_fails_without_mutants_is_told() -> None:
    """By its name, with what it said; the others have their clues."""

    def fail() -> None:
        msg = "it does not hold"
        raise AssertionError(msg)

    checks = [Check(name, frozenset({CALL}), run) for name, run in (("good", lambda: None), ("bad", fail))]
    _, failed = learn(checks, 2)
    assert failed == ["bad: it does not hold"]
