"""Products of matrices as a warp computes them: sections 9.7.14.4 and 9.7.14.5 of the PTX ISA manual.

Products of integers are exact. Products of floating-point values are summed as an H200 does it: each product is exact, all addends lose
what lies below 25 bits behind the first bit of the largest, and the sum is cut to ``f32``, or rounded to ``f16``. Some instructions are
several of the card's own.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.kernels import floats
from fakecuda.kernels.floats import BF16, E4M3, E5M2, F16, F32, F64, NEAREST, TF32, ZERO
from fakecuda.kernels.fragments import Fragment, factor, sums
from fakecuda.kernels.integers import signed
from fakecuda.kernels.logic import LOGIC
from fakecuda.kernels.row import bits_of, is_signed, refuse, refuse_type

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fakecuda.kernels.row import Row

    Dot = Callable[[Sequence[int], Sequence[int], int], int]

WORD = 32
MOST, LEAST = (1 << WORD - 1) - 1, -(1 << WORD - 1)
BYTES, NIBBLES, SMALL = ("u8", "s8"), ("u4", "s4"), ("e4m3", "e5m2")
SHAPES: dict[str, tuple[str, ...]] = {
    "m8n8k4": ("f64",),
    "m16n8k4": ("tf32", "f64"),
    "m16n8k8": ("f16", "bf16", "tf32", "f64"),
    "m16n8k16": ("f16", "bf16", "f64", *SMALL, *BYTES),
    "m16n8k32": (*SMALL, *BYTES, *NIBBLES),
    "m8n8k16": BYTES,
    "m8n8k32": NIBBLES,
    "m16n8k64": NIBBLES,
    "m8n8k128": ("b1",),
    "m16n8k128": ("b1",),
    "m16n8k256": ("b1",),
}
"""The factor types of each shape of mma."""
FORMATS = {"f16": F16, "bf16": BF16, "tf32": TF32, "e4m3": E4M3, "e5m2": E5M2, "f32": F32, "f64": F64}
SUMS = {
    "f16": ("f32", "f16"),
    "e4m3": ("f32", "f16"),
    "e5m2": ("f32", "f16"),
    "bf16": ("f32",),
    "tf32": ("f32",),
    "f64": ("f64",),
}
"""The types of the addend of floating-point products."""
MIXED = (BYTES, NIBBLES, SMALL)
"""Groups of factor types that may be mixed."""
KEPT, FEWER = 25, 13
"""The addend bits below the largest one's first bit, and those of fp8 in wgmma."""
CUT = F32.bits - TF32.bits
"""The lowest register bits that ``tf32`` does not have."""
NOWHERE = -(1 << 20)
"""The bit position of a zero, below all others."""


