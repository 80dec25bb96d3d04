"""Devices, contexts and primary contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.effect import effect
from fakecuda.model.memory.blocks import Arena

if TYPE_CHECKING:
    from fakecuda.model.code.device_heap import Heap
    from fakecuda.model.code.module import Module
    from fakecuda.model.memory.array import Grid
    from fakecuda.model.memory.backing import DeviceMemory
    from fakecuda.model.memory.narrow import Narrow
    from fakecuda.model.memory.texture import Surface, Texture
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.stream import Stream, Work
    from fakecuda.model.work.worker import Worker
    from fakecuda.profiles import DeviceProfile

MAJOR, MINOR = 75, 76
"""CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR."""
MAP_HOST, LMEM_RESIZE_TO_MAX = 8, 16
"""CU_CTX_MAP_HOST: a primary context always supports pinned allocations. CU_CTX_LMEM_RESIZE_TO_MAX: local memory does not shrink."""


@define(eq=False)
class Device:
    """A card of the machine.

    Attributes:
        ordinal: Its number on the machine. A process numbers its devices by :meth:`Process.number_of`.
        profile: The values that it reports.
        memory: Its physical memory.
        lost: The code that its work fails with after it was lost. 0 while it works.
    """

    ordinal: int
    profile: DeviceProfile
    memory: DeviceMemory
    lost: int = 0

    @property
    def architecture(self) -> int:
        """The architecture number of the device: 90 for sm_90."""
        attributes = self.profile.attributes
        return attributes[MAJOR] * 10 + attributes[MINOR]

    def __repr__(self) -> str:
        return f"device {self.ordinal}"


@define(eq=False)
class Context(history.Lifetime):
    """A context of a process on a device.

    Attributes:
        handle: The CUcontext value.
        process: Its process.
        device: Its device.
        card: The card that is used. After a restore on other cards it differs from the device.
        flags: The present flags.
        first_flags: The flags that it was created with.
        identity: What cuCtxGetId returns, unique in the process.
        primary: Whether it is the device's primary context.
        unheld: Whether it is a primary context that the runtime API has not retained.
        destroyed: Whether it was destroyed. Threads may still have it as current.
        lost: The code that its work has failed with for good. 0 before a failure.
        narrow: The addresses below 4 GiB where its memory lies. None of a context that is not of CUDA 3.1.
        peers: The contexts whose allocations it may access.
        connected: The stacks that enabled peer access, by context.
        allocations: Addresses of the memory that ends with it, in order of creation.
        linear: Its blocks of linear memory.
        arenas: Its blocks of other memory, by name of the kind.
        imports: Addresses of the IPC mappings that end with it.
        events: Its events by handle.
        modules: The modules that were loaded into it, by handle.
        shared_events: Its interprocess events by place. An ended event stays until another takes its place.
        free_places: The places of ended interprocess events.
        arrays: Its arrays and mipmapped arrays by handle.
        textures: Its texture objects by number.
        surfaces: Its surface objects by number.
        streams: The streams that were created in it, by handle.
        default_streams: Its default streams that were used, by the legacy handle or the name of a thread.
        gates: Work that later work of the context waits for. The number before it says which work is later.
        worker: The thread for host functions of its streams. None before the first one.
        taken: Whether work of a fork has taken the first place in the queue of the next stream.
        frees: Whether pool memory was freed in its streams.
        usage: Attaches that were not detached, including the creation.
        limits: Limits that were set, by CUlimit.
        cache_config: Its CUfunc_cache.
        heap: Its heap, which kernels have used by ``malloc``. None before.
    """

    handle: int
    process: Process = field(repr=False)
    device: Device
    flags: int
    identity: int
    primary: bool = False
    unheld: bool = False
    destroyed: bool = False
    lost: int = 0
    narrow: Narrow | None = field(default=None, repr=False)
    peers: set[Context] = field(factory=set, repr=False)
    connected: dict[Context, history.Stack] = field(factory=dict, repr=False)
    allocations: dict[int, None] = field(factory=dict, repr=False)
    card: Device = field(init=False, repr=False)
    linear: Arena = field(init=False, repr=False)
    arenas: dict[str, Arena] = field(factory=dict, repr=False)
    imports: dict[int, None] = field(factory=dict, repr=False)
    events: dict[int, Event] = field(factory=dict, repr=False)
    modules: dict[int, Module] = field(factory=dict, repr=False)
    shared_events: list[Event] = field(factory=list, repr=False)
    free_places: list[int] = field(factory=list, repr=False)
    arrays: dict[int, Grid] = field(factory=dict, repr=False)
    textures: dict[int, Texture] = field(factory=dict, repr=False)
    surfaces: dict[int, Surface] = field(factory=dict, repr=False)
    streams: dict[int, Stream] = field(factory=dict, repr=False)
    default_streams: dict[int | str, Stream] = field(factory=dict, repr=False)
    gates: list[tuple[int, Work]] = field(factory=list, repr=False)
    worker: Worker | None = field(default=None, init=False, repr=False)
    first_flags: int = field(init=False, repr=False)
    taken: bool | None = False
    frees: bool = False
    usage: int = 1
    limits: dict[int, int] = field(factory=dict, repr=False)
    cache_config: int = 0
    heap: Heap | None = field(default=None, init=False, repr=False)

    @card.default
    def _card(self) -> Device:
        return self.process.card_of(self.device)

    @first_flags.default
    def _first_flags(self) -> int:
        return self.flags

    @linear.default
    def _linear(self) -> Arena:
        return Arena(self.card.memory, keeps_empty=True, addresses=self.narrow)

    def arena(self, kind: str) -> Arena:
        """Return the blocks of a kind of memory.

        Args:
            kind: ``pinned``, ``write_combined``, ``managed``, ``array`` or ``variables``.
        """
        arena = self.arenas.get(kind)
        if arena is None:
            machine = self.process.machine
            if kind in {"array", "variables"}:
                arena = Arena(self.card.memory, addresses=self.narrow if kind == "variables" else None)
            else:
                arena = Arena(machine.managed if kind == "managed" else machine.pinned)
            self.arenas[kind] = arena
        return arena

    @effect()
    def attach(self) -> None:
        """Increment the usage count."""
        self.usage += 1

    @effect()
    def detach(self) -> None:
        """Decrement the usage count, which is more than 1."""
        self.usage -= 1

    @effect()
    def connect(self, peer: Context, stack: history.Stack) -> None:
        """Enable access to the allocations of another context."""
        self.peers.add(peer)
        self.connected[peer] = stack

    @effect()
    def disconnect(self, peer: Context) -> None:
        """Disable access to the allocations of another context."""
        self.peers.remove(peer)
        self.connected.pop(peer, None)

    @effect()
    def set_flags(self, flags: int) -> None:
        """Set the flags of the context."""
        self.flags = flags

    @effect()
    def set_limit(self, limit: int, value: int) -> None:
        """Set a limit (CUlimit): bytes, or a count."""
        self.limits[limit] = value

    @effect()
    def set_cache_config(self, config: int) -> None:
        """Set the CUfunc_cache of the context."""
        self.cache_config = config

    def __repr__(self) -> str:
        state = "destroyed " if self.destroyed else ""
        return f"{state}{'primary ' if self.primary else ''}context {self.handle:#x} on {self.device}"


class Retain(NamedTuple):
    """A reference to a primary context, by cuDevicePrimaryCtxRetain.

    Attributes:
        thread: The name of the calling thread.
        created: The stack that called.
    """

    thread: str
    created: history.Stack


@define(eq=False)
class PrimaryContext:
    """The life cycle of a device's primary context in one process.

    Attributes:
        flags: The flags of the next activation, and of the active context.
        references: Retains minus releases.
        retains: The retains of the driver API that are left. A release removes the last one of its thread.
        held: Whether the runtime API has a reference.
        context: The active context, or the destroyed one that may still be current. None before the first activation.
        active: Whether the context is active.
    """

    flags: int = 0
    references: int = 0
    retains: list[Retain] = field(factory=list, repr=False)
    held: bool = False
    context: Context | None = None
    active: bool = False

    @effect()
    def set_flags(self, flags: int) -> None:
        """Set the flags of the next activation, and of the active context.

        A primary context always supports pinned memory.
        """
        self.flags = flags
        if self.active and self.context is not None:
            self.context.flags = flags | MAP_HOST
