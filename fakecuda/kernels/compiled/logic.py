"""Comparison, selection, shift, move and bit conversion as LLVM IR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.kernels.arithmetic import PAIRS
from fakecuda.kernels.compiled import bits, floats, formats
from fakecuda.kernels.compiled.conversions import convert
from fakecuda.kernels.floats import FORMATS
from fakecuda.kernels.logic import FIRST_RANKED, LOGIC, RANKS, UNORDERED, UNRANKED, window_of
from fakecuda.kernels.program import RANK
from fakecuda.kernels.row import PREDICATE, Meaning, bits_of, is_signed, refuse, refuse_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.lines import Lines
    from fakecuda.kernels.row import Row

WHOLE = {"eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge"}
WHOLE |= {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
ORDERED = {"eq": "oeq", "ne": "one", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "num": "ord", "nan": "uno"}
ORDERED |= {name: f"u{name[:2]}" for name in UNORDERED}
WORD = 32


def comparison(row: Row, type_: str) -> Callable[[Lines, str, str], str]:
    """Return a function that compares operands of a type."""
    name, one = row.take(*WHOLE, *ORDERED), FORMATS.get(type_)
    if one is None:
        if name not in WHOLE:
            refuse_type(type_)
        how = WHOLE[name]
        if how not in {"eq", "ne"}:
            how = ("s" if is_signed(type_) else "u") + how
        return lambda o, a, b: o(f"icmp {how} i{bits_of(type_)} {a}, {b}")
    if name not in ORDERED:
        refuse_type(type_)
    flush = row.flag("ftz")

    def found(o: Lines, a: str, b: str) -> str:
        if flush:
            a, b = formats.flushed(o, a, one), formats.flushed(o, b, one)
        (first, kind), (second, _) = floats.comparable(o, a, one), floats.comparable(o, b, one)
        return o(f"fcmp {ORDERED[name]} {kind} {first}, {second}")

    return found


def compared(row: Row) -> Meaning:
    """Return the meaning of setp."""
    join = row.take(*LOGIC)
    type_ = row.type()
    compare = comparison(row, PAIRS.get(type_, type_))

    def both(o: Lines, a: str, b: str, *c: str) -> tuple[str, str]:
        if type_ in PAIRS:
            low = compare(o, o(f"trunc i32 {a} to i16"), o(f"trunc i32 {b} to i16"))
            upper = [o(f"trunc i32 {o(f'lshr i32 {one}, 16')} to i16") for one in (a, b)]
            found, other = low, compare(o, *upper)
        else:
            found = compare(o, a, b)
            other = o(f"xor i1 {found}, true")
        return tuple([o(f"{join} i1 {one}, {c[0]}") if join else one for one in (found, other)])  # type: ignore[return-value]

    return Meaning(both, (PREDICATE, PREDICATE), (type_, type_, *([PREDICATE] if join else [])))


def compared_to_value(row: Row) -> Meaning:
    """Return the meaning of set."""
    join = row.take(*LOGIC)
    target, type_ = row.type(), row.type()
    one = FORMATS.get(PAIRS.get(target, target))
    compare, yes = comparison(row, PAIRS.get(type_, type_)), -1 if one is None else one.one
    of = f"i{bits_of(PAIRS.get(target, target))}"

    def found(o: Lines, a: str, b: str, *c: str) -> str:
        holds = compare(o, a, b)
        return o.choose(o(f"{join} i1 {holds}, {c[0]}") if join else holds, of, yes, 0)

    function = floats.paired(found) if type_ in PAIRS else found
    return Meaning(function, (target,), (type_, type_, *([PREDICATE] if join else [])))


def selected(row: Row) -> Meaning:
    """Return the meaning of selp."""
    type_ = row.type()
    of = f"i{bits_of(type_)}"
    return Meaning(lambda o, a, b, c: o.choose(c, of, a, b), (type_,), (type_, type_, PREDICATE))


def bitwise(row: Row) -> Meaning:
    """Return the meaning of and, or, xor."""
    name, type_ = row.name, row.type()
    return Meaning(lambda o, a, b: o(f"{name} i{bits_of(type_)} {a}, {b}"), (type_,), (type_, type_))


def inverted(row: Row) -> Meaning:
    """Return the meaning of not or cnot."""
    type_ = row.type()
    of = f"i{bits_of(type_)}"
    if row.name == "cnot":
        return Meaning(lambda o, a: o(f"zext i1 {o(f'icmp eq {of} {a}, 0')} to {of}"), (type_,), (type_,))
    return Meaning(lambda o, a: o(f"xor {of} {a}, -1"), (type_,), (type_,))


def shifted(row: Row) -> Meaning:
    """Return the meaning of shl or shr; large counts shift everything out."""
    type_ = row.type()
    bits, name = bits_of(type_), row.name
    of, negative = f"i{bits}", name == "shr" and is_signed(type_)
    word = "shl" if name == "shl" else "ashr" if negative else "lshr"

    def found(o: Lines, a: str, b: str) -> str:
        inside = o(f"icmp ult i32 {b}, {bits}")
        count = o.resize(o.choose(inside, "i32", b, bits - 1 if negative else 0), WORD, bits)
        made = o(f"{word} {of} {a}, {count}")
        return made if negative else o.choose(inside, of, made, 0)

    return Meaning(found, (type_,), (type_, "u32"))


def funnel(row: Row) -> Meaning:
    """Return the meaning of shf."""
    left, wrap = row.take("l", "r") == "l", row.take("clamp", "wrap") == "wrap"
    type_ = row.type("b32")

    def found(o: Lines, low: str, high: str, count: str) -> str:
        most = o.choose(o(f"icmp ult i32 {count}, 32"), "i32", count, 32)
        count = o(f"and i32 {count}, 31") if wrap else most
        both = o(f"or i64 {o(f'shl i64 {o.resize(high, 32, 64)}, 32')}, {o.resize(low, 32, 64)}")
        made = o(f"{'shl' if left else 'lshr'} i64 {both}, {o.resize(count, 32, 64)}")
        return o.resize(o(f"lshr i64 {made}, 32") if left else made, 64, 32)

    return Meaning(found, (type_,), (type_, type_, "u32"))


def looked_up(row: Row) -> Meaning:
    """Return the meaning of lop3."""

    def found(o: Lines, a: str, b: str, c: str, table: str) -> str:
        if not table.isdigit():
            refuse("its table, which is not a constant")
        made = "0"
        for place in range(8):
            if int(table) >> place & 1:
                parts = [
                    one if place >> 2 - number & 1 else o(f"xor i32 {one}, -1") for number, one in enumerate((a, b, c))
                ]
                both = o(f"and i32 {parts[0]}, {parts[1]}")
                made = o(f"or i32 {made}, {o(f'and i32 {both}, {parts[2]}')}")
        return made

    if {"or", "and"} & {*row.words}:
        return bits.joined(row, found)
    type_ = row.type("b32")
    return Meaning(found, (type_,), (type_, type_, type_, "u32"))


def permuted(row: Row) -> Meaning:
    """Return the meaning of prmt."""
    mode, type_ = row.take("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"), row.type("b32")

    def found(o: Lines, a: str, b: str, selector: str) -> str:
        data = o(f"or i64 {o(f'shl i64 {o.resize(b, 32, 64)}, 32')}, {o.resize(a, 32, 64)}")
        made = "0"
        choices = bits.places(o, selector, mode) if mode else [o(f"lshr i32 {selector}, {4 * n}") for n in range(4)]
        for number, choice in enumerate(choices):
            place = o.resize(o(f"shl i32 {o(f'and i32 {choice}, 7')}, 3"), 32, 64)
            byte = o.resize(o(f"lshr i64 {data}, {place}"), 64, 8)
            if not mode:
                sign = o(f"ashr i8 {byte}, 7")
                byte = o.choose(o(f"icmp ne i32 {o(f'and i32 {choice}, 8')}, 0"), "i8", sign, byte)
            made = o(f"or i32 {made}, {o(f'shl i32 {o.resize(byte, 8, 32)}, {8 * number}')}")
        return made

    return Meaning(found, (type_,), (type_,) * 3)


def counted(row: Row) -> Meaning:
    """Return the meaning of popc, clz or brev."""
    type_, name = row.type(), row.name
    bits = bits_of(type_)
    of = f"i{bits}"
    if name == "brev":
        return Meaning(lambda o, a: o.call(of, f"llvm.bitreverse.{of}", f"{of} {a}"), (type_,), (type_,))

    def found(o: Lines, a: str) -> str:
        if name == "popc":
            return o.resize(o.call(of, f"llvm.ctpop.{of}", f"{of} {a}"), bits, WORD)
        return o.resize(o.call(of, f"llvm.ctlz.{of}", f"{of} {a}", "i1 false"), bits, WORD)

    return Meaning(found, ("u32",), (type_,))


def field(row: Row) -> Meaning:
    """Return the meaning of bfe or bfi."""
    type_ = row.type()
    width = bits_of(type_)
    of = f"i{width}"
    if is_signed(type_):
        return Meaning(bits.signed_field(type_), (type_,), (type_, "u32", "u32"))

    def shift(o: Lines, word: str, value: Any, count: str) -> str:
        """Shift by up to 255 places, or by any number in a 64-bit field."""
        inside = o(f"icmp ult {of} {count}, {width}")
        return o.choose(inside, of, o(f"{word} {of} {value}, {o.choose(inside, of, count, 0)}"), 0)

    def places(o: Lines, *values: str) -> list[str]:
        """Return places of bits: their lowest byte, or the whole of them if the field is one of 64 bits."""
        return [o(f"and i32 {one}, 255") if width == WORD else o.resize(one, WORD, width) for one in values]

    def ones(o: Lines, count: str) -> str:
        return o(f"sub {of} {shift(o, 'shl', 1, count)}, 1")

    def extract(o: Lines, value: str, start: str, count: str) -> str:
        start, count = places(o, start, count)
        return o(f"and {of} {shift(o, 'lshr', value, start)}, {ones(o, count)}")

    def insert(o: Lines, inner: str, value: str, start: str, count: str) -> str:
        start, count = places(o, start, count)
        mask = shift(o, "shl", ones(o, count), start)
        rest = o(f"and {of} {value}, {o(f'xor {of} {mask}, -1')}")
        inner = shift(o, "shl", inner, start)
        return o(f"or {of} {rest}, {o(f'and {of} {inner}, {mask}')}")

    if row.name == "bfi":
        return Meaning(insert, (type_,), (type_, type_, "u32", "u32"))
    return Meaning(extract, (type_,), (type_, "u32", "u32"))


def signed_like(row: Row) -> Meaning:
    """Return the meaning of copysign."""
    type_ = row.type()
    one = FORMATS[type_]
    of = f"i{one.bits}"

    def found(o: Lines, a: str, b: str) -> str:
        return o(f"or {of} {o(f'and {of} {a}, {one.sign}')}, {formats.magnitude(o, b, one)}")

    return Meaning(found, (type_,), (type_, type_))


def moved(row: Row) -> Meaning:
    """Return the meaning of mov, including packing and unpacking."""
    type_, vector = row.type(), row.take("v2", "v4")
    first, second = row.shapes
    whole = bits_of(type_)
    of = f"i{whole}"
    if vector:
        return Meaning(lambda _o, *values: values, (type_,) * first, (type_,) * second)
    if first > 1:
        width = whole // first

        def unpacked(o: Lines, a: str) -> tuple[str, ...]:
            return tuple([o.resize(o(f"lshr {of} {a}, {width * number}"), whole, width) for number in range(first)])

        return Meaning(unpacked, (f"b{width}",) * first, (type_,))
    if second > 1:
        width = whole // second

        def packed(o: Lines, *values: str) -> str:
            found = "0"
            for number, one in enumerate(values):
                found = o(f"or {of} {found}, {o(f'shl {of} {o.resize(one, width, whole)}, {width * number}')}")
            return found

        return Meaning(packed, (type_,), (f"b{width}",) * second)
    return Meaning(lambda _o, a: a, (type_,), (type_,))


def generic(row: Row) -> Meaning:
    """Return the meaning of cvta."""
    word, window = ("sub" if row.flag("to") else "add"), window_of(row)
    type_ = row.type("u64")
    return Meaning(lambda o, a: o(f"{word} i64 {a}, {window}"), (type_,), (type_,))


def lies_in(row: Row) -> Meaning:
    """Return the meaning of isspacep, which may have the block's rank as an operand."""
    if "const" in row.words:
        refuse("its modifier .const")
    window = window_of(row)
    if len(row.shapes) > FIRST_RANKED:

        def own(o: Lines, a: str, rank: str) -> str:
            wanted = o(f"or i64 {o.resize(rank, 32, 64)}, {window >> RANK}")
            return o(f"icmp eq i64 {o(f'lshr i64 {a}, {RANK}')}, {wanted}")

        return Meaning(own, (PREDICATE,), ("u64", "u32"))
    window >>= 60
    return Meaning(lambda o, a: o(f"icmp eq i64 {o(f'lshr i64 {a}, 60')}, {window}"), (PREDICATE,), ("u64",))


