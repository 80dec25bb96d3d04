"""Blocks of threads: shared memory, barriers, and warp operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.errors import KernelError
from fakecuda.kernels.program import RANK
from fakecuda.kernels.shared_races import BlockRaces, Shared
from fakecuda.kernels.spaces import Flat
from fakecuda.kernels.threads import GO, STOP, WARP, Lane

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fakecuda.kernels.clusters import Cluster
    from fakecuda.kernels.copies import Tracked
    from fakecuda.kernels.grid import Grid
    from fakecuda.kernels.program import Instruction
    from fakecuda.kernels.spaces import GlobalMemory
    from fakecuda.kernels.threads import Code
    from fakecuda.model.code.kernels import Dim

    Settle = Callable[[dict[Lane, Any]], None]

SHOWN = 8
"""The maximum number of thread groups in a report."""


@define(eq=False)
class Meeting:
    """Threads of a warp that execute an operation together.

    Attributes:
        mask: The lanes that take part.
        settle: Gives each thread its result, from what each has brought.
        lanes: The threads that are there, with what each has brought.
    """

    mask: int
    settle: Settle
    lanes: dict[Lane, Any] = field(factory=dict)


@define(eq=False)
class Barrier:
    """A barrier of a block.

    Attributes:
        count: How many threads it waits for. 0 for all that have not ended.
        arrived: How many have come that do not wait.
        lanes: The threads that wait, each with what it has brought and what gives it the result.
    """

    count: int
    arrived: int = 0
    lanes: dict[Lane, tuple[int, Callable[[int, int], None] | None]] = field(factory=dict)


def places_of(size: Dim) -> list[Dim]:
    """Return all 3D indices in the order of their linear numbers."""
    x, y, z = size
    return [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]


class Block:
    """A block of threads.

    Args:
        grid: The launch.
        index: The block's place in the grid.
        cluster: The block's cluster.
        rank: Its rank there.

    Attributes:
        base: The address of its shared memory.
        live: How many threads have not ended.
        begun: Whether a thread has executed an instruction.
        ran: Whether a thread has executed an instruction in the last turn.
        masks: The lanes of each warp that have not ended.
        races: What the threads have done to shared memory. None if nothing looks for races.
        arriving: Copies that mbarriers of the block track, in the order of their arrivals.
    """

    def __init__(self, grid: Grid, index: tuple[int, int, int], cluster: Cluster, rank: int) -> None:
        self.grid, self.index = grid, index
        self.cluster, self.rank = cluster, rank
        self.base = rank << RANK if grid.program.clustered else 0
        self.begun = self.ran = False
        self.memory: GlobalMemory = grid.seen()
        self.workspace: Flat | None = grid.workspace
        self.kernel: Code = grid.kernel
        self.arguments = grid.arguments
        self.templates = grid.templates(self.base)
        self.races = None if grid.watch is None else BlockRaces(grid, index)
        data = bytearray(grid.shared)
        self.shared = Flat("shared", data) if self.races is None else Shared("shared", data, self.races)
        self.barriers: dict[int, Barrier] = {}
        self.meetings: dict[tuple[int, Instruction, int], Meeting] = {}
        self.converging: dict[tuple[int, Instruction], Meeting] = {}
        self.arriving: list[Tracked] = []
        places = places_of(grid.block)
        self.live = len(places)
        self.masks = [(1 << min(self.live - first, WARP)) - 1 for first in range(0, self.live, WARP)]
        self.lanes = [Lane(self, number, place) for number, place in enumerate(places)]

    def turn(self, budget: int) -> bool:
        """Let each runnable thread execute; return whether one used its whole budget."""
        ran = busy = False
        self.begun = True
        for lane in self.lanes:
            if not lane.done and lane.waits is None:
                ran = True
                used = lane.run(budget)
                busy = busy or used >= budget
                self.grid.spend(used)
        if self.converging:
            self.converged()
        self.ran = ran
        return busy

    def converged(self) -> None:
        """Have the threads go on that wait for others to converge with them."""
        for meeting in self.converging.values():
            self._settle(meeting)
        self.converging.clear()

    def reach(self, address: int) -> tuple[Flat, int]:
        """Return the shared memory space of an address, and the offset there."""
        return self.cluster.reach(self, address) if self.grid.program.clustered else (self.shared, address)

    def meet(self, lane: Lane, instruction: Instruction, mask: int, value: Any, settle: Settle) -> bool:
        """Have a thread join a warp operation; the last thread of the mask settles it."""
        if not mask >> lane.lane & 1:
            text = f"lane {lane.lane} executes {instruction.text} and is not in its mask {mask:#010x}"
            raise KernelError(self.grid.told(text, [self], lane))
        key = lane.warp, instruction, mask
        meeting = self.meetings.setdefault(key, Meeting(mask, settle))
        meeting.lanes[lane] = value
        if self._missing(lane.warp, meeting):
            lane.waits = instruction
            return STOP
        del self.meetings[key]
        self._settle(meeting)
        return GO

    def converge(self, lane: Lane, instruction: Instruction, settle: Settle) -> bool:
        """Have a thread wait until no other thread can reach an earlier instruction."""
        self.converging.setdefault((lane.warp, instruction), Meeting(0, settle)).lanes[lane] = None
        lane.waits = instruction
        return STOP

    def _missing(self, warp: int, meeting: Meeting) -> int:
        """Return the missing lanes of an operation; ended lanes do not count."""
        missing = meeting.mask & self.masks[warp]
        for lane in meeting.lanes:
            missing &= ~(1 << lane.lane)
        return missing

    @staticmethod
    def _settle(meeting: Meeting) -> None:
        meeting.settle(meeting.lanes)
        for lane in meeting.lanes:
            lane.waits = None

    def arrive(self, number: int, count: int) -> bool:
        """Count a thread at a barrier without a wait."""
        barrier = self.barriers.setdefault(number, Barrier(count))
        barrier.arrived += 1
        self._release(number)
        return GO

    def wait(
        self,
        lane: Lane,
        instruction: Instruction,
        number: int,
        count: int,
        value: int = 0,
        give: Callable[[int, int], None] | None = None,
    ) -> bool:
        """Have a thread wait at a barrier.

        Args:
            lane: The thread.
            instruction: The instruction.
            number: The number of the barrier.
            count: How many threads it waits for. 0 for all.
            value: A predicate, which is counted.
            give: Called with how many predicates hold, and how many threads there are.
        """
        self.barriers.setdefault(number, Barrier(count)).lanes[lane] = value, give
        lane.waits = instruction
        self._release(number)
        return GO if lane.waits is None else STOP

    def _release(self, number: int) -> None:
        """Release the threads at a barrier if enough have arrived."""
        barrier = self.barriers[number]
        if len(barrier.lanes) + barrier.arrived < (barrier.count or self.live):
            return
        del self.barriers[number]
        if self.races is not None:
            self.races.order()
        holding = sum(value for value, _ in barrier.lanes.values())
        for lane, (_, give) in barrier.lanes.items():
            lane.waits = None
            if give is not None:
                give(holding, len(barrier.lanes))

    def ended(self, lane: Lane) -> None:
        """Note that a thread has ended, so that no wait counts on it."""
        self.live -= 1
        self.cluster.ended(lane)
        self.masks[lane.warp] &= ~(1 << lane.lane)
        for key, meeting in list(self.meetings.items()):
            if key[0] == lane.warp and not self._missing(lane.warp, meeting):
                del self.meetings[key]
                self._settle(meeting)
        for number, barrier in list(self.barriers.items()):
            if barrier.lanes:
                self._release(number)


def standing(blocks: Iterable[Block]) -> str:
    """Return where the threads of blocks are, largest groups first."""
    groups: dict[tuple[Instruction, bool], list[Lane]] = {}
    for block in blocks:
        for lane in block.lanes:
            if not lane.done:
                groups.setdefault((lane.stands, lane.waits is not None), []).append(lane)
    lines = []
    for (instruction, waits), lanes in sorted(groups.items(), key=lambda one: -len(one[1]))[:SHOWN]:
        first = lanes[0]
        program = first.block.grid.program
        place = program.place(instruction)
        lines.append(
            f"\n  {len(lanes)} of its threads {'wait at' if waits else 'come to'} line {instruction.line}"
            f"{f' ({place})' if place else ''}: {instruction.text}, the first is thread {first.place} of block "
            f"{first.block.index}"
        )
    return "".join(lines)
