"""The last test of the suite: nothing in the model is there unproven."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.seen import IMPOSSIBLE, SEEN
from fakecuda.rule import OPS

HERE = Path(__file__).parent


def test_every_rule_is_seen_broken_and_held(request: pytest.FixtureRequest) -> None:
    """Each rule of each call, by the cases and the recordings together."""
    if request.config.getoption("--target") != "recordings":
        pytest.skip("the model and the recordings together see every rule; --target asks for another part")
    ran = {item.path for item in request.session.items}
    absent = [path for path in HERE.rglob("test_*.py") if path not in ran]
    if absent or request.config.option.keyword:
        pytest.skip(f"it speaks of whole runs; {len(absent)} modules, or what -k leaves out, are not in this one")
    assert SEEN.missing() == []


@pytest.mark.parametrize(("call", "rule"), sorted(IMPOSSIBLE))
def test_what_cannot_be_broken_is_a_rule(call: str, rule: str) -> None:
    """An exception of a rule that is gone is stale."""
    assert rule in {one.id for one in OPS[call].rules}
