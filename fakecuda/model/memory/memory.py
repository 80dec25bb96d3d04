"""The memory that device pointers refer to, except for VMM mappings.

The kinds are linear, managed, pinned and registered memory, and IPC mappings. ``va`` has the mappings of allocation
handles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.memory.blocks import InBlock

if TYPE_CHECKING:
    from fakecuda.model.context import Context, Device
    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.memory.blocks import Block
    from fakecuda.model.memory.pool import Pooled
    from fakecuda.model.os.process import Process


@define(eq=False)
class Span(history.Lifetime):
    """A range of addresses that a program requested.

    Attributes:
        start: Its first address.
        end: The address after its last requested byte.
    """

    start: int
    end: int

    @property
    def size(self) -> int:
        """The size of the range in bytes."""
        return self.end - self.start


@define(eq=False)
class OfContext(Span):
    """Memory or a mapping that belongs to a context and ends with it.

    Attributes:
        context: The context.
    """

    context: Context

    @property
    def device(self) -> Device:
        """The device of the memory's context."""
        return self.context.device


@define(eq=False)
class Placed(InBlock, OfContext):
    """Memory that lies in a block of a context and ends with the context.

    Attributes:
        block: The block.
        identity: The buffer id, unique in the process.
        sync_memops: Whether synchronous memory operations on it always synchronise.
    """

    words = ("allocated", "freed")
    block: Block = field(repr=False)
    identity: int
    created: history.Stack = field(repr=False)  # positional arguments are faster
    sync_memops: bool = field(default=False, kw_only=True)


@define(eq=False)
class Allocation(Placed):
    """Linear device memory from cuMemAlloc or cuMemAllocPitch.

    Attributes:
        share: What importers open. None before the first export.
        rows: The layout of an allocation that HIP made for rows: bytes from row to row, rows of a slice, slices.
    """

    share: Share | None = field(default=None, repr=False)
    rows: tuple[int, int, int] = field(default=(0, 0, 0), repr=False)

    def history(self) -> list[str]:
        """Return where it was allocated, exported and freed, a line for each."""
        exported = self.share.created if self.share is not None else history.NOWHERE
        begun = history.story(self.created, exported, ("allocated", "exported"))
        return begun + history.story(history.NOWHERE, self.ended, ("", "freed"))

    def __repr__(self) -> str:
        return f"allocation {self.start:#x}+{self.size:#x} on {self.device}"


@define(eq=False)
class Managed(Placed):
    """Memory of devices and the host from cuMemAllocManaged."""

    def __repr__(self) -> str:
        return f"managed memory {self.start:#x}+{self.size:#x}"


@define(eq=False)
class Static(Allocation):
    """The memory of a module's variable, which ends with the module."""

    def __repr__(self) -> str:
        return f"variable {self.start:#x}+{self.size:#x} on {self.device}"


@define(eq=False)
class ManagedStatic(Managed):
    """The managed variable of a module, or of a library for all of its modules."""

    def __repr__(self) -> str:
        return f"managed variable {self.start:#x}+{self.size:#x}"


Variable = Static | ManagedStatic
VARIABLES = Static, ManagedStatic
"""Types of variable memory, which no call frees."""


@define(eq=False)
class Pinned(Placed):
    """Page-locked host memory from cuMemHostAlloc or cuMemAllocHost.

    Attributes:
        flags: What cuMemHostGetFlags returns.
    """

    flags: int

    def __repr__(self) -> str:
        return f"pinned memory {self.start:#x}+{self.size:#x}"


@define(eq=False)
class Registered(OfContext):
    """Host memory that the caller owns and that cuMemHostRegister has page-locked.

    Attributes:
        extent: The memory.
        identity: The buffer id, unique in the process.
        block_identity: The memory block id.
        flags: What cuMemHostGetFlags returns.
        read_only: Whether devices may only read the memory.
        sync_memops: Whether synchronous memory operations on it always synchronise.
    """

    words = ("registered", "unregistered")
    extent: Extent = field(repr=False)
    identity: int
    block_identity: int
    flags: int
    read_only: bool
    sync_memops: bool = False

    @property
    def origin(self) -> int:
        """The address of the extent's first byte."""
        return self.start

    def __repr__(self) -> str:
        return f"registered memory {self.start:#x}+{self.size:#x}"


@define(eq=False)
class Mapped(OfContext):
    """The addresses below 4 GiB by which a context of CUDA 3.1 uses page-locked memory.

    Attributes:
        host: The memory, which it ends with.
        identity: The buffer id of the memory.
        sync_memops: Whether synchronous memory operations on it always synchronise: no call can say so.
    """

    words = ("mapped", "unmapped")
    host: Pinned | Registered
    identity: int
    sync_memops: bool = False

    @property
    def extent(self) -> Extent:
        """The physical memory behind the addresses."""
        return self.host.extent

    @property
    def origin(self) -> int:
        """The address of the extent's first byte."""
        return self.start - (self.host.start - self.host.origin)

    def __repr__(self) -> str:
        return f"{self.host} as {self.start:#x}+{self.size:#x}"


def is_foreign(item: object, context: Context) -> bool:
    """Return whether a context of CUDA 3.1 cannot use memory at its own address."""
    if context.narrow is None or not isinstance(item, OfContext):
        return False
    return item.context is not context or isinstance(item, Pinned | Registered)


@define(eq=False)
class Share:
    """An exported allocation with its legacy IPC handle.

    Attributes:
        handle: The IPC handle, 64 bytes.
        process: The exporting process.
        allocation: The allocation. HIP also exports pool memory this way.
        extent: The physical memory.
        origin: The exporter's address of the extent's first byte.
        live: Whether the exporter still has the allocation.
        importers: The mappings that other processes hold open.
        through: Further handles of the same allocation, by the identity of the context that exported them.
        created: The stack that made the handle.
    """

    handle: bytes
    process: Process = field(repr=False)
    allocation: Allocation | Pooled
    extent: Extent = field(repr=False)
    origin: int
    live: bool = True
    importers: list[Import] = field(factory=list, repr=False)
    through: dict[int, bytes] = field(factory=dict, repr=False)
    created: history.Stack = field(default=history.NOWHERE, repr=False)

    def __repr__(self) -> str:
        return f"IPC handle {self.handle[:6].hex()}… of {self.allocation} in process {self.process.name}"

    def history(self) -> list[str]:
        """Return the history of the exported allocation."""
        return self.allocation.history()


@define(eq=False)
class Import(OfContext):
    """An IPC mapping that cuIpcOpenMemHandle made.

    Attributes:
        share: The exported allocation.
        extent: The physical memory.
        identity: The buffer id, unique in the process.
        origin: The address of the extent's first byte.
        line: The exporting process, its device and the opening device. Open mappings with one line belong to one
            context.
        references: Opens minus closes.
        sync_memops: Whether synchronous memory operations on it always synchronise.
        told: The device that HIP reports for it: the device of the thread that opened it last.
    """

    words = ("opened", "closed")
    share: Share = field(repr=False)
    extent: Extent = field(repr=False)
    identity: int
    origin: int
    line: tuple[str, int, int]
    references: int = 1
    sync_memops: bool = False
    told: Device | None = None

    def __repr__(self) -> str:
        return f"IPC mapping {self.start:#x}+{self.size:#x} opened {history.counted(self.references, 'time')}"
