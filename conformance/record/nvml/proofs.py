"""What proves the rules of NVML: the tests of ``tests/nvml``, which a checkout has, and what cards were recorded to answer."""

from __future__ import annotations

import inspect
import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from attrs import define, field

from conformance.record.nvml import replay
from conformance.runner.rule_coverage import Seen
from fakecuda.profiles.cards import recorded_codes
from fakecuda.prompt.evidence import Evidence, Heard, Proof, place_of
from fakecuda.reach.native.stubs import NATIVE
from fakecuda.rules.nvml.sensor import CARD_ANSWERS, SENSORS
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fakecuda.rules.core import Rule

TESTS = Path(__file__).parents[3] / "tests" / "nvml"
NAMES = ("test_beginnings.py", "test_rules.py", "test_events.py", "test_samples.py")
"""The files there that break rules and say which call answers what."""
QUIET = ("-qq", "-s", "--no-header", "--assert=plain", "-pno:cacheprovider", "-pno:faulthandler", "-pno:xdist")


def of_rules(rules: Sequence[Rule]) -> dict[str, Evidence]:
    """Return what is known of rules of NVML, by their ids.

    Args:
        rules: The rules.
    """
    proofs = _tested().proofs
    recorded = f"{replay.NAME}/{replay.FILE.stem}"
    heard = [(rule, Heard(recorded, program.partition("/")[2], call, code)) for rule, call, code, program in _heard()]
    return {
        rule.id: Evidence(
            proofs=tuple(proofs.get(rule.id, ())), heard=tuple(one for name, one in heard if name == rule.id)
        )
        for rule in rules
    }


def unproven() -> list[str]:
    """Return a line for each rule of a call that tests and recording do not break, or do not keep.

    Left out is that a card has what it was never recorded to have, a fan for one.
    """
    seen = _tested().seen
    with seen.watch():
        _heard()
    lacking = {
        f"{name} never kept {CARD_ANSWERS.id}" for name in SENSORS if int(Nvml.SUCCESS) not in recorded_codes(name)
    }
    return [line for line in seen.missing(NVML.ops.values()) if line not in lacking]


def _heard() -> tuple[tuple[str, str, int, str], ...]:
    return replay.heard() if NATIVE else ()


@define(eq=False)
class Tested:
    """A pytest plugin that takes in what tests break.

    Attributes:
        seen: The calls that all of them made.
        proofs: By rule id the tests that break it.
    """

    seen: Seen = field(factory=Seen)
    proofs: dict[str, list[Proof]] = field(factory=dict)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Watch a test, with its fixtures."""
        seen = Seen()
        with seen.watch():
            done = yield
        self.seen.outcomes |= seen.outcomes
        function = inspect.unwrap(getattr(item, "function"))  # noqa: B009 - items of functions have one
        place = place_of(str(item.path), function.__code__.co_firstlineno)
        for call, rule in sorted(seen.broken, key=lambda one: one[0]):
            self.proofs.setdefault(rule.id, []).append(Proof(call, item.name, place))
        return done


def _tested() -> Tested:
    """Return what the tests break; nothing where there are none."""
    tested, said = Tested(), io.StringIO()
    if TESTS.is_dir():
        with redirect_stdout(said), redirect_stderr(said):
            status = pytest.main([*QUIET, *(str(TESTS / name) for name in NAMES)], plugins=[tested])
        if status is not pytest.ExitCode.OK:
            msg = f"the tests of NVML do not pass:\n{said.getvalue()}"
            raise RuntimeError(msg)
    return tested
