"""A launch of a compiled kernel, in the block order of the reference."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from attrs import define, frozen

from fakecuda.errors import KernelError
from fakecuda.kernels import control
from fakecuda.kernels.beside import LONG, OFTEN, SHORT
from fakecuda.kernels.clusters import OWN, members, no_block, not_own, waits_for_ever
from fakecuda.kernels.compiled import asked, layout, listed, shared_races, stamps
from fakecuda.kernels.compiled.arenas import ALIGNED, Arena, arenas
from fakecuda.kernels.compiled.layout import Block, Launch, Site, Space, Status, Thread
from fakecuda.kernels.compiled.private import Mixed, Unknown
from fakecuda.kernels.grid import Grid
from fakecuda.kernels.program import RANK
from fakecuda.kernels.spaces import Fault, Flat, GlobalMemory
from fakecuda.kernels.threads import WARP, Undefined
from fakecuda.model.memory.space import READ, WRITE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fakecuda.kernels.beside import Beside
    from fakecuda.kernels.compiled.engine import Native
    from fakecuda.kernels.compiled.private import Part, PrivateRun
    from fakecuda.kernels.program import Instruction
    from fakecuda.model.code.kernels import Config, Dim
    from fakecuda.model.code.module import Function

FIND = ctypes.PYFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * 3)
ASK = ctypes.PYFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * 7)
FUEL, MASK, TABLE, COUNT = map(int, (Launch.FUEL, Launch.MASK, Launch.TABLE, Launch.COUNT))
SPENT, STATUS, BUSY, MIXED, RACED = map(int, (Launch.SPENT, Launch.STATUS, Launch.BUSY, Launch.MIXED, Launch.RACED))
DONE, FAULT = int(Status.DONE), int(Status.FAULT)
"""As numbers, which take less time."""
SLICE = 1 << 24
"""How many instructions native code executes at most before it returns, so that Ctrl-C and other threads of Python come in between."""
SPARE = 1 << 18
"""The most bytes of blocks that the next launch of the same configuration gets."""


@frozen(eq=False)
class StandingLane:
    """A thread's position, for reports.

    Attributes:
        block: Its block.
        place: Its place in the block's three dimensions.
        done: Whether it has ended.
        waits: The instruction that it waits at. None while it can go on.
        stands: The instruction that it waits at, or comes to next.
    """

    block: StandingBlock
    place: tuple[int, int, int]
    done: bool
    waits: Instruction | None
    stands: Instruction


@define(eq=False)
class StandingBlock:
    """A block's position, for reports.

    Attributes:
        grid: The launch.
        index: Its place in the grid.
        lanes: Its threads.
    """

    grid: CompiledGrid
    index: tuple[int, int, int]
    lanes: list[StandingLane]


class CompiledGrid(Grid):
    """A launch, and after that another one with the same configuration.

    Args:
        native: The compiled kernel.
        function: The kernel as the model has it.
        config: How it is launched.
        args: The bytes of each parameter.
        run: What it reads and writes.
        fuel: How many instructions it may execute.

    Attributes:
        native: The compiled kernel.
        config: How it is launched.
        words: The launch as native code finds it.
        listed: The texture objects that it has used. None without any.
        beside: What lets other threads make their calls meanwhile. None if they may not.
    """

    def __init__(
        self, native: Native, function: Function, config: Config, args: tuple[bytes, ...], run: PrivateRun, fuel: int
    ) -> None:
        super().__init__(native.kernel, function, config, args, run, fuel)
        self.native, self.config = native, config
        self.threads = self.block[0] * self.block[1] * self.block[2]
        self.lanes = -(-(layout.HEAD + self.shared) // ALIGNED) * ALIGNED
        self.shadow = -(-(self.lanes + self.threads * native.stride) // ALIGNED) * ALIGNED
        self.stamps = stamps.room_of(self.watch, self.shared)
        self.stride = -(-(self.shadow + self.stamps) // ALIGNED) * ALIGNED
        self.words = (ctypes.c_uint64 * len(Launch))()
        self._address, self._words = ctypes.addressof(self.words), memoryview(self.words).cast("B")
        variables = function.module.variables
        symbols = [variables[one].start + offset & (1 << 64) - 1 for one, offset in native.symbols]
        self._symbols = (ctypes.c_uint64 * (len(symbols) + 1))(*symbols)
        self._sites = (ctypes.c_uint64 * (len(Site) * len(native.sites) + 1))()
        self._arguments = ctypes.create_string_buffer(len(self.arguments) + 1)
        self._find, self._ask = FIND(self._served_find), ASK(self._served_ask)
        self._spare: list[Arena] = []
        self.listed: listed.Listed | None = None
        self.beside: Beside | None = None
        self._set()
        self._fixed, self._seen = bytes(self.words), memoryview(self._sites).cast("B")
        self._start(run)

    def begin(self, args: tuple[bytes, ...], run: PrivateRun, fuel: int) -> None:
        """Begin another launch; arguments as for the first one."""
        self._take(args, run, fuel)
        self._words[:] = self._fixed
        self._seen[:] = bytes(len(self._seen))
        if self.workspace is not None:
            self.workspace.data[:] = bytes(len(self.workspace.data))
        self._start(run)

    def _start(self, run: PrivateRun) -> None:
        """Show native code what this launch does not share with another one."""
        words = self.words
        self.private = run.memory
        self.listed = self.beside = None
        self._last, self._due = 0, LONG
        self._arguments.raw = self.arguments
        words[MASK] = 0 if self.native.mixed else (1 << 64) - 1
        words[TABLE], words[COUNT] = ctypes.addressof(self.private.table), len(self.private.parts)

    def _set(self) -> None:
        """Write the words that launches of the same configuration share."""
        address = ctypes.addressof
        fields = {
            Launch.ARGUMENTS: address(self._arguments),
            Launch.SHARED: self.shared,
            Launch.THREADS: self.threads,
            Launch.LANES: self.lanes,
            Launch.MULTIPROCESSORS: self.multiprocessors,
            Launch.DYNAMIC: self.dynamic,
            Launch.SYMBOLS: address(self._symbols),
            Launch.SITES: address(self._sites),
            Launch.ACCESSES: len(self.native.sites),
            Launch.FIND: ctypes.cast(self._find, ctypes.c_void_p).value or 0,
            Launch.ASK: ctypes.cast(self._ask, ctypes.c_void_p).value or 0,
            Launch.MANY: self.many,
            Launch.STRIDE: self.stride,
            Launch.EXPLICIT: self.explicit,
            Launch.SHADOW: self.shadow,
            Launch.CELLS: max(self.stamps - stamps.PHASES, 0),
        }
        if self.workspace is not None and self.workspace.data:
            held = self.workspace.data
            fields |= {Launch.WORKSPACE: address(ctypes.c_char.from_buffer(held)), Launch.ROOM: len(held)}
        for number, value in fields.items():
            self.words[number] = value
        self.words[Launch.BLOCK_X : Launch.BLOCK_Z + 1] = list(self.block)
        self.words[Launch.GRID_X : Launch.GRID_Z + 1] = list(self.size)
        self.words[Launch.CLUSTER_X : Launch.CLUSTER_Z + 1] = list(self.cluster)

    def _served_find(self, *given: int) -> int:
        beside = self.beside
        return self.found(*given) if beside is None or beside.out is None else beside.within(self.found, *given)

    def _served_ask(self, *given: int) -> int:
        beside = self.beside
        return self._asked(*given) if beside is None or beside.out is None else beside.within(self._asked, *given)

    def found(self, address: int, size: int, need: int) -> int:
        """Return whether an access has memory now, and tell native code its place."""
        answer = self.private.find(address, size, need)
        self.words[Launch.TABLE] = ctypes.addressof(self.private.table)
        self.words[Launch.COUNT] = len(self.private.parts)
        return answer

    def hold(self, part: Part) -> tuple[Any, Any]:
        """Keep an allocation in one piece until the launch ends; return its texel marks."""
        ctypes.memset(self._sites, 0, ctypes.sizeof(self._sites))
        return part.hold()

    def _asked(self, number: int, count: int, lane: int, block: int, values: int, local: int, limit: int) -> int:
        """Serve a system function or instruction for a thread; return whether it is done."""
        given = (ctypes.c_uint64 * (count + 1)).from_address(values)[1:]
        try:
            words = (ctypes.c_uint64 * len(Block)).from_address(block)
            index, rank = tuple(words[Block.X : Block.Z + 1]), words[Block.RANK]
            frame = asked.AskingFrame(self, index, rank, self._place(lane), block + layout.HEAD, local, limit)
            if number < len(asked.FUNCTIONS):
                found = [asked.FUNCTIONS[number](frame, *given)]
            else:
                site = self.native.sites[number - len(asked.FUNCTIONS)]
                instruction = self.native.kernel.asked[site.instruction]
                found = instruction.act(frame, given)
                if instruction.geometry:
                    self.listed = self.listed or listed.Listed()
                    self.listed.add(frame, given[0])
                    self.words[Launch.TEXTURES] = ctypes.addressof(self.listed.table)
                    self.words[Launch.LISTED] = self.listed.count
            ctypes.memmove(values, (ctypes.c_uint64 * len(found))(*found), ctypes.sizeof(ctypes.c_uint64) * len(found))
        except Undefined:  # the reference says where the threads are
            self.private.error = Unknown()
            return 0
        except BaseException as error:  # noqa: BLE001 - native code has called; it is raised again
            self.private.error = error
            return 0
        return 1

    def run(self) -> None:
        """Execute all blocks.

        Raises:
            Fault: A thread does what ends the kernel with an error.
            KernelError: The kernel does not end.
            Mixed: The launch must begin again, with all stamps of its accesses to shared memory.
            Unknown: Only the reference can run this launch.
        """
        number, count = 0, self.size[0] * self.size[1] * self.size[2] // self.many
        later = members(self.size, self.cluster) if self.many > 1 else iter(())
        spare = self._spare or arenas(self.many, self.stride)
        if not self.stamps and self.many * self.stride <= SPARE:
            self._spare = spare
        resident: list[list[Arena]] = []
        busy, step = True, 1
        while resident or number < count:
            more = number < count and (not resident or (busy and self.has_room(len(resident))))
            before = sum(one.live for group in resident for one in group) if resident else 0
            turns = [self._turn(group, alone=len(resident) == 1 and not more) for group in resident]
            over = False
            if more:
                group = arenas(self.many, self.stride) if resident else spare
                if self.many > 1:
                    turns.append(self._begin(group, next(later)))
                else:
                    last = number + 1 if resident else min(number + step, count)
                    number = self._call(self.native.blocks, group[0], number, last)
                    step *= 2
                    over = self.words[STATUS] == DONE
                    turns.append(bool(self.words[BUSY]))
                number += not over
                before += self.many
                if over and not resident:
                    busy = False
                    self._spend(())
                    continue
                resident.append(group)
            live = [one for group in resident for one in group if one.live]
            busy = any(turns) and not over and len(live) == before
            resident = [group for group in resident if any(one.live for one in group)]
            self._spend(live)

    def _spend(self, live: Iterable[Arena]) -> None:
        """Count the executed instructions.

        Raises:
            KernelError: There are too many of them.
        """
        used: int = self.words[SPENT] - self.spent
        self.native.spend(used)
        self.spend(used)
        if self.spent > self.fuel:
            blocks: list[Any] = [self._standing(one) for one in live]
            raise self.endless(blocks)

    def _call(self, function: Any, arena: Arena, first: int, last: int) -> int:
        """Call native code.

        Raises:
            Fault: A thread does what ends the kernel with an error.
            Unknown: Only the reference can run this launch.
        """
        before = self.words[SPENT]
        self.words[FUEL] = min(self.fuel, before + SLICE)
        brief = self._last < SHORT
        if self.beside is None or before < (self._due if brief else LONG):
            found: int = function(self._address, arena.address, first, last)
        else:
            found = self.beside.step(function, self._address, arena.address, first, last, brief=brief)
            self._due = before + OFTEN
        self._last = self.words[SPENT] - before
        if self.words[MIXED] and not self.native.mixed:
            raise Mixed
        if self.words[RACED] and self.race is None:
            shared_races.found(self)
        if self.private.error is not None and not isinstance(self.private.error, Fault):
            raise self.private.error
        if self.words[STATUS] == FAULT:
            self._fail(arena)
        return found

    def _turn(self, group: list[Arena], *, alone: bool) -> bool:
        """Give each block of a cluster another turn; return whether a budget is used up.

        A block that is alone has turns until one of its threads has used all of its own: then another block may begin.
        """
        busy = ran = False
        blocks = [one for one in group if one.live]
        for one in blocks:
            self._call(self.native.again, one, int(alone and self.many == 1), 0)
            busy |= bool(self.words[Launch.BUSY])
            ran |= bool(self.words[Launch.RAN])
        if not ran and any(one.live for one in blocks):
            standing: list[Any] = [self._standing(one) for one in blocks]
            raise KernelError(self.told(waits_for_ever(f"block {standing[0].index}", self.many), standing))
        return busy

    def _begin(self, group: list[Arena], places: list[Dim]) -> bool:
        """Give each block of a new cluster a turn; return whether a budget is used up."""
        for rank, one in enumerate(group):
            one.words[Block.LIVE], one.words[Block.RANK], one.words[Block.FIRST] = 0, rank, group[0].address
        group[0].words[Block.ALIVE] = (
            self.many * self.threads
        )  # no thread has arrived, as all of the last cluster have ended
        busy = False
        for one, place in zip(group, places, strict=True):
            number = self.number_of(place)
            self._call(self.native.blocks, one, number, number + 1)
            busy |= bool(self.words[Launch.BUSY])
        return busy

    def _place(self, lane: int) -> tuple[int, int, int]:
        x, y, _ = self.block
        return lane % x, lane // x % y, lane // (x * y)

    def _standing(self, arena: Arena) -> StandingBlock:
        """Return a block's position for reports."""
        x, y, z = arena.words[Block.X : Block.Z + 1]
        block = StandingBlock(self, (x, y, z), [])
        for lane in range(self.threads):
            at = arena.address + self.lanes + lane * self.native.stride
            words = (ctypes.c_uint32 * len(Thread)).from_address(at)
            state = words[Thread.STATE]
            waits = self.native.waits[words[Thread.WAITS]] if state >= layout.WAITING else None
            piece = self.native.piece(0 if state == layout.ENDED else words[Thread.PIECE])
            stands = waits or piece.instructions[0]
            block.lanes.append(StandingLane(block, self._place(lane), state == layout.ENDED, waits, stands))
        return block

    def _fail(self, arena: Arena) -> None:
        """Raise the error that the reference raises for an access.

        Raises:
            Fault: Always, unless only the reference knows.
            KernelError: The thread is not in the mask of its operation.
            Unknown: Only the reference knows.
        """
        site = self.native.sites[self.words[Launch.SITE]]
        address, space = self.words[Launch.ADDRESS], self.words[Launch.SPACE]
        if space == Space.OUTSIDE:
            standing: Any = self._standing(arena)
            number = self.words[Launch.LANE]
            text = f"lane {number % WARP} executes {site.instruction.text} and is not in its mask {address:#010x}"
            raise KernelError(self.told(text, [standing], standing.lanes[number]))
        try:
            if space == Space.GLOBAL:
                access = READ if site.flags & layout.READABLE else WRITE
                GlobalMemory(self.private.run)._find(address, site.size, access, {}, site.spare)  # noqa: SLF001 - the check itself
            elif space == Space.SHARED and self.program.clustered and address >> RANK:
                raise not_own() if OWN.intersection(site.instruction.modifiers) else no_block(address >> RANK)
            elif space == Space.SHARED:
                Flat("shared", bytearray(self.shared)).check(address, site.size, site.spare)
            elif space == Space.WORKSPACE and self.workspace is not None:
                self.workspace.check(address, site.size, site.spare)
            elif space == Space.LOCAL:
                Flat("local", bytearray(self.words[Launch.LIMIT])).check(address, site.size, site.spare)
            elif space == Space.NOWHERE:
                control.trapped(site.instruction)
            elif space == Space.CODE:
                control.missed(address)
            elif space == Space.TARGET:
                control.strayed(address, site.targets)
            elif space == Space.ASKED and self.private.error is not None:
                raise self.private.error
        except Fault as fault:
            x, y, z = arena.words[Block.X : Block.Z + 1]
            block = StandingBlock(self, (x, y, z), [])
            lane: Any = StandingLane(block, self._place(self.words[Launch.LANE]), False, None, site.instruction)
            fault.lane, fault.instruction = lane, site.instruction
            raise
        raise Unknown
