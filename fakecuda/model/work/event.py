"""Events: what they are, what time they hold, and what their IPC handles name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.effect import effect
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.stream import NON_BLOCKING, After, Stream, tick

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fakecuda.model.context import Context
    from fakecuda.model.work.happens_before import Captured
    from fakecuda.model.work.stream import Work

INTERPROCESS = 4
"""CU_EVENT_INTERPROCESS: other processes can open the event."""


@define(eq=False)
class Event(history.Lifetime):
    """An event of a context.

    Attributes:
        handle: The CUevent.
        context: Its context; of an opened one, that of the opener.
        flags: CUevent_flags.
        recorded: When its work was done, ticks of the machine's clock; None before that.
        work: The work that its last record put in a stream, None when that is done.
        records: How often it was recorded.
        captured: Up to which place its last record comes after the work of streams.
        order: What its last record comes after, as far as the host did not know that to be done.
        ipc_handle: The 64 bytes by which other processes open it; none before somebody asked.
        exported: The event of another process that an opened one stands for.
        place: Its place among those of its context that other processes can open; -1 where it is none of them.
        destroyed: Whether cuEventDestroy ended it; one that went with its context was not destroyed.
    """

    words = ("created", "ended")
    handle: int
    context: Context
    flags: int
    created: history.Stack = field(default=history.NOWHERE, repr=False)  # by position, which is faster
    recorded: int | None = None
    work: Work | None = field(default=None, repr=False)
    records: int = 0
    captured: dict[Stream, int] = field(factory=dict, repr=False)
    order: Captured | None = field(default=None, repr=False)
    ipc_handle: bytes = field(default=b"", repr=False)
    exported: Event | None = field(default=None, repr=False)
    place: int = -1
    destroyed: bool = False

    @effect()
    def record(self, stream: Stream, after: Iterable[Work] | None = None) -> None:
        """Take the time when all that is in a stream now is done; an earlier record counts no more.

        Args:
            stream: The stream.
            after: Work of other streams that it waits for too: all of the context's; None for the stream's alone.
        """
        event = self.exported or self
        races = stream.context.process.machine.races
        if races is not None:
            event.order = races.captured(stream) if after is None else races.captured_of(stream.context)
        event.records += 1
        event.captured = {**stream.follows, stream: tick()}
        awaited = [work for work in after or () if not work.done]
        event.work = None
        event.work = stream_scheduler.submit(
            stream, partial(event.take_time, event.records), After(awaited) if awaited else None
        )

    @effect()
    def record_all(self) -> None:
        """Take the time when all work of the event's context is done."""
        context = self.context
        streams = [stream for stream in context.process.machine.scheduler.pending if stream.context is context]
        self.record(Stream(0, context, NON_BLOCKING, 0), [stream.work[-1] for stream in streams])

    @effect()
    def precede(self, stream: Stream) -> None:
        """Have a stream's later work come after what its last record captured."""
        event = self.exported or self
        for other, number in event.captured.items():
            stream.follows[other] = max(number, stream.follows.get(other, 0))
        races = stream.context.process.machine.races
        if races is not None and races.streams and event.order is not None:
            races.follow(stream, event.order)
        work = self.pending
        if work is not None:
            stream_scheduler.submit(stream, _nothing, After((work,)))

    @effect()
    def precede_all(self, context: Context) -> None:
        """Have all later work of a context come after what its last record captured."""
        event, races = self.exported or self, context.process.machine.races
        if races is not None and event.order is not None:
            races.follow_in(context, event.order)
        if self.pending:
            stream_scheduler.close_gate(context, self.pending)

    @effect()
    def export(self) -> bytes:
        """Return the 64 bytes by which other processes open it, the same each time."""
        if not self.ipc_handle:
            process = self.context.process
            machine = process.machine
            self.ipc_handle = machine.random_bytes(64)
            process.exports.append(self.ipc_handle)
            machine.exchange.exported_events[self.ipc_handle] = self
        return self.ipc_handle

    @effect()
    def take_time(self, number: int) -> None:
        """Note that the work of a record is done, unless another record was made since.

        Args:
            number: Which record it was.
        """
        if number == self.records:
            self.recorded = self.context.process.machine.clock.record()
            self.work = None

    @property
    def pending(self) -> Work | None:
        """The work that it waits for, its own or that of the event that it stands for; None when that is done."""
        work = (self.exported or self).work
        return None if work is None or work.done else work

    def __repr__(self) -> str:
        return f"{'destroyed ' if self.destroyed else ''}event {self.handle:#x} of {self.context}"


def _nothing() -> None:
    """Do what the end of a wait does: nothing."""
