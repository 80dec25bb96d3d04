"""PTX declarations: types, sizes and initial values of variables and parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.model.code.cost import spent
from fakecuda.model.code.ptx_source import USES, name_of, number_of, parenthesised
from fakecuda.model.code.ptx_tokens import DOTTED, INTEGER

if TYPE_CHECKING:
    from fakecuda.model.code.ptx_source import Source

TYPES = {f".{kind}{bits}": bits // 8 for kind in "usbf" for bits in (8, 16, 32, 64, 128)} | {".f16x2": 4, ".pred": 1}
"""Bytes of something of a type."""
LANES = {".v2": 2, ".v4": 4, ".v8": 8}
"""Bytes of an element of a type."""
LARGEST = (1 << 63) - 1
"""Elements of a vector."""
PARAMS = 32764
"""The most bytes of all parameters of a kernel."""


@frozen
class Type:
    """The type of a declaration.

    Attributes:
        size: Bytes of a value, or of a whole vector. 0 if unknown.
        width: Bytes of a value, or of an element of a vector.
        align: The alignment of its address, in bytes.
        managed: Whether it is managed memory.
    """

    size: int
    width: int
    align: int
    managed: bool


@frozen
class Declared:
    """A declared variable.

    Attributes:
        name: Its name.
        size: Its bytes. None if an expression gives the number of its elements.
        data: Its initial bytes, if they are given by whole numbers only.
        data: What it begins with, if that is whole numbers alone.
    """

    name: str
    managed: bool
    size: int | None
    data: bytes


def params(source: Source) -> tuple[tuple[int, int], ...]:
    """Return the offset and the bytes of each parameter, aligned by type."""
    places, end = [], 0
    source.advance()
    while source.said != ")":
        if source.said != ".param":
            source.want("a parameter")
        source.advance()
        type_ = type_of(source)
        name = name_of(source)
        source.advance()
        count, omitted = _members(source)
        size = _size(source, name, type_, 0 if omitted else count)
        if size is None:
            source.refuse(f"the array size of parameter {name} is not a number: write a number in brackets")
        end += -end % max(type_.align, 1)
        places.append((end, size))
        end += size
        if end > PARAMS:
            source.refuse(f"the parameters have {end} bytes: at most {PARAMS} are allowed")
        if source.said == ",":
            source.advance()
    return tuple(places)


def type_of(source: Source) -> Type:
    """Read a type with its attributes; the current token is then the token after it."""
    width, lanes, align = 0, 1, 0
    managed = pointer = False
    while source.kind == DOTTED:
        said = source.said
        source.advance()
        width = width or TYPES.get(said, 0)
        lanes *= LANES.get(said, 1)
        pointer = pointer or said == ".ptr"
        if source.said == "(":
            managed = managed or ".managed" in parenthesised(source)
            source.advance()
        elif source.kind == INTEGER:
            if said == ".align" and not pointer:  # after .ptr it is the alignment of the memory pointed to
                align = number_of(source)
            source.advance()
    return Type(width * lanes, width, max(width * lanes, align), managed)


def _members(source: Source) -> tuple[int | None, bool]:
    """Read the dimensions after a name.

    The current token is then the token after them.

    Returns:
        The number of elements, and whether the first dimension is omitted. An omitted dimension counts as 1. The number
        is None if an expression gives a dimension.
    """
    count: int | None = 1
    omitted = False
    first = True
    while source.said == "[":
        source.advance()
        omitted = omitted or (first and source.said == "]")
        first = False
        if source.kind == INTEGER:
            count = None if count is None else min(count * number_of(source), LARGEST + 1)
            source.advance()
        while source.said != "]":
            if source.said in {"", "{", "}", ";"}:
                source.want("']'")
            count = None
            source.advance()
        source.advance()
    return count, omitted


def _size(source: Source, name: str, type_: Type, count: int | None) -> int | None:
    """Return the bytes of ``count`` elements of a type. None if the count is unknown."""
    if not type_.size:
        source.refuse(f"the type of {name} is missing or has no known size: write a type such as .u32")
    if count is None:
        return None
    if type_.size * count > LARGEST:
        source.refuse(f"{name} has more than {LARGEST} bytes, the limit: declare fewer elements")
    return type_.size * count


def variables(source: Source, *, sized: bool) -> list[Declared]:
    """Read the declarations up to a semicolon.

    Args:
        source: The text, whose current token is the space of the variables.
        sized: Whether each variable must have a type of known size.
    """
    made = []
    source.advance()
    _members(source)  # the bank of constants
    type_ = type_of(source)
    while True:
        name = name_of(source)
        source.advance()
        count, omitted = _members(source)
        numbers: list[int] = []
        outer = 0
        if source.said == "=":
            numbers, outer = _initial(source)
        if omitted and count is not None:
            count *= outer
        size = _size(source, name, type_, count) if sized else 0
        made.append(Declared(name, type_.managed, size, _data(numbers, type_.width, size or 0)))
        if source.said == ";":
            return made
        if source.said != ",":
            source.want("';'")
        source.advance()


def _initial(source: Source) -> tuple[list[int], int]:
    """Read an initial value.

    The current token is then the comma or the semicolon after it.

    Returns:
        The numbers, or an empty list unless all values are whole numbers; and the number of elements in the outermost
        braces.
    """
    numbers: list[int] = []
    plain, depth, outer, sign = True, 0, 1, 1
    source.advance()
    while depth or source.said not in {",", ";"}:
        said = source.said
        if said in {"", ";"}:
            source.want("'}'")
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(said, 0)
        outer += said == "," and depth == 1
        if source.kind == INTEGER:
            numbers.append(sign * number_of(source))
        elif said not in {"{", "}", ",", "-"}:
            plain = False
            if source.marks.get(said) == USES:
                source.used.add(said)
        sign = -1 if said == "-" else 1
        source.advance()
    return numbers if plain else [], outer


def _data(numbers: list[int], width: int, size: int) -> bytes:
    """Return the bytes of numbers of ``width`` bytes each, cut at ``size``."""
    if not size:
        return b""
    mask = (1 << 8 * width) - 1
    data = b"".join((number & mask).to_bytes(width, "little") for number in numbers[: -(-size // width)])[:size]
    spent.bytes_produced += len(data)
    return data
