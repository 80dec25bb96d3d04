"""The conversions of cvt as LLVM IR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.compiled import floats, formats, rounding
from fakecuda.kernels.conversions import TENSOR, TENSOR_HALF, WIDE, WORD, Ways, converted
from fakecuda.kernels.floats import BF16, F16, F32, F64, NEAREST, TF32
from fakecuda.kernels.row import bits_of, is_signed

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.lines import Lines
    from fakecuda.kernels.floats import Format
    from fakecuda.kernels.row import Meaning, Row

ROUND = {"rn": "roundeven", "rz": "trunc", "rm": "floor", "rp": "ceil"}
"""LLVM functions that round to integers."""
EXACT = 128
"""A number of bits that holds every integer and every limit."""


def convert(row: Row) -> Meaning:
    """Return the meaning of cvt."""
    return converted(row, Ways(_tensor, _joined, _split, _packed, _of_integer, _to_integer, _between))


def _of_integer(
    source: str, target: str, to: Format | None, mode: str, *, saturate: bool
) -> Callable[[Lines, str], str]:
    """Return the conversion of integers."""
    bits, negative, width = bits_of(source), is_signed(source), bits_of(target)
    if to is not None:

        def rounded(o: Lines, a: str) -> str:
            if mode == NEAREST and to.bits in formats.NAMES:
                word = "sitofp" if negative else "uitofp"
                found = formats.bits_of(o, o(f"{word} i{bits} {a} to {formats.NAMES[width]}"), to)
            else:
                found = rounding.of_integer(o, a, bits, to, mode, signed=negative)
            return floats.saturated(o, found, to) if saturate else found

        return rounded
    if not saturate:
        return lambda o, a: o.resize(a, bits, width, negative=negative)
    return lambda o, a: _clamped(o, a, bits, width, negative=negative, signed=is_signed(target))


def _clamped(o: Lines, a: str, bits: int, width: int, *, negative: bool, signed: bool) -> str:
    """Return the nearest integer of a width, signed or unsigned."""
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    of = f"i{EXACT}"
    found = o.resize(a, bits, EXACT, negative=negative)
    found = o.choose(o(f"icmp slt {of} {found}, {low}"), of, low, found)
    found = o.choose(o(f"icmp sgt {of} {found}, {high}"), of, high, found)
    return o.resize(found, EXACT, width)


def _to_integer(of: Format, target: str, mode: str, *, flush: bool) -> Callable[[Lines, str], str]:
    """Return the conversion to integers, which clamps."""
    bits, how = bits_of(target), "s" if is_signed(target) else "u"
    nan = 1 << bits - 1 if WIDE in {of.bits, bits} else 0

    def found(o: Lines, a: str) -> str:
        number, type_ = floats.comparable(o, formats.flushed(o, a, of) if flush else a, of)
        size = 64 if type_ == "double" else 32
        number = o.call(type_, f"llvm.{ROUND[mode]}.f{size}", f"{type_} {number}")
        made = o.call(f"i{bits}", f"llvm.fpto{how}i.sat.i{bits}.f{size}", f"{type_} {number}")
        return o.choose(formats.is_nan(o, a, of), f"i{bits}", nan, made)

    return found


def _nan(o: Lines, a: str, of: Format, to: Format) -> str:
    """Return a NaN, which keeps its sign and payload if ``f64`` is involved."""
    if not (of.keeps or to.keeps):
        return str(to.nan)
    more = to.fraction - of.fraction
    wide = max(of.bits, to.bits)
    payload = o.resize(o(f"and i{of.bits} {a}, {(1 << of.fraction) - 1}"), of.bits, wide)
    payload = o(f"{'shl' if more > 0 else 'lshr'} i{wide} {payload}, {abs(more)}")
    payload = o.resize(payload, wide, to.bits)
    sign = o.choose(o(f"icmp slt i{of.bits} {a}, 0"), f"i{to.bits}", to.sign, 0)
    return o(f"or i{to.bits} {o(f'or i{to.bits} {payload}, {sign}')}, {to.infinity | 1 << to.fraction - 1}")


def _number(o: Lines, a: str, of: Format, to: Format, mode: str, *, whole: bool, flush: bool) -> str:
    """Return a number in another format, or rounded to an integer."""
    if of is to and not whole:
        return a
    number, type_ = floats.comparable(o, a, of)
    if whole:
        number = o.call(type_, f"llvm.{ROUND[mode]}.f{64 if type_ == 'double' else 32}", f"{type_} {number}")
    if to is F32 and mode == NEAREST and not flush and type_ == "double":
        return formats.bits_of(o, o(f"fptrunc double {number} to float"), to)
    if type_ == "float":
        if to is F32 and not flush:
            return formats.bits_of(o, number, to)
        number = o(f"fpext float {number} to double")
    bits = formats.bits_of(o, number, F64)
    return bits if to is F64 else rounding.narrowed(o, bits, to.flushing if flush else to, mode)


def _between(
    of: Format, to: Format, mode: str, *, whole: bool, flush: bool, saturate: bool, finite: bool, relu: bool
) -> Callable[[Lines, str], str]:
    """Return the conversion between formats, or the rounding to an integer."""

    def found(o: Lines, a: str) -> str:
        if of is BF16 and to is F32 and not saturate:
            bits = o(f"shl i32 {o(f'zext i16 {a} to i32')}, 16")
        else:
            if flush and of is F32 and to is not F16:
                flat = formats.flushed(o, a, of)
                a = o.choose(formats.is_nan(o, a, of), f"i{of.bits}", of.nan, flat)
            bits = _number(o, a, of, to, mode, whole=whole, flush=flush and to is F32)
            bits = formats.finite(o, bits, to) if finite else bits
            bits = o.choose(formats.is_nan(o, a, of), f"i{to.bits}", _nan(o, a, of, to), bits)
        bits = floats.saturated(o, bits, to) if saturate else bits
        return floats.rectified(o, bits, to) if relu else bits

    return found


def _tensor(mode: str, *, away: bool, finite: bool, relu: bool) -> Callable[[Lines, str], str]:
    """Return the rounding to ``tf32``."""
    if not away:
        one = _between(F32, TF32, mode, whole=False, flush=False, saturate=False, finite=False, relu=relu)
        width = F32.bits
        return lambda o, a: o(f"shl i{width} {o.resize(one(o, a), TF32.bits, width)}, {width - TF32.bits}")
    if not finite:
        return _away

    def found(o: Lines, a: str) -> str:
        made = _away(o, a)
        special = o(f"icmp eq i32 {o(f'and i32 {made}, {F32.infinity}')}, {F32.infinity}")
        return o.choose(special, "i32", o(f"sub i32 {made}, {2 * TENSOR_HALF}"), made)

    return found


def _away(o: Lines, a: str) -> str:
    """Return a value rounded to ``tf32``, ties away from zero; NaNs are cut."""
    special = o(f"icmp eq i32 {o(f'and i32 {a}, {F32.infinity}')}, {F32.infinity}")
    found = o.choose(special, "i32", a, o(f"add i32 {a}, {TENSOR_HALF}"))
    return o(f"and i32 {found}, {TENSOR}")


def _joined(one: Callable[[Lines, str], str], bits: int) -> Callable[..., str]:
    """Return the conversion of two values to one word."""
    return lambda o, a, b: _word(o, one(o, a), one(o, b), bits, 2 * bits)


def _word(o: Lines, high: str, low: str, bits: int, width: int) -> str:
    """Return two values as one word."""
    above = o(f"shl i{width} {o.resize(high, bits, width)}, {bits}")
    return o(f"or i{width} {above}, {o.resize(low, bits, width)}")


def _split(one: Callable[[Lines, str], str], of: int, to: int) -> Callable[[Lines, str], str]:
    """Return the conversion of a word with two packed values."""

    def both(o: Lines, a: str) -> str:
        high, low = (o.resize(part, 2 * of, of) for part in (o(f"lshr i{2 * of} {a}, {of}"), a))
        return _word(o, one(o, high), one(o, low), to, 2 * to)

    return both


def _packed(bits: int, *, negative: bool) -> Callable[..., str]:
    """Return the conversion of two integers to a packed word."""

    def found(o: Lines, a: str, b: str, c: str = "") -> str:
        high, low = (_clamped(o, one, WORD, bits, negative=True, signed=negative) for one in (a, b))
        word = _word(o, high, low, bits, WORD)
        return o(f"or i{WORD} {word}, {o(f'shl i{WORD} {c}, {2 * bits}')}") if c else word

    return found
