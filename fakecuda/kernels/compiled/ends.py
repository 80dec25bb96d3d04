"""Instructions that jump, call, wait or end, as LLVM IR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.compiled import asynchronous, calls, clusters, matrices, waits, wgmma, wmma
from fakecuda.kernels.compiled.layout import Access, Space

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.body import Body
    from fakecuda.kernels.compiled.values import Inlined
    from fakecuda.kernels.program import Instruction
    from fakecuda.kernels.row import Row

    End = Callable[[Body, Inlined, Instruction, Row, int], None]


def branch(body: Body, inlined: Inlined, instruction: Instruction, row: Row, _following: int) -> None:
    """Write a jump to a label."""
    row.flag("uni")
    (target,) = instruction.operands
    body.go(inlined.first + inlined.lowering.piece_of(target))


def leave(body: Body, inlined: Inlined, *_: object) -> None:
    """Write the end of a function, which returns its results or ends the thread."""
    if inlined.caller is not None:
        for to, of in zip(inlined.into, inlined.lowering.function.returns, strict=True):
            calls.copy(body, inlined.caller.areas[to], inlined.areas[of], to.size)
        body.go(inlined.following)
    elif inlined.unit is not None:
        calls.leave(body, inlined, inlined.unit)
    else:
        body.o.do("br label %finish")


def returned(body: Body, inlined: Inlined, _instruction: Instruction, row: Row, _following: int) -> None:
    """Write the LLVM IR of ret."""
    row.flag("uni")
    leave(body, inlined)


def finish(body: Body, _inlined: Inlined, _instruction: Instruction, _row: Row, _following: int) -> None:
    """Write the LLVM IR of exit."""
    body.o.do("br label %finish")


def trap(body: Body, _inlined: Inlined, instruction: Instruction, _row: Row, _following: int) -> None:
    """Write a trap or a breakpoint."""
    body.sites.append(Access(instruction))
    body.fail("0", str(int(Space.NOWHERE)))


def indexed(body: Body, inlined: Inlined, instruction: Instruction, row: Row, _following: int) -> None:
    """Write a jump by an index into a list of labels."""
    row.flag("idx")
    row.flag("uni")
    o, (index, listed) = body.o, instruction.operands
    value = body.value(inlined, index, "u32")
    places = [inlined.first + inlined.lowering.piece_of(one) for one in inlined.lowering.targets(listed)]
    labels, other = [o.new("X") for _ in places], o.new("X")
    cases = " ".join(f"i32 {number}, label %{label}" for number, label in enumerate(labels))
    o.do(f"switch i32 {value}, label %{other} [ {cases} ]")
    o.label(other)
    body.sites.append(Access(instruction, targets=len(places)))
    body.fail(o(f"zext i32 {value} to i64"), str(int(Space.TARGET)))
    for place, label in zip(places, labels, strict=True):
        o.label(label)
        body.go(place)


def pause(body: Body, _inlined: Inlined, _instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of nanosleep: other threads run first."""
    row.type()
    body.flow.follow(following)
    body.stop(following, "stop")


ENDS: dict[str, End] = {
    "bra": branch,
    "brx": indexed,
    "call": calls.call,
    "ret": returned,
    "exit": finish,
    "trap": trap,
    "brkpt": trap,
    "bar": clusters.barrier,
    "barrier": clusters.barrier,
    "nanosleep": pause,
    "mbarrier": asynchronous.barrier,
    "shfl": waits.shuffle,
    "vote": waits.vote,
    "match": waits.match,
    "redux": waits.reduce,
    "elect": waits.elect,
    "activemask": waits.active,
    **matrices.ENDS,
    **wmma.ENDS,
    **wgmma.ENDS,
}
"""Writers of instructions that end a piece of code, by name."""
