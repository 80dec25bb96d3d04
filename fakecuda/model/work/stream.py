"""Streams, which are queues of work."""

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
    from fakecuda.model.memory.backing import DeviceMemory
    from fakecuda.model.memory.host_memory import HostMemory
    from fakecuda.model.memory.memory import Import, Mapped, Placed, Registered
    from fakecuda.model.memory.multicast import Fabric
    from fakecuda.model.memory.pool import Pooled
    from fakecuda.model.memory.va import Mapping
    from fakecuda.model.work.stream_order import Captured, Order

    Memory: TypeAlias = Placed | Registered | Mapped | Import | Mapping | Pooled

LEGACY, PER_THREAD = 1, 2
"""CU_STREAM_LEGACY and CU_STREAM_PER_THREAD."""
NON_BLOCKING = 1
"""CU_STREAM_NON_BLOCKING."""

_numbers = count(1)


def tick() -> int:
    """Return the next work number."""
    return next(_numbers)


@define(eq=False)
class Stream(history.Lifetime):
    """A stream of a context.

    Attributes:
        handle: The CUstream. LEGACY or PER_THREAD for the default streams.
        context: Its context.
        flags: CUstream_flags.
        priority: Its priority. Lower numbers are more urgent.
        identity: What cuStreamGetId returns. 0 for a default stream before that call.
        attributes: Attributes that were set, by CUstreamAttrID.
        work: The work that is not done yet, oldest first.
        follows: The number in each other stream up to which an event orders that stream's work before this one's.
        order: The order of its later work for the detection of races. None while the host knows all of its work to be
            done.
        origin: The stream in the parent process, if this one is a fork's copy.
        taken: Whether work of a fork has taken the next place in its queue. None while it has no queue on the device.
        destroyed: Whether cuStreamDestroy ended it. False for a stream that ended with its context.
    """

    words = ("created", "ended")
    handle: int
    context: Context
    flags: int
    priority: int
    identity: int = 0
    created: history.Stack = field(default=history.NOWHERE, repr=False)  # positional arguments are faster
    attributes: dict[int, Any] = field(factory=dict)
    work: deque[Work] = field(factory=deque, repr=False)
    follows: dict[Stream, int] = field(factory=dict, repr=False)
    order: Order | None = field(default=None, repr=False)
    origin: Stream | None = field(default=None, repr=False)
    taken: bool | None = None
    destroyed: bool = False

    @effect()
    def set_attribute(self, attribute: int, value: object) -> None:
        """Set an attribute (CUstreamAttrID) for work that is submitted later."""
        self.attributes[attribute] = value

    @effect()
    def set_priority(self, priority: int) -> None:
        """Set the priority of the stream."""
        self.priority = priority

    @effect()
    def copy_attributes(self, source: Stream) -> None:
        """Copy all attributes of another stream, including its priority."""
        self.attributes = dict(source.attributes)
        self.priority = source.priority

    @effect()
    def identify(self) -> int:
        """Return the stream's id, which is unique in its process.

        A default stream gets it at the first call.
        """
        if not self.identity:
            self.identity = next(self.context.process.stream_identities)
        return self.identity

    def beside(self, other: Stream) -> str:
        """Return the stream's handle, and what distinguishes it from an equal handle.

        That is its context for default streams, and the id that cuStreamGetId returns for others.
        """
        if self.handle != other.handle:
            return f"{self.handle:#x}"
        if self.handle <= PER_THREAD or self.context is not other.context:
            return f"{self.handle:#x} of {self.context}"
        return f"{self.handle:#x} (id {self.identity}{', destroyed' if self.destroyed else ''})"

    def __repr__(self) -> str:
        state = "destroyed " if self.destroyed else ""
        kind = {LEGACY: "legacy default ", PER_THREAD: "per-thread default "}.get(self.handle, "")
        return f"{state}{kind}stream {self.handle:#x} of {self.context}"


class Needs(NamedTuple):
    """The requirements of work at its execution.

    Attributes:
        memory: The memory that it reads or writes.
        grants: The access to mapped memory that it needs.
        peers: The contexts that its context needs peer access to.
        fault: The code that it fails with if something is missing.
        written: The memory that it writes: first addresses and bytes. A kernel does not say.
    """

    memory: tuple[Memory, ...] = ()
    grants: tuple[tuple[Mapping, int], ...] = ()
    peers: tuple[Context, ...] = ()
    fault: int = Result.LAUNCH_FAILED
    written: tuple[tuple[int, int], ...] = ()

    def met(self, context: Context) -> bool:
        """Return whether all requirements of work in a context are met."""
        memory, ordinal = context.process.memory, context.device.ordinal
        return (
            all(memory.at(item.start) is item for item in self.memory)
            and all(mapping.access.get(ordinal, 0) & access == access for mapping, access in self.grants)
            and context.peers.issuperset(self.peers)
        )


NOTHING = Needs()


class Condition(Protocol):
    """A condition that work waits for; its text describes it."""

    @property
    def memory(self) -> DeviceMemory | HostMemory | Fabric | None:
        """The memory of the condition; None for a condition on other work."""

    def __call__(self) -> bool:
        """Return whether the condition holds."""


def nothing() -> None:
    """Do nothing to memory, as at the end of a wait, an allocation or a barrier."""


@define(eq=False)
class Work:
    """A piece of work of a stream.

    Attributes:
        stream: The stream.
        act: Executes the work.
        ready: The condition that it waits for. None without one.
        hosted: Whether it is a host function, which the context's worker calls.
        stays: Whether it is executed even if other work of the context has failed.
        left: Whether a call without a stream has left it to the stream.
        needs: What it needs when it is executed.
        number: Its number among all work.
        running: Whether the worker has it, as a host function or as a copy that another OS process helps with.
        begun: Whether the worker has begun it.
        done: Whether it no longer holds up anything: it was executed, or its context ended.
        order: For a host function, the work that the host knows to be done when the function begins.
        queued: The stack of the call that queued it.
    """

    stream: Stream
    act: Callable[[], None] = field(repr=False)
    ready: Condition | None = field(default=None, repr=False)
    hosted: bool = False
    stays: bool = False
    left: bool = False
    needs: Needs = field(default=NOTHING, repr=False)
    number: int = field(factory=tick)
    running: bool = False
    begun: bool = False
    done: bool = False
    order: Captured | None = field(default=None, repr=False)
    queued: history.Stack = field(factory=lambda: history.here(history.OURS), repr=False)


@define(eq=False)
class After:
    """The condition that other work is done.

    Attributes:
        work: The other work.
        memory: None.
    """

    work: Sequence[Work]
    memory: ClassVar[None] = None

    def __call__(self) -> bool:
        """Return whether all the other work is done."""
        return all(work.done for work in self.work)

    def __str__(self) -> str:
        streams = dict.fromkeys(work.stream for work in self.work if not work.done)
        return f"work of {', '.join(map(str, streams))}"
