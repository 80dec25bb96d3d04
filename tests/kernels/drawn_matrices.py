"""Matrix instructions of random kernels: mma, wmma, wgmma, and the moves of their matrices."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from fakecuda.kernels import products, wmma
from fakecuda.kernels.row import NotRun, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.kernels.products import Product

    from .drawn import Drawn


def _valid(texts: Iterator[str], of: Callable[[Row], Product]) -> dict[str, Product]:
    """Return the instructions that have a meaning, with what it is."""
    found = {}
    for text in texts:
        name, *modifiers = text.split(".")
        try:
            found[text] = of(Row.of(name, tuple([f".{one}" for one in modifiers]), ()))
        except (NotRun, KeyError):
            continue
    return found


def _mma() -> Iterator[str]:
    for shape, types in products.SHAPES.items():
        for a, b in product(types, repeat=2):
            for to in products.SUMS.get(a, ("s32",)):
                for way in ("and.popc", "xor.popc") if a == "b1" else ("satfinite", "") if to == "s32" else ("",):
                    more = f".{way}" if way == "satfinite" else ""
                    tail = f".{way}" if "popc" in way else ""
                    yield f"mma.sync.aligned.{shape}.row.col{more}.{to}.{a}.{b}.{to}{tail}"


def _wmma() -> Iterator[str]:
    orders = [f"{a}.{b}" for a in ("row", "col") for b in ("row", "col")]
    for shape, types in wmma.SHAPES.items():
        for type_, order in product(types, orders):
            for to, of in product(wmma.SUMS.get(type_, ("s32",)), repeat=2):
                if type_ == "b1":
                    yield f"wmma.mma.xor.popc.sync.aligned.{order}.{shape}.{to}.b1.b1.{of}"
                elif type_ == "f16":
                    yield f"wmma.mma.sync.aligned.{order}.{shape}.{to}.{of}"
                else:
                    more = "" if to != "s32" else ".satfinite"
                    yield f"wmma.mma.sync.aligned.{order}.{shape}.{to}.{type_}.{type_}.{of}{more}"


MMA, WMMA = _valid(_mma(), products.of_mma), _valid(_wmma(), wmma.product_of)
GROUPS = [
    ("f16", "f16", 16, ("f32", "f16")),
    ("bf16", "bf16", 16, ("f32",)),
    ("tf32", "tf32", 8, ("f32",)),
    ("e4m3", "e5m2", 32, ("f32", "f16")),
    ("s8", "u8", 32, ("s32",)),
]
"""Types of the factors of wgmma, the depth of the product, and the types of sums."""


def _listed(made: Drawn, count: int, width: int) -> str:
    """Return registers to read."""
    return f"{{{', '.join(made.register(width) for _ in range(count))}}}"


def _results(count: int, width: int) -> str:
    """Return registers to write."""
    name = "w" if width == 32 else "v"
    return f"{{{', '.join(f'%{name}{one}' for one in range(count))}}}"


def _taken(made: Drawn, count: int, width: int) -> str:
    """Return code that has results count among the thread's registers."""
    name, type_ = ("w", "u32") if width == 32 else ("v", "u64")
    parts = [(made.register(width), one) for one in range(count)]
    return "".join(f"mad.lo.{type_} {to}, {to}, 31, %{name}{one};" for to, one in parts)


def matrix(made: Drawn) -> str:
    """Return a matrix instruction."""
    draw, count = made.draw, made.draw.choice([1, 2, 4])
    kind = draw.choice(["mma", "mma", "wmma", "move", "rows", "rows", "turn"])
    if kind == "rows":
        where = f"mov.u32 %t1, %laneid; mul.lo.u32 %t1, %t1, 16; mov.u32 %t2, pool; add.u32 %t1, %t1, %t2; add.u32 %t1, %t1, {draw.randrange(0, 2048, 16)};"
        space, at = draw.choice([(".shared", "[%t1]"), (".shared::cta", "[%t1]"), ("", "[%at]")])
        where += "cvt.u64.u32 %at, %t1; cvta.shared.u64 %at, %at;"
        turn = draw.choice(["", ".trans"])
        if draw.random() < 0.5:
            return f"{where} stmatrix.sync.aligned.m8n8.x{count}{turn}{space}.b16 {at}, {_listed(made, count, 32)};"
        return f"{where} ldmatrix.sync.aligned.m8n8.x{count}{turn}{space}.b16 {_results(count, 32)}, {at}; {_taken(made, count, 32)}"
    if kind == "turn":
        return f"movmatrix.sync.aligned.m8n8.trans.b16 {made.register(32)}, {made.register(32)};"
    if kind == "move":
        return _moved(made)
    text, found = draw.choice([*(MMA if kind == "mma" else WMMA).items()])
    parts = [_listed(made, len(one.held), one.width) for one in (found.a, found.b, found.c)]
    many, width = len(found.d.held), found.d.width
    return f"{text} {_results(many, width)}, {', '.join(parts)}; {_taken(made, many, width)}"


def _moved(made: Drawn) -> str:
    """Return wmma.load or wmma.store."""
    draw, stores = made.draw, made.draw.random() < 0.4
    shape = draw.choice([*wmma.SHAPES])
    use, type_ = "d" if stores else draw.choice("abc"), draw.choice(wmma.SHAPES[shape])
    if use in "cd":
        type_ = draw.choice(wmma.SUMS.get(type_, ("s32",)))
    held = wmma.fragment(shape, use.replace("d", "c"), type_)
    many, width = len(held.held), held.width
    small = type_ in {"b1", "s4", "u4"}
    order = draw.choice(["row", "col"]) if not small else "col" if use == "b" else "row"
    space, at = draw.choice([(".shared", "[%at+64]"), ("", "[%gs]"), (".global", "[%all]")])
    where = "mov.u64 %at, pool;" if space == ".shared" else ""
    stride = "" if draw.random() < 0.5 or small else f", {draw.choice([16, 32])}"
    head = f"wmma.{'store' if stores else 'load'}.{use}.sync.aligned.{order}.{shape}{space}.{type_}"
    if stores:
        return f"{where} {head} {at}, {_listed(made, many, width)}{stride};"
    return f"{where} {head} {_results(many, width)}, {at}{stride}; {_taken(made, many, width)}"


def group(made: Drawn) -> str:
    """Return a product of a warp group."""
    draw, (a, b, depth, sums) = made.draw, made.draw.choice(GROUPS)
    to, columns = draw.choice(sums), draw.choice([8, 8, 16])
    many = columns // 2 if to != "f16" else columns // 4
    held, floating, wide = draw.random() < 0.5, a in products.SUMS, depth == 16
    tail = "".join(f", {one}" for one in ([draw.choice([1, -1]), draw.choice([1, -1])] if floating else []))
    tail += "".join(f", {draw.randrange(2)}" for _ in range((2 - held) * wide))
    text = f"wgmma.mma_async.sync.aligned.m64n{columns}k{depth}.{to}.{a}.{b}"
    where = "mov.u64 %at, pool; shr.u64 %at, %at, 4;"
    words = [16 // 16 * draw.randrange(4) | 128 >> 4 << 16 | 256 >> 4 << 32 for _ in range(2)]
    where += f"add.u64 %v0, %at, {words[0]}; add.u64 %v1, %at, {words[1]};"
    first = _listed(made, 4, 32) if held else "%v0"
    begin = f"{where} wgmma.fence.sync.aligned; {text} {_results(many, 32)}, {first}, %v1, {made.register(1)}{tail};"
    return f"{begin} wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; {_taken(made, many, 32)}"
