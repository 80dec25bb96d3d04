"""Threads as frames of their functions, and what threads wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from fakecuda.errors import KernelError
from fakecuda.kernels.copies import Copies
from fakecuda.kernels.spaces import INSIDE, WINDOW, Fault, Flat
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.blocks import Block
    from fakecuda.kernels.lower import Lowering
    from fakecuda.kernels.program import Instruction, Operand, Program, Variable
    from fakecuda.kernels.shared_races import Watch
    from fakecuda.kernels.spaces import GlobalMemory

GO, STOP = False, True
"""Results at the end of a piece: the thread continues, or it waits or has ended."""
DEEPEST = 2000
"""The maximum call depth of a thread."""
WARP = 32


@frozen(eq=False)
class Piece:
    """Instructions that run one after another; the last may jump, wait or end.

    Attributes:
        ops: Functions of the frame's slots, an instruction each.
        end: A function of the frame.
        instructions: The instructions. ``end`` is the last.
    """

    ops: tuple[Callable[[list[Any]], None], ...]
    end: Callable[[Frame], bool]
    instructions: tuple[Instruction, ...]


@define(eq=False)
class Code:
    """A function in executable form.

    Attributes:
        name: Its name.
        pieces: Its pieces.
        template: What the slots of a frame hold at first: constants, and zeros for registers.
        specials: Slots of special registers, with a function of the thread each.
        locals: Slots of addresses in local memory, as offsets from the frame's own.
        local: Bytes of its local memory.
        param: Bytes of its parameters and of those that it passes.
        params: The offset and the bytes of each parameter.
        returns: The offset and the bytes of each result.
    """

    name: str
    pieces: list[Piece] = field(factory=list)
    template: list[Any] = field(factory=list)
    specials: list[tuple[int, Callable[[Lane], int]]] = field(factory=list)
    locals: list[tuple[int, int]] = field(factory=list)
    local: int = 0
    param: int = 0
    params: list[tuple[int, int]] = field(factory=list)
    returns: list[tuple[int, int]] = field(factory=list)


@frozen(eq=False)
class Asked:
    """An instruction that Python executes in both engines.

    Attributes:
        act: Takes a thread's frame and the values of the sources; returns the results. It raises :class:`Undefined`.
        sources: The sources, each with its type.
        targets: The registers of the results.
        type: The type of each result.
        geometry: The geometry of a texture that native code may read itself. Empty for other instructions.
        wanted: How many components of a texel the kernel uses.
    """

    act: Callable[[Any, list[int]], list[int]]
    sources: tuple[tuple[Operand, str], ...]
    targets: tuple[Operand, ...]
    type: str
    geometry: str = ""
    wanted: int = 0


class Undefined(Exception):  # noqa: N818 - a fact about an instruction
    """An exception: the result of an instruction is undefined, for a reason."""

    def told(self, frame: Frame, instruction: Instruction) -> KernelError:
        """Return the kernel's error, with the instruction of a frame."""
        lane = frame.lane
        return KernelError(lane.block.grid.told(f"{instruction.text} {self}", [lane.block], lane))


@define(eq=False)
class Kernel:
    """A kernel that is ready to run.

    Attributes:
        program: The text that it was read from.
        codes: It and the functions that it reaches, by name; itself first.
        symbols: Slots of addresses by function: a variable of the module or of shared memory, and an offset.
        shared: Where each variable of shared memory begins.
        static: Bytes of its static shared memory.
        by_address: The functions whose addresses it takes, by address.
        asked: What is done for instructions by their operands' values, in both engines.
        has_workspace: Whether it asks for the workspace of a cooperative launch.
        lowerings: What has made the codes, by name.
        watch: What the detector of races in shared memory knows of it. None if nothing looks for them.
        splits: Whether a piece ends before each instruction whose order matters to other threads.
        is_late: Whether stores may be late.
        fenced: Whether it has a fence, or acquires or releases, for other kernels or the host.
    """

    program: Program
    codes: dict[str, Code] = field(factory=dict)
    symbols: dict[str, list[tuple[int, Variable, int]]] = field(factory=dict)
    shared: dict[Variable, int] = field(factory=dict)
    static: int = 0
    by_address: dict[int, Code] = field(factory=dict)
    asked: dict[Instruction, Asked] = field(factory=dict)
    has_workspace: bool = False
    lowerings: dict[str, Lowering] = field(factory=dict)
    watch: Watch | None = None
    splits: bool = False
    is_late: bool = False
    fenced: bool = False


