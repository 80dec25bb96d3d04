"""What a test expects of the code under test."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fakecuda.doors import findings
from fakecuda.doors.install import installed
from fakecuda.errors import FakeCudaError, UndefinedBehaviour
from fakecuda.near import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.finding import Finding


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
    if (missing or not came) and hasattr(machine, "profile"):
        raise AssertionError(_missed(missing, [one.rule.id for one in found]))


def _missed(missing: list[str], found: list[str]) -> str:
    """Return what to say of rules that were not broken."""
    from fakecuda.api import EVERY_OP  # noqa: PLC0415 - it imports every operation

    came = f"; broken were {', '.join(dict.fromkeys(found))}" if found else ""
    if not missing:
        return f"undefined behaviour was expected, and none came{came}"
    known = {rule.id for op in EVERY_OP.values() for rule in op.rules}
    unknown = [nearest(rule, known, "rule") for rule in missing if rule not in known]
    return "\n".join([f"no undefined behaviour by {', '.join(missing)} came{came}", *unknown])
