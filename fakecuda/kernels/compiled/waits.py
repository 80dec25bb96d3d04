"""Instructions that wait for other threads, as LLVM IR: barriers, and operations of a warp."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.kernels.compiled import meetings
from fakecuda.kernels.compiled.layout import BARRIERS, CONVERGING, Access, Block, Space, Thread
from fakecuda.kernels.logic import LOGIC
from fakecuda.kernels.lower import elements
from fakecuda.kernels.program import Constant, Register
from fakecuda.kernels.row import PREDICATE, bits_of, refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.body import Body
    from fakecuda.kernels.compiled.meetings import Settle
    from fakecuda.kernels.compiled.values import Inlined
    from fakecuda.kernels.program import Instruction, Operand
    from fakecuda.kernels.row import Row

    Take = Callable[[], None]

WORD = "b32"


def brought(body: Body, inlined: Inlined, operand: Operand, type_: str) -> str:
    """Return an operand's value, without a cut of wide registers."""
    if isinstance(operand, Register) and bits_of(operand.type) != bits_of(type_):
        refuse("its operands")
    return body.value(inlined, operand, type_)


def keep(body: Body, field: Thread, value: str, bits: int = 32) -> None:
    """Write a field of the current thread."""
    place = body.o(f"getelementptr i32, ptr %thread, i64 {int(field)}")
    body.o.do(f"store i{bits} {value}, ptr {place}, align 4")


def given(body: Body, field: Thread) -> str:
    """Return a field of the current thread."""
    place = body.o(f"getelementptr i32, ptr %thread, i64 {int(field)}")
    return body.o(f"load i32, ptr {place}, align 4")


def wait(body: Body, following: int, on: str = "", take: Take | None = None) -> None:
    """Write the code after a wait: the thread continues, or stops and resumes."""
    o = body.o
    number, label, state = body.resume(following)
    if on:
        no = o.new("W")
        o.do(f"br i1 {on}, label %{label}, label %{no}")
        o.label(no)
    body.stop(number, state)
    o.label(label)
    if take is not None:
        take()
    body.go(following)


def _results(body: Body, inlined: Inlined, operand: Operand) -> Take:
    """Return a writer of a thread's result and its predicate to registers."""
    target, *more = elements(operand)

    def take() -> None:
        body.put(inlined, target, given(body, Thread.RESULT), WORD)
        if more:
            holds = body.o(f"trunc i32 {given(body, Thread.HOLDS)} to i1")
            body.put(inlined, more[0], holds, PREDICATE)

    return take


def _held(body: Body, inlined: Inlined, operand: Operand) -> Take:
    """Return a writer of a thread's result, a predicate or a word."""
    (target,) = elements(operand)

    def take() -> None:
        found, type_ = given(body, Thread.RESULT), WORD
        if isinstance(target, Register) and target.type == PREDICATE:
            found, type_ = body.o(f"trunc i32 {found} to i1"), PREDICATE
        body.put(inlined, target, found, type_)

    return take


def meeting(
    body: Body,
    inlined: Inlined,
    instruction: Instruction,
    mask: Operand,
    settle: Settle,
    take: Take | None,
    following: int,
) -> None:
    """Write that the threads of a mask meet."""
    o = body.o
    number = body.waiting(instruction)
    body.meetings[number] = settle
    wanted = brought(body, inlined, mask, WORD)
    lane = o(f"and i32 {o('trunc i64 %n to i32')}, {meetings.LANES}")
    inside, outside = o.new("W"), o.new("W")
    bit = o(f"trunc i32 {o(f'lshr i32 {wanted}, {lane}')} to i1")
    o.do(f"br i1 {bit}, label %{inside}, label %{outside}")
    o.label(outside)
    body.sites.append(Access(instruction))
    keep(body, Thread.PIECE, str(following))
    body.fail(o(f"zext i32 {wanted} to i64"), str(int(Space.OUTSIDE)))
    o.label(inside)
    keep(body, Thread.WAITS, str(number))
    on = o(f"call i1 @meet(ptr %launch, ptr %block, ptr %thread, i64 %n, i32 {number}, i32 {wanted})")
    wait(body, following, on, take)


