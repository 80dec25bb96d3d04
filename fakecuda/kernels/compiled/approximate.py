"""Functions that a card approximates, as LLVM IR: C library doubles, rounded once.

The C library's functions have names of our own in the code, so that LLVM does not replace them by what it knows of them.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from fakecuda.kernels.approximate import UPPER_WORD
from fakecuda.kernels.compiled import formats, rounding
from fakecuda.kernels.floats import F64, NEAREST, ZERO

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.lines import Lines
    from fakecuda.kernels.floats import Format

PREFIX = "fakecuda."
LIBRARY = ("sin", "cos", "tanh", "exp2", "log2")
"""The functions of the C library."""
LARGEST = 1023
"""The largest exponent of a double."""


def symbols() -> dict[str, int]:
    """Return the addresses of the C library's functions by their names in the code."""
    library = ctypes.CDLL("libm.so.6")
    return {PREFIX + name: ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in LIBRARY}


def _wide(o: Lines, a: str, one: Format) -> str:
    """Return a value as a double."""
    return formats.value(o, a, one) if one.bits == F64.bits else rounding.widened(o, a, one)


def _narrow(o: Lines, found: str, one: Format) -> str:
    """Return the bits of a double in a format."""
    bits = formats.bits_of(o, found, F64)
    return bits if one.bits == F64.bits else rounding.narrowed(o, bits, one, NEAREST)


def _called(o: Lines, name: str, a: str, one: Format) -> str:
    """Return the bits of a C library function's result."""
    return _narrow(o, o.call("double", PREFIX + name, f"double {_wide(o, a, one)}"), one)


def _or_nan(o: Lines, wrong: str, one: Format, found: str) -> str:
    return o.choose(wrong, f"i{one.bits}", one.nan, found)


def circular(name: str) -> Callable[..., str]:
    """Return the sine or the cosine; a NaN for infinities."""

    def found(o: Lines, one: Format, a: str) -> str:
        endless = o(f"icmp uge i{one.bits} {formats.magnitude(o, a, one)}, {one.infinity}")
        return _or_nan(o, endless, one, _called(o, name, a, one))

    return found


def tangent(o: Lines, one: Format, a: str) -> str:
    """Return the hyperbolic tangent."""
    return _or_nan(o, formats.is_nan(o, a, one), one, _called(o, "tanh", a, one))


def power(o: Lines, one: Format, a: str) -> str:
    """Return 2 to the power of a value."""
    wide = _wide(o, a, one)
    large = o(f"fcmp ogt double {wide}, {LARGEST}.0")
    made = _narrow(o, o.call("double", f"{PREFIX}exp2", f"double {wide}"), one)
    return _or_nan(o, formats.is_nan(o, a, one), one, o.choose(large, f"i{one.bits}", one.infinity, made))


def logarithm(o: Lines, one: Format, a: str) -> str:
    """Return the logarithm to base 2; a NaN for negative values."""
    of = f"i{one.bits}"
    wrong = o(f"or i1 {formats.is_nan(o, a, one)}, {o(f'icmp slt {of} {a}, 0')}")
    made = _or_nan(o, wrong, one, _called(o, "log2", a, one))
    none = o(f"icmp eq {of} {formats.magnitude(o, a, one)}, 0")
    return o.choose(none, of, one.sign | one.infinity, made)


def root_reciprocal(o: Lines, one: Format, a: str) -> str:
    """Return 1 divided by the square root; a NaN for negative values."""
    of = f"i{one.bits}"
    root = o.call("double", "llvm.sqrt.f64", f"double {_wide(o, a, one)}")
    made = _narrow(o, o(f"fdiv double 1.0, {root}"), one)
    made = _or_nan(o, o(f"icmp slt {of} {a}, 0"), one, made)
    made = o.choose(formats.is_nan(o, a, one), of, formats.nan_of(o, one, a), made)
    none = o(f"icmp eq {of} {formats.magnitude(o, a, one)}, 0")
    return o.choose(none, of, o(f"or {of} {a}, {one.infinity}"), made)


FUNCTIONS: dict[str, Callable[..., str]] = {
    "sin": circular("sin"),
    "cos": circular("cos"),
    "tanh": tangent,
    "ex2": power,
    "lg2": logarithm,
    "rsqrt": root_reciprocal,
}
"""The functions without a correctly rounded form, by instruction."""


def of_upper_word(o: Lines, name: str, a: str) -> str:
    """Return ``rcp`` or ``rsqrt`` of a value without its lower word, likewise cut."""
    word = formats.flushed(o, o(f"and i64 {a}, {UPPER_WORD}"), F64)
    if name == "rcp":
        found = formats.flushed(o, rounding.directed(o, name, ZERO, word), F64)
    else:
        found = root_reciprocal(o, F64, word)
    nan = o.choose(formats.is_nan(o, found, F64), "i64", UPPER_WORD & F64.sign - 1, found)
    return o(f"and i64 {nan}, {UPPER_WORD}")
