"""The meaning of instructions that jump, call, wait or end: sections 9.7.12, 9.7.13 and 9.7.19 of the PTX ISA manual.

Each builder returns a function of a frame. It sets the piece of code that comes next, and returns whether the thread stops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from fakecuda.kernels import asynchronous, clusters, matrices, system, warps, wgmma, wmma
from fakecuda.kernels.program import Several, Symbol
from fakecuda.kernels.row import PREDICATE
from fakecuda.kernels.spaces import Fault
from fakecuda.kernels.threads import GO, STOP, Frame, Undefined
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.lower import Lowering
    from fakecuda.kernels.program import Instruction, Operand
    from fakecuda.kernels.row import Row
    from fakecuda.kernels.threads import Code

    End = Callable[[Frame], bool]
    Builder = Callable[[Lowering, Instruction, Row, int], End]


def jump(to: int) -> End:
    """Return an end of a piece that continues with the next one."""

    def end(frame: Frame) -> bool:
        frame.at = to
        return GO

    return end


def branch(lowering: Lowering, instruction: Instruction, row: Row, _following: int) -> End:
    """Return a jump to a label."""
    row.flag("uni")
    (target,) = instruction.operands
    return jump(lowering.piece_of(target))


def indexed_branch(lowering: Lowering, instruction: Instruction, row: Row, _following: int) -> End:
    """Return a jump by an index into a list of labels."""
    row.flag("idx")
    row.flag("uni")
    index, listed = instruction.operands
    slot = lowering.slot(index, "u32")
    places = [lowering.piece_of(one) for one in lowering.targets(listed)]

    def end(frame: Frame) -> bool:
        number = frame.slots[slot]
        if number >= len(places):
            strayed(number, len(places))
        frame.at = places[number]
        return GO

    return end


def leave(_lowering: Lowering, _instruction: Instruction, row: Row, _following: int) -> End:
    """Return the end of a function."""
    row.flag("uni")
    return Frame.leave


def finish(_lowering: Lowering, _instruction: Instruction, _row: Row, _following: int) -> End:
    """Return the end of a thread."""
    return lambda frame: frame.lane.finish()


def trap(_lowering: Lowering, instruction: Instruction, _row: Row, _following: int) -> End:
    """Return a trap, or a breakpoint, which acts as a trap."""
    return lambda _frame: trapped(instruction)


def trapped(instruction: Instruction) -> NoReturn:
    """End the kernel with a trap."""
    raise Fault(Result.LAUNCH_FAILED, f"executes {instruction.name}")


def strayed(number: int, count: int) -> NoReturn:
    """End the kernel, because a jump index exceeds its list of labels."""
    raise Fault(Result.LAUNCH_FAILED, f"branches to target {number} of a list of {count} targets")


def missed(address: int) -> NoReturn:
    """End the kernel, because a called address is not a function."""
    raise Fault(Result.INVALID_PC, f"calls {address:#x}, which is not a function")


def call(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> End:
    """Return a call of a function, of a system function, or by an address."""
    row.flag("uni")
    lists = list(instruction.operands)
    results = lowering.passed(lists.pop(0)) if isinstance(lists[0], Several) else []
    target = lists.pop(0)
    given = lowering.passed(lists[0]) if lists and isinstance(lists[0], Several) else []
    if not isinstance(target, Symbol):
        return _by_address(lowering, target, given, results, following)
    assert isinstance(target.target, str)  # the reader of the image has checked it
    name = target.target
    if name in system.FUNCTIONS:
        function = system.FUNCTIONS[name]

        def ask(frame: Frame) -> bool:
            frame.at = following
            frame.memory.make_all()  # memory that is freed now may be another block's next
            values = [int.from_bytes(frame.params.data[at : at + size], "little") for at, size in given]
            try:
                answer = function(frame, *values)
            except Undefined as error:
                raise error.told(frame, instruction) from None
            for at, size in results:
                frame.params.data[at : at + size] = answer.to_bytes(size, "little")
            return GO

        return ask
    callee = lowering.code(name)
    return lambda frame: enter(frame, callee, given, results, following)


def enter(
    frame: Frame, callee: Code, given: list[tuple[int, int]], results: list[tuple[int, int]], following: int
) -> bool:
    """Have a thread execute a function next."""
    frame.at = following
    made = Frame(callee, frame.lane, frame, results)
    for (of, size), (to, _) in zip(given, callee.params, strict=False):
        made.params.data[to : to + size] = frame.params.data[of : of + size]
    frame.lane.frame = made
    return GO


def _by_address(
    lowering: Lowering,
    target: Operand,
    given: list[tuple[int, int]],
    results: list[tuple[int, int]],
    following: int,
) -> End:
    slot, functions = lowering.slot(target, "u64"), lowering.by_address
    for name in sorted(lowering.kernel.program.pointed):
        lowering.address(name)

    def end(frame: Frame) -> bool:
        callee = functions.get(frame.slots[slot])
        if callee is None:
            missed(frame.slots[slot])
        return enter(frame, callee, given, results, following)

    return end


def barrier(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> End:
    """Return the meaning of bar or barrier: sync, arrive or red."""
    row.flag("cta")
    row.flag("aligned")
    if row.flag("cluster"):
        return clusters.barrier(instruction, row, following)
    if row.flag("warp"):
        row.flag("sync")
        return warps.sync(lowering, instruction, row, following)
    what = row.take("sync", "arrive", "red")
    reduction = row.take("popc", "and", "or")
    if reduction:
        row.type("u32", PREDICATE)
    row.finish()
    operands = list(instruction.operands)
    if reduction:
        (target,) = lowering.results(operands.pop(0))
        value = lowering.predicate(operands.pop())
    number = lowering.slot(operands.pop(0), "u32")
    count = lowering.slot(operands.pop(0), "u32") if operands else None

    def end(frame: Frame) -> bool:
        frame.at = following
        slots, lane = frame.slots, frame.lane
        wanted = slots[count] if count is not None else 0
        if what == "arrive":
            return lane.block.arrive(slots[number], wanted)
        if not reduction:
            return lane.block.wait(lane, instruction, slots[number], wanted)

        def give(holding: int, threads: int) -> None:
            found = {"popc": holding, "and": int(holding == threads), "or": int(holding > 0)}
            slots[target] = found[reduction]

        return lane.block.wait(lane, instruction, slots[number], wanted, value(slots), give)

    return end


def pause(_lowering: Lowering, instruction: Instruction, row: Row, following: int) -> End:
    """Return the meaning of nanosleep: other threads run first."""
    row.type()
    del instruction

    def end(frame: Frame) -> bool:
        frame.at = following
        return STOP

    return end


ENDS: dict[str, Builder] = {
    "bra": branch,
    "brx": indexed_branch,
    "call": call,
    "ret": leave,
    "exit": finish,
    "trap": trap,
    "brkpt": trap,
    "bar": barrier,
    "barrier": barrier,
    "nanosleep": pause,
    "mbarrier": asynchronous.barrier,
    "shfl": warps.shuffle,
    "vote": warps.vote,
    "match": warps.match,
    "redux": warps.reduce,
    "activemask": warps.active,
    "elect": warps.elect,
    **matrices.ENDS,
    **wmma.ENDS,
    **wgmma.ENDS,
}
"""The meanings of instructions that end a piece of code, by name."""
