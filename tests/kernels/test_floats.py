"""Floating-point arithmetic against fractions: each result is the exact one, rounded once."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakecuda.kernels import floats
from fakecuda.kernels.floats import BF16, F16, F32, F64, FORMATS, Format
from fakecuda.kernels.row import NotRun
from tests.each import each

from .world import meaning

MODES = ("rn", "rz", "rm", "rp")


def value_of(bits: int, one: Format) -> Fraction:
    """Return a finite value; infinity counts as the power of two behind the largest value."""
    negative, whole, exponent = _read(bits, one)
    found = Fraction(whole) * Fraction(2) ** exponent
    return -found if negative else found


def _read(bits: int, one: Format) -> tuple[bool, int, int]:
    fraction = bits % (1 << one.fraction)
    exponent = bits % one.sign >> one.fraction
    bias = (1 << one.bits - 2 - one.fraction) - 1
    if exponent:
        return bits >= one.sign, fraction + (1 << one.fraction), exponent - bias - one.fraction
    return bits >= one.sign, fraction, 1 - bias - one.fraction


def nearest(exact: Fraction, one: Format, mode: str) -> int:
    """Return the bits of an exact value by a search among all values of the format."""
    size, low, high = abs(exact), 0, one.infinity
    while high - low > 1:
        between = (low + high) // 2
        low, high = (between, high) if value_of(between, one) <= size else (low, between)
    if value_of(high, one) <= size:
        low = high
    inexact, below = value_of(low, one) != size, low
    if low == one.infinity:
        inexact, below = True, low - 1
    up = below + 1
    if mode == "rn":
        middle = (value_of(below, one) + value_of(up, one)) / 2
        chosen = up if size > middle or (size == middle and up % 2 == 0) else below
    else:
        away = mode == ("rm" if exact < 0 else "rp")
        chosen = up if away else below
    return (chosen if inexact else low) | (one.sign if exact < 0 else 0)


def edges(one: Format) -> st.SearchStrategy[int]:
    """Draw bits: zeros, subnormals, powers, the largest values, and any."""
    plain = [0, 1, 2, (1 << one.fraction) - 1, 1 << one.fraction, one.one, one.one - 1, one.one + 1, one.infinity - 1]
    some = plain + [bits | one.sign for bits in plain]
    return st.one_of(st.sampled_from(some), st.integers(0, (1 << one.bits) - 1)).filter(
        lambda bits: bits % one.sign < one.infinity
    )


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=25)
@given(st.data())
def test_sums_products_and_quotients(name: str, mode: str, data: st.DataObject) -> None:
    """In each format and mode, of finite operands."""
    one = FORMATS[name]
    a, b, c = (data.draw(edges(one)) for _ in range(3))
    x, y, z = (value_of(bits, one) for bits in (a, b, c))
    found = {
        floats.add(a, b, one, mode): x + y,
        floats.subtract(a, b, one, mode): x - y,
        floats.multiply(a, b, one, mode): x * y,
        floats.fma(a, b, c, one, mode): x * y + z,
    }
    if y:
        found[floats.divide(a, b, one, mode)] = x / y
    for bits, exact in found.items():
        assert bits % one.sign == nearest(exact, one, mode) % one.sign
        assert not exact or (bits >= one.sign) == (exact < 0)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=25)
@given(st.data())
def test_roots(name: str, mode: str, data: st.DataObject) -> None:
    """The square of the result is next to the operand."""
    one = FORMATS[name]
    a = data.draw(edges(one).map(lambda bits: bits % one.sign))
    found, exact = floats.root(a, one, mode), value_of(a, one)
    if not a:
        assert found == 0
        return
    low, high = value_of(found, one) ** 2, value_of(found + 1, one) ** 2
    before = value_of(found - 1, one) ** 2
    if mode in {"rz", "rm"}:
        assert low <= exact < high
    elif mode == "rp":
        assert before < exact <= low
    else:
        half, next_half = ((value_of(found, one) + value_of(found + step, one)) / 2 for step in (-1, 1))
        assert half**2 <= exact <= next_half**2


@pytest.mark.parametrize(("source", "target"), [(a, b) for a in FORMATS for b in FORMATS if a != b])
@settings(max_examples=25)
@given(st.data())
def test_conversions_between_formats(source: str, target: str, data: st.DataObject) -> None:
    """In each mode."""
    of, to, mode = FORMATS[source], FORMATS[target], data.draw(st.sampled_from(MODES))
    bits = data.draw(edges(of))
    exact = value_of(bits, of)
    if exact:
        assert floats.converted(bits, of, to, mode) == nearest(exact, to, mode)
    else:
        assert floats.converted(bits, of, to, mode) == (to.sign if bits else 0)


@pytest.mark.parametrize("source", FORMATS)
@settings(max_examples=25)
@given(st.data())
def test_conversions_to_integers(source: str, data: st.DataObject) -> None:
    """The whole number in the direction of the mode, clamped."""
    of = FORMATS[source]
    bits = data.draw(edges(of))
    exact = value_of(bits, of)
    round_: dict[str, Any] = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}
    for mode, function in round_.items():
        whole = function(exact)
        for type_, low, high in (("s32", -1 << 31, (1 << 31) - 1), ("u8", 0, 255), ("u64", 0, (1 << 64) - 1)):
            wanted = min(max(whole, low), high) % (1 << int(type_[1:]))
            assert meaning(f"cvt.{mode}.{type_}.{source}")(bits) == wanted
        same = meaning(f"cvt.{mode}.{source}.{source}")(bits)
        assert value_of(same, of) == whole
        assert (same >= of.sign) == (bits >= of.sign)


@settings(max_examples=25)
@given(st.integers(-(1 << 63), (1 << 63) - 1), st.sampled_from(MODES), st.sampled_from(["f16", "f32", "f64"]))
def test_conversions_of_integers(number: int, mode: str, target: str) -> None:
    """Signed and unsigned."""
    one = FORMATS[target]
    assert meaning(f"cvt.{mode}.{target}.s64")(number % (1 << 64)) == nearest(Fraction(number), one, mode)
    assert meaning(f"cvt.{mode}.{target}.u64")(abs(number)) == nearest(Fraction(abs(number)), one, mode)


def single(value: float) -> int:
    """Return the bits of a number."""
    return int.from_bytes(struct.pack("<f", value), "little")


INF, NAN, ONE, MINUS = F32.infinity, 0x7FC00000, F32.one, F32.sign
LEAST = 1
"""The bits of the smallest subnormal number."""


@each(
    "text, values, wanted",
    [
        ("add.f32", (MINUS, MINUS), MINUS),
        ("add.f32", (0, MINUS), 0),
        ("add.rm.f32", (0, MINUS), MINUS),
        ("add.rm.f32", (ONE, ONE | MINUS), MINUS),
        ("add.f32", (ONE, ONE | MINUS), 0),
        ("add.f32", (INF, INF | MINUS), F32.nan),
        ("add.f32", (INF, ONE), INF),
        ("add.f32", (ONE, INF | MINUS), INF | MINUS),
        ("add.f32", (NAN, ONE), F32.nan),
        ("sub.f32", (INF, INF), F32.nan),
        ("sub.f32", (ONE, NAN), F32.nan),
        ("mul.f32", (INF, 0), F32.nan),
        ("mul.f32", (INF, ONE | MINUS), INF | MINUS),
        ("mul.f32", (ONE, NAN), F32.nan),
        ("mul.f32", (MINUS, ONE), MINUS),
        ("fma.rn.f32", (INF, 0, ONE), F32.nan),
        ("fma.rn.f32", (INF, ONE, INF | MINUS), F32.nan),
        ("fma.rn.f32", (INF, ONE, INF), INF),
        ("fma.rn.f32", (ONE, INF, ONE), INF),
        ("fma.rn.f32", (ONE, ONE, INF), INF),
        ("fma.rn.f32", (ONE, ONE, NAN), F32.nan),
        ("fma.rn.f32", (ONE, NAN, ONE), F32.nan),
        ("mad.rn.f32", (ONE, ONE, ONE), 0x40000000),
        ("div.rn.f32", (0, 0), F32.nan),
        ("div.rn.f32", (INF, INF), F32.nan),
        ("div.rn.f32", (ONE, MINUS), INF | MINUS),
        ("div.rn.f32", (INF, ONE), INF),
        ("div.rn.f32", (ONE, INF), 0),
        ("div.rn.f32", (ONE, NAN), F32.nan),
        ("div.full.f32", (ONE, 0x40000000), 0x3F000000),
        ("div.approx.f32", (ONE, 0x40000000), 0x3F000000),
        ("div.approx.f32", (ONE, 0x7F000000), 0),
        ("div.approx.f32", (INF, 0x7F000000), F32.nan),
        ("div.approx.f32", (ONE, 0x7E800000), 0x00800000),
        ("sqrt.rn.f32", (MINUS,), MINUS),
        ("sqrt.rn.f32", (ONE | MINUS,), F32.nan),
        ("sqrt.rn.f32", (INF,), INF),
        ("sqrt.approx.f32", (NAN,), F32.nan),
        ("rcp.rn.f32", (0x40000000,), 0x3F000000),
        ("rcp.approx.f32", (MINUS,), INF | MINUS),
        ("neg.f32", (ONE,), ONE | MINUS),
        ("abs.ftz.f32", (LEAST | MINUS,), 0),
        ("add.ftz.f32", (LEAST, LEAST), 0),
        ("mul.ftz.f32", (0x00800000, 0x3F000000), 0),
        ("mul.f32", (0x00800000, 0x3F000000), 0x00400000),
        ("add.sat.f32", (ONE, ONE), ONE),
        ("add.sat.f32", (ONE | MINUS, 0), 0),
        ("add.sat.f32", (NAN, 0), 0),
        ("add.sat.f32", (0x3F000000, 0), 0x3F000000),
        ("min.f32", (NAN, ONE), ONE),
        ("min.f32", (ONE, NAN), ONE),
        ("min.f32", (NAN, NAN), F32.nan),
        ("min.NaN.f32", (ONE, NAN), F32.nan),
        ("min.f32", (0, MINUS), MINUS),
        ("max.f32", (0, MINUS), 0),
        ("min.f32", (ONE, ONE | MINUS), ONE | MINUS),
        ("min.f32", (ONE | MINUS, ONE), ONE | MINUS),
        ("max.f32", (ONE, ONE | MINUS), ONE),
        ("max.f32", (ONE | MINUS, ONE), ONE),
        ("max.f32", (ONE, ONE), ONE),
        ("min.f32", (ONE, ONE), ONE),
        ("fma.rn.relu.f16", (0x3C00, 0xBC00, 0), 0),
        ("fma.rn.relu.f16", (0x7E00, 0xBC00, 0), 0x7FFF),
        ("fma.rn.relu.bf16", (0x3F80, 0x3F80, 0), 0x3F80),
        ("add.f16x2", (0x3C004000, 0x3C003C00), 0x40004200),
        ("add.f64", (0xFFF0 << 48, 0x7FF0 << 48), 0xFFF8 << 48),
        ("add.f64", (0, 0x7FF4 << 48 | 5), 0x7FFC << 48 | 5),
        ("cvt.f64.f32", (0x7F800001,), 0x7FF8_0000_2000_0000),
        ("cvt.f64.f32", (0xFFC00000,), 0xFFF8 << 48),
        ("cvt.f64.f32", (INF | MINUS,), 0xFFF0 << 48),
        ("cvt.rn.f32.f64", (0xFFF4_1234_5678_9ABC,), 0xFFE0_91A2),
        ("cvt.rn.f16.f64", (0x7FF8 << 48,), 0x7E00),
        ("cvt.f32.bf16", (0xFFA3,), 0xFFA3_0000),
        ("cvt.ftz.f64.f32", (0xFFC00000,), 0x7FFF_FFFF_E000_0000),
        ("cvt.rna.tf32.f32", (0x3F801000,), 0x3F802000),
        ("cvt.rna.tf32.f32", (0x7F800001,), INF),
        ("cvt.rna.satfinite.tf32.f32", (INF | MINUS,), 0xFF7FE000),
        ("cvt.rna.satfinite.tf32.f32", (NAN,), 0x7FBFE000),
        ("cvt.rp.ftz.f16.f32", (LEAST,), 1),
        ("cvt.rn.tf32.f32", (0x3F801000,), 0x3F800000),
        ("cvt.rz.relu.tf32.f32", (0xBF801000,), 0),
        ("cvt.rn.satfinite.f16.f32", (INF | MINUS,), 0xFBFF),
        ("cvt.rn.satfinite.bf16.f32", (NAN,), 0x7FFF),
        ("cvt.rz.relu.satfinite.f16x2.f32", (INF, MINUS | INF), 0x7BFF0000),
        ("cvt.rn.satfinite.e4m3x2.f32", (single(464.5), MINUS | single(2.0**-10)), 0x7E80),
        ("cvt.rn.satfinite.e4m3x2.f32", (NAN, single(2.0**-9)), 0x7F01),
        ("cvt.rn.satfinite.relu.e4m3x2.f32", (MINUS | NAN, MINUS | INF), 0x7F00),
        ("cvt.rn.satfinite.e5m2x2.f32", (MINUS | INF, single(61440.0)), 0xFB7B),
        ("cvt.rn.satfinite.e5m2x2.f16x2", (0xFC00_3C80,), 0xFB3C),
        ("cvt.rn.satfinite.e4m3x2.f16x2", (0x7C01_3C40,), 0x7F38),
        ("cvt.rn.f16x2.e4m3x2", (0x7E01,), 0x5F001800),
        ("cvt.rn.f16x2.e4m3x2", (0xFF80,), 0x7FFF8000),
        ("cvt.rn.f16x2.e5m2x2", (0xFC7D,), 0xFC007FFF),
        ("cvt.rn.relu.f16x2.e4m3x2", (0xB838,), 0x3C00),
        ("cvt.pack.sat.u16.s32", (0x12345, 0xFFFFFFFF), 0xFFFF0000),
        ("cvt.pack.sat.s8.s32.b32", (0xFFFFFF00, 200, 0x12345), 0x2345807F),
        ("add.u16x2", (0xFFFF0001, 0x00010001), 2),
        ("min.s16x2", (0x80007FFF, 0x00010001), 0x80000001),
        ("max.relu.s16x2", (0x8000FFFF, 0xFFFF0001), 1),
        ("neg.f32", (NAN,), F32.nan),
        ("abs.f32", (NAN | MINUS,), F32.nan),
        ("neg.f64", (0xFFF4 << 48,), 0xFFFC << 48),
        ("abs.f64", (0xFFF4 << 48,), 0xFFFC << 48),
        ("add.f64", (0x7FF8 << 48, 0xFFF8 << 48), 0xFFF8 << 48),
        ("mul.f64", (0x7FF8 << 48, 0xFFF8 << 48), 0xFFF8 << 48),
        ("min.f64", (0x7FF8 << 48, 0xFFF8 << 48), 0xFFF8 << 48),
        ("div.rn.f64", (0x7FF8 << 48, 0xFFF8 << 48), 0x7FF8 << 48),
        ("fma.rn.f64", (0x7FF8 << 48, 0xFFF8 << 48, 0x7FF9 << 48), 0xFFF8 << 48),
        ("fma.rn.f64", (0x7FF8 << 48, 0, 0x7FF9 << 48), 0x7FF9 << 48),
        ("div.rp.ftz.f32", (0x00800000, 0x3F800001), 0),
        ("div.rp.f32", (0x00800000, 0x3F800001), 0x00800000),
        ("mul.ftz.f16", (0x0400, 0x3BFF), 0),
        ("cvt.rn.ftz.f32.f64", (0x380F_FFFF_FFFF_FFFF,), 0x00800000),
        ("min.xorsign.abs.f32", (0xFFA12345, 1), MINUS | 1),
        ("max.xorsign.abs.f32", (ONE | MINUS, 0x40000000 | MINUS), 0x40000000),
        ("min.NaN.xorsign.abs.f32", (MINUS, NAN), F32.nan),
        ("rcp.approx.ftz.f64", (0x3FF8 << 48 | 5,), 0x3FE5_5555 << 32),
        ("rcp.approx.ftz.f64", (0x7FF0_0000_0000_0001,), 0),
        ("rcp.approx.ftz.f64", (0xFFF8 << 48,), 0x7FFF_FFFF << 32),
        ("rsqrt.approx.ftz.f64", (0x3FF8 << 48,), 0x3FEA_20BD << 32),
        ("rsqrt.approx.ftz.f64", (0xBFF0 << 48,), 0x7FFF_FFFF << 32),
        ("rsqrt.approx.f64", (0xFFF4 << 48,), 0xFFFC << 48),
        ("testp.normal.f32", (MINUS,), 1),
        ("testp.normal.f32", (LEAST,), 0),
        ("cvt.ftz.f64.f32", (LEAST,), 0),
        ("cvt.rn.ftz.f32.f64", (0x3690_0000_0000_0000 + (1 << 56),), 0),
        ("cvt.sat.f32.f32", (0x40000000,), ONE),
        ("cvt.rzi.f32.f32", (INF,), INF),
        ("cvt.rzi.f32.f32", (NAN,), F32.nan),
        ("cvt.rzi.s32.f32", (NAN,), 0),
        ("cvt.rzi.s32.f64", (0x7FF8 << 48,), 1 << 31),
        ("cvt.rzi.u64.f32", (NAN,), 1 << 63),
        ("cvt.rzi.s32.f32", (INF | MINUS,), 1 << 31),
        ("cvt.rzi.u32.f32", (INF,), 0xFFFFFFFF),
        ("cvt.rpi.ftz.s32.f32", (LEAST,), 0),
        ("cvt.rpi.s32.f32", (LEAST,), 1),
        ("cvt.rn.sat.f32.s32", (5,), ONE),
        ("cvt.rn.f16x2.f32", (ONE, 0x40000000), 0x3C004000),
        ("cvt.rn.relu.bf16x2.f32", (ONE | MINUS, ONE), 0x3F80),
        ("cvt.rn.relu.f16.f32", (ONE | MINUS,), 0),
        ("cvt.sat.u8.s32", (300,), 255),
        ("cvt.sat.s8.s32", (0xFFFFFF00,), 0x80),
        ("cvt.u8.s32", (300,), 44),
        ("cvt.s64.s32", (0xFFFFFFFF,), (1 << 64) - 1),
        ("cvt.u64.u32", (0xFFFFFFFF,), 0xFFFFFFFF),
    ],
)
def test_special_values(text: str, values: tuple[int, ...], wanted: int) -> None:
    """Zeros, infinities, NaNs, subnormals, and what modifiers make of them."""
    assert meaning(text)(*values) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "sqrt.approx.ftz.f64",
        "add.ftz.f64",
        "sqrt.rn.ftz.f64",
        "cvt.rna.f32.f64",
        "min.xorsign.f32",
        "add.f32x2",
        "lg2.approx.e4m3",
        "cvt.rn.tf32.f16",
        "cvt.rn.satfinite.tf32.f32",
        "cvt.ftz.f32.bf16",
        "cvt.rz.relu.satfinite.tf32.f32",
        "cvt.rn.bf16x2.e4m3x2",
        "cvt.rn.satfinite.e4m3x2.e5m2x2",
        "cvt.pack.sat.u32.s32",
        "sub.u16x2.u32",
        "cvt.rn.f32.e4m3",
        "sqrt.rn.u32",
        "rem.f32",
        "add.f32.f16",
        "sin.approx.s32",
    ],
)
def test_what_is_not_run_is_refused_by_name(text: str) -> None:
    """A modifier, or a type."""
    with pytest.raises(NotRun, match=r"its (modifier|type) \."):
        meaning(text)


def test_formats() -> None:
    """They are those of IEEE 754, and bfloat16."""
    assert (F16.one, BF16.one, F32.one, F64.one) == (0x3C00, 0x3F80, 0x3F800000, 0x3FF0 << 48)
