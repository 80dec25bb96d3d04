"""The outcome of a test in an attached process: findings, deadlocks, leaks.

It has the findings of the process and its children, and what they left.
The owner of the machine has them, and sends each finding once. The test's process makes objects of them again.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import astuple, frozen

from fakecuda.model import history
from fakecuda.model.finding import Finding
from fakecuda.model.leaks import KINDS, Leak, Origin
from fakecuda.reach.remote.protocol import call_sites
from fakecuda.reach.remote.protocol.exceptions import (
    are_facts,
    deadlock_of,
    facts_of,
    is_deadlock,
    rule_of,
    told_deadlock,
    told_facts,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.work.deadlock import Deadlock

FINDING = (str, str, str, tuple, str, tuple, tuple, str)
LEAK = (int, str, str, str, int, tuple, tuple)
ORIGIN = (str, int, int, bool, int, str, tuple)
"""The origin of an object, as :class:`~fakecuda.model.leaks.Origin` has it."""
NOTHING: tuple[Any, ...] = ((), (), ())
DEEPEST = 64
"""The maximum number of places of a stack."""


@frozen
class RemoteFinding(Finding):
    """A finding from the owner.

    Attributes:
        text: Its report, which the owner has written.
    """

    told: ClassVar[Callable[[Any], str]] = lambda finding: str(finding.text)

    text: str = ""


def told(found: list[Finding], left: list[Leak], waited: list[Deadlock]) -> tuple[Any, ...]:
    """Return findings, leaks and deadlocks in the form of frames."""
    return tuple(map(_finding, found)), tuple(map(_leak, left)), tuple(map(told_deadlock, waited))


def _finding(one: Finding) -> tuple[Any, ...]:
    stack = _places(one.stack)
    return one.rule.id, one.call, one.process, told_facts(one.facts), one.command, one.libraries, stack, str(one)


def _leak(one: Leak) -> tuple[Any, ...]:
    origin = () if one.origin is None else astuple(one.origin, recurse=False)
    return id(one.item), one.kind, one.process, one.text, one.size, _places(one.stack), origin


def _places(stack: history.Stack) -> tuple[call_sites.Place, ...]:
    codes = takewhile(lambda code: code not in history.bottoms, stack[::2])
    return call_sites.of(stack[: 2 * min(sum(1 for _ in codes), DEEPEST)])


def fits(value: Any) -> bool:
    """Return whether a value is the outcome of a test."""
    if type(value) is not tuple or tuple(map(type, value)) != (tuple, tuple, tuple):
        return False
    found, left, waited = value
    return all(map(_is_finding, found)) and all(map(_is_leak, left)) and all(map(is_deadlock, waited))


def is_story(value: Any) -> bool:
    """Return whether a value is a test's calls and pictures."""
    if type(value) is not tuple or tuple(map(type, value)) != (tuple, tuple):
        return False
    calls, pictures = value
    return all(_is_pair(one, (str, bool)) for one in calls) and all(_is_pair(one, (str, str)) for one in pictures)


def _is_pair(value: Any, types: tuple[type, type]) -> bool:
    return type(value) is tuple and tuple(map(type, value)) == types


def _is_finding(value: Any) -> bool:
    if type(value) is not tuple or tuple(map(type, value)) != FINDING:
        return False
    facts, libraries, stack = value[3], value[5], value[6]
    return are_facts(facts) and all(type(one) is str for one in libraries) and call_sites.fit(stack, DEEPEST)


def _is_leak(value: Any) -> bool:
    return (
        type(value) is tuple
        and tuple(map(type, value)) == LEAK
        and value[1] in KINDS
        and call_sites.fit(value[5], DEEPEST)
        and (not value[6] or (tuple(map(type, value[6])) == ORIGIN and all(type(one) is str for one in value[6][-1])))
    )


def made(
    value: tuple[Any, ...], items: dict[int, object], known: dict[int, Deadlock]
) -> tuple[list[Finding], list[Leak]]:
    """Return the findings and leaks in a frame; add its deadlocks to the known ones.

    Args:
        value: What it has told.
        items: What stands for the owner's objects here, by their numbers.
        known: The deadlocks that are known here, by the owner's numbers.
    """
    for one in value[2]:
        deadlock_of(one, known)
    found: list[Finding] = [
        RemoteFinding(
            rule_of(rule), call, process, facts_of(facts), call_sites.stack(stack), None, command, libraries, text=text
        )
        for rule, call, process, facts, command, libraries, stack, text in value[0]
    ]
    left = [
        Leak(
            kind,
            process,
            items.setdefault(number, object()),
            text,
            size,
            call_sites.stack(stack),
            Origin(*origin) if origin else None,
        )
        for number, kind, process, text, size, stack, origin in value[1]
    ]
    return found, left
