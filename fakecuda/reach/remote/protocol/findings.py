"""Findings about calls through C that did not reach the owner.

An attached process made the calls. The owner keeps the findings.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from fakecuda.model import history
from fakecuda.model.finding import Finding
from fakecuda.reach.native.callbacks import ARRAY_IS_THERE, BEYOND, CALL_IS_ANSWERED, CALL_IS_MODELLED
from fakecuda.reach.remote.protocol import call_sites
from fakecuda.reach.remote.protocol.exceptions import are_facts, facts_of, told_facts

if TYPE_CHECKING:
    from fakecuda.model.os.process import Process
    from fakecuda.rules.core import Rule


@cache
def rules() -> dict[str, Rule]:
    """Return the rules that a call can break before it reaches the owner, by id."""
    return {rule.id: rule for rule in (address_is_known(), ARRAY_IS_THERE, CALL_IS_ANSWERED, CALL_IS_MODELLED)}


def address_is_known() -> Rule:
    """Return the rule that a call breaks with a host address without memory."""
    from fakecuda.rules.driver.copy.range import ADDRESS_IS_KNOWN  # noqa: PLC0415 - it imports most of the model

    return ADDRESS_IS_KNOWN


def unknown_address(call: str, pointer: int, size: int) -> Finding:
    """Return the finding for a host address without memory."""
    return Finding(address_is_known(), call, "", {"pointer": pointer, "size": size}, history.whole())


def told(finding: Finding) -> tuple[Any, ...]:
    """Return a finding as plain values."""
    places = call_sites.of(finding.stack[: 2 * call_sites.MOST])
    return finding.rule.id, finding.call, told_facts(finding.facts), places


def fits(value: Any) -> bool:
    """Return whether a value is a finding."""
    if type(value) is not tuple or len(value) != 4:  # noqa: PLR2004 - rule, call, facts and places
        return False
    rule, call, facts, places = value
    named = type(rule) is str and rule in rules() and type(call) is str
    return named and are_facts(facts) and call_sites.fit(places)


def keep(process: Process, value: tuple[Any, ...]) -> None:
    """Keep a process's finding; undefined behaviour only on a strict machine."""
    rule, call, facts, places = value
    machine = process.machine
    if rule in BEYOND or machine.strict:
        call_sites.come_from(call_sites.shown(places), lambda: machine.keep(_made(process, rules()[rule], call, facts)))


def _made(process: Process, rule: Rule, call: str, facts: tuple[Any, ...]) -> Finding:
    return Finding(rule, call, process.name, facts_of(facts), history.whole(), None, process.command)
