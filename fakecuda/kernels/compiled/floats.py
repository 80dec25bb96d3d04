"""Floating-point instructions as LLVM IR: ``f32`` and ``f64``, rounded to the nearest value.

Values are integers with the bits of their format between instructions, so that no NaN is changed on its way. Other
roundings are not lowered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.floats import F32, F64, FORMATS
from fakecuda.kernels.row import Meaning, refuse, refuse_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.lines import Lines
    from fakecuda.kernels.floats import Format
    from fakecuda.kernels.row import Row

NAMES = {32: "float", 64: "double"}
LARGE = 0x7E800000
"""The bits of 2**126."""
LEAST = 0x380FFFFFF0000000
"""The bits of the ``f64`` below which a product of ``f32`` is rounded to less than the least normal number, 2**-126."""


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
    return o(f"icmp ugt i{one.bits} {magnitude(o, bits, one)}, {one.infinity}")


def nan_of(o: Lines, one: Format, *operands: str) -> str:
    """Return the NaN of an operation, which ``f64`` makes of the first of some operands that is a NaN."""
    found = str(one.nan)
    if one.keeps:
        for operand in reversed(operands):
            quiet = o(f"or i{one.bits} {operand}, {1 << one.fraction - 1}")
            found = o.choose(is_nan(o, operand, one), f"i{one.bits}", quiet, found)
    return found


def finished(o: Lines, found: str, one: Format, *operands: str) -> str:
    """Return the bits of a result, with the NaN that a card returns."""
    bits = bits_of(o, found, one)
    return o.choose(is_nan(o, bits, one), f"i{one.bits}", nan_of(o, one, *operands), bits)


def flushed(o: Lines, bits: str, one: Format) -> str:
    """Return bits, or zero with their sign if they are subnormal."""
    exponent = o(f"and i{one.bits} {bits}, {one.infinity}")
    sign = o(f"and i{one.bits} {bits}, {one.sign}")
    return o.choose(o(f"icmp eq i{one.bits} {exponent}, 0"), f"i{one.bits}", sign, bits)


def saturated(o: Lines, bits: str, one: Format) -> str:
    """Return bits clamped to 0 and 1; 0 for a NaN."""
    of = f"i{one.bits}"
    most = o.choose(o(f"icmp ult {of} {bits}, {one.one}"), of, bits, one.one)
    nothing = o(f"or i1 {is_nan(o, bits, one)}, {o(f'icmp slt {of} {bits}, 0')}")
    return o.choose(nothing, of, 0, most)


def binary(word: str, *, first: bool = False) -> Callable[..., str]:
    """Return the function of an instruction of LLVM with two operands; of two NaNs, the second counts, or the first."""

    def function(o: Lines, one: Format, a: str, b: str) -> str:
        found = o(f"{word} {NAMES[one.bits]} {value(o, a, one)}, {value(o, b, one)}")
        return finished(o, found, one, *((a, b) if first else (b, a)))

    return function


def fma(o: Lines, one: Format, a: str, b: str, c: str) -> str:
    """Return ``a * b + c``, rounded once."""
    of = NAMES[one.bits]
    found = o.call(of, f"llvm.fma.f{one.bits}", *[f"{of} {value(o, operand, one)}" for operand in (a, b, c)])
    return finished(o, found, one, b, c, a)


def root(o: Lines, one: Format, a: str) -> str:
    """Return the square root."""
    of = NAMES[one.bits]
    return finished(o, o.call(of, f"llvm.sqrt.f{one.bits}", f"{of} {value(o, a, one)}"), one, a)


def reciprocal(o: Lines, one: Format, a: str) -> str:
    """Return ``1 / a``."""
    return binary("fdiv", first=True)(o, one, str(one.one), a)


def negative(o: Lines, one: Format, a: str) -> str:
    """Return ``-a``."""
    found = o(f"xor i{one.bits} {a}, {one.sign}")
    return o.choose(is_nan(o, a, one), f"i{one.bits}", nan_of(o, one, a), found)


def absolute(o: Lines, one: Format, a: str) -> str:
    """Return ``a`` without its sign."""
    return o.choose(is_nan(o, a, one), f"i{one.bits}", nan_of(o, one, a), magnitude(o, a, one))


def extreme(o: Lines, one: Format, a: str, b: str, *, word: str, strict: bool) -> str:
    """Return the smaller or the larger value, -0 being smaller than 0; of a number and a NaN the number, unless strict."""
    of = f"i{one.bits}"
    first, second = value(o, a, one), value(o, b, one)
    type_ = NAMES[one.bits]
    less, more = (o(f"fcmp {how} {type_} {first}, {second}") for how in ("olt", "ogt"))
    if word == "max":
        less, more = more, less
    same = o(f"{'or' if word == 'min' else 'and'} {of} {a}, {b}")
    found = o.choose(less, of, a, o.choose(more, of, b, same))
    one_nan, other = is_nan(o, a, one), is_nan(o, b, one)
    nan = nan_of(o, one, b, a)
    found = o.choose(one_nan, of, nan if strict else b, found)
    found = o.choose(other, of, nan if strict else a, found)
    return o.choose(o(f"and i1 {one_nan}, {other}"), of, nan, found)


def product(o: Lines, one: Format, a: str, b: str) -> str:
    """Return the product of ``.ftz``, which is zero below the normal numbers; a double holds it exactly."""
    first, second = (o(f"fpext float {value(o, operand, one)} to double") for operand in (a, b))
    exact = o(f"fmul double {first}, {second}")
    bits = finished(o, o(f"fptrunc double {exact} to float"), one, b, a)
    small = o(f"icmp ult i64 {magnitude(o, bits_of(o, exact, F64), F64)}, {LEAST}")
    return o.choose(small, "i32", o(f"and i32 {bits}, {one.sign}"), bits)


def sum_of(word: str) -> Callable[..., str]:
    """Return the function of a sum of ``.ftz``; a subnormal sum is exact, so that it may be flushed after it."""
    function = binary(word)
    return lambda o, one, a, b: flushed(o, function(o, one, a, b), one)


def divided(o: Lines, one: Format, a: str, b: str) -> str:
    """Return ``a / b`` as ``div.approx`` does: 0 for divisors from 2**126, which are infinitely large to it."""
    large, sign = magnitude(o, b, one), o(f"and i32 {b}, {one.sign}")
    beyond = o(f"icmp ugt i32 {large}, {LARGE}")
    beyond = o(f"and i1 {beyond}, {o(f'icmp ult i32 {large}, {one.infinity}')}")
    infinite = o(f"or i32 {sign}, {one.infinity}")
    return DIRECT["div"][0](o, one, a, o.choose(beyond, "i32", infinite, b))


DIRECT: dict[str, tuple[Callable[..., str], int]] = {
    "add": (binary("fadd"), 2),
    "sub": (binary("fsub"), 2),
    "mul": (binary("fmul"), 2),
    "div": (binary("fdiv", first=True), 2),
    "fma": (fma, 3),
    "mad": (fma, 3),
    "sqrt": (root, 1),
    "rcp": (reciprocal, 1),
    "neg": (negative, 1),
    "abs": (absolute, 1),
}
"""Instructions with their number of operands."""
FLUSHING: dict[str, Callable[..., str]] = {
    "add": sum_of("fadd"),
    "sub": sum_of("fsub"),
    "mul": product,
    "neg": negative,
    "abs": absolute,
}
"""Those that are lowered with ``.ftz``."""


def floating(row: Row, type_: str) -> Meaning:
    """Return the meaning of an instruction for floating-point values."""
    name, one = row.name, FORMATS[type_]
    if one.bits not in NAMES:
        refuse_type(type_)
    approximately = row.take("approx", "full")
    flush, saturate = one is F32 and row.flag("ftz"), row.flag("sat")
    function: Callable[..., str]
    if name in {"min", "max"}:
        strict, count = row.flag("NaN"), 2
        if len(row.shapes) > 3:  # noqa: PLR2004 - a result and two operands
            refuse("its form with three operands")

        def function(o: Lines, one: Format, a: str, b: str) -> str:
            return extreme(o, one, a, b, word=name, strict=strict)
    elif name not in DIRECT or (flush and name not in FLUSHING) or (approximately and name != "div"):
        refuse("its form")
    else:
        row.flag("rn")
        function, count = DIRECT[name]
        if flush:
            function = FLUSHING[name]
        elif approximately == "approx":
            function = divided

    def whole(o: Lines, *operands: str) -> str:
        if flush:
            operands = tuple([flushed(o, operand, one) for operand in operands])
        found = function(o, one, *operands)
        return saturated(o, found, one) if saturate else found

    return Meaning(whole, (type_,), (type_,) * count)
