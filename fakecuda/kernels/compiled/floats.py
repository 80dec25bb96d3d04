"""Floating-point instructions as LLVM IR.

Values are integers with the bits of their format between instructions, so that no NaN is changed on its way. A processor's
own instructions compute ``f32`` and ``f64``, rounded to the nearest value; :mod:`~fakecuda.kernels.compiled.rounding` the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.arithmetic import PAIRS, ROUNDINGS
from fakecuda.kernels.compiled import approximate, rounding
from fakecuda.kernels.compiled.formats import NAMES, bits_of, finished, flushed, is_nan, magnitude, nan_of, value
from fakecuda.kernels.floats import F32, F64, FORMATS, NEAREST
from fakecuda.kernels.row import Meaning, refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.lines import Lines
    from fakecuda.kernels.floats import Format
    from fakecuda.kernels.row import Row

LEAST = 0x380FFFFFF0000000
"""The bits of the ``f64`` below which an ``f32`` product is subnormal."""


def saturated(o: Lines, bits: str, one: Format) -> str:
    """Return bits clamped to [0, 1]; 0 for a NaN."""
    of = f"i{one.bits}"
    most = o.choose(o(f"icmp ult {of} {bits}, {one.one}"), of, bits, one.one)
    nothing = o(f"or i1 {is_nan(o, bits, one)}, {o(f'icmp slt {of} {bits}, 0')}")
    return o.choose(nothing, of, 0, most)


def binary(word: str, *, first: bool = False) -> Callable[..., str]:
    """Return the function of an LLVM instruction with two operands."""

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


def comparable(o: Lines, bits: str, one: Format) -> tuple[str, str]:
    """Return a value that processors can compare, and its type."""
    if one.bits in NAMES:
        return value(o, bits, one), NAMES[one.bits]
    return rounding.single(o, bits, one), NAMES[F32.bits]


def extreme(o: Lines, one: Format, a: str, b: str, *, word: str, strict: bool, signs: bool) -> str:
    """Return the smaller or larger value; a number wins against NaN unless strict.

    With ``signs`` it compares magnitudes, and a number has the product of the signs.
    """
    of = f"i{one.bits}"
    one_nan, other = is_nan(o, a, one), is_nan(o, b, one)
    nan = nan_of(o, one, b, a)
    sign = "0"
    if signs:
        sign = o(f"and {of} {o(f'xor {of} {a}, {b}')}, {one.sign}")
        a, b = magnitude(o, a, one), magnitude(o, b, one)
    (first, type_), (second, _) = comparable(o, a, one), comparable(o, b, one)
    less, more = (o(f"fcmp {how} {type_} {first}, {second}") for how in ("olt", "ogt"))
    if word == "max":
        less, more = more, less
    same = o(f"{'or' if word == 'min' else 'and'} {of} {a}, {b}")
    found = o.choose(less, of, a, o.choose(more, of, b, same))
    found = o.choose(other, of, a, o.choose(one_nan, of, b, found))
    found = o(f"or {of} {found}, {sign}") if signs else found
    none = o(f"{'or' if strict else 'and'} i1 {one_nan}, {other}")
    return o.choose(none, of, nan, found)


def product(o: Lines, one: Format, a: str, b: str) -> str:
    """Return the product of ``.ftz``, which flushes subnormal results."""
    first, second = (o(f"fpext float {value(o, operand, one)} to double") for operand in (a, b))
    exact = o(f"fmul double {first}, {second}")
    bits = finished(o, o(f"fptrunc double {exact} to float"), one, b, a)
    small = o(f"icmp ult i64 {magnitude(o, bits_of(o, exact, F64), F64)}, {LEAST}")
    return o.choose(small, "i32", o(f"and i32 {bits}, {one.sign}"), bits)


def sum_of(word: str) -> Callable[..., str]:
    """Return the function of a sum with ``.ftz``, flushed after rounding."""
    function = binary(word)
    return lambda o, one, a, b: flushed(o, function(o, one, a, b), one)


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
}
"""Instructions that are computed directly with ``.ftz``."""


def _function(row: Row, name: str, one: Format, *, flush: bool) -> tuple[Callable[..., str], int]:
    """Return the function of an instruction that rounds once, with its operand count."""
    mode = row.take(*ROUNDINGS, default=NEAREST)
    if name not in DIRECT:
        refuse("its form")
    function, count = DIRECT[name]
    if name in {"neg", "abs"}:
        return function, count
    if one is F64 and mode != NEAREST:
        return lambda o, _one, *operands: rounding.directed(o, name, mode, *operands), count
    if flush and mode == NEAREST and name in FLUSHING and one is F32:
        function = FLUSHING[name]
    elif one.bits not in NAMES or mode != NEAREST or flush:
        result = one.flushing if flush else one

        def function(o: Lines, _one: Format, *operands: str) -> str:
            return rounding.computed(o, name, result, mode, *operands)

    return function, count


def total(one: Format) -> Callable[..., str]:
    """Return the function of an atomic addition, rounded to nearest."""
    if one.bits in NAMES:
        return lambda o, a, b: DIRECT["add"][0](o, one, a, b)
    return lambda o, a, b: rounding.computed(o, "add", one, NEAREST, a, b)


def lesser_or_greater(word: str, one: Format) -> Callable[..., str]:
    """Return the function of an atomic ``min`` or ``max``."""
    return lambda o, a, b: extreme(o, one, a, b, word=word, strict=False, signs=False)


def rectified(o: Lines, bits: str, one: Format) -> str:
    """Return bits, or 0 if they are negative."""
    return o.choose(o(f"icmp slt i{one.bits} {bits}, 0"), f"i{one.bits}", 0, bits)


def paired(function: Callable[..., str]) -> Callable[..., str]:
    """Return a function of words with two packed values."""

    def both(o: Lines, *words: str) -> str:
        low = function(o, *[o(f"trunc i32 {word} to i16") for word in words])
        high = function(o, *[o(f"trunc i32 {o(f'lshr i32 {word}, 16')} to i16") for word in words])
        high = o(f"shl i32 {o(f'zext i16 {high} to i32')}, 16")
        return o(f"or i32 {high}, {o(f'zext i16 {low} to i32')}")

    return both


def floating(row: Row, type_: str) -> Meaning:
    """Return the meaning of an instruction for floating-point values."""
    name, one = row.name, FORMATS[PAIRS.get(type_, type_)]
    approximately = row.take("approx", "full")
    flush, saturate = (approximately or one is not F64) and row.flag("ftz"), row.flag("sat")
    function: Callable[..., str]
    if name in {"min", "max"}:
        strict, count = row.flag("NaN"), 2
        signs = "abs" in row.words and row.flag("xorsign") and row.flag("abs")
        if len(row.shapes) > 3:  # noqa: PLR2004 - a result and two operands
            refuse("its form with three operands")

        def function(o: Lines, one: Format, a: str, b: str) -> str:
            return extreme(o, one, a, b, word=name, strict=strict, signs=signs)
    elif approximately:
        function, count = approximate.function_of(name, one, approximately, flush=flush)
    else:
        function, count = _function(row, name, one, flush=flush)
    relu = row.flag("relu")

    def whole(o: Lines, *operands: str) -> str:
        if flush:
            operands = tuple([flushed(o, operand, one) for operand in operands])
        found = function(o, one, *operands)
        found = saturated(o, found, one) if saturate else found
        return rectified(o, found, one) if relu else found

    return Meaning(paired(whole) if type_ in PAIRS else whole, (type_,), (type_,) * count)
