"""The happens-before order of accesses, which a program has established.

Each operation of a stream has a number, which increases over all streams. The order of a stream's next work is a vector
clock: for each other stream the number up to which it comes after that stream's work. An event copies its stream's
clock. A stream that waits for the event takes the copy over. Work that the host has waited for is known to be done, in
every thread and every process. A call that starts after another has returned comes after that call.

Whether work is already done makes no difference here. A model that does it at once finds the same races as a model
that does it late. A stream may wait for a host function or for a value. Its later work may come after anything that
happens until then. Until the wait is over, that work and all work after it are not judged. A stream that has waited for
a value comes after what is before all writes that may have ended the wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.effect import effect
from fakecuda.model.memory.shadow_memory import Memory
from fakecuda.model.work.accesses import ALLOCATES, UPDATES, Operation
from fakecuda.model.work.host_accesses import HostAccesses
from fakecuda.model.work.stream import LEGACY, NON_BLOCKING
from fakecuda.model.work.stream_order import Order, Passing
from fakecuda.model.work.written_values import WrittenValues

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Iterable

    from fakecuda.model.context import Context
    from fakecuda.model.history import Stack
    from fakecuda.model.machine import Machine
    from fakecuda.model.memory.pool import Pooled
    from fakecuda.model.memory.transfer import Pieces
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.accesses import Access, Place, Use
    from fakecuda.model.work.stream import Stream, Work
    from fakecuda.model.work.stream_order import Captured
    from fakecuda.model.work.written_values import Wait
    from fakecuda.spec.orders import Order as OrderOfCalls

MOST_STREAMS = 1_000
"""The most streams with work. Beyond that all records are dropped, so that a program that never waits does not need
ever more memory."""


class Races:
    """The order of a machine's accesses, for reports.

    No answer of a call depends on it.

    Args:
        calls: The records of the machine's last calls.
        strict: Whether only the orders count that the manual promises.

    Attributes:
        strict: The same.
        streams: Streams with work that the host does not know to be done.
        memory: The accesses of their work.
        blind: Whether work is under way whose accesses are unknown.
        synchronous: Whether there is memory for which calls without a stream wait, as the program has said.
        values: The values that streams write and wait for.
        host: The host memory that their copies and memsets use. None if accesses of the host are not looked for.
    """

    __slots__ = (
        "_calls",
        "_number",
        "_waits",
        "blind",
        "host",
        "memory",
        "streams",
        "strict",
        "synchronous",
        "values",
    )

    def __init__(self, calls: deque[tuple[Any, ...]], *, strict: bool = False) -> None:
        self._calls = calls
        self.strict = strict
        self.streams: dict[Stream, None] = {}
        self._number = 0
        self.memory = Memory()
        self._waits: dict[Context, Order] = {}
        self.values = WrittenValues()
        self.blind = self.synchronous = False
        self.host: HostAccesses | None = None

    # What streams do

    def step(self, stream: Stream) -> Order:
        """Return the order of a stream's next work, with its number in ``last``."""
        order = stream.order
        if order is None:
            order = self._enter(stream)
        self._number = order.last = self._number + 1
        if not stream.flags & NON_BLOCKING and len(self.streams) > 1:
            for other in self._before(stream):
                order.join(other)
        return order

    def number(self, operation: Operation) -> Order:
        """Give work its number before it is kept, and return the order of its stream."""
        order = self.step(operation.stream)
        operation.number = order.last
        return order

    def _enter(self, stream: Stream) -> Order:
        if self.streams:
            if len(self.streams) >= MOST_STREAMS:
                self.forget()
            self.memory.enter()
        self._number = number = self._number + 1
        order = stream.order = Order(number)
        self.streams[stream] = None
        if self._waits:
            wait = self._waits.get(stream.context)
            if wait is not None:
                order.follow((wait.after, wait.unsure))
        return order

    def _before(self, stream: Stream) -> Iterable[Stream]:
        """Return the streams that precede a stream's work, by legacy stream rules."""
        context = stream.context
        if stream.handle == LEGACY:
            return [
                other
                for other in self.streams
                if other.context is context and not other.flags & NON_BLOCKING and other is not stream
            ]
        legacy = context.default_streams.get(LEGACY)
        return () if legacy is None else (legacy,)

    def captured(self, stream: Stream) -> Captured | None:
        """Return what an event captures in a stream.

        None if the host knows all work to be done.
        """
        order = stream.order
        if order is None:
            if not self.streams:
                return None
            order = self._enter(stream)
        if not stream.flags & NON_BLOCKING:
            self.step(stream)
        return {**order.after, stream: order.last}, order.unsure

    def captured_of(self, context: Context) -> Captured:
        """Return what an event captures in all streams of a context."""
        order = Order()
        for stream in self.streams:
            if stream.context is context:
                order.join(stream)
        return order.after, order.unsure

    def follow(self, stream: Stream, captured: Captured) -> None:
        """Order a stream's later work after a captured event."""
        self.step(stream).follow(captured, stream)

    def follow_in(self, context: Context, captured: Captured) -> None:
        """Order all later work of a context after a captured event."""
        self._waits.setdefault(context, Order()).follow(captured)
        for stream in self.streams:
            if stream.context is context and stream.order is not None:
                # No work was given to the stream: the legacy stream does not come after others.
                self._number = stream.order.last = self._number + 1
                stream.order.follow(captured, stream)

    def wonder(self, stream: Stream, work: Work) -> None:
        """Order a stream's later work after a wait with an unknown past, until the wait is over."""
        self.step(stream).unsure += (work,)

    def pass_through(self, stream: Stream) -> None:
        """Record work of a stream without memory use; it still orders streams."""
        if self.streams and not stream.flags & NON_BLOCKING:
            self.step(stream)

    def lose_track(self, stream: Stream) -> None:
        """Record that the order of a stream's later work is unknown until it is done."""
        order = self.step(stream)
        for one in order.unsure:
            if isinstance(one, Passing) and one.stream is stream:
                one.number = order.last
                return
        order.unsure += (Passing(stream, order.last),)

    def follow_value(self, stream: Stream, wait: Wait) -> None:
        """Order a stream's later work after what may have ended a wait for a value."""
        ended = self._ended_by(wait)
        if ended is None:
            self.follow_all(stream)
            return
        for captured in ended:
            self.follow(stream, captured)

    def follow_strong(self, stream: Stream, pieces: Pieces) -> None:
        """Order a stream's next work after strong stores of other streams to memory that it reads by strong loads."""
        self.step(stream)
        for piece in pieces:
            for _, operation in self.memory.within([piece]):
                if operation.stream is not stream and not operation.seen and operation.writes(*piece, (UPDATES,)):
                    self.follow(stream, operation.order)

    def _ended_by(self, wait: Wait) -> list[Captured] | None:
        """Return what may have ended a wait for a value; None if anything may have."""
        return None if self.blind else self.values.ended_by(wait, self.memory, self._resolved)

    def _resolved(self, captured: Captured) -> Captured:
        """Return a capture in which the waits for values that have ended stand for what may have ended them."""
        unsure = captured[1]
        if not unsure or not all(work.done for work in unsure):
            return captured
        return self.values.before(captured, self._ended_by, self.streams), ()

    def lose_sight(self) -> None:
        """Record that work with unknown accesses is in flight, which may write any value."""
        self.blind = True

    def wonder_about(self, stream: Stream, work: Work, wait: Wait) -> None:
        """Order a stream's later work after a wait for a value, once that is over."""
        self.wonder(stream, work)
        self.values.wait(work, wait)

    def follow_all(self, stream: Stream) -> None:
        """Order a stream's later work after all work that exists.

        Any of it may have ended the stream's wait for a value.
        """
        order = self.step(stream)
        for other in self.streams:
            if other is not stream:
                order.join(other)

    def sure(self, stream: Stream, order: Order) -> bool:
        """Return whether the full order of a stream's next work is known."""
        if order.unsure:
            if not all(work.done for work in order.unsure):
                return False
            waited, order.unsure = order.unsure, ()
            for work in waited:
                if work in self.values.awaited:
                    self.follow_value(stream, self.values.awaited[work])
                else:
                    self.follow_all(stream)
        return True

    def is_free(self, stream: Stream, uses: Iterable[Use]) -> bool:
        """Return whether a stream's next work follows no work and shares no memory."""
        if stream.order is not None or self._waits:
            return False
        for other in self._before(stream):
            if other.order is not None:
                return False
        for _, _, pieces, _ in uses:
            for piece in pieces:
                if self.memory.knows(*piece):
                    return False
        return True

    def synchronise(self) -> None:
        """Record that synchronous calls wait for some memory (SYNC_MEMOPS)."""
        self.synchronous = True

    # What the host knows

    def takes(self, order: OrderOfCalls) -> bool:
        """Return whether an order of calls counts in this reading of the manual."""
        return not self.strict or order.promised

    def watch_host(self, machine: Machine) -> None:
        """Watch for host accesses from now on."""
        if self.host is None:
            self.host = HostAccesses(self, machine)

    def seen(self, captured: Captured) -> None:
        """Record that the work before a captured event is done."""
        after = self.values.before(captured, self._ended_by, self.streams) if captured[1] else captured[0]
        for stream, number in after.items():
            order = stream.order
            if order is None:
                continue
            if number >= order.last:
                stream.order = None
                del self.streams[stream]
            else:
                order.seen = max(order.seen, number)
        if not self.streams:
            self.forget()
        elif self.host is not None:
            self.host.look()

    def seen_stream(self, stream: Stream) -> None:
        """Record that all work of a stream is done.

        For the legacy stream, also of the streams that block on it.
        """
        if stream.order is None:
            if stream.handle != LEGACY or not self.streams:
                return
        elif len(self.streams) == 1:
            self.forget()
            return
        order = Order()
        order.join(stream)
        if stream.handle == LEGACY:
            for other in self._before(stream):
                order.join(other)
        self.seen((order.after, order.unsure))

    def seen_context(self, context: Context) -> None:
        """Record that all work of a context is done."""
        for stream in self.streams:
            if stream.context is context:
                self.seen(self.captured_of(context))
                return

    def end(self, process: Process) -> None:
        """Drop the work of a process that ends."""
        for context in {stream.context for stream in self.streams if stream.context.process is process}:
            self.seen_context(context)

    def forget(self) -> None:
        """Drop all records, as if all work were done."""
        for stream in self.streams:
            stream.order = None
        if self.host is not None:
            self.host.look()
        self.streams.clear()
        self.memory.relax()
        if self._waits:
            self._waits.clear()
        if self.values.words or self.values.awaited:
            self.values.clear()
        self.blind = False

    # Accesses are effects of their call, so a call that is refused before it acts leaves none.

    @effect()
    def repeat(self, operation: Operation, order: Order, stack: Stack) -> None:
        """Record a repetition of unchanged work, which keeps its order.

        Args:
            operation: The work.
            order: The order of the work.
            stack: The stack that called.
        """
        calls = self._calls
        operation.number, operation.after, operation.stack = self._number, order.after, stack
        operation.before = calls[-1] if calls else None

    @effect()
    def keep(self, operation: Operation, order: Order, stack: Stack) -> None:
        """Record the accesses of a stream's latest work, until it is known to be done.

        Args:
            operation: The work.
            order: The order of the work.
            stack: The stack that called.
        """
        calls, memory = self._calls, self.memory
        operation.number, operation.after, operation.stack = self._number, order.after, stack
        operation.before = calls[-1] if calls else None
        if len(self.streams) == 1:
            memory.note(operation)
        else:
            memory.keep(operation, order.after)

    @effect()
    def doubt(self, operation: Operation) -> None:
        """Record that kept work has a race, so that its repetition is checked again."""
        operation.current = False

    @effect()
    def put_by(self, place: Place, what: tuple[Any, ...], uses: tuple[Use, ...], order: Order, stack: Stack) -> None:
        """Defer the check of work on bytes that no other work can have used.

        The arguments are those of :class:`Operation` and :meth:`keep`.
        """
        record = self._calls[-1] if self._calls else None
        self.memory.put_by.append((place, what, uses, self._number, order.after, stack, record))

    def name(self, access: Access) -> None:
        """Set the name of the call that made an access, if the log still has its record."""
        self.memory.tell(access.operation)
        calls, before = iter(self._calls), access.operation.before
        if before is None or any(record is before for record in calls):
            access.call = next((str(op.name) for _, op, *_ in calls), "")

    def allocated(self, item: Pooled, stream: Stream) -> None:
        """Record that pool memory is allocated in a stream.

        The pool has waited for earlier users.
        """
        order = self.step(stream)
        if self.sure(stream, order):
            use = ALLOCATES, (item.start, item.size), [(item.extent, item.offset, item.span)], None
            self.keep(Operation((stream, item.start, item.start), use, (use,)), order, item.created)
