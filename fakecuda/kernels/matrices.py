"""The meaning of mma, ldmatrix, stmatrix and movmatrix: section 9.7.14.5 of the PTX ISA manual.

All threads of a warp meet. The last one moves rows between shared memory and registers, or computes the product.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.kernels import products
from fakecuda.kernels.access import GENERIC, place_of
from fakecuda.kernels.asynchronous import undefined
from fakecuda.kernels.fragments import GROUP, ROWS
from fakecuda.kernels.operands import WHOLE
from fakecuda.kernels.program import Constant, Register, Several
from fakecuda.kernels.row import bits_of, refuse
from fakecuda.kernels.spaces import READS, WRITES
from fakecuda.kernels.threads import WARP
from fakecuda.kernels.warps import WORD, meeting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fakecuda.kernels.blocks import Settle
    from fakecuda.kernels.lower import Lowering
    from fakecuda.kernels.program import Instruction, Operand
    from fakecuda.kernels.row import Row
    from fakecuda.kernels.threads import Frame, Lane

    End = Callable[[Frame], bool]

ALL = Constant(WORD, WHOLE)
"""A mask of all lanes."""
SIZE, HALF, BITS = 16, 2, 16
"""The bytes of a row and of an element, and the bits of an element."""
COUNTS = {"x1": 1, "x2": 2, "x4": 4}


def registers(operand: Operand, count: int, width: int = 32) -> tuple[Operand, ...]:
    """Return the elements of an operand with a number of registers."""
    found = operand.parts if isinstance(operand, Several) else (operand,)
    if len(found) != count or any(not isinstance(one, Register) or bits_of(one.type) != width for one in found):
        refuse("its operands")
    return found


def whole(settle: Callable[[dict[int, Any], dict[int, Lane]], None], instruction: Instruction) -> Settle:
    """Return a warp operation that needs all lanes."""

    def settled(lanes: dict[Lane, Any]) -> None:
        if len(lanes) != WARP:
            undefined(
                next(iter(lanes)),
                instruction,
                f"is executed by {len(lanes)} of the {WARP} threads of a warp: all must execute it",
            )
        settle({lane.lane: brought for lane, brought in lanes.items()}, {lane.lane: lane for lane in lanes})

    return settled


def space_of(row: Row) -> str:
    """Take the state space of rows in memory."""
    return "shared" if row.take("shared", "shared::cta") else GENERIC


def moved(row: Row) -> tuple[int, bool, str]:
    """Take the modifiers of ldmatrix or stmatrix; return count, transpose and space."""
    row.take("sync")
    row.take("aligned")
    row.take("m8n8") or refuse(f"its modifier .{row.words[0]}")
    found = COUNTS[row.take(*COUNTS)], row.flag("trans"), space_of(row)
    row.type("b16")
    return found


def rows_of(
    lowering: Lowering, instruction: Instruction, operand: Operand, space: str, count: int
) -> Callable[[Frame], Any]:
    """Return a function of a frame for its row's address, if the lane has one."""
    place = place_of(lowering, operand, space)
    watch, site, use = lowering.kernel.watch, 0, READS if instruction.name == "ldmatrix" else WRITES
    if watch is not None:
        site = watch.add(instruction, SIZE)

    def found(frame: Frame) -> int | None:
        if frame.lane.lane >= ROWS * count:
            return None
        memory, address = place(frame.slots)
        if memory is not frame.shared:
            undefined(frame.lane, instruction, f"uses a row at {address:#x}, which is not in shared memory")
        frame.shared.check(address, SIZE)
        if frame.lane.block.races is not None:
            frame.lane.block.races.note(frame.lane.number, site, use, address, SIZE)
        return int(address)

    return found


