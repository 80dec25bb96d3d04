"""Floating-point results that no single processor instruction gives, as LLVM IR.

A result of ``f16``, ``bf16`` or ``f32`` begins as a double that is odd if it is not exact. So a second rounding, by integers,
gives the correct result in each direction. A result of ``f64`` comes from a processor that rounds in the direction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.compiled import formats
from fakecuda.kernels.floats import BF16, DOWN, F32, F64, NEAREST, UP, ZERO

if TYPE_CHECKING:
    from fakecuda.kernels.compiled.lines import Lines
    from fakecuda.kernels.floats import Format

MODES = {ZERO: 0, NEAREST: 1, UP: 2, DOWN: 3}
"""The rounding modes as LLVM numbers them."""
DEEPEST = 62
"""The maximum number of dropped bits that matter."""
WORD = 64


def widened(o: Lines, bits: str, one: Format) -> str:
    """Return a value of at most 32 bits as an exact double."""
    return o(f"fpext float {single(o, bits, one)} to double")


def single(o: Lines, bits: str, one: Format) -> str:
    """Return a value of at most 32 bits as an exact float."""
    if one.bits == F32.bits:
        return formats.value(o, bits, one)
    wide = o(f"zext i{one.bits} {bits} to i32")
    if one.fraction == BF16.fraction:
        return o(f"bitcast i32 {o(f'shl i32 {wide}, 16')} to float")
    shifted = o(f"shl i32 {o(f'and i32 {wide}, {one.sign - 1}')}, {F32.fraction - one.fraction}")
    quotient = one.least + one.fraction - F32.least - F32.fraction  # of the exponents
    scale = o(f"bitcast i32 {F32.one + (quotient << F32.fraction)} to float")
    small = o(f"bitcast i32 {shifted} to float")
    found = o(f"bitcast float {o(f'fmul float {small}, {scale}')} to i32")
    beyond = o(f"icmp uge i32 {o(f'and i32 {wide}, {one.infinity}')}, {one.infinity}")
    found = o(f"or i32 {found}, {o.choose(beyond, 'i32', F32.infinity, 0)}")
    sign = o(f"shl i32 {o(f'and i32 {wide}, {one.sign}')}, {F32.bits - one.bits}")
    return o(f"bitcast i32 {o(f'or i32 {found}, {sign}')} to float")


def odd(o: Lines, found: str, error: str) -> str:
    """Round a double to odd, by its rounded value and the remainder.

    Args:
        o: The lines.
        found: The double.
        error: A double with the sign of what is missing; 0 or a NaN if nothing is.
    """
    bits = o(f"bitcast double {found} to i64")
    missing = o(f"fcmp one double {error}, 0.0")
    even = o(f"icmp eq i64 {o(f'and i64 {bits}, 1')}, 0")
    signs = o(f"xor i64 {bits}, {o(f'bitcast double {error} to i64')}")
    step = o.choose(o(f"icmp slt i64 {signs}, 0"), "i64", -1, 1)
    return o.choose(o(f"and i1 {missing}, {even}"), "i64", o(f"add i64 {bits}, {step}"), bits)


def total(o: Lines, a: str, b: str, mode: str) -> str:
    """Return the odd-rounded sum of two doubles; the mode decides the sign of 0."""
    found = o(f"fadd double {a}, {b}")
    part = o(f"fsub double {found}, {a}")
    left = o(f"fsub double {a}, {o(f'fsub double {found}, {part}')}")
    error = o(f"fadd double {left}, {o(f'fsub double {b}, {part}')}")
    bits = odd(o, found, error)
    if mode != DOWN:
        return bits
    signs = o(f"or i64 {o(f'bitcast double {a} to i64')}, {o(f'bitcast double {b} to i64')}")
    none = o(f"icmp eq i64 {o(f'and i64 {bits}, {F64.sign - 1}')}, 0")
    return o.choose(none, "i64", o(f"and i64 {signs}, {F64.sign}"), bits)


def quotient(o: Lines, a: str, b: str) -> str:
    """Return the odd-rounded quotient of two doubles."""
    found = o(f"fdiv double {a}, {b}")
    left = o.call("double", "llvm.fma.f64", f"double {o(f'fneg double {found}')}", f"double {b}", f"double {a}")
    sign = o(f"and i64 {o(f'bitcast double {b} to i64')}, {F64.sign}")
    error = o(f"xor i64 {o(f'bitcast double {left} to i64')}, {sign}")
    return odd(o, found, o(f"bitcast i64 {error} to double"))


def exact(o: Lines, name: str, mode: str, *values: str) -> str:
    """Return the odd-rounded result of an instruction for doubles."""
    a, *rest = values
    if name in {"add", "sub"}:
        return total(o, a, rest[0] if name == "add" else o(f"fneg double {rest[0]}"), mode)
    if name == "mul":
        return o(f"bitcast double {o(f'fmul double {a}, {rest[0]}')} to i64")
    if name in {"fma", "mad"}:
        return total(o, o(f"fmul double {a}, {rest[0]}"), rest[1], mode)
    if name == "div":
        return quotient(o, a, rest[0])
    if name == "rcp":
        return quotient(o, "1.0", a)
    found = o.call("double", "llvm.sqrt.f64", f"double {a}")
    left = o.call("double", "llvm.fma.f64", f"double {o(f'fneg double {found}')}", f"double {found}", f"double {a}")
    return odd(o, found, left)


def packed(o: Lines, negative: str, whole: str, above: str, one: Format, mode: str, top: int) -> str:
    """Return the bits of an integer times a power of two, rounded once.

    Args:
        o: The lines.
        negative: Whether it is negative.
        whole: The integer, of 64 bits.
        above: By how much the exponent of the integer's bit ``top`` lies above that of the least normal number.
        one: The format. If it flushes, a result that would be below the normal numbers is 0.
        mode: The rounding.
        top: The highest bit of the integer; 0 and subnormal doubles do not have it.
    """
    fraction, drop = one.fraction, str(top - one.fraction)
    base = above
    if not one.flushes:
        base = o.call("i64", "llvm.smax.i64", f"i64 {above}", "i64 0")
        more = o(f"sub i64 {base}, {above}")
        drop = o.call("i64", "llvm.umin.i64", f"i64 {o(f'add i64 {more}, {drop}')}", f"i64 {DEEPEST}")
    kept = o(f"lshr i64 {whole}, {drop}")
    left = o(f"sub i64 {whole}, {o(f'shl i64 {kept}, {drop}')}")
    some = o(f"icmp ne i64 {left}, 0")
    if mode == NEAREST:
        half = o(f"shl i64 1, {o(f'sub i64 {drop}, 1')}")
        equal = o(f"and i1 {o(f'icmp eq i64 {left}, {half}')}, {o(f'trunc i64 {kept} to i1')}")
        up = o(f"or i1 {o(f'icmp ugt i64 {left}, {half}')}, {equal}")
        away = "true"
    elif mode == ZERO:
        up = away = "false"
    else:
        away = negative if mode == DOWN else o(f"xor i1 {negative}, true")
        up = o(f"and i1 {some}, {away}")
    kept = o(f"add i64 {kept}, {o(f'zext i1 {up} to i64')}")
    bits = o(f"add i64 {o(f'shl i64 {base}, {fraction}')}, {kept}")
    if one.flushes:
        bits = o.choose(o(f"icmp slt i64 {bits}, {1 << fraction}"), "i64", 0, bits)
    most = o.choose(away, "i64", one.infinity, one.infinity - 1)
    bits = o.choose(o(f"icmp uge i64 {bits}, {one.infinity}"), "i64", most, bits)
    sign = o.choose(negative, "i64", one.sign, 0)
    return o.resize(o(f"or i64 {bits}, {sign}"), WORD, one.bits)


def narrowed(o: Lines, bits: str, one: Format, mode: str) -> str:
    """Convert the bits of a double that is not a NaN to another format."""
    negative = o(f"icmp slt i64 {bits}, 0")
    exponent = o(f"and i64 {o(f'lshr i64 {bits}, {F64.fraction}')}, {F64.infinity >> F64.fraction}")
    whole = o(f"and i64 {bits}, {(1 << F64.fraction) - 1}")
    top = o.choose(o(f"icmp eq i64 {exponent}, 0"), "i64", 0, 1 << F64.fraction)
    above = o(f"sub i64 {exponent}, {one.least + one.fraction - F64.least - F64.fraction + 1}")
    found = packed(o, negative, o(f"or i64 {whole}, {top}"), above, one, mode, F64.fraction)
    infinite = o(f"icmp eq i64 {exponent}, {F64.infinity >> F64.fraction}")
    signed = o.choose(negative, f"i{one.bits}", one.sign | one.infinity, one.infinity)
    return o.choose(infinite, f"i{one.bits}", signed, found)


def of_integer(o: Lines, value: str, bits: int, one: Format, mode: str, *, signed: bool) -> str:
    """Return an integer as a floating-point value."""
    wide = o.resize(value, bits, WORD, negative=signed)
    negative = o(f"icmp slt i64 {wide}, 0") if signed else "false"
    whole = o.choose(negative, "i64", o(f"sub i64 0, {wide}"), wide)
    none = o(f"icmp eq i64 {whole}, 0")
    zeros = o.call("i64", "llvm.ctlz.i64", f"i64 {o.choose(none, 'i64', 1, whole)}", "i1 true")
    top = WORD - 1
    above = o(f"sub i64 {top - one.least - one.fraction}, {zeros}")
    found = packed(o, negative, o(f"shl i64 {whole}, {zeros}"), above, one, mode, top)
    return o.choose(none, f"i{one.bits}", 0, found)


def computed(o: Lines, name: str, one: Format, mode: str, *operands: str) -> str:
    """Return the bits of an ``f16``, ``bf16`` or ``f32`` result, rounded."""
    found = exact(o, name, mode, *[widened(o, operand, one) for operand in operands])
    return o.choose(formats.is_nan(o, found, F64), f"i{one.bits}", one.nan, narrowed(o, found, one, mode))


def directed(o: Lines, name: str, mode: str, *operands: str) -> str:
    """Return the bits of an ``f64`` result, rounded in a direction."""
    word = {"mad": "fma", "sqrt": "sqrt", "fma": "fma"}.get(name, f"f{name}")
    if name == "rcp":
        word, operands = "fdiv", (str(F64.one), *operands)
    count = len(operands)
    intrinsic = f"llvm.experimental.constrained.{word}.f64"
    given = ", ".join(f"double %{place}" for place in "abc"[:count])
    lines = (
        f"define internal double @{word}.{mode}({given}) noinline strictfp {{",
        f"  call void @llvm.set.rounding(i32 {MODES[mode]}) strictfp",
        f'  %r = call double @{intrinsic}({given}, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp',
        f"  call void @llvm.set.rounding(i32 {MODES[NEAREST]}) strictfp\n  ret double %r\n}}",
    )
    of = "double, " * count
    declared = "declare void @llvm.set.rounding(i32)", f"declare double @{intrinsic}({of}metadata, metadata)"
    o.declared |= {*declared, "\n".join(lines)}
    values = ", ".join(f"double {formats.value(o, operand, F64)}" for operand in operands)
    found = o(f"call double @{word}.{mode}({values})")
    order = {"fma": (1, 2, 0), "mad": (1, 2, 0), "div": (0, 1), "rcp": (0, 1), "sqrt": (0,)}.get(name, (1, 0))
    return formats.finished(o, found, F64, *[operands[place] for place in order])
