"""The last test of the suite: nothing in the model is there unproven."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.seen import IMPOSSIBLE, SEEN
from fakecuda.rule import OPS

HERE = Path(__file__).parent


def test_every_rule_is_seen_broken_and_held(request: pytest.FixtureRequest) -> None:
    """Each rule of each call, by the cases and the recordings together."""
    ran = {item.path for item in request.session.items}
    absent = sorted(path.name for path in HERE.rglob("test_*.py") if path not in ran)
    if absent or request.config.option.keyword:
        pytest.skip(f"it speaks of whole runs; without {', '.join(absent) or 'what -k leaves out'} it says nothing")
    assert SEEN.missing() == []


@pytest.mark.parametrize(("call", "rule"), sorted(IMPOSSIBLE))
def test_what_cannot_be_broken_is_a_rule(call: str, rule: str) -> None:
    """An exception of a rule that is gone is stale."""
    assert rule in {one.id for one in OPS[call].rules}
