"""Events: their records, their times, and their IPC handles."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.effect import effect
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.stream import LEGACY, NON_BLOCKING, After, Stream, nothing, tick
from fakecuda.spec import orders

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fakecuda.model.context import Context
    from fakecuda.model.work.stream import Work
    from fakecuda.model.work.stream_order import Captured

INTERPROCESS = 4
"""CU_EVENT_INTERPROCESS: other processes can open the event."""


@define(eq=False)
class Event(history.Lifetime):
    """An event of a context.

    Attributes:
        handle: The CUevent.
        context: Its context. For an opened event, the context that opened it.
        flags: CUevent_flags.
        recorded: The time of its last record in ticks of the machine's clock. None until its work is done.
        work: The work of its last record. None once that is done.
        records: How often it was recorded.
        captured: The number in each stream up to which its last record comes after the stream's work.
        order: The same for the detection of races, without work that the host knew to be done.
        ipc_handle: The 64 bytes by which other processes open it. Empty before its first export.
        exported: For an opened event, the event of the exporting process.
        place: Its index among the interprocess events of its context. -1 for other events.
        destroyed: Whether cuEventDestroy ended it. False for an event that ended with its context.
    """

    words = ("created", "ended")
    handle: int
    context: Context
    flags: int
    created: history.Stack = field(default=history.NOWHERE, repr=False)  # positional arguments are faster
    recorded: int | None = None
    work: Work | None = field(default=None, repr=False)
    records: int = 0
    captured: dict[Stream, int] = field(factory=dict, repr=False)
    order: Captured | None = field(default=None, repr=False)
    ipc_handle: bytes = field(default=b"", repr=False)
    exported: Event | None = field(default=None, repr=False)
    place: int = -1
    destroyed: bool = False

    @property
    def interprocess(self) -> bool:
        """Whether other processes can open the event, or this one has opened it."""
        return bool(self.flags & INTERPROCESS) or self.exported is not None

    @effect()
    def record(self, stream: Stream, after: Iterable[Work] | None = None) -> None:
        """Record the event after all current work of a stream.

        This replaces an earlier record.

        Args:
            stream: The stream.
            after: Work of other streams that the record also waits for. None for the stream's work alone.
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
        """Record the event after all work of its context."""
        context = self.context
        streams = [stream for stream in context.process.machine.scheduler.pending if stream.context is context]
        self.record(Stream(0, context, NON_BLOCKING, 0), [stream.work[-1] for stream in streams])

    @effect()
    @orders.makes(orders.AWAITED_EVENT)
    def precede(self, stream: Stream) -> None:
        """Order a stream's later work after the event's last record."""
        event = self.exported or self
        for other, number in event.captured.items():
            stream.follows[other] = max(number, stream.follows.get(other, 0))
        races = stream.context.process.machine.races
        if races is not None and races.streams:
            if event.order is not None:
                races.follow(stream, event.order)
            elif event.records:
                races.pass_through(stream)
        work = self.pending
        if work is not None:
            stream_scheduler.submit(stream, nothing, After((work,)))
        elif event.records and stream.handle == LEGACY:  # an H200 orders blocking streams by such a wait
            stream_scheduler.submit(stream, nothing)

    @effect()
    @orders.makes(orders.AWAITED_IN_CONTEXT)
    def precede_all(self, context: Context) -> None:
        """Order all later work of a context after the event's last record."""
        event, races = self.exported or self, context.process.machine.races
        if races is not None and event.order is not None:
            races.follow_in(context, event.order)
        if self.pending:
            stream_scheduler.close_gate(context, self.pending)

    @effect()
    def export(self) -> bytes:
        """Return the 64-byte IPC handle of the event, the same each time."""
        if not self.ipc_handle:
            process = self.context.process
            machine = process.machine
            self.ipc_handle = machine.random_bytes(64)
            process.ipc.exports.append(self.ipc_handle)
            process.ipc.shares = True
            machine.exchange.exported_events[self.ipc_handle] = self
        return self.ipc_handle

    @effect()
    def take_time(self, number: int) -> None:
        """Complete a record, unless the event was recorded again since.

        Args:
            number: The number of the record, among the event's records.
        """
        if number == self.records:
            self.recorded = self.context.process.machine.clock.record()
            self.work = None

    @property
    def pending(self) -> Work | None:
        """The work that the event waits for, also for an opened event.

        None once that is done.
        """
        work = (self.exported or self).work
        return None if work is None or work.done else work

    def __repr__(self) -> str:
        return f"{'destroyed ' if self.destroyed else ''}event {self.handle:#x} of {self.context}"
