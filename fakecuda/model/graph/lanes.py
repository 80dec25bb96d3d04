"""Lanes: the branches of one launch.

Each node of a launch has a lane, a stream that no program sees. It begins behind the launch and behind the lanes of the nodes
before it on a path of edges, and later work of the launch's stream comes after all lanes. So a branch that waits holds up no
other branch. An event that a node records, a value that it writes and a host function that it calls come after the nodes
before it, and not after those beside it. The nodes are given branch by branch, as an H200 does: a branch whole before the next
one, in the order in which nodes were added. The last of several records of an event counts, and a node waits for the record
before it. A device may choose another order. For the detection of races, the event therefore comes after what is before all of
the records. A node that waits for an event beside nodes that record it may also wait for the record before the launch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.effect import effect
from fakecuda.model.graph.graph import EVENT_RECORD, WAIT_EVENT
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.stream import NON_BLOCKING, After, Stream, nothing, tick
from fakecuda.model.work.stream_order import NOTHING, Order, common, joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fakecuda.model.graph.branches import Position
    from fakecuda.model.graph.executables import Step
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.happens_before import Races
    from fakecuda.model.work.stream_order import Captured, Unsure

NONE: Captured = (NOTHING, ())
"""The captured work of an event without records."""
MOST = 100
"""The most nodes of a graph whose branches have lanes. The nodes of a larger graph are a row."""
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
        races: The order of accesses. None if it is not recorded.
        stream: The stream of the launch.
        positions: The positions of the steps.
        records: The steps that record events.
    """

    __slots__ = (
        "_before",
        "_fork",
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
        self, races: Races | None, stream: Stream, positions: Mapping[Step, Position], records: Iterable[Step]
    ) -> None:
        self._races = races
        self._stream = stream
        self._positions = positions
        self._lanes: dict[int, Stream] = {}
        self._records: dict[Event, Records] = {}
        self._waiting: tuple[Event, Captured | None] | None = None
        self._step: Step | None = None
        for step in records:
            event = _event(step)
            if event not in self._records:
                self._records[event] = Records(event.order)
            self._records[event].nodes.append(positions[step])
        self._fork = stream_scheduler.submit(stream, nothing)
        self._before: Mapping[Stream, int] = NOTHING
        self._unsure: Unsure = ()
        if races is not None:
            races.memory.enter()
            races.values.shown = []
            order = races.step(stream)
            self._before = {**order.after, stream: order.last}
            self._unsure = order.unsure

    @effect()
    def begin(self, step: Step) -> Stream:
        """End the step before, and return the lane of a step, behind those that come before it."""
        self._end()
        self._step = step
        position, stream = self._positions[step], self._stream
        earlier = [lane for bit, lane in self._lanes.items() if bit & position.before]
        lane = Stream(
            *(stream.handle, stream.context, NON_BLOCKING, stream.priority, stream.identity, stream.created),
            attributes=stream.attributes,
            follows={**stream.follows, stream: tick()},
            origin=stream.origin,
            taken=stream.taken,
        )
        self._lanes[position.bit] = lane
        for other in earlier:
            lane.follows.update(other.follows)
        works = [other.work[-1] for other in earlier if other.work]
        if works or self._fork is not None:
            stream_scheduler.submit(lane, nothing, After([*works, *([] if self._fork is None else [self._fork])]))
        races = self._races
        if races is not None:
            lane.order = Order(races.step(stream).last)
            self._follow(lane.order, earlier)
            races.streams[lane] = None
            if step.kind == WAIT_EVENT:
                self._choose(step)
        return lane

    @effect()
    def close(self) -> None:
        """End the last step, and order the stream's later work after all steps."""
        self._end()
        works = [lane.work[-1] for lane in self._lanes.values() if lane.work]
        if works:
            stream_scheduler.submit(self._stream, nothing, After(works))
        races = self._races
        if races is not None:
            self._follow(races.step(self._stream), self._lanes.values())
            shown, races.values.shown = races.values.shown, None
            for one in shown or ():
                races.seen(one)

    def _follow(self, order: Order, lanes: Iterable[Stream]) -> None:
        """Let an order come after what is before the launch, and after some lanes."""
        order.after, order.unsure, order.since = self._before, self._unsure, order.last
        for lane in lanes:
            order.join(lane)

    def _end(self) -> None:
        """End the present step."""
        if self._waiting is not None:
            event, kept = self._waiting
            event.order = kept
            self._waiting = None
        step = self._step
        if step is not None and step.kind == EVENT_RECORD and self._races is not None:
            self._record(_event(step), self._positions[step])

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
