"""Functions that a card approximates, with the bits of an H200.

A unit of the card computes them for ``f32``. The upper bits of an operand choose a polynomial of degree 2, and the 17 bits below them
are its variable. ``polynomials.json`` has the coefficients: the integers that give the card's results for all operands of a piece.
The unit reads subnormal operands as 0 and makes no subnormal results. Without ``.ftz``, a compiler adds multiplications before and
after it, as the functions here do.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fakecuda.kernels import floats
from fakecuda.kernels.floats import F32, F64, ZERO, Format

if TYPE_CHECKING:
    from collections.abc import Callable

PIECES: dict[str, list[list[int]]] = json.loads(Path(__file__).with_name("polynomials.json").read_bytes())
"""The coefficients of each piece of a function, as integers: that of degree 0, of 1, and a quarter of that of 2."""
SCALES = {"rcp": 41, "sqrt": 41, "rsqrt": 41, "ex2": 41, "lg2": 39, "sin": 39, "tanh": 40}
"""A polynomial's value is its sum divided by 2 to this power."""
LOST = 3
"""How many of its last bits a logarithm's sum loses."""
TANH_LEAST = 119
"""The least exponent of operands of ``tanh`` that have pieces."""
TANH = [(0, 0), (1, 0), (2, 0), (3, 1), (5, 1), (7, 2), (11, 2), (15, 2), (19, 3), (27, 4), (43, 3)]
"""For each exponent from there on: the number of its first piece, and how many bits of a fraction choose one."""
UPPER = Format(32, 20, 0x7FFFFFFF)
"""The upper word of an ``f64``."""
FRACTION, VARIABLE = F32.fraction, 17
"""How many bits a fraction has that chooses a piece, and how many of them are the variable."""
FRACTIONS, VARIABLES = (1 << FRACTION) - 1, (1 << VARIABLE) - 1
BIAS = F32.one >> FRACTION
TURN = 25
"""The bits of the fraction of a turn."""
PER_TURN = 0x3E22F983
"""The bits of 1 / (2 * pi), rounded down."""
NORMAL, LARGE = 1 << FRACTION, 0x7E800000
"""The bits of 2**-126 and of 2**126."""
UP, HALF, DOWN = 0x4B800000, 0x3F000000, 0x3E800000
"""The bits of 2**24, 2**-1 and 2**-2."""
LOW, LESS = 0xC2FC0000, 0xC1C00000
"""The bits of -126 and of -24."""


def square(x: int) -> int:
    """Return the square of a variable, divided by 2**19, as the unit computes it: products of bits below 2**19 are left out."""
    found = 0
    for bit in range(10, VARIABLE):
        if x >> bit & 1:
            found += (1 << 2 * bit - 19) + ((x & (1 << bit) - 1) >> 18 - bit)
    return found


def value(name: str, piece: int, x: int) -> int:
    """Return a polynomial's sum."""
    constant, linear, quadratic = PIECES[name][piece]
    return constant + linear * x + 4 * quadratic * square(x)


def split(a: int, one: Format = F32) -> tuple[int, int, int]:
    """Return the sign bit, the exponent and the fraction of a value."""
    return a & one.sign, (a & one.infinity) >> one.fraction, a & (1 << one.fraction) - 1


def packed(whole: int, exponent: int, one: Format = F32) -> int:
    """Return ``whole * 2**exponent``, rounded to 0: 0 below the normal numbers, an infinity above the finite ones."""
    bits = whole.bit_length()
    biased = bits - 1 + exponent + (one.one >> one.fraction)
    if not whole or biased <= 0:
        return 0
    made = biased << one.fraction | (whole << one.fraction + 1 >> bits) & (1 << one.fraction) - 1
    return min(made, one.infinity)


def reciprocal(a: int, one: Format = F32) -> int:
    """Return 1 divided by a value."""
    if floats.is_nan(a, one):
        return one.nan
    sign, exponent, fraction = split(a, one)
    if not exponent or a & one.infinity == one.infinity:
        return sign | (0 if exponent else one.infinity)
    place = fraction << FRACTION + 1 - one.fraction
    found = value("rcp", place >> VARIABLE, place & VARIABLES)
    return sign | packed(found, (one.one >> one.fraction) - exponent - SCALES["rcp"], one)


