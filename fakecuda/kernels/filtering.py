"""Weighted sums of texels, bit by bit as an H200 computes them."""

from __future__ import annotations

import math
import struct

WEIGHT, ONE = 8, 256
"""The bits of a weight's fraction, and the weight of 1.0."""
GUARD = 4
"""The bits of a sum below the largest texel's bits."""
EXPONENT, MANTISSA = 0xFF, 0x7FFFFF
"""The fields of an ``f32``."""
BIAS, POINT, HIDDEN = 127, 23, 0x800000
LONG, TWICE, REPEATED = 16, 0x101, 0x102
"""The bits of filtered integers, and factors for unsigned and signed bytes."""
EXTRA, UPPER = 3, 12
"""Additional bits of signed byte sums, and the mask of their lower bits."""
SHORTER, SMALLEST = 13, -24
"""How many bits shorter an ``f16`` is, and the exponent of its smallest number."""


def number(bits: int) -> float:
    """Return the number that ``f32`` bits represent."""
    return float(struct.unpack("<f", bits.to_bytes(4, "little"))[0])


def bits_of(value: float) -> int:
    """Return the nearest ``f32`` bits of a number."""
    return int.from_bytes(struct.pack("<f", value), "little")


def summed(weights: list[int], words: list[int], *, half: bool = False) -> int:
    """Return a weighted sum of up to 8 ``f32`` texels, slice by slice.

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
    """Return a weighted sum of integer texels, normalised to 1.

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
    """Return a number without its lower bits, rounded towards 0."""
    return value >> count if value >= 0 else -(-value >> count)


def _slice(weights: list[int], words: list[int], short: int) -> tuple[int, int]:
    """Return the largest exponent of texels, and their weighted sum."""
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
    """Return a product of weights, with ties rounded up or down."""
    return weight * share + ONE // 2 - (not up) >> WEIGHT


def weights_of(x: int, y: int, z: int) -> list[int]:
    """Return the weights of 8 texels, by slice, row and texel."""
    found = []
    for whole in (ONE - z, z):
        after = _rounded(whole, x, up=True)
        low, high = _rounded(whole - after, y, up=False), _rounded(after, y, up=True)
        found += [whole - after - low, after - high, low, high]
    return found
