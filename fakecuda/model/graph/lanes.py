"""Lanes: the branches of one launch, for race detection.

A stream's work has one order. While a launch gives nodes to the stream, each node begins with the order of the launch and of the
nodes before it on a path of edges. When it has been given, its accesses move to a lane: a stream that only the detector knows. So
an event that a node records, a value that it writes and a host function that it calls come after the nodes before it, and not
after those beside it. Later work of the stream comes after all lanes. If nodes beside each other record one event, any of them
may do it last, so the event comes after what is before all of them. A node that waits for an event beside nodes that record it
may also wait for the record before the launch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.effect import effect
from fakecuda.model.graph.graph import EVENT_RECORD, WAIT_EVENT
from fakecuda.model.work.stream import NON_BLOCKING, Stream
from fakecuda.model.work.stream_order import NOTHING, Order, common, joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fakecuda.model.graph.branches import Position
    from fakecuda.model.graph.executables import Step
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.happens_before import Races
    from fakecuda.model.work.stream_order import Captured

NONE: Captured = (NOTHING, ())
"""The captured work of an event without records."""
MOST = 100
"""The maximum nodes of a graph with lanes; a larger graph counts as a sequence."""
MOST_STREAMS = 500
"""The maximum streams and lanes with work before a launch that makes lanes."""


class Records:
    """The records of an event.

    Args:
        earlier: What the event has captured before the launch.

    Attributes:
        earlier: The same.
        nodes: The nodes of the launch that record it.
        last: What each of these has captured that may be the last one so far, by its bit.
    """

    __slots__ = ("earlier", "last", "nodes")

    def __init__(self, earlier: Captured | None) -> None:
        self.earlier = earlier
        self.nodes: list[Position] = []
        self.last: dict[int, Captured] = {}


class Lanes:
    """The lanes of a launch.

    Args:
        races: The order of accesses.
        stream: The stream of the launch.
        positions: The positions of the steps.
        records: The steps that record events.
    """

    __slots__ = (
        "_before",
        "_first",
        "_lanes",
        "_positions",
        "_races",
        "_records",
        "_step",
        "_stream",
        "_unsure",
        "_waiting",
    )

    def __init__(
        self, races: Races, stream: Stream, positions: Mapping[Step, Position], records: Iterable[Step]
    ) -> None:
        self._races = races
        self._stream = stream
        self._positions = positions
        self._lanes: dict[int, Stream] = {}
        self._records: dict[Event, Records] = {}
        self._waiting: tuple[Event, Captured | None] | None = None
        self._step: Step | None = None
        self._first = 0
        for step in records:
            event = _event(step)
            if event not in self._records:
                self._records[event] = Records(event.order)
            self._records[event].nodes.append(positions[step])
        races.memory.enter()
        order = races.step(stream)
        self._before = {**order.after, stream: order.last}
        self._unsure = order.unsure

    @effect()
    def begin(self, step: Step) -> None:
        """End the previous step, and begin a step after its dependencies."""
        self._end()
        self._step = step
        before = self._positions[step].before
        self._first = self._follow([lane for bit, lane in self._lanes.items() if bit & before] if before else ())
        self._races.made = []
        if step.kind == WAIT_EVENT:
            self._choose(step)

    @effect()
    def close(self) -> None:
        """End the last step, and order the stream's later work after all steps."""
        self._end()
        self._follow(self._lanes.values())

    def _follow(self, lanes: Iterable[Stream]) -> int:
        """Order the stream's next work after the launch and some lanes; return its number."""
        order = self._races.step(self._stream)
        order.after, order.unsure, order.since = self._before, self._unsure, order.last
        for lane in lanes:
            order.join(lane)
        return order.last

    def _end(self) -> None:
        """Move the work of the current step to a lane, unless the host knows it is done."""
        races, stream, order = self._races, self._stream, self._stream.order
        made, races.made = races.made, None
        if self._waiting is not None:
            awaited, kept = self._waiting
            awaited.order = kept
            self._waiting = None
        if self._step is None or order is None:
            return
        races.memory.enter()
        lane = Stream(stream.handle, stream.context, NON_BLOCKING, 0, stream.identity, stream.created)
        lane.order = Order(order.last)
        lane.order.seen = self._first - 1
        lane.order.after, lane.order.unsure = order.after, order.unsure
        races.streams[lane] = None
        for operation in made or ():
            races.memory.tell(operation)
            operation.stream = lane
        position = self._positions[self._step]
        self._lanes[position.bit] = lane
        if self._step.kind == EVENT_RECORD:
            self._record(_event(self._step), position)

    def _record(self, event: Event, position: Position) -> None:
        """Order an event after all records of it that may be the last."""
        records = self._records[event]
        if len(records.nodes) > 1:
            last = {bit: order for bit, order in records.last.items() if not bit & position.before}
            last[position.bit] = event.order or NONE
            records.last = last
            event.order = common(last.values())

    def _choose(self, step: Step) -> None:
        """Order a node after each event record that it may wait for."""
        event = _event(step)
        position = self._positions[step]
        nodes = self._not_after(event, position)
        beside = [one for one in nodes if not one.bit & position.before]
        if not beside:
            return
        self._waiting = event, event.order
        event.order = NONE
        if len(beside) == len(nodes):
            event.order = common([self._records[event].earlier or NONE, *(self._awaited(one.before) for one in beside)])

    def _not_after(self, event: Event, position: Position) -> list[Position]:
        """Return the nodes that record an event and do not come after a node."""
        records = self._records.get(event)
        return [] if records is None else [one for one in records.nodes if not position.bit & one.before]

    def _awaited(self, before: int) -> Captured:
        """Return the events before the launch that some nodes wait for."""
        found = []
        for step, position in self._positions.items():
            if step.kind == WAIT_EVENT and position.bit & before:
                event = _event(step)
                if not self._not_after(event, position):
                    records = self._records.get(event)
                    found.append((event.order if records is None else records.earlier) or NONE)
        return joined(found)


def _event(step: Step) -> Event:
    """Return the event of an event node; for an opened event, the exporter's."""
    event: Event = step.params
    return event.exported or event
