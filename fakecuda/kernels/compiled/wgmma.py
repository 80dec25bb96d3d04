"""The LLVM IR of wgmma."""

from __future__ import annotations

from enum import IntEnum, auto
from typing import TYPE_CHECKING

from attrs import define

from fakecuda.kernels.compiled import layout, matrices, products
from fakecuda.kernels.compiled.layout import Launch
from fakecuda.kernels.lower import elements
from fakecuda.kernels.program import Constant
from fakecuda.kernels.row import PREDICATE, bits_of
from fakecuda.kernels.threads import WARP
from fakecuda.kernels.wgmma import BYTE, FIELD, TILE, WARPS, group_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.body import Body
    from fakecuda.kernels.compiled.meetings import Warp
    from fakecuda.kernels.compiled.values import Inlined
    from fakecuda.kernels.program import Instruction
    from fakecuda.kernels.row import Row
    from fakecuda.kernels.wgmma import Group

WORD = 4


class Kept(IntEnum):
    """64-bit words that a thread stores before its registers."""

    A = 0
    """The descriptor of the first factor, if it is in shared memory."""
    B = auto()
    ADDS = auto()
    """Whether the product is added to the result."""
    SHARED = auto()
    """The address and the size of shared memory."""
    ROOM = auto()
    FIRST = auto()
    """The first row of the warp."""


@define(eq=False, kw_only=True)
class Routine(products.Routine):
    """The function of a warp's part of a product, while it is being written.

    Attributes:
        group: The product.
        start: The offset of what a thread keeps.
        fine: Where a byte says whether all elements lie in shared memory.
    """

    group: Group
    start: int
    fine: str = ""

    def kept(self, word: Kept) -> str:
        """Return what the first thread has stored."""
        place = self.o(f"getelementptr i8, ptr %warp, i64 {self.start + layout.WORD * word}")
        return self.o(f"load i64, ptr {place}, align 8")

    def raw(self, use: str, number: str) -> str:
        """Return the bits of an element in a register or in shared memory."""
        group, o = self.group, self.o
        if use == "c":
            adds = o(f"trunc i64 {self.kept(Kept.ADDS)} to i1")
            value = super().raw(use, number)
            return o.choose(adds, f"i{bits_of(self.product.c.type)}", value, 0)
        bits = bits_of(getattr(self.product, use).type)
        value = super().raw(use, number) if use == "a" and group.held else self._in_shared(use, number)
        return o(f"xor i{bits} {value}, {1 << bits - 1}") if use == "a" and group.negative else value

    def _in_shared(self, use: str, number: str) -> str:
        """Return an element in shared memory, as the reference finds it."""
        o, product, first = self.o, self.product, use == "a"
        bits = bits_of(getattr(product, use).type)
        size, wide = bits // BYTE, o(f"zext i32 {number} to i64")
        by = product.depth if first else product.columns
        quotient, rest = (o(f"{how} i64 {wide}, {by}") for how in ("udiv", "urem"))
        across, along = (o(f"add i64 {quotient}, {self.kept(Kept.FIRST)}"), rest) if first else (rest, quotient)
        word = self.kept(Kept.A if first else Kept.B)
        fields = [o(f"lshr i64 {word}, {at}") for at in (0, 16, 32)]
        start, leading, stride = (o(f"shl i64 {o(f'and i64 {one}, {FIELD}')}, 4") for one in fields)
        mode = o(f"lshr i64 {word}, 62")
        plain = o(f"icmp eq i64 {mode}, 0")
        row = o.choose(plain, "i64", 16, o(f"lshr i64 256, {mode}"))
        turned = self.group.turned[not first]
        byte = o(f"mul i64 {across if turned else along}, {size}")
        other = along if turned else across
        steps = (stride, leading)
        if turned:
            steps = (o.choose(plain, "i64", leading, stride), o.choose(plain, "i64", stride, leading))
        line = o(f"mul i64 {o(f'and i64 {other}, {BYTE - 1}')}, {row}")
        inside = o(f"add i64 {o(f'urem i64 {byte}, {row}')}, {line}")
        far = o(f"mul i64 {o(f'udiv i64 {byte}, {row}')}, {steps[1]}")
        down = o(f"mul i64 {o(f'lshr i64 {other}, 3')}, {steps[0]}")
        address = o(f"add i64 {o(f'add i64 {inside}, {far}')}, {o(f'add i64 {down}, {start}')}")
        mask = o(f"sub i64 {o(f'lshr i64 {row}, 4')}, 1")
        high = o(f"lshr i64 {address}, 7")
        turn = o(f"and i64 {high}, {mask}")
        address = o(f"xor i64 {address}, {o(f'shl i64 {turn}, 4')}")
        fits = o(f"icmp ule i64 {o(f'add i64 {address}, {size}')}, {self.kept(Kept.ROOM)}")
        before, more = o(f"load i8, ptr {self.fine}"), o(f"zext i1 {fits} to i8")
        o.do(f"store i8 {o(f'and i8 {before}, {more}')}, ptr {self.fine}")
        host = o(f"add i64 {self.kept(Kept.SHARED)}, {o.choose(fits, 'i64', address, 0)}")
        return o(f"load i{bits}, ptr {o(f'inttoptr i64 {host} to ptr')}, align 1")


