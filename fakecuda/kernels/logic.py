"""The meaning of instructions that compare, select, shift and move bits: sections 9.7.1 and 9.7.5 to 9.7.8."""

from __future__ import annotations

import operator
from functools import partial
from typing import TYPE_CHECKING, Any

from fakecuda.kernels import floats, integers
from fakecuda.kernels.arithmetic import PAIRS, paired
from fakecuda.kernels.conversions import convert
from fakecuda.kernels.floats import FORMATS
from fakecuda.kernels.integers import signed
from fakecuda.kernels.program import RANK
from fakecuda.kernels.row import PREDICATE, Meaning, bits_of, is_signed, refuse, refuse_type
from fakecuda.kernels.spaces import INSIDE, WINDOWS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.row import Row

WORD, HALF = 0xFFFFFFFF, 0xFFFF
ADDRESS = (1 << 64) - 1
RANKS = 255
"""The largest rank in an address, more than any cluster has."""
UNRANKED = ADDRESS & ~(INSIDE >> RANK << RANK)
"""A mask for address bits that do not depend on the block's rank."""
FIRST_RANKED = 2
"""The operands of isspacep without a rank."""
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "lo": operator.lt,
    "ls": operator.le,
    "hi": operator.gt,
    "hs": operator.ge,
}
UNORDERED = {f"{name}u": COMPARISONS[name] for name in ("eq", "ne", "lt", "le", "gt", "ge")}
"""Comparisons that are also true with a NaN operand."""
LOGIC: dict[str, Callable[[int, int], int]] = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}


def comparison(row: Row, type_: str) -> Callable[[int, int], bool]:
    """Return a function that compares operands of a type."""
    name = row.take(*COMPARISONS, *UNORDERED, "num", "nan")
    one = FORMATS.get(type_)
    if one is None:
        compare, bits = COMPARISONS[name], bits_of(type_)
        if not is_signed(type_):
            return compare
        return lambda a, b: compare(signed(a, bits), signed(b, bits))
    flush = row.flag("ftz")
    ordered = UNORDERED.get(name) or COMPARISONS.get(name) or (lambda _a, _b: name == "num")
    otherwise = name in UNORDERED or name == "nan"

    def found(a: int, b: int) -> bool:
        if floats.is_nan(a, one) or floats.is_nan(b, one):
            return otherwise
        if flush:
            a, b = floats.flushed(a, one), floats.flushed(b, one)
        return ordered(floats.order(a, one), floats.order(b, one))

    return found


def compared(row: Row) -> Meaning:
    """Return the meaning of setp, with its opposite or for two values."""
    join = LOGIC.get(row.take(*LOGIC))
    type_ = row.type()
    compare = comparison(row, PAIRS.get(type_, type_))

    def both(a: int, b: int) -> tuple[int, int]:
        if type_ in PAIRS:
            return int(compare(a & HALF, b & HALF)), int(compare(a >> 16, b >> 16))
        found = compare(a, b)
        return int(found), int(not found)

    if join is None:
        return Meaning(both, (PREDICATE, PREDICATE), (type_, type_))

    def joined(a: int, b: int, c: int) -> tuple[int, int]:
        first, second = both(a, b)
        return join(first, c), join(second, c)

    return Meaning(joined, (PREDICATE, PREDICATE), (type_, type_, PREDICATE))


def compared_to_value(row: Row) -> Meaning:
    """Return the meaning of set: all ones or 1.0 if true, else 0."""
    join = LOGIC.get(row.take(*LOGIC))
    target, type_ = row.type("u16", "s16", "u32", "s32", "f32", "f16", "bf16", *PAIRS), row.type()
    if type_ in PAIRS and (join or target != type_):
        refuse_type(type_)
    one = FORMATS.get(PAIRS.get(target, target))
    compare, yes = comparison(row, PAIRS.get(type_, type_)), (1 << bits_of(target)) - 1 if one is None else one.one

    def found(a: int, b: int) -> int:
        return yes if compare(a, b) else 0

    if join is None:
        return Meaning(paired(found) if type_ in PAIRS else found, (target,), (type_, type_))
    return Meaning(lambda a, b, c: yes if join(int(compare(a, b)), c) else 0, (target,), (type_, type_, PREDICATE))


def selected(row: Row) -> Meaning:
    """Return the meaning of selp."""
    type_ = row.type()
    return Meaning(lambda a, b, c: a if c else b, (type_,), (type_, type_, PREDICATE))


def selected_by_sign(row: Row) -> Meaning:
    """Return the meaning of slct, which selects by the third source's sign."""
    type_, by = row.type(), row.type("s32", "f32")
    if by == "s32":
        return Meaning(lambda a, b, c: b if c >> 31 else a, (type_,), (type_, type_, by))
    flush, one = row.flag("ftz"), floats.F32

    def chosen(a: int, b: int, c: int) -> int:
        c = floats.flushed(c, one) if flush else c
        return a if not floats.is_nan(c, one) and floats.order(c, one) >= 0 else b

    return Meaning(chosen, (type_,), (type_, type_, by))


