"""The meaning of warp operations: shfl, vote, match, redux and others.

The threads of the mask meet, and the last one gives each its result. A lane that has ended, or that is not in the mask, has no
value: a shuffle that reads it returns the reader's own value, and nothing else counts it.
"""

from __future__ import annotations

from functools import reduce as fold
from typing import TYPE_CHECKING, Any

from fakecuda.kernels.integers import signed
from fakecuda.kernels.logic import LOGIC
from fakecuda.kernels.program import SINK

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.blocks import Settle
    from fakecuda.kernels.lower import Lowering
    from fakecuda.kernels.program import Instruction
    from fakecuda.kernels.row import Row
    from fakecuda.kernels.threads import Frame, Lane

WORD = 0xFFFFFFFF
LANES = 31
"""The largest lane number."""


def meeting(
    instruction: Instruction, following: int, mask: int, bring: Callable[[list[Any]], Any], settle: Settle
) -> Callable[[Frame], bool]:
    """Return an end of a piece at which the threads of a mask meet.

    Args:
        instruction: The instruction.
        following: The piece that comes next.
        mask: The slot of the mask.
        bring: Returns what a thread brings, of its slots.
        settle: Gives each thread its result.
    """

    def end(frame: Frame) -> bool:
        frame.at = following
        lane, slots = frame.lane, frame.slots
        return lane.block.meet(lane, instruction, slots[mask], bring(slots), settle)

    return end


def sync(lowering: Lowering, instruction: Instruction, _row: Row, following: int) -> Callable[[Frame], bool]:
    """Return the meaning of bar.warp.sync."""
    mask = lowering.slot(instruction.operands[0], "u32")
    if lowering.kernel.watch is not None:
        lowering.kernel.watch.phased = True
    return meeting(instruction, following, mask, lambda _slots: None, _synced)


def _synced(lanes: dict[Lane, Any]) -> None:
    lane = next(iter(lanes))
    if lane.block.races is not None:
        lane.block.races.order_warp(lane.warp)


def shuffle(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> Callable[[Frame], bool]:
    """Return the meaning of shfl.sync."""
    lowering.must(row, "sync")
    mode = row.take("up", "down", "bfly", "idx")
    type_ = row.type("b32")
    target, valid = [*lowering.results(instruction.operands[0]), SINK][:2]
    value, other, limits, mask = (lowering.slot(one, type_) for one in instruction.operands[1:])

    def settle(lanes: dict[Lane, Any]) -> None:
        values = {lane.lane: brought[0] for lane, brought in lanes.items()}
        for lane, (own, by, clamp) in lanes.items():
            number, segment = lane.lane, clamp >> 8 & LANES
            least = number & segment
            most = least | (clamp & LANES & ~segment)
            low = by & LANES
            source = {"up": number - low, "down": number + low, "bfly": number ^ low, "idx": least | low & ~segment}[
                mode
            ]
            inside = source >= most if mode == "up" else source <= most
            slots = lane.frame.slots
            slots[target] = values.get(source, own) if inside else own
            slots[valid] = int(inside)

    return meeting(instruction, following, mask, lambda slots: (slots[value], slots[other], slots[limits]), settle)


def vote(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> Callable[[Frame], bool]:
    """Return the meaning of vote.sync."""
    lowering.must(row, "sync")
    mode = row.take("all", "any", "uni", "ballot")
    row.type()
    (target,) = lowering.results(instruction.operands[0])
    value, mask = lowering.predicate(instruction.operands[1]), lowering.slot(instruction.operands[2], "u32")

    def settle(lanes: dict[Lane, Any]) -> None:
        ballot = sum(brought << lane.lane for lane, brought in lanes.items())
        held = set(lanes.values())
        answer = {"all": held == {1}, "any": 1 in held, "uni": len(held) == 1, "ballot": ballot}[mode]
        for lane in lanes:
            lane.frame.slots[target] = int(answer)

    return meeting(instruction, following, mask, value, settle)


def match(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> Callable[[Frame], bool]:
    """Return the meaning of match.sync."""
    lowering.must(row, "sync")
    every, type_ = row.take("any", "all") == "all", row.type()
    target, holds = [*lowering.results(instruction.operands[0]), SINK][:2]
    value, mask = lowering.slot(instruction.operands[1], type_), lowering.slot(instruction.operands[2], "u32")

    def settle(lanes: dict[Lane, Any]) -> None:
        masks: dict[int, int] = {}
        for lane, brought in lanes.items():
            masks[brought] = masks.get(brought, 0) | 1 << lane.lane
        for lane, brought in lanes.items():
            slots = lane.frame.slots
            slots[target] = 0 if every and len(masks) > 1 else masks[brought]
            slots[holds] = int(len(masks) == 1)

    return meeting(instruction, following, mask, lambda slots: slots[value], settle)


def reduce(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> Callable[[Frame], bool]:
    """Return the meaning of redux.sync."""
    lowering.must(row, "sync")
    how, type_ = row.take("add", "min", "max", *LOGIC), row.type("u32", "s32", "b32")
    (target,) = lowering.results(instruction.operands[0])
    value, mask = lowering.slot(instruction.operands[1], type_), lowering.slot(instruction.operands[2], "u32")
    functions: dict[str, Callable[[Any], int]] = {"add": sum, "min": min, "max": max}

    def settle(lanes: dict[Lane, Any]) -> None:
        values = [signed(one, 32) if type_ == "s32" else one for one in lanes.values()]
        found = fold(LOGIC[how], values) if how in LOGIC else functions[how](values)
        for lane in lanes:
            lane.frame.slots[target] = found & WORD

    return meeting(instruction, following, mask, lambda slots: slots[value], settle)


def elect(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> Callable[[Frame], bool]:
    """Return the meaning of elect.sync: the lowest lane leads."""
    lowering.must(row, "sync")
    target, leads = lowering.results(instruction.operands[0])
    mask = lowering.slot(instruction.operands[1], "u32")

    def settle(lanes: dict[Lane, Any]) -> None:
        leader = min(lane.lane for lane in lanes)
        for lane in lanes:
            lane.frame.slots[target] = leader
            lane.frame.slots[leads] = int(lane.lane == leader)

    return meeting(instruction, following, mask, lambda _slots: None, settle)


def active(lowering: Lowering, instruction: Instruction, row: Row, following: int) -> Callable[[Frame], bool]:
    """Return the meaning of activemask, which waits for all other threads."""
    row.type("b32")
    (target,) = lowering.results(instruction.operands[0])

    def settle(lanes: dict[Lane, Any]) -> None:
        mask = sum(1 << lane.lane for lane in lanes)
        for lane in lanes:
            lane.frame.slots[target] = mask

    def end(frame: Frame) -> bool:
        frame.at = following
        return frame.lane.block.converge(frame.lane, instruction, settle)

    return end
