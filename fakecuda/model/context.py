"""Devices, contexts and the tables of peers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.effect import effect
from fakecuda.model.memory.blocks import Arena

if TYPE_CHECKING:
    from fakecuda.model.code.module import Module
    from fakecuda.model.memory.array import Grid
    from fakecuda.model.memory.backing import DeviceMemory
    from fakecuda.model.memory.texture import Surface, Texture
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.stream import Stream, Work
    from fakecuda.model.work.worker import Worker
    from fakecuda.profiles import DeviceProfile

MAP_HOST = 8
"""CU_CTX_MAP_HOST: a primary context always supports pinned allocations."""


@define(eq=False)
class Device:
    """A card of the machine.

    Attributes:
        ordinal: Its number on the machine; a process knows it by :meth:`Process.number_of`.
        profile: What it reports of itself.
        memory: Its physical memory.
        lost: The code that work on it fails with since it was lost, 0 while it works.
    """

    ordinal: int
    profile: DeviceProfile
    memory: DeviceMemory
    lost: int = 0

    def __repr__(self) -> str:
        return f"device {self.ordinal}"


@define(eq=False)
class Context(history.Lifetime):
    """A context of a process on a device.

    Attributes:
        handle: The CUcontext value.
        process: Its process.
        device: Its device.
        card: The card that this is, which is another one where its process was brought back on that.
        flags: What it was created with, as changed since.
        first_flags: What it was created with.
        identity: What cuCtxGetId returns, unique in the process.
        primary: Whether it is the device's primary context.
        unheld: Whether it is a primary one that the runtime API has not retained.
        destroyed: Whether it was destroyed; it may still be current to threads.
        lost: The code that its work has failed with for good, 0 while it is sound.
        peers: The contexts whose allocations it may access.
        connected: The stacks that let it.
        allocations: Addresses of the memory that dies with it, in order of creation.
        linear: Its blocks of linear memory.
        arenas: Its blocks of other memory, by the kind's name.
        imports: Addresses of the IPC mappings that die with it.
        events: Its events by handle.
        modules: The modules that were loaded into it, by handle.
        shared_events: Those that other processes can open, by their places; one that has ended until another has its place.
        free_places: The places of those that have ended.
        arrays: Its arrays and mipmapped arrays by handle.
        textures: Its texture objects by number.
        surfaces: Its surface objects by number.
        streams: The streams that were created in it, by handle.
        default_streams: Its default streams that were used: the legacy one by its handle, those of threads by their names.
        gates: What all of its later work waits for: the number of its last earlier work, and the work that is awaited.
        worker: What calls functions of the host for its streams, once one was to be called.
        taken: Whether a fork's work has the first place of the queue that the next stream gets.
        frees: Whether memory of pools was freed in streams of it.
        usage: Attaches that were not detached, the creation included.
        limits: Limits that were set, by CUlimit.
        cache_config: Its CUfunc_cache.
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

    @card.default
    def _card(self) -> Device:
        return self.process.card_of(self.device)

    @first_flags.default
    def _first_flags(self) -> int:
        return self.flags

    @linear.default
    def _linear(self) -> Arena:
        return Arena(self.card.memory, keeps_empty=True)

    def arena(self, kind: str) -> Arena:
        """Return its blocks of ``pinned``, ``write_combined`` or ``managed`` memory, or those that an ``array`` lies in, or ``variables``."""
        arena = self.arenas.get(kind)
        if arena is None:
            machine = self.process.machine
            if kind in {"array", "variables"}:
                arena = Arena(self.card.memory)
            else:
                arena = Arena(machine.managed if kind == "managed" else machine.pinned)
            self.arenas[kind] = arena
        return arena

    @effect()
    def attach(self) -> None:
        """Attach to it once more."""
        self.usage += 1

    @effect()
    def detach(self) -> None:
        """Detach from it once; other attaches are left."""
        self.usage -= 1

    @effect()
    def connect(self, peer: Context, stack: history.Stack) -> None:
        """Let it access the allocations of another."""
        self.peers.add(peer)
        self.connected[peer] = stack

    @effect()
    def disconnect(self, peer: Context) -> None:
        """Let it access the allocations of another no longer."""
        self.peers.remove(peer)
        self.connected.pop(peer, None)

    @effect()
    def set_flags(self, flags: int) -> None:
        """Set its flags."""
        self.flags = flags

    @effect()
    def set_limit(self, limit: int, value: int) -> None:
        """Set a limit (CUlimit): bytes, or a count."""
        self.limits[limit] = value

    @effect()
    def set_cache_config(self, config: int) -> None:
        """Set its CUfunc_cache."""
        self.cache_config = config

    def __repr__(self) -> str:
        state = "destroyed " if self.destroyed else ""
        return f"{state}{'primary ' if self.primary else ''}context {self.handle:#x} on {self.device}"


class Retain(NamedTuple):
    """A reference to a primary context that somebody has asked for.

    Attributes:
        thread: The name of the thread that did.
        created: The stack.
    """

    thread: str
    created: history.Stack


@define(eq=False)
class PrimaryContext:
    """The life cycle of a device's primary context in one process.

    Attributes:
        flags: Flags for the next activation, and of the active one.
        references: Retains that were not released.
        retains: They, but for the runtime API's, as far as can be told: a release ends its thread's last one.
        held: Whether one of them is the runtime API's.
        context: The context while it is active, or the destroyed one that may still be current.
        active: Whether it is active.
    """

    flags: int = 0
    references: int = 0
    retains: list[Retain] = field(factory=list, repr=False)
    held: bool = False
    context: Context | None = None
    active: bool = False

    @effect()
    def set_flags(self, flags: int) -> None:
        """Set the flags of its next activation, and of the active context: that always supports pinned allocations, too."""
        self.flags = flags
        if self.active and self.context is not None:
            self.context.flags = flags | MAP_HOST
