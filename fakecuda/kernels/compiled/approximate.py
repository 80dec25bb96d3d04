"""Functions that a card approximates, as LLVM IR, with the pieces of :mod:`fakecuda.kernels.approximate`.

Each is a function of the code that uses it, beside a table of its pieces. Numbers are words of 64 bits until their end.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fakecuda.kernels import approximate
from fakecuda.kernels.approximate import (
    AFTER,
    BIAS,
    DOWN,
    FRACTION,
    FRACTIONS,
    HALF,
    LARGE,
    LESS,
    LOST,
    LOW,
    NORMAL,
    PER_TURN,
    PIECES,
    SCALES,
    TANH,
    TANH_LEAST,
    TURN,
    UP,
    UPPER,
    VARIABLE,
    VARIABLES,
    beyond_of,
)
from fakecuda.kernels.compiled import formats, rounding
from fakecuda.kernels.compiled.lines import Lines
from fakecuda.kernels.floats import F32, F64, NEAREST, ZERO
from fakecuda.kernels.row import refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.floats import Format

    Function = Callable[[Lines, str], str]


def _table(o: Lines, name: str, rows: list[list[int]], row: str) -> list[str]:
    """Return the numbers of a row of a table."""
    width = len(rows[0])
    of = f"[{len(rows)} x [{width} x i64]]"
    text = ", ".join(f"[{width} x i64] [{', '.join(f'i64 {number}' for number in one)}]" for one in rows)
    o.declared.add(f'@"table.{name}" = internal constant {of} [{text}]')
    places = [o(f'getelementptr {of}, ptr @"table.{name}", i64 0, i64 {row}, i64 {number}') for number in range(width)]
    return [o(f"load i64, ptr {place}, align 8") for place in places]


def square(o: Lines, x: str) -> str:
    """Return the square of a variable, as the unit computes it."""
    found = "0"
    for bit in range(10, VARIABLE):
        more = o(f"lshr i64 {o(f'and i64 {x}, {(1 << bit) - 1}')}, {18 - bit}")
        more = o(f"add i64 {more}, {1 << 2 * bit - 19}")
        has = o(f"icmp ne i64 {o(f'and i64 {x}, {1 << bit}')}, 0")
        found = o(f"add i64 {found}, {o.choose(has, 'i64', more, 0)}")
    return found


def value(o: Lines, name: str, piece: str, x: str) -> str:
    """Return a polynomial's sum."""
    constant, linear, quadratic = _table(o, name, PIECES[name], piece)
    more = o(f"shl i64 {o(f'mul i64 {quadratic}, {square(o, x)}')}, 2")
    return o(f"add i64 {o(f'add i64 {constant}, {more}')}, {o(f'mul i64 {linear}, {x}')}")


def at(o: Lines, name: str, place: str) -> str:
    """Return a polynomial's sum for a fraction of 23 bits; bits above them belong to the piece's number."""
    return value(o, name, o(f"lshr i64 {place}, {VARIABLE}"), o(f"and i64 {place}, {VARIABLES}"))


def packed(o: Lines, whole: str, exponent: str, one: Format = F32) -> str:
    """Return ``whole * 2**exponent``, rounded to 0: 0 below the normal numbers, an infinity above the finite ones."""
    none = o(f"icmp eq i64 {whole}, 0")
    zeros = o.call("i64", "llvm.ctlz.i64", f"i64 {o.choose(none, 'i64', 1, whole)}", "i1 false")
    top = o(f"lshr i64 {o(f'shl i64 {whole}, {zeros}')}, {63 - one.fraction}")
    biased = o(f"add i64 {o(f'sub i64 {63 + (one.one >> one.fraction)}, {zeros}')}, {exponent}")
    made = o(f"or i64 {o(f'shl i64 {biased}, {one.fraction}')}, {o(f'and i64 {top}, {(1 << one.fraction) - 1}')}")
    made = o.call("i64", "llvm.smin.i64", f"i64 {made}", f"i64 {one.infinity}")
    small = o(f"or i1 {none}, {o(f'icmp slt i64 {biased}, 1')}")
    return o.choose(small, "i64", 0, made)


