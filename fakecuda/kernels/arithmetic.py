"""The meaning of arithmetic instructions, sections 9.7.1 to 9.7.4 of the PTX ISA manual."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fakecuda.kernels import approximate, floats, integers
from fakecuda.kernels.floats import FORMATS, NEAREST
from fakecuda.kernels.integers import clamped, signed
from fakecuda.kernels.row import CARRY, Meaning, bits_of, is_signed, refuse, refuse_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.row import Row

    Function = Callable[..., int]

INTEGERS = ("u16", "s16", "u32", "s32", "u64", "s64")
WORDS = ("b16", "b32", "b64")
PAIRS = {"f16x2": "f16", "bf16x2": "bf16"}
"""Packed floating-point types, with the type of each element."""
SHORTS = {"u16x2": "u16", "s16x2": "s16"}
"""Packed integer types, with the type of each element."""
HALF = 16
ROUNDINGS = ("rn", "rz", "rm", "rp")
INTEGER: dict[str, Callable[[Row, str], Meaning]] = {}
"""The meanings of integer instructions, by name."""


def wrapped(function: Function, bits: int, *, negative: bool) -> Function:
    """Return a function of bits for signed or unsigned integers of a width."""
    mask = (1 << bits) - 1
    if not negative:
        return lambda *values: function(*values) & mask
    return lambda *values: function(*[signed(value, bits) for value in values]) & mask


def plain(row: Row, type_: str, function: Function, count: int) -> Meaning:
    """Return the meaning of an integer instruction with operands of one type."""
    if type_ not in INTEGERS:
        refuse_type(type_)
    del row
    return Meaning(wrapped(function, bits_of(type_), negative=is_signed(type_)), (type_,), (type_,) * count)


def add(row: Row, type_: str) -> Meaning:
    """Return the meaning of add, addc, sub or subc for integers."""
    bits, minus = bits_of(type_), row.name.startswith("sub")
    mask = (1 << bits) - 1
    takes, gives = row.name in {"addc", "subc"}, row.flag("cc")
    if takes or gives:
        if type_ not in INTEGERS:
            refuse_type(type_)

        def carried(a: int, b: int, carry: int = minus) -> tuple[int, ...]:
            # A difference adds the complement, so that its flag is 1 without a borrow.
            total = a + (b ^ mask if minus else b) + carry
            return total & mask, total >> bits

        results = (type_, CARRY) if gives else (type_,)
        function = carried if gives else lambda *values: carried(*values)[0]
        return Meaning(function, results, (type_, type_, *([CARRY] if takes else [])))
    if row.flag("sat"):
        return Meaning(
            lambda a, b: clamped(
                signed(a, bits) - signed(b, bits) if minus else signed(a, bits) + signed(b, bits), bits, negative=True
            ),
            (type_,),
            (type_, type_),
        )
    return plain(row, type_, (lambda a, b: a - b) if minus else (lambda a, b: a + b), 2)


def multiply(row: Row, type_: str) -> Meaning:
    """Return the meaning of mul, mad or madc for integers."""
    if type_ not in INTEGERS:
        refuse_type(type_)
    bits, negative, part = bits_of(type_), is_signed(type_), row.take("wide", "hi", "lo")
    wide = type_[0] + str(2 * bits) if part == "wide" else type_
    shift, width = bits if part == "hi" else 0, bits_of(wide)
    mask = (1 << width) - 1

    def product(a: int, b: int) -> int:
        return (signed(a, bits) * signed(b, bits) if negative else a * b) >> shift

    if row.name == "mul":
        return Meaning(lambda a, b: product(a, b) & mask, (wide,), (type_, type_))
    takes, gives = row.name == "madc", row.flag("cc")
    if takes or gives:

        def carried(a: int, b: int, c: int, carry: int = 0) -> tuple[int, ...]:
            total = (product(a, b) & mask) + c + carry
            return total & mask, total >> width

        function = carried if gives else lambda *values: carried(*values)[0]
        results = (wide, CARRY) if gives else (wide,)
        return Meaning(function, results, (type_, type_, wide, *([CARRY] if takes else [])))
    if row.flag("sat"):
        return Meaning(
            lambda a, b, c: clamped(product(a, b) + signed(c, bits), bits, negative=True), (type_,), (type_,) * 3
        )
    return Meaning(lambda a, b, c: product(a, b) + c & mask, (wide,), (type_, type_, wide))


def narrow(row: Row, type_: str) -> Meaning:
    """Return the meaning of mul24 or mad24."""
    negative, high = is_signed(type_), row.take("hi", "lo") == "hi"

    def product(a: int, b: int) -> int:
        found = signed(a, 24) * signed(b, 24) if negative else (a & 0xFFFFFF) * (b & 0xFFFFFF)
        return found >> 16 if high else found

    if row.name == "mul24":
        return Meaning(lambda a, b: product(a, b) & 0xFFFFFFFF, (type_,), (type_,) * 2)
    if row.flag("sat"):
        return Meaning(
            lambda a, b, c: clamped(product(a, b) + signed(c, 32), 32, negative=True), (type_,), (type_,) * 3
        )
    return Meaning(lambda a, b, c: product(a, b) + c & 0xFFFFFFFF, (type_,), (type_,) * 3)


def extreme(row: Row, type_: str) -> Meaning:
    """Return the meaning of min or max for integers."""
    choose: Function = min if row.name == "min" else max
    if row.flag("relu"):
        return plain(row, type_, lambda a, b: max(choose(a, b), 0), 2)
    return plain(row, type_, choose, 2)


INTEGER |= dict.fromkeys(("add", "addc", "sub", "subc"), add)
INTEGER |= dict.fromkeys(("mul", "mad", "madc"), multiply)
INTEGER |= dict.fromkeys(("mul24", "mad24"), narrow)
INTEGER |= dict.fromkeys(("min", "max"), extreme)
INTEGER |= {
    "div": lambda row, type_: plain(row, type_, integers.divide, 2),
    "rem": lambda row, type_: plain(row, type_, integers.remainder, 2),
    "abs": lambda row, type_: plain(row, type_, abs, 1),
    "neg": lambda row, type_: plain(row, type_, lambda a: -a, 1),
    "sad": lambda row, type_: plain(row, type_, lambda a, b, c: c + abs(a - b), 3),
}


def binary(one: floats.Format, mode: str) -> dict[str, tuple[Function, int]]:
    """Return a format's functions by instruction, with their operand counts."""
    return {
        "add": (lambda a, b: floats.add(a, b, one, mode), 2),
        "sub": (lambda a, b: floats.subtract(a, b, one, mode), 2),
        "mul": (lambda a, b: floats.multiply(a, b, one, mode), 2),
        "div": (lambda a, b: floats.divide(a, b, one, mode), 2),
        "fma": (lambda a, b, c: floats.fma(a, b, c, one, mode), 3),
        "mad": (lambda a, b, c: floats.fma(a, b, c, one, mode), 3),
        "sqrt": (lambda a: floats.root(a, one, mode), 1),
        "rcp": (lambda a: floats.divide(one.one, a, one, mode), 1),
        "neg": (lambda a: floats.negative(a, one), 1),
        "abs": (lambda a: floats.absolute(a, one), 1),
    }


