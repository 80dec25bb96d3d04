"""Bits of floating-point formats as LLVM IR: values, magnitudes and NaNs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakecuda.kernels.compiled.lines import Lines
    from fakecuda.kernels.floats import Format

NAMES = {32: "float", 64: "double"}
"""The floating-point formats of processors, by bits."""


def value(o: Lines, bits: str, one: Format) -> str:
    """Return bits as a floating-point value."""
    return o(f"bitcast i{one.bits} {bits} to {NAMES[one.bits]}")


def bits_of(o: Lines, found: str, one: Format) -> str:
    """Return the bits of a floating-point value."""
    return o(f"bitcast {NAMES[one.bits]} {found} to i{one.bits}")


def magnitude(o: Lines, bits: str, one: Format) -> str:
    """Return bits without their sign."""
    return o(f"and i{one.bits} {bits}, {one.sign - 1}")


def is_nan(o: Lines, bits: str, one: Format) -> str:
    """Return whether bits are a NaN."""
    return o(f"icmp ugt i{one.bits} {magnitude(o, bits, one)}, {one.last}")


def nan_of(o: Lines, one: Format, *operands: str) -> str:
    """Return the NaN that an operation returns for NaN operands."""
    found = str(one.nan)
    if one.keeps:
        for operand in reversed(operands):
            quiet = o(f"or i{one.bits} {operand}, {1 << one.fraction - 1}")
            found = o.choose(is_nan(o, operand, one), f"i{one.bits}", quiet, found)
    return found


def finished(o: Lines, found: str, one: Format, *operands: str) -> str:
    """Return the bits of a result, with the NaN that a card returns."""
    bits = bits_of(o, found, one)
    if o.any_nan:
        return bits
    return o.choose(is_nan(o, bits, one), f"i{one.bits}", nan_of(o, one, *operands), bits)


def finite(o: Lines, bits: str, one: Format) -> str:
    """Return finite bits; the largest number for an infinity."""
    infinite = o(f"icmp eq i{one.bits} {magnitude(o, bits, one)}, {one.infinity}")
    return o.choose(infinite, f"i{one.bits}", o(f"sub i{one.bits} {bits}, 1"), bits)


def flushed(o: Lines, bits: str, one: Format) -> str:
    """Return bits, or a signed zero if they are subnormal."""
    exponent = o(f"and i{one.bits} {bits}, {one.infinity}")
    sign = o(f"and i{one.bits} {bits}, {one.sign}")
    return o.choose(o(f"icmp eq i{one.bits} {exponent}, 0"), f"i{one.bits}", sign, bits)