def _split(o: Lines, a: str, one: Format = F32) -> tuple[str, str, str]:
    """Return the sign bit, the exponent and the fraction of a value, and of them words of 64 bits."""
    exponent = o(f"lshr i64 {o(f'and i64 {a}, {one.infinity}')}, {one.fraction}")
    return o(f"and i64 {a}, {one.sign}"), exponent, o(f"and i64 {a}, {(1 << one.fraction) - 1}")


def _is(o: Lines, a: str, number: int) -> str:
    return o(f"icmp eq i64 {a}, {number}")


def _is_nan(o: Lines, a: str, one: Format = F32) -> str:
    return o(f"icmp ugt i64 {o(f'and i64 {a}, {one.sign - 1}')}, {one.infinity}")


def reciprocal(o: Lines, a: str, one: Format = F32) -> str:
    """Return 1 divided by a value."""
    sign, exponent, fraction = _split(o, a, one)
    found = at(o, "rcp", o(f"shl i64 {fraction}, {FRACTION + 1 - one.fraction}"))
    found = packed(o, found, o(f"sub i64 {(one.one >> one.fraction) - SCALES['rcp']}, {exponent}"), one)
    found = o.choose(_is(o, exponent, one.infinity >> one.fraction), "i64", 0, found)
    found = o.choose(_is(o, exponent, 0), "i64", one.infinity, found)
    return o.choose(_is_nan(o, a, one), "i64", one.nan, o(f"or i64 {sign}, {found}"))


def root(name: str, o: Lines, a: str, one: Format = F32) -> str:
    """Return the square root or its reciprocal; a NaN for negative values."""
    sign, exponent, fraction = _split(o, a, one)
    bias, inverse = one.one >> one.fraction, name == "rsqrt"
    above = o(f"sub i64 {exponent}, {bias}")
    half, odd = o(f"ashr i64 {above}, 1"), o(f"and i64 {above}, 1")
    half = o(f"sub i64 0, {half}") if inverse else half
    place = o(f"shl i64 {fraction}, {FRACTION - one.fraction}")
    place = o(f"or i64 {place}, {o(f'shl i64 {odd}, {FRACTION}')}")
    found = packed(o, at(o, name, place), o(f"sub i64 {half}, {SCALES[name]}"), one)
    if inverse:
        power = o(f"shl i64 {o(f'add i64 {half}, {bias}')}, {one.fraction}")
        found = o.choose(_is(o, place, 0), "i64", power, found)
    found = o.choose(_is(o, a, one.infinity), "i64", 0 if inverse else one.infinity, found)
    found = o.choose(o(f"icmp ne i64 {sign}, 0"), "i64", one.nan, found)
    zero = o(f"or i64 {sign}, {one.infinity}") if inverse else sign
    found = o.choose(_is(o, exponent, 0), "i64", zero, found)
    return o.choose(_is_nan(o, a, one), "i64", one.nan, found)


def _fixed(o: Lines, exponent: str, fraction: str, shift: str, most: int) -> str:
    """Return a number whose last bit of the fraction has a weight, cut; of a shift of at most so many bits."""
    whole = o.choose(_is(o, exponent, 0), "i64", 0, o(f"or i64 {fraction}, {NORMAL}"))
    left = o.call("i64", "llvm.smin.i64", f"i64 {shift}", f"i64 {most}")
    right = o.call("i64", "llvm.smin.i64", f"i64 {o(f'sub i64 0, {shift}')}", "i64 63")
    up = o(f"shl i64 {whole}, {o.call('i64', 'llvm.smax.i64', f'i64 {left}', 'i64 0')}")
    return o(f"lshr i64 {up}, {o.call('i64', 'llvm.smax.i64', f'i64 {right}', 'i64 0')}")


def power(o: Lines, a: str) -> str:
    """Return 2 to the power of a value."""
    sign, exponent, fraction = _split(o, a)
    shift = o(f"sub i64 {exponent}, {BIAS}")
    fixed = _fixed(o, exponent, fraction, shift, 10)
    whole = _is(o, o(f"and i64 {fixed}, {FRACTIONS}"), 0)
    below = o.choose(whole, "i64", o(f"sub i64 0, {fixed}"), o(f"xor i64 {fixed}, -1"))
    negative = o(f"icmp ne i64 {sign}, 0")
    fixed = o.choose(negative, "i64", below, fixed)
    found = at(o, "ex2", o(f"and i64 {fixed}, {FRACTIONS}"))
    found = packed(o, found, o(f"sub i64 {o(f'ashr i64 {fixed}, {FRACTION}')}, {SCALES['ex2']}"))
    large = o.choose(negative, "i64", 0, F32.infinity)
    found = o.choose(o(f"icmp sgt i64 {shift}, 9"), "i64", large, found)
    return o.choose(_is_nan(o, a), "i64", F32.nan, found)


