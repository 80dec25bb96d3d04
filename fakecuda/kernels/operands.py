"""Reading of an instruction's operands."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Protocol

from attrs import define, field

from fakecuda.kernels.program import (
    Constant,
    Discard,
    Function,
    Label,
    Memory,
    Not,
    Program,
    Register,
    Several,
    Special,
    Symbol,
    Texel,
    Unknown,
    Variable,
)
from fakecuda.model.code import ptx_tokens
from fakecuda.model.code.ptx_tokens import DOTTED, FLOAT, INTEGER, NAME

if TYPE_CHECKING:
    from fakecuda.kernels.program import Operand

DIGITS = "0123456789"
CLOSES = {"[": "]", "{": "}", "(": ")"}
LABELLED = frozenset({"bra", "brx"})
"""Instructions with labels as operands."""
WARP_SIZE = 32
WHOLE, SINGLE, DOUBLE = "whole", "single", "double"
"""Kinds of constants: integers, the bits of an ``f32``, the bits of an ``f64``."""


@define(eq=False)
class Scope:
    """The names in a block.

    Attributes:
        number: Its number in the function.
        registers: Its registers by name; those of several elements are unknown.
        numbered: The types of its numbered registers by their names' beginning. Empty for vectors.
        variables: Its variables by name.
    """

    number: int
    registers: dict[str, Register | Unknown] = field(factory=dict)
    numbered: dict[str, str] = field(factory=dict)
    variables: dict[str, Variable] = field(factory=dict)


class Reader(Protocol):
    """The reader of operands: :class:`fakecuda.kernels.parse.Reader`."""

    at: int
    program: Program
    names: dict[str, Variable]
    function: Function
    scopes: list[Scope]

    @property
    def kind(self) -> str:
        """The kind of the current token."""

    @property
    def said(self) -> str:
        """The text of the current token."""

    def next(self) -> str:
        """Return the text of the current token, and advance."""

    def named(self, name: str) -> str:
        """Return a function's or variable's name, unique among several texts."""

    def register(self, type_: str) -> Register:
        """Return a new register."""


def operands(reader: Reader, name: str) -> tuple[Operand, ...]:
    """Read operands up to the semicolon."""
    found = [_pair(reader, name)]
    while reader.said == ",":
        reader.at += 1
        found.append(_pair(reader, name))
    if reader.said != ";":
        start = reader.at
        while reader.said != ";":
            reader.at += 1
        found.append(Unknown(f"{reader.at - start} tokens"))
    return tuple(found)


def predicate(reader: Reader) -> Register | Not:
    """Read a predicate, which may be negated."""
    negated = reader.said == "!"
    reader.at += negated
    found = _register(reader, reader.next())
    assert isinstance(found, Register)  # a guard is one
    return Not(found) if negated else found


def _pair(reader: Reader, name: str) -> Operand:
    """Read an operand, or two results with a bar between them."""
    first = _one(reader, name)
    if reader.said != "|":
        return first
    if isinstance(first, Constant):  # an expression, which no compiler writes
        text = []
        while reader.said not in {",", ";"}:
            text.append(reader.next())
        return Unknown(" ".join(text))
    reader.at += 1
    return Several((first, _one(reader, name)))


def _one(reader: Reader, name: str) -> Operand:
    said, kind = reader.said, reader.kind
    if said == "[":
        reader.at += 1
        found = _address(reader, name)
        if reader.said != "]":
            return _skipped(reader, "]")
        reader.at += 1
        return found
    if said == "{" or (said == "(" and name == "call"):
        reader.at += 1
        return Several(tuple(_list(reader, name, CLOSES[said])))
    if said == "!":
        reader.at += 1
        found = _named(reader, name)
        return Not(found) if isinstance(found, Register) else Unknown("!")
    if kind == NAME:
        return _named(reader, name)
    return _constant(reader)


def _skipped(reader: Reader, until: str) -> Unknown:
    """Skip to a closing bracket."""
    text = []
    while reader.said != until:
        text.append(reader.next())
    reader.at += 1
    return Unknown(" ".join(text))


def _list(reader: Reader, name: str, until: str) -> list[Operand]:
    """Read operands up to a closing bracket."""
    found: list[Operand] = []
    while reader.said != until:
        found.append(_one(reader, name))
        reader.at += reader.said == ","
    reader.at += 1
    return found


def _address(reader: Reader, name: str) -> Operand:
    """Read an address between brackets."""
    base = _one(reader, name)
    if isinstance(base, Symbol) and reader.said != ",":
        return Memory(Symbol(base.target), base.offset)
    if reader.said == ",":
        reader.at += 1
        place = _one(reader, name)
        return Texel(base, place.parts if isinstance(place, Several) else (place,))
    if reader.said == "+":
        reader.at += 1
        offset = _constant(reader)
        return Memory(base, offset.value) if isinstance(offset, Constant) else offset
    return Memory(base, 0)


def _named(reader: Reader, name: str) -> Operand:
    """Read a name with its element or offset."""
    said = reader.next()
    if said == "_":
        return Discard()
    if said == "WARP_SZ":
        return Constant(WARP_SIZE, WHOLE)
    if reader.kind == DOTTED:
        element = reader.next()
        return Unknown(said + element) if _register(reader, said) else Special(said + element)
    register = _register(reader, said)
    if register is not None:
        return register
    variable = next((one.variables[said] for one in reversed(reader.scopes) if said in one.variables), None)
    target = (
        variable
        or reader.names.get(said)
        or (named if (named := reader.named(said)) in reader.program.functions else None)
    )
    if target is not None:
        if reader.said == "+":
            reader.at += 1
            offset = _constant(reader)
            return Symbol(target, offset.value) if isinstance(offset, Constant) else offset
        return Symbol(target)
    if name in LABELLED or not said.startswith("%"):
        return Label(said, reader.scopes[-1].number)
    return Special(said)


def _register(reader: Reader, said: str) -> Register | Unknown | None:
    """Return the register of a name, or None."""
    for scope in reversed(reader.scopes):
        found = scope.registers.get(said)
        if found is not None:
            return found
        base = said.rstrip(DIGITS)
        for end in range(len(base), len(said)):
            type_ = scope.numbered.get(said[:end])
            if type_ is not None:
                if not type_:
                    return Unknown(said)
                found = scope.registers[said] = reader.register(type_)
                return found
    return None


def _constant(reader: Reader) -> Constant | Unknown:
    """Read a constant: a number with signs."""
    sign = 1
    while reader.said in {"-", "+"}:
        sign = -sign if reader.said == "-" else sign
        reader.at += 1
    kind, said = reader.kind, reader.next()
    if kind == INTEGER and reader.said in {",", ";", "]", "}", ")"}:
        return Constant(sign * (ptx_tokens.integer(said) or 0), WHOLE)
    if kind == FLOAT and reader.said in {",", ";", "}"}:
        return _float(said, negative=sign < 0)
    while reader.said not in {",", ";", "]", "}"}:
        said += " " + reader.next()
    return Unknown(said)


def _float(said: str, *, negative: bool) -> Constant:
    """Return a floating-point constant."""
    begins = said[:2].lower()
    if begins == "0f":
        return Constant(_bits(said) ^ (negative << 31), SINGLE)
    if begins == "0d":
        return Constant(_bits(said) ^ (negative << 63), DOUBLE)
    value = -float(said) if negative else float(said)
    return Constant(int.from_bytes(struct.pack("<d", value), "little"), DOUBLE)


def _bits(said: str) -> int:
    """Return the bits of a constant after its two-letter prefix."""
    return int.from_bytes(bytes.fromhex(said[2:]))