def transposed(words: Sequence[int]) -> list[int]:
    """Return the registers of a transposed matrix."""
    elements = [word >> start & 0xFFFF for word in words for start in (0, BITS)]
    return [
        elements[lane % GROUP * 2 * ROWS + lane // GROUP]
        | elements[(lane % GROUP * 2 + 1) * ROWS + lane // GROUP] << BITS
        for lane in range(WARP)
    ]


def gathering(
    lowering: Lowering, instruction: Instruction, following: int, bring: Callable[[Frame], Any], settle: Settle
) -> End:
    """Return an end of a piece at which all threads of a warp meet."""
    mask = lowering.slot(ALL, "u32")
    return meeting(instruction, following, mask, lambda slots: bring(slots[0]), settle)


def load(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> End:
    """Return the meaning of ldmatrix."""
    count, turns, space = moved(row)
    registers(instruction.operands[0], count)
    targets = lowering.results(instruction.operands[0])
    bring = rows_of(lowering, instruction, instruction.operands[1], space, count)

    def settle(rows: dict[int, Any], lanes: dict[int, Lane]) -> None:
        shared = lanes[0].block.shared
        for number, target in enumerate(targets):
            words = [
                shared.load(rows[ROWS * number + lane // GROUP] + lane % GROUP * 2 * HALF, 2 * HALF)
                for lane in range(WARP)
            ]
            for lane, word in enumerate(transposed(words) if turns else words):
                lanes[lane].frame.slots[target] = word

    return gathering(lowering, instruction, following, bring, whole(settle, instruction))


def store(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> End:
    """Return the meaning of stmatrix."""
    count, turns, space = moved(row)
    registers(instruction.operands[1], count)
    sources = lowering.sources(instruction.operands[1], "b32")
    place = rows_of(lowering, instruction, instruction.operands[0], space, count)

    def bring(frame: Frame) -> tuple[Any, list[int]]:
        return place(frame), [frame.slots[source] for source in sources]

    def settle(brought: dict[int, Any], lanes: dict[int, Lane]) -> None:
        shared = lanes[0].block.shared
        for number in range(count):
            words = [brought[lane][1][number] for lane in range(WARP)]
            for lane, word in enumerate(transposed(words) if turns else words):
                shared.store(brought[ROWS * number + lane // GROUP][0] + lane % GROUP * 2 * HALF, 2 * HALF, word)

    return gathering(lowering, instruction, following, bring, whole(settle, instruction))


def turn(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> End:
    """Return the meaning of movmatrix."""
    for word in ("sync", "aligned", "m8n8", "trans"):
        lowering.must(row, word)
    row.type("b16")
    for one in instruction.operands:
        registers(one, 1)
    (target,), (source,) = lowering.results(instruction.operands[0]), lowering.sources(instruction.operands[1], "b32")

    def settle(words: dict[int, Any], lanes: dict[int, Lane]) -> None:
        for lane, word in enumerate(transposed([words[lane] for lane in range(WARP)])):
            lanes[lane].frame.slots[target] = word

    return gathering(lowering, instruction, following, lambda frame: frame.slots[source], whole(settle, instruction))


def multiply(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> End:
    """Return the meaning of mma."""
    return product(lowering, instruction, products.of_mma(row), following)


def product(lowering: Lowering, instruction: Instruction, made: products.Product, following: int) -> End:
    """Return the meaning of a matrix product with a sum."""
    for operand, fragment in zip(instruction.operands, (made.d, made.a, made.b, made.c), strict=True):
        registers(operand, len(fragment.held), fragment.width)
    targets = lowering.results(instruction.operands[0])
    sources = [lowering.sources(one, "b32") for one in instruction.operands[1:]]

    def bring(frame: Frame) -> list[list[int]]:
        return [[frame.slots[slot] for slot in each] for each in sources]

    def settle(brought: dict[int, Any], lanes: dict[int, Lane]) -> None:
        a, b, c = (
            fragment.elements([brought[lane][number] for lane in range(WARP)])
            for number, fragment in enumerate((made.a, made.b, made.c))
        )
        for lane, words in enumerate(made.d.registers(made.results(a, b, c))):
            for target, word in zip(targets, words, strict=True):
                lanes[lane].frame.slots[target] = word

    return gathering(lowering, instruction, following, bring, whole(settle, instruction))


ENDS = {"ldmatrix": load, "stmatrix": store, "movmatrix": turn, "mma": multiply}
"""The meanings of matrix instructions, by name."""
