"""Integer instructions against Python's integers, which have no width."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakecuda.kernels.row import NotRun
from tests.each import each

from .world import meaning

WIDTHS = (16, 32, 64)


def draw(bits: int) -> st.SearchStrategy[int]:
    """Draw unsigned integers of a width, often at its edges."""
    half = 1 << bits - 1
    return st.one_of(st.sampled_from([0, 1, 2, half - 1, half, half + 1, 2 * half - 1]), st.integers(0, 2 * half - 1))


def as_signed(value: int, bits: int) -> int:
    """Return a signed integer."""
    return value - (1 << bits) if value >= 1 << bits - 1 else value


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("kind", "us")
@settings(max_examples=50)
@given(st.data())
def test_arithmetic(bits: int, kind: str, data: st.DataObject) -> None:
    """Each result is the exact one, cut to the width."""
    raw = [data.draw(draw(bits)) for _ in range(3)]
    a, b, c = (as_signed(one, bits) if kind == "s" else one for one in raw)
    type_, cut = f"{kind}{bits}", 1 << bits
    wanted = {
        f"add.{type_}": a + b,
        f"sub.{type_}": a - b,
        f"mul.lo.{type_}": a * b,
        f"mul.hi.{type_}": a * b >> bits,
        f"mad.lo.{type_}": a * b + c,
        f"mad.hi.{type_}": (a * b >> bits) + c,
        f"min.{type_}": min(a, b),
        f"max.{type_}": max(a, b),
        f"sad.{type_}": c + abs(a - b),
        f"abs.{type_}": abs(a),
        f"neg.{type_}": -a,
        f"shl.b{bits}": raw[0] << (raw[1] & 0x7F),
        f"shr.{type_}": a >> (raw[1] & 0x7F),
        f"not.b{bits}": ~raw[0],
        f"cnot.b{bits}": int(raw[0] == 0),
        f"and.b{bits}": raw[0] & raw[1],
        f"or.b{bits}": raw[0] | raw[1],
        f"xor.b{bits}": raw[0] ^ raw[1],
        f"selp.b{bits}": raw[0] if raw[2] & 1 else raw[1],
    }
    if b:
        quotient = int(abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)
        wanted |= {f"div.{type_}": quotient, f"rem.{type_}": a - quotient * b}
    counts = {"abs": 1, "neg": 1, "not": 1, "cnot": 1, "mad": 3, "sad": 3, "selp": 3}
    for text, exact in wanted.items():
        name = text.partition(".")[0]
        given_ = raw[: counts.get(name, 2)]
        if name in {"shl", "shr"}:
            given_[1] &= 0x7F
        if name == "selp":
            given_[2] &= 1
        assert meaning(text)(*given_) == exact % cut, text


@pytest.mark.parametrize("kind", "us")
@pytest.mark.parametrize("bits", [16, 32])
@settings(max_examples=50)
@given(st.data())
def test_wide_products(bits: int, kind: str, data: st.DataObject) -> None:
    """They have twice the width."""
    raw = [data.draw(draw(bits)) for _ in range(2)]
    a, b = (as_signed(one, bits) if kind == "s" else one for one in raw)
    c = data.draw(draw(2 * bits))
    assert meaning(f"mul.wide.{kind}{bits}")(*raw) == a * b % (1 << 2 * bits)
    assert meaning(f"mad.wide.{kind}{bits}")(*raw, c) == (a * b + c) % (1 << 2 * bits)


@pytest.mark.parametrize("bits", [32, 64])
@settings(max_examples=50)
@given(st.data())
def test_carries(bits: int, data: st.DataObject) -> None:
    """Of sums, differences and products; that of a difference is 1 without a borrow, as ptxas makes it."""
    a, b, c = (data.draw(draw(bits)) for _ in range(3))
    carry, cut = data.draw(st.integers(0, 1)), 1 << bits
    type_ = f"u{bits}"
    assert meaning(f"add.cc.{type_}")(a, b) == ((a + b) % cut, (a + b) // cut)
    assert meaning(f"addc.{type_}")(a, b, carry) == (a + b + carry) % cut
    assert meaning(f"addc.cc.{type_}")(a, b, carry) == ((a + b + carry) % cut, (a + b + carry) // cut)
    assert meaning(f"sub.cc.{type_}")(a, b) == ((a - b) % cut, int(a >= b))
    assert meaning(f"subc.{type_}")(a, b, carry) == (a - b - 1 + carry) % cut
    assert meaning(f"subc.cc.{type_}")(a, b, carry) == ((a - b - 1 + carry) % cut, int(a >= b + 1 - carry))
    low, high = a * b % cut, a * b >> bits
    assert meaning(f"mad.lo.cc.{type_}")(a, b, c) == ((low + c) % cut, (low + c) // cut)
    assert meaning(f"madc.hi.{type_}")(a, b, c, carry) == (high + c + carry) % cut
    assert meaning(f"madc.hi.cc.{type_}")(a, b, c, carry)[0] == (high + c + carry) % cut


@settings(max_examples=50)
@given(draw(32), draw(32), draw(32), st.integers(0, 255), st.integers(0, 255))
def test_bits_of_words(a: int, b: int, c: int, start: int, count: int) -> None:
    """Fields, funnels, tables, permutations and products of parts."""
    bits = [a >> place & 1 for place in range(32)]
    assert meaning("brev.b32")(a) == sum(bit << 31 - place for place, bit in enumerate(bits))
    assert meaning("popc.b32")(a) == sum(bits)
    assert meaning("clz.b32")(a) == next((zeros for zeros in range(32) if bits[31 - zeros]), 32)
    sign = bits[31]
    for kind, fill in (("u", 0), ("s", bits[min(start + count - 1, 31)] if count else 0)):
        wanted = sum(
            (bits[start + place] if place < count and start + place < 32 else fill) << place for place in range(32)
        )
        assert meaning(f"bfe.{kind}32")(a, start, count) == wanted
    inserted = sum(
        (a >> place - start & 1 if start <= place < start + count else b >> place & 1) << place for place in range(32)
    )
    assert meaning("bfi.b32")(a, b, start, count) == inserted
    highest = max((place for place in range(32) if bits[place]), default=0xFFFFFFFF)
    assert meaning("bfind.u32")(a) == highest
    other = max((place for place in range(32) if bits[place] != sign), default=0xFFFFFFFF)
    assert meaning("bfind.s32")(a) == other
    assert meaning("bfind.shiftamt.u32")(a) == (31 - highest if a else 0xFFFFFFFF)
    both = b << 32 | a
    for wrap, by in (("wrap", start % 32), ("clamp", min(start, 32))):
        assert meaning(f"shf.l.{wrap}.b32")(a, b, start) == (both << by >> 32) % (1 << 32)
        assert meaning(f"shf.r.{wrap}.b32")(a, b, start) == (both >> by) % (1 << 32)
    table = count
    looked = sum(
        (table >> (4 * (a >> place & 1) + 2 * (b >> place & 1) + (c >> place & 1)) & 1) << place for place in range(32)
    )
    assert meaning("lop3.b32")(a, b, c, table) == looked
    for join in ("or", "and"):
        joined = int(looked != 0) | 1 if join == "or" else int(looked != 0) & 1
        assert meaning(f"lop3.{join}.b32")(a, b, c, table, 1) == (looked, joined)
    data = [both >> 8 * place & 0xFF for place in range(8)]
    chosen = 0
    for place in range(4):
        way = c >> 4 * place & 15
        byte = data[way % 8]
        chosen |= ((255 if byte > 127 else 0) if way > 7 else byte) << 8 * place
    assert meaning("prmt.b32")(a, b, c) == chosen


@settings(max_examples=50)
@given(draw(32), draw(32), draw(32))
def test_products_of_parts(a: int, b: int, c: int) -> None:
    """``dp4a`` and ``dp2a``, signed and unsigned."""

    def part(value: int, bits: int, place: int, kind: str) -> int:
        found = value >> bits * place & (1 << bits) - 1
        return as_signed(found, bits) if kind == "s" else found

    for first in "us":
        for second in "us":
            four = sum(part(a, 8, place, first) * part(b, 8, place, second) for place in range(4))
            assert meaning(f"dp4a.{first}32.{second}32")(a, b, c) == (four + c) % (1 << 32)
            for half, begin in (("lo", 0), ("hi", 2)):
                two = sum(part(a, 16, place, first) * part(b, 8, begin + place, second) for place in range(2))
                assert meaning(f"dp2a.{half}.{first}32.{second}32")(a, b, c) == (two + c) % (1 << 32)


@each(
    "text, values, wanted",
    [
        ("div.u32", (7, 0), 0xFFFFFFFF),
        ("rem.u32", (7, 0), 0xFFFFFFFF),
        ("rem.s16", (7, 0), 0xFFFF),
        ("div.s32", (1 << 31, 0xFFFFFFFF), 1 << 31),
        ("add.sat.s32", (0x7FFFFFFF, 1), 0x7FFFFFFF),
        ("sub.sat.s32", (1 << 31, 1), 1 << 31),
        ("mad.hi.sat.s32", (0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF), 0x7FFFFFFF),
        ("mul24.lo.u32", (0xFF000003, 5), 15),
        ("mul24.hi.s32", (0x00800000, 0x00800000), 0x40000000),
        ("mad24.lo.s32", (0x00FFFFFF, 5, 7), 2),
        ("mad24.hi.sat.s32", (0x00800000, 0x00800000, 0x7FFFFFFF), 0x7FFFFFFF),
        ("min.relu.s32", (0xFFFFFFFF, 5), 0),
        ("max.relu.s32", (0xFFFFFFFF, 5), 5),
        ("shl.b32", (1, 32), 0),
        ("shr.s32", (1 << 31, 99), 0xFFFFFFFF),
        ("shr.u32", (1 << 31, 99), 0),
        ("bfe.s64", (1 << 63, 63, 8), (1 << 64) - 1),
        ("bfe.s32", (1 << 31, 0, 32), 1 << 31),
        ("bfe.u32", (5, 0x100, 0x101), 1),
        ("bfe.u64", (5, 0x100, 1), 0),
        ("bfe.u64", (5, 0, 0x100), 5),
        ("bfe.s64", (1 << 63, 0x100, 1), (1 << 64) - 1),
        ("fns.b32", (0b1010, 0, 2), 3),
        ("fns.b32", (0b1010, 1, 1), 1),
        ("fns.b32", (0b1010, 2, 0xFFFFFFFF), 1),
        ("fns.b32", (0b1010, 2, 0xFFFFFFFE), 0xFFFFFFFF),
        ("fns.b32", (0b1010, 3, 0), 3),
        ("fns.b32", (0b1010, 2, 0), 0xFFFFFFFF),
        ("fns.b32", (0b1010, 32, 0xFFFFFFFF), 0xFFFFFFFF),
        ("prmt.b32.f4e", (0x33221100, 0x77665544, 1), 0x44332211),
        ("prmt.b32.b4e", (0x33221100, 0x77665544, 1), 0x66770011),
        ("prmt.b32.rc8", (0x33221100, 0, 2), 0x22222222),
        ("prmt.b32.ecl", (0x33221100, 0, 2), 0x33222222),
        ("prmt.b32.ecr", (0x33221100, 0, 1), 0x11111100),
        ("prmt.b32.rc16", (0x33221100, 0, 1), 0x33223322),
        ("bmsk.clamp.b32", (4, 40), 0xFFFFFFF0),
        ("bmsk.wrap.b32", (36, 4), 0xF0),
        ("szext.clamp.s32", (0x80, 8), 0xFFFFFF80),
        ("szext.wrap.u32", (0xFFF, 40), 0xFF),
        ("slct.u32.s32", (1, 2, 0), 1),
        ("slct.u32.s32", (1, 2, 0xFFFFFFFF), 2),
        ("slct.u32.f32", (1, 2, 0x80000000), 1),
        ("slct.u32.f32", (1, 2, 0x80000001), 2),
        ("slct.ftz.u32.f32", (1, 2, 0x80000001), 1),
        ("slct.u32.f32", (1, 2, 0x7FC00000), 2),
        ("not.pred", (1,), 0),
        ("xor.pred", (1, 1), 0),
        ("mov.pred", (1,), 1),
        ("testp.finite.f32", (0x7F800000,), 0),
        ("testp.infinite.f32", (0xFF800000,), 1),
        ("testp.number.f32", (0x7F800000,), 1),
        ("testp.notanumber.f32", (0x7F800001,), 1),
        ("testp.normal.f32", (0x00800000,), 1),
        ("testp.subnormal.f64", (1,), 1),
        ("copysign.f32", (0x80000000, 0x3F800000), 0xBF800000),
        ("isspacep.shared", (1 << 60,), 1),
        ("isspacep.global", (1 << 60,), 0),
        ("cvta.shared.u64", (16,), 1 << 60 | 16),
        ("cvta.to.local.u64", (2 << 60 | 16,), 16),
        ("cvta.to.param::entry.u64", (3 << 60 | 16,), 16),
        ("set.lt.u32.s32", (0xFFFFFFFF, 0), 0xFFFFFFFF),
        ("set.lt.f32.u32", (0xFFFFFFFF, 0), 0),
        ("set.lt.f32.u32", (0, 1), 0x3F800000),
        ("set.gt.and.u32.s32", (1, 0, 1), 0xFFFFFFFF),
        ("set.gt.and.u32.s32", (1, 0, 0), 0),
    ],
)
def test_edges(text: str, values: tuple[int, ...], wanted: int) -> None:
    """As the manual's sections on each instruction say."""
    assert meaning(text)(*values) == wanted


