"""The meaning of cvt, section 9.7.8.23 of the PTX ISA manual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.kernels import floats
from fakecuda.kernels.arithmetic import PAIRS, ROUNDINGS, rectified
from fakecuda.kernels.floats import BF16, E4M3, E5M2, F16, F32, FORMATS, NEAREST, TF32
from fakecuda.kernels.integers import clamped, signed
from fakecuda.kernels.row import Meaning, bits_of, is_signed, refuse, refuse_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.floats import Format
    from fakecuda.kernels.row import Row

WHOLE = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}
"""Rounding modes to integers."""
INTEGERS = frozenset(f"{sign}{bits}" for sign in "su" for bits in (8, 16, 32, 64))
WORD, WIDE = 32, 64
TWINS = {name: FORMATS[of] for name, of in PAIRS.items()} | {"e4m3x2": E4M3, "e5m2x2": E5M2}
"""Packed types, with the format of each value."""
PACKED = {f"{sign}{bits}": (bits, sign == "s") for sign in "us" for bits in (2, 4, 8, 16)}
"""The types of cvt.pack: their bits, and whether they are signed."""
TENSOR, TENSOR_HALF = 0xFFFFE000, 0x1000
"""The bits of ``f32`` that ``tf32`` drops, and half of its last bit."""


@frozen
class Ways:
    """The conversions of an engine.

    Attributes:
        tensor: Returns the rounding to ``tf32``.
        joined: Returns the function of two values that converts each, and whose first result becomes the upper one.
        split: Returns the function of a word with two values that converts each.
        packed: Returns the function of two integers that clamps them and sets them before the bits of a third one.
        of_integer: Returns the conversion of integers.
        to_integer: Returns the conversion to integers.
        between: Returns the conversion between formats, or the rounding to a whole number.
    """

    tensor: Callable[..., Callable[..., Any]]
    joined: Callable[..., Callable[..., Any]]
    split: Callable[..., Callable[..., Any]]
    packed: Callable[..., Callable[..., Any]]
    of_integer: Callable[..., Callable[..., Any]]
    to_integer: Callable[..., Callable[..., Any]]
    between: Callable[..., Callable[..., Any]]


def converted(row: Row, ways: Ways) -> Meaning:
    """Return an engine's meaning of cvt."""
    if row.flag("pack"):
        return packed(row, ways)
    whole = row.take(*WHOLE)
    mode = WHOLE.get(whole) or row.take(*ROUNDINGS, default=NEAREST)
    away = row.flag("rna")
    saturate, target, source = row.flag("sat"), row.type(), row.type()
    if (target, source) == ("tf32", "f32"):
        finite = row.flag("satfinite")
        if finite and not away:  # no recording: sm_100 has it
            refuse("its modifier .satfinite")
        function = ways.tensor(mode, away=away, finite=finite, relu=row.flag("relu"))
        return Meaning(function, ("b32",), (source,))
    if away:
        refuse("its modifier .rna")
    if target in TWINS and source in {"f32", *TWINS}:
        return _twins(row, ways, target, source, mode)
    to, of = FORMATS.get(target), FORMATS.get(source)
    for one, type_ in ((to, target), (of, source)):
        if one is None and type_ not in INTEGERS:
            refuse_type(type_)
    flush = F32 in {to, of} and row.flag("ftz")
    if flush and of is BF16:  # no recording
        refuse("its modifier .ftz")
    if of is None:
        function = ways.of_integer(source, target, to, mode, saturate=saturate)
    elif to is None:
        function = ways.to_integer(of, target, mode, flush=flush)
    else:
        function = ways.between(
            of,
            to,
            mode,
            whole=bool(whole),
            flush=flush,
            saturate=saturate,
            finite=row.flag("satfinite"),
            relu=row.flag("relu"),
        )
    return Meaning(function, (target,), (source,))


def _twins(row: Row, ways: Ways, target: str, source: str, mode: str) -> Meaning:
    """Return the meaning of cvt for two packed values."""
    to, of, finite = TWINS[target], TWINS.get(source, F32), row.flag("satfinite")
    if of is not F32 and (F16 not in {of, to} or of.bits == to.bits):
        refuse_type(source)
    one = ways.between(of, to, mode, whole=False, flush=False, saturate=False, finite=finite, relu=row.flag("relu"))
    if of is F32:
        return Meaning(ways.joined(one, to.bits), (target,), (source, source))
    return Meaning(ways.split(one, of.bits, to.bits), (target,), (source,))


def packed(row: Row, ways: Ways) -> Meaning:
    """Return an engine's meaning of cvt.pack."""
    row.flag("sat")
    bits, negative = PACKED[row.type(*PACKED)]
    source = row.type("s32")
    rest = () if 2 * bits == F32.bits else (row.type("b32"),)
    return Meaning(ways.packed(bits, negative=negative), ("b32",), (source, source, *rest))


