"""What the conformance suite notes of the rules that its calls break and keep."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.runner.report import Report
from conformance.runner.rule_coverage import Seen
from conformance.targets.divergences import load
from fakecuda import Machine, UndefinedBehaviour
from fakecuda.rules.registry import DRIVER, RUNTIME

if TYPE_CHECKING:
    from fakecuda.rules.core import Rule

ROOT = Path(__file__).parents[2]
ALLOC = DRIVER.ops["cuMemAlloc"]
FREE = DRIVER.ops["cuMemFree"]


def rule(name: str) -> Rule:
    """Return a rule of cuMemAlloc by its constant."""
    return next(one for one in ALLOC.rules if one.id.endswith(f".{name}"))


def test_a_failure_broke_one_rule_and_kept_those_before_it() -> None:
    """What comes later was never asked."""
    seen = Seen()
    with seen.watch():
        Machine().spawn().c.cuMemAlloc(0)
    initialized = rule("DRIVER_IS_INITIALIZED")
    assert seen.calls == {"cuMemAlloc"}
    assert seen.made == 1
    assert seen.broken == {("cuMemAlloc", initialized)}
    assert seen.held == {("cuMemAlloc", one) for one in ALLOC.rules[: ALLOC.rules.index(initialized)]}


def test_a_success_kept_every_rule() -> None:
    """A call that succeeded broke none."""
    seen = Seen()
    with Machine() as machine:
        c = machine.spawn().c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        c.cuMemAlloc(4096)
        assert seen.outcomes == set()
    with seen.watch(), Machine() as machine:
        c = machine.spawn().c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        c.cuMemAlloc(4096)
        assert machine.log[-1].call == "cuMemAlloc"
    assert seen.broken == set()
    assert {one for call, one in seen.held if call == "cuMemAlloc"} == set(ALLOC.rules)


def test_undefined_behaviour_that_is_reported_breaks_its_rule() -> None:
    """Though the call has no answer."""
    seen = Seen()
    with seen.watch(), Machine() as machine:
        c = machine.spawn().c
        c.cuInit(0)
        with pytest.raises(UndefinedBehaviour):
            c.cuCtxSetCurrent(0x1234)
    assert [one.id for call, one in seen.broken if call == "cuCtxSetCurrent"] == ["context.handle.CONTEXT_IS_KNOWN"]


def test_what_is_missing_is_told() -> None:
    """By call and rule, and rules that a call breaks without naming them."""
    last = ALLOC.rules[-1]
    stranger = next(one for one in FREE.rules if one not in ALLOC.rules)
    seen = Seen({(ALLOC, one) for one in (*ALLOC.rules[:-1], stranger)})
    assert seen.missing([ALLOC]) == sorted(
        [
            f"cuMemAlloc broke {stranger.id}, which its operation does not name",
            f"cuMemAlloc never broke {last.id}",
            f"cuMemAlloc never kept {ALLOC.rules[-2].id}",
            f"cuMemAlloc never kept {last.id}",
        ]
    )
    seen.outcomes = {(ALLOC, None), *((ALLOC, one) for one in ALLOC.rules)}
    assert seen.missing([ALLOC]) == []


def test_calls_of_higher_apis_are_asked_for_rules_of_their_own() -> None:
    """Those of the driver are seen in the driver's calls; what is excused must not be seen at all."""
    op = RUNTIME.ops["cudaDeviceGetLimit"]
    own = next(one for one in op.rules if one.id == "runtime.active.DRIVER_IS_RECENT")
    seen = Seen({(op, None)})
    assert f"{op.name} never broke {own.id}" in seen.missing([op])
    assert not [line for line in seen.missing([op]) if " context." in line]
    assert f"{op.name} never broke {own.id}" not in seen.missing([op], {(op.name, own.id)})
    seen.outcomes.add((op, own))
    assert f"{op.name} broke {own.id}, which is said never to be" in seen.missing([op], {(op.name, own.id)})


def test_documented_codes_of_higher_apis_are_asked_for() -> None:
    """A code that the manual names, and a rule gives, has to be seen; a rule that the library masks never is."""
    op = RUNTIME.ops["cudaDeviceGetLimit"]
    lost = "cudaDeviceGetLimit never answered UNSUPPORTED_LIMIT, which its manual names"
    seen = Seen()
    assert lost in seen.unshown(RUNTIME)
    seen.outcomes = {(op, one) for one in op.rules}
    lines = seen.unshown(RUNTIME)
    assert lost not in lines
    assert f"{op.name} broke context.current.CONTEXT_IS_CURRENT, which no call of the runtime API does" in lines


def test_a_whole_run_that_shows_nothing_is_told_what_it_lacks() -> None:
    """Rules that were not broken, rules that were not kept, codes that were not given, entries that explain nothing."""
    lost = Report().lost()
    last = ALLOC.rules[-1].id
    for line in (f"cuMemAlloc never broke {last}", f"cuMemAlloc never kept {last}"):
        assert line in lost
    assert "cudaDeviceGetLimit never answered UNSUPPORTED_LIMIT, which its manual names" in lost
    assert sum(line.startswith("divergences.toml: ") for line in lost) == len(load())


def test_a_call_whose_checks_were_run_is_told_what_they_did_not_break() -> None:
    """A new rule without a case shows at once; of other calls nothing is said."""
    report = Report()
    assert f"cuMemAlloc never broke {ALLOC.rules[-1].id}" in report.unbroken(["cuMemAlloc"])
    assert all(line.startswith("cuMemAlloc never broke ") for line in report.unbroken(["cuMemAlloc"]))
    assert report.unbroken([]) == []


def test_a_part_of_the_suite_is_asked_for_nothing() -> None:
    """What it does not show another part may."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "conformance/cases/driver/core"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "never shown" not in done.stdout
