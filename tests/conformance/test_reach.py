"""What the state machine's programs reach of the rules."""

from __future__ import annotations

from conformance import reach


def test_every_rule_is_reached_on_a_real_driver_or_explained() -> None:
    """Weights that no longer lead to a rule would go unnoticed."""
    assert reach.wrong(reach.reached(reach.recorded())) == []


def test_a_rule_that_is_lost_or_found_is_told() -> None:
    """An explanation that is stale fails the run, as does a rule without one."""
    told = reach.unreached()
    stale, *_ = told
    known = {rule for rule in reach.reached(reach.recorded()[:40]) if rule not in told}
    assert f"{stale} is reached: take it out of unreached.toml" in reach.wrong({*known, stale})
    lost = next(iter(known))
    assert f"{lost} is not reached" in reach.wrong(known - {lost})


def test_programs_that_are_counted() -> None:
    """A rule counts once for each program that breaks it."""
    programs = reach.recorded()[:5]
    count = reach.reached(programs)
    assert count
    assert max(count.values()) <= len(programs)
