"""Where native code finds things: the fields of a launch, of a block and of a thread.

A launch has an array of words of 64 bits. A block has one, too; its shared memory and its threads stand behind it.
"""

from __future__ import annotations

from enum import IntEnum, auto
from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.kernels.spaces import KINDS

if TYPE_CHECKING:
    from fakecuda.kernels.program import Instruction

WORD = 8


class Launch(IntEnum):
    """Words of a launch."""

    ARGUMENTS = 0
    SHARED = auto()
    """Bytes of shared memory of a block."""
    THREADS = auto()
    """Threads of a block."""
    LANES = auto()
    """The offset of a block's first thread."""
    BLOCK_X = auto()
    BLOCK_Y = auto()
    BLOCK_Z = auto()
    GRID_X = auto()
    GRID_Y = auto()
    GRID_Z = auto()
    MULTIPROCESSORS = auto()
    DYNAMIC = auto()
    SYMBOLS = auto()
    """The addresses of variables."""
    SITES = auto()
    """What each access has last hit."""
    ACCESSES = auto()
    """How many accesses there are."""
    TABLE = auto()
    """The allocations that the kernel has used."""
    COUNT = auto()
    FIND = auto()
    """The function that finds an allocation."""
    ASK = auto()
    """The function that does what a system function does."""
    SPENT = auto()
    TICKS = auto()
    """How often threads have asked for the time."""
    FUEL = auto()
    BUSY = auto()
    """Whether a thread has used all of its turn."""
    RAN = auto()
    """Whether a thread could go on."""
    STATUS = auto()
    SITE = auto()
    """The access that fails, its address, the space, and the thread."""
    ADDRESS = auto()
    SPACE = auto()
    LANE = auto()
    LIMIT = auto()
    """Bytes of the thread's local memory there."""
    WORKSPACE = auto()
    """The workspace of a cooperative launch, and its bytes."""
    ROOM = auto()
    TEXTURES = auto()
    """The texture objects that native code reads, and how many there are."""
    LISTED = auto()
    CLUSTER_X = auto()
    CLUSTER_Y = auto()
    CLUSTER_Z = auto()
    MANY = auto()
    """Blocks of a cluster, and the bytes of each."""
    STRIDE = auto()
    EXPLICIT = auto()
    """Whether the launch has clusters."""
    SHADOW = auto()
    """The offset of the stamps of a block's accesses to shared memory, and the bytes of their cells."""
    CELLS = auto()
    MASK = auto()
    """All ones while loads of shared memory have no stamps, else 0."""
    MIXED = auto()
    """Whether a write to shared memory has followed a load of an epoch."""
    RACED = auto()
    """Whether there is a race in shared memory, where, the thread and the instruction of both accesses, their uses, and the block."""
    RACE_AT = auto()
    RACE_EARLIER = auto()
    RACE_LATER = auto()
    RACE_USES = auto()
    RACE_BLOCK = auto()


class Block(IntEnum):
    """Words of a block."""

    NUMBER = 0
    X = auto()
    Y = auto()
    Z = auto()
    LIVE = auto()
    """Threads that have not ended."""
    CONVERGING = auto()
    """Threads that wait until no other thread can come to an instruction before it."""
    TRACKED = auto()
    """Copies that arrive at an mbarrier when they are made, and their arrivals."""
    RANK = auto()
    """The block's rank in its cluster, and where the cluster's first block lies."""
    FIRST = auto()
    ALIVE = auto()
    """Of a cluster: its threads that have not ended, those that have arrived at its barrier, and how often that has completed."""
    ARRIVED = auto()
    PHASE = auto()
    TIME = auto()
    """The time of the detector of races in shared memory, and when the block's epoch has begun."""
    EPOCH = auto()
    LIMIT = auto()
    """When the block's epoch has begun while loads have no stamps, else 0, and the latest epoch with loads."""
    LOADS = auto()
    BARRIERS = auto()
    """For each barrier, for how many threads it waits, or all ones if none has come; how many have come; how many wait."""