def root(name: str, a: int, one: Format = F32) -> int:
    """Return the square root or its reciprocal; a NaN for negative values."""
    sign, exponent, fraction = split(a, one)
    if floats.is_nan(a, one) or (sign and exponent):
        return one.nan
    if not exponent:
        return sign | (one.infinity if name == "rsqrt" else 0)
    if a == one.infinity:
        return 0 if name == "rsqrt" else a
    bias = one.one >> one.fraction
    half, odd = divmod(exponent - bias, 2)
    if name == "rsqrt":
        half = -half
        if not fraction and not odd:
            return bias + half << one.fraction
    place = fraction << FRACTION - one.fraction
    return packed(value(name, odd << 6 | place >> VARIABLE, place & VARIABLES), half - SCALES[name], one)


def power(a: int) -> int:
    """Return 2 to the power of a value."""
    if floats.is_nan(a, F32):
        return F32.nan
    sign, exponent, fraction = split(a)
    shift = exponent - BIAS
    if shift >= 10:  # noqa: PLR2004 - 2**10 is more than all exponents
        return 0 if sign else F32.infinity
    whole = NORMAL | fraction if exponent else 0
    fixed = whole << shift if shift >= 0 else whole >> -shift
    if sign:
        fixed = ~fixed if fixed & FRACTIONS else -fixed
    place = fixed & FRACTIONS
    return packed(value("ex2", place >> VARIABLE, place & VARIABLES), (fixed >> FRACTION) - SCALES["ex2"])


def logarithm(a: int) -> int:
    """Return the logarithm to base 2; a NaN for negative values."""
    sign, exponent, fraction = split(a)
    if floats.is_nan(a, F32) or (sign and exponent):
        return F32.nan
    if not exponent:
        return F32.sign | F32.infinity
    if a == F32.infinity:
        return a
    if a == F32.one:
        return 0
    scale = SCALES["lg2"]
    found = (exponent - BIAS << scale) + value("lg2", fraction >> VARIABLE, fraction & VARIABLES) >> LOST
    return F32.sign | packed(~found, LOST - scale) if found < 0 else packed(found, LOST - scale)


def circular(quarters: int, a: int) -> int:
    """Return the sine of a value, some quarters of a turn later; a NaN for infinities."""
    sign, exponent, fraction = split(floats.multiply(a, PER_TURN, F32, ZERO))
    if a & F32.infinity == F32.infinity:
        return F32.nan
    shift = TURN - FRACTION + exponent - BIAS
    whole = NORMAL | fraction if exponent else 0
    turns = (whole << shift if shift >= 0 else whole >> -shift) + (quarters << TURN - 2)
    place = turns & FRACTIONS
    if turns >> FRACTION & 1:
        place ^= FRACTIONS
    found = packed(value("sin", place >> VARIABLE, place & VARIABLES), -SCALES["sin"])
    return found | (0 if quarters else sign) ^ (turns >> FRACTION + 1 & 1) << F32.bits - 1


def tangent(a: int) -> int:
    """Return the hyperbolic tangent: small values themselves, and 1 from 8."""
    if floats.is_nan(a, F32):
        return F32.nan
    sign, exponent, fraction = split(a)
    number = exponent - TANH_LEAST
    if number < 0:
        return a
    if number >= len(TANH):
        return sign | F32.one
    before, bits = TANH[number]
    piece, x = before + (fraction >> FRACTION - bits), fraction >> FRACTION - VARIABLE - bits & VARIABLES
    return sign | packed(value("tanh", piece, x), -SCALES["tanh"])


UNIT: dict[str, Callable[[int], int]] = {
    "rcp": reciprocal,
    "sqrt": partial(root, "sqrt"),
    "rsqrt": partial(root, "rsqrt"),
    "ex2": power,
    "lg2": logarithm,
    "sin": partial(circular, 0),
    "cos": partial(circular, 1),
    "tanh": tangent,
}
"""What the unit computes for ``f32``, by instruction."""
AFTER = {"sqrt": 0x39800000, "rsqrt": 0x45800000}
"""Roots of subnormal values times 2**24 are multiplied by this: by 2**-12, by 2**12."""


def _times(a: int, b: int) -> int:
    return floats.multiply(a, b, F32)


def _is_small(a: int) -> bool:
    return a & F32.sign - 1 < NORMAL


def _whole_reciprocal(a: int) -> int:
    """Return ``rcp.approx`` of a value that may be subnormal or have a subnormal result."""
    scale = DOWN if a & F32.sign - 1 > LARGE else UP if _is_small(a) else F32.one
    return _times(reciprocal(_times(a, scale)), scale)


