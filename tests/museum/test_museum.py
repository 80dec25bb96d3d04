"""Each bug of the museum fails its test for the stated reason, and its fixed twin passes with the same settings."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from attrs import evolve

from fakecuda.explain.ledger import rules
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.rules.registry import EVERY_API
from tests.each import each

pytest.importorskip("cuda.bindings.driver")

from tools.museum.exhibit import Part, id_of
from tools.museum.registry import every_exhibit
from tools.museum.visit import CAUGHT, Outcome, verdict, visit
from tools.pages.museum import LINES, abridged

if TYPE_CHECKING:
    from tools.museum.exhibit import Exhibit

needs_native = pytest.mark.skipif(not NATIVE, reason=NEEDS)
EXHIBITS = every_exhibit()
VARIANTS = [(exhibit, name) for exhibit in EXHIBITS for name in exhibit.programs]
each_exhibit = pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda one: one.name)
each_program = pytest.mark.parametrize(
    ("exhibit", "variant"), VARIANTS, ids=[f"{exhibit.name}-{name}" for exhibit, name in VARIANTS]
)
LAST = 36
"""The number of rows."""
RULE = re.compile(r"[a-z_]+(?:\.[a-z_]+)+\.[A-Z_]+$")


@needs_native
@each_program
def test_a_bug_is_caught(exhibit: Exhibit, variant: str) -> None:
    """The faulty program fails for its reason; with the same settings the fixed one passes, and nothing is told of it."""
    outcomes = visit()
    assert verdict(exhibit, variant, outcomes) == CAUGHT, outcomes[id_of(exhibit, variant, fixed=False)].told
    assert outcomes[id_of(exhibit, variant, fixed=True)].told == ""


@pytest.mark.parametrize(
    ("faulty", "fixed", "wanted"),
    [
        (Outcome(failed=True, told="handle: one"), Outcome(), CAUGHT),
        (Outcome(), Outcome(), "the faulty program passes"),
        (Outcome(failed=True, told="mapping: one"), Outcome(), "the faulty program fails without 'handle: '"),
        (Outcome(failed=True, told="handle: one"), Outcome(failed=True), "the fixed program fails"),
    ],
    ids=["caught", "missed", "another reason", "false alarm"],
)
def test_what_is_not_caught_is_told(faulty: Outcome, fixed: Outcome, wanted: str) -> None:
    """Also that the reason is another, or that the fixed program fails."""
    exhibit = evolve(EXHIBITS[0], told=("handle: ",))
    variant = next(iter(exhibit.programs))
    outcomes = {id_of(exhibit, variant, fixed=False): faulty, id_of(exhibit, variant, fixed=True): fixed}
    assert verdict(exhibit, variant, outcomes) == wanted


@needs_native
def test_every_program_was_run() -> None:
    """And nothing else."""
    ids = {id_of(exhibit, name, fixed=fixed) for exhibit, name in VARIANTS for fixed in (False, True)}
    assert visit().keys() == ids


@each("exhibit", EXHIBITS)
def test_there_are_two_programs(exhibit: Exhibit) -> None:
    """They differ, so that nothing that fits one program catches the bug."""
    first, second = (inspect.getsource(program) for program in exhibit.programs.values())
    assert first.partition("(")[2] != second.partition("(")[2]


@each("exhibit", EXHIBITS)
def test_the_reason_is_one(exhibit: Exhibit) -> None:
    """A part that is a rule's names the rule; what is left is of a kind that leaks="error" fails."""
    named = {text for text in exhibit.told if RULE.match(text)}
    assert named <= {rule.id for rule in rules(*EVERY_API.values())}
    if exhibit.part in {Part.UNDEFINED, Part.REFUSED, Part.IGNORED}:
        assert named
    assert (exhibit.settings.get("leaks") == "error") == (exhibit.part is Part.LEFT)
    assert (exhibit.settings.get("errors") == "error") == (exhibit.part is Part.IGNORED)
    assert exhibit.settings.get("sweep", False) == (exhibit.part is Part.SWEPT)


def test_every_row_is_there() -> None:
    """Each number has programs; each report is there once."""
    numbers = {one.number for one in EXHIBITS}
    assert numbers == set(range(1, LAST + 1))
    reports = Counter(one.report for one in EXHIBITS)
    assert [report for report, times in reports.items() if times > 1] == []


def test_a_report_is_abridged() -> None:
    """The parts that say what is wrong are shown, the objects, their histories and addresses are not."""
    told = "cuX: broken\n  call       cuX(a=1,\n             b=0x75e9f0001000, c=0x1000)\n  state      a 1\n  object     it\n               made at a.py:1\n  fix        go"
    assert abridged(told).splitlines() == [
        "cuX: broken",
        "  call       cuX(a=1,",
        "             b=0x…, c=0x1000)",
        "  fix        go",
    ]
    assert abridged("line\n" * 2 * LINES).splitlines()[-1] == "..."
