"""What device pointers point to: allocations and IPC mappings (mappings of VMM handles are in ``va``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model import history

if TYPE_CHECKING:
    from fakecuda.model.backing import Extent
    from fakecuda.model.blocks import Block
    from fakecuda.model.context import Context, Device
    from fakecuda.model.process import Process


@define(eq=False)
class Allocation:
    """Linear memory from cuMemAlloc.

    Attributes:
        start: Its address.
        end: The address after its last byte, as requested.
        context: The context it was allocated in and dies with.
        block: The block that it lies in.
        identity: The buffer id, unique in the process.
        share: What importers open, once a handle was asked for.
        sync_memops: Whether synchronous memory operations on it always synchronise.
        created: The stack that allocated it.
        ended: The stack that freed it.
    """

    start: int
    end: int
    context: Context
    block: Block = field(repr=False)
    identity: int
    share: Share | None = field(default=None, repr=False)
    sync_memops: bool = False
    created: history.Stack = field(default=history.NOWHERE, repr=False)
    ended: history.Stack = field(default=history.NOWHERE, repr=False)

    @property
    def device(self) -> Device:
        """The device whose memory it is."""
        return self.context.device

    @property
    def extent(self) -> Extent:
        """The physical memory that it lies in."""
        return self.block.extent

    @property
    def origin(self) -> int:
        """The address of the extent's first byte."""
        return self.block.start

    @property
    def size(self) -> int:
        """Bytes."""
        return self.end - self.start

    def __repr__(self) -> str:
        return f"allocation {self.start:#x}+{self.size:#x} on {self.device}"

    def history(self) -> list[str]:
        """Return where it was allocated and freed, a line each."""
        return history.story(self.created, self.ended, ("allocated", "freed"))


@define(eq=False)
class Share:
    """An allocation as other processes see it: what a legacy IPC handle names.

    Attributes:
        handle: 64 bytes.
        process: The exporting process.
        allocation: The allocation.
        extent: Its physical memory.
        origin: The exporter's address of the extent's first byte.
        live: Whether the exporter still has it.
        importers: The mappings that other processes hold open.
    """

    handle: bytes
    process: Process = field(repr=False)
    allocation: Allocation
    extent: Extent = field(repr=False)
    origin: int
    live: bool = True
    importers: list[Import] = field(factory=list, repr=False)

    def __repr__(self) -> str:
        return f"IPC handle {self.handle[:6].hex()}… of {self.allocation} in process {self.process.name}"

    def history(self) -> list[str]:
        """Return the history of the allocation that it names."""
        return self.allocation.history()


@define(eq=False)
class Import:
    """A mapping that cuIpcOpenMemHandle made.

    Attributes:
        start: Its address.
        end: The address after its last byte.
        context: The context that opened it.
        share: What it maps.
        extent: The physical memory.
        identity: The buffer id, unique in the process.
        origin: The address of the extent's first byte.
        line: The exporting process, its device and the opening device: open handles of it belong to one context.
        references: Opens that were not closed.
        sync_memops: Whether synchronous memory operations on it always synchronise.
        created: The stack that opened it first.
        ended: The stack that closed it last.
    """

    start: int
    end: int
    context: Context
    share: Share = field(repr=False)
    extent: Extent = field(repr=False)
    identity: int
    origin: int
    line: tuple[str, int, int]
    references: int = 1
    sync_memops: bool = False
    created: history.Stack = field(default=history.NOWHERE, repr=False)
    ended: history.Stack = field(default=history.NOWHERE, repr=False)

    @property
    def device(self) -> Device:
        """The device of the context that opened it: what the driver reports."""
        return self.context.device

    @property
    def size(self) -> int:
        """Bytes."""
        return self.end - self.start

    def __repr__(self) -> str:
        return f"IPC mapping {self.start:#x}+{self.size:#x} opened {self.references} times"

    def history(self) -> list[str]:
        """Return where it was opened and closed, a line each."""
        return history.story(self.created, self.ended, ("opened", "closed"))