def convert(row: Row) -> Meaning:
    """Return the meaning of cvt."""
    return converted(row, Ways(_tensor, _joined, _split, _packed, _of_integer, _to_integer, _between))


def _of_integer(source: str, target: str, to: Format | None, mode: str, *, saturate: bool) -> Callable[[int], int]:
    """Return the conversion of integers, cut or clamped to the target's range."""
    bits, negative = bits_of(source), is_signed(source)
    width = bits_of(target)

    def value_of(value: int) -> int:
        return signed(value, bits) if negative else value

    if to is None:
        if saturate:
            return lambda value: clamped(value_of(value), width, negative=is_signed(target))
        return lambda value: value_of(value) & (1 << width) - 1

    def found(value: int) -> int:
        value = value_of(value)
        made = floats.rounded(value < 0, abs(value), 0, to, mode)
        return floats.saturated(made, to) if saturate else made

    return found


def _to_integer(of: Format, target: str, mode: str, *, flush: bool) -> Callable[[int], int]:
    """Return the conversion to integers, which clamps."""
    bits, negative = bits_of(target), is_signed(target)
    nan = 1 << bits - 1 if WIDE in {of.bits, bits} else 0

    def found(value: int) -> int:
        if floats.is_nan(value, of):
            return nan
        if flush:
            value = floats.flushed(value, of)
        if value & of.sign - 1 == of.infinity:
            return clamped(-1 << WIDE if value & of.sign else 1 << WIDE, bits, negative=negative)
        return clamped(floats.integral(value, of, mode), bits, negative=negative)

    return found


def _between(
    of: Format, to: Format, mode: str, *, whole: bool, flush: bool, saturate: bool, finite: bool, relu: bool
) -> Callable[[int], int]:
    """Return the conversion between formats, or the rounding to an integer."""
    if relu or finite:
        function = _between(of, to, mode, whole=whole, flush=flush, saturate=saturate, finite=False, relu=False)
        if finite:
            function = _clamped(function, of, to)
        return rectified(function, to) if relu else function
    if of is BF16 and to is F32 and not saturate:
        return lambda value: value << 16
    narrows, stored = of is not to, to
    if flush and to is F32:
        to = to.flushing

    def found(value: int) -> int:
        if flush and of is F32 and stored is not F16:
            value = floats.nan_of(of) if floats.is_nan(value, of) else floats.flushed(value, of)
        if whole and value & of.sign - 1 < of.infinity:
            number = floats.integral(value, of, mode)
            value = floats.rounded(False, abs(number), 0, of) | value & of.sign
        if narrows or floats.is_nan(value, of):
            value = floats.converted(value, of, to, mode)
        return floats.saturated(value, to) if saturate else value

    return found


def _tensor(mode: str, *, away: bool, finite: bool, relu: bool) -> Callable[[int], int]:
    """Return the rounding to ``tf32``."""
    if not away:
        one = _between(F32, TF32, mode, whole=False, flush=False, saturate=False, finite=False, relu=relu)
        return lambda value: one(value) << F32.fraction - TF32.fraction
    if not finite:
        return _away

    def clamped_away(value: int) -> int:
        made = _away(value)
        return made - 2 * TENSOR_HALF if made & F32.infinity == F32.infinity else made

    return clamped_away


def _away(value: int) -> int:
    """Return a value rounded to ``tf32``, ties away from zero; NaNs are cut."""
    return (value if value & F32.infinity == F32.infinity else value + TENSOR_HALF) & TENSOR


def _clamped(function: Callable[[int], int], of: Format, to: Format) -> Callable[[int], int]:
    """Return a conversion with finite results, unless the operand is a NaN."""
    return lambda value: function(value) if floats.is_nan(value, of) else floats.finite(function(value), to)


def _joined(one: Callable[[int], int], bits: int) -> Callable[[int, int], int]:
    """Return the conversion of two values to one word."""
    return lambda a, b: one(a) << bits | one(b)


def _split(one: Callable[[int], int], of: int, to: int) -> Callable[[int], int]:
    """Return the conversion of a word with two packed values."""
    return lambda a: one(a >> of) << to | one(a & (1 << of) - 1)


def _packed(bits: int, *, negative: bool) -> Callable[..., int]:
    """Return the conversion of two integers to a packed word."""

    def found(a: int, b: int, c: int = 0) -> int:
        high, low = (clamped(signed(one, WORD), bits, negative=negative) for one in (a, b))
        return (c << 2 * bits | high << bits | low) & (1 << WORD) - 1

    return found