@frozen
class Way:
    """How floating-point products are summed.

    Attributes:
        steps: How many sums there are, one after another.
        run: How many products that lie together are in one sum. What lies behind them is in the next sums.
        widens: Whether factors become ``f16`` first.
        apart: Whether what is added is added last, by an instruction of its own.
        kept: The bits of an addend behind the first bit of the largest. They are also all of a result of ``f32``, if they are fewer.
    """

    steps: int = 1
    run: int = 0
    widens: bool = False
    apart: bool = False
    kept: int = KEPT

    def places(self, depth: int, step: int) -> list[int]:
        """Return the factor indices of each partial sum."""
        run = self.run or depth
        return [one // run * run * self.steps + run * step + one % run for one in range(depth // self.steps)]


PLAIN = Way()
PAIRS = Way(2, 2, widens=True, apart=True)
"""The order of ``e4m3`` and ``e5m2`` in mma: first pairs, then second pairs."""
FOURS = Way(2, 4)
"""The order of ``tf32`` in wmma."""
SHORT = Way(kept=FEWER)
"""The order of ``e4m3`` and ``e5m2`` in wgmma."""


@frozen(eq=False)
class Product:
    """A matrix product with a sum.

    Attributes:
        name: Its name, as modifiers.
        rows: Rows of the first factor.
        columns: Columns of the second one.
        depth: How many products a sum has.
        a: The first factor.
        b: The second factor.
        c: What is added.
        d: The result.
        logic: The operation whose bits are counted. Empty if products are added.
        saturates: Whether sums of integers are clamped.
        way: How floating-point values are summed.
    """

    name: str
    rows: int
    columns: int
    depth: int
    a: Fragment
    b: Fragment
    c: Fragment
    d: Fragment
    logic: str = ""
    saturates: bool = False
    way: Way = PLAIN

    @property
    def sum(self) -> str:
        """The type of floating-point sums."""
        return "f32" if "f32" in {self.c.type, self.d.type} else self.d.type

    @property
    def dot(self) -> Dot:
        """The function of a row, a column and an addend."""
        if self.logic:
            return counted(self.logic)
        if self.a.type == "f64":
            return chained
        return self.added if self.a.type in FORMATS else exact(self.a.type, self.b.type, saturates=self.saturates)

    def added(self, a: Sequence[int], b: Sequence[int], c: int) -> int:
        """Return the sum of floating-point products."""
        way, first, second, one = self.way, self.a.type, self.b.type, FORMATS[self.sum]
        if way.widens:
            a, b = (
                [floats.converted(value, FORMATS[type_], F16) for value in each]
                for each, type_ in ((a, first), (b, second))
            )
            first = second = "f16"
        more = floats.converted(c, FORMATS[self.c.type], one) if self.c.type != self.sum else c
        found = 0 if way.apart else more
        for step in range(way.steps):
            places = way.places(self.depth, step)
            found = fused(
                [a[at] for at in places], [b[at] for at in places], found, (first, second, self.sum), way.kept
            )
        if way.apart:
            found = floats.add(found, more, one)
        return floats.converted(found, one, FORMATS[self.d.type]) if self.d.type != self.sum else found

    def results(self, a: Sequence[int], b: Sequence[int], c: Sequence[int]) -> list[int]:
        """Return the elements of the result."""
        dot, depth, columns = self.dot, self.depth, self.columns
        across = [b[column::columns] for column in range(columns)]
        return [
            dot(a[row * depth : (row + 1) * depth], across[column], c[row * columns + column])
            for row in range(self.rows)
            for column in range(columns)
        ]


def exact(first: str, second: str, *, saturates: bool) -> Dot:
    """Return the sum of integer products."""

    def number(type_: str) -> Callable[[int], int]:
        bits = bits_of(type_)
        return (lambda value: signed(value, bits)) if is_signed(type_) else (lambda value: value)

    one, other = number(first), number(second)

    def dot(a: Sequence[int], b: Sequence[int], c: int) -> int:
        found = sum(one(x) * other(y) for x, y in zip(a, b, strict=True)) + signed(c, WORD)
        return (min(max(found, LEAST), MOST) if saturates else found) & (1 << WORD) - 1

    return dot


def counted(logic: str) -> Dot:
    """Return the number of bits that a bitwise operation sets."""
    function = LOGIC[logic]
    return lambda a, b, c: c + sum(function(x, y).bit_count() for x, y in zip(a, b, strict=True)) & (1 << WORD) - 1


def chained(a: Sequence[int], b: Sequence[int], c: int) -> int:
    """Return the sum of ``f64`` products, each rounded in turn."""
    for x, y in zip(a, b, strict=True):
        c = floats.fma(x, y, c, F64)
    return c


@lru_cache(maxsize=1 << 16)
def addend(value: int, type_: str) -> tuple[int, int, float]:
    """Return a value as a signed integer, a bit position and a kind."""
    one = FORMATS[type_]
    value >>= CUT if type_ == "tf32" else 0
    sign = -1 if value & one.sign else 1
    if floats.is_nan(value, one):
        return 0, NOWHERE, math.nan
    if one.infinite and value & one.sign - 1 == one.infinity:
        return 0, NOWHERE, sign * math.inf
    _, whole, exponent = floats.parts(value, one)
    return (sign * whole, exponent + one.fraction, sign) if whole else (0, NOWHERE, 0.0)


def fused(a: Sequence[int], b: Sequence[int], c: int, types: tuple[str, str, str], kept: int) -> int:
    """Return a sum of products that is rounded once.

    Args:
        a: The first factors.
        b: The second ones.
        c: What is added.
        types: The types of the factors, and of what is added and the result.
        kept: The bits of an addend that count, behind the first one of the largest.
    """
    first, second, to = types
    result = FORMATS[to]
    whole, most, kind = addend(c, to)
    addends = [(whole, most, result.fraction)]
    low = FORMATS[first].fraction + FORMATS[second].fraction
    for x, y in zip(a, b, strict=True):
        one, place, sort = addend(x, first)
        other, where, nature = addend(y, second)
        kind += sort * nature
        if one and other:
            addends.append((one * other, place + where, low))
    if not math.isfinite(kind):
        return result.nan if math.isnan(kind) else result.infinity | (result.sign if kind < 0 else 0)
    most = max(place for _, place, _ in addends)
    total = sum(cut(one, kept - fraction - most + place) for one, place, fraction in addends)
    size = abs(total)
    drop = size.bit_length() - kept - 1
    if kept < result.fraction and drop > 0:
        size = size >> drop << drop
    found = floats.rounded(total < 0, size, most - kept, result, ZERO if result is F32 else NEAREST)
    if size and size.bit_length() + most - kept - 1 > result.infinity >> result.fraction + 1:
        found = found & result.sign | result.infinity
    return found if found & result.sign - 1 else 0


def cut(value: int, shift: int) -> int:
    """Return a value times a power of two, cut to an integer."""
    size = abs(value) << shift if shift >= 0 else abs(value) >> -shift
    return -size if value < 0 else size


def of_mma(row: Row) -> Product:
    """Take the modifiers of mma, and return the product."""
    row.take("sync")
    row.take("aligned")
    shape = row.take(*SHAPES) or refuse(f"its modifier .{row.words[0]}")
    if (row.take("row", "col"), row.take("row", "col")) != ("row", "col"):
        refuse("the order of its factors")
    logic = row.take(*LOGIC) if "popc" in row.words else ""
    row.take("popc")
    saturates = row.flag("satfinite")
    if row.types[1] not in SHAPES[shape]:
        refuse(f"its shape .{shape} with factors of .{row.types[1]}")
    to, first, second, more = row.type(), row.type(), row.type(), row.type()
    rounded(row, first)
    if not is_mixed(first, second):
        refuse_type(second)
    if to != more or to not in SUMS.get(first, ("s32",)):
        refuse_type(to)
    row.finish()
    rows, columns, depth = sizes(shape)
    if logic:
        depth, first, second = depth // WORD, "b32", "b32"
    return Product(
        ".".join([shape, to, first, second, more, *([logic] if logic else []), *(["satfinite"] if saturates else [])]),
        rows,
        columns,
        depth,
        factor(rows, depth, first, first=True),
        factor(columns, depth, second, first=False),
        sums(rows, columns, more),
        sums(rows, columns, to),
        logic,
        saturates,
        PAIRS if first in SMALL else PLAIN,
    )


def rounded(row: Row, type_: str) -> None:
    """Take the rounding modifier of an ``f64`` instruction, which must be nearest."""
    if type_ == "f64":
        row.take("rn")


def is_mixed(first: str, second: str) -> bool:
    """Return whether two types may be the factors of a product."""
    return first == second or any({first, second} <= {*some} for some in MIXED)


def sizes(shape: str) -> tuple[int, int, int]:
    """Return the rows, the columns and the depth of a shape."""
    rows, _, rest = shape[1:].partition("n")
    columns, _, depth = rest.partition("k")
    return int(rows), int(columns), int(depth)