def mapped(row: Row) -> Meaning:
    """Return the meaning of mapa."""
    row.flag("shared::cluster")
    type_ = row.type()
    bits = bits_of(type_)

    def found(o: Lines, a: str, rank: str) -> str:
        least = o.call("i32", "llvm.umin.i32", f"i32 {rank}", f"i32 {RANKS}")
        far = o(f"shl i{bits} {o.resize(least, 32, bits)}, {RANK}")
        return o(f"or i{bits} {o(f'and i{bits} {a}, {UNRANKED & (1 << bits) - 1}')}, {far}")

    return Meaning(found, (type_,), (type_, "u32"))


def ranked(row: Row) -> Meaning:
    """Return the meaning of getctarank."""
    row.flag("shared::cluster")
    type_ = row.type()
    of = f"i{bits_of(type_)}"

    def found(o: Lines, a: str) -> str:
        return o.resize(o(f"and {of} {o(f'lshr {of} {a}, {RANK}')}, {RANKS}"), bits_of(type_), 32)

    return Meaning(found, ("u32",), (type_,))


MEANINGS: dict[str, Callable[[Row], Meaning]] = {
    **bits.MEANINGS,
    "setp": compared,
    "set": compared_to_value,
    "selp": selected,
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
    "bfe": field,
    "bfi": field,
    "copysign": signed_like,
    "mov": moved,
    "cvta": generic,
    "isspacep": lies_in,
    "mapa": mapped,
    "getctarank": ranked,
    "cvt": convert,
}
"""The meanings of instructions, by name."""
