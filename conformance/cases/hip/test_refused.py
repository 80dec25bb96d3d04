"""Each rule of each call of HIP, held by a valid call and broken by one that differs from it in one thing."""

from __future__ import annotations

from collections import ChainMap
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases import hip
from conformance.cases.hip import refused, valid
from conformance.cases.hip.refused import SWEEPS
from conformance.cases.hip.side import Side
from fakecuda.rules.registry import HIP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.cases.hip.refused import Changes

ALONE = [import_module(f"{hip.__name__}.{m.name}") for m in iter_modules(hip.__path__) if m.name.startswith("call_")]
"""Modules that have the tables of one call: ``call_free_array``."""
VALID = dict(ChainMap(valid.VALID, *(module.VALID for module in ALONE)))
REFUSED = dict(ChainMap(refused.REFUSED, *(module.REFUSED for module in ALONE)))
PROFILE = "hip-clr-2026"
NULL = "RESULTS_ARE_GIVEN"
NULL_BEFORE = {"hipExtStreamCreateWithCUMask"}
"""Calls that have a rule of their own for null, before that."""


def swept(call: str) -> Iterator[tuple[str, tuple[int, Changes]]]:
    """Yield the rules of a call that are broken alike in every call, with the code and what breaks them."""
    own = {rule.id.removeprefix("hip.") for rule in HIP.of_rules(HIP.ops[call])}
    for name, (code, values) in SWEEPS.items():
        fitting = [p.name for p in HIP.calls[call].inputs if {p.type, p.name} & values.keys()]
        if name in own and (fitting or not values):
            at = {p.name: p.type for p in HIP.calls[call].inputs}
            yield name.partition(".")[2], (code, {p: values.get(p, values.get(at[p])) for p in fitting[-1:]})


def refusals() -> list[Any]:
    """Return the call, the rule's constant, the code and what breaks it, of all that is refused."""
    return [
        pytest.param(call, name.partition("/")[0], code, changes, id=f"{call}-{name}")
        for call in HIP.ops
        for name, (code, changes) in {**dict(swept(call)), **REFUSED.get(call, {})}.items()
    ]


def answer(w: Side, call: str, changes: Changes) -> int:
    """Return what a call answers that differs so from its valid one."""
    if callable(changes):
        return changes(w)
    names = [param.name for param in HIP.calls[call].inputs]
    arguments = VALID[call](w) if call in VALID else tuple(0 for _ in names)
    changed = {name: value(w) if callable(value) else value for name, value in changes.items()}
    return w(call.removeprefix("hip"), *{**dict(zip(names, arguments, strict=True)), **changed}.values())


@pytest.mark.parametrize(("call", "arguments"), VALID.items(), ids=VALID)
def test_valid(call: str, arguments: Callable[[Side], tuple[Any, ...]]) -> None:
    """A valid call succeeds, and answers its code alone where a result pointer is null that it needs."""
    with fakecuda.Machine(PROFILE, strict=False) as machine:
        w = Side(machine, "hip")
        assert w(call.removeprefix("hip"), *arguments(w)) == 0
        if call not in NULL_BEFORE and any(rule.id.endswith(NULL) for rule in HIP.ops[call].rules):
            assert w(call.removeprefix("hip"), *arguments(w), null=0) == 1
            assert machine.log[-1].rule is not None
            assert machine.log[-1].rule.id == f"hip.active.{NULL}"
        machine.check_invariants()


@pytest.mark.parametrize(("call", "name", "code", "changes"), refusals())
def test_refused(call: str, name: str, code: int, changes: Changes) -> None:
    """The call answers the code, for the rule that is broken: HIP's own, if it has one of that name; the machine is whole."""
    with fakecuda.Machine(PROFILE, strict=False) as machine:
        assert answer(Side(machine, "hip"), call, changes) == code
        last = machine.log[-1]
        assert last.rule is not None
        own = [rule for rule in HIP.of_rules(HIP.ops[call]) if rule.id.endswith(f".{name}")]
        assert last.rule in own or (not own and last.rule.id.endswith(f".{name}"))
        assert last.call == call
        machine.check_invariants()
    if last.rule.grade == "undefined":
        with fakecuda.Machine(PROFILE) as machine, pytest.raises(fakecuda.UndefinedBehaviour):
            answer(Side(machine, "hip"), call, changes)
