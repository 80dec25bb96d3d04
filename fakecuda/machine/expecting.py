"""Expectations of a test: undefined behaviour, deadlocks, refused calls."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fakecuda.errors import EndlessWait, FakeCudaError, UndefinedBehaviour
from fakecuda.machine import expected_names, findings, refusals
from fakecuda.machine.install import installed
from fakecuda.near import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.machine.refusals import Refusal
    from fakecuda.model.finding import Finding
    from fakecuda.model.work.deadlock import Deadlock


@contextmanager
def expect_undefined(*rules: str) -> Iterator[list[Finding]]:
    """Expect undefined behaviour on the installed machine: it does not fail the test.

    The block also ends its exception. A thread or a child may cause the undefined behaviour, through either door.
    On a real driver nothing can be seen, and the block expects nothing.

    Args:
        rules: The ids of the rules that the block breaks, each at least once. Without ids, it breaks any rule.

    Yields:
        A list. When the block has ended, it holds the expected findings.

    Raises:
        AssertionError: A rule was not broken. Other findings are reported as usual.
        FakeCudaError: No machine is installed.
    """
    machine, came = installed(), list[Any]()
    if machine is None:
        msg = (
            "fakecuda.expect_undefined() needs a simulated machine, and none is active: call it in a test that uses "
            "the `fakecuda` fixture, or inside `with fakecuda.simulate():`"
        )
        raise FakeCudaError(msg)
    before = len(machine.findings)
    try:
        yield came
    except UndefinedBehaviour as error:
        if rules and error.finding.rule.id not in rules:
            raise
    finally:
        found = machine.findings[before:]
        came += [one for one in found if not rules or one.rule.id in rules]
        findings.tell(machine, came)
    missing = [rule for rule in rules if rule not in {one.rule.id for one in came}]
    if findings.is_driver(machine):
        machine.notes.append("expect_undefined(): the real driver does not report undefined behaviour")
    elif missing or not came:
        raise AssertionError(_missed(missing, [one.rule.id for one in found]))


def _missed(missing: list[str], found: list[str]) -> str:
    """Return the message for rules that were not broken."""
    came = f"; broken rules: {', '.join(dict.fromkeys(found))}" if found else ""
    if not missing:
        return f"expected undefined behaviour, but no rule was broken{came}"
    known = expected_names.known_rules()
    unknown = [nearest(rule, known, "rule") for rule in missing if rule not in known]
    return "\n".join(
        [f"expected undefined behaviour by the rule {', '.join(missing)}, but it was not broken{came}", *unknown]
    )


@contextmanager
def expect_deadlock() -> Iterator[list[Deadlock]]:
    """Expect a deadlock on the installed machine: it does not fail the test.

    The block also ends its exception. The calls that wait for each other may be a thread's or a child's, through either
    door. A function that catches ``EndlessWait`` by name does not need this. On a real driver a deadlock does not end,
    and the block expects nothing.

    Yields:
        A list. When the block has ended, it holds the deadlocks; ``str()`` gives the report of each.

    Raises:
        AssertionError: There was no deadlock.
        FakeCudaError: No machine is installed.
    """
    machine: Any = installed()
    came: list[Deadlock] = []
    if machine is None:
        msg = (
            "fakecuda.expect_deadlock() needs a simulated machine, and none is active: call it in a test that uses "
            "the `fakecuda` fixture, or inside `with fakecuda.simulate():`"
        )
        raise FakeCudaError(msg)
    before = len(_deadlocks(machine))
    try:
        yield came
    except EndlessWait as error:
        if error.deadlock is not None and error.deadlock not in _deadlocks(machine)[before:]:
            raise
    finally:
        came += _deadlocks(machine)[before:]
        for one in came:
            one.told = True
    if findings.is_driver(machine):
        machine.notes.append("expect_deadlock(): on the real driver a deadlock does not end")
    elif not came:
        msg = (
            "expected a deadlock, but there was none: make the block deadlock, or leave out fakecuda.expect_deadlock()"
        )
        raise AssertionError(msg)


def _deadlocks(machine: Any) -> list[Deadlock]:
    """Return the known deadlocks of a machine; empty for a real driver."""
    known: list[Deadlock] = getattr(machine, "deadlocks", [])
    return known


@contextmanager
def expect(*names: str, call: str | None = None, required: bool = True) -> Iterator[list[Refusal]]:
    """Expect the installed machine to refuse calls: these do not fail the test.

    A thread or a child may make the calls, through either door. On a real driver nothing can be seen, and the block
    expects nothing. If ``pytest.raises`` or unittest's ``assertRaises`` catches the exception that a wrapper makes of a
    refused call, the call is expected without this.

    Args:
        names: Error codes, rules or calls. At least one call must be refused with one of them. A code has its name in
            any API, such as ``INVALID_VALUE`` or ``cudaErrorInvalidValue``; a rule has its id. Without names, any
            refused call is expected.
        call: The only call that may be refused; None for any.
        required: Whether a call must be refused. False is for probes, which fall back if a call is refused.

    Yields:
        A list of the refused calls, which grows as they come.

    Raises:
        AssertionError: No expected call was refused; the text lists the other refused calls.
        FakeCudaError: No machine is installed, or the name of a code or a call is unknown.
    """
    machine: Any = installed()
    if machine is None:
        msg = (
            "fakecuda.expect() needs a simulated machine, and none is active: call it in a test that uses the "
            "`fakecuda` fixture, or inside `with fakecuda.simulate():`"
        )
        raise FakeCudaError(msg)
    expected_names.check_names(names)
    if call is not None:
        expected_names.check_call(call)
    if findings.is_driver(machine):
        yield []
        machine.notes.append("expect(): the real driver does not report refused calls")
        return
    counted, block = refusals.count(machine), refusals.Block(names, call)
    others = counted.number
    counted.blocks.append(block)
    try:
        yield block.came
    finally:
        counted.blocks.remove(block)
    if required and not block.came:
        raise AssertionError(_not_refused(names, call, counted.kept[others:]))


def _not_refused(names: tuple[str, ...], call: str | None, others: list[Refusal]) -> str:
    """Return the message for a block in which no expected call was refused."""
    came = ["refused calls:", *dict.fromkeys(f"  {other}" for other in others)] if others else []
    if not names and call is None:
        return "expected a refused call, but every call succeeded"
    known = expected_names.known_rules() if any("." in name for name in names) else set()
    unknown = [nearest(name, known, "rule") for name in names if "." in name and name not in known]
    codes = f" with {' or '.join(names)}" if names else ""
    return "\n".join([f"no call {'' if call is None else f'of {call} '}was refused{codes}", *came, *unknown])
