"""Programs drawn by chance: what is reported is what a search through all earlier accesses finds."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from attrs import define, field

from fakecuda import Machine, UndefinedBehaviour
from fakecuda.model.finding import Finding
from tests.model.racing import BLOCKING, LEGACY, NON_BLOCKING
from tests.model.world import done, started

if TYPE_CHECKING:
    from collections.abc import Iterable

    Range = tuple[int, int]

DEFAULT, BLOCKS, STREAMS = 3, 4, 5
"""The legacy default stream, a blocking stream, and the number of streams."""
SEEDS = 12
"""The seeds of programs."""
PLACES, MORE, UNIT = 12, 10_000, 16
"""Ranges of memory: units in two allocations, and the unit in bytes."""
NEW = 0.6
"""The fraction of work with units beyond all used ones."""
Clock = dict[int, int]


@define(eq=False)
class Past:
    """An earlier access.

    Attributes:
        stream: Which stream made it.
        number: Its place among the work of the stream.
        units: What it has used, allocation and unit.
        writes: Whether it has written that.
    """

    stream: int
    number: int
    units: frozenset[Range]
    writes: bool


@define(eq=False)
class Oracle:
    """All work of streams, and the predecessors of each stream's next work."""

    clocks: list[Clock] = field(factory=lambda: [{} for _ in range(STREAMS)])
    done: list[int] = field(factory=lambda: [0] * STREAMS)
    seen: list[Clock] = field(factory=lambda: [{}])
    past: list[Past] = field(factory=list)
    events: dict[int, Clock] = field(factory=dict)

    def races(self, stream: int, units: frozenset[Range], *, writes: bool) -> bool:
        """Return whether an access comes after all that it has to."""
        after = self.clocks[stream]
        return any(
            one.stream != stream
            and (writes or one.writes)
            and one.units & units
            and one.number > max(after.get(one.stream, 0), self.seen[0].get(one.stream, 0))
            for one in self.past
        )

    def use(self, stream: int, uses: Iterable[tuple[frozenset[Range], bool]]) -> None:
        """Have a stream use memory."""
        self.done[stream] += 1
        self.past += [Past(stream, self.done[stream], units, writes) for units, writes in uses]

    def now(self, stream: int) -> Clock:
        """Return what comes after all that a stream was given."""
        return {**self.clocks[stream], stream: self.done[stream]}

    def meet(self, stream: int) -> None:
        """Have a stream come after what the default stream and those that block on it order."""
        if stream >= DEFAULT:
            self.follow(self.clocks[stream], self.now(DEFAULT + BLOCKS - stream))

    def follow(self, clock: Clock, other: Clock) -> None:
        """Have one come after what the other comes after."""
        for stream, number in other.items():
            clock[stream] = max(number, clock.get(stream, 0))


class Drawn:
    """A program that is drawn while it runs.

    Args:
        machine: The machine.
        seed: What it is drawn from.
        new: How much of its work uses units behind all that were used.
    """

    def __init__(self, machine: Machine, seed: int, new: float = 0) -> None:
        self.new, self.ends, self.places = new, [0, 0], MORE if new else PLACES
        self.chance = random.Random(seed)  # noqa: S311 - no secrets
        self.c: Any = started(machine, name="a").c
        self.streams = [int(done(self.c.cuStreamCreate(NON_BLOCKING))) for _ in range(DEFAULT)]
        self.streams += [LEGACY, int(done(self.c.cuStreamCreate(BLOCKING)))]
        self.events = [int(done(self.c.cuEventCreate(0))) for _ in range(3)]
        self.memory = [int(done(self.c.cuMemAlloc(self.places * UNIT))) for _ in range(2)]
        self.oracle = Oracle()
        self.found = 0

    def place(self) -> tuple[int, int, frozenset[Range]]:
        """Draw an address, bytes, and which units these are: mostly one of few ranges."""
        one = self.chance.randrange(2)
        if self.chance.random() < self.new:
            start = self.ends[one]
        else:
            first = max(0, self.ends[one] - PLACES)
            start = first + self.chance.choice((0, 0, 0, 4, 4, self.chance.randrange(PLACES)))
        count = min(self.chance.choice((4, 4, 4, 1, 2, 8)), self.places - start)
        if self.new:
            self.ends[one] = max(self.ends[one], start + count)
        units = frozenset((one, number) for number in range(start, start + count))
        return self.memory[one] + start * UNIT, count * UNIT, units

    def use(self, stream: int) -> None:
        """Have a stream set memory, or copy it: it is reported if the oracle says so."""
        dst, size, written = self.place()
        src, most, _ = self.place()
        handle, oracle = self.streams[stream], self.oracle
        oracle.meet(stream)
        if self.chance.random() < 0.5 or most < size or abs(src - dst) < size:
            uses = [(written, True)]
            call = partial(self.c.cuMemsetD8Async, dst, 1, size, handle)
        else:
            one = int(src >= self.memory[1] and self.memory[1] > self.memory[0])
            first = (src - self.memory[one]) // UNIT
            read = frozenset((one, first + number) for number in range(size // UNIT))
            uses = [(written, True), (read, False)]
            call = partial(self.c.cuMemcpyDtoDAsync, dst, src, size, handle)
        if any(oracle.races(stream, units, writes=writes) for units, writes in uses):
            with pytest.raises(UndefinedBehaviour):
                call()
            self.found += 1
        else:
            done(call())
            oracle.use(stream, uses)

    def order(self, stream: int) -> None:
        """Order something: by an event, or by a wait of the host."""
        oracle, handle, event = self.oracle, self.streams[stream], self.chance.randrange(3)
        kind = self.chance.choice("rrrrwwwwwwsec" if self.chance.random() < 0.2 else "rrwww")
        if kind in "rw" or (kind == "s" and stream == DEFAULT):
            oracle.meet(stream)
        if kind == "r":
            done(self.c.cuEventRecord(self.events[event], handle))
            oracle.events[event] = oracle.now(stream)
        elif kind == "w":
            done(self.c.cuStreamWaitEvent(handle, self.events[event], 0))
            oracle.follow(oracle.clocks[stream], oracle.events.get(event, {}))
        elif kind == "s":
            done(self.c.cuStreamSynchronize(handle))
            oracle.follow(oracle.seen[0], oracle.now(stream))
        elif kind == "e":
            done(self.c.cuEventSynchronize(self.events[event]))
            oracle.follow(oracle.seen[0], oracle.events.get(event, {}))
        else:
            done(self.c.cuCtxSynchronize())
            for one in range(STREAMS):
                oracle.follow(oracle.seen[0], oracle.now(one))


@pytest.mark.parametrize("new", [0, NEW])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_programs_by_chance(seed: int, new: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each access is reported if it has no order to one of all that were before, and only then."""
    monkeypatch.setattr(Finding, "told", lambda _: "")  # texts take most of the time, and no check reads them
    with Machine("h200", seed=1) as machine:
        drawn = Drawn(machine, seed, new)
        for _ in range(600):
            streams = STREAMS if drawn.chance.random() < 0.9 else 1
            (drawn.use if drawn.chance.random() < 0.5 else drawn.order)(drawn.chance.randrange(streams))
        assert drawn.found