class Thread(IntEnum):
    """Words of 32 bits of a thread, before its registers."""

    STATE = 0
    PIECE = auto()
    """The piece that comes next."""
    WAITS = auto()
    """The instruction that it waits at."""
    MASK = auto()
    """The lanes that it waits for there."""
    VALUE = auto()
    """What it brings there: a value of 64 bits, another lane, and the limits of a segment."""
    OTHER = 6
    LIMITS = auto()
    RESULT = auto()
    """What it gets there: a value, and a predicate or a second one."""
    HOLDS = auto()
    ARRIVED = auto()
    """The phase of its cluster's barrier in which it has arrived, and 1; 0 if it has waited since."""


class Site(IntEnum):
    """Words of an access: the bytes that it has last hit."""

    LOW = 0
    SPAN = auto()
    """How many accesses of its size fit in there, each behind the last one."""
    HOST = auto()
    MARK = auto()
    """Where its mark lies for the first of these bytes."""


class Entry(IntEnum):
    """Words of an allocation."""

    LOW = 0
    HIGH = auto()
    FLAGS = auto()
    ORIGIN = auto()
    """The address from which places are counted: at most the first one, a multiple of 64."""
    BASE = auto()
    """Where the model's bytes lie from there on."""
    DATA = auto()
    """Where the kernel's own bytes lie."""
    MARKS = auto()
    """The marks of words that were read; those of other uses follow."""
    GAP = auto()
    """Bytes from the marks of one use to those of the next."""
    STATES = auto()
    """Bytes of each chunk: whether it has its own bytes, and whether it has marks of each use."""


class Status(IntEnum):
    """How native code has ended."""

    DONE = 0
    STOPPED = auto()
    """A block has not ended with its first turn, or the fuel is used."""
    FAULT = auto()


class Space(IntEnum):
    """Where an access fails."""

    GLOBAL = 0
    SHARED = auto()
    LOCAL = auto()
    NOWHERE = auto()
    """The instruction is a trap."""
    UNKNOWN = auto()
    """Only the reference knows what becomes of it."""
    OUTSIDE = auto()
    """The thread is not in the mask of its operation; the address is the mask."""
    CODE = auto()
    """The address that the thread calls is no function."""
    TARGET = auto()
    """The list of labels has no such target; the address is its number."""
    WORKSPACE = auto()
    ASKED = auto()
    """The function that does what a system function does has failed."""


class Answer(IntEnum):
    """What the function that finds an allocation returns."""

    FAULT = 0
    FOUND = auto()
    UNKNOWN = auto()


READY, ENDED, WAITING = 0, 1, 2
"""States of a thread. It waits at barrier n in state ``WAITING + n``."""
BARRIERS, FIELDS = 16, 3
"""Barriers of a block, and words of each."""
MEETING, CONVERGING, CLUSTERED = range(WAITING + BARRIERS, WAITING + BARRIERS + 3)
"""States of a thread that waits for its warp, or for its cluster."""
RESUMED = 1 << 24
"""The number of the first place where threads take a result, among the numbers of pieces."""
HEAD = -(-WORD * (Block.BARRIERS + FIELDS * BARRIERS + 1) // 64) * 64
"""Bytes of a block before its shared memory, which native code takes to be aligned as the kernel's variables are."""
REGISTERS = 48
"""Bytes of a thread before its registers."""
PART = 16
"""Bits of the size of a part of a texture that is marked as used."""
CHUNK = 18
"""Bits of the size of a chunk of an allocation: the kernel's own bytes are copied, and marks are cleared, by chunks."""
STATES = 1 + KINDS
"""Bytes of the state of a chunk."""
READABLE, WRITABLE = 1, 2
"""Flags of an allocation."""
HELD = 4
"""The flag of an access whose bytes must stay where they are until the launch ends."""


def room_of(bits: int) -> int:
    """Return the bytes of a register in memory."""
    return WORD * -(-bits // (8 * WORD))


@frozen(eq=False)
class Access:
    """An instruction that may fail.

    Attributes:
        instruction: The instruction.
        size: Bytes.
        flags: What it needs of global memory.
        targets: How many labels it chooses from.
        spare: Bytes at its end that nothing reads.
    """

    instruction: Instruction
    size: int = 0
    flags: int = 0
    targets: int = 0
    spare: int = 0