def logarithm(o: Lines, a: str) -> str:
    """Return the logarithm to base 2; a NaN for negative values."""
    sign, exponent, fraction = _split(o, a)
    scale = SCALES["lg2"]
    whole = o(f"shl i64 {o(f'sub i64 {exponent}, {BIAS}')}, {scale}")
    found = at(o, "lg2", fraction)
    found = o(f"ashr i64 {o(f'add i64 {whole}, {found}')}, {LOST}")
    found = o.choose(_is(o, a, F32.one), "i64", 0, found)
    under = o(f"ashr i64 {found}, 63")
    made = packed(o, o(f"xor i64 {found}, {under}"), str(LOST - scale))
    made = o(f"or i64 {made}, {o(f'and i64 {under}, {F32.sign}')}")
    made = o.choose(_is(o, a, F32.infinity), "i64", F32.infinity, made)
    made = o.choose(o(f"icmp ne i64 {sign}, 0"), "i64", F32.nan, made)
    made = o.choose(_is(o, exponent, 0), "i64", F32.sign | F32.infinity, made)
    return o.choose(_is_nan(o, a), "i64", F32.nan, made)


def circular(quarters: int, o: Lines, a: str) -> str:
    """Return the sine of a value, some quarters of a turn later; a NaN for infinities."""
    turns = rounding.computed(o, "mul", F32, ZERO, o(f"trunc i64 {a} to i32"), str(PER_TURN))
    sign, exponent, fraction = _split(o, o(f"zext i32 {turns} to i64"))
    shift = o(f"add i64 {exponent}, {TURN - FRACTION - BIAS}")
    found = o(f"add i64 {_fixed(o, exponent, fraction, shift, 30)}, {quarters << TURN - 2}")
    back = o(f"ashr i64 {o(f'shl i64 {found}, {63 - FRACTION}')}, 63")
    place = o(f"and i64 {o(f'xor i64 {found}, {back}')}, {FRACTIONS}")
    made = packed(o, at(o, "sin", place), str(-SCALES["sin"]))
    half = o(f"and i64 {o(f'shl i64 {found}, {F32.bits - FRACTION - 2}')}, {F32.sign}")
    half = half if quarters else o(f"xor i64 {half}, {sign}")
    endless = o(f"icmp uge i64 {o(f'and i64 {a}, {F32.sign - 1}')}, {F32.infinity}")
    return o.choose(endless, "i64", F32.nan, o(f"or i64 {made}, {half}"))


def tangent(o: Lines, a: str) -> str:
    """Return the hyperbolic tangent: small values themselves, and 1 from 8."""
    sign, exponent, fraction = _split(o, a)
    number = o(f"sub i64 {exponent}, {TANH_LEAST}")
    within = o.call("i64", "llvm.smax.i64", f"i64 {number}", "i64 0")
    within = o.call("i64", "llvm.smin.i64", f"i64 {within}", f"i64 {len(TANH) - 1}")
    before, bits = _table(o, "tanh.places", [list(one) for one in TANH], within)
    moved = o(f"shl i64 {fraction}, {bits}")
    piece = o(f"add i64 {before}, {o(f'lshr i64 {moved}, {FRACTION}')}")
    x = o(f"and i64 {o(f'lshr i64 {moved}, {FRACTION - VARIABLE}')}, {VARIABLES}")
    found = packed(o, value(o, "tanh", piece, x), str(-SCALES["tanh"]))
    found = o.choose(o(f"icmp sge i64 {number}, {len(TANH)}"), "i64", F32.one, found)
    found = o.choose(o(f"icmp slt i64 {number}, 0"), "i64", a, o(f"or i64 {sign}, {found}"))
    return o.choose(_is_nan(o, a), "i64", F32.nan, found)


