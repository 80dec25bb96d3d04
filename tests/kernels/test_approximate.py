"""Functions that a card approximates: their errors, and their values at the edges."""

from __future__ import annotations

import math
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakecuda.kernels.floats import F32, F64

from .test_floats import INF, MINUS, NAN, ONE, single
from .world import meaning


@pytest.mark.parametrize(
    ("text", "function", "least", "most", "bound"),
    [
        ("sin", math.sin, -3.140625, 3.140625, lambda _y: 2**-20.5),
        ("cos", math.cos, -3.140625, 3.140625, lambda _y: 2**-20.5),
        ("tanh", math.tanh, -9.0, 9.0, lambda y: abs(y) * 2**-11),
        ("ex2", lambda x: 2.0**x, -125.0, 127.0, lambda y: y * 2**-22),
        ("lg2", math.log2, 2.0**-120, 2.0**120, lambda y: max(2**-22, abs(y) * 2**-22)),
        ("rsqrt", lambda x: 1 / math.sqrt(x), 2.0**-120, 2.0**120, lambda y: y * 2**-22.9),
        ("sqrt", math.sqrt, 2.0**-120, 2.0**120, lambda y: y * 2**-22),
        ("rcp", lambda x: 1 / x, 2.0**-120, 2.0**120, lambda y: y * 2**-23),
    ],
)
@settings(max_examples=25)
@given(st.data())
def test_approximate_functions(
    text: str, function: Any, least: float, most: float, bound: Any, data: st.DataObject
) -> None:
    """Their errors are within the manual's bounds, in sections 9.7.3.13 to 9.7.3.22."""
    x = data.draw(st.floats(least, most, width=32))
    found = struct.unpack("<f", struct.pack("<I", meaning(f"{text}.approx.f32")(single(x))))[0]
    assert abs(found - function(x)) <= bound(function(x))


@pytest.mark.parametrize(
    ("text", "value", "wanted"),
    [
        ("sin.approx.f32", INF, F32.nan),
        ("cos.approx.f32", NAN, F32.nan),
        ("tanh.approx.f32", NAN, F32.nan),
        ("tanh.approx.f32", INF, ONE),
        ("ex2.approx.f32", NAN, F32.nan),
        ("ex2.approx.f32", single(2000.0), INF),
        ("ex2.approx.f32", INF | MINUS, 0),
        ("ex2.approx.ftz.f32", single(-140.0), 0),
        ("ex2.approx.f16", 0x3C00, 0x4000),
        ("lg2.approx.f32", 0, INF | MINUS),
        ("lg2.approx.f32", ONE | MINUS, F32.nan),
        ("lg2.approx.f32", INF, INF),
        ("lg2.approx.f32", NAN, F32.nan),
        ("rsqrt.approx.f32", MINUS, INF | MINUS),
        ("rsqrt.approx.f32", ONE | MINUS, F32.nan),
        ("rsqrt.approx.f32", NAN, F32.nan),
        ("rsqrt.approx.f32", INF, 0),
        ("rsqrt.approx.f64", F64.one, F64.one),
    ],
)
def test_edges_of_approximate_functions(text: str, value: int, wanted: int) -> None:
    """Section by section of the manual."""
    assert meaning(text)(value) == wanted
