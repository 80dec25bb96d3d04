"""Weighted sums of texels, bit by bit as an H200 computes them."""

from __future__ import annotations

import math
import struct

WEIGHT, ONE = 8, 256
"""Bits of a weight's fraction, and the weight 1."""
GUARD = 4
"""Bits of a texel below those of the largest texel, that count in a sum."""
EXPONENT, MANTISSA = 0xFF, 0x7FFFFF
"""Fields of an ``f32``."""
BIAS, POINT, HIDDEN = 127, 23, 0x800000
LONG, TWICE, REPEATED = 16, 0x101, 0x102
"""The bits of filtered integers, and what makes them of an unsigned and of a signed byte, but for its upper bits."""
EXTRA, UPPER = 3, 12
"""More bits of a sum of signed bytes, and its bits that are no upper ones."""
SHORTER, SMALLEST = 13, -24
"""The bits by which an ``f16`` is shorter, and the exponent of its smallest number."""


def number(bits: int) -> float:
    """Return the value of an ``f32``."""
    return float(struct.unpack("<f", bits.to_bytes(4, "little"))[0])


def bits_of(value: float) -> int:
    """Return the ``f32`` next to a value."""
    return int.from_bytes(struct.pack("<f", value), "little")


def summed(weights: list[int], words: list[int], *, half: bool = False) -> int:
    """Return a weighted sum of ``f32``, of 8 texels at most: those of one slice, then those of the other.

    In a slice, texels lose the bits that lie GUARD bits below the last one of the largest texel, and a sum is exact. The sums of
    the slices are added in the same way, with the bits of a weight kept. The result is rounded to the nearest number; of two that are as near to
    the larger. ``f16`` are added and rounded in the same way, as shorter numbers.
    """
    short = SHORTER if half else 0
    sums = [_slice(weights[at : at + 4], words[at : at + 4], short) for at in (0, 4)]
    largest = max(exponent for exponent, _ in sums)
    total = sum(_shifted(one, largest - exponent) for exponent, one in sums)
    size, scale = abs(total), largest - BIAS - POINT - GUARD - WEIGHT + short
    cut = max(size.bit_length() - POINT - 1 + short, SMALLEST - scale if half else 0)
    if cut > 0:
        size = (size + (1 << cut - 1)) >> cut << cut
    return bits_of(math.ldexp(math.copysign(size, total), scale))


def shared(total: int, bits: int, *, negative: bool) -> float:
    """Return a sum of integers of 8 or 16 bits, whose weights are together ONE, as a number whose largest one is 1.

    Bytes become 16 bits. A signed byte gets 15 of them from the upper bits of the sum, whose own part has three more.
    """
    if bits == LONG:
        found = total + ONE // 2 >> WEIGHT
    elif negative:
        found = (total * REPEATED << EXTRA) + (total >> UPPER << WEIGHT) + (ONE // 2 << EXTRA) >> WEIGHT + EXTRA
    else:
        found = total * TWICE + ONE // 2 >> WEIGHT
    most = (1 << LONG - negative) - 1
    return max(found, -most) / most


def _shifted(value: int, count: int) -> int:
    """Return a number without its lower bits, nearer to 0."""
    return value >> count if value >= 0 else -(-value >> count)


def _slice(weights: list[int], words: list[int], short: int) -> tuple[int, int]:
    """Return the largest exponent of texels that count, and their weighted sum."""
    used = [
        (weight, word, max(word >> POINT & EXPONENT, 1)) for weight, word in zip(weights, words, strict=True) if weight
    ]
    largest, total = max([exponent for _, _, exponent in used], default=1), 0
    for weight, word, exponent in used:
        mantissa = (
            (word & MANTISSA | (HIDDEN if word >> POINT & EXPONENT else 0)) << GUARD >> short + largest - exponent
        )
        total += weight * (-mantissa if word >> 31 else mantissa)
    return largest, total


def _rounded(weight: int, share: int, *, up: bool) -> int:
    """Return a part of a weight; halves are rounded up or down."""
    return weight * share + ONE // 2 - (not up) >> WEIGHT


def weights_of(x: int, y: int, z: int) -> list[int]:
    """Return the weights of 8 texels: slices, of each the rows, of each the texels."""
    found = []
    for whole in (ONE - z, z):
        after = _rounded(whole, x, up=True)
        low, high = _rounded(whole - after, y, up=False), _rounded(after, y, up=True)
        found += [whole - after - low, after - high, low, high]
    return found
