"""What device pointers point to: linear, managed, pinned and registered memory, and IPC mappings.

Mappings of VMM handles are in ``va``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model import history

if TYPE_CHECKING:
    from fakecuda.model.context import Context, Device
    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.memory.blocks import Block
    from fakecuda.model.memory.pool import Pooled
    from fakecuda.model.os.process import Process


@define(eq=False)
class Span(history.Lifetime):
    """A range of addresses that somebody asked for.

    Attributes:
        start: Its first address.
        end: The address after its last byte, as requested.
    """

    start: int
    end: int

    @property
    def size(self) -> int:
        """Bytes."""
        return self.end - self.start


@define(eq=False)
class OfContext(Span):
    """Addresses that a context gave, and that die with it.

    Attributes:
        context: The context.
    """

    context: Context

    @property
    def device(self) -> Device:
        """The device of its context."""
        return self.context.device


@define(eq=False)
class Placed(OfContext):
    """Memory that lies in a block of a context and dies with it.

    Attributes:
        block: The block that it lies in.
        identity: The buffer id, unique in the process.
        sync_memops: Whether synchronous memory operations on it always synchronise.
    """

    words = ("allocated", "freed")
    block: Block = field(repr=False)
    identity: int
    created: history.Stack = field(repr=False)  # by position, which is faster
    sync_memops: bool = field(default=False, kw_only=True)

    @property
    def extent(self) -> Extent:
        """The physical memory that it lies in."""
        return self.block.extent

    @property
    def origin(self) -> int:
        """The address of the extent's first byte."""
        return self.block.start


@define(eq=False)
class Allocation(Placed):
    """Linear memory of a device, from cuMemAlloc or cuMemAllocPitch.

    Attributes:
        share: What importers open, once a handle was asked for.
        rows: Bytes from row to row, rows of a slice and slices, where HIP has allocated it for rows.
    """

    share: Share | None = field(default=None, repr=False)
    rows: tuple[int, int, int] = field(default=(0, 0, 0), repr=False)

    def history(self) -> list[str]:
        """Return where it was allocated, exported and freed, a line each."""
        exported = self.share.created if self.share is not None else history.NOWHERE
        begun = history.story(self.created, exported, ("allocated", "exported"))
        return begun + history.story(history.NOWHERE, self.ended, ("", "freed"))

    def __repr__(self) -> str:
        return f"allocation {self.start:#x}+{self.size:#x} on {self.device}"


@define(eq=False)
class Managed(Placed):
    """Memory of devices and host from cuMemAllocManaged."""

    def __repr__(self) -> str:
        return f"managed memory {self.start:#x}+{self.size:#x}"


@define(eq=False)
class Static(Allocation):
    """A variable of a module, which ends with that."""

    def __repr__(self) -> str:
        return f"variable {self.start:#x}+{self.size:#x} on {self.device}"


@define(eq=False)
class ManagedStatic(Managed):
    """A managed variable of a module, or of a library, whose modules have it in common."""


Variable = Static | ManagedStatic
VARIABLES = Static, ManagedStatic
"""The memory of variables, which no call frees."""


@define(eq=False)
class Pinned(Placed):
    """Page-locked memory of the host from cuMemHostAlloc or cuMemAllocHost.

    Attributes:
        flags: What cuMemHostGetFlags returns.
    """

    flags: int

    def __repr__(self) -> str:
        return f"pinned memory {self.start:#x}+{self.size:#x}"


@define(eq=False)
class Registered(OfContext):
    """Memory of the host that the caller owns and cuMemHostRegister has page-locked.

    Attributes:
        extent: The memory.
        identity: The buffer id, unique in the process.
        block_identity: The memory block id.
        flags: What cuMemHostGetFlags returns.
        read_only: Whether devices may only read it.
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
class Share:
    """An allocation as other processes see it: what a legacy IPC handle names.

    Attributes:
        handle: 64 bytes.
        process: The exporting process.
        allocation: The allocation; HIP names memory of a pool so, too.
        extent: Its physical memory.
        origin: The exporter's address of the extent's first byte.
        live: Whether the exporter still has it.
        importers: The mappings that other processes hold open.
        through: Its further handles, by the identity of the context that was current to the export.
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
        """Return the history of the allocation that it names."""
        return self.allocation.history()


@define(eq=False)
class Import(OfContext):
    """A mapping that cuIpcOpenMemHandle made.

    Attributes:
        share: What it maps.
        extent: The physical memory.
        identity: The buffer id, unique in the process.
        origin: The address of the extent's first byte.
        line: The exporting process, its device and the opening device: open handles of it belong to one context.
        references: Opens that were not closed.
        sync_memops: Whether synchronous memory operations on it always synchronise.
        told: The device that HIP tells for it: that of the thread which has opened it last.
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
