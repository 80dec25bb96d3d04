"""Streams: queues of work. How they are given work, and when it is done, is in ``queueing``."""

from __future__ import annotations

from collections import deque
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeAlias

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.effect import effect
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fakecuda.model.context import Context
    from fakecuda.model.memory.backing import DeviceMemory, HostMemory
    from fakecuda.model.memory.memory import Import, Placed, Registered
    from fakecuda.model.memory.multicast import Fabric
    from fakecuda.model.memory.pool import Pooled
    from fakecuda.model.memory.va import Mapping
    from fakecuda.model.work.happens_before import Captured, Order

    Memory: TypeAlias = Placed | Registered | Import | Mapping | Pooled

LEGACY, PER_THREAD = 1, 2
"""CU_STREAM_LEGACY and CU_STREAM_PER_THREAD."""
NON_BLOCKING = 1
"""CU_STREAM_NON_BLOCKING."""

_numbers = count(1)


def tick() -> int:
    """Return the next place among all work."""
    return next(_numbers)


@define(eq=False)
class Stream(history.Lifetime):
    """A stream of a context.

    Attributes:
        handle: The CUstream; of the default streams LEGACY and PER_THREAD.
        context: Its context.
        flags: CUstream_flags.
        priority: Its priority, lower is more urgent.
        identity: What cuStreamGetId returns; 0 before a default stream was asked for it.
        attributes: Attributes that were set, by CUstreamAttrID.
        work: What is not done yet, oldest first.
        follows: Up to which place in other streams their work comes before its later work, because of events.
        order: What its later work comes after, while the host does not know all of its work to be done.
        origin: The stream that it is a fork's copy of.
        taken: Whether a fork's work has the place of its next; None before its first, while the device has no queue for it.
        destroyed: Whether cuStreamDestroy ended it; one that went with its context was not destroyed.
    """

    words = ("created", "ended")
    handle: int
    context: Context
    flags: int
    priority: int
    identity: int = 0
    created: history.Stack = field(default=history.NOWHERE, repr=False)  # by position, which is faster
    attributes: dict[int, Any] = field(factory=dict)
    work: deque[Work] = field(factory=deque, repr=False)
    follows: dict[Stream, int] = field(factory=dict, repr=False)
    order: Order | None = field(default=None, repr=False)
    origin: Stream | None = field(default=None, repr=False)
    taken: bool | None = None
    destroyed: bool = False

    @effect()
    def set_attribute(self, attribute: int, value: object) -> None:
        """Set an attribute (CUstreamAttrID), for work that is submitted from now on."""
        self.attributes[attribute] = value

    @effect()
    def set_priority(self, priority: int) -> None:
        """Set its priority."""
        self.priority = priority

    @effect()
    def copy_attributes(self, source: Stream) -> None:
        """Take over all attributes of another, its priority too."""
        self.attributes = dict(source.attributes)
        self.priority = source.priority

    @effect()
    def identify(self) -> int:
        """Return its id, which no other stream of the process ever has; a default stream gets it when it is asked for."""
        if not self.identity:
            self.identity = next(self.context.process.stream_identities)
        return self.identity

    def __repr__(self) -> str:
        state = "destroyed " if self.destroyed else ""
        kind = {LEGACY: "legacy default ", PER_THREAD: "per-thread default "}.get(self.handle, "")
        return f"{state}{kind}stream {self.handle:#x} of {self.context}"


class Needs(NamedTuple):
    """What work must find there still when it is done.

    Attributes:
        memory: The memory that it reads or writes.
        grants: The access to mapped memory that it needs.
        peers: The contexts that its own one must have access to.
        fault: The code that it fails with else.
    """

    memory: tuple[Memory, ...] = ()
    grants: tuple[tuple[Mapping, int], ...] = ()
    peers: tuple[Context, ...] = ()
    fault: int = Result.LAUNCH_FAILED

    def met(self, context: Context) -> bool:
        """Return whether all of it is there, for work of a context."""
        memory, ordinal = context.process.memory, context.device.ordinal
        return (
            all(memory.at(item.start) is item for item in self.memory)
            and all(mapping.access.get(ordinal, 0) & access == access for mapping, access in self.grants)
            and context.peers.issuperset(self.peers)
        )


NOTHING = Needs()


class Condition(Protocol):
    """What work waits for, as its text says."""

    @property
    def memory(self) -> DeviceMemory | HostMemory | Fabric | None:
        """The memory in which it shows, where it is no work."""

    def __call__(self) -> bool:
        """Return whether it is so."""


@define(eq=False)
class Work:
    """Something that a stream will do.

    Attributes:
        stream: The stream.
        act: Does it.
        ready: What it waits for; None for nothing.
        hosted: Whether it is a function of the host, which the context's worker calls.
        stays: Whether it is done also when other work of the context has failed.
        needs: What it must find there still.
        number: Its place among all work.
        running: Whether the worker has it: a function of the host, or what another OS process does for it.
        begun: Whether the worker has begun it.
        done: Whether nobody need wait for it: it was done, or its context ended.
        order: What the host knows to be done when it begins, of a function of the host.
    """

    stream: Stream
    act: Callable[[], None] = field(repr=False)
    ready: Condition | None = field(default=None, repr=False)
    hosted: bool = False
    stays: bool = False
    needs: Needs = field(default=NOTHING, repr=False)
    number: int = field(factory=tick)
    running: bool = False
    begun: bool = False
    done: bool = False
    order: Captured | None = field(default=None, repr=False)


@define(eq=False)
class After:
    """Work comes after other work.

    Attributes:
        work: The other work.
        memory: None.
    """

    work: Sequence[Work]
    memory: ClassVar[None] = None

    def __call__(self) -> bool:
        """Return whether all of it is done."""
        return all(work.done for work in self.work)

    def __str__(self) -> str:
        streams = dict.fromkeys(work.stream for work in self.work if not work.done)
        return f"work of {', '.join(map(str, streams))}"
