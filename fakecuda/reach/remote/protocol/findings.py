"""Findings about calls through C that did not reach the owner.

An attached process made the calls. The owner keeps the findings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model import history
from fakecuda.model.finding import Finding
from fakecuda.reach.native.callbacks import ARRAY_IS_THERE, CALL_IS_ANSWERED
from fakecuda.reach.remote.protocol import call_sites
from fakecuda.reach.remote.protocol.exceptions import are_facts, facts_of, told_facts
from fakecuda.rules.driver.copy.range import ADDRESS_IS_KNOWN

if TYPE_CHECKING:
    from fakecuda.model.os.process import Process
    from fakecuda.rules.core import Rule

RULES = {rule.id: rule for rule in (ADDRESS_IS_KNOWN, ARRAY_IS_THERE, CALL_IS_ANSWERED)}
"""The rules that a call can break before it reaches the owner."""


def unknown_address(call: str, pointer: int, size: int) -> Finding:
    """Return the finding for a host address without memory."""
    return Finding(ADDRESS_IS_KNOWN, call, "", {"pointer": pointer, "size": size}, history.whole())


def told(finding: Finding) -> tuple[Any, ...]:
    """Return a finding as plain values."""
    places = call_sites.of(finding.stack[: 2 * call_sites.MOST])
    return finding.rule.id, finding.call, told_facts(finding.facts), places


def fits(value: Any) -> bool:
    """Return whether a value is a finding."""
    if type(value) is not tuple or len(value) != 4:  # noqa: PLR2004 - rule, call, facts and places
        return False
    rule, call, facts, places = value
    named = type(rule) is str and rule in RULES and type(call) is str
    return named and are_facts(facts) and call_sites.fit(places)


def keep(process: Process, value: tuple[Any, ...]) -> None:
    """Keep a process's finding; undefined behaviour only on a strict machine."""
    rule, call, facts, places = value
    machine = process.machine
    if rule == CALL_IS_ANSWERED.id or machine.strict:
        call_sites.come_from(call_sites.shown(places), lambda: machine.keep(_made(process, RULES[rule], call, facts)))


def _made(process: Process, rule: Rule, call: str, facts: tuple[Any, ...]) -> Finding:
    return Finding(rule, call, process.name, facts_of(facts), history.whole(), None, process.command)
