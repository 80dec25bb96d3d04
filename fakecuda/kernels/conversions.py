"""The meaning of cvt, section 9.7.8.23 of the PTX ISA manual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.kernels import floats
from fakecuda.kernels.arithmetic import PAIRS, ROUNDINGS, rectified
from fakecuda.kernels.floats import BF16, F32, FORMATS, NEAREST
from fakecuda.kernels.integers import clamped, signed
from fakecuda.kernels.row import Meaning, bits_of, is_signed, refuse, refuse_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.floats import Format
    from fakecuda.kernels.row import Row

WHOLE = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}
"""Roundings to whole numbers."""
INTEGERS = frozenset(f"{sign}{bits}" for sign in "su" for bits in (8, 16, 32, 64))
WIDE = 64
TENSOR, TENSOR_HALF = 0xFFFFE000, 0x1000
"""The bits of ``tf32`` in those of ``f32``, and half of its last bit."""


@frozen
class Ways:
    """How an engine converts.

    Attributes:
        tensor: Rounds to ``tf32``.
        halves: Returns the conversion of two values.
        of_integer: Returns the conversion of integers.
        to_integer: Returns the conversion to integers.
        between: Returns the conversion between formats, or the rounding to a whole number.
    """

    tensor: Callable[..., Any]
    halves: Callable[..., Meaning]
    of_integer: Callable[..., Callable[..., Any]]
    to_integer: Callable[..., Callable[..., Any]]
    between: Callable[..., Callable[..., Any]]


def converted(row: Row, ways: Ways) -> Meaning:
    """Return the meaning of cvt to an engine."""
    whole = row.take(*WHOLE)
    mode = WHOLE.get(whole) or row.take(*ROUNDINGS, default=NEAREST)
    away = row.flag("rna")
    saturate, target, source = row.flag("sat"), row.type(), row.type()
    if away:
        if (target, source) != ("tf32", "f32"):
            refuse("its modifier .rna")
        return Meaning(ways.tensor, ("b32",), ("f32",))
    if target in PAIRS and source == "f32":
        return ways.halves(row, target, mode)
    to, of = FORMATS.get(target), FORMATS.get(source)
    for one, type_ in ((to, target), (of, source)):
        if one is None and type_ not in INTEGERS:
            refuse_type(type_)
    flush = F32 in {to, of} and row.flag("ftz")
    if of is None:
        function = ways.of_integer(source, target, to, mode, saturate=saturate)
    elif to is None:
        function = ways.to_integer(of, target, mode, flush=flush)
    else:
        relu = row.flag("relu")
        function = ways.between(of, to, mode, whole=bool(whole), flush=flush, saturate=saturate, relu=relu)
    return Meaning(function, (target,), (source,))


def convert(row: Row) -> Meaning:
    """Return the meaning of cvt."""
    return converted(row, Ways(_tensor, _halves, _of_integer, _to_integer, _between))


def _of_integer(source: str, target: str, to: Format | None, mode: str, *, saturate: bool) -> Callable[[int], int]:
    """Return the conversion of integers; a result beyond the target's range is cut, or clamped by ``.sat``."""
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
    of: Format, to: Format, mode: str, *, whole: bool, flush: bool, saturate: bool, relu: bool
) -> Callable[[int], int]:
    """Return the conversion between formats, or the rounding to a whole number."""
    if relu:
        return rectified(_between(of, to, mode, whole=whole, flush=flush, saturate=saturate, relu=False), to)
    if of is BF16 and to is F32 and not saturate:
        return lambda value: value << 16
    narrows = of is not to
    if flush and to is F32:
        to = to.flushing

    def found(value: int) -> int:
        if flush and of is F32:
            value = floats.nan_of(of) if floats.is_nan(value, of) else floats.flushed(value, of)
        if whole and value & of.sign - 1 < of.infinity:
            number = floats.integral(value, of, mode)
            value = floats.rounded(False, abs(number), 0, of) | value & of.sign
        if narrows or floats.is_nan(value, of):
            value = floats.converted(value, of, to, mode)
        return floats.saturated(value, to) if saturate else value

    return found


def _tensor(value: int) -> int:
    """Return a value rounded to ``tf32``, halves away from zero; NaNs are cut."""
    return (value if value & F32.infinity == F32.infinity else value + TENSOR_HALF) & TENSOR


def _halves(row: Row, target: str, mode: str) -> Meaning:
    """Return the conversion of two values: the first becomes the upper half."""
    to = FORMATS[PAIRS[target]]
    one = _between(F32, to, mode, whole=False, flush=False, saturate=False, relu=row.flag("relu"))
    return Meaning(lambda a, b: one(a) << 16 | one(b), (target,), ("f32", "f32"))
