"""The meaning of cp.async and mbarrier, sections 9.7.8.25 and 9.7.13.15 of the PTX ISA manual, on shared memory of a block.

A copy is made when its thread waits for it, or when a thread tests the mbarrier that tracks it: the latest time that the manual
allows. So a kernel that does not wait reads the bytes before the copy. An mbarrier is a word with the fields of the manual.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.errors import KernelError
from fakecuda.kernels.access import GENERIC, NO_DIFFERENCE, place_of, space_of
from fakecuda.kernels.copies import Copy, Tracked
from fakecuda.kernels.program import Constant, Not, Register
from fakecuda.kernels.row import PREDICATE, refuse
from fakecuda.kernels.spaces import Flat
from fakecuda.kernels.threads import GO, STOP

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.access import Op, Place
    from fakecuda.kernels.blocks import Block
    from fakecuda.kernels.lower import Lowering
    from fakecuda.kernels.program import Instruction, Operand
    from fakecuda.kernels.row import Row
    from fakecuda.kernels.threads import Frame, Lane

SIZE = 8
"""The size of an mbarrier in bytes."""
EXPECTED, PENDING, BYTES, PHASE, VALID = 0, 20, 40, 62, 63
"""The lowest bits of an mbarrier's fields: arrivals of each phase, pending arrivals, pending bytes, the parity of the phase, and
whether it is initialised."""
ARRIVALS, WIDTH = (1 << 20) - 1, 22
"""The maximum arrivals of a phase, and the bits of the signed pending byte count."""
COUNTED = ARRIVALS << PENDING | (1 << WIDTH) - 1 << BYTES
"""The bits of an mbarrier that a phase waits for."""
SIZES = {"ca": (4, 8, 16), "cg": (16,)}
"""Valid copy sizes in bytes, by cache level."""


def copy(lowering: Lowering, instruction: Instruction, row: Row) -> Op:
    """Return the meaning of cp.async."""
    lowering.must(row, "async")
    if lowering.kernel.watch is not None:
        lowering.kernel.watch.copies = True
    if row.flag("mbarrier"):
        return tracked(lowering, instruction, row)
    what = row.take("ca", "cg", "commit_group", "wait_group", "wait_all")
    if what == "commit_group":
        return lambda slots: slots[0].lane.copies.commit()
    if what == "wait_all":

        def wait_all(slots: list[Any]) -> None:
            slots[0].lane.copies.commit()
            slots[0].lane.copies.wait(slots[0].lane, 0)

        return wait_all
    if what == "wait_group":
        left = constant(instruction.operands[0])
        return lambda slots: slots[0].lane.copies.wait(slots[0].lane, left)
    if not what:
        refuse(f"its modifier .{row.words[0]}")
    return begun(lowering, instruction, row, what)


def constant(operand: Operand) -> int:
    """Return the value of a constant."""
    assert isinstance(operand, Constant)  # the reader of the image has checked it
    return operand.value


def begun(lowering: Lowering, instruction: Instruction, row: Row, cache: str) -> Op:
    """Return the beginning of a copy, which checks its addresses, target first."""
    places = [place_of(lowering, one, space) for one, space in zip(instruction.operands, spaces(row), strict=False)]
    size = constant(instruction.operands[2])
    if size not in SIZES[cache]:
        refuse("its size")
    read = bytes_read(lowering, instruction, size)
    watch, site = lowering.kernel.watch, 0
    if watch is not None:
        site = watch.add(instruction, size)

    def act(slots: list[Any]) -> None:
        (shared, target), (memory, source) = (place(slots) for place in places)
        shared.check(target, size)
        if watch is not None:
            shared.races.begin(slots[0].lane.number, site, target, size)
        count = read(slots)
        if count > size:
            undefined(slots[0].lane, instruction, f"reads {count} bytes for a copy of {size} bytes, which is undefined")
        if count == size:
            memory.load(source, size)
        else:
            for place in range(count):
                memory.load(source + place, 1)
        slots[0].lane.copies.add(slots[0].lane, Copy(target, source, size, count))

    return act


def spaces(row: Row) -> tuple[str, str]:
    """Take the state spaces of a copy, and modifiers without effect."""
    row.take("shared", "shared::cta")
    row.take("global")
    while row.take(*NO_DIFFERENCE):
        pass
    return "shared", "global"


def bytes_read(lowering: Lowering, instruction: Instruction, size: int) -> Callable[[list[Any]], int]:
    """Return a function of slots for the bytes that a copy reads; 0 by a predicate."""
    if len(instruction.operands) == 3:  # noqa: PLR2004 - a target, a source and a size
        return lambda _slots: size
    (operand,) = instruction.operands[3:]
    if ignores(operand):
        ignored = lowering.predicate(operand)
        return lambda slots: 0 if ignored(slots) else size
    slot = lowering.slot(operand, "u32")
    return lambda slots: int(slots[slot])


def ignores(operand: Operand) -> bool:
    """Return whether the last operand of a copy is a predicate to ignore the source."""
    return isinstance(operand, Not) or (isinstance(operand, Register) and operand.type == PREDICATE)


def tracked(lowering: Lowering, instruction: Instruction, row: Row) -> Op:
    """Return the meaning of cp.async.mbarrier.arrive."""
    lowering.must(row, "arrive")
    more = not row.flag("noinc")
    place = barrier_place(lowering, instruction.operands[0], row)

    def act(slots: list[Any]) -> None:
        lane = slots[0].lane
        shared, address = place(slots)
        word = loaded(lane, shared, address, instruction)
        if more:
            shared.store(address, SIZE, word + (1 << PENDING))
        copies = lane.copies
        listed = [one for group in (*copies.groups, copies.begun) for one in group]
        copies.groups, copies.begun = [[] for _ in copies.groups], []
        lane.block.arriving.append(
            Tracked(address, lane, listed, lambda word, tested: settled(arriving(lane, word, 1, tested)))
        )

    return act


def barrier_place(lowering: Lowering, operand: Operand, row: Row, *, remote: bool = False) -> Place:
    """Return the place of an mbarrier, and take the modifiers of its address.

    Args:
        lowering: The function.
        operand: The address.
        row: The modifiers.
        remote: Whether it may lie in another block's shared memory.
    """
    space = space_of(row)
    row.type("b64")
    place = place_of(lowering, operand, space)
    if space != GENERIC:
        return place

    def found(slots: list[Any]) -> tuple[Any, int]:
        shared, address = place(slots)
        if shared is not slots[0].shared and not (remote and isinstance(shared, Flat) and shared.name == "shared"):
            text = f"uses an mbarrier at {address:#x}, which is not in shared memory"
            raise KernelError(slots[0].lane.block.grid.told(text, [slots[0].lane.block], slots[0].lane))
        return shared, address

    return found


def loaded(lane: Lane, shared: Any, address: int, instruction: Instruction) -> int:
    """Return the word of an mbarrier.

    Raises:
        KernelError: It is not initialised.
    """
    word: int = shared.load(address, SIZE)
    if not word >> VALID:
        undefined(lane, instruction, f"uses the mbarrier at {address:#x}, which is not initialised")
    return word


def undefined(lane: Lane, instruction: Instruction, what: str) -> None:
    """Raise an error for undefined behaviour in the PTX manual.

    Raises:
        KernelError: Always.
    """
    grid = lane.block.grid
    raise KernelError(grid.told(f"{instruction.text} {what}", [lane.block], lane))


def settled(word: int) -> int:
    """Return an mbarrier, advanced to the next phase if nothing is pending."""
    if word & COUNTED:
        return word
    return (word | (word >> EXPECTED & ARRIVALS) << PENDING) ^ 1 << PHASE


def put(block: Block, shared: Any, address: int, before: int, after: int) -> None:
    """Write an mbarrier, and order what waits for it after a completed phase."""
    shared.store(address, SIZE, after)
    if block.races is not None and (before ^ after) >> PHASE & 1:
        block.races.order()


def expecting(word: int, count: int) -> int:
    """Return an mbarrier with more or fewer expected bytes."""
    held = (word >> BYTES) + count & (1 << WIDTH) - 1
    return word & ~((1 << WIDTH) - 1 << BYTES) | held << BYTES


def arriving(lane: Lane, word: int, count: int, instruction: Instruction) -> int:
    """Return an mbarrier after arrivals.

    Raises:
        KernelError: Fewer arrivals are pending.
    """
    if not 0 < count <= word >> PENDING & ARRIVALS:
        undefined(
            lane,
            instruction,
            f"arrives {count} times at an mbarrier with {word >> PENDING & ARRIVALS} pending arrivals",
        )
    return word - (count << PENDING)


def deliver(frame: Frame, address: int, instruction: Instruction) -> None:
    """Make the copies that an mbarrier tracks, and count their arrivals."""
    block, shared = frame.lane.block, frame.shared
    for one in [one for one in block.arriving if one.address == address]:
        block.arriving.remove(one)
        for each in one.copies:
            each.make(one.lane)
        word = loaded(one.lane, shared, address, instruction)
        put(block, shared, address, word, one.change(word, instruction))


ARRIVES = "arrive", "arrive_drop"


def barrier(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> Callable[[Frame], bool]:
    """Return the meaning of mbarrier; a waiting thread lets other threads continue."""
    what = row.take("init", "inval", "expect_tx", "complete_tx", *ARRIVES, "test_wait", "try_wait", "pending_count")
    operands = list(instruction.operands)
    if what == "pending_count":
        row.type("b64")
        (target,), state = lowering.results(operands[0]), lowering.slot(operands[1], "b64")

        def count(frame: Frame) -> bool:
            frame.at = following
            frame.slots[target] = frame.slots[state] >> PENDING & ARRIVALS
            return GO

        return count
    if what in {"test_wait", "try_wait"}:
        return waited(lowering, instruction, row, following)
    how = (row.take("expect_tx", "noComplete") or "arrive") if what in ARRIVES else what
    results = lowering.results(operands.pop(0)) if what in ARRIVES else []
    place = barrier_place(lowering, operands.pop(0), row, remote=what not in {"init", "inval"})
    slot = lowering.slot(operands.pop(0), "u32") if operands else None

    def act(frame: Frame) -> bool:
        frame.at = following
        slots, lane = frame.slots, frame.lane
        shared, address = place(slots)
        number = 1 if slot is None else slots[slot]
        if how == "init" and not 0 < number <= ARRIVALS:
            undefined(lane, instruction, f"initialises an mbarrier for {number} arrivals")
        if how in {"init", "inval"}:
            fresh = 1 << VALID | number << EXPECTED | number << PENDING if how == "init" else 0
            shared.store(address, SIZE, fresh)
            return GO
        word = loaded(lane, shared, address, instruction)
        for result in results:
            slots[result] = word
        put(lane.block, shared, address, word, changed(lane, instruction, word, what, how, number))
        return GO

    return act


def changed(lane: Lane, instruction: Instruction, word: int, what: str, how: str, number: int) -> int:
    """Return an mbarrier after an operation.

    Args:
        lane: The thread.
        instruction: The instruction.
        word: The mbarrier.
        what: The operation.
        how: What more it does, or the operation.
        number: Its number: of arrivals or bytes.
    """
    if how == "complete_tx":
        return settled(expecting(word, -number))
    if how == "expect_tx":
        word = expecting(word, number)
        number = 1
    if what not in ARRIVES:
        return word
    word = arriving(lane, word, number, instruction)
    if what == "arrive_drop":
        word -= number << EXPECTED
    if how != "noComplete":
        return settled(word)
    if not word >> PENDING & ARRIVALS:
        undefined(lane, instruction, "completes a phase")
    return word


def waited(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> Callable[[Frame], bool]:
    """Return the meaning of mbarrier.test_wait or try_wait."""
    parity = row.flag("parity")
    operands = instruction.operands
    (target,) = lowering.results(operands[0])
    place = barrier_place(lowering, operands[1], row)
    state = lowering.slot(operands[2], "u32" if parity else "b64")

    def act(frame: Frame) -> bool:
        frame.at = following
        slots = frame.slots
        shared, address = place(slots)
        deliver(frame, address, instruction)
        word = loaded(frame.lane, shared, address, instruction)
        asked = slots[state] if parity else slots[state] >> PHASE
        done = (word >> PHASE ^ asked) & 1
        slots[target] = done
        return GO if done else STOP

    return act
