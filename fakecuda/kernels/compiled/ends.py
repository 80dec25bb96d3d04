"""Instructions that jump, call, wait or end, as LLVM IR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.compiled import waits
from fakecuda.kernels.compiled.layout import Access, Space
from fakecuda.kernels.program import Several, Symbol
from fakecuda.kernels.row import refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.body import Body
    from fakecuda.kernels.compiled.values import Inlined
    from fakecuda.kernels.program import Instruction, Operand, Variable
    from fakecuda.kernels.row import Row

    End = Callable[[Body, Inlined, Instruction, Row, int], None]


def branch(body: Body, inlined: Inlined, instruction: Instruction, row: Row, _following: int) -> None:
    """Write a jump to a label."""
    row.flag("uni")
    (target,) = instruction.operands
    body.go(inlined.first + inlined.lowering.piece_of(target))


def leave(body: Body, inlined: Inlined, *_: object) -> None:
    """Write the end of a function: its results go to the caller. A kernel ends its thread."""
    if inlined.caller is None:
        body.o.do("br label %finish")
        return
    function = inlined.lowering.function
    for to, of in zip(inlined.into, function.returns, strict=False):
        body.o.do(
            f"call void @llvm.memcpy.p0.p0.i64(ptr {inlined.caller.areas[to]}, ptr {inlined.areas[of]}, i64 {to.size}, i1 false)"
        )
    body.go(inlined.following)


def returned(body: Body, inlined: Inlined, _instruction: Instruction, row: Row, _following: int) -> None:
    """Write ret."""
    row.flag("uni")
    leave(body, inlined)


def finish(body: Body, _inlined: Inlined, _instruction: Instruction, _row: Row, _following: int) -> None:
    """Write exit."""
    body.o.do("br label %finish")


def trap(body: Body, _inlined: Inlined, instruction: Instruction, _row: Row, _following: int) -> None:
    """Write a trap or a breakpoint."""
    body.sites.append(Access(instruction))
    body.fail("0", str(int(Space.NOWHERE)))


def _passed(inlined: Inlined, operand: Operand | None) -> list[Variable]:
    """Return the variables that a call passes or wants."""
    found = []
    for one in operand.parts if isinstance(operand, Several) else ():
        if not isinstance(one, Symbol) or isinstance(one.target, str) or one.target not in inlined.areas or one.offset:
            refuse("its arguments")
        found.append(one.target)
    return found


def call(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the call of a function, whose pieces follow later."""
    row.flag("uni")
    lists = list(instruction.operands)
    into = _passed(inlined, lists.pop(0)) if isinstance(lists[0], Several) else []
    target = lists.pop(0)
    given = _passed(inlined, lists[0] if lists else None)
    if not isinstance(target, Symbol) or not isinstance(target.target, str):
        refuse("its call by an address")
    name = body.kernel.program.aliases.get(target.target, target.target)
    if name not in body.kernel.lowerings:
        refuse(f"its call of {name}")
    function = body.kernel.lowerings[name].function
    for ours, theirs in ((given, function.params), (into, function.returns)):
        if [one.size for one in ours] != [one.size for one in theirs]:
            refuse("its arguments")
    callee = body.inline(name, inlined, following, into)
    body.o.text += body.begin(callee)
    for of, to in zip(given, function.params, strict=True):
        body.o.do(
            f"call void @llvm.memcpy.p0.p0.i64(ptr {callee.areas[to]}, ptr {inlined.areas[of]}, i64 {of.size}, i1 false)"
        )
    body.go(callee.first)


def pause(body: Body, _inlined: Inlined, _instruction: Instruction, row: Row, following: int) -> None:
    """Write nanosleep: other threads go on first."""
    row.type()
    body.stop(following, "stop")


ENDS: dict[str, End] = {
    "bra": branch,
    "call": call,
    "ret": returned,
    "exit": finish,
    "trap": trap,
    "brkpt": trap,
    "bar": waits.barrier,
    "barrier": waits.barrier,
    "nanosleep": pause,
    "shfl": waits.shuffle,
    "vote": waits.vote,
    "match": waits.match,
    "redux": waits.reduce,
    "elect": waits.elect,
    "activemask": waits.active,
}
"""What instructions end a piece of code, by name."""
