"""Lanes: the branches of one launch, for the detection of races.

A stream's work has one order. While a launch gives nodes to the stream, each node begins with the order of the launch and of the
nodes before it on a path of edges. When it has been given, its accesses move to a lane: a stream that only the detector knows. So
an event that a node records, a value that it writes and a host function that it calls come after the nodes before it, and not
after those beside it. Later work of the stream comes after all lanes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.effect import effect
from fakecuda.model.work.stream import NON_BLOCKING, Stream
from fakecuda.model.work.stream_order import Order

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fakecuda.model.graph.branches import Position
    from fakecuda.model.graph.executables import Step
    from fakecuda.model.work.happens_before import Races

MOST = 100
"""The most nodes of a graph whose branches have lanes. The nodes of a larger graph count as a row."""
MOST_STREAMS = 500
"""The most streams and lanes with work before a launch that makes lanes."""


class Lanes:
    """The lanes of a launch.

    Args:
        races: The order of accesses.
        stream: The stream of the launch.
        positions: The positions of the steps.
    """

    __slots__ = ("_before", "_first", "_lanes", "_positions", "_races", "_step", "_stream", "_unsure")

    def __init__(self, races: Races, stream: Stream, positions: Mapping[Step, Position]) -> None:
        self._races = races
        self._stream = stream
        self._positions = positions
        self._lanes: dict[int, Stream] = {}
        self._step: Step | None = None
        self._first = 0
        races.memory.enter()
        order = races.step(stream)
        self._before = {**order.after, stream: order.last}
        self._unsure = order.unsure

    @effect()
    def begin(self, step: Step) -> None:
        """End the step before, and begin a step behind those that come before it."""
        self._end()
        self._step = step
        before = self._positions[step].before
        self._first = self._follow(lane for bit, lane in self._lanes.items() if bit & before)
        self._races.made = []

    @effect()
    def close(self) -> None:
        """End the last step, and order the stream's later work after all steps."""
        self._end()
        self._follow(self._lanes.values())

    def _follow(self, lanes: Iterable[Stream]) -> int:
        """Order the stream's next work after the launch and some lanes, and return its number."""
        order = self._races.step(self._stream)
        order.after, order.unsure, order.since = self._before, self._unsure, order.last
        for lane in lanes:
            order.join(lane)
        return order.last

    def _end(self) -> None:
        """Move what the present step has done to a lane, unless the host knows that it is done."""
        races, stream, order = self._races, self._stream, self._stream.order
        made, races.made = races.made, None
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
        self._lanes[self._positions[self._step].bit] = lane
