"""Less common bit instructions as LLVM IR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.compiled import formats
from fakecuda.kernels.floats import F32, FORMATS
from fakecuda.kernels.logic import LOGIC, factors, masking
from fakecuda.kernels.row import PREDICATE, Meaning, bits_of, is_signed, refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.lines import Lines
    from fakecuda.kernels.row import Row

WORD = 32
NONE = 0xFFFFFFFF
"""The index of a bit that does not exist."""


def limited(o: Lines, value: str, *, wrap: bool) -> str:
    """Return a bit count, limited to its lowest five bits or to 32."""
    if wrap:
        return o(f"and i32 {value}, {WORD - 1}")
    return o.call("i32", "llvm.umin.i32", f"i32 {value}", f"i32 {WORD}")


def low(o: Lines, count: str) -> str:
    """Return a word with its lowest bits set."""
    wide = o(f"shl i64 1, {o.resize(count, WORD, 64)}")
    return o.resize(o(f"sub i64 {wide}, 1"), 64, WORD)


def selected_by_sign(row: Row) -> Meaning:
    """Return the meaning of slct."""
    type_, by = row.type(), row.type("s32", "f32")
    flush, of = by == "f32" and row.flag("ftz"), f"i{bits_of(type_)}"

    def chosen(o: Lines, a: str, b: str, c: str) -> str:
        if by == "s32":
            return o.choose(o(f"icmp slt i32 {c}, 0"), of, b, a)
        c = formats.flushed(o, c, F32) if flush else c
        return o.choose(o(f"fcmp oge float {formats.value(o, c, F32)}, 0.0"), of, a, b)

    return Meaning(chosen, (type_,), (type_, type_, by))


def joined(row: Row, table: Callable[..., str]) -> Meaning:
    """Return the meaning of lop3 with a predicate, from lop3 without one."""
    join, type_ = row.take("or", "and"), row.type("b32")
    assert join in LOGIC

    def found(o: Lines, *values: str) -> tuple[str, str]:
        made = table(o, *values[:4])
        return made, o(f"{join} i1 {o(f'icmp ne i32 {made}, 0')}, {values[4]}")

    return Meaning(found, (type_, PREDICATE), (type_, type_, type_, "u32", PREDICATE))


def highest(row: Row) -> Meaning:
    """Return the meaning of bfind."""
    shift, type_ = row.flag("shiftamt"), row.type()
    bits = bits_of(type_)
    of = f"i{bits}"

    def found(o: Lines, a: str) -> str:
        if is_signed(type_):
            a = o(f"xor {of} {a}, {o(f'ashr {of} {a}, {bits - 1}')}")
        zeros = o.resize(o.call(of, f"llvm.ctlz.{of}", f"{of} {a}", "i1 false"), bits, WORD)
        place = zeros if shift else o(f"sub i32 {bits - 1}, {zeros}")
        return o.choose(o(f"icmp eq {of} {a}, 0"), "i32", NONE, place)

    return Meaning(found, ("u32",), (type_,))


def signed_field(type_: str) -> Callable[..., str]:
    """Return the function of bfe for signed values, which extends the field's sign."""
    bits = bits_of(type_)
    of = f"i{bits}"

    def found(o: Lines, value: str, start: str, count: str) -> str:
        if bits == WORD:
            start, count = (o(f"and i32 {one}, 255") for one in (start, count))
        start, count = (o.call("i32", "llvm.umin.i32", f"i32 {one}", f"i32 {bits}") for one in (start, count))
        place = o.call("i32", "llvm.umin.i32", f"i32 {start}", f"i32 {bits - 1}")
        shifted = o(f"ashr {of} {value}, {o.resize(place, WORD, bits)}")
        none = o(f"icmp eq i32 {count}, 0")
        rest = o.resize(o.choose(none, "i32", 0, o(f"sub i32 {bits}, {count}")), WORD, bits)
        cut = o(f"ashr {of} {o(f'shl {of} {shifted}, {rest}')}, {rest}")
        return o.choose(none, of, 0, cut)

    return found


def nth_set(row: Row) -> Meaning:
    """Return the meaning of fns, which checks all bits in turn."""
    type_ = row.type("b32")

    def found(o: Lines, value: str, start: str, count: str) -> str:
        inside = o(f"icmp ult i32 {start}, {WORD}")
        place = o.choose(inside, "i32", start, 0)
        up = o(f"icmp sgt i32 {count}, 0")
        single = o(f"icmp eq i32 {count}, 0")
        below = o(f"sub i32 0, {count}")
        many = o.choose(up, "i32", count, o.choose(single, "i32", 1, below))
        turned = o.call("i32", "llvm.bitreverse.i32", f"i32 {value}")
        begin = o.choose(up, "i32", place, o(f"sub i32 {WORD - 1}, {place}"))
        rest = o(f"lshr i32 {o.choose(up, 'i32', value, turned)}, {begin}")
        rest = o.choose(single, "i32", o(f"and i32 {rest}, 1"), rest)
        answer = str(NONE)
        for number in reversed(range(WORD)):
            bit = o(f"and i32 {rest}, {1 << number}")
            before = o.call("i32", "llvm.ctpop.i32", f"i32 {o(f'and i32 {rest}, {(2 << number) - 1}')}")
            here = o(f"and i1 {o(f'icmp ne i32 {bit}, 0')}, {o(f'icmp eq i32 {before}, {many}')}")
            at = o(f"add i32 {begin}, {number}")
            answer = o.choose(here, "i32", o.choose(up, "i32", at, o(f"sub i32 {WORD - 1}, {at}")), answer)
        return o.choose(inside, "i32", answer, NONE)

    return Meaning(found, (type_,), (type_, "u32", "s32"))