def bitwise(row: Row) -> Meaning:
    """Return the meaning of and, or, xor."""
    type_ = row.type()
    return Meaning(LOGIC[row.name], (type_,), (type_, type_))


def inverted(row: Row) -> Meaning:
    """Return the meaning of not or cnot."""
    type_ = row.type()
    mask = 1 if type_ == PREDICATE else (1 << bits_of(type_)) - 1
    if row.name == "cnot":
        return Meaning(lambda a: int(not a), (type_,), (type_,))
    return Meaning(lambda a: a ^ mask, (type_,), (type_,))


def shifted(row: Row) -> Meaning:
    """Return the meaning of shl or shr; large counts shift everything out."""
    type_ = row.type()
    bits = bits_of(type_)
    mask = (1 << bits) - 1
    if row.name == "shl":
        return Meaning(lambda a, b: a << min(b, bits) & mask, (type_,), (type_, "u32"))
    if is_signed(type_):
        return Meaning(lambda a, b: signed(a, bits) >> min(b, bits) & mask, (type_,), (type_, "u32"))
    return Meaning(lambda a, b: a >> min(b, bits), (type_,), (type_, "u32"))


def funnel(row: Row) -> Meaning:
    """Return the meaning of shf."""
    left, wrap = row.take("l", "r") == "l", row.take("clamp", "wrap") == "wrap"
    type_ = row.type("b32")
    return Meaning(partial(integers.funnel, left=left, wrap=wrap), (type_,), (type_, type_, "u32"))


def looked_up(row: Row) -> Meaning:
    """Return the meaning of lop3."""
    join = row.take("or", "and")
    type_ = row.type("b32")
    if not join:
        return Meaning(integers.looked_up, (type_,), (type_, type_, type_, "u32"))

    def joined(a: int, b: int, c: int, table: int, q: int) -> tuple[int, int]:
        found = integers.looked_up(a, b, c, table)
        return found, LOGIC[join](int(found != 0), q)

    return Meaning(joined, (type_, PREDICATE), (type_, type_, type_, "u32", PREDICATE))


def permuted(row: Row) -> Meaning:
    """Return the meaning of prmt."""
    mode, type_ = row.take("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"), row.type("b32")
    return Meaning(partial(integers.permuted, mode=mode), (type_,), (type_,) * 3)


def counted(row: Row) -> Meaning:
    """Return the meaning of popc, clz or brev."""
    type_ = row.type()
    bits = bits_of(type_)
    if row.name == "popc":
        return Meaning(int.bit_count, ("u32",), (type_,))
    if row.name == "clz":
        return Meaning(lambda a: integers.leading(a, bits), ("u32",), (type_,))
    return Meaning(lambda a: integers.reversed_bits(a, bits), (type_,), (type_,))


def highest(row: Row) -> Meaning:
    """Return the meaning of bfind."""
    shift, type_ = row.flag("shiftamt"), row.type()
    bits, negative = bits_of(type_), is_signed(type_)
    return Meaning(lambda a: integers.highest(a, bits, negative=negative, shift=shift), ("u32",), (type_,))


def field(row: Row) -> Meaning:
    """Return the meaning of bfe or bfi."""
    type_ = row.type()
    bits, negative = bits_of(type_), is_signed(type_)
    if row.name == "bfi":
        return Meaning(partial(integers.insert, bits=bits), (type_,), (type_, type_, "u32", "u32"))
    return Meaning(partial(integers.extract, bits=bits, negative=negative), (type_,), (type_, "u32", "u32"))


def nth_set(row: Row) -> Meaning:
    """Return the meaning of fns."""
    type_ = row.type("b32")
    return Meaning(lambda a, b, c: integers.nth_set(a, b, signed(c, 32)), (type_,), (type_, "u32", "s32"))


def mask(row: Row) -> Meaning:
    """Return the meaning of bmsk or szext."""
    wrap = row.take("clamp", "wrap") == "wrap"

    def made(start: int, count: int) -> int:
        start, count = (start & 31, count & 31) if wrap else (min(start, 32), min(count, 32))
        return (1 << count) - 1 << start & WORD

    def extended(value: int, count: int) -> int:
        count = count & 31 if wrap else min(count, 32)
        return integers.extract(value, 0, count, 32, negative=negative)

    negative, finish = masking(row)
    return finish(made if row.name == "bmsk" else extended)


def masking(row: Row) -> tuple[bool, Callable[[Callable[..., Any]], Meaning]]:
    """Return whether bmsk or szext is signed, and the wrapper of its function."""
    type_ = row.type()
    sources = (type_, type_ if row.name == "bmsk" else "u32")
    return is_signed(type_), lambda function: Meaning(function, (type_,), sources)


def factors(row: Row) -> tuple[bool, tuple[bool, bool]]:
    """Return the byte selection of dp2a, and the signedness of factors."""
    return row.take("lo", "hi") == "hi", (is_signed(row.type()), is_signed(row.type()))


