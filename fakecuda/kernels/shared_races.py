"""Races in shared memory: unordered accesses of two threads, one of them a write.

Time is a number of the block. A barrier begins a new epoch of the block, ``bar.warp.sync`` a new phase of a warp. What could
order threads in another way begins an epoch, too, so that no order is missed. For each grain of shared memory and each way to
use it, two stamps are kept: of the highest and of the lowest thread that has used it so in the latest epoch. No third thread
matters: if any thread of another warp has used it, one of the two is of another warp. Inside a warp, stamps of the latest phase
serve in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from fakecuda.kernels.spaces import POLLS, READS, UPDATES, WRITES, Flat
from fakecuda.kernels.threads import WARP
from fakecuda.model.code.kernel_run import SharedRace

if TYPE_CHECKING:
    from fakecuda.kernels.grid import Grid
    from fakecuda.kernels.program import Instruction, Variable
    from fakecuda.kernels.threads import Lane

SITE, THREAD = 20, 10
"""The bits of an instruction number and a thread number in a stamp."""
STEP = 1 << SITE + THREAD
"""The increment of time in a stamp."""
LOW, SITES, LAST = STEP - 1, (1 << SITE) - 1, (1 << THREAD) - 1
PENDING = (1 << 63) - STEP
"""The time of an asynchronous copy that no wait has completed."""
CONFLICTS = {
    READS: (WRITES, UPDATES),
    WRITES: (WRITES, READS, UPDATES, POLLS),
    UPDATES: (WRITES, READS),
    POLLS: (WRITES,),
}
"""For each kind of use, the earlier uses that need an order with it."""
WORDS = {READS: "reads", WRITES: "writes", UPDATES: "changes", POLLS: "reads"}
MISSING = "an order: a barrier of the block, or of the warp, between the two accesses"
WAIT = "a wait of the copying thread for its copy (cp.async.wait_group), and a barrier behind it"


@define(eq=False)
class Watch:
    """The instructions of a kernel that access shared memory.

    Attributes:
        sites: The instructions that may use shared memory, by number.
        grain: The most bytes that each access is a multiple of.
        strong: Whether an access is an atomic operation or another strong one.
        phased: Whether threads of a warp synchronise.
        copies: Whether there are asynchronous copies.
    """

    sites: dict[Instruction, int] = field(factory=dict)
    grain: int = 16
    strong: bool = False
    phased: bool = False
    copies: bool = False

    def add(self, instruction: Instruction, size: int) -> int:
        """Add an instruction with an access size, and return its number."""
        while size % self.grain:
            self.grain //= 2
        return self.sites.setdefault(instruction, len(self.sites))


@frozen
class Party:
    """An access of a race: thread number, instruction number, kind of use."""

    thread: int
    site: int
    use: int


def race_of(
    grid: Grid, block: tuple[int, ...], address: int, parties: tuple[Party, Party], *, pending: bool
) -> SharedRace:
    """Return a race in the form of reports.

    Args:
        grid: The launch.
        block: The block.
        address: Where the bytes begin in shared memory.
        parties: The earlier and the later access.
        pending: Whether the earlier one is an asynchronous copy that its thread has not waited for.
    """
    watch = grid.watch
    assert watch is not None
    instructions = list(watch.sites)
    earlier, later = [_told(grid, one, instructions[one.site]) for one in parties]
    memory = f"{watch.grain} bytes at {_place(grid.shared_variables, address)}"
    return SharedRace(block, memory, earlier, later, WAIT if pending else MISSING)


def _told(grid: Grid, party: Party, instruction: Instruction) -> str:
    x, y, _ = grid.block
    thread = party.thread % x, party.thread // x % y, party.thread // (x * y)
    place = grid.program.place(instruction)
    where = f"line {instruction.line} of the PTX{f', {place}' if place else ''}"
    return f"thread {thread} {WORDS[party.use]} them at {where}: {instruction.text}"


def _place(variables: dict[Variable, int], address: int) -> str:
    """Return a shared memory address as a variable and an offset."""
    variable, start = max([one for one in variables.items() if one[1] <= address], key=lambda one: one[1])
    return f"byte {address - start} of {variable.name} in shared memory"


class BlockRaces:
    """The accesses of a block's threads to shared memory.

    Args:
        grid: The launch.
        index: The block.
    """

    def __init__(self, grid: Grid, index: tuple[int, int, int]) -> None:
        assert grid.watch is not None
        self.grid, self.index, self.watch = grid, index, grid.watch
        self.time = self.epoch = STEP
        self.phases: dict[int, int] = {}
        self.cells: dict[int, list[list[int]]] = {}

    def order(self) -> None:
        """Order all earlier work of the block before all later work."""
        self.time += STEP
        self.epoch = self.time

    def order_warp(self, warp: int) -> None:
        """Order all earlier work of a warp before all its later work."""
        self.time += STEP
        self.phases[warp] = self.time

    def note(self, thread: int, site: int, use: int, address: int, size: int, same: bytes = b"") -> None:
        """Note an access, and a race if it makes one.

        Args:
            thread: The number of the thread in the block.
            site: The number of the instruction.
            use: How it uses memory.
            address: Its first byte.
            size: Its bytes.
            same: For each of its bytes, whether a write leaves it as it is. Empty if that does not matter.
        """
        grain = self.watch.grain
        for start in range(0, size, grain):
            uses = self._cell(address + start)
            for other in CONFLICTS[use]:
                if use == other == WRITES and same and all(same[start : start + grain]):
                    continue  # the same value
                self._judge(uses[other], other, thread, site, use, address + start)
            self._stamp(uses[use], thread, site, max(self.epoch, self.phases.get(thread // WARP, 0)))

    def begin(self, thread: int, site: int, address: int, size: int) -> None:
        """Note the beginning of an asynchronous copy's write."""
        self.note(thread, site, WRITES, address, size)
        for start in range(0, size, self.watch.grain):
            held = self._cell(address + start)[WRITES]
            held[:] = [PENDING | thread << SITE | site, PENDING | (LAST - thread) << SITE | site] * 2

    def end(self, address: int, size: int) -> None:
        """Note the end of an asynchronous copy's write."""
        for start in range(0, size, self.watch.grain):
            held = self._cell(address + start)[WRITES]
            held[:] = [
                time | one & LOW for one, time in zip(held, (self.epoch, self.epoch, self.time, self.time), strict=True)
            ]

    def _cell(self, address: int) -> list[list[int]]:
        """Return the stamps of a grain by kind of use."""
        return self.cells.setdefault(address // self.watch.grain, [[0] * 4 for _ in CONFLICTS])

    def _stamp(self, held: list[int], thread: int, site: int, phase: int) -> None:
        high, low = thread << SITE | site, (LAST - thread) << SITE | site
        held[:] = map(max, held, (self.epoch | high, self.epoch | low, phase | high, phase | low))

    def _judge(self, held: list[int], other: int, thread: int, site: int, use: int, address: int) -> None:
        """Note a race with an earlier access, unless a race is noted already."""
        found = self._conflict(held, thread)
        if found is not None and self.grid.race is None:
            stamp, number = found
            parties = Party(number, stamp & SITES, other), Party(thread, site, use)
            self.grid.race = race_of(self.grid, self.index, address, parties, pending=stamp >= PENDING)

    def _conflict(self, held: list[int], thread: int) -> tuple[int, int] | None:
        """Return an unordered stamp and its thread."""
        phased, warp = self.watch.phased, thread // WARP
        begin = self.epoch, self.epoch, *[max(self.epoch, self.phases.get(warp, 0))] * 2
        for number, stamp in enumerate(held if phased else held[:2]):
            other = stamp >> SITE & LAST
            other = LAST - other if number % 2 else other
            apart = other // WARP != warp
            if stamp >= PENDING or (
                stamp >= begin[number] and other != thread and (not phased or apart == (number < 2))  # noqa: PLR2004
            ):
                return stamp, other
        return None


@define(eq=False)
class Shared(Flat):
    """Watched shared memory of a block.

    Attributes:
        races: What the threads have done to it.
        lane: The thread that executes an instruction that is watched. None meanwhile.
        site: The number of the instruction.
    """

    races: BlockRaces
    lane: Lane | None = None
    site: int = 0

    def begin(self, lane: Lane, site: int) -> None:
        """Begin an instruction of a thread."""
        self.lane, self.site = lane, site

    def _note(self, use: int, address: int, size: int, same: Any = b"") -> None:
        if self.lane is not None:
            self.races.note(self.lane.number, self.site, use, address, size, same)

    def load(self, address: int, size: int) -> int:
        """Return the bytes at an address as an integer."""
        value = Flat.load(self, address, size)
        self._note(READS, address, size)
        return value

    def front(self, address: int, size: int, spare: int) -> int:
        """Return the bytes of a vector, without unused bytes at its end."""
        value = Flat.front(self, address, size, spare)
        self._note(READS, address, size - spare)
        return value

    def store(self, address: int, size: int, value: int) -> None:
        """Write the bytes of an integer."""
        self.check(address, size)
        data = value.to_bytes(size, "little")
        same = bytes(a == b for a, b in zip(self.data[address : address + size], data, strict=True))
        self._note(WRITES, address, size, same)
        self.data[address : address + size] = data

    def change(self, address: int, size: int, value: int) -> None:
        """Write the result of an atomic operation or a strong store."""
        Flat.store(self, address, size, value)
        self._note(UPDATES, address, size)

    def poll(self, address: int, size: int) -> int:
        """Return the value that a strong load reads."""
        value = Flat.load(self, address, size)
        self._note(POLLS, address, size)
        return value

    def peek(self, address: int, size: int) -> int:
        """Return the value that an atomic operation reads."""
        return Flat.load(self, address, size)
