"""Questions to a card about matrix instructions.

Each question is a kernel, and words of 32 bits that each block reads: operands of ``mma`` in registers, matrices of ``wmma``, or the
shared memory and the addresses of ``ldmatrix`` and ``stmatrix``. Python alone is needed.
"""

from __future__ import annotations

import ctypes
import random
from hashlib import sha256
from itertools import product as iterated
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.record.instructions import Card

LANES, WORD, BYTE = 32, 32, 8
FINITE = {"f16": (5, 10), "bf16": (8, 7), "tf32": (8, 23), "f32": (8, 23), "f64": (11, 52)}
FINITE |= {"e4m3": (4, 3), "e5m2": (5, 2)}
"""Bits of the exponent and of the fraction."""
BITS = {"s32": 32, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
KINDS = ("near", "any", "few", "sparse", "small", "large", "special", "spread")
"""Kinds of random values."""
SHARED = 1024
"""The size of a block's shared memory in bytes."""
PLAIN = 8192
"""The maximum digits of a recorded answer; longer ones are hashed."""


class Question(NamedTuple):
    """A question about a matrix instruction.

    Attributes:
        name: Its name: the instruction.
        body: The kernel, between the addresses of the block's words and its end.
        given: For each block, the words that it reads.
        found: How many words a block writes.
        threads: The threads of a block.
        target: The target of the kernel.
        shared: Bytes of shared memory.
    """

    name: str
    body: str
    given: Sequence[Sequence[int]]
    found: int
    threads: int = LANES
    target: str = "sm_90"
    shared: int = SHARED


def width(type_: str) -> int:
    """Return the bits of an element; ``tf32`` counts as a register."""
    return BITS[type_] if type_ in BITS else 1 + sum(FINITE[type_])


def value(draw: random.Random, type_: str, kind: str, *, added: bool = False) -> int:
    """Return the bits of a value.

    Args:
        draw: What draws it.
        type_: Its type.
        kind: What it is drawn from.
        added: Whether it is added to products.
    """
    if type_ in BITS:
        near = (1 << 31) + draw.randint(-1000, 1000)  # a sum from there may exceed the type
        return near if added and draw.getrandbits(1) else draw.getrandbits(BITS[type_])
    exponents, bits = FINITE[type_]
    top = (1 << exponents) - 1
    middle = top >> 1
    sign = draw.getrandbits(1) << exponents + bits
    fraction = draw.getrandbits(bits)
    if kind == "special" and draw.random() < 0.03:
        return sign | top << bits | draw.choice((0, 0, 1, 1 << bits - 1, (1 << bits) - 1))
    if kind == "sparse" and draw.random() < 0.8:
        return sign
    if kind == "any":
        exponent = draw.randrange(top)
    elif kind == "few":
        exponent = middle + draw.choice((0, 0, 12, 23, 24, 25, 26) if added else (0, 0, 1, 6, 13))
    elif kind == "small":
        exponent = draw.choice((0, draw.randrange(3), middle - draw.randrange(20, 50))) if added else draw.randrange(3)
    elif kind == "large":
        exponent = top - draw.randrange(1, 5)
    else:
        wide = 3 if kind != "spread" else 30 if added else 13
        exponent = middle + draw.randint(-wide, wide)
    if kind == "few":
        fraction = draw.choice((0, 0, 1, 1 << bits - 1, (1 << bits) - 1))
    return sign | min(max(exponent, 0), top - 1) << bits | fraction


def packed(elements: Sequence[int], bits: int) -> list[int]:
    """Pack elements into 32-bit words, lowest bits first."""
    words = []
    for start in range(0, len(elements), WORD):  # so many elements are whole words
        some = elements[start : start + WORD]
        whole = sum(one << bits * number for number, one in enumerate(some))
        words += [whole >> WORD * number & 0xFFFFFFFF for number in range(bits * len(some) // WORD)]
    return words


def drawn(name: str, number: int, parts: Sequence[tuple[str, int, bool]]) -> list[int]:
    """Return random elements of types as the words of a block.

    Args:
        name: The question.
        number: The block.
        parts: The type, the number of elements, and whether they are added to products.
    """
    draw = random.Random(f"{name} {number}")  # noqa: S311 - no secret
    kind = KINDS[number % len(KINDS)]
    words = []
    for type_, count, added in parts:
        words += packed([value(draw, type_, kind, added=added) for _ in range(count)], width(type_))
    return words


def registers(prefix: str, count: int) -> str:
    """Return a vector of registers."""
    return "{" + ", ".join(f"%{prefix}{number}" for number in range(count)) + "}"


def multiplied(text: str, blocks: int) -> Question:
    """Return a question about mma with operands in registers."""
    shape, types = (
        next(one for one in text.split(".") if one[0] == "m" and one[1:2].isdigit()),
        text.replace(".and.popc", "").replace(".xor.popc", ""),
    )
    m, rest = shape[1:].split("n")
    n, k = rest.split("k")
    of, first, second, to = types.removesuffix(".satfinite").split(".")[-4:]
    sizes = [int(one) * int(other) for one, other in ((m, k), (k, n), (m, n), (m, n))]
    parts = list(zip("abcd", (first, second, to, of), sizes, strict=True))
    loads, stores, at, vectors = [], [], 0, {}
    for prefix, type_, size in parts:
        bits = 64 if type_ == "f64" else 32
        count = size * width(type_) // LANES // bits
        vectors[prefix] = registers(f"{prefix}{bits}_", count)
        for number in range(count):
            start = 0 if prefix == "d" and not number else at
            at = start + LANES * bits // 8
            move = f"ld.global.b{bits} %{prefix}{bits}_{number}, [%in{bits}+{start}];"
            if prefix == "d":
                stores.append(f"st.global.b{bits} [%out{bits}+{start}], %d{bits}_{number};")
            else:
                loads.append(move)
    body = "\n".join([*loads, f"{text} {vectors['d']}, {vectors['a']}, {vectors['b']}, {vectors['c']};", *stores])
    given = [
        drawn(text, number, [(type_, size, prefix == "c") for prefix, type_, size in parts[:3]])
        for number in range(blocks)
    ]
    return Question(text, body, given, at // 4)


def expanded(text: str) -> Iterator[str]:
    """Yield the texts that braces expand to."""
    before, brace, rest = text.partition("{")
    if not brace:
        yield text
        return
    inner, _, after = rest.partition("}")
    for one in inner.split(","):
        yield from expanded(before + one + after)


MULTIPLIED = [
    ("m16n8{k8,k16}.row.col.{f32.f16.f16.f32,f32.bf16.bf16.f32,f16.f16.f16.f16}", 24),
    ("m16n8{k4,k8}.row.col.f32.tf32.tf32.f32", 24),
    ("m8n8k4.row.col.f64.f64.f64.f64", 16),
    ("m16n8{k4,k8,k16}.row.col.f64.f64.f64.f64", 8),
    ("m16n8k32.row.col.{f32.e4m3.e4m3.f32,f32.e5m2.e5m2.f32,f16.e4m3.e5m2.f16}", 16),
    ("m16n8k16.row.col.f32.e5m2.e4m3.f32", 16),
    ("{m8n8k16,m16n8k16,m16n8k32}.row.col{,.satfinite}.s32.{s8.s8,u8.u8}.s32", 2),
    ("m16n8k32.row.col.s32.{u8.s8,s8.u8}.s32", 1),
    ("{m8n8k32,m16n8k32,m16n8k64}.row.col{,.satfinite}.s32.{s4.s4,u4.u4}.s32", 1),
    ("{m8n8k128,m16n8k128,m16n8k256}.row.col.s32.b1.b1.s32.{xor,and}.popc", 1),
]
"""The mma instructions, and the blocks that run each."""


class Matrix(NamedTuple):
    """A matrix in memory: rows, columns, layout and type."""

    rows: int
    columns: int
    by_rows: bool
    type: str

    @property
    def stride(self) -> int:
        """The distance between rows or columns in elements."""
        return (self.columns if self.by_rows else self.rows) + (16 if width(self.type) >= BYTE else 0)

    @property
    def elements(self) -> int:
        """The number of elements in memory."""
        return self.stride * (self.rows if self.by_rows else self.columns)

    def size(self, use: str) -> int:
        """Return the registers per lane; ``f16`` elements are there twice."""
        bits, count = 64 if self.type == "f64" else 32, self.rows * self.columns
        if self.type == "f16" and use != "c":
            return 8
        return max(count * width(self.type) // LANES // bits, 1)


def matrices(shape: str, order: tuple[str, str], types: tuple[str, str, str]) -> dict[str, Matrix]:
    """Return the matrices of wmma."""
    m, rest = shape[1:].split("n")
    n, k = map(int, rest.split("k"))
    return {
        "a": Matrix(int(m), k, order[0] == "row", types[0]),
        "b": Matrix(k, n, order[1] == "row", types[0]),
        "c": Matrix(int(m), n, True, types[1]),
        "d": Matrix(int(m), n, False, types[2]),
    }


def moved(what: str, use: str, shape: str, one: Matrix, place: str) -> str:
    """Return a question about wmma.load or wmma.store."""
    order, bits = "row" if one.by_rows else "col", 64 if one.type == "f64" else 32
    vector = registers(f"{use}{bits}_", one.size("c" if use in "cd" else use))
    operands = f"{vector}, {place}" if what == "load" else f"{place}, {vector}"
    return f"wmma.{what}.{use}.sync.aligned.{order}.{shape}.global.{one.type} {operands}, {one.stride};"


def held(shape: str, use: str, order: str, type_: str) -> Question:
    """Return a question about the element in each register."""
    one = matrices(shape, (order, order), (type_, type_, type_))[use]._replace(by_rows=order == "row")
    bits, count = 64 if type_ == "f64" else 32, one.size(use)
    stores = [
        f"st.global.b{bits} [%out{bits}+{LANES * bits // 8 * number}], %{use}{bits}_{number};"
        for number in range(count)
    ]
    body = "\n".join([moved("load", use, shape, one, "[%in]"), *stores])
    own = width(type_)
    given = [
        packed([number >> own * part & (1 << own) - 1 for number in range(one.elements)], own)
        for part in range(-(-one.elements.bit_length() // own))
    ]
    return Question(f"wmma.load.{use}.{order}.{shape}.{type_}", body, given, LANES * bits // 32 * count)


def product(shape: str, order: tuple[str, str], types: tuple[str, str, str], more: str, blocks: int) -> Question:
    """Return a question about wmma.mma of matrices in memory."""
    all_of = matrices(shape, order, types)
    first, _, to = types
    ends = f".{types[2]}.{types[1]}" if first == "f16" else f".{to}.{first}.{first}.{types[1]}"
    start, lines = 0, []
    for use in "abc":
        lines.append(moved("load", use, shape, all_of[use], f"[%in+{start}]"))
        start += all_of[use].elements * width(all_of[use].type) // 8
    logic = more if "popc" in more else ""
    text = f"wmma.mma{logic}.sync.aligned.{order[0]}.{order[1]}.{shape}{ends}{'' if logic else more}"
    vectors = [
        registers(f"{use}{64 if all_of[use].type == 'f64' else 32}_", all_of[use].size("c" if use in "cd" else use))
        for use in "dabc"
    ]
    lines += [f"{text} {', '.join(vectors)};", moved("store", "d", shape, all_of["d"], "[%out]")]
    parts = [(all_of[use].type, all_of[use].elements, use == "c") for use in "abc"]
    given = [drawn(text, number, parts) for number in range(blocks)]
    return Question(text, "\n".join(lines), given, all_of["d"].elements * width(to) // WORD)


ORDERS = [("row", "row"), ("row", "col"), ("col", "row"), ("col", "col")]
SHAPES = "m16n16k16", "m8n32k16", "m32n8k16"


def products() -> Iterator[Question]:
    """Yield the questions about wmma."""
    for shape in SHAPES:
        for of, to in (("f32", "f32"), ("f16", "f16"), ("f32", "f16"), ("f16", "f32")):
            for orders in ORDERS[: 4 if of == to and shape == SHAPES[0] else 1]:
                blocks = 8 if orders == ORDERS[0] and shape == SHAPES[0] else 2
                yield product(shape, orders, ("f16", of, to), "", blocks)
        yield product(shape, ORDERS[1], ("bf16", "f32", "f32"), "", 2)
        for type_ in ("s8", "u8"):
            yield product(shape, ORDERS[1], (type_, "s32", "s32"), "", 1)
            yield product(shape, ORDERS[1], (type_, "s32", "s32"), ".satfinite", 2)
        for use, types in {
            "a": ("f16", "bf16", "s8", "u8"),
            "b": ("f16", "bf16", "s8", "u8"),
            "c": ("f16", "f32", "s32"),
        }.items():
            for type_, order in iterated(types, ("row", "col")):
                yield held(shape, use, order, type_)
    others = [("m16n16k8", "tf32", "f32", "", 8), ("m8n8k4", "f64", "f64", "", 8)]
    others += [("m8n8k32", one, "s32", more, 1) for one in ("s4", "u4") for more in ("", ".satfinite")]
    others += [("m8n8k128", "b1", "s32", f".{how}.popc", 1) for how in ("xor", "and")]
    for shape, type_, to, more, blocks in others:
        yield product(shape, ("row", "col"), (type_, to, to), more, blocks)
    for shape, type_, to in (
        ("m16n16k8", "tf32", "f32"),
        ("m8n8k4", "f64", "f64"),
        ("m8n8k32", "s4", "s32"),
        ("m8n8k128", "b1", "s32"),
    ):
        for use, order in iterated("abc", ("row", "col")):
            if width(type_) >= BYTE or (use, order) in {("a", "row"), ("b", "col"), ("c", "row"), ("c", "col")}:
                yield held(shape, use, order, to if use == "c" else type_)


FILL = f"""mov.u32 %r0, space; shl.b32 %r1, %lane, 2; add.u32 %r1, %r0, %r1;
{" ".join(f"ld.global.b32 %r2, [%in32+{4 * LANES * n}]; st.shared.b32 [%r1+{4 * LANES * n}], %r2;" for n in range(SHARED // 4 // LANES))}
ld.global.b32 %r3, [%in32+{SHARED}]; add.u32 %r3, %r0, %r3; bar.warp.sync -1;"""
"""PTX that fills shared memory, and reads a lane's address."""


def rows_moved() -> Iterator[Question]:
    """Yield questions about ldmatrix, stmatrix and movmatrix."""
    draw = random.Random(45)  # noqa: S311 - no secret
    fill = [draw.getrandbits(32) for _ in range(SHARED // 4)]
    places = [16 * draw.randrange(SHARED // 16) for _ in range(LANES)]
    apart = [16 * one for one in draw.sample(range(SHARED // 16), LANES)]
    more = [draw.getrandbits(32) for _ in range(4 * LANES)]
    for count in (1, 2, 4):
        for how in ("", ".trans"):
            vector = registers("d32_", count)
            text = f"ldmatrix.sync.aligned.m8n8.x{count}{how}.shared.b16"
            stores = " ".join(f"st.global.b32 [%out32+{4 * LANES * n}], %d32_{n};" for n in range(count))
            beyond = [one if lane < 8 * count else (1, SHARED, 1 << 24)[lane % 3] for lane, one in enumerate(places)]
            yield Question(
                text, f"{FILL} {text} {vector}, [%r3]; {stores}", [fill + places, fill + beyond], LANES * count
            )
    for count in (1, 2, 4):
        for how in ("", ".trans"):
            vector = registers("a32_", count)
            text = f"stmatrix.sync.aligned.m8n8.x{count}{how}.shared.b16"
            loads = " ".join(f"ld.global.b32 %a32_{n}, [%in32+{SHARED + 4 * LANES * (n + 1)}];" for n in range(count))
            dump = " ".join(
                f"ld.shared.b32 %r2, [%r1+{4 * LANES * n}]; st.global.b32 [%out32+{4 * LANES * n}], %r2;"
                for n in range(SHARED // 4 // LANES)
            )
            beyond = [one if lane < 8 * count else (1, SHARED, 1 << 24)[lane % 3] for lane, one in enumerate(apart)]
            body = f"{FILL} {loads} {text} [%r3], {vector}; bar.warp.sync -1; {dump}"
            yield Question(text, body, [fill + apart + more, fill + beyond + more], SHARED // 4)
    text = "movmatrix.sync.aligned.m8n8.trans.b16"
    yield Question(
        text, f"ld.global.b32 %r0, [%in32]; {text} %r1, %r0; st.global.b32 [%out32], %r1;", [more[:LANES]], LANES
    )
    text = "ldmatrix.sync.aligned.m8n8.x4.b16"
    generic = f"{FILL} cvt.u64.u32 %at, %r3; cvta.shared.u64 %at, %at; {text} {{%d32_0, %d32_1, %d32_2, %d32_3}}, [%at]; st.global.b32 [%out32], %d32_2;"
    yield Question(f"{text} generic", generic, [fill + places], LANES)
    for wrong, name in ((8, "misaligned"), (SHARED, "behind"), (1 << 20, "far")):
        text = "stmatrix.sync.aligned.m8n8.x1.shared.b16"
        body = f"{FILL} {text} [%r3], {{%r3}}; st.global.b32 [%out32], %r3;"
        yield Question(f"{text} {name}", body, [[*fill, *places[:5], wrong, *places[6:]]], LANES)


def questions() -> list[Question]:
    """Return all questions."""
    made = [multiplied(f"mma.sync.aligned.{one}", blocks) for text, blocks in MULTIPLIED for one in expanded(text)]
    return [*made, *products(), *rows_moved()]


def written(question: Question) -> str:
    """Return the PTX of a question's kernel."""
    named = "\n".join(f".reg .b{bits} %{prefix}{bits}_<64>;" for prefix in "abcd" for bits in (32, 64))
    version = "8.7" if "e5m2" in question.name else "8.4"
    return f""".version {version}
.target {question.target}
.address_size 64
.visible .entry k(.param .u64 given, .param .u64 found) {{
.reg .pred %p; .reg .b32 %block, %lane, %r<8>; .reg .b64 %in, %out, %in32, %out32, %in64, %out64, %at;
{named}
.shared .align 1024 .b8 space[{question.shared}];
ld.param.u64 %in, [given]; ld.param.u64 %out, [found];
mov.u32 %block, %ctaid.x; mov.u32 %lane, %tid.x;
mad.wide.u32 %in, %block, {4 * len(question.given[0])}, %in; mad.wide.u32 %out, %block, {4 * question.found}, %out;
mad.wide.u32 %in32, %lane, 4, %in; mad.wide.u32 %out32, %lane, 4, %out;
mad.wide.u32 %in64, %lane, 8, %in; mad.wide.u32 %out64, %lane, 8, %out;
{question.body}
ret;
}}
"""


def kept(text: str) -> str:
    """Return an answer in recorded form."""
    return text if len(text) <= PLAIN else f"{text[:PLAIN]}#{sha256(text.encode()).hexdigest()}"


def answer(card: Card, question: Question) -> str:
    """Return the words that a card writes, in hexadecimal digits."""
    flat = [one for words in question.given for one in words]
    given, found = (ctypes.c_uint32 * len(flat))(*flat), (ctypes.c_uint32 * (question.found * len(question.given)))()
    inputs, outputs = card.memory(ctypes.sizeof(given)), card.memory(ctypes.sizeof(found))
    card.ask("cuMemcpyHtoD_v2", inputs, given, ctypes.c_size_t(ctypes.sizeof(given)))
    card.ask("cuMemsetD8_v2", outputs, 0, ctypes.c_size_t(ctypes.sizeof(found)))
    card.launch(written(question), "k", len(question.given), inputs, outputs, threads=question.threads)
    card.ask("cuMemcpyDtoH_v2", found, outputs, ctypes.c_size_t(ctypes.sizeof(found)))
    for one in (inputs, outputs):
        card.ask("cuMemFree_v2", one)
    return kept("".join([f"{one:08x}" for one in found]))