def floating(row: Row, type_: str) -> Meaning:
    """Return the meaning of an instruction for floating-point values."""
    name, of = row.name, PAIRS.get(type_, type_)
    approximately = row.take("approx", "full")
    flush = (approximately or type_ != "f64") and row.flag("ftz")
    one, saturate = FORMATS[of], row.flag("sat")
    if flush:
        one = one.flushing
    function: Function
    if name in {"min", "max"}:
        function, count = _extreme(row, one), 2
    elif approximately and name == "div":
        divide = approximate.quotient if approximately == "approx" else approximate.full_quotient
        function, count = partial(divide, flush=flush), 2
    elif approximately:
        function, count = approximate.function_of(name, one, flush=flush) or refuse_type(type_), 1
    else:
        mode = row.take(*ROUNDINGS, default=NEAREST)
        known = binary(one, mode)
        if name not in known:
            refuse_type(type_)
        function, count = known[name]
    if flush or saturate:
        function = _finished(function, one, flush=flush, saturate=saturate)
    if row.flag("relu"):
        function = rectified(function, one)
    if type_ in PAIRS:
        function = paired(function)
    return Meaning(function, (type_,), (type_,) * count)


def _finished(function: Function, one: floats.Format, *, flush: bool, saturate: bool) -> Function:
    """Return a function that flushes operands or saturates results."""

    def finished(*values: int) -> int:
        if flush:
            values = tuple([floats.flushed(value, one) for value in values])
        found = function(*values)
        return floats.saturated(found, one) if saturate else found

    return finished


def rectified(function: Function, one: floats.Format) -> Function:
    """Return a function whose negative results become 0, except NaN."""

    def found(*values: int) -> int:
        made = function(*values)
        return 0 if made & one.sign else made

    return found


def paired(function: Function) -> Function:
    """Return a function of words with two packed values."""

    def paired(*values: int) -> int:
        low = function(*[value & 0xFFFF for value in values])
        return function(*[value >> HALF for value in values]) << HALF | low

    return paired


def _extreme(row: Row, one: floats.Format) -> Function:
    """Return the function of min or max, which ignores one NaN without ``.NaN``.

    With ``.xorsign.abs`` it compares magnitudes, and a number has the product of the operands' signs, also of a NaN's.
    """
    strict = row.flag("NaN")
    signs = "abs" in row.words and row.flag("xorsign") and row.flag("abs")
    if len(row.shapes) > 3:  # noqa: PLR2004 - a result and two operands
        refuse("its form with three operands")
    return smallest_or_largest(row.name, one, strict=strict, signs=signs)


def smallest_or_largest(name: str, one: floats.Format, *, strict: bool = False, signs: bool = False) -> Function:
    """Return the function of ``min`` or ``max`` by its name."""
    choose = floats.smaller if name == "min" else floats.larger

    def found(a: int, b: int) -> int:
        first, second = floats.is_nan(a, one), floats.is_nan(b, one)
        if (first and second) or (strict and (first or second)):
            return floats.nan_of(one, b, a)
        if signs:
            sign, a, b = (a ^ b) & one.sign, a & one.sign - 1, b & one.sign - 1
            return sign | (b if first else a if second else choose(a, b, one))
        return b if first else a if second else choose(a, b, one)

    return found


def arithmetic(row: Row) -> Meaning:
    """Return the meaning of an arithmetic instruction, by its type."""
    type_ = row.type()
    if PAIRS.get(type_, type_) in FORMATS:
        return floating(row, type_)
    meaning = INTEGER.get(row.name)
    if meaning is None:
        refuse_type(type_)
    if type_ in SHORTS and row.name in {"add", "min", "max"} and "cc" not in row.words:
        one = meaning(row, SHORTS[type_])
        return Meaning(paired(one.function), (type_,), (type_,) * len(one.sources))
    return meaning(row, type_)
