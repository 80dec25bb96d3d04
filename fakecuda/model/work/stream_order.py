"""The happens-before order of one stream's work: a vector clock with open waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.work.accesses import Use
    from fakecuda.model.work.stream import Stream, Work

    Cell = tuple[Extent, int]
    """A place in memory: an extent and an offset in it."""
    Unsure = tuple[Work | "Passing", ...]
    Captured = tuple[Mapping[Stream, int], Unsure]
    """The work that something comes after: the number in each stream, and open waits."""

NOTHING: Mapping[Any, int] = {}


class Order:
    """The work that comes before the next work of a stream.

    Args:
        number: The number at which the stream gets its first work.

    Attributes:
        last: The number of the stream's last operation.
        seen: The number up to which the host knows the stream's work to be done.
        after: The number in each other stream up to which its work comes before. Several orders may share one mapping.
        since: The number since which ``after`` is unchanged.
        unsure: Waits before it that are not over yet, and whose own past is therefore unknown.
        now: The last work that a call without a stream has left to the stream, by the first address that it uses of some
            memory: its number, and what comes before it.
    """

    __slots__ = ("after", "last", "now", "seen", "since", "unsure")

    def __init__(self, number: int = 0) -> None:
        self.last = self.seen = self.since = number
        self.after: Mapping[Stream, int] = NOTHING
        self.unsure: Unsure = ()
        self.now: dict[int, tuple[int, Captured]] = {}

    def left(self, uses: Iterable[Use]) -> None:
        """Record memory uses that a synchronous call has left to the stream's latest work."""
        now = self.now
        if self.seen >= next(reversed(now.values()), (0,))[0]:
            now.clear()
        for _, (start, _), _, _ in uses:
            now.pop(start, None)  # the latest stand last
            now[start] = self.last, (self.after, self.unsure)

    def follow(self, captured: Captured, stream: Stream | None = None) -> None:
        """Order later work after a captured event.

        Args:
            captured: What the event has captured.
            stream: The stream of this order, if it has one.
        """
        theirs, unsure = captured
        if not self.after or (stream is not None and theirs.get(stream, 0) >= self.since):
            self.after = theirs  # contains all that this order came after
        else:
            after = dict(self.after)
            for one, number in theirs.items():
                if number > after.get(one, 0):
                    after[one] = number
            self.after = after
        self.since = self.last
        if unsure:
            # A wait for a value that has ended still says whose work came before.
            self.unsure += tuple(work for work in unsure if not (work.done and work.hosted) and work not in self.unsure)

    def join(self, stream: Stream) -> None:
        """Order later work after all work in a stream."""
        order = stream.order
        if order is not None and self.after.get(stream, 0) < order.last:
            self.follow(({**order.after, stream: order.last}, order.unsure))


class Passing:
    """Work that may wait in memory for any other work, such as a kernel's polls.

    Args:
        stream: Its stream.
        number: Its number.
    """

    __slots__ = ("number", "stream")
    hosted = True  # once it is done, it says nothing of other streams, as a host function

    def __init__(self, stream: Stream, number: int) -> None:
        self.stream = stream
        self.number = number

    @property
    def done(self) -> bool:
        """Whether the host knows that it is done."""
        order = self.stream.order
        return order is None or order.seen >= self.number


def joined(captured: Iterable[Captured]) -> Captured:
    """Return the union of several captures."""
    order = Order()
    for one in captured:
        order.follow(one)
    return order.after, order.unsure


def common(captured: Iterable[Captured]) -> Captured:
    """Return the intersection of several captures; earlier waits make it unknown."""
    (after, unsure), *others = captured
    for theirs, waits in others:
        after = {stream: min(number, theirs[stream]) for stream, number in after.items() if stream in theirs}
        unsure += tuple(work for work in waits if work not in unsure)
    return after, unsure