def _whole_root(name: str, a: int) -> int:
    return _times(root(name, _times(a, UP)), AFTER[name]) if _is_small(a) else root(name, a)


def _whole_power(a: int) -> int:
    """Return ``ex2.approx``: below -126 the square of the power of the half."""
    if LOW < a <= F32.sign | F32.infinity:
        found = power(_times(a, HALF))
        return _times(found, found)
    return power(a)


def _whole_logarithm(a: int) -> int:
    return floats.add(logarithm(_times(a, UP)), LESS, F32) if _is_small(a) else logarithm(a)


WHOLE_RANGE: dict[str, Callable[[int], int]] = UNIT | {
    "rcp": _whole_reciprocal,
    "sqrt": partial(_whole_root, "sqrt"),
    "rsqrt": partial(_whole_root, "rsqrt"),
    "ex2": _whole_power,
    "lg2": _whole_logarithm,
}
"""The functions without ``.ftz`` for ``f32``."""


def of_upper_word(name: str, a: int) -> int:
    """Return ``rcp.approx.ftz`` or ``rsqrt.approx.ftz`` of an ``f64``: of its upper word, with a lower word of 0."""
    word = a >> UPPER.bits
    return (reciprocal(word, UPPER) if name == "rcp" else root(name, word, UPPER)) << UPPER.bits


def root_reciprocal(a: int) -> int:
    """Return ``rsqrt.approx`` of an ``f64``: one step of an iteration from the upper word's."""
    if floats.is_nan(a, F64):
        return floats.nan_of(F64, a)
    sign, exponent, _ = split(a, F64)
    if not a & F64.sign - 1:
        return sign | F64.infinity
    if sign:
        return F64.nan
    if a == F64.infinity:
        return 0
    if not exponent:
        return floats.multiply(root_reciprocal(floats.multiply(a, 0x4350 << 48, F64)), 0x41A0 << 48, F64)
    first = of_upper_word("rsqrt", a)
    error = floats.fma(a, floats.multiply(first, first, F64) ^ F64.sign, F64.one, F64)
    step = floats.fma(error, 0x3FD8 << 48, 0x3FE0 << 48, F64)
    return floats.fma(step, floats.multiply(first, error, F64), first, F64)


def quotient(a: int, b: int, *, flush: bool) -> int:
    """Return ``a / b`` as ``div.approx`` does: 0 for divisors from 2**126."""
    if not flush and _is_small(b):
        a, b = _times(a, UP), _times(b, UP)
    return floats.multiply(a, reciprocal(b), F32.flushing if flush else F32)


def full_quotient(a: int, b: int, *, flush: bool) -> int:
    """Return ``a / b`` as ``div.full`` does."""
    if LARGE < b & F32.sign - 1 <= F32.infinity:
        a, b = _times(a, DOWN), _times(b, DOWN)
    return quotient(a, b, flush=flush)


def beyond_of(one: Format) -> int:
    """Return the bits of the least ``f32`` that is larger than all values of 16 bits, or those of infinity."""
    return floats.converted(one.infinity - 1, one, F32) + (1 << FRACTION - one.fraction)


def narrow(name: str, a: int, one: Format) -> int:
    """Return a function of a value of 16 bits: of the ``f32``, rounded to 0."""
    found = UNIT[name](floats.converted(a, one, F32))
    if beyond_of(one) <= found <= F32.infinity:
        return one.infinity
    return floats.converted(found, F32, one, ZERO)


OF_DOUBLES: dict[tuple[str, bool], Callable[[int], int]] = {
    ("rcp", True): partial(of_upper_word, "rcp"),
    ("rsqrt", True): partial(of_upper_word, "rsqrt"),
    ("rsqrt", False): root_reciprocal,
}
"""The functions of ``f64``, by instruction and by whether they have ``.ftz``."""
OF_HALVES = frozenset({"ex2", "tanh"})
"""The instructions that have values of 16 bits."""


def function_of(name: str, one: Format, *, flush: bool) -> Callable[[int], int] | None:
    """Return the function of an instruction with one operand. None if the format has no such instruction."""
    if one.bits == F64.bits:
        return OF_DOUBLES.get((name, flush))
    if one.bits < F32.bits:
        return partial(narrow, name, one=one) if name in OF_HALVES else None
    return (UNIT if flush else WHOLE_RANGE).get(name)
