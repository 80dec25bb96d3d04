"""PTX declarations: types, sizes and initial values of variables and parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.model.code.cost import spent
from fakecuda.model.code.ptx_source import SHOWN, name_of, number_of, parenthesised
from fakecuda.model.code.ptx_tokens import DOTTED, FLOAT, INTEGER, NAME

if TYPE_CHECKING:
    import re

    from fakecuda.model.code.ptx_source import Source
    from fakecuda.model.code.ptx_symbols import Class

TYPES = {f".{kind}{bits}": bits // 8 for kind in "usbf" for bits in (8, 16, 32, 64, 128)} | {".f16x2": 4, ".pred": 1}
"""Bytes of a value of each type."""
LANES = {".v2": 2, ".v4": 4, ".v8": 8}
"""Elements of a vector."""
REGISTERS = frozenset({*TYPES} - {".f8", ".u128", ".s128", ".f128"})
"""Types of registers."""
PREDICATE, PARAMETER = ".pred", "&param"
ATTRIBUTES = frozenset({".align", ".attribute", ".ptr"})
POINTED = frozenset({".global", ".shared", ".local", ".const", ".param"})
"""Spaces that a pointer may point into."""
VALUES = frozenset({INTEGER, FLOAT, NAME})
"""Kinds of tokens that are values."""
VALUED = frozenset({".global", ".const"})
"""Spaces whose variables may have initial values."""
MASKS = (7, 1)
"""The PTX version since which a part of an address is a value."""
LARGEST = (1 << 63) - 1
"""The most bytes of a variable."""
WORD = (1 << 32) - 1
"""The largest number in a kernel's directive, and the most bytes of a kernel's variables in one space."""
ROOM = {".global": LARGEST, ".const": 1 << 16, ".shared": WORD, ".local": WORD}
"""The most bytes of all variables in a space."""
MOST_ALIGNED = 32
"""Bits of an alignment."""
PARAMS = 32764
"""The most bytes of all parameters of a kernel."""


@frozen
class Type:
    """The type of a declaration.

    Attributes:
        name: Its name. Empty without one.
        size: Bytes of a value, or of a whole vector. 0 if unknown.
        width: Bytes of a value, or of an element of a vector.
        align: The alignment of its address, in bytes.
        managed: Whether it is managed memory.
    """

    name: str
    size: int
    width: int
    align: int
    managed: bool


@frozen
class Declared:
    """A declared variable.

    Attributes:
        name: Its name.
        size: Its bytes. 0 if only another text says how many.
        data: Its initial bytes, if they are given by whole numbers only.
        match: The token of its name.
    """

    name: str
    managed: bool
    size: int
    data: bytes
    match: re.Match[str]


def params(source: Source) -> tuple[tuple[tuple[int, int], ...], list[re.Match[str]]]:
    """Return the offset and the bytes of each parameter, aligned by type, and the tokens of their names."""
    places, names, end = [], [], 0
    source.advance()
    while source.said != ")":
        if source.said != ".param":
            source.want("a parameter")
        source.advance()
        type_ = type_of(source)
        if not type_.name:
            source.want("a type")
        name = name_of(source)
        names.append(source.match)
        source.advance()
        count, omitted = dimensions(source)
        size = _size(source, name, type_, 0 if omitted else count)
        if not size:
            source.refuse(f"parameter {name} has no elements: write their number in brackets")
        end += -end % max(type_.align, 1)
        places.append((end, size))
        end += size
        if end > PARAMS:
            source.refuse(f"the parameters have {end} bytes: at most {PARAMS} are allowed")
        comma(source)
    return tuple(places), names


def comma(source: Source) -> None:
    """Read the comma between two parameters, or leave the closing parenthesis as the current token."""
    if source.said == ",":
        source.advance()
        if source.said == ")":
            source.want("a parameter")
    elif source.said != ")":
        source.want("','")


def arguments(source: Source) -> list[tuple[re.Match[str], Class]]:
    """Return the names in parentheses, each with what it is; the current token is then the closing one."""
    found: list[tuple[re.Match[str], Class]] = []
    source.advance()
    while source.said != ")":
        space = source.said
        if space not in {".reg", ".param"}:
            source.want("a parameter")
        source.advance()
        type_ = type_of(source, registers=space == ".reg")
        if not type_.name:
            source.want("a type")
        name_of(source)
        found.append((source.match, type_.name if space == ".reg" else PARAMETER))
        source.advance()
        dimensions(source)
        comma(source)
    return found


def type_of(source: Source, *, registers: bool = False) -> Type:
    """Read a type with its attributes; the current token is then the token after it.

    Args:
        source: The text.
        registers: Whether it is the type of a register, which may be a predicate.
    """
    name, width, lanes, align = "", 0, 1, 0
    managed = pointer = False
    while source.kind == DOTTED:
        said = source.said
        if said in TYPES and not name and (registers or said != PREDICATE):
            name, width = said, TYPES[said]
        elif said in LANES and lanes == 1:
            lanes = LANES[said]
        elif said not in ATTRIBUTES and not (pointer and said in POINTED):
            source.want("a type")
        source.advance()
        pointer = pointer or said == ".ptr"
        if said == ".attribute":
            managed = managed or ".managed" in parenthesised(source)
            source.advance()
        elif said == ".align":
            if source.kind != INTEGER:
                source.want("a number")
            number = number_of(source)
            if not number or number & (number - 1) or number >> MOST_ALIGNED:
                source.refuse(f"the alignment {number} is not a power of two below {1 << MOST_ALIGNED}")
            if not pointer:  # after .ptr it is the alignment of the memory pointed to
                align = number
            source.advance()
    return Type(name, width * lanes, width, max(width * lanes, align), managed)


def dimensions(source: Source) -> tuple[int, bool]:
    """Read the dimensions after a name.

    The current token is then the token after them.

    Returns:
        The number of elements, and whether the first dimension is omitted. An omitted dimension counts as 1.
    """
    count, omitted, first = 1, False, True
    while source.said == "[":
        source.advance()
        if source.kind == INTEGER:
            count = min(count * number_of(source), LARGEST + 1)
            source.advance()
        elif first and source.said == "]":
            omitted = True
        if source.said != "]":
            source.want("']'")
        first = False
        source.advance()
    return count, omitted


def _size(source: Source, name: str, type_: Type, count: int) -> int:
    """Return the bytes of ``count`` elements of a type."""
    if type_.size * count > LARGEST:
        source.refuse(f"{name} has more than {LARGEST} bytes, the limit: declare fewer elements")
    return type_.size * count


def variables(source: Source, *, sized: bool) -> list[Declared]:
    """Read the declarations up to a semicolon.

    Args:
        source: The text, whose current token is the space of the variables.
        sized: Whether each variable must have elements, and may have initial values if its space allows that.
    """
    made = []
    valued = sized and source.said in VALUED
    source.advance()
    dimensions(source)  # the bank of constants
    type_ = type_of(source)
    if not type_.name:
        source.want("a type")
    while True:
        name, match = name_of(source), source.match
        source.advance()
        count, omitted = dimensions(source)
        numbers: list[int] = []
        outer = leaves = 0
        if source.said == "=":
            if not valued:
                source.refuse(f"{name} cannot have an initial value here: remove it")
            numbers, outer, leaves = _initial(source)
        if omitted:
            count *= outer
        if sized and not count:
            source.refuse(f"{name} has no elements: write their number in brackets")
        size = _size(source, name, type_, count) if sized else 0
        if leaves > count * (type_.size // type_.width):
            source.refuse(f"{name} has {leaves} initial values and {count} elements: remove values, or declare more")
        made.append(Declared(name, type_.managed, size, _data(numbers, type_.width, size), match))
        if source.said == ";":
            return made
        if source.said != ",":
            source.want("';'")
        source.advance()


def add_sizes(source: Source, sizes: dict[str, int], space: str, declared: list[Declared]) -> None:
    """Add the bytes of variables to the bytes of their space."""
    sizes[space] += sum(one.size for one in declared)
    if sizes[space] > ROOM[space]:
        source.refuse(f"the variables in {space} have {sizes[space]} bytes: at most {ROOM[space]} are allowed")


def _initial(source: Source) -> tuple[list[int], int, int]:
    """Read an initial value.

    The current token is then the comma or the semicolon after it.

    Returns:
        The numbers, or an empty list unless all values are whole numbers; the number of elements in the outermost
        braces; and the number of values.
    """
    numbers: list[int] = []
    plain, depth, outer, sign, leaves = True, 0, 1, 1, 0
    before = "="
    source.advance()
    while depth or source.said not in {",", ";"}:
        said = source.said
        if said in {"", ";"}:
            source.want("'}'")
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(said, 0)
        outer += said == "," and depth == 1
        if before in {",", "=", "{"} and said not in {"{", "}"}:
            leaves += 1
        _check_value(source, before)
        if source.kind == INTEGER:
            numbers.append(sign * number_of(source))
        elif said not in {"{", "}", ",", "-"}:
            plain = False
            if said in source.uses:
                source.used.add(said)
        sign = -1 if said == "-" else 1
        before = source.kind if source.kind in VALUES else said
        source.advance()
    if before in {",", "="}:
        source.want("a value")
    return numbers if plain else [], outer, leaves


def _check_value(source: Source, before: str) -> None:
    """Check that the current token of an initial value may stand after another."""
    said = source.said
    if source.kind in VALUES and before in VALUES:
        source.want("','")
    if said in {",", "}"} and before in {",", "="}:
        source.want("a value")
    if said == "(" and before == INTEGER and source.version < MASKS:
        source.refuse(f"masks of addresses need .version {MASKS[0]}.{MASKS[1]} or later")
    if source.kind == NAME and said not in source.known and said != "generic":
        source.refuse(f"{said[:SHOWN]} is not declared here: declare it before this value")


def _data(numbers: list[int], width: int, size: int) -> bytes:
    """Return the bytes of numbers of ``width`` bytes each, cut at ``size``."""
    if not size:
        return b""
    mask = (1 << 8 * width) - 1
    data = b"".join((number & mask).to_bytes(width, "little") for number in numbers[: -(-size // width)])[:size]
    spent.bytes_produced += len(data)
    return data