UNIT: dict[str, Function] = {"rcp": reciprocal, "ex2": power, "lg2": logarithm, "tanh": tangent}
UNIT |= {name: partial(root, name) for name in AFTER}
UNIT |= {name: partial(circular, quarters) for quarters, name in enumerate(("sin", "cos"))}
"""What the unit computes, by instruction."""


def _defined(o: Lines, name: str, one: Format, function: Function, *given: str) -> str:
    """Return the result of a function of values of a format; the code has the function once."""
    inner, of = Lines(), f"i{one.bits}"
    names = "%a", "%b"
    found = function(inner, *names[: len(given)])
    head = f'define internal {of} @"{name}"({", ".join(f"{of} {one}" for one in names[: len(given)])}) {{'
    o.declared |= {*inner.declared, "\n".join([head, *inner.text, f"  ret {of} {found}", "}"])}
    return o(f'call {of} @"{name}"({", ".join(f"{of} {one}" for one in given)})')


def _unit(name: str, o: Lines, a: str) -> str:
    """Return what the unit computes for an ``f32``."""

    def function(o: Lines, a: str) -> str:
        return o(f"trunc i64 {UNIT[name](o, o(f'zext i32 {a} to i64'))} to i32")

    return _defined(o, f"unit.{name}", F32, function, a)


def _times(o: Lines, a: str, b: str) -> str:
    found = o(f"fmul float {formats.value(o, a, F32)}, {formats.value(o, b, F32)}")
    return formats.finished(o, found, F32, a)


def _is_small(o: Lines, a: str) -> str:
    return o(f"icmp ult i32 {formats.magnitude(o, a, F32)}, {NORMAL}")


def _is_large(o: Lines, a: str) -> str:
    large = o(f"icmp ugt i32 {formats.magnitude(o, a, F32)}, {LARGE}")
    return o(f"and i1 {large}, {o(f'icmp ule i32 {formats.magnitude(o, a, F32)}, {F32.infinity}')}")


def _whole_reciprocal(o: Lines, a: str) -> str:
    scale = o.choose(_is_large(o, a), "i32", DOWN, o.choose(_is_small(o, a), "i32", UP, F32.one))
    return _times(o, _unit("rcp", o, _times(o, a, scale)), scale)


def _whole_root(name: str, o: Lines, a: str) -> str:
    small = _is_small(o, a)
    found = _unit(name, o, o.choose(small, "i32", _times(o, a, str(UP)), a))
    return o.choose(small, "i32", _times(o, found, str(AFTER[name])), found)


def _whole_power(o: Lines, a: str) -> str:
    low = o(f"icmp ugt i32 {a}, {LOW}")
    low = o(f"and i1 {low}, {o(f'icmp ule i32 {a}, {F32.sign | F32.infinity}')}")
    found = _unit("ex2", o, o.choose(low, "i32", _times(o, a, str(HALF)), a))
    return o.choose(low, "i32", _times(o, found, found), found)


def _whole_logarithm(o: Lines, a: str) -> str:
    small = _is_small(o, a)
    found = _unit("lg2", o, o.choose(small, "i32", _times(o, a, str(UP)), a))
    less = o(f"fadd float {formats.value(o, found, F32)}, {formats.value(o, str(LESS), F32)}")
    return o.choose(small, "i32", formats.finished(o, less, F32, found), found)


WHOLE_RANGE: dict[str, Function] = {name: partial(_unit, name) for name in UNIT} | {
    "rcp": _whole_reciprocal,
    "sqrt": partial(_whole_root, "sqrt"),
    "rsqrt": partial(_whole_root, "rsqrt"),
    "ex2": _whole_power,
    "lg2": _whole_logarithm,
}
"""The functions without ``.ftz`` for ``f32``."""


def quotient(o: Lines, a: str, b: str, *, flush: bool, full: bool) -> str:
    """Return ``a / b`` as ``div.approx`` and ``div.full`` do."""
    if full:
        large = _is_large(o, b)
        a, b = (o.choose(large, "i32", _times(o, one, str(DOWN)), one) for one in (a, b))
    if not flush:
        small = _is_small(o, b)
        a, b = (o.choose(small, "i32", _times(o, one, str(UP)), one) for one in (a, b))
    found = _unit("rcp", o, b)
    return rounding.computed(o, "mul", F32.flushing, NEAREST, a, found) if flush else _times(o, a, found)


