"""The meaning of cp.async.bulk and cp.reduce.async.bulk, sections 9.7.9.25.4 and 9.7.9.27.2 of the PTX ISA manual.

A copy that an mbarrier tracks is made when a thread tests the mbarrier. A copy of a group is made when its thread waits for the
group, or ends. Addresses are checked when a copy begins. Hints about caches make no difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self

from attrs import evolve, frozen

from fakecuda.kernels import asynchronous
from fakecuda.kernels.access import BYTE, CLUSTER, changed, place_of
from fakecuda.kernels.asynchronous import SIZE as SIGNAL
from fakecuda.kernels.asynchronous import constant, expecting, loaded, settled, undefined
from fakecuda.kernels.copies import Tracked
from fakecuda.kernels.program import RANK
from fakecuda.kernels.row import bits_of
from fakecuda.kernels.spaces import Fault, Flat, misaligned
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.access import Op
    from fakecuda.kernels.lower import Lowering
    from fakecuda.kernels.program import Instruction
    from fakecuda.kernels.row import Row
    from fakecuda.kernels.threads import Lane

PIECE = 16
"""The granularity of sizes and addresses: bytes are copied in such pieces."""
SPACES = ("shared::cta", CLUSTER, "global")
HINT, MULTICAST, TRACKED = "L2::cache_hint", "multicast::cluster", "mbarrier::complete_tx::bytes"
BLOCKS = 16
"""The bits of a mask of blocks."""


def copy(lowering: Lowering, instruction: Instruction, row: Row) -> Op:
    """Return the meaning of cp."""
    if "bulk" not in row.words:
        return asynchronous.copy(lowering, instruction, row)
    reduces = row.flag("reduce")
    row.flag("async")
    row.flag("bulk")
    what = row.take("commit_group", "wait_group", "prefetch")
    if what == "commit_group":
        return lambda slots: slots[0].lane.bulk.commit()
    if what == "wait_group":
        row.flag("read")
        left = constant(instruction.operands[0])
        return lambda slots: slots[0].lane.bulk.wait(slots[0].lane, left)
    if what == "prefetch":
        row.words.clear()
        return lambda _slots: None
    return begun(lowering, instruction, row, reduces=reduces)


class Copied(Protocol):
    """A bulk copy that is not made yet.

    Attributes:
        target: The memory and the address that it writes.
        size: Its bytes.
    """

    @property
    def target(self) -> tuple[Any, int]:
        """The place that the copy writes."""

    @property
    def size(self) -> int:
        """The size of the copy in bytes."""

    def at(self, target: tuple[Any, int]) -> Self:
        """Return the same copy to another place."""

    def check(self) -> None:
        """Check the addresses in global memory, which count as used."""

    def make(self, lane: Lane) -> None:
        """Make the copy."""


@frozen(eq=False)
class Transfer:
    """A bulk copy between memories that is not made yet.

    Attributes:
        source: The memory and the address that it reads.
        target: The memory and the address that it writes.
        size: Its bytes.
        step: The bytes of what is read and written at once.
        function: What becomes of the target's and the source's elements. None for the source's.
    """

    source: tuple[Any, int]
    target: tuple[Any, int]
    size: int
    step: int
    function: Callable[[int, int], int] | None

    def make(self, _lane: Lane) -> None:
        """Make the copy."""
        (of, start), (to, at) = self.source, self.target
        for place in range(0, self.size, self.step):
            value = of.load(start + place, self.step)
            if self.function is None:
                to.store(at + place, self.step, value)
            else:
                to.change(at + place, self.step, self.function(to.peek(at + place, self.step), value))

    def at(self, target: tuple[Any, int]) -> Transfer:
        """Return the same copy to another place."""
        return evolve(self, target=target)

    def check(self) -> None:
        """Check the addresses in global memory, which count as used."""
        (of, start), (to, at) = self.source, self.target
        for place in range(0, self.size, PIECE):
            if not isinstance(of, Flat):
                of.load(start + place, PIECE)
            elif isinstance(to, Flat):
                return
            elif self.function is None:
                to.store(at + place, PIECE, to.peek(at + place, PIECE))
            else:
                to.change(at + place, PIECE, to.peek(at + place, PIECE))


def spaces(row: Row) -> tuple[str, str]:
    """Take the state spaces of target and source."""
    found = row.take(*SPACES), row.take(*SPACES)
    return found[0].removesuffix("::cta"), found[1].removesuffix("::cta")


def begun(lowering: Lowering, instruction: Instruction, row: Row, *, reduces: bool) -> Op:
    """Return the beginning of a bulk copy or reduction."""
    operands = list(instruction.operands)
    to, of = spaces(row)
    target, source = place_of(lowering, operands[0], to), place_of(lowering, operands[1], of)
    count = lowering.slot(operands[2], "u32")
    tracks, spreads = row.flag(TRACKED), row.flag(MULTICAST)
    row.flag("bulk_group")
    row.flag(HINT)
    barrier = place_of(lowering, operands[3], to) if tracks else None
    mask = lowering.slot(operands[4], "u16") if spreads else None
    function, step = None, PIECE
    if reduces:
        type_ = row.type()
        function, step = changed(row, type_), bits_of(type_) // BYTE

    def act(slots: list[Any]) -> None:
        lane, size = slots[0].lane, slots[count]
        made = Transfer(source(slots), target(slots), size, step, function)
        checked(lane, instruction, made)
        if barrier is None:
            made.check()
            lane.bulk.add(lane, made)
            return
        if of != "global" and made.target[0] is slots[0].shared:
            undefined(lane, instruction, "copies to the shared memory of its own block, which must be another one's")
        signal(lane, instruction, barrier(slots), made, None if mask is None else slots[mask])

    return act


def checked(lane: Lane, instruction: Instruction, made: Transfer) -> None:
    """Check the alignment of a bulk copy, and the size of shared memory.

    Raises:
        Fault: An address is not, as an H200 answers.
        KernelError: What the manual leaves undefined: an H200 completes such copies without a result.
    """
    start, at = made.source[1], made.target[1]
    if (start | at) % PIECE:
        what = f"copies from {start:#x} to {at:#x}: these addresses are not both multiples of {PIECE}"
        raise Fault(Result.MISALIGNED_ADDRESS, what)
    if made.size % PIECE:
        undefined(lane, instruction, f"copies {made.size} bytes, which is no multiple of {PIECE}")
    for memory, place in (made.source, made.target):
        if isinstance(memory, Flat) and place + made.size > len(memory.data):
            undefined(lane, instruction, f"uses {made.size} bytes at {place:#x}, beyond the shared memory of a block")


def signal(lane: Lane, instruction: Instruction, barrier: tuple[Any, int], made: Copied, mask: int | None) -> None:
    """Begin a copy that mbarriers track, to its target or to each block of a mask."""
    cluster, found = lane.block.cluster, []
    if mask is None:
        pairs = [(barrier, made.target)]
    else:
        ranks = [rank for rank in range(BLOCKS) if mask >> rank & 1]
        if ranks and ranks[-1] >= len(cluster.blocks):
            undefined(lane, instruction, f"copies to blocks {mask:#x} of a cluster of {len(cluster.blocks)}")
        pairs = [
            (
                cluster.reach(lane.block, rank << RANK | barrier[1]),
                cluster.reach(lane.block, rank << RANK | made.target[1]),
            )
            for rank in ranks
        ]
    for (memory, place), target in pairs:
        if place % SIGNAL:
            raise misaligned(SIGNAL, place, "shared")
        if place + SIGNAL > len(memory.data):
            undefined(lane, instruction, f"uses an mbarrier at {place:#x}, where none can lie")
        loaded(lane, memory, place, instruction)
        block = next(one for one in cluster.blocks if one.shared is memory)
        found.append((block, place, made.at(target)))
    made.check()
    for block, place, one in found:
        block.arriving.append(Tracked(place, lane, [one], lambda word, _: settled(expecting(word, -made.size))))
