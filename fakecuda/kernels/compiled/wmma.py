"""The LLVM IR of wmma: a thread handles its own elements, then meets its warp."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.compiled import matrices
from fakecuda.kernels.compiled.access import base_of, reached
from fakecuda.kernels.compiled.shared_races import Note
from fakecuda.kernels.lower import elements
from fakecuda.kernels.spaces import READS, WRITES
from fakecuda.kernels.threads import WARP
from fakecuda.kernels.wmma import BYTE, move_of, product_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.body import Body
    from fakecuda.kernels.compiled.meetings import Warp
    from fakecuda.kernels.compiled.values import Inlined
    from fakecuda.kernels.program import Instruction
    from fakecuda.kernels.row import Row
    from fakecuda.kernels.wmma import Part


def _nothing(_warp: Warp) -> None:
    """Do nothing after all threads have met."""


def _of_lane(body: Body, numbers: list[int]) -> str:
    """Return the item of a list for the thread's lane."""
    name = f"@lanes.{'.'.join(map(str, numbers))}"
    body.o.declared.add(f"{name} = internal constant [{WARP} x i64] [{', '.join(f'i64 {one}' for one in numbers)}]")
    lane = body.o(f"and i64 %n, {WARP - 1}")
    return body.o(f"load i64, ptr {body.o(f'getelementptr i64, ptr {name}, i64 {lane}')}, align 8")


def moved(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of wmma.load or wmma.store."""
    o, stores = body.o, "store" in row.words
    move = move_of(instruction, row)
    base = base_of(body, inlined, move.memory)
    stride = str(move.stride)
    if not isinstance(move.stride, int):
        stride = o.resize(body.value(inlined, move.stride, "u32"), 32, 64)

    def place(part: Part, new: str = "") -> str:
        outer, inner = (_of_lane(body, list(each)) for each in zip(*part.spots, strict=True))
        number = o(f"add i64 {o(f'mul i64 {outer}, {stride}')}, {inner}")
        offset = o(f"lshr i64 {o(f'mul i64 {number}, {move.bits}')}, 3")
        address = o(f"add i64 {base}, {offset}")
        use, size = WRITES if stores else READS, part.bits // BYTE
        note = Note(instruction, use, new, part.bits)
        return reached(body, inlined, instruction, address, move.space, size, use, held=0, spare=0, note=note).host

    registers = elements(move.registers)
    width = max(part.start + part.bits for part in move.parts)
    found = ["0"] * len(registers)
    for part in move.parts:
        if stores:
            value = body.value(inlined, registers[part.register], f"b{width}")
            value = o.resize(o(f"lshr i{width} {value}, {part.start}"), width, part.bits)
            o.do(f"store i{part.bits} {value}, ptr {place(part, value)}, align {part.bits // BYTE}")
        else:
            host = place(part)
            value = o.resize(o(f"load i{part.bits}, ptr {host}, align {part.bits // BYTE}"), part.bits, width)
            value = o(f"shl i{width} {value}, {part.start}")
            found[part.register] = o(f"or i{width} {found[part.register]}, {value}")
    if not stores:
        for register, value in zip(registers, found, strict=True):
            body.put(inlined, register, value, f"b{width}")
    matrices.gathered(body, inlined, instruction, _nothing, None, following)


def wmma(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of wmma."""
    if "mma" in row.words:
        matrices.product(body, inlined, instruction, product_of(row), following)
    else:
        moved(body, inlined, instruction, row, following)


ENDS: dict[str, Callable[[Body, Inlined, Instruction, Row, int], None]] = {"wmma": wmma}
"""The writer of the instruction, by name."""
