"""Integer instructions as LLVM IR. Section 9.7.1 of the PTX ISA manual; the reference says what it leaves open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.arithmetic import INTEGERS
from fakecuda.kernels.compiled.bits import clamped, narrow
from fakecuda.kernels.row import CARRY, Meaning, bits_of, is_signed, refuse_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.lines import Lines
    from fakecuda.kernels.row import Row


def plain(row: Row, type_: str) -> Meaning:
    """Return the meaning of an instruction with operands of one type."""
    if type_ not in INTEGERS:
        refuse_type(type_)
    function, count = SIMPLE[row.name]
    bits, negative, relu = bits_of(type_), is_signed(type_), row.flag("relu")

    def found(o: Lines, *values: str) -> str:
        made = function(o, bits, negative, *values)
        return most(o, bits, negative, made, "0") if relu else made

    return Meaning(found, (type_,), (type_,) * count)


def add(row: Row, type_: str) -> Meaning:
    """Return the meaning of add, addc, sub or subc."""
    bits, word = bits_of(type_), row.name[:3]
    takes, gives = row.name.endswith("c"), row.flag("cc")
    if type_ not in INTEGERS:
        refuse_type(type_)
    if takes or gives:
        wide, minus = f"i{bits + 1}", word == "sub"

        def carried(o: Lines, a: str, b: str, carry: str = str(int(minus))) -> tuple[str, ...]:
            other = o(f"xor i{bits} {b}, -1") if minus else b
            first, second = (o(f"zext i{bits} {one} to {wide}") for one in (a, other))
            found = o(f"add {wide} {o(f'add {wide} {first}, {second}')}, {o(f'zext i1 {carry} to {wide}')}")
            out = o(f"lshr {wide} {found}, {bits}")
            return o(f"trunc {wide} {found} to i{bits}"), o(f"trunc {wide} {out} to i1")

        function = carried if gives else lambda o, *values: carried(o, *values)[0]
        return Meaning(function, (type_, CARRY) if gives else (type_,), (type_, type_, *([CARRY] if takes else [])))
    if row.flag("sat"):
        name, of = f"llvm.s{word}.sat.i{bits}", f"i{bits}"
        return Meaning(lambda o, a, b: o.call(of, name, f"{of} {a}", f"{of} {b}"), (type_,), (type_, type_))
    return Meaning(lambda o, a, b: o(f"{word} i{bits} {a}, {b}"), (type_,), (type_, type_))


def multiply(row: Row, type_: str) -> Meaning:
    """Return the meaning of mul, mad or madc."""
    if type_ not in INTEGERS:
        refuse_type(type_)
    bits, negative, part = bits_of(type_), is_signed(type_), row.take("wide", "hi", "lo")
    target = type_[0] + str(2 * bits) if part == "wide" else type_
    width = bits_of(target)

    def product(o: Lines, a: str, b: str) -> str:
        if part not in {"wide", "hi"}:
            return o(f"mul i{bits} {a}, {b}")
        first, second = (o.resize(one, bits, 2 * bits, negative=negative) for one in (a, b))
        found = o(f"mul i{2 * bits} {first}, {second}")
        if part == "wide":
            return found
        return o.resize(o(f"lshr i{2 * bits} {found}, {bits}"), 2 * bits, bits)

    if row.name == "mul":
        return Meaning(product, (target,), (type_, type_))
    takes, gives = row.name == "madc", row.flag("cc")
    if takes or gives:
        wide = f"i{width + 1}"

        def carried(o: Lines, a: str, b: str, c: str, carry: str = "0") -> tuple[str, ...]:
            first, second = (o(f"zext i{width} {one} to {wide}") for one in (product(o, a, b), c))
            found = o(f"add {wide} {first}, {second}")
            if takes:
                found = o(f"add {wide} {found}, {o(f'zext i1 {carry} to {wide}')}")
            out = o(f"lshr {wide} {found}, {width}")
            return o(f"trunc {wide} {found} to i{width}"), o(f"trunc {wide} {out} to i1")

        function = carried if gives else lambda o, *values: carried(o, *values)[0]
        return Meaning(
            function, (target, CARRY) if gives else (target,), (type_, type_, target, *([CARRY] if takes else []))
        )
    if row.flag("sat"):

        def saturated(o: Lines, a: str, b: str, c: str) -> str:
            first, second = (o.resize(one, bits, 4 * bits, negative=negative) for one in (a, b))
            found = o(f"mul i{4 * bits} {first}, {second}")
            found = o(f"ashr i{4 * bits} {found}, {bits}") if part == "hi" else found
            found = o(f"add i{4 * bits} {found}, {o.resize(c, bits, 4 * bits, negative=True)}")
            return clamped(o, found, 4 * bits, bits)

        return Meaning(saturated, (type_,), (type_,) * 3)
    return Meaning(lambda o, a, b, c: o(f"add i{width} {product(o, a, b)}, {c}"), (target,), (type_, type_, target))


def divide(o: Lines, bits: int, negative: bool, a: str, b: str) -> str:  # noqa: FBT001 - a type
    """Return the quotient; all ones for a divisor of 0."""
    return _divided(o, "div", bits, negative=negative, a=a, b=b)


def remainder(o: Lines, bits: int, negative: bool, a: str, b: str) -> str:  # noqa: FBT001 - a type
    """Return the remainder; all ones for a divisor of 0."""
    return _divided(o, "rem", bits, negative=negative, a=a, b=b)


def _divided(o: Lines, word: str, bits: int, *, negative: bool, a: str, b: str) -> str:
    """Return a quotient or remainder, also where processors raise an exception."""
    of = f"i{bits}"
    none = o(f"icmp eq {of} {b}, 0")
    never = none
    if negative:
        least, one = o(f"icmp eq {of} {a}, {1 << bits - 1}"), o(f"icmp eq {of} {b}, -1")
        never = o(f"or i1 {none}, {o(f'and i1 {least}, {one}')}")
    by = o.choose(never, of, 1, b)
    return o.choose(none, of, -1, o(f"{'s' if negative else 'u'}{word} {of} {a}, {by}"))


def least(o: Lines, bits: int, negative: bool, a: str, b: str) -> str:  # noqa: FBT001 - a type
    """Return the smaller value."""
    return o.choose(o(f"icmp {'s' if negative else 'u'}lt i{bits} {a}, {b}"), f"i{bits}", a, b)


def most(o: Lines, bits: int, negative: bool, a: str, b: str) -> str:  # noqa: FBT001 - a type
    """Return the larger value."""
    return o.choose(o(f"icmp {'s' if negative else 'u'}gt i{bits} {a}, {b}"), f"i{bits}", a, b)


def negate(o: Lines, bits: int, _negative: bool, a: str) -> str:  # noqa: FBT001 - a type
    """Return the negative value."""
    return o(f"sub i{bits} 0, {a}")


def absolute(o: Lines, bits: int, negative: bool, a: str) -> str:  # noqa: FBT001 - a type
    """Return the magnitude."""
    if not negative:
        return a
    return o.choose(o(f"icmp slt i{bits} {a}, 0"), f"i{bits}", o(f"sub i{bits} 0, {a}"), a)


def distance(o: Lines, bits: int, negative: bool, a: str, b: str, c: str) -> str:  # noqa: FBT001 - a type
    """Return ``c + |a - b|``."""
    low, high = least(o, bits, negative, a, b), most(o, bits, negative, a, b)
    return o(f"add i{bits} {c}, {o(f'sub i{bits} {high}, {low}')}")


SIMPLE: dict[str, tuple[Callable[..., str], int]] = {
    "div": (divide, 2),
    "rem": (remainder, 2),
    "min": (least, 2),
    "max": (most, 2),
    "neg": (negate, 1),
    "abs": (absolute, 1),
    "sad": (distance, 3),
}
"""Instructions with operands of one type, with their operand counts."""
MEANINGS: dict[str, Callable[[Row, str], Meaning]] = {
    **dict.fromkeys(SIMPLE, plain),
    **dict.fromkeys(("add", "addc", "sub", "subc"), add),
    **dict.fromkeys(("mul", "mad", "madc"), multiply),
    **dict.fromkeys(("mul24", "mad24"), narrow),
}
"""The meanings of integer instructions, by name."""
