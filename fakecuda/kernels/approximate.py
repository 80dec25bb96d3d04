"""Functions that a card approximates, computed in double precision and rounded once.

The manual gives a bound of the error of each, in sections 9.7.3.13 to 9.7.3.22. A rounded double lies within all of them. A
card's own results differ in their last bits, and are not recorded yet.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from fakecuda.kernels import floats
from fakecuda.kernels.floats import F64, Format

if TYPE_CHECKING:
    from collections.abc import Callable

UPPER_WORD = 0xFFFFFFFF << 32


def _double(value: int, one: Format) -> float:
    """Return a finite value as a Python float."""
    found: float = struct.unpack("<d", floats.converted(value, one, F64).to_bytes(8, "little"))[0]
    return found


def _bits(value: float, one: Format) -> int:
    return floats.converted(int.from_bytes(struct.pack("<d", value), "little"), F64, one)


def _sine(value: int, one: Format, function: Callable[[float], float] = math.sin) -> int:
    if value & one.sign - 1 >= one.infinity:
        return one.nan
    return _bits(function(_double(value, one)), one)


def sine(value: int, one: Format) -> int:
    """Return the sine; a NaN for infinities."""
    return _sine(value, one)


def cosine(value: int, one: Format) -> int:
    """Return the cosine; a NaN for infinities."""
    return _sine(value, one, math.cos)


def tangent(value: int, one: Format) -> int:
    """Return the hyperbolic tangent."""
    if floats.is_nan(value, one):
        return one.nan
    return _bits(math.tanh(_double(value, one)), one)


def power(value: int, one: Format) -> int:
    """Return 2 to the power of a value."""
    if floats.is_nan(value, one):
        return one.nan
    exponent = _double(value, one)
    return _bits(math.inf if exponent > 1023 else math.exp2(exponent), one)  # noqa: PLR2004 - the largest of a double


def logarithm(value: int, one: Format) -> int:
    """Return the logarithm to base 2; a NaN for negative values."""
    if not value & one.sign - 1:
        return one.sign | one.infinity
    if floats.is_nan(value, one) or value & one.sign:
        return one.nan
    return _bits(math.log2(_double(value, one)), one)


def root_reciprocal(value: int, one: Format) -> int:
    """Return 1 divided by the square root; a NaN for negative values."""
    if not value & one.sign - 1:
        return value | one.infinity
    if floats.is_nan(value, one):
        return floats.nan_of(one, value)
    if value & one.sign:
        return one.nan
    return _bits(1 / math.sqrt(_double(value, one)), one)


def _of_upper_word(value: int, function: Callable[[int], int]) -> int:
    """Return a result without its lower word, from a value without its lower word."""
    found = function(floats.flushed(value & UPPER_WORD, F64)) & UPPER_WORD
    return UPPER_WORD & F64.sign - 1 if floats.is_nan(found, F64) else found


FUNCTIONS = {
    "sin": sine,
    "cos": cosine,
    "tanh": tangent,
    "ex2": power,
    "lg2": logarithm,
    "rsqrt": root_reciprocal,
}
"""The functions without a correctly rounded form, by instruction."""
UPPER: dict[str, Callable[[int], int]] = {
    "rcp": lambda value: _of_upper_word(value, lambda one: floats.divide(F64.one, one, F64.flushing, floats.ZERO)),
    "rsqrt": lambda value: _of_upper_word(value, lambda one: root_reciprocal(one, F64)),
}
"""The functions of ``.approx.ftz.f64``, by instruction."""
