"""What work comes after which: the order of accesses that a program has asked for.

Each operation of a stream has a number, which grows over all streams. What a stream's next work comes after is up to which
number of each other stream: a vector clock. An event takes a copy of its stream's; who waits for the event takes that over.
What the host has waited for is known to be done, by every thread and every process: a call that starts when another has
returned comes after it.

Whether work is done, and when, makes no difference here: a model that does it at once tells as much as one that does it late.
A stream that waits for a function of the host, or for a value that is not there yet, may come after whatever the host or
others do until then. Until it has come, nothing is said of the stream's work, nor of what comes after that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.effect import effect
from fakecuda.model.memory.shadow_memory import Memory
from fakecuda.model.work.accesses import ALLOCATES, Operation
from fakecuda.model.work.stream import LEGACY, NON_BLOCKING

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Iterable, Iterator, Mapping

    from fakecuda.model.context import Context
    from fakecuda.model.history import Stack
    from fakecuda.model.memory.pool import Pooled
    from fakecuda.model.memory.transfer import Pieces
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.accesses import Access, Place, Use
    from fakecuda.model.work.stream import Stream, Work

    Captured = tuple[Mapping[Stream, int], tuple[Work, ...]]
    """Up to which number something comes after the work of streams, and what it comes after that may come after anything."""

NOTHING: Mapping[Any, int] = {}
MOST_STREAMS = 1_000
"""Where more of them have work than that, all is forgotten: a program that never waits needs no more memory for ever."""


class Order:
    """What the next work of a stream comes after.

    Args:
        number: The place among all work that it has.

    Attributes:
        last: The number of the stream's last operation.
        seen: Up to which number the host knows that the stream's work is done.
        after: Up to which number it comes after the work of other streams; several orders may have the same one.
        since: The number since which it comes after no more than that.
        unsure: What it comes after, and what may come after anything itself.
    """

    __slots__ = ("after", "last", "seen", "since", "unsure")

    def __init__(self, number: int = 0) -> None:
        self.last = self.seen = self.since = number
        self.after: Mapping[Stream, int] = NOTHING
        self.unsure: tuple[Work, ...] = ()

    def follow(self, captured: Captured, stream: Stream | None = None) -> None:
        """Come after what an event has captured, from the last number on.

        Args:
            captured: What it has captured.
            stream: The stream whose order this is, if it is one's.
        """
        theirs, unsure = captured
        if not self.after or (stream is not None and theirs.get(stream, 0) >= self.since):
            self.after = theirs  # with all that this one came after
        else:
            after = dict(self.after)
            for one, number in theirs.items():
                if number > after.get(one, 0):
                    after[one] = number
            self.after = after
        self.since = self.last
        if unsure:
            self.unsure += tuple(work for work in unsure if not work.done and work not in self.unsure)

    def join(self, stream: Stream) -> None:
        """Come after all that a stream was given, too."""
        order = stream.order
        if order is not None and self.after.get(stream, 0) < order.last:
            self.follow(({**order.after, stream: order.last}, order.unsure))


class Races:
    """The order of a machine's accesses. It tells of calls, as the log does: nothing that a call answers rests on it.

    Args:
        calls: The records of the machine's last calls.

    Attributes:
        streams: Those with work that the host does not know to be done.
        memory: What their work does.
    """

    __slots__ = ("_calls", "_number", "_waits", "memory", "streams")

    def __init__(self, calls: deque[tuple[Any, ...]]) -> None:
        self._calls = calls
        self.streams: dict[Stream, None] = {}
        self._number = 0
        self.memory = Memory()
        self._waits: dict[Context, Order] = {}

    # What streams do

    def step(self, stream: Stream) -> Order:
        """Return what a stream's next work comes after; its number is the ``last`` of that."""
        order = stream.order
        if order is None:
            order = self._enter(stream)
        self._number = order.last = self._number + 1
        if not stream.flags & NON_BLOCKING and len(self.streams) > 1:
            for other in self._before(stream):
                order.join(other)
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
        """Return the streams whose work comes before that of a blocking one, for one of them is the legacy stream."""
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
        """Return what an event captures that is recorded in a stream; None where all is known to be done."""
        order = stream.order
        if order is None:
            if not self.streams:
                return None
            order = self._enter(stream)
        if not stream.flags & NON_BLOCKING:
            self.step(stream)
        return {**order.after, stream: order.last}, order.unsure

    def captured_of(self, context: Context) -> Captured:
        """Return what an event captures of all of a context."""
        order = Order()
        for stream in self.streams:
            if stream.context is context:
                order.join(stream)
        return order.after, order.unsure

    def follow(self, stream: Stream, captured: Captured) -> None:
        """Have a stream's later work come after what an event has captured."""
        self.step(stream).follow(captured, stream)

    def follow_in(self, context: Context, captured: Captured) -> None:
        """Have all later work of a context come after what an event has captured."""
        self._waits.setdefault(context, Order()).follow(captured)
        for stream in list(self.streams):
            if stream.context is context:
                self.follow(stream, captured)

    def wonder(self, stream: Stream, work: Work) -> None:
        """Have a stream's later work come after some that may come after anything, until that is done."""
        self.step(stream).unsure += (work,)

    def follow_all(self, stream: Stream) -> None:
        """Have a stream's later work come after all that there is: it has waited for a value that anybody may have written."""
        order = self.step(stream)
        for other in self.streams:
            if other is not stream:
                order.join(other)

    def sure(self, stream: Stream, order: Order) -> bool:
        """Return whether all is known that a stream's next work comes after."""
        if order.unsure:
            if not all(work.done for work in order.unsure):
                return False
            order.unsure = ()
            self.follow_all(stream)
        return True

    def is_free(self, stream: Stream, uses: Iterable[Use]) -> bool:
        """Return whether a stream's next work comes after nothing, and uses memory that no other work uses."""
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

    # What the host knows

    def seen(self, captured: Captured) -> None:
        """Note that what an event has captured is done."""
        for stream, number in captured[0].items():
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

    def seen_stream(self, stream: Stream) -> None:
        """Note that all work of a stream is done; of the legacy one, that of the streams that block on it, too."""
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
        """Note that all work of a context is done."""
        for stream in self.streams:
            if stream.context is context:
                self.seen(self.captured_of(context))
                return

    def end(self, process: Process) -> None:
        """Forget the work of a process that ends."""
        for context in {stream.context for stream in self.streams if stream.context.process is process}:
            self.seen_context(context)

    def forget(self) -> None:
        """Forget all: it counts as done."""
        for stream in self.streams:
            stream.order = None
        self.streams.clear()
        self.memory.relax()
        if self._waits:
            self._waits.clear()

    # Accesses: effects of the call, so that one which is refused before it acts leaves none

    @effect()
    def repeat(self, operation: Operation, stack: Stack) -> None:
        """Note that a stream was given work last that is current: it has the order to all others that it had.

        Args:
            operation: The work.
            stack: The stack that called.
        """
        calls = self._calls
        operation.number = self._number
        operation.stack = stack
        operation.before = calls[-1] if calls else None

    @effect()
    def keep(self, operation: Operation, order: Order, stack: Stack, *, ordered: bool = True) -> None:
        """Keep what work does that a stream was given last, until the host knows that it is done.

        Args:
            operation: The work.
            order: What it comes after.
            stack: The stack that called.
            ordered: Whether it comes after all that it has to.
        """
        calls, memory = self._calls, self.memory
        operation.number = self._number
        operation.stack = stack
        operation.before = calls[-1] if calls else None
        if len(self.streams) == 1:
            memory.note(operation)
        else:
            memory.keep(operation, order.after, ordered=ordered)

    @effect()
    def put_by(self, place: Place, what: tuple[Any, ...], uses: tuple[Use, ...], stack: Stack) -> None:
        """Keep what work does to bytes that nobody else can have used; arguments as of :class:`Operation` and :meth:`keep`."""
        calls = self._calls
        self.memory.put_by.append((place, what, uses, self._number, stack, calls[-1] if calls else None))

    def name(self, access: Access) -> None:
        """Find the call that an access was made by, unless its record is no longer there."""
        self.memory.tell(access.operation)
        calls, before = iter(self._calls), access.operation.before
        if before is None or any(record is before for record in calls):
            access.call = next((str(op.name) for _, op, *_ in calls), "")

    def of(self, process: Process, start: int, end: int, pieces: Pieces) -> Iterator[Access]:
        """Yield what is not known to be done of a process's accesses by some addresses.

        Args:
            process: The process.
            start: The first address.
            end: The address after the last.
            pieces: The memory behind them.
        """
        self.memory.enter()
        for extent, operation in self.memory.within(pieces):
            if operation.stream.context.process is process and not operation.seen:
                yield from operation.within(extent, start, end)

    def allocated(self, item: Pooled, stream: Stream) -> None:
        """Note that memory of a pool comes to be in a stream; whoever had it before the pool has waited for."""
        order = self.step(stream)
        if self.sure(stream, order):
            use = ALLOCATES, (item.start, item.size), [(item.extent, item.offset, item.span)], None
            self.keep(Operation((stream, item.start, item.start), use, (use,)), order, item.created)
