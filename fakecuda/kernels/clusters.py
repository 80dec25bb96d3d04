"""Clusters: blocks that run together and access each other's shared memory.

Sections 2.2.2, 5.1.7, 9.7.9.23 and 9.7.13.3 of the PTX ISA manual. An address in shared memory has the rank of its block in the
cluster above its lowest ``RANK`` bits, if a program has instructions that lead to other blocks. A launch without a cluster has
clusters of one block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.errors import KernelError
from fakecuda.kernels.blocks import Block, places_of
from fakecuda.kernels.logic import ADDRESS
from fakecuda.kernels.program import RANK, Special
from fakecuda.kernels.spaces import Fault
from fakecuda.kernels.special import RANK_REGISTER
from fakecuda.kernels.threads import GO, STOP, Undefined
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.kernels.grid import Grid
    from fakecuda.kernels.program import Instruction, Operand
    from fakecuda.kernels.row import Row
    from fakecuda.kernels.spaces import Flat
    from fakecuda.kernels.threads import Frame, Lane
    from fakecuda.model.code.kernels import Dim

ONE = (1, 1, 1)
"""The cluster of a launch without a cluster size."""
OWN = frozenset({".shared", ".shared::cta"})
"""Modifiers that select the block's own shared memory."""


def members(size: Dim, cluster: Dim) -> Iterator[list[Dim]]:
    """Yield the block indices of each cluster of a grid, by rank."""
    inside = places_of(cluster)
    counts = size[0] // cluster[0], size[1] // cluster[1], size[2] // cluster[2]
    for x, y, z in places_of(counts):
        first = x * cluster[0], y * cluster[1], z * cluster[2]
        yield [(first[0] + i, first[1] + j, first[2] + k) for i, j, k in inside]


class Cluster:
    """The blocks of a cluster.

    Args:
        grid: The launch.
        indices: The places of its blocks in the grid, by rank.

    Attributes:
        blocks: The blocks by rank.
        live: How many threads have not ended.
        phase: How often its barrier has completed.
        arrived: How many threads have arrived at its barrier in this phase, and have not ended.
        arrivals: The phases in which threads have arrived that have not waited since.
        waiting: The threads that wait at the barrier.
    """

    def __init__(self, grid: Grid, indices: list[Dim]) -> None:
        self.grid = grid
        self.blocks = [Block(grid, index, self, rank) for rank, index in enumerate(indices)]
        self.live = sum(block.live for block in self.blocks)
        self.phase = self.arrived = 0
        self.arrivals: dict[Lane, int] = {}
        self.waiting: list[Lane] = []

    @property
    def left(self) -> list[Block]:
        """The blocks of the cluster that have not ended."""
        return [block for block in self.blocks if block.live]

    def turn(self, budget: int) -> bool:
        """Give each block a turn; return whether a thread used its whole budget.

        Raises:
            KernelError: No thread can go on.
        """
        blocks = self.left
        busy = [block.turn(budget) for block in blocks]
        if self.live and not any(block.ran for block in blocks):
            what = f"block {blocks[0].index}"
            raise KernelError(self.grid.told(waits_for_ever(what, len(self.blocks)), blocks))
        return any(busy)

    def reach(self, block: Block, address: int) -> tuple[Flat, int]:
        """Return the shared memory space of an address, and the offset there.

        Raises:
            Fault: The cluster has no such block.
            Undefined: The memory's block has not begun, or it has ended.
        """
        rank, place = address >> RANK, address & (1 << RANK) - 1
        if rank == block.rank:
            return block.shared, place
        if rank >= len(self.blocks):
            raise no_block(rank)
        other = self.blocks[rank]
        if not other.begun or not other.live:
            how = "has ended" if other.begun else "has not begun"
            msg = f"uses shared memory of block {other.index}, which {how}, so that its shared memory need not exist"
            raise Undefined(msg)
        return other.shared, place

    def arrive(self, lane: Lane) -> bool:
        """Have a thread arrive at the cluster's barrier.

        Raises:
            Undefined: It has arrived in this phase.
        """
        if self.arrivals.get(lane) == self.phase:
            msg = "arrives again at the barrier of its cluster before the barrier completes"
            raise Undefined(msg)
        self.arrivals[lane] = self.phase
        self.arrived += 1
        self._complete()
        return GO

    def wait(self, lane: Lane, instruction: Instruction) -> bool:
        """Have a thread wait for the barrier phase in which it has arrived."""
        if self.arrivals.pop(lane, self.phase) != self.phase:
            return GO
        self.waiting.append(lane)
        lane.waits = instruction
        return STOP

    def ended(self, lane: Lane) -> None:
        """Note that a thread has ended, so that the barrier does not wait for it."""
        self.live -= 1
        self.arrived -= self.arrivals.pop(lane, -1) == self.phase
        self._complete()

    def _complete(self) -> None:
        """Complete the barrier phase if all threads have arrived."""
        if not 0 < self.arrived == self.live:
            return
        self.phase += 1
        self.arrived = 0
        for lane in self.waiting:
            lane.waits = None
        self.waiting.clear()


def waits_for_ever(block: str, count: int) -> str:
    """Return the error text about a block or a cluster that cannot continue."""
    return f"{block} waits for ever" if count == 1 else f"the cluster of {block} waits for ever"


def operands_of(instruction: Instruction, *, clustered: bool) -> tuple[Operand, ...]:
    """Return the operands of an instruction, with the block's rank if needed."""
    if clustered and instruction.name == "isspacep" and not OWN.isdisjoint(instruction.modifiers):
        return (*instruction.operands, Special(RANK_REGISTER))
    return instruction.operands


def no_block(rank: int) -> Fault:
    """Return the fault of an address with a rank outside the cluster."""
    what = f"uses shared memory of a block of rank {rank}, which its cluster does not have"
    return Fault(Result.LAUNCH_FAILED, what)


def not_own() -> Fault:
    """Return the fault of another block's address in a ``.shared::cta`` instruction."""
    return Fault(Result.ILLEGAL_INSTRUCTION, "uses shared memory of another block by an instruction of .shared::cta")


def own(slot: int, offset: int) -> Callable[[list[Any]], tuple[Flat, int]]:
    """Return a function of slots for an offset in the block's own shared memory."""

    def place(slots: list[Any]) -> tuple[Flat, int]:
        block = slots[0].lane.block
        address = slots[slot] + offset - block.base & ADDRESS
        if address >> RANK:
            raise not_own()
        return block.shared, address

    return place


def barrier(instruction: Instruction, row: Row, following: int) -> Callable[[Frame], bool]:
    """Return the meaning of barrier.cluster, without memory orders."""
    waits = row.take("arrive", "wait") == "wait"
    row.take("release", "relaxed", "acquire")

    def end(frame: Frame) -> bool:
        frame.at = following
        lane = frame.lane
        cluster = lane.block.cluster
        return cluster.wait(lane, instruction) if waits else cluster.arrive(lane)

    return end
