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

from fakecuda.model.accesses import ALLOCATES, Memory, Operation
from fakecuda.model.effect import effect
from fakecuda.model.stream import LEGACY, NON_BLOCKING

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Iterable, Iterator

    from fakecuda.model.accesses import Access, Use
    from fakecuda.model.context import Context
    from fakecuda.model.history import Stack
    from fakecuda.model.pool import Pooled
    from fakecuda.model.process import Process
    from fakecuda.model.stream import Stream, Work
    from fakecuda.model.transfer import Pieces

MOST_STREAMS = 1_000
"""Where more of them have work than that, all is forgotten: a program that never waits needs no more memory for ever."""

MOST_LATE = 64
"""Works that are noted before they are entered: with many of them the collector would be due for what they keep."""


class Order:
    """What the next work of a stream comes after, or what an event has captured.

    Args:
        seen: Up to which number the host knows that the stream's work is done.

    Attributes:
        last: The number of the stream's last operation.
        seen: As given.
        after: Up to which number it comes after the work of other streams.
        unsure: What it comes after, and what may come after anything itself.
    """

    __slots__ = ("after", "last", "seen", "unsure")

    def __init__(self, seen: int = 0) -> None:
        self.last = 0
        self.seen = seen
        self.after: dict[Stream, int] = {}
        self.unsure: tuple[Work, ...] = ()

    def follow(self, other: Order) -> None:
        """Come after what another one comes after."""
        after = self.after
        if after:
            for stream, number in other.after.items():
                if number > after.get(stream, 0):
                    after[stream] = number
        else:
            after.update(other.after)
        if other.unsure:
            self.unsure += tuple(work for work in other.unsure if not work.done and work not in self.unsure)

    def captured(self, stream: Stream) -> Order:
        """Return what comes after all that the stream was given whose order this is."""
        order = Order()
        order.after = self.after.copy()
        order.after[stream] = self.last
        order.unsure = self.unsure
        return order

    def join(self, stream: Stream) -> None:
        """Come after all that a stream was given, too."""
        order = stream.order
        if order is not None and self.after.get(stream, 0) < order.last:
            self.follow(order)
            self.after[stream] = order.last


class Races:
    """The order of a machine's accesses. It tells of calls, as the log does: nothing that a call answers rests on it.

    Args:
        calls: The records of the machine's last calls.

    Attributes:
        streams: Those with work that the host does not know to be done.
    """

    __slots__ = ("_calls", "_late", "_memory", "_number", "_waits", "streams")

    def __init__(self, calls: deque[tuple[Any, ...]]) -> None:
        self._calls = calls
        self._late: list[tuple[Stream, int, tuple[Use, ...], Stack, tuple[Any, ...] | None]] = []
        self.streams: dict[Stream, None] = {}
        self._number = 0
        self._memory = Memory()
        self._waits: dict[Context, Order] = {}

    # What streams do

    def step(self, stream: Stream) -> Order:
        """Return what a stream's next work comes after; its number is the ``last`` of that."""
        order = stream.order
        if order is None:
            order = self._enter(stream)
        if len(self.streams) > 1 and not stream.flags & NON_BLOCKING:
            for other in self._before(stream):
                order.join(other)
        self._number = order.last = self._number + 1
        return order

    def _enter(self, stream: Stream) -> Order:
        if len(self.streams) >= MOST_STREAMS:
            self.forget()
        order = stream.order = Order(self._number)
        self.streams[stream] = None
        if self._waits:
            wait = self._waits.get(stream.context)
            if wait is not None:
                order.follow(wait)
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

    def captured(self, stream: Stream) -> Order | None:
        """Return what an event captures that is recorded in a stream; None where all is known to be done."""
        if not self.streams:
            return None
        return self.step(stream).captured(stream)

    def captured_of(self, context: Context) -> Order:
        """Return what an event captures of all of a context."""
        order = Order()
        for stream in self.streams:
            if stream.context is context:
                order.join(stream)
        return order

    def follow(self, stream: Stream, captured: Order) -> None:
        """Have a stream's later work come after what an event has captured."""
        self.step(stream).follow(captured)

    def follow_in(self, context: Context, captured: Order) -> None:
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

    # What the host knows

    def seen(self, captured: Order) -> None:
        """Note that what an event has captured is done."""
        for stream, number in captured.after.items():
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
        self.seen(order)

    def seen_context(self, context: Context) -> None:
        """Note that all work of a context is done."""
        if self.streams:
            self.seen(self.captured_of(context))

    def end(self, process: Process) -> None:
        """Forget the work of a process that ends."""
        for context in {stream.context for stream in self.streams if stream.context.process is process}:
            self.seen_context(context)

    def forget(self) -> None:
        """Forget all: it counts as done."""
        for stream in self.streams:
            stream.order = None
        self.streams.clear()
        self._memory.clear()
        self._late.clear()
        if self._waits:
            self._waits.clear()

    # Accesses: effects of the call, so that one which is refused before it acts leaves none

    @effect()
    def note(self, stream: Stream, uses: tuple[Use, ...], stack: Stack) -> None:
        """Note what the work does that a stream was given last, when no other stream has work.

        Nobody asks for it before another stream has, or before memory ends: by then the host mostly knows it to be done.
        """
        calls, late = self._calls, self._late
        late.append((stream, self._number, uses, stack, calls[-1] if calls else None))
        if len(late) >= MOST_LATE:
            self._catch_up()

    def _catch_up(self) -> None:
        """Keep what was only noted: of what was done again and again, the last."""
        last: dict[tuple[Stream, str, int, int], tuple[Operation, Use]] = {}
        for work in reversed(self._late):
            operation = None
            for use in reversed(work[2]):
                does, address, size, _, _ = use
                what = work[0], does, address, size
                if what not in last:
                    operation = operation or Operation(*work)
                    last[what] = operation, use
        self._late.clear()
        for operation, use in reversed(last.values()):
            order = operation.stream.order
            if order is not None and operation.number > order.seen:
                self._memory.keep(operation, (use,), order.after)

    def judge(self, stream: Stream, uses: tuple[Use, ...], stack: Stack) -> tuple[Operation, Access | None]:
        """Return the work that a stream was given last, and an access that it does not come after though it has to.

        Args:
            stream: The stream.
            uses: What the work does.
            stack: The stack that called.
        """
        if self._late:
            self._catch_up()
        order, calls = stream.order, self._calls
        assert order is not None
        operation = Operation(stream, order.last, uses, stack, calls[-1] if calls else None)
        return operation, self._memory.conflict(operation, order.after)

    @effect()
    def keep(self, operation: Operation) -> None:
        """Keep what work does until the host knows that it is done."""
        order = operation.stream.order
        assert order is not None
        self._memory.keep(operation, operation.uses, order.after)

    def name(self, access: Access) -> None:
        """Find the call that an access was made by, unless its record is no longer there."""
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
        self._catch_up()
        for extent, operation in self._memory.within(pieces):
            if operation.stream.context.process is process and not operation.seen:
                yield from operation.within(extent, start, end)

    def allocated(self, item: Pooled, stream: Stream) -> None:
        """Note that memory of a pool comes to be in a stream; whoever had it before the pool has waited for."""
        if self.sure(stream, self.step(stream)):
            use = ALLOCATES, item.start, item.size, [(item.extent, item.offset, item.span)], None
            self.note(stream, (use,), item.created)
