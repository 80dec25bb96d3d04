"""The table of PTX: instructions, types, versions and targets, by chapters of NVIDIA's PTX ISA manual.

A table of a chapter has an entry for each instruction. ``section`` is the manual's section, and ``forms`` are what may
be written. A form is ``MODIFIERS : OPERANDS @ PTX TARGET until TARGET``:

- modifiers stand in the manual's order, without their dots. ``a|b`` are alternatives, ``{a|b}`` may be left out, and
  groups with ``&`` may be left out only together, ``$name`` stands for alternatives of isa.toml. ``a@7.8,90`` exists
  since PTX 7.8 and sm_90. A compiler takes modifiers in any order, except types. The first group of types is ``T``, the
  second ``U``, the third ``W``
- operands are a letter and ``:`` and a type, ``T`` if none is given. ``?`` ends an operand that may be left out.
  ``d`` is a result, ``s`` a source (a register or a constant), ``r`` a register, ``g`` a source or a special register or
  an address, ``y`` an address or a register, ``w`` and ``x`` a result and a source that may be wider than the type,
  ``p`` a predicate, ``dp`` a predicate as a result, ``dp2`` one or two of them, ``dq`` a result and perhaps a predicate,
  ``d2p`` a result and a predicate, ``m`` an address in memory, ``c`` a cache policy, ``i`` a constant, ``l`` a label.
  ``z`` is ``x`` or a special register, ``k`` a result or ``_``, ``v`` with a number a vector even of one.
  ``*`` alone stands for any operands. A number gives the elements of a vector (``d2``), and ``V`` takes it from a
  modifier (``.v2``)
- PTX and TARGET are the first ones that have the form. ``until`` gives the first target that no longer has it

``open = true`` says that an instruction exists and that its forms are not in the table: it is *unmodelled*, and only
operands that are not declared are refused. ``begins`` then has the modifiers that may stand first, and ``since`` the
first PTX version and target.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from fakecuda.spec.ptx.types import TYPES

Version = tuple[int, int]
Target = tuple[int, str]
Since = tuple[Version, Target]
HERE = Path(__file__).parent
CHAPTERS = ("integer", "float", "logic", "move", "convert", "control", "sync", "matrix", "texture", "video", "open")
FIRST: Since = ((1, 0), (0, ""))


@frozen
class Group:
    """Alternatives; an instruction has at most one.

    Attributes:
        since: The PTX version and the target since which each alternative exists.
        optional: Whether it may be left out.
        tied: Whether it may be left out only together with the other groups that are tied.
    """

    since: dict[str, Since]
    optional: bool
    tied: bool


@frozen
class Operand:
    """An operand of a form.

    Attributes:
        kind: What it is, as the letters of the table say.
        type: Its type, or ``T``, ``U`` or ``W`` for the type that a modifier gives.
        optional: Whether it may be left out.
    """

    kind: str
    type: str
    optional: bool


@frozen
class Form:
    """What may be written of an instruction.

    Attributes:
        types: The groups of its types, in their order.
        groups: The groups of its other modifiers.
        operands: Its operands.
        since: The PTX version and the target since which it exists.
        until: The first target that no longer has it. 0 if all later ones have it.
        loose: Whether it says nothing of its operands.
    """

    types: tuple[Group, ...]
    groups: tuple[Group, ...]
    operands: tuple[Operand, ...]
    since: Since
    until: int
    loose: bool


@frozen
class Instruction:
    """An instruction.

    Attributes:
        name: Its name.
        section: The manual's section.
        forms: What may be written. Empty if the table does not say.
        begins: The modifiers that may stand first. Empty if any may.
        since: The PTX version and the target since which it exists, if it is in the table without forms.
    """

    name: str
    section: str
    forms: tuple[Form, ...]
    begins: tuple[str, ...]
    since: Since


@cache
def table(name: str) -> dict[str, Any]:
    """Return a table by the name of its file."""
    return tomllib.loads((HERE / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def _rows() -> dict[str, dict[str, Any]]:
    """Return the row of each instruction."""
    rows: dict[str, dict[str, Any]] = {}
    for chapter in CHAPTERS:
        rows.update(table(chapter))
    return rows


def names() -> list[str]:
    """Return the names of all instructions."""
    return list(_rows())


@cache
def instruction(name: str) -> Instruction | None:
    """Return an instruction by its name. None if the name is unknown."""
    row = _rows().get(name)
    if row is None:
        return None
    return Instruction(
        name,
        row.get("section", ""),
        tuple(map(form, row.get("forms", ()))),
        tuple(row.get("begins", ())),
        _since(row.get("since", "").split()),
    )


def form(text: str) -> Form:
    """Return a form, which is written as the table has it."""
    modifiers, _, rest = f" {text} ".partition(" : ")
    operands, _, since = rest.partition("@")
    words, until = since.split(), 0
    loose = operands.strip() == "*"
    if "until" in words:
        until = int(words[-1])
        words = words[:-2]
    groups = [_group(word) for word in modifiers.split()]
    return Form(
        tuple(one for one in groups if next(iter(one.since)) in TYPES),
        tuple(one for one in groups if next(iter(one.since)) not in TYPES),
        () if loose else tuple(map(_operand, operands.split())),
        _since(words),
        until,
        loose,
    )


def _group(word: str) -> Group:
    tied = word.startswith("&")
    optional = word.startswith(("{", "&"))
    since: dict[str, Since] = {}
    for one in word.strip("&{}").split("|"):
        parts = table("isa")["sets"][one[1:]].split("|") if one.startswith("$") else [one]
        for part in parts:
            name, _, first = part.partition("@")
            since["." + name] = _since(first.split(",") if first else [])
    return Group(since, optional, tied)


def _operand(word: str) -> Operand:
    kind, _, type_ = word.rstrip("?").partition(":")
    return Operand(kind, "." + type_ if type_ and type_ not in {"T", "U", "W"} else type_ or "T", word.endswith("?"))


def _since(words: list[str]) -> Since:
    """Return a PTX version and a target from their texts, as far as they are given."""
    version = version_of(words[0]) if words else FIRST[0]
    return version, target_of(words[1]) if len(words) > 1 else FIRST[1]


def version_of(text: str) -> Version:
    """Return a PTX version: (7, 8) of ``7.8``."""
    major, minor = text.split(".")
    return int(major), int(minor)


def target_of(text: str) -> Target:
    """Return the number and the suffix of a target: (90, "a") of ``90a``."""
    digits = text.rstrip("af")
    return int(digits), text[len(digits) :]
