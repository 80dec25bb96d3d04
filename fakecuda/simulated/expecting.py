"""What a test expects of the code under test."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fakecuda.errors import EndlessWait, FakeCudaError, UndefinedBehaviour
from fakecuda.near import nearest
from fakecuda.simulated import findings, refusals
from fakecuda.simulated.install import installed
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.finding import Finding
    from fakecuda.model.work.deadlock import Deadlock
    from fakecuda.simulated.refusals import Refusal


@contextmanager
def expect_undefined(*rules: str) -> Iterator[list[Finding]]:
    """Expect undefined behaviour on the installed machine: it fails nothing, and its exception ends here.

    Whoever does it, a thread or a child, by whatever door. On a real driver nothing is seen, and nothing is expected.

    Args:
        rules: The ids of the rules that are broken, each at least once; without any, some rule is.

    Yields:
        A list that has what came, when the block has ended.

    Raises:
        AssertionError: Nothing came, or not what was expected. Other findings are told as ever.
        FakeCudaError: No machine is installed.
    """
    machine, came = installed(), list[Any]()
    if machine is None:
        msg = "no machine is installed: use expect_undefined() in a test with the fixture, or within fakecuda.machine()"
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
        machine.notes.append("expect_undefined(): a driver does not tell undefined behaviour")
    elif missing or not came:
        raise AssertionError(_missed(missing, [one.rule.id for one in found]))


def _missed(missing: list[str], found: list[str]) -> str:
    """Return what to say of rules that were not broken."""
    came = f"; broken were {', '.join(dict.fromkeys(found))}" if found else ""
    if not missing:
        return f"undefined behaviour was expected, and none came{came}"
    known = _rules()
    unknown = [nearest(rule, known, "rule") for rule in missing if rule not in known]
    return "\n".join([f"no undefined behaviour by {', '.join(missing)} came{came}", *unknown])


def _rules() -> set[str]:
    """Return the ids of all rules."""
    from fakecuda.rules.registry import EVERY_OP  # noqa: PLC0415 - it imports every operation

    return {rule.id for op in EVERY_OP.values() for rule in op.rules}


@contextmanager
def expect_deadlock() -> Iterator[list[Deadlock]]:
    """Expect calls on the installed machine to wait for each other: that fails nothing, and its exception ends here.

    Whoever waits, a thread or a child, by whatever door. Where a function catches ``EndlessWait`` by name that is not needed.
    On a real driver a deadlock does not end, and nothing is expected.

    Yields:
        A list that has the deadlocks, each with its report as text, when the block has ended.

    Raises:
        AssertionError: None came.
        FakeCudaError: No machine is installed.
    """
    machine: Any = installed()
    came: list[Deadlock] = []
    if machine is None:
        msg = "no machine is installed: use expect_deadlock() in a test with the fixture, or within fakecuda.simulate()"
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
        machine.notes.append("expect_deadlock(): on a driver a deadlock does not end")
    elif not came:
        msg = "a deadlock was expected, and none came"
        raise AssertionError(msg)


def _deadlocks(machine: Any) -> list[Deadlock]:
    """Return the deadlocks of a machine as they are known now; none of a driver."""
    known: list[Deadlock] = getattr(machine, "deadlocks", [])
    return known


@contextmanager
def expect(*names: str) -> Iterator[list[Refusal]]:
    """Expect the installed machine to refuse calls: these fail no test.

    Whoever makes them, a thread or a child, by whatever door. On a real driver nothing is seen, and nothing is expected.

    Args:
        names: What may be answered, one of which must be: names of codes in any API, ``INVALID_VALUE`` or
            ``cudaErrorInvalidValue``, and ids of rules. Without any, some call is refused.

    Yields:
        A list that has the refused calls as they come.

    Raises:
        AssertionError: None came; the text lists others.
        FakeCudaError: No machine is installed, or there is no code of that name.
    """
    machine: Any = installed()
    if machine is None:
        msg = "no machine is installed: use expect() in a test with the fixture, or within fakecuda.machine()"
        raise FakeCudaError(msg)
    _check_codes(names)
    if findings.is_driver(machine):
        yield []
        machine.notes.append("expect(): of a driver it is not seen what it refuses")
        return
    counted, block = refusals.count(machine), refusals.Block(names)
    others = counted.number
    counted.blocks.append(block)
    try:
        yield block.came
    finally:
        counted.blocks.remove(block)
    if not block.came:
        raise AssertionError(_not_refused(names, counted.kept[others:]))


def _check_codes(names: tuple[str, ...]) -> None:
    """Refuse names of codes that there are not; the ids of rules are looked up when none came."""
    from fakecuda.rules.registry import EVERY_API  # noqa: PLC0415 - tests that expect nothing need none

    codes = {code.name for code in Result} | {name for api in EVERY_API.values() for name in api.names.values()}
    for name in names:
        if "." not in name and name not in codes:
            raise FakeCudaError(nearest(name, codes, "code"))


def _not_refused(names: tuple[str, ...], others: list[Refusal]) -> str:
    """Return what to say where no call was refused as it was expected."""
    came = ["refused were", *dict.fromkeys(f"  {other}" for other in others)] if others else []
    if not names:
        return "a refused call was expected, and none came"
    known = _rules() if any("." in name for name in names) else set()
    unknown = [nearest(name, known, "rule") for name in names if "." in name and name not in known]
    return "\n".join([f"no call was refused with {' or '.join(names)}", *came, *unknown])
