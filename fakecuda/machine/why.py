"""``fakecuda.why``: why a call was refused or undefined.

The text is as in the report of a failed test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.explain.reports.report import Told, composed, told_of_rule
from fakecuda.explain.reports.rule import rules_by_id
from fakecuda.machine import refusals
from fakecuda.machine.install import installed
from fakecuda.model.finding import Finding
from fakecuda.near import nearest
from fakecuda.rules.registry import EVERY_API, EVERY_OP

if TYPE_CHECKING:
    from fakecuda.machine.refusals import Refusal
    from fakecuda.model.leaks import Leak


def why(what: int | str | Finding | Refusal | Leak = -1) -> str:
    """Return the full report of a finding or of a refused call.

    A refused call is one on the installed machine.
    The report gives the rule and its sources, the state and the objects involved, and the nearest fix.

    Args:
        what: -1 for the last finding or refused call, -2 for the one before; the name of a call, for its last
            refusal; the id of a rule, for the rule itself; or a finding, a refused call or a leak.

    Raises:
        FakeCudaError: No machine is installed, or the call or rule is unknown.
    """
    if isinstance(what, str) and "." in what:
        return _of_rule(what)
    if not isinstance(what, int | str):
        return what.report if hasattr(what, "report") else str(what)
    if isinstance(what, str) and what not in EVERY_OP and not any(what in api.calls for api in EVERY_API.values()):
        raise FakeCudaError(nearest(what, EVERY_OP, "call"))
    machine = installed()
    if machine is None:
        msg = (
            "fakecuda.why() needs a simulated machine, and none is active: call it in a test that uses the "
            "`fakecuda` fixture, or inside `with fakecuda.simulate():`"
        )
        raise FakeCudaError(msg)
    told = [one for one in _told(machine) if not isinstance(what, str) or one.call == what]
    if isinstance(what, str):
        return _report(told[-1]) if told else f"no call of {what} was refused or undefined"
    if -len(told) <= what < 0:
        return _report(told[what])
    if not told:
        return "no call was refused or undefined"
    return f"why({what}): write -1 for the last refused or undefined call, up to -{len(told)} for the first one"


def _told(machine: Any) -> list[Any]:
    """Return the findings and refused calls of a machine, oldest first.

    Uncounted refused calls have no caller.
    """
    counted = refusals.counted(machine)
    refused: list[tuple[tuple[int, int], Any]] = []
    if counted is not None:
        refused = [((one.before, 1), one) for one in counted.recent]
    else:
        refused = [((0, 0), _of_record(one)) for one in machine.log if one.rule is not None and one.code is not None]
    found = [((number, 0), one) for number, one in enumerate(machine.findings, 1)]
    return [one for _, one in sorted([*refused, *found], key=lambda pair: pair[0])]


def _of_record(record: Any) -> Told:
    return Told(record.call, record.args, record.process, "", record.code, record.rule, record.facts or {})


def _report(one: Any) -> str:
    if isinstance(one, Told):
        return composed(one)
    return str(one) if isinstance(one, Finding) else str(one.report)


def _of_rule(name: str) -> str:
    rules = rules_by_id()
    if name not in rules:
        raise FakeCudaError(nearest(name, rules, "rule"))
    return told_of_rule(rules[name])
