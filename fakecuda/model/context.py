"""Devices, contexts and the tables of peers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model import history

if TYPE_CHECKING:
    from fakecuda.model.backing import DeviceMemory
    from fakecuda.model.blocks import Block
    from fakecuda.model.process import Process
    from fakecuda.profiles import DeviceProfile


@define(eq=False)
class Device:
    """A card of the machine.

    Attributes:
        ordinal: Its number on the machine.
        profile: What it reports of itself.
        memory: Its physical memory.
    """

    ordinal: int
    profile: DeviceProfile
    memory: DeviceMemory

    def __repr__(self) -> str:
        return f"device {self.ordinal}"


@define(eq=False)
class Context:
    """A context of a process on a device.

    Attributes:
        handle: The CUcontext value.
        process: Its process.
        device: Its device.
        flags: What it was created with.
        primary: Whether it is the device's primary context.
        destroyed: Whether it was destroyed; it may still be current to threads.
        lost: Whether its work has failed for good.
        peers: The contexts whose allocations it may access.
        allocations: Addresses of the allocations that die with it, in order of creation.
        blocks: Its blocks of linear memory by address.
        open_block: The block that new small allocations go to.
        holes: Free places in blocks: by span, address and block.
        imports: Addresses of the IPC mappings that die with it.
        created: The stack that created it.
        ended: The stack that destroyed it.
    """

    handle: int
    process: Process = field(repr=False)
    device: Device
    flags: int
    primary: bool = False
    destroyed: bool = False
    lost: bool = False
    peers: set[Context] = field(factory=set, repr=False)
    allocations: dict[int, None] = field(factory=dict, repr=False)
    blocks: dict[int, Block] = field(factory=dict, repr=False)
    open_block: Block | None = field(default=None, repr=False)
    holes: dict[int, dict[int, Block]] = field(factory=dict, repr=False)
    imports: dict[int, None] = field(factory=dict, repr=False)
    created: history.Stack = history.NOWHERE
    ended: history.Stack = history.NOWHERE

    def __repr__(self) -> str:
        state = "destroyed " if self.destroyed else ""
        return f"{state}{'primary ' if self.primary else ''}context {self.handle:#x} on {self.device}"

    def history(self) -> list[str]:
        """Return where it was created and destroyed, a line each."""
        return history.story(self.created, self.ended, ("created", "destroyed"))


@define(eq=False)
class PrimaryContext:
    """The life cycle of a device's primary context in one process.

    Attributes:
        flags: Flags for the next activation, and of the active one.
        references: Retains that were not released.
        context: The context while it is active, or the destroyed one that may still be current.
        active: Whether it is active.
    """

    flags: int = 0
    references: int = 0
    context: Context | None = None
    active: bool = False
