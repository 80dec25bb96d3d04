"""Checks of PTX instructions against the table of :mod:`fakecuda.spec.ptx`.

An instruction is right if one form of its row has its modifiers, its types and its operands, and if the text's PTX
version and target have the form. What is found of an instruction is kept by its modifiers and the classes of its
operands, because compilers write the same ones again and again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model.code.ptx_declarations import LANES
from fakecuda.model.code.ptx_fits import ANY, fits
from fakecuda.model.code.ptx_source import SHOWN
from fakecuda.spec import ptx as spec
from fakecuda.spec.ptx.types import TYPES

if TYPE_CHECKING:
    from fakecuda.model.code.ptx_symbols import Class
    from fakecuda.spec.ptx import Form, Group, Since, Target, Version

    Key = tuple[str, tuple[str, ...], tuple[Class, ...]]

KEPT = 1 << 14
"""The maximum number of cached instructions of a checker."""
SYNC_ONLY, SYNC_TARGET = (6, 4), 70
"""The first PTX version whose forms without ``.sync`` need an old target, and it."""
MODIFIERS, TYPED, MISSING, ARGUMENTS, VALUES, AGE = range(6)
"""How an instruction differs from a form, ordered by nearness to the form."""
HINT, POLICY = ".L2::cache_hint", "c"
"""The modifier that needs a cache policy, and the kind of the policy operand."""
WIDEST, WIDER = 128, 100
"""The maximum bits of a vector, and the first target with longer vectors."""
SOME = 4
"""The maximum number of alternatives in an error."""


@define
class Checker:
    """A checker of the instructions of one PTX version and target.

    Attributes:
        version: The PTX version.
        target: The number and the suffix of the target.
        special: The special registers.
        kept: Why instructions are wrong. Empty for right ones.
    """

    version: Version
    target: Target
    special: dict[str, Class]
    kept: dict[Key, str] = field(factory=dict)

    def judge(self, name: str, modifiers: tuple[str, ...], operands: tuple[Class, ...]) -> str:
        """Return why an instruction is wrong; empty if it is right or unknown."""
        key = name, modifiers, operands
        found = self.kept.get(key)
        if found is None:
            if len(self.kept) >= KEPT:
                self.kept.clear()
            found = self.kept[key] = self._judge(name, modifiers, operands)
        return found

    def _judge(self, name: str, modifiers: tuple[str, ...], operands: tuple[Class, ...]) -> str:
        instruction = spec.instruction(name)
        if instruction is None:
            return f"there is no instruction {name[:SHOWN]}: correct the name"
        if instruction.begins and modifiers[:1] not in [(one,) for one in instruction.begins]:
            return f"there is no instruction {name}{''.join(modifiers[:1])[:SHOWN]}: correct the name"
        if not instruction.forms:
            return self._older(name, instruction.since)
        nearest, reason = -1, ""
        for form in instruction.forms:
            near, why = self._against(form, modifiers, operands)
            if not why:
                return ""
            if near > nearest:
                nearest, reason = near, why
        written = name + "".join(modifiers)
        return reason and f"{written[:SHOWN]}: {reason} (PTX ISA manual, section {instruction.section})"

    def _against(self, form: Form, modifiers: tuple[str, ...], operands: tuple[Class, ...]) -> tuple[int, str]:
        """Return how near an instruction is to a form, and why it does not fit."""
        types = [one for one in modifiers if one in TYPES]
        since: list[tuple[str, Since]] = [("", form.since)]
        near, why = _others(form, [one for one in modifiers if one not in TYPES], since)
        typed = _types(form, types, since)
        if typed and (not why or near > MODIFIERS):
            near, why = TYPED, typed
        if why:
            return near, why
        if form.loose:
            return self._aged(form, since)
        hint = HINT in modifiers
        wanted = [one for one in form.operands if hint or one.kind != POLICY]
        most = len(wanted)
        least = sum(not one.optional or one.kind == POLICY for one in wanted)
        if len(operands) == least:
            wanted = [one for one in wanted if not one.optional or one.kind == POLICY]
        if not least <= len(operands) <= most:
            count = str(least) if least == most else f"{least} to {most}"
            return ARGUMENTS, f"{len(operands)} operands are given, {count} are needed"
        lanes = next((LANES[one] for one in modifiers if one in LANES), 1)
        spaces = [one for one in modifiers if one in SPACES]
        space = ANY if len(spaces) > 1 else spaces[0] if spaces else ""
        for number, (operand, given) in enumerate(zip(wanted, operands, strict=False), 1):
            needed = fits(operand, types, lanes, space, given)
            if needed:
                return VALUES, f"operand {number} must be {needed}"
        if types and lanes * TYPES[types[0]][1] > WIDEST and self.target[0] < WIDER:
            return VALUES, f"a vector of {lanes} {types[0]} has more than {WIDEST} bits, which need .target sm_{WIDER}"
        return self._aged(form, since)

    def _older(self, what: str, since: Since) -> str:
        """Return why the PTX version or target is too old; empty if it is not."""
        version, target = since
        if version > self.version:
            return f"{what} needs .version {version[0]}.{version[1]} or later: compile for a newer PTX version"
        if not _has(self.target, target):
            return f"{what} needs .target sm_{target[0]}{target[1]} or later: compile for it"
        return ""

    def _aged(self, form: Form, since: list[tuple[str, Since]]) -> tuple[int, str]:
        """Return whether a form and its modifiers exist for a PTX version and target."""
        for what, first in since:
            why = self._older(what or "this form", first)
            if why:
                return AGE, why
        if form.until and self.target[0] >= form.until and (self.version >= SYNC_ONLY or form.until < SYNC_TARGET):
            return AGE, f"sm_{form.until} and later no longer have this form, but one with .sync or a rounding modifier"
        return AGE, ""


DOUBLED = frozenset({".sat", ".approx", ".sync", ".uni"})
"""Modifiers that a compiler accepts twice."""
SPACES = frozenset(
    f".{space}"
    for space in (
        "global",
        "shared",
        "shared::cta",
        "shared::cluster",
        "local",
        "const",
        "param",
        "param::entry",
        "param::func",
    )
)


def _has(target: Target, least: Target) -> bool:
    """Return whether a target is new enough; a suffix limits it to one family."""
    if least[1]:
        return bool(target[1]) and target[0] // 10 == least[0] // 10
    return target[0] >= least[0]


def _types(form: Form, types: list[str], since: list[tuple[str, Since]]) -> str:
    """Return why types do not match those of a form."""
    left = list(types)
    for group in form.types:
        if left and left[0] in group.since:
            since.append((left[0], group.since[left.pop(0)]))
        elif not group.optional:
            return f"the type {left[0]} is not allowed here" if left else "a type is missing"
    return f"the type {left[0]} is not allowed here" if left else ""


def _others(form: Form, others: list[str], since: list[tuple[str, Since]]) -> tuple[int, str]:
    """Return how near modifiers are to a form's, and why they do not match."""
    left = list(form.groups)
    taken: set[str] = set()
    for one in others:
        group = next((group for group in left if one in group.since), None)
        if group is None:
            if one in taken and one in DOUBLED:
                continue
            return MODIFIERS, f"{one[:SHOWN]} is not allowed here"
        taken.add(one)
        left.remove(group)
        since.append((one, group.since[one]))
    tied = [group for group in left if group.tied]
    if tied and len(tied) < sum(group.tied for group in form.groups):
        return MISSING, _missing(tied[0])
    missing = next((group for group in left if not group.optional), None)
    return (MISSING, "") if missing is None else (MISSING, _missing(missing))


def _missing(group: Group) -> str:
    """Return the error that one of some modifiers is missing."""
    names = list(group.since)
    return f"{' or '.join(names[:SOME])}{' or others' if len(names) > SOME else ''} is missing"


@lru_cache(maxsize=64)
def checker(version: Version, target: Target) -> Checker:
    """Return the checker of a PTX version and a target."""
    isa = spec.table("isa")
    special: dict[str, Class] = {}
    for name, text in isa["special"].items():
        type_, count = text.split()
        one = f"%.{type_}"
        special[name] = one if count == "1" else ("{", *[one] * int(count))
    for name, text in isa["numbered"].items():
        type_, count = text.split()
        special |= {f"{name}{number}": f"%.{type_}" for number in range(int(count))}
    special |= {f"%pm{number}_64": "%.u64" for number in range(8)}
    return Checker(version, target, special)
