"""Initial values of PTX variables: whole numbers, floating-point numbers and addresses.

What is accepted, and which bytes a value becomes, is what ptxas of CUDA 13.0 does. Of expressions only sums are computed.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NoReturn

from attrs import define, frozen

from fakecuda.model.code import ptx_tokens
from fakecuda.model.code.code import BOUND, Address, Refused
from fakecuda.model.code.cost import spent
from fakecuda.model.code.ptx_source import SHOWN, number_of
from fakecuda.model.code.ptx_symbols import FUNCTION, KERNEL
from fakecuda.model.code.ptx_tokens import FLOAT, INTEGER, NAME

if TYPE_CHECKING:
    import re

    from fakecuda.model.code.ptx_declarations import Type
    from fakecuda.model.code.ptx_source import Source

    Token = tuple[str, str, re.Match[str]]
    """The kind, text and match of a token."""
    Value = int | Address

VALUES = frozenset({INTEGER, FLOAT, NAME})
"""Kinds of tokens that are values."""
MASKS = (7, 1)
"""The first PTX version with parts of addresses as values."""
MASK = {0xFF << 8 * byte: byte for byte in range(8)}
"""The byte of an address that each mask selects."""
HALVES = frozenset({".f16", ".f16x2"})
"""Types that cannot have initial values."""
POINTER, WORD, MASKED = ".u64", ".u32", frozenset({".u8", ".u32", ".u64"})
"""The types of addresses and of their bytes."""
GENERIC, WARP_SIZE = "generic", {"WARP_SZ": 32}
SINGLE = 4
"""The size of an ``f32`` in bytes."""


@frozen
class Initial:
    """An initial value.

    Attributes:
        values: Its values in order: the bits of a number, or an address at offset 0.
        outer: How many elements stand in the outermost braces.
        braced: Whether it stands in braces.
    """

    values: list[Value]
    outer: int
    braced: bool

    def stored(self, width: int, size: int) -> tuple[bytes, tuple[Address, ...]]:
        """Return the bytes of the values with zeros for addresses, and the addresses.

        Args:
            width: The bytes of a value.
            size: The bytes of the variable.
        """
        if not size:
            return b"", ()
        mask, data, addresses = (1 << 8 * width) - 1, [], []
        for number, one in enumerate(self.values):
            if isinstance(one, Address):
                addresses.append(one.moved(number * width))
                data.append(bytes(width))
            else:
                data.append((one & mask).to_bytes(width, "little"))
        made = b"".join(data)
        spent.bytes_produced += len(made)
        return made, tuple(addresses)


def read(source: Source, type_: Type) -> Initial:
    """Read an initial value, up to the comma or semicolon after it."""
    if type_.name in HALVES:
        source.refuse(f"a variable of type {type_.name} cannot have an initial value: use .b16 or .b32")
    values: list[Value] = []
    tokens: list[Token] = []
    depth, nested, outer, before = 0, 0, 1, "="
    source.advance()
    braced = source.said == "{"
    while depth or source.said not in {",", ";"}:
        said = source.said
        if said in {"", ";"}:
            source.want("'}'")
        nested += {"(": 1, ")": -1}.get(said, 0)
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(said, 0)
        outer += said == "," and depth == 1
        _check(source, before)
        if said in {"{", "}"} or (said == "," and not nested):
            _end(source, values, tokens, type_)
        else:
            tokens.append((source.kind, said, source.match))
        before = source.kind if source.kind in VALUES else said
        source.advance()
    if before in {",", "="}:
        source.want("a value")
    _end(source, values, tokens, type_)
    return Initial(values, outer, braced)


def _check(source: Source, before: str) -> None:
    """Check that the current token may follow another."""
    said = source.said
    if source.kind in VALUES and before in VALUES:
        source.want("','")
    if said in {",", "}"} and before in {",", "="}:
        source.want("a value")
    if said == "(" and before == INTEGER and source.version < MASKS:
        source.refuse(f"a mask of an address, such as 0xFF(name), needs .version {MASKS[0]}.{MASKS[1]} or later")
    if source.kind == INTEGER:
        number_of(source)
    if source.kind == NAME and said not in source.known and said != GENERIC and said not in WARP_SIZE:
        source.refuse(f"{said[:SHOWN]} is not declared here: declare it before this value")
    if said in source.uses:
        source.used.add(said)


def _end(source: Source, values: list[Value], tokens: list[Token], type_: Type) -> None:
    """Add the value of the pending tokens, if any."""
    if len(tokens) == 1 and tokens[0][0] == INTEGER and type_.name[1] != "f":
        values.append(ptx_tokens.integer(tokens.pop()[1]) or 0)
    elif tokens:
        values.append(Reader(source, tuple(tokens), type_).value())
        tokens.clear()


@define
class Reader:
    """A reader of the tokens of one value.

    Attributes:
        source: The text.
        tokens: The tokens.
        type: The type of the variable.
    """

    source: Source
    tokens: tuple[Token, ...]
    type: Type

    def value(self) -> Value:
        """Return the value of the tokens."""
        tokens = self.tokens
        whole = _sum(tokens)
        if whole is not None:
            return self._number(whole)
        unsigned = tokens[_signs(tokens) :]
        if [kind for kind, *_ in unsigned] == [FLOAT]:
            return self._float(unsigned[0][1], negative=_negative(tokens[: -len(unsigned)]))
        if tokens[0][0] == INTEGER and [one for _, one, _ in (*tokens[1:2], tokens[-1])] == ["(", ")"]:
            return self._masked(tokens[2:-1])
        address = self._address(tokens)
        if address is None:
            self._expression(tokens)
        if self.type.name == WORD:
            self._unknown("is an address in 4 bytes", "use .u64")
        if self.type.name != POINTER:
            self._refuse(f"an address cannot be the value of a variable of type {self.type.name}: use .u64")
        return address

    def _number(self, number: int) -> int:
        """Return an integer; a floating-point variable cannot have one."""
        if self.type.name.startswith(".f"):
            self._refuse(f"a whole number cannot be the value of a variable of type {self.type.name}: add '.0'")
        return number

    def _float(self, said: str, *, negative: bool) -> int:
        """Return the bits of a floating-point number, as an ``f32`` or as written."""
        if self.type.name[1] in "us":
            self._refuse(f"{said[:SHOWN]} cannot be the value of a variable of type {self.type.name}: use .f32 or .f64")
        begins = said[:2].lower()
        if begins == "0f":
            if self.tokens[0][1] in {"-", "+"}:
                self._refuse(f"a sign is not allowed before {said}: set or clear the number's highest bit instead")
            return _bits(said)
        bits = _bits(said) if begins == "0d" else int.from_bytes(struct.pack("<d", float(said)), "little")
        bits ^= negative << 63
        return rounded(bits) if self.type.width == SINGLE else bits

    def _masked(self, inside: tuple[Token, ...]) -> Value:
        """Return a byte of a number or of an address."""
        mask = ptx_tokens.integer(self.tokens[0][1]) or 0
        if mask not in MASK:
            self._refuse(f"the mask {self.tokens[0][1]} does not select one byte: write 0xFF, 0xFF00 and so on")
        byte, whole = MASK[mask], _sum(inside)
        if whole is not None:
            return self._number(whole >> 8 * byte & 0xFF)
        address = self._address(inside)
        if address is None:
            self._expression(inside)
        if self.type.name not in MASKED:
            self._refuse(f"a byte of an address cannot be the value of a variable of type {self.type.name}: use .u8")
        return address.part(byte)

    def _address(self, tokens: tuple[Token, ...]) -> Address | None:
        """Return the address that tokens describe; None for other tokens."""
        said = [one for _, one, _ in tokens]
        generic = said[:2] == [GENERIC, "("]
        at = 2 if generic else 0
        if len(tokens) <= at or tokens[at][0] != NAME or said[at] in WARP_SIZE or (generic and said[3:4] != [")"]):
            return None
        name, behind = said[at], tokens[4 if generic else 1 :]
        offset = _sum(behind) if behind and behind[0][1] == "+" else None if behind else 0
        if offset is None:
            return None
        what = self.source.known.get(name)
        if what in {FUNCTION, KERNEL} and not generic and not behind:
            return Address(name, function=True)
        if what == "&const" and not generic:
            self._unknown("is the offset of a constant in its bank", f"write generic({name[:SHOWN]})")
        if what not in {"&global", "&const"}:
            self._refuse(
                f"the address of {name[:SHOWN]} cannot be a value like this: name a variable in .global or .const"
            )
        return Address(name, offset)

    def _expression(self, tokens: tuple[Token, ...]) -> NoReturn:
        """Refuse tokens that are neither a value nor an expression."""
        said = [one for _, one, _ in tokens]
        named = any(kind == NAME and one not in WARP_SIZE for kind, one, _ in tokens)
        behind = 4 if said[:1] == [GENERIC] else 1
        if named and (
            tokens[0][0] != NAME or said[behind : behind + 1] != ["+"] or NAME in [kind for kind, *_ in tokens[behind:]]
        ):
            self._refuse("an address is written as name, name + number, generic(name) or generic(name) + number")
        self._unknown("is an expression", "write its result")

    def _refuse(self, reason: str) -> NoReturn:
        self.source.take(self.tokens[0][2])
        self.source.refuse(reason)

    def _unknown(self, what: str, fix: str) -> NoReturn:
        """Refuse a value that fakecuda does not support, although a driver does."""
        said = " ".join(one for _, one, _ in self.tokens)
        place = ptx_tokens.refused(self.source.text, self.tokens[0][2].start(self.tokens[0][0]), "").line
        text = f"line {place} of the PTX: the initial value {said[:SHOWN]} {what}, which fakecuda does not know: {fix}"
        raise Refused(BOUND, text)


def _bits(said: str) -> int:
    """Return the bits of a number after its two-letter prefix."""
    return int.from_bytes(bytes.fromhex(said[2:]))


def _signs(tokens: tuple[Token, ...]) -> int:
    """Return the number of leading signs."""
    return next((place for place, (_, said, _) in enumerate(tokens) if said not in {"-", "+"}), len(tokens))


def _negative(signs: tuple[Token, ...]) -> bool:
    return sum(said == "-" for _, said, _ in signs) % 2 == 1


def _sum(tokens: tuple[Token, ...]) -> int | None:
    """Return the sum of signed integers; None for other tokens."""
    total, sign, wants = 0, 1, True
    for kind, said, _ in tokens:
        if said in {"-", "+"}:
            sign = (1 if not wants else sign) * (-1 if said == "-" else 1)
            wants = True
        elif wants and (kind == INTEGER or said in WARP_SIZE):
            number = WARP_SIZE.get(said) or ptx_tokens.integer(said) or 0
            total, wants = total + sign * number, False
        else:
            return None
    return None if wants else total


def rounded(bits: int) -> int:
    """Round the bits of an ``f64`` to the nearest ``f32``, and return its bits."""
    (value,) = struct.unpack("<d", bits.to_bytes(8, "little"))
    if value != value:  # noqa: PLR0124 - not a number: its highest bits stay, and it becomes quiet
        return bits >> 32 & 0x80000000 | 0x7FC00000 | bits >> 29 & 0x3FFFFF
    try:
        return int.from_bytes(struct.pack("<f", value), "little")
    except OverflowError:
        return 0x7F800000 | bits >> 32 & 0x80000000