def narrow(name: str, one: Format, o: Lines, a: str) -> str:
    """Return a function of a value of 16 bits: of the ``f32``, rounded to 0."""
    found = _unit(name, o, formats.bits_of(o, rounding.single(o, a, one), F32))
    cut = rounding.narrowed(o, formats.bits_of(o, rounding.widened(o, found, F32), F64), one, ZERO)
    beyond = o(f"icmp uge i32 {found}, {beyond_of(one)}")
    beyond = o(f"and i1 {beyond}, {o(f'icmp sge i32 {found}, 0')}")
    cut = o.choose(beyond, f"i{one.bits}", one.infinity, cut)
    return o.choose(formats.is_nan(o, found, F32), f"i{one.bits}", one.nan, cut)


def of_upper_word(name: str, o: Lines, a: str) -> str:
    """Return ``rcp`` or ``rsqrt`` of the upper word of an ``f64``, with a lower word of 0."""
    function = reciprocal if name == "rcp" else partial(root, name)
    found = function(o, o(f"lshr i64 {a}, {UPPER.bits}"), UPPER)
    return o(f"shl i64 {found}, {UPPER.bits}")


def root_reciprocal(o: Lines, a: str) -> str:
    """Return ``rsqrt.approx`` of an ``f64``: one step of an iteration from the upper word's."""

    def double(bits: str) -> str:
        return formats.value(o, bits, F64)

    def fma(*values: str) -> str:
        return o.call("double", "llvm.fma.f64", *[f"double {one}" for one in values])

    sign, exponent, _ = _split(o, a, F64)
    small = _is(o, exponent, 0)
    scaled = o(f"fmul double {double(a)}, {double(str(0x4350 << 48))}")
    given = o.choose(small, "i64", formats.bits_of(o, scaled, F64), a)
    first = double(of_upper_word("rsqrt", o, given))
    less = o(f"fneg double {o(f'fmul double {first}, {first}')}")
    error = fma(double(given), less, "1.0")
    step = fma(error, double(str(0x3FD8 << 48)), "0.5")
    found = fma(step, o(f"fmul double {first}, {error}"), first)
    after = o(f"fmul double {found}, {double(str(0x41A0 << 48))}")
    bits = formats.bits_of(o, o(f"select i1 {small}, double {after}, double {found}"), F64)
    bits = o.choose(_is(o, a, F64.infinity), "i64", 0, bits)
    bits = o.choose(o(f"icmp slt i64 {a}, 0"), "i64", F64.nan, bits)
    none = _is(o, formats.magnitude(o, a, F64), 0)
    bits = o.choose(none, "i64", o(f"or i64 {sign}, {F64.infinity}"), bits)
    return o.choose(formats.is_nan(o, a, F64), "i64", formats.nan_of(o, F64, a), bits)


OF_DOUBLES: dict[tuple[str, bool], Function] = {
    ("rcp", True): partial(of_upper_word, "rcp"),
    ("rsqrt", True): partial(of_upper_word, "rsqrt"),
    ("rsqrt", False): root_reciprocal,
}
"""The functions of ``f64``, by instruction and by whether they have ``.ftz``."""


def function_of(name: str, one: Format, how: str, *, flush: bool) -> tuple[Callable[..., str], int]:
    """Return the function of an approximate instruction, with its operand count.

    Args:
        name: The instruction.
        one: The format of its values.
        how: The modifier, ``approx`` or ``full``.
        flush: Whether it has ``.ftz``.
    """
    function: Callable[..., str]
    if name == "div":
        function = partial(quotient, flush=flush, full=how == "full")
    elif approximate.function_of(name, one, flush=flush) is None:
        refuse("its format")
    elif one is F64:
        function = OF_DOUBLES[name, flush]
    elif one.bits < F32.bits:
        function = partial(narrow, name, one)
    else:
        function = partial(_unit, name) if flush else WHOLE_RANGE[name]
    label = ".".join([name, how, *["ftz"] * flush, f"{one.fraction}"])
    return lambda o, _one, *given: _defined(o, label, one, function, *given), 2 if name == "div" else 1
