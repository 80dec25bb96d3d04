"""What the state machine's programs reach of the rules."""

from __future__ import annotations

from itertools import islice

import pytest

from conformance.fuzz import coverage as reach
from fakecuda.explain.evidence import file_of
from fakecuda.rules.registry import APIS


@pytest.mark.filterwarnings("ignore::fakecuda.NotModelledWarning")
def test_every_rule_is_reached_on_a_real_driver_or_explained() -> None:
    """Weights that no longer lead to a rule would go unnoticed."""
    assert reach.wrong(reach.reached(reach.recorded())) == []


def test_a_rule_that_is_lost_or_found_is_told() -> None:
    """An explanation that is stale fails the run, as does a rule without one."""
    told = reach.unreached()
    stale, *_ = told
    known = {rule for rule in reach.reached(islice(reach.recorded(), 40)) if rule not in told}
    assert f"{stale} is reached: take it out of [[unreached]] in {file_of(stale)}" in reach.wrong({*known, stale})
    lost = next(iter(known))
    fix = f"draw programs that break it, or say why none does: [[unreached]] in {file_of(lost)}"
    assert f"{lost} is not reached: {fix}" in reach.wrong(known - {lost})


def test_programs_that_are_counted() -> None:
    """A rule counts once for each program that breaks it."""
    programs = list(islice(reach.recorded(), 5))
    count = reach.reached(programs)
    assert count
    assert max(count.values()) <= len(programs)


def test_new_programs_are_held_against_what_is_said_of_them() -> None:
    """A rule that they no longer reach needs another reason, and so does one that they reach against what is said."""
    told = reach.unreached()
    newly = {rule for rule, reason in told.items() if reach.NEW in reason}
    assert reach.wrong_of_new(newly) == []
    lost, other = min(newly), min(set(told) - newly)
    assert reach.wrong_of_new({*newly, other} - {lost}) == sorted(
        [
            f"{lost} is not reached by new programs either: another reason is true",
            f"{other} is reached by new programs: {reach.NEW!r} is true",
        ]
    )


@pytest.mark.filterwarnings("ignore::fakecuda.NotModelledWarning")
def test_half_of_the_new_programs_keep_to_some_calls() -> None:
    """They never ask what others ask often."""
    programs = [program for program, _ in reach.new("h200", 8, 3)]
    first, second = [
        {step["call"] for program in half for step in program.steps} for half in (programs[:4], programs[4:])
    ]
    others = {"cuCtxGetId", "cuCtxGetLimit", "cuCtxSetLimit", "cuDeviceGetAttribute", "cuDeviceGetP2PAttribute"}
    assert first & others
    assert not second & others


@pytest.mark.parametrize("name", ["runtime", "hip"])
def test_rules_of_the_other_apis_are_explained(name: str) -> None:
    """Each own rule is reached, or named with a reason; one that is both is told, and one that is no rule any more."""
    api = APIS[name]
    known = {rule.id for op in api.ops.values() for rule in api.of_rules(op)}
    lines = reach.wrong_of_api(api, ())
    told = known - {line.split()[0] for line in lines}
    assert told
    assert reach.wrong_of_api(api, known - told) == []
    assert reach.wrong_of_api(api, known) == sorted(
        f"{rule} is reached: take it out of [[unreached]] in {file_of(rule)}" for rule in told
    )


@pytest.mark.parametrize("name", ["runtime", "hip"])
def test_rules_of_calls_that_no_program_makes_are_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new rule of a call like this is missed without a program; of a call that they make, that is no reason."""
    api = APIS[name]
    told, outside = reach.unreached(api), reach.elsewhere(api)
    claimed = {rule for rule, reason in told.items() if reach.ELSEWHERE in reason}
    assert sorted(outside - set(told)) == []
    assert sorted(claimed - outside) == []
    monkeypatch.setattr(reach, "elsewhere", lambda _: outside - claimed)
    lines = {f"{rule} is of a call that programs make: correct the reason in {file_of(rule)}" for rule in claimed}
    assert claimed
    assert lines <= set(reach.wrong_of_api(api, ()))


def test_programs_of_hip_are_counted() -> None:
    """New ones, of its own state machine."""
    count = reach.of_api(APIS["hip"], 5, 1)
    assert count
    assert all(rule.startswith("hip.") for rule in count)