def shuffle(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of shfl.sync."""
    inlined.lowering.must(row, "sync")
    mode = row.take("up", "down", "bfly", "idx")
    row.type(WORD)
    target, value, other, limits, mask = instruction.operands
    for one, field in ((value, Thread.VALUE), (other, Thread.OTHER), (limits, Thread.LIMITS)):
        keep(body, field, brought(body, inlined, one, WORD))
    settle, take = meetings.shuffled(mode), _results(body, inlined, target)
    meeting(body, inlined, instruction, mask, settle, take, following)


def vote(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of vote.sync."""
    inlined.lowering.must(row, "sync")
    mode = row.take("all", "any", "uni", "ballot")
    row.type()
    target, value, mask = instruction.operands
    keep(body, Thread.VALUE, body.o(f"zext i1 {brought(body, inlined, value, PREDICATE)} to i32"))
    meeting(body, inlined, instruction, mask, meetings.voted(mode), _held(body, inlined, target), following)


def match(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of match.sync."""
    inlined.lowering.must(row, "sync")
    every, type_ = row.take("any", "all") == "all", row.type()
    target, value, mask = instruction.operands
    bits = bits_of(type_)
    keep(body, Thread.VALUE, body.o.resize(brought(body, inlined, value, type_), bits, 64), 64)
    take = _results(body, inlined, target)
    meeting(body, inlined, instruction, mask, meetings.matched(every=every), take, following)


def reduce(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of redux.sync."""
    inlined.lowering.must(row, "sync")
    how, type_ = row.take("add", "min", "max", *LOGIC), row.type("u32", "s32", "b32")
    target, value, mask = instruction.operands
    keep(body, Thread.VALUE, brought(body, inlined, value, type_))
    settle = meetings.reduced(how, negative=type_ == "s32")
    meeting(body, inlined, instruction, mask, settle, _results(body, inlined, target), following)


def elect(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of elect.sync."""
    inlined.lowering.must(row, "sync")
    target, mask = instruction.operands
    meeting(body, inlined, instruction, mask, meetings.elected, _results(body, inlined, target), following)


def active(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of activemask, which waits for the turn of all threads."""
    row.type(WORD)
    o = body.o
    body.converges = True
    keep(body, Thread.WAITS, str(body.waiting(instruction)))
    keep(body, Thread.STATE, str(CONVERGING))
    count = o(f"getelementptr i64, ptr %block, i64 {int(Block.CONVERGING)}")
    before = o(f"load i64, ptr {count}, align 8")
    o.do(f"store i64 {o(f'add i64 {before}, 1')}, ptr {count}, align 8")
    wait(body, following, take=_results(body, inlined, instruction.operands[0]))


def barrier(body: Body, inlined: Inlined, instruction: Instruction, row: Row, following: int) -> None:
    """Write the LLVM IR of bar or barrier: sync, arrive, red, or bar.warp.sync."""
    row.flag("cta")
    row.flag("aligned")
    if row.flag("warp"):
        row.flag("sync")
        (mask,) = instruction.operands
        meeting(body, inlined, instruction, mask, meetings.synced, None, following)
        return
    what, reduction = row.take("sync", "arrive", "red"), row.take("popc", "and", "or")
    if reduction:
        row.type("u32", PREDICATE)
    operands, o = list(instruction.operands), body.o
    if reduction:
        take: Take | None = _reduced(body, inlined, operands.pop(0), reduction)
        value = o(f"zext i1 {brought(body, inlined, operands.pop(), PREDICATE)} to i32")
        body.reduces = True
    else:
        take, value = None, "0"
    number, *rest = operands
    if isinstance(number, Constant) and not 0 <= number.value < BARRIERS:
        refuse("its barrier")
    place = o.resize(brought(body, inlined, number, "u32"), 32, 64)
    count = o.resize(brought(body, inlined, rest[0], "u32"), 32, 64) if rest else "0"
    if not isinstance(number, Constant):
        known, unknown = o.new("W"), o.new("W")
        o.do(f"br i1 {o(f'icmp ult i64 {place}, {BARRIERS}')}, label %{known}, label %{unknown}")
        o.label(unknown)
        body.sites.append(Access(instruction))
        body.fail(place, str(int(Space.UNKNOWN)))
        o.label(known)
    waits = what != "arrive"
    waiting = body.waiting(instruction)
    if waits:
        keep(body, Thread.WAITS, str(waiting))
        keep(body, Thread.VALUE, value)
    on = o(f"call i1 @arrive(ptr %launch, ptr %block, ptr %thread, i64 {place}, i64 {count}, i1 {waits:d})")
    if waits:
        wait(body, following, on, take)
    else:
        body.go(following)


def _reduced(body: Body, inlined: Inlined, operand: Operand, how: str) -> Take:
    """Return a writer of the result of bar.red."""
    (target,) = elements(operand)

    def take() -> None:
        o = body.o
        holding, threads = given(body, Thread.RESULT), given(body, Thread.HOLDS)
        if how == "popc":
            body.put(inlined, target, holding, "u32")
            return
        found = o(f"icmp eq i32 {holding}, {threads}" if how == "and" else f"icmp ne i32 {holding}, 0")
        body.put(inlined, target, found, PREDICATE)

    return take