def mask(row: Row) -> Meaning:
    """Return the meaning of bmsk or szext."""
    wrap = row.take("clamp", "wrap") == "wrap"
    negative, finish = masking(row)

    def made(o: Lines, start: str, count: str) -> str:
        start, count = limited(o, start, wrap=wrap), limited(o, count, wrap=wrap)
        wide = o(f"shl i64 {o.resize(low(o, count), WORD, 64)}, {o.resize(start, WORD, 64)}")
        return o.resize(wide, 64, WORD)

    def extended(o: Lines, value: str, count: str) -> str:
        count = limited(o, count, wrap=wrap)
        if negative:
            return signed_field("s32")(o, value, "0", count)
        return o(f"and i32 {value}, {low(o, count)}")

    return finish(made if row.name == "bmsk" else extended)


def dot(row: Row) -> Meaning:
    """Return the meaning of dp4a or dp2a."""
    high, signs = factors(row)
    bits, count = (8, 4) if row.name == "dp4a" else (16, 2)
    begin = 16 if row.name == "dp2a" and high else 0

    def found(o: Lines, a: str, b: str, c: str) -> str:
        for number in range(count):
            first = o.resize(o(f"lshr i32 {a}, {bits * number}"), WORD, bits)
            second = o.resize(o(f"lshr i32 {b}, {8 * number + begin}"), WORD, 8)
            wide = o.resize(first, bits, WORD, negative=signs[0]), o.resize(second, 8, WORD, negative=signs[1])
            c = o(f"add i32 {c}, {o(f'mul i32 {wide[0]}, {wide[1]}')}")
        return c

    return Meaning(found, ("u32",), ("u32",) * 3)


def tested(row: Row) -> Meaning:
    """Return the meaning of testp, to which zeros are normal numbers."""
    what, type_ = row.take("finite", "infinite", "number", "notanumber", "normal", "subnormal"), row.type()
    one = FORMATS[type_]
    of, least = f"i{one.bits}", 1 << one.fraction

    def found(o: Lines, value: str) -> str:
        magnitude = formats.magnitude(o, value, one)
        words = {"finite": "ult", "infinite": "eq", "number": "ule", "notanumber": "ugt"}
        if what in words:
            return o(f"icmp {words[what]} {of} {magnitude}, {one.infinity}")
        below = o(f"icmp ult {of} {o(f'sub {of} {magnitude}, 1')}, {least - 1}")
        if what == "subnormal":
            return below
        return o(f"and i1 {o(f'xor i1 {below}, true')}, {o(f'icmp ult {of} {magnitude}, {one.infinity}')}")

    return Meaning(found, (PREDICATE,), (type_,))


def places(o: Lines, selector: str, mode: str) -> list[str]:
    """Return the indices of the four bytes that a prmt mode selects."""
    first = o(f"and i32 {selector}, 3")
    if mode in {"f4e", "b4e"}:
        word = "add" if mode == "f4e" else "sub"
        return [o(f"and i32 {o(f'{word} i32 {first}, {number}')}, 7") for number in range(4)]
    if mode == "rc8":
        return [first] * 4
    if mode == "rc16":
        pair = o(f"shl i32 {o(f'and i32 {first}, 1')}, 1")
        return [pair, o(f"or i32 {pair}, 1")] * 2
    word = "umax" if mode == "ecl" else "umin"
    return [o.call("i32", f"llvm.{word}.i32", f"i32 {first}", f"i32 {number}") for number in range(4)]


def narrow(row: Row, type_: str) -> Meaning:
    """Return the meaning of mul24 or mad24."""
    negative, high, saturate = is_signed(type_), row.take("hi", "lo") == "hi", row.flag("sat")
    if type_ not in {"u32", "s32"}:
        refuse("its type")

    def product(o: Lines, a: str, b: str) -> str:
        shift = "ashr" if negative else "lshr"
        wide = [o(f"{shift} i64 {o(f'shl i64 {o.resize(one, WORD, 64)}, 40')}, 40") for one in (a, b)]
        found = o(f"mul i64 {wide[0]}, {wide[1]}")
        return o(f"ashr i64 {found}, 16") if high else found

    def added(o: Lines, a: str, b: str, c: str) -> str:
        found = product(o, a, b)
        if not saturate:
            return o(f"add i32 {o.resize(found, 64, WORD)}, {c}")
        return clamped(o, o(f"add i64 {found}, {o.resize(c, WORD, 64, negative=True)}"), 64, WORD)

    if row.name == "mul24":
        return Meaning(lambda o, a, b: o.resize(product(o, a, b), 64, WORD), (type_,), (type_,) * 2)
    return Meaning(added, (type_,), (type_,) * 3)


def clamped(o: Lines, value: str, bits: int, width: int) -> str:
    """Return the nearest signed integer of a width."""
    of = f"i{bits}"
    found = o.call(of, f"llvm.smax.{of}", f"{of} {value}", f"{of} {-(1 << width - 1)}")
    return o.resize(o.call(of, f"llvm.smin.{of}", f"{of} {found}", f"{of} {(1 << width - 1) - 1}"), bits, width)


MEANINGS: dict[str, Callable[[Row], Meaning]] = {
    "slct": selected_by_sign,
    "bfind": highest,
    "fns": nth_set,
    "bmsk": mask,
    "szext": mask,
    "dp4a": dot,
    "dp2a": dot,
    "testp": tested,
}
"""The meanings of instructions, by name."""