class Frame:
    """The frame of a function that a thread executes.

    Args:
        code: The function.
        lane: The thread.
        caller: The frame that called it. None for a kernel.
        into: The offset and the bytes of each place for a result in the caller's parameters.

    Attributes:
        at: The number of the piece that comes next.
        slots: Its registers and constants.
        depth: How many frames stand below it.
    """

    __slots__ = (
        "at",
        "base",
        "caller",
        "code",
        "depth",
        "into",
        "lane",
        "local",
        "memory",
        "outer",
        "params",
        "shared",
        "slots",
    )

    def __init__(self, code: Code, lane: Lane, caller: Frame | None, into: list[tuple[int, int]]) -> None:
        self.code, self.lane, self.caller, self.into = code, lane, caller, into
        self.at = 0
        self.depth: int = 0 if caller is None else caller.depth + 1
        if self.depth > DEEPEST:
            raise Fault(Result.HARDWARE_STACK_ERROR, f"is in more than {DEEPEST} functions")
        self.memory: GlobalMemory = lane.block.memory
        self.shared: Flat = lane.block.shared
        self.local: Flat = lane.local
        self.params = Flat("parameter", bytearray(code.param))
        slots = self.slots = lane.block.templates[code.name][:]
        slots[0] = self
        self.outer = len(self.local.data)
        self.base = -(-self.outer // 16) * 16
        for slot, special in code.specials:
            slots[slot] = special(lane)
        if code.local:
            for slot, offset in code.locals:
                slots[slot] = self.base + offset
            self.local.data.extend(bytes(self.base + code.local - len(self.local.data)))

    def resolve(self, address: int) -> tuple[GlobalMemory | Flat, int]:
        """Return the state space of a generic address, and the address there."""
        window = address >> WINDOW
        if not window:
            return self.memory, address
        if window == 1:
            return self.lane.block.reach(address & INSIDE)
        if window == 2:  # noqa: PLR2004 - of local memory
            return self.local, address & INSIDE
        if window == 3:  # noqa: PLR2004 - of parameters
            return self.lane.params, address & INSIDE
        if window == 4 and self.lane.block.workspace is not None:  # noqa: PLR2004 - of the workspace
            return self.lane.block.workspace, address & INSIDE
        return self.memory, address

    def leave(self) -> bool:
        """Return to the caller with the results, or end the thread."""
        caller = self.caller
        if caller is None:
            return self.lane.finish()
        for (to, size), (of, _) in zip(self.into, self.code.returns, strict=False):
            caller.params.data[to : to + size] = self.params.data[of : of + size]
        del self.local.data[self.outer :]
        self.lane.frame = caller
        return GO


class Lane:
    """A thread of a block.

    Args:
        block: Its block.
        number: Its number in the block.
        place: Its place in the block's three dimensions.

    Attributes:
        warp: The number of its warp in the block.
        lane: Its number in its warp.
        frame: The function that it executes.
        waits: The instruction that it waits at. None while it can go on.
        done: Whether it has ended.
        copies: Its asynchronous copies that are not made.
        bulk: Its bulk copies that are not made.
    """

    __slots__ = (
        "block",
        "bulk",
        "copies",
        "done",
        "frame",
        "lane",
        "local",
        "number",
        "params",
        "place",
        "waits",
        "warp",
    )

    def __init__(self, block: Block, number: int, place: tuple[int, int, int]) -> None:
        self.block: Block = block
        self.number, self.place = number, place
        self.warp: int = number // WARP
        self.lane: int = number % WARP
        self.waits: Instruction | None = None
        self.done = False
        self.copies, self.bulk = Copies(), Copies()
        self.local = Flat("local", bytearray())
        self.params = Flat("parameter", bytearray(block.arguments))
        self.frame = Frame(block.kernel, self, None, [])
        self.frame.params.data[: len(block.arguments)] = block.arguments

    def run(self, budget: int) -> int:
        """Run until the thread waits, ends or uses its budget; return the count."""
        left = budget
        while left > 0:
            frame = self.frame
            piece = frame.code.pieces[frame.at]
            slots = frame.slots
            op: Any = None
            try:
                for op in piece.ops:
                    op(slots)
                left -= len(piece.instructions)
                op = piece.end
                if op(frame):
                    break
            except (Fault, Undefined) as error:
                instruction = piece.instructions[piece.ops.index(op) if op in piece.ops else -1]
                if isinstance(error, Undefined):
                    raise error.told(frame, instruction) from None
                error.lane, error.instruction = self, instruction
                raise
        return budget - left

    def finish(self) -> bool:
        """End the thread, after its pending bulk copies."""
        self.bulk.commit()
        self.bulk.wait(self, 0)
        self.done = True
        self.block.ended(self)
        return STOP

    @property
    def stands(self) -> Instruction:
        """The instruction at which the thread waits, or which is next."""
        return self.waits or self.frame.code.pieces[self.frame.at].instructions[0]