ORDERS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
ONE, TWO, NAN, TINY = 0x3F800000, 0x40000000, 0x7FC00000, 1


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize(("a", "b"), [(1, 2), (2, 1), (2, 2)])
def test_comparisons(name: str, a: int, b: int) -> None:
    """Of integers and floats, ordered and unordered, with a predicate joined."""
    wanted = eval(f"{a} {ORDERS[name]} {b}")  # noqa: S307 - of two digits
    floats = {1: ONE, 2: TWO}
    for found in (
        meaning(f"setp.{name}.u32")(a, b),
        meaning(f"setp.{name}.s32")(a, b),
        meaning(f"setp.{name}.f32")(floats[a], floats[b]),
        meaning(f"setp.{name}u.f32")(floats[a], floats[b]),
    ):
        assert found == (wanted, not wanted)
    assert meaning(f"setp.{name}.s32")(-a % (1 << 32), -b % (1 << 32)) == meaning(f"setp.{name}.s32")(b, a)
    assert meaning(f"setp.{name}.f32")(ONE, NAN) == (0, 1)
    assert meaning(f"setp.{name}u.f32")(NAN, ONE) == (1, 0)
    assert meaning(f"setp.{name}.xor.u32")(a, b, 1) == (not wanted, wanted)


@pytest.mark.parametrize(
    ("text", "a", "b", "wanted"),
    [
        ("setp.lo.u32", 1, 2, 1),
        ("setp.ls.u32", 2, 2, 1),
        ("setp.hi.u32", 1, 2, 0),
        ("setp.hs.u32", 2, 2, 1),
        ("setp.num.f32", ONE, TWO, 1),
        ("setp.num.f32", ONE, NAN, 0),
        ("setp.nan.f32", ONE, TWO, 0),
        ("setp.nan.f32", ONE, NAN, 1),
        ("setp.eq.ftz.f32", 0, TINY, 1),
        ("setp.eq.f32", 0, TINY, 0),
        ("setp.eq.f32", 0, 1 << 31, 1),
        ("setp.eq.f16", 0x3C00, 0x3C00, 1),
    ],
)
def test_further_comparisons(text: str, a: int, b: int, wanted: int) -> None:
    """Unsigned names, NaNs, zeros and subnormals."""
    assert meaning(text)(a, b)[0] == wanted


