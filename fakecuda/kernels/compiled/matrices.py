"""Matrix instructions as LLVM IR: ldmatrix, stmatrix, movmatrix and mma.

A thread keeps its registers in memory before it meets its warp, and takes the results from there. A warp without all of its lanes is
left to the reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels import products
from fakecuda.kernels.compiled import asynchronous, waits
from fakecuda.kernels.compiled.layout import Thread
from fakecuda.kernels.compiled.shared_races import Note
from fakecuda.kernels.fragments import GROUP, ROWS
from fakecuda.kernels.lower import elements
from fakecuda.kernels.matrices import ALL, BITS, HALF, SIZE, moved
from fakecuda.kernels.program import Register
from fakecuda.kernels.row import bits_of
from fakecuda.kernels.spaces import READS, WRITES
from fakecuda.kernels.threads import WARP

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.body import Body
    from fakecuda.kernels.compiled.meetings import Settle, Warp
    from fakecuda.kernels.compiled.values import Inlined
    from fakecuda.kernels.products import Product
    from fakecuda.kernels.program import Instruction, Operand
    from fakecuda.kernels.row import Row

WORD, BYTE = 4, 8
"""The bytes of a word, and the bits of a byte."""


def _whole(act: Callable[[Warp], str | None]) -> Settle:
    """Return the code for a warp whose lanes have all met, with a check.

    Args:
        act: Does it, and returns whether it could; None if it can always.
    """

    def settle(warp: Warp) -> None:
        o, done = warp.o, warp.variable(0)
        all_of = o(f"icmp eq i32 %lanes, {(1 << WARP) - 1}")
        do, over = o.new("T"), o.new("T")
        o.do(f"br i1 {all_of}, label %{do}, label %{over}")
        o.label(do)
        fine = act(warp)
        o.do(f"store i32 {1 if fine is None else o(f'zext i1 {fine} to i32')}, ptr {done}")
        o.do(f"br label %{over}")
        o.label(over)
        found = o(f"load i32, ptr {done}")
        warp.each(lambda thread, _: warp.store(thread, Thread.HOLDS, found))

    return settle


def gathered(
    body: Body,
    inlined: Inlined,
    instruction: Instruction,
    settle: Callable[[Warp], str | None],
    results: Operand | None,
    following: int,
    start: int = 0,
) -> None:
    """Write that all threads of a warp meet, with results among their registers."""

    def take() -> None:
        all_of = body.o(f"trunc i32 {waits.given(body, Thread.HOLDS)} to i1")
        asynchronous.unless(body, all_of, instruction)
        if results is None:
            return
        for target, (place, bits) in zip(elements(results), _places(body, results, start), strict=True):
            body.put(inlined, target, body.o(f"load i{bits}, ptr {place}, align {WORD}"), f"b{bits}")

    waits.meeting(body, inlined, instruction, ALL, _whole(settle), take, following)


def _places(body: Body, operand: Operand, start: int = 0) -> list[tuple[str, int]]:
    """Return the places of registers, and their bits."""
    found = []
    for one in elements(operand):
        assert isinstance(one, Register)  # the reference has checked it
        bits = bits_of(one.type)
        found.append((body.o(f"getelementptr i8, ptr %fragments, i64 {start}"), bits))
        start += bits // BYTE
    body.fragments = max(body.fragments, start + -start % SIZE)
    return found


def bring(body: Body, inlined: Inlined, operand: Operand, start: int = 0) -> int:
    """Write that a thread stores an operand's registers; return the next place."""
    for one, (place, bits) in zip(elements(operand), _places(body, operand, start), strict=True):
        body.o.do(f"store i{bits} {body.value(inlined, one, f'b{bits}')}, ptr {place}, align {WORD}")
        start += bits // BYTE
    return start


def _row(body: Body, inlined: Inlined, instruction: Instruction, operand: Operand, count: int, space: str) -> None:
    """Write that a lane stores the address of its row."""
    o = body.o
    if count * ROWS < WARP:
        has, after = o.new("T"), o.new("T")
        lane = o(f"and i64 %n, {WARP - 1}")
        o.do(f"br i1 {o(f'icmp ult i64 {lane}, {count * ROWS}')}, label %{has}, label %{after}")
        o.label(has)
    note = Note(instruction, READS if instruction.name == "ldmatrix" else WRITES)
    host = asynchronous.in_block(body, inlined, instruction, operand, (space, "shared"), note)
    waits.keep(body, Thread.VALUE, o(f"ptrtoint ptr {host} to i64"), 64)
    if count * ROWS < WARP:
        o.do(f"br label %{after}")
        o.label(after)


