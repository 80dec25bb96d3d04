"""Texel addressing: which texels a coordinate selects, bit by bit as on an H200.

A normalised coordinate keeps 21 bits of its fraction. A place in a row becomes a number of texels and 8 bits of a fraction, the
nearest one.
"""

from __future__ import annotations

import math

from fakecuda.kernels.filtering import ONE, WEIGHT, number

WRAP, CLAMP, MIRROR, BORDER = range(4)
"""CUaddress_mode."""
FRACTION = 21
"""The bits of the fraction of a normalised coordinate."""
OUTSIDE = 2.0**40
"""A texel index beyond any array."""


def modes_of(modes: list[int], *, scaled: bool) -> list[int]:
    """Return the effective address modes; unnormalised coordinates clamp."""
    return [mode if scaled or mode == BORDER else CLAMP for mode in modes]


def place_of(bits: int, mode: int) -> float:
    """Return a coordinate; NaN becomes 0, as do infinities that wrap or mirror."""
    value = number(bits)
    lost = math.isnan(value) or (math.isinf(value) and mode in {WRAP, MIRROR})
    return 0.0 if lost else max(min(value, OUTSIDE), -OUTSIDE)


def axis_of(place: float, side: int, mode: int, *, scaled: bool, linear: bool) -> tuple[int | None, int | None, int]:
    """Return two texels of a dimension, and the weight of the second."""
    above, below = place.as_integer_ratio()
    if scaled:
        above, below = (above << FRACTION) // below * side, 1 << FRACTION
    if not linear:
        at = reached(above // below, side, mode)
        return at, at, 0
    fixed = (2 * above - below << WEIGHT) + below >> 1
    number_of, share = divmod(fixed // below, ONE)
    first, second = reached(number_of, side, mode), reached(number_of + 1, side, mode)
    return first, second, 0 if first == second else share


def reached(at: int, side: int, mode: int) -> int | None:
    """Return the texel index of a place in a dimension; None beyond a border."""
    if 0 <= at < side:
        return at
    if mode == BORDER:
        return None
    if mode == CLAMP:
        return min(max(at, 0), side - 1)
    if mode == WRAP:
        return at % side
    at %= 2 * side
    return min(at, 2 * side - 1 - at)
