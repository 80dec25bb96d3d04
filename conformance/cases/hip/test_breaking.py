"""Each rule of HIP's calls on memory, broken by one thing that is wrong; and calls that only some libraries have."""

from __future__ import annotations

from typing import Any

import pytest

import fakecuda
from conformance.cases.hip import breaking, breaking_copies, breaking_sharing
from conformance.cases.hip.side import Side
from fakecuda.errors import NotInLibrary
from fakecuda.rules.registry import HIP
from fakecuda.spec import hip
from fakecuda.spec.codes import TO_HIP

BREAKING, NEW, OLD = breaking.BREAKING, breaking.NEW, breaking.OLD
CASES = [
    pytest.param(profile, rule, program, id=f"{rule}-{number}-{profile}")
    for profile, table in (
        ("hip-clr-2024", BREAKING),
        ("hip-clr-2026", BREAKING),
        ("hip-clr-2026", NEW),
        ("hip-clr-2024", OLD),
        ("hip-clr-2024", breaking_sharing.BREAKING),
        ("hip-clr-2026", breaking_sharing.BREAKING),
        ("hip-clr-2026", breaking_sharing.NEW),
        ("hip-clr-2024", breaking_copies.OLD),
        ("hip-clr-2026", breaking_copies.BREAKING),
        ("hip-clr-2026", breaking_copies.NEW),
    )
    for rule, programs in table.items()
    for number, program in enumerate(programs)
]

SILENT = (
    *(NEW, BREAKING, breaking_sharing.BREAKING, breaking_sharing.UNDEFINED),
    *(breaking_copies.BREAKING, breaking_copies.NEW, breaking_copies.UNDEFINED),
)
RULES = {rule.id: rule for op in HIP.ops.values() for rule in op.rules}
CODES = {name: int(rule.code) for name, rule in RULES.items()}
UNDEFINED = [
    pytest.param(rule, program, id=f"{rule}-{table}-{number}")
    for table, programs in enumerate(SILENT)
    for rule in programs
    if RULES[f"hip.{rule}"].grade == "undefined"
    for number, program in enumerate(programs[rule])
]


@pytest.mark.parametrize(("profile", "rule", "program"), CASES)
def test_rule(profile: str, rule: str, program: Any) -> None:
    """The last call answers the rule's code, or the one that the profile has for it."""
    with fakecuda.Machine(profile, strict=False) as machine:
        code = program(Side(machine, "hip"))
        broken = machine.calls[-1][5]
        assert broken is not None
        assert broken.id == f"hip.{rule}"
        wanted = machine.profile.hip.rules.get(broken.id, CODES[broken.id])
        assert wanted is not None
        assert code == TO_HIP.get(wanted, wanted) != 0
        machine.check_invariants()


@pytest.mark.parametrize(("rule", "program"), UNDEFINED)
def test_undefined(rule: str, program: Any) -> None:
    """A strict machine says so where the documentation is silent."""
    with fakecuda.Machine("hip-clr-2026") as machine:
        with pytest.raises(fakecuda.UndefinedBehaviour) as raised:
            program(Side(machine, "hip"))
        assert raised.value.finding.rule.id == f"hip.{rule}"
        machine.findings.clear()


def test_functions_that_came_later() -> None:
    """A library without one says so, as hip-python does."""
    with fakecuda.Machine("hip-clr-2024") as machine:
        a = machine.spawn()
        for name in machine.profile.hip.lacks:
            count = len(hip.CALLS[name].inputs)
            with pytest.raises(NotInLibrary, match=f"HIP clr-2024 has no {name}"):
                getattr(a.c, name)(*[0] * count)
