"""Reports: what came of checks, gathered in one process or in several."""

from __future__ import annotations

import json

from conformance.runner.checks import PASSED, Check, Shown, run_check
from conformance.runner.report import Report, outcome_as_json, outcome_of_json, seen_of
from fakecuda.rules.registry import OPS


def test_what_earlier_checks_have_left_over_is_told() -> None:
    """From the check to the report, through a line of JSON and through another process's report."""
    heard = ("a.b.C", "cuA", 1, "machine/1-1", "H200")
    shown = Shown({"pairs": 1}, left_over="a difference", told=(heard,))
    check = Check("one", frozenset({"cuMemAlloc"}), lambda: shown)
    outcome = run_check("group", check)
    assert (outcome.status, outcome.text) == (PASSED, "a difference")
    worker, report = Report(), Report()
    worker.add(outcome_of_json(json.loads(json.dumps(outcome_as_json(outcome)))))
    report.merge(worker.plain())
    assert report.as_json()["left over"] == {"group[one]": "a difference"}
    assert not report.failed
    assert report.counts["pairs"] == 1
    assert report.told == {heard}


def test_a_rule_that_an_operation_does_not_name_is_told() -> None:
    """Rules come back by their ids: a call's own, and any other that it broke."""
    own, other = OPS["cuInit"].rules[0], OPS["cuMemMap"].rules[-1]
    seen = seen_of([("cuInit", own.id), ("cuInit", other.id), ("cuInit", "")])
    assert seen.outcomes == {(OPS["cuInit"], rule) for rule in (own, other, None)}
    assert f"cuInit broke {other.id}, which its operation does not name" in seen.missing([OPS["cuInit"]])
