"""Integer arithmetic on bits: registers hold unsigned integers of their width.

Section 9.7.1 of the PTX ISA manual leaves a division by zero to the machine: a card's quotient and remainder are all ones.
"""

from __future__ import annotations


def signed(value: int, bits: int) -> int:
    """Return the lowest bits of a value as a signed integer."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def clamped(value: int, bits: int, *, negative: bool) -> int:
    """Return the bits of the nearest integer of a width."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if negative else (0, (1 << bits) - 1)
    return min(max(value, low), high) & (1 << bits) - 1


def divide(a: int, b: int) -> int:
    """Return the quotient, rounded towards zero; -1 for a divisor of 0."""
    if not b:
        return -1
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def remainder(a: int, b: int) -> int:
    """Return the remainder with the dividend's sign; -1 for a divisor of 0."""
    return a - b * divide(a, b) if b else -1


def leading(value: int, bits: int) -> int:
    """Return the number of leading zeros."""
    return bits - value.bit_length()


def reversed_bits(value: int, bits: int) -> int:
    """Return a value with its bits in the opposite order."""
    return int(f"{value:0{bits}b}"[::-1], 2)


def highest(value: int, bits: int, *, negative: bool, shift: bool) -> int:
    """Return the index of the highest bit that differs from the sign, or all ones.

    Args:
        value: The value.
        bits: Its bits.
        negative: Whether it is signed.
        shift: Whether to return by how much the value is shifted to bring that bit to the top.
    """
    if negative and value >> bits - 1:
        value ^= (1 << bits) - 1
    place = value.bit_length() - 1
    if place < 0:
        return 0xFFFFFFFF
    return bits - 1 - place if shift else place


def span(start: int, count: int, bits: int) -> tuple[int, int]:
    """Return the place and the length of a field, at most the bits of its word."""
    if bits == 32:  # noqa: PLR2004 - a word
        start, count = start & 0xFF, count & 0xFF
    return min(start, bits), min(count, bits)


def extract(value: int, start: int, count: int, bits: int, *, negative: bool) -> int:
    """Return a bit field, zero-extended or sign-extended.

    Only the lowest bytes of the place and of the length count for a word of 32 bits, and all their bits for one of 64.
    """
    start, count = span(start, count, bits)
    if not count:
        return 0
    if negative:
        value = signed(value, bits) >> start
        return (signed(value, count) if count < bits else value) & (1 << bits) - 1
    return value >> start & (1 << count) - 1


def insert(field: int, value: int, start: int, count: int, bits: int) -> int:
    """Return a value with a field of bits from another one. Place and length count as in :func:`extract`."""
    start, count = span(start, count, bits)
    mask = ((1 << count) - 1 << start) & (1 << bits) - 1
    return (value & ~mask) | (field << start & mask)


def nth_set(value: int, start: int, count: int) -> int:
    """Return the index of the n-th set bit from a place on, or all ones, as ``fns``.

    Args:
        value: The word.
        start: The place.
        count: n; negative for bits below the place, 0 for the bit there.
    """
    step, left = (1, count) if count > 0 else (-1, -count)
    if not count:
        return start if start < 32 and value >> start & 1 else 0xFFFFFFFF  # noqa: PLR2004 - a word
    while 0 <= start < 32:  # noqa: PLR2004 - a word
        left -= value >> start & 1
        if not left:
            return start
        start += step
    return 0xFFFFFFFF


def permuted(a: int, b: int, selector: int, mode: str) -> int:
    """Return four bytes of two words, as ``prmt`` selects them."""
    data = (b << 32 | a).to_bytes(8, "little")
    if not mode:
        found = 0
        for number in range(4):
            choice = selector >> 4 * number & 0xF
            byte = data[choice & 7]
            found |= (0xFF * (byte >> 7) if choice & 8 else byte) << 8 * number
        return found
    first = selector & 3
    places = {
        "f4e": range(first, first + 4),
        "b4e": [first - number & 7 for number in range(4)],
        "rc8": [first] * 4,
        "ecl": [max(number, first) for number in range(4)],
        "ecr": [min(number, first) for number in range(4)],
        "rc16": [2 * (first & 1), 2 * (first & 1) + 1] * 2,
    }[mode]
    return int.from_bytes(bytes(data[place] for place in places), "little")


def looked_up(a: int, b: int, c: int, table: int) -> int:
    """Return the bits that an 8-entry table gives for three words, as ``lop3``."""
    found = 0
    for place in range(8):
        if table >> place & 1:
            found |= (a if place & 4 else ~a) & (b if place & 2 else ~b) & (c if place & 1 else ~c)
    return found & 0xFFFFFFFF


def funnel(low: int, high: int, count: int, *, left: bool, wrap: bool) -> int:
    """Return a word of two words shifted by ``count`` bits."""
    count = count & 31 if wrap else min(count, 32)
    both = high << 32 | low
    return (both << count >> 32 if left else both >> count) & 0xFFFFFFFF


def dot(a: int, b: int, bits: int, signs: tuple[bool, bool], count: int) -> int:
    """Return the dot product of the lowest parts of two words.

    Args:
        a: The first word.
        b: The second word.
        bits: Bits of a part of the first word. Parts of the second have 8 bits.
        signs: Whether the parts of each word are signed.
        count: How many parts there are.
    """
    total = 0
    for number in range(count):
        first = a >> bits * number & (1 << bits) - 1
        second = b >> 8 * number & 0xFF
        total += (signed(first, bits) if signs[0] else first) * (signed(second, 8) if signs[1] else second)
    return total
