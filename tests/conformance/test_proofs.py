"""Which cases break a rule: the modules that are collected for it have all that the suite has."""

from __future__ import annotations

import pytest

from conformance.proofs import Search, files_of, modules, proofs
from fakecuda.rules.registry import EVERY_API, every_rule


@pytest.mark.long("it runs thousands of test functions of the suite, 12 s of CPU")
def test_the_modules_of_a_rule_have_all_its_cases() -> None:
    """One search through the whole suite for all rules finds nothing elsewhere, and the same as one for a rule alone."""
    rules = list(every_rule(*EVERY_API.values()))
    whole = Search(rules, modules())
    found = whole.run()
    assert {rule.id: lost for rule in rules if (lost := whole.where.get(rule.id, set()) - files_of(rule))} == {}
    for name in ("hip.peer.PEER_IS_NOT_ENABLED", "peer.connection.CONNECTIONS_ARE_LEFT", "nvml.handle.BUS_ID_IS_FOUND"):
        [rule] = (one for one in rules if one.id == name)
        assert proofs([rule]) == {name: found[name]}