def _element(warp: Warp, number: int, row: str, column: str) -> str:
    """Return the place of a matrix element in shared memory."""
    o = warp.o
    host = warp.load(warp.thread(o(f"add i32 {row}, {ROWS * number}")), Thread.VALUE, 64)
    return o(f"getelementptr i16, ptr {o(f'inttoptr i64 {host} to ptr')}, i32 {column}")


def _kept(warp: Warp, thread: str, number: int) -> str:
    """Return the place of a thread's stored register."""
    return warp.o(f"getelementptr i8, ptr {thread}, i64 {warp.fragments + WORD * number}")


def _own(warp: Warp, lane: str) -> tuple[str, str]:
    """Return the row and the first column of a lane's elements."""
    o = warp.o
    return o(f"lshr i32 {lane}, 2"), o(f"shl i32 {o(f'and i32 {lane}, {GROUP - 1}')}, 1")


def _rows(warp: Warp, count: int, *, turns: bool, stores: bool) -> None:
    """Move matrices between shared memory and registers."""
    o = warp.o

    def each(thread: str, lane: str) -> None:
        across, along = _own(warp, lane)
        other = o(f"add i32 {along}, 1")
        for number in range(count):
            kept = _kept(warp, thread, number)
            spots = [(along, across), (other, across)] if turns else [(across, along)]
            bits = BITS if turns else 2 * BITS
            for part, (row, column) in enumerate(spots):
                place = _element(warp, number, row, column)
                register = o(f"getelementptr i8, ptr {kept}, i64 {HALF * part}")
                of, to = (register, place) if stores else (place, register)
                o.do(f"store i{bits} {o(f'load i{bits}, ptr {of}, align {HALF}')}, ptr {to}, align {HALF}")

    warp.each(each)


def load(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of ldmatrix."""
    count, turns, space = moved(row)
    target, source = instruction.operands
    _row(body, inlined, instruction, source, count, space)
    gathered(body, inlined, instruction, lambda warp: _rows(warp, count, turns=turns, stores=False), target, following)


def store(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of stmatrix."""
    count, turns, space = moved(row)
    target, source = instruction.operands
    _row(body, inlined, instruction, target, count, space)
    bring(body, inlined, source)
    gathered(body, inlined, instruction, lambda warp: _rows(warp, count, turns=turns, stores=True), None, following)


def turn(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of movmatrix."""
    row.words.clear()
    row.type("b16")
    target, source = instruction.operands
    bring(body, inlined, source)
    _places(body, target, WORD)

    def settle(warp: Warp) -> None:
        o = warp.o

        def gather(thread: str, lane: str) -> None:
            across, along = _own(warp, lane)
            parts = []
            for part in range(2):
                first = o(f"shl i32 {o(f'add i32 {along}, {part}')}, 2")
                other = warp.thread(o(f"add i32 {first}, {o(f'lshr i32 {across}, 1')}"))
                word = o(f"load i32, ptr {_kept(warp, other, 0)}, align {WORD}")
                start = o(f"shl i32 {o(f'and i32 {across}, 1')}, 4")
                parts.append(o(f"and i32 {o(f'lshr i32 {word}, {start}')}, {(1 << BITS) - 1}"))
            found = o(f"or i32 {parts[0]}, {o(f'shl i32 {parts[1]}, {BITS}')}")
            o.do(f"store i32 {found}, ptr {_kept(warp, thread, 1)}, align {WORD}")

        def give(thread: str, _lane: str) -> None:
            found = o(f"load i32, ptr {_kept(warp, thread, 1)}, align {WORD}")
            o.do(f"store i32 {found}, ptr {_kept(warp, thread, 0)}, align {WORD}")

        warp.each(gather)
        warp.each(give)

    gathered(body, inlined, instruction, settle, target, following)


def multiply(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of mma."""
    product(body, inlined, instruction, products.of_mma(row), following)


def product(body: Body, inlined: Inlined, instruction: Instruction, made: Product, following: int) -> None:
    """Write a product of matrices."""
    start = 0
    for operand in instruction.operands[1:]:
        start = bring(body, inlined, operand, start)
    name = body.product(made)

    def call(warp: Warp) -> None:
        warp.o.do(f"call void @{name}(ptr %warp)")

    gathered(
        body,
        inlined,
        instruction,
        call,
        instruction.operands[0],
        following,
    )


ENDS: dict[str, Callable[[Body, Inlined, Instruction, Row, int], None]] = {
    "ldmatrix": load,
    "stmatrix": store,
    "movmatrix": turn,
    "mma": multiply,
}
"""Writers of matrix instructions, by name."""