def test_moves_pack_and_unpack() -> None:
    """The first element has the lowest bits."""
    assert meaning("mov.b64", 1, 2)(0x11, 0x22) == 0x22 << 32 | 0x11
    assert meaning("mov.b64", 4, 1)(0x4444333322221111) == (0x1111, 0x2222, 0x3333, 0x4444)
    assert meaning("mov.v2.u32", 2, 2)(5, 6) == (5, 6)
    assert meaning("mov.u32")(5) == 5


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("sub.u16x2", r"its type \.u16x2"),
        ("add.cc.u16x2", r"its type \.u16x2"),
        ("mul.lo.b32", r"its type \.b32"),
        ("mul.lo.u16x2", r"its type \.u16x2"),
        ("shf.l.b64", r"its type \.b64"),
        ("isspacep.const", r"its modifier \.const"),
        ("cvta.shared.u32", r"its type \.u32"),
        ("add", "without a type"),
        ("wgmma.fence", "wgmma"),
    ],
)
def test_what_is_not_run_is_refused_by_name(text: str, why: str) -> None:
    """A type, a modifier or an instruction."""
    with pytest.raises(NotRun, match=why):
        meaning(text)


def test_a_third_operand_of_min_is_refused() -> None:
    """It is sm_100's."""
    with pytest.raises(NotRun, match="three operands"):
        meaning("min.f32", 1, 1, 1, 1)
