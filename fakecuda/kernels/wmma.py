"""The meaning of wmma: section 9.7.14.4 of the PTX ISA manual.

The manual leaves open which elements a thread holds: they lie as in an H200. A thread reads or writes its own elements, and then meets
its warp.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.kernels import matrices
from fakecuda.kernels.access import GENERIC, SPACES
from fakecuda.kernels.fragments import WORD, Fragment, factor, joined, sums, turned
from fakecuda.kernels.logic import LOGIC
from fakecuda.kernels.products import FOURS, PLAIN, Product, rounded, sizes
from fakecuda.kernels.program import Memory
from fakecuda.kernels.row import bits_of, refuse, refuse_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.lower import Lowering
    from fakecuda.kernels.matrices import End
    from fakecuda.kernels.program import Instruction, Operand
    from fakecuda.kernels.row import Row
    from fakecuda.kernels.threads import Frame

BYTE, TILE = 8, 16
ADDRESS = (1 << 64) - 1
WIDE, NARROW = ("f16", "bf16", "s8", "u8"), ("s4", "u4")
SHAPES: dict[str, tuple[str, ...]] = {
    "m16n16k16": WIDE,
    "m8n32k16": WIDE,
    "m32n8k16": WIDE,
    "m16n16k8": ("tf32",),
    "m8n8k4": ("f64",),
    "m8n8k32": NARROW,
    "m8n8k128": ("b1",),
}
"""The factor types of each shape."""
SUMS = {"f16": ("f16", "f32"), "bf16": ("f32",), "tf32": ("f32",), "f64": ("f64",)}
"""The types of the addend; integer products use ``s32``."""
HALVES = 8
"""The registers of an ``f16`` factor, which hold elements more than once."""


@cache
def fragment(shape: str, use: str, type_: str) -> Fragment:
    """Return the element places of a matrix on an H200, by its use."""
    rows, columns, depth = sizes(shape)
    if rows < columns:  # the transpose of the product is computed
        other = {"a": "b", "b": "a", "c": "c"}[use]
        return turned(fragment(f"m{columns}n{rows}k{depth}", other, type_), rows if use != "b" else depth)
    if use == "c":
        tile = sums(min(rows, TILE), BYTE, type_)
        found = joined([tile] * (rows // TILE), 0) if rows > TILE else joined([tile] * (columns // BYTE), columns)
    elif use == "a":
        found = joined([factor(min(rows, TILE), depth, type_, first=True)] * max(rows // TILE, 1), 0)
    else:
        found = joined([factor(BYTE, depth, type_, first=False)] * (columns // BYTE), columns)
    more = HALVES // len(found.held) if type_ == "f16" and use != "c" else 1
    return Fragment(type_, found.held * more)


@frozen
class Part:
    """Elements of a register that are contiguous in memory.

    Attributes:
        register: The register.
        start: The lowest bit there.
        bits: The bits of the elements.
        spots: For each lane, the row and the column of the first element, or the column and the row of a matrix by columns.
    """

    register: int
    start: int
    bits: int
    spots: tuple[tuple[int, int], ...]


def parts(fragment: Fragment, columns: int, *, by_rows: bool) -> list[Part]:
    """Return how a thread reads or writes a fragment."""
    bits = bits_of(fragment.type)

    def spot(element: int) -> tuple[int, int]:
        row, column = divmod(element, columns)
        return (row, column) if by_rows else (column, row)

    found = []
    for register, lanes in enumerate(fragment.held):
        spots = [[spot(element) for element in elements] for elements in lanes]
        together = all(one == (each[0][0], each[0][1] + number) for each in spots for number, one in enumerate(each))
        count = len(spots[0])
        size = count if together else 1
        found += [
            Part(register, bits * at, bits * size, tuple(each[at] for each in spots)) for at in range(0, count, size)
        ]
    return found


@frozen
class Move:
    """A wmma.load or wmma.store.

    Attributes:
        space: The space.
        bits: The bits of an element.
        parts: What is read or written.
        registers: The operand in registers.
        memory: The operand in memory.
        stride: The elements from one row or column to the next: an operand, or a number.
    """

    space: str
    bits: int
    parts: list[Part]
    registers: Operand
    memory: Memory
    stride: Operand | int


def move_of(instruction: Instruction, row: Row) -> Move:
    """Take the modifiers of wmma.load or wmma.store."""
    stores = row.take("load", "store") == "store"
    use = row.take("a", "b", "c", "d")
    row.take("sync")
    row.take("aligned")
    by_rows, shape = row.take("row", "col") == "row", shape_of(row)
    space = (row.take("global", "shared", "shared::cta") or GENERIC).partition("::")[0]
    types = SHAPES[shape] if use in "ab" else {one for type_ in SHAPES[shape] for one in SUMS.get(type_, ("s32",))}
    type_ = row.type(*types)
    held = fragment(shape, use.replace("d", "c"), type_)
    operands = list(instruction.operands)
    values, memory = operands.pop(1 if stores else 0), operands.pop(0)
    matrices.registers(values, len(held.held), held.width)
    if not isinstance(memory, Memory):
        refuse("its address")
    rows, columns, depth = sizes(shape)
    rows, columns = {"a": (rows, depth), "b": (depth, columns)}.get(use, (rows, columns))
    stride: Operand | int = operands[0] if operands else columns if by_rows else rows
    return Move(space, bits_of(type_), parts(held, columns, by_rows=by_rows), values, memory, stride)


def shape_of(row: Row) -> str:
    """Take the shape of an instruction."""
    return row.take(*SHAPES) or refuse(f"its modifier .{row.words[0]}")


def moved(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> End:
    """Return the meaning of wmma.load or wmma.store."""
    stores = "store" in row.words
    move = move_of(instruction, row)
    slots = lowering.results(move.registers)
    base = lowering.slot(move.memory.base, "u64")
    given = move.stride if isinstance(move.stride, int) else None
    step = 0 if isinstance(move.stride, int) else lowering.slot(move.stride, "u32")

    def place(frame: Frame, part: Part) -> tuple[Any, int]:
        outer, inner = part.spots[frame.lane.lane]
        stride = frame.slots[step] if given is None else given
        address = frame.slots[base] + move.memory.offset + ((outer * stride + inner) * move.bits >> 3) & ADDRESS
        if move.space == GENERIC:
            return frame.resolve(address)
        return getattr(frame, SPACES[move.space]), address

    def load(frame: Frame) -> None:
        words = [0] * len(slots)
        for part in move.parts:
            memory, address = place(frame, part)
            words[part.register] |= memory.load(address, part.bits // BYTE) << part.start
        for slot, word in zip(slots, words, strict=True):
            frame.slots[slot] = word

    def store(frame: Frame) -> None:
        for part in move.parts:
            memory, address = place(frame, part)
            word = frame.slots[slots[part.register]] >> part.start & (1 << part.bits) - 1
            memory.store(address, part.bits // BYTE, word)

    act: Callable[[Frame], None] = store if stores else load
    return matrices.gathering(
        lowering, instruction, following, act, matrices.whole(lambda _brought, _lanes: None, instruction)
    )


def product_of(row: Row) -> Product:
    """Take the modifiers of wmma.mma, and return the product."""
    row.take("mma")
    logic = row.take(*LOGIC) if "popc" in row.words else ""
    for word in ("popc", "sync", "aligned"):
        row.take(word)
    orders = row.take("row", "col"), row.take("row", "col")
    shape, saturates = shape_of(row), row.flag("satfinite")
    types = list(row.types)
    row.types.clear()
    if len(types) == 2:  # noqa: PLR2004 - those of the result and of what is added; the factors are of f16
        types[1:1] = ["f16", "f16"]
    if len(types) != 4 or types[1] != types[2] or types[1] not in SHAPES[shape]:  # noqa: PLR2004 - of all matrices
        refuse_type(types[-1])
    to, first, _, more = types
    rounded(row, first)
    if not {to, more} <= {*SUMS.get(first, ("s32",))} or (bits_of(first) < BYTE and orders != ("row", "col")):
        refuse_type(to)
    row.finish()
    rows, columns, depth = sizes(shape)
    if logic:
        depth, first = depth // WORD, "b32"
        shape = f"m{rows}n{columns}k{depth}"
    name = ".".join(["wmma", shape, *types, *([logic] if logic else []), *(["satfinite"] if saturates else [])])
    a, b, c, d = (fragment(shape, use, type_) for use, type_ in (("a", first), ("b", first), ("c", more), ("c", to)))
    return Product(name, rows, columns, depth, a, b, c, d, logic, saturates, FOURS if first == "tf32" else PLAIN)


def wmma(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> End:
    """Return the meaning of wmma."""
    if "mma" in row.words:
        return matrices.product(lowering, instruction, product_of(row), following)
    return moved(lowering, instruction, row, following)


ENDS = {"wmma": wmma}
"""The meaning of the instruction, by name."""
