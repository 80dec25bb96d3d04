"""Floating-point arithmetic on bits: exact, then rounded once.

A value is an integer with the bits of its format. Operands become integers times powers of two, so that no result is rounded
twice. Section 9.7.3 of the PTX ISA manual says what becomes of NaNs: results of ``f32``, ``f16`` and ``bf16`` are canonical,
and ``f64`` keeps the sign and the payload of an operand. A card has shown which operand that is.
"""

from __future__ import annotations

from math import isqrt

from attrs import evolve, field, frozen

NEAREST, ZERO, DOWN, UP = "rn", "rz", "rm", "rp"
"""Rounding modes: to the nearest even value, towards zero, down and up."""
GUARD = 3
"""The extra bits that a quotient or root needs for rounding, with a sticky bit."""


@frozen
class Format:
    """A binary format.

    Attributes:
        bits: Its bits.
        fraction: Bits of its fraction.
        nan: The NaN that invalid operations return.
        keeps: Whether a result keeps the payload of a NaN operand.
        flushes: Whether a result is zero that would be below the normal numbers with exponents without end.
        infinite: Whether it has infinities. If not, the highest exponent has numbers too, and only all ones are a NaN.
        sign: The bit of the sign.
        infinity: The bits of infinity, or of the NaN of a format without infinities. Those above the fraction are the exponent's.
        last: The highest bits without a sign that are not a NaN.
        least: The exponent of the last bit of a subnormal number.
    """

    bits: int
    fraction: int
    nan: int
    keeps: bool = False
    flushes: bool = False
    infinite: bool = True
    sign: int = field(init=False)
    infinity: int = field(init=False)
    last: int = field(init=False)
    least: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Compute the derived attributes."""
        top = (1 << self.bits - 1 - self.fraction) - 1
        object.__setattr__(self, "sign", 1 << self.bits - 1)
        object.__setattr__(self, "infinity", top << self.fraction if self.infinite else self.nan)
        object.__setattr__(self, "last", self.infinity - (not self.infinite))
        object.__setattr__(self, "least", 1 - (top >> 1) - self.fraction)

    @property
    def one(self) -> int:
        """The bits of 1.0."""
        return self.infinity >> 1 & self.infinity

    @property
    def flushing(self) -> Format:
        """The format for results with ``.ftz``."""
        return evolve(self, flushes=True)


F16 = Format(16, 10, 0x7FFF)
BF16 = Format(16, 7, 0x7FFF)
F32 = Format(32, 23, 0x7FFFFFFF)
F64 = Format(64, 52, 0xFFF8 << 48, keeps=True)
TF32 = Format(19, 10, 0x3FFFF)
E4M3 = Format(8, 3, 0x7F, infinite=False)
E5M2 = Format(8, 2, 0x7F)
FORMATS = {"f16": F16, "bf16": BF16, "f32": F32, "f64": F64}


def is_nan(value: int, one: Format) -> bool:
    """Return whether bits are a NaN."""
    return value & one.sign - 1 > one.last


def parts(value: int, one: Format) -> tuple[bool, int, int]:
    """Return sign, integer significand and exponent of a finite value."""
    exponent = (value & one.infinity) >> one.fraction
    whole = value & (1 << one.fraction) - 1
    if exponent:
        return bool(value & one.sign), whole | 1 << one.fraction, one.least + exponent - 1
    return bool(value & one.sign), whole, one.least


def rounded(negative: bool, whole: int, exponent: int, one: Format, mode: str = NEAREST, rest: bool = False) -> int:  # noqa: FBT001, FBT002 - the parts of a number
    """Return the bits of an exact value, rounded once.

    Args:
        negative: Its sign.
        whole: An integer.
        exponent: The power of two that the integer is multiplied by.
        one: The format.
        mode: The rounding mode.
        rest: Whether the exact value is larger by less than the integer's last bit. The integer then has ``GUARD`` bits
            more than the format.
    """
    sign = one.sign if negative else 0
    if not whole:
        return sign
    drop = whole.bit_length() - one.fraction - 1
    if not one.flushes:
        drop = max(drop, one.least - exponent)
    if drop > 0:
        kept, left, half = whole >> drop, whole & (1 << drop) - 1, 1 << drop - 1
        if mode == NEAREST:
            kept += left > half or (left == half and (rest or kept & 1))
        elif mode == (DOWN if negative else UP):
            kept += bool(left or rest)
    else:
        kept = whole << -drop
    bits = (exponent + drop - one.least << one.fraction) + kept
    if one.flushes and bits < 1 << one.fraction:
        return sign
    if bits >= one.infinity:
        away = mode in {NEAREST, DOWN if negative else UP}
        return sign | (one.infinity if away else one.infinity - 1)
    return sign | bits


def nan_of(one: Format, *values: int) -> int:
    """Return the NaN that an operation returns for NaN operands."""
    if one.keeps:
        return next(value for value in values if is_nan(value, one)) | 1 << one.fraction - 1
    return one.nan


def fma(a: int, b: int, c: int, one: Format, mode: str = NEAREST) -> int:
    """Return ``a * b + c``."""
    if is_nan(a, one) or is_nan(b, one) or is_nan(c, one):
        return nan_of(one, b, c, a)
    magnitude = one.sign - 1
    sign, infinity = (a ^ b) & one.sign, one.infinity
    if a & magnitude == infinity or b & magnitude == infinity:
        if not (a & magnitude and b & magnitude) or (c & magnitude == infinity and c & one.sign != sign):
            return one.nan
        return sign | infinity
    if c & magnitude == infinity:
        return c
    _, first, low = parts(a, one)
    _, second, more = parts(b, one)
    negative, third, other = parts(c, one)
    product, exponent = first * second, low + more
    return _sum(bool(sign), product, exponent, negative, third, other, one, mode)


def _sum(minus: bool, a: int, low: int, negative: bool, b: int, other: int, one: Format, mode: str) -> int:  # noqa: FBT001 - the parts of two numbers
    """Return the rounded sum of two exact values."""
    exponent = min(low, other)
    a <<= low - exponent
    b <<= other - exponent
    total = (-a if minus else a) + (-b if negative else b)
    if not total:
        return one.sign if (minus if minus == negative else mode == DOWN) else 0
    return rounded(total < 0, abs(total), exponent, one, mode)


def add(a: int, b: int, one: Format, mode: str = NEAREST) -> int:
    """Return ``a + b``."""
    if is_nan(a, one) or is_nan(b, one):
        return nan_of(one, b, a)
    magnitude, infinity = one.sign - 1, one.infinity
    if a & magnitude == infinity:
        return one.nan if b == a ^ one.sign else a
    if b & magnitude == infinity:
        return b
    return _sum(*parts(a, one), *parts(b, one), one, mode)


def subtract(a: int, b: int, one: Format, mode: str = NEAREST) -> int:
    """Return ``a - b``."""
    return add(a, b if is_nan(b, one) else b ^ one.sign, one, mode)


def multiply(a: int, b: int, one: Format, mode: str = NEAREST) -> int:
    """Return ``a * b``."""
    if is_nan(a, one) or is_nan(b, one):
        return nan_of(one, b, a)
    magnitude, sign = one.sign - 1, (a ^ b) & one.sign
    if a & magnitude == one.infinity or b & magnitude == one.infinity:
        return sign | one.infinity if a & magnitude and b & magnitude else one.nan
    _, first, low = parts(a, one)
    _, second, more = parts(b, one)
    return rounded(bool(sign), first * second, low + more, one, mode)


def divide(a: int, b: int, one: Format, mode: str = NEAREST) -> int:
    """Return ``a / b``."""
    if is_nan(a, one) or is_nan(b, one):
        return nan_of(one, a, b)
    magnitude, sign = one.sign - 1, (a ^ b) & one.sign
    a, b = a & magnitude, b & magnitude
    if (a == b == one.infinity) or not (a or b):
        return one.nan
    if a == one.infinity or not b:
        return sign | one.infinity
    if b == one.infinity:
        return sign
    _, first, low = parts(a, one)
    _, second, more = parts(b, one)
    shift = max(one.fraction + 1 + GUARD + second.bit_length() - first.bit_length(), 0)
    whole, left = divmod(first << shift, second)
    return rounded(bool(sign), whole, low - more - shift, one, mode, bool(left))


def negative(a: int, one: Format) -> int:
    """Return ``-a``."""
    return nan_of(one, a) if is_nan(a, one) else a ^ one.sign


def absolute(a: int, one: Format) -> int:
    """Return ``a`` without its sign."""
    return nan_of(one, a) if is_nan(a, one) else a & one.sign - 1


def root(a: int, one: Format, mode: str = NEAREST) -> int:
    """Return the square root of ``a``."""
    if is_nan(a, one):
        return nan_of(one, a)
    if not a & one.sign - 1:
        return a
    if a & one.sign:
        return one.nan
    if a == one.infinity:
        return a
    _, whole, exponent = parts(a, one)
    shift = 2 * (one.fraction + 1 + GUARD)
    shift += exponent - shift & 1
    whole <<= shift
    found = isqrt(whole)
    return rounded(False, found, exponent - shift >> 1, one, mode, found * found != whole)


def flushed(value: int, one: Format) -> int:
    """Return a value, or a signed zero if it is subnormal."""
    return value if value & one.infinity else value & one.sign


def saturated(value: int, one: Format) -> int:
    """Return a value clamped to [0, 1]; 0 for a NaN."""
    if is_nan(value, one) or value & one.sign:
        return 0
    return min(value, one.one)


def finite(value: int, one: Format) -> int:
    """Return a finite value; the largest number for an infinity."""
    return value - (value & one.sign - 1 == one.infinity)


def order(value: int, one: Format) -> int:
    """Return an integer with the order of floating-point values, without NaNs."""
    magnitude = value & one.sign - 1
    return -magnitude if value & one.sign else magnitude


def smaller(a: int, b: int, one: Format) -> int:
    """Return the smaller of two values that are not NaNs; -0 is smaller than 0."""
    key, other = order(a, one), order(b, one)
    return (a | b if not key else a) if key == other else a if key < other else b


def larger(a: int, b: int, one: Format) -> int:
    """Return the larger of two values that are not NaNs."""
    key, other = order(a, one), order(b, one)
    return (a & b if not key else a) if key == other else a if key > other else b


def integral(value: int, one: Format, mode: str) -> int:
    """Return a finite value rounded to an integer."""
    negative, whole, exponent = parts(value, one)
    if exponent >= 0:
        whole <<= exponent
    else:
        drop = -exponent
        kept, left, half = whole >> drop, whole & (1 << drop) - 1, 1 << drop - 1
        if mode == NEAREST:
            kept += left > half or (left == half and kept & 1)
        elif mode == (DOWN if negative else UP):
            kept += bool(left)
        whole = kept
    return -whole if negative else whole


def converted(value: int, source: Format, target: Format, mode: str = NEAREST) -> int:
    """Return a value in another format.

    A NaN keeps its sign and the highest bits of its payload if one of the formats is ``f64``.
    """
    if is_nan(value, source):
        if not (source.keeps or target.keeps):
            return target.nan
        more = target.fraction - source.fraction
        payload = value & (1 << source.fraction) - 1
        payload = payload << more if more > 0 else payload >> -more
        return target.infinity | payload | 1 << target.fraction - 1 | (target.sign if value & source.sign else 0)
    if value & source.sign - 1 == source.infinity:
        return target.infinity | (target.sign if value & source.sign else 0)
    return rounded(*parts(value, source), target, mode)
