"""The memory layout of native code: words of a launch, a block and a thread.

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
    """The size of a block's shared memory in bytes."""
    THREADS = auto()
    """The number of threads of a block."""
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
    """The last hit of each access."""
    ACCESSES = auto()
    """The number of accesses."""
    TABLE = auto()
    """The allocations that the kernel has used."""
    COUNT = auto()
    FIND = auto()
    """The function that finds an allocation."""
    ASK = auto()
    """The function that executes system functions in Python."""
    SPENT = auto()
    TICKS = auto()
    """The number of times that threads have read the time."""
    FUEL = auto()
    BUSY = auto()
    """Whether a thread has used its whole turn."""
    RAN = auto()
    """Whether any thread could run."""
    STATUS = auto()
    SITE = auto()
    """The failing access, its address, the state space, and the thread."""
    ADDRESS = auto()
    SPACE = auto()
    LANE = auto()
    LIMIT = auto()
    """The size of the failing thread's local memory."""
    WORKSPACE = auto()
    """The workspace of a cooperative launch, and its size."""
    ROOM = auto()
    TEXTURES = auto()
    """The texture objects that native code reads, and their number."""
    LISTED = auto()
    CLUSTER_X = auto()
    CLUSTER_Y = auto()
    CLUSTER_Z = auto()
    MANY = auto()
    """The number of blocks of a cluster, and the size of each."""
    STRIDE = auto()
    EXPLICIT = auto()
    """Whether the launch has clusters."""
    SHADOW = auto()
    """The offset of a block's shared memory stamps, and the size of their cells."""
    CELLS = auto()
    MASK = auto()
    """All ones while loads of shared memory have no stamps, else 0."""
    MIXED = auto()
    """Whether a write to shared memory followed a load in an epoch."""
    RACED = auto()
    """Whether shared memory has a race, and the two accesses of the race."""
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
    """The number of threads that have not ended."""
    CONVERGING = auto()
    """The number of converging threads of the block."""
    TRACKED = auto()
    """The number of tracked copies of mbarriers, and of their arrivals."""
    RANK = auto()
    """The block's rank in its cluster, and the address of the cluster's first block."""
    FIRST = auto()
    ALIVE = auto()
    """The state of a cluster: live threads, arrivals at the barrier, completed phases."""
    ARRIVED = auto()
    PHASE = auto()
    TIME = auto()
    """The time of the shared memory race detector, and the start of the epoch."""
    EPOCH = auto()
    LIMIT = auto()
    """The start of the epoch while loads have no stamps, and the last with loads."""
    LOADS = auto()
    BARRIERS = auto()
    """For each barrier: expected threads (or all ones), arrived, waiting."""


class Thread(IntEnum):
    """32-bit words of a thread, before its registers."""

    STATE = 0
    PIECE = auto()
    """The piece that comes next."""
    WAITS = auto()
    """The instruction at which the thread waits."""
    MASK = auto()
    """The lanes that the thread waits for."""
    VALUE = auto()
    """What the thread brings to a warp operation: a value, a lane, segment limits."""
    OTHER = 6
    LIMITS = auto()
    RESULT = auto()
    """The result of a warp operation: a value, and a predicate or second value."""
    HOLDS = auto()
    ARRIVED = auto()
    """The cluster barrier phase of the thread's arrival plus 1, or 0."""


class Site(IntEnum):
    """Words of an access: the bytes of its last hit."""

    LOW = 0
    SPAN = auto()
    """How many accesses of the same size fit into the hit bytes."""
    HOST = auto()
    MARK = auto()
    """The mark of the first hit byte."""


class Entry(IntEnum):
    """Words of an allocation in the table."""

    LOW = 0
    HIGH = auto()
    FLAGS = auto()
    ORIGIN = auto()
    """The base of offsets: a multiple of 64, at most the first address."""
    BASE = auto()
    """The address of the model's bytes."""
    DATA = auto()
    """The address of the kernel's own bytes."""
    MARKS = auto()
    """The marks of read words, followed by those of other uses."""
    GAP = auto()
    """The distance between the marks of two uses in bytes."""
    STATES = auto()
    """State bytes of each chunk: own bytes, and marks of each use."""


class Status(IntEnum):
    """Exit codes of native code."""

    DONE = 0
    STOPPED = auto()
    """A block has not ended in its first turn, or the budget is used up."""
    FAULT = auto()


class Space(IntEnum):
    """State spaces of a failing access."""

    GLOBAL = 0
    SHARED = auto()
    LOCAL = auto()
    NOWHERE = auto()
    """No memory: the instruction is a trap."""
    UNKNOWN = auto()
    """Unknown: only the reference can handle the access."""
    OUTSIDE = auto()
    """The thread is not in the mask of its operation. The address is the mask."""
    CODE = auto()
    """The called address is not a function."""
    TARGET = auto()
    """The list of labels is too short. The address is the index."""
    WORKSPACE = auto()
    ASKED = auto()
    """A system function has failed in Python."""


class Answer(IntEnum):
    """Results of the function that finds an allocation."""

    FAULT = 0
    FOUND = auto()
    UNKNOWN = auto()


READY, ENDED, WAITING = 0, 1, 2
"""States of a thread. A thread at barrier n has state ``WAITING + n``."""
BARRIERS, FIELDS = 16, 3
"""The number of barriers of a block, and of words of each."""
MEETING, CONVERGING, CLUSTERED = range(WAITING + BARRIERS, WAITING + BARRIERS + 3)
"""States of a thread that waits for its warp or its cluster."""
RESUMED = 1 << 24
"""The first piece number of a place where threads take a result."""
HEAD = -(-WORD * (Block.BARRIERS + FIELDS * BARRIERS + 1) // 64) * 64
"""The bytes of a block before its shared memory."""
REGISTERS = 48
"""The bytes of a thread before its registers."""
PART = 16
"""The bits of the size of a texture part that is marked as used."""
CHUNK = 18
"""The bits of the size of an allocation's chunk."""
STATES = 1 + KINDS
"""The bytes of a chunk's state."""
READABLE, WRITABLE = 1, 2
"""Flags of an allocation."""
HELD = 4
"""The flag of an access whose bytes must not move until the launch ends."""


def room_of(bits: int) -> int:
    """Return the size of a register in memory."""
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