def dot(row: Row) -> Meaning:
    """Return the meaning of dp4a or dp2a."""
    high, signs = factors(row)

    def four(a: int, b: int, c: int) -> int:
        return integers.dot(a, b, 8, signs, 4) + c & WORD

    def two(a: int, b: int, c: int) -> int:
        return integers.dot(a, b >> 16 if high else b, 16, signs, 2) + c & WORD

    return Meaning(four if row.name == "dp4a" else two, ("u32",), ("u32",) * 3)


def tested(row: Row) -> Meaning:
    """Return the meaning of testp, to which zeros are normal numbers."""
    what, type_ = row.take("finite", "infinite", "number", "notanumber", "normal", "subnormal"), row.type()
    one = FORMATS[type_]

    def found(value: int) -> int:
        magnitude = value & one.sign - 1
        return int(
            {
                "finite": magnitude < one.infinity,
                "infinite": magnitude == one.infinity,
                "number": magnitude <= one.infinity,
                "notanumber": magnitude > one.infinity,
                "normal": not magnitude or 1 << one.fraction <= magnitude < one.infinity,
                "subnormal": 0 < magnitude < 1 << one.fraction,
            }[what]
        )

    return Meaning(found, (PREDICATE,), (type_,))


def signed_like(row: Row) -> Meaning:
    """Return the meaning of copysign."""
    type_ = row.type()
    sign = FORMATS[type_].sign
    return Meaning(lambda a, b: a & sign | b & sign - 1, (type_,), (type_, type_))


def moved(row: Row) -> Meaning:
    """Return the meaning of mov, including packing and unpacking."""
    type_ = row.type()
    if type_ == PREDICATE:
        return Meaning(lambda a: a, (type_,), (type_,))
    vector = row.take("v2", "v4")
    first, second = row.shapes
    bits = bits_of(type_)
    if vector:
        return Meaning(lambda *values: values, (type_,) * first, (type_,) * second)
    if first > 1:
        width = bits // first
        each = (1 << width) - 1
        places = range(0, bits, width)
        return Meaning(lambda a: tuple([a >> place & each for place in places]), (f"b{width}",) * first, (type_,))
    if second > 1:
        width = bits // second

        def packed(*values: int) -> int:
            found = 0
            for value in reversed(values):
                found = found << width | value
            return found

        return Meaning(packed, (type_,), (f"b{width}",) * second)
    return Meaning(lambda a: a, (type_,), (type_,))


def window_of(row: Row) -> int:
    """Return the start of a state space among generic addresses."""
    space = row.take("global", "const", "shared", "shared::cta", "shared::cluster", "local", "param", "param::entry")
    if not space:
        refuse(f"its modifier .{row.words[0]}")
    return WINDOWS[space.partition("::")[0]]


def generic(row: Row) -> Meaning:
    """Return the meaning of cvta."""
    back, window = row.flag("to"), window_of(row)
    type_ = row.type("u64")
    if back:
        return Meaning(lambda a: a - window & ADDRESS, (type_,), (type_,))
    return Meaning(lambda a: a + window & ADDRESS, (type_,), (type_,))


def lies_in(row: Row) -> Meaning:
    """Return the meaning of isspacep; constants count as global memory."""
    if "const" in row.words:
        refuse("its modifier .const")
    window = window_of(row)
    if len(row.shapes) > FIRST_RANKED:
        return Meaning(lambda a, rank: int(a >> RANK == window >> RANK | rank), (PREDICATE,), ("u64", "u32"))
    window >>= 60
    return Meaning(lambda a: int(a >> 60 == window), (PREDICATE,), ("u64",))


def mapped(row: Row) -> Meaning:
    """Return the meaning of mapa: the same address in another block."""
    type_ = row.type("u32", "u64") if row.flag("shared::cluster") else row.type("u64")
    mask = (1 << bits_of(type_)) - 1
    return Meaning(lambda a, rank: (a & UNRANKED | min(rank, RANKS) << RANK) & mask, (type_,), (type_, "u32"))


def ranked(row: Row) -> Meaning:
    """Return the meaning of getctarank."""
    type_ = row.type("u32", "u64") if row.flag("shared::cluster") else row.type("u64")
    return Meaning(lambda a: a >> RANK & RANKS, ("u32",), (type_,))


MEANINGS: dict[str, Callable[[Row], Meaning]] = {
    "setp": compared,
    "set": compared_to_value,
    "selp": selected,
    "slct": selected_by_sign,
    "and": bitwise,
    "or": bitwise,
    "xor": bitwise,
    "not": inverted,
    "cnot": inverted,
    "shl": shifted,
    "shr": shifted,
    "shf": funnel,
    "lop3": looked_up,
    "prmt": permuted,
    "popc": counted,
    "clz": counted,
    "brev": counted,
    "bfind": highest,
    "bfe": field,
    "bfi": field,
    "fns": nth_set,
    "bmsk": mask,
    "szext": mask,
    "dp4a": dot,
    "dp2a": dot,
    "testp": tested,
    "copysign": signed_like,
    "mov": moved,
    "cvta": generic,
    "isspacep": lies_in,
    "mapa": mapped,
    "getctarank": ranked,
    "cvt": convert,
}
"""The meanings of instructions, by name."""
