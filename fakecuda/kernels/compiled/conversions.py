"""The conversions of cvt as LLVM IR: integers, ``f32`` and ``f64``, to integers in all directions, else to the nearest value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.compiled import floats
from fakecuda.kernels.conversions import WHOLE, WIDE
from fakecuda.kernels.floats import F32, FORMATS
from fakecuda.kernels.row import Meaning, bits_of, is_signed, refuse, refuse_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.lines import Lines
    from fakecuda.kernels.floats import Format
    from fakecuda.kernels.row import Row

INTEGERS = frozenset(f"{sign}{bits}" for sign in "su" for bits in (8, 16, 32, 64))
ROUND = {"rn": "roundeven", "rz": "trunc", "rm": "floor", "rp": "ceil"}
"""The functions of LLVM that round to whole numbers."""
EXACT = 128
"""Bits in which every integer and every limit lies."""


def convert(row: Row) -> Meaning:
    """Return the meaning of cvt."""
    whole = row.take(*WHOLE)
    row.flag("rn")
    saturate, target, source = row.flag("sat"), row.type(), row.type()
    to, of = FORMATS.get(target), FORMATS.get(source)
    for one, type_ in ((to, target), (of, source)):
        if (one is None and type_ not in INTEGERS) or (one is not None and one.bits not in floats.NAMES):
            refuse_type(type_)
    flush = F32 in {to, of} and row.flag("ftz")
    function: Callable[[Lines, str], str]
    if of is None:
        function = _of_integer(source, target, to, saturate=saturate)
        if whole:
            refuse(f"its modifier .{whole}")
    elif to is None:
        if not whole:
            refuse("its form without a rounding")
        function = _to_integer(of, target, ROUND[WHOLE[whole]], flush=flush)
    else:
        if flush and of is not to and to is F32:
            refuse("its modifier .ftz")
        function = _between(of, to, ROUND[WHOLE[whole]] if whole else "", flush=flush, saturate=saturate)
    return Meaning(function, (target,), (source,))


def _of_integer(source: str, target: str, to: Format | None, *, saturate: bool) -> Callable[[Lines, str], str]:
    """Return the conversion of integers."""
    bits, negative, width = bits_of(source), is_signed(source), bits_of(target)
    if to is not None:
        word, type_ = "sitofp" if negative else "uitofp", floats.NAMES[width]

        def rounded(o: Lines, a: str) -> str:
            found = floats.bits_of(o, o(f"{word} i{bits} {a} to {type_}"), to)
            return floats.saturated(o, found, to) if saturate else found

        return rounded
    if not saturate:
        return lambda o, a: o.resize(a, bits, width, negative=negative)
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if is_signed(target) else (0, (1 << width) - 1)
    of = f"i{EXACT}"

    def clamped(o: Lines, a: str) -> str:
        found = o.resize(a, bits, EXACT, negative=negative)
        found = o.choose(o(f"icmp slt {of} {found}, {low}"), of, low, found)
        found = o.choose(o(f"icmp sgt {of} {found}, {high}"), of, high, found)
        return o.resize(found, EXACT, width)

    return clamped


def _to_integer(of: Format, target: str, word: str, *, flush: bool) -> Callable[[Lines, str], str]:
    """Return the conversion to integers, which clamps."""
    bits, how = bits_of(target), "s" if is_signed(target) else "u"
    nan, type_ = 1 << bits - 1 if WIDE in {of.bits, bits} else 0, floats.NAMES[of.bits]

    def found(o: Lines, a: str) -> str:
        number = floats.value(o, floats.flushed(o, a, of) if flush else a, of)
        number = o.call(type_, f"llvm.{word}.f{of.bits}", f"{type_} {number}")
        made = o.call(f"i{bits}", f"llvm.fpto{how}i.sat.i{bits}.f{of.bits}", f"{type_} {number}")
        return o.choose(floats.is_nan(o, a, of), f"i{bits}", nan, made)

    return found


def _between(of: Format, to: Format, word: str, *, flush: bool, saturate: bool) -> Callable[[Lines, str], str]:
    """Return the conversion between formats, or the rounding to a whole number."""
    source, target = floats.NAMES[of.bits], floats.NAMES[to.bits]

    def nan(o: Lines, a: str) -> str:
        """Return a NaN, which keeps its sign and the highest bits of its payload if one of the formats is ``f64``."""
        if of is to is F32:
            return str(to.nan)
        more = to.fraction - of.fraction
        wide = max(of.bits, to.bits)
        payload = o.resize(o(f"and i{of.bits} {a}, {(1 << of.fraction) - 1}"), of.bits, wide)
        payload = o(f"{'shl' if more > 0 else 'lshr'} i{wide} {payload}, {abs(more)}")
        payload = o.resize(payload, wide, to.bits)
        sign = o.choose(o(f"icmp slt i{of.bits} {a}, 0"), f"i{to.bits}", to.sign, 0)
        return o(f"or i{to.bits} {o(f'or i{to.bits} {payload}, {sign}')}, {to.infinity | 1 << to.fraction - 1}")

    def found(o: Lines, a: str) -> str:
        if flush and of is F32:
            flat = floats.flushed(o, a, of)
            a = o.choose(floats.is_nan(o, a, of), f"i{of.bits}", of.nan, flat)
        number = floats.value(o, a, of)
        if word:
            number = o.call(source, f"llvm.{word}.f{of.bits}", f"{source} {number}")
        if of.bits != to.bits:
            number = o(f"{'fpext' if of.bits < to.bits else 'fptrunc'} {source} {number} to {target}")
        bits = floats.bits_of(o, number, to)
        if of is to:  # no instruction has changed it
            bits = bits if word else a
        bits = o.choose(floats.is_nan(o, a, of), f"i{to.bits}", nan(o, a), bits)
        return floats.saturated(o, bits, to) if saturate else bits

    return found
