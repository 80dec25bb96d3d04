"""A launch: its blocks run one after another, or together if they wait for others."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any

from fakecuda.errors import KernelError
from fakecuda.kernels.blocks import standing
from fakecuda.kernels.clusters import ONE, Cluster, members
from fakecuda.kernels.spaces import Fault, Flat, GlobalMemory
from fakecuda.model.memory.memory import Span
from fakecuda.model.os.interruption import deferred, stop_early

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fakecuda.kernels.blocks import Block
    from fakecuda.kernels.shared_races import Watch
    from fakecuda.kernels.threads import Kernel, Lane
    from fakecuda.model.code.kernel_run import Run, SharedRace
    from fakecuda.model.code.kernels import Config
    from fakecuda.model.code.module import Function
    from fakecuda.model.os.process import Process

TURN = 5000
"""The number of instructions in a thread's turn."""
MULTIPROCESSORS, THREADS, BLOCKS = 16, 39, 106
"""CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, _MAX_THREADS_PER_MULTIPROCESSOR and _MAX_BLOCKS_PER_MULTIPROCESSOR."""


WORKSPACE = 8
"""The size of a cooperative launch's workspace: two words of zeros."""


class Grid:
    """A launch of a kernel.

    Args:
        kernel: The kernel.
        function: The kernel as the model has it.
        config: How it is launched.
        args: The bytes of each parameter.
        run: What it reads and writes.
        fuel: How many instructions it may execute: :func:`fakecuda.kernels.launch.limit`.

    Attributes:
        memory: Global memory as the kernel sees it.
        cooperative: Whether all blocks run at once.
        explicit: Whether the launch has clusters.
        cluster: The blocks of a cluster in each dimension.
        many: The blocks of a cluster.
        workspace: Where cooperative groups count the blocks that have come; empty unless the launch is cooperative. None if
            the kernel does not ask for it.
        shared: Bytes of shared memory of a block.
        dynamic: Bytes of its dynamic shared memory.
        spent: How many instructions were executed.
        printed: The texts that the kernel has printed.
        watch: What the detector of races in shared memory knows of the kernel. None if nothing looks for them.
        shared_variables: Where each variable of shared memory begins.
        race: The first race in shared memory. None without any.
    """

    def __init__(
        self, kernel: Kernel, function: Function, config: Config, args: tuple[bytes, ...], run: Run, fuel: int
    ) -> None:
        self.program = kernel.program
        self.name = function.entry.name
        self.kernel = kernel.codes[self.name]
        self.size, self.block, self.dynamic = config.grid, config.block, config.shared
        self.shared = max([kernel.static, *kernel.shared.values()]) + self.dynamic
        self.cooperative, self.explicit = config.cooperative, config.cluster is not None
        self.cluster = config.cluster or ONE
        self.many = self.cluster[0] * self.cluster[1] * self.cluster[2]
        room = WORKSPACE if config.cooperative else 0
        self.workspace = Flat("workspace", bytearray(room)) if kernel.has_workspace else None
        self._whole, self._variables = kernel, function.module.variables
        self.watch: Watch | None = kernel.watch
        self.shared_variables = kernel.shared
        has = function.module.context.device.profile.attributes
        threads = self.block[0] * self.block[1] * self.block[2]
        self.multiprocessors = has[MULTIPROCESSORS]
        self.most = max(self.multiprocessors * min(has[BLOCKS], has[THREADS] // threads), 1)
        self._templates: dict[int, dict[str, list[Any]]] = {}
        self.memory = GlobalMemory(run)
        ends = [0, *(at + size for at, size in self.kernel.params)]
        places = [f"{at - end}x{size}s" for end, (at, size) in zip(ends, self.kernel.params, strict=False)]
        self._form = Struct("".join([*places, f"{self.kernel.param - ends[-1]}x"]))
        self._take(args, run, fuel)

    def _take(self, args: tuple[bytes, ...], run: Run, fuel: int) -> None:
        """Take what one launch does not share with another of the same configuration."""
        self.memory.run = run
        self.fuel, self.spent, self._ticks = fuel, 0, 0
        self.printed: list[str] = []
        self.race: SharedRace | None = None
        self.arguments = self._form.pack(*args)

    def seen(self) -> GlobalMemory:
        """Return global memory as a new block sees it."""
        return self.memory

    def templates(self, base: int) -> dict[str, list[Any]]:
        """Return the initial slots of frames by function, for a block's shared memory."""
        found = self._templates.get(base)
        if found is not None:
            return found
        found = self._templates[base] = {}
        for name, code in self._whole.codes.items():
            template = found[name] = code.template[:]
            for slot, variable, offset in self._whole.symbols.get(name, ()):
                shared = variable.space == "shared"
                start = base + self._whole.shared[variable] if shared else self._variables[variable.name].start
                template[slot] = start + offset
        return found

    def run(self) -> None:
        """Execute all blocks.

        Raises:
            Fault: A thread does what ends the kernel with an error.
            KernelError: The kernel does not end.
        """
        later = (Cluster(self, places) for places in members(self.size, self.cluster))
        resident: list[Cluster] = []
        busy = True
        while True:
            if not resident or (busy and self.has_room(len(resident))):
                more = next(later, None)
                if more is not None:
                    resident.append(more)
                elif not resident:
                    return
            before = sum(len(one.left) for one in resident)
            turns = [one.turn(TURN) for one in resident]
            blocks = [block for one in resident for block in one.left]
            busy = any(turns) and len(blocks) == before
            resident = [one for one in resident if one.live]
            if self.spent > self.fuel:
                raise self.endless(blocks)

    def has_room(self, clusters: int) -> bool:
        """Return whether another cluster can run beside the running ones."""
        return (clusters + 1) * self.many <= self.most

    def endless(self, blocks: Iterable[Block]) -> KernelError:
        """Return the error of a kernel that exceeds its instruction limit."""
        text = (
            f"it has executed {self.spent} instructions and does not end: give the machine a longer wait_timeout, launch fewer "
            "threads, or write a Python function for it"
        )
        return KernelError(self.told(text, blocks))

    def spend(self, used: int) -> None:
        """Count executed instructions. Ctrl-C ends a launch that is no part of a graph."""
        self.spent += used
        if deferred and self.memory.run.graph is None:
            stop_early()

    def time(self) -> int:
        """Return a clock value that grows with instructions and with each reading."""
        self._ticks += 1
        return self.spent + self._ticks

    def number_of(self, index: tuple[int, int, int]) -> int:
        """Return the number of a block."""
        return index[0] + self.size[0] * (index[1] + self.size[1] * index[2])

    def told(self, text: str, blocks: Iterable[Block], lane: Lane | None = None) -> str:
        """Return an error text about the kernel, with the places of its threads."""
        who = "" if lane is None else f"thread {lane.place} of block {lane.block.index}: "
        return f"kernel {self.name}: {who}{text}{standing(blocks)}"

    def fault_text(self, fault: Fault) -> str:
        """Return the text of a fault: kernel, thread, place, and nearby argument."""
        lane, instruction = fault.lane, fault.instruction
        place = self.program.place(instruction)
        lines = [
            f"kernel {self.name}: thread {lane.place} of block {lane.block.index} {fault.text}",
            f"  at line {instruction.line} of the PTX{f', {place}' if place else ''}: {instruction.text}",
        ]
        return "\n".join(lines + ([] if fault.address is None else self._nearby(fault.address)))

    def _nearby(self, address: int) -> list[str]:
        """Return the parameter that points nearest to an address, and its memory."""
        pointers = {
            number: int.from_bytes(self.arguments[at : at + size], "little")
            for number, (at, size) in enumerate(self.kernel.params)
            if size == 8  # noqa: PLR2004 - a pointer
        }
        process = self.memory.run.context.process
        known = {
            number: item
            for number, value in pointers.items()
            if (item := process.memory.at(value) or _freed(process, value)) is not None
        }
        if not known:
            return []
        number = min(known, key=lambda one: abs(address - pointers[one]))
        item = known[number]
        where = (
            f"{address - item.end} bytes behind its end"
            if address >= item.end
            else f"{item.start - address} bytes before it"
        )
        if item.start <= address < item.end:
            where = f"at byte {address - item.start} of it"
        lines = [f"  parameter {number} points into {'freed ' if item.ended else ''}{item}: the address lies {where}"]
        return lines + [f"    {line}" for line in item.history()]


def _freed(process: Process, address: int) -> Span | None:
    """Return the memory that was last freed at an address, or None."""
    return next(
        (one for one in reversed(process.freed.values()) if isinstance(one, Span) and one.start <= address < one.end),
        None,
    )