def function(group: Group, name: str, start: int, stride: int) -> tuple[str, set[str]]:
    """Return the function of a warp's part, and its declarations."""
    product = group.product
    made = Routine(product=product, tables={use: f"@{name}.{use}" for use in "abcd"}, group=group, start=start)
    made.fine = made.variable("i8")
    made.o.do(f"store i8 1, ptr {made.fine}")
    made.finish()
    fine = made.o(f"load i8, ptr {made.fine}")
    made.o.do(f"ret i1 {made.o(f'trunc i8 {fine} to i1')}")
    at = start + layout.WORD * len(Kept)
    first = len(product.a.held) * WORD if group.held else 0
    tables = [
        products.table(made.tables[use], getattr(product, use), place, stride)
        for use, place in (("a", at), ("b", at), ("c", at + first), ("d", at + first))
        if use in "cd" or (use == "a" and group.held)
    ]
    lines = "\n".join(made.head + made.o.text)
    return "\n".join(
        [*tables, f"define internal i1 @{name}(ptr %warp) noinline {{\nentry:\n{lines}\n}}"]
    ), made.o.declared


def multiply(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of wgmma.mma_async."""
    group = group_of(instruction, row)
    o, target = body.o, instruction.operands[0]
    warp = o(f"urem i64 {o(f'udiv i64 %n, {WARP}')}, {WARPS}")
    adds = str(int(bool(group.scale.value))) if isinstance(group.scale, Constant) else ""
    kept = {
        Kept.A: "0" if group.held else body.value(inlined, elements(group.first)[0], "b64"),
        Kept.B: body.value(inlined, elements(group.second)[0], "b64"),
        Kept.ADDS: adds or o(f"zext i1 {body.value(inlined, group.scale, PREDICATE)} to i64"),
        Kept.SHARED: o(f"add i64 {o('ptrtoint ptr %block to i64')}, {layout.HEAD}"),
        Kept.ROOM: body.field(Launch.SHARED),
        Kept.FIRST: o(f"mul i64 {warp}, {TILE}"),
    }
    for word, value in kept.items():
        o.do(f"store i64 {value}, ptr {o(f'getelementptr i64, ptr %fragments, i64 {int(word)}')}, align 8")
    at = layout.WORD * len(Kept)
    if group.held:
        at = matrices.bring(body, inlined, group.first, at)
    matrices.bring(body, inlined, target, at)
    name = body.group(group)

    def settle(warp: Warp) -> str:
        return warp.o(f"call i1 @{name}(ptr %warp)")

    matrices.gathered(body, inlined, instruction, settle, target, following, start=at)


def wgmma(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of wgmma."""
    if "mma_async" in row.words:
        multiply(body, inlined, instruction, row, following)
    else:
        row.words.clear()
        body.go(following)


ENDS: dict[str, Callable[[Body, Inlined, Instruction, Row, int], None]] = {"wgmma": wgmma}
"""The writer of the instruction, by name."""
