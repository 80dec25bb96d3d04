"""Timelines: a row for each stream and for the host of each process, in the order of the calls."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.explain.pictures.steps import HOST, Lane, Reader, Step
from fakecuda.explain.pictures.svg import PAD, Drawing, Picture, width_of
from fakecuda.explain.reports.text import exactly
from fakecuda.model.history import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fakecuda.model.finding import Finding
    from fakecuda.model.machine import Machine

    Record = tuple[Any, ...]

PITCH, BOX = 44, 18
"""The distance between rows, and the height of a box."""
LEAD = 14
"""The distance between the starts of two calls."""
ARROW = 28
"""The space for an arrow between two boxes."""
CORNER = 6
"""The distance from a box's corner to an arrow."""
MOST, MOST_LANES, MOST_RACES = 40, 12, 6
"""The maximum number of steps, of rows and of races to draw."""
UNIT = 1 << 10
"""The factor between units of bytes."""
RACE = "stream.race.ACCESSES_ARE_ORDERED"


@define(eq=False)
class Race:
    """Two unordered accesses.

    Attributes:
        first: The earlier one.
        then: What does not come after it.
        finding: What was said of them.
    """

    first: Step
    then: Step
    finding: Finding

    @property
    def bytes(self) -> str:
        """The bytes of the earlier access as text."""
        size = self.finding.facts["earlier"].size
        return exactly(size) if size % UNIT == 0 else counted(size, "byte")


def draw(machine: Machine, finding: Finding | None = None) -> Picture:
    """Return the timeline of a machine's recorded calls.

    Args:
        machine: The machine.
        finding: What it ends with: later calls are left out. None for all calls and the last findings.
    """
    with machine.lock:
        records = list(machine.calls)
        found = machine.findings[-MOST_RACES:] if finding is None else [finding]
    pairs = [(one, _earlier(one, records), _broken(one, records)) for one in found]
    if finding is not None and pairs[0][2] is not None:
        del records[next(number for number, one in enumerate(records, 1) if one is pairs[0][2]) :]
    reader = Reader({id(record) for pair in pairs for record in pair[1:]})
    for record in records:
        reader.read(record)
    races = []
    for one, earlier, broken in pairs:
        first, then = (reader.of.get(id(record)) for record in (earlier, broken))
        for step in (first, then):
            if step is not None:
                step.kind = "race"
        if first is not None and then is not None:
            races.append(Race(first, then, one))
    steps = reader.steps
    if finding is not None and races:
        steps = [step for step in steps if step.kind != "ground"]  # what makes and ends memory orders nothing
    return Picture(_Timeline(steps, races).drawn())


def _broken(finding: Finding, records: Iterable[Record]) -> Record | None:
    """Return the record of a finding's call."""
    behind = _behind(finding.before, records)
    return next((one for one in behind if (one[1].name, one[0].process.name) == (finding.call, finding.process)), None)


def _earlier(finding: Finding, records: Iterable[Record]) -> Record | None:
    """Return the record of a race's earlier access; None for other findings."""
    if finding.rule.id != RACE:
        return None
    return next(_behind(finding.facts["earlier"].operation.before, records), None)


def _behind(before: Record | None, records: Iterable[Record]) -> Iterator[Record]:
    """Yield the records after one; none if it is no longer kept."""
    rest = iter(records)
    if before is None or any(one is before for one in rest):
        yield from rest


@define
class _Timeline:
    """The layout of a timeline.

    Attributes:
        steps: All steps.
        races: The races to show.
    """

    steps: Sequence[Step]
    races: Sequence[Race]
    _drawing: Drawing = field(factory=lambda: Drawing("Calls in their order, a row for each stream and each host"))
    _tops: dict[Lane, float] = field(factory=dict)
    _begins: dict[Step, float] = field(factory=dict)
    _ends: dict[Step, float] = field(factory=dict)
    _arrows: Counter[tuple[Lane, bool]] = field(factory=Counter)
    _left_out: Counter[Lane] = field(factory=Counter)

    def drawn(self) -> str:
        """Return the picture of the timeline."""
        shown, hidden = self._shown()
        if not shown:
            self._drawing.text(PAD, PAD + BOX, "no call was made that gives a stream work, or shares memory", "beside")
            return self._drawing.svg()
        bottom = self._rows(shown, top=BOX + PAD if hidden else PAD)
        self._place(shown, hidden)
        for step in shown:
            for one in step.after:
                if one in self._ends:
                    self._arrow(one, step, "event" if step.kind == "sharing" else "line")
        for race in self.races:
            self._arrow(race.first, race.then, "missing", race.bytes)
        for step in shown:
            left, top = self._begins[step], self._tops[step.lane]
            self._drawing.box(left, top, self._ends[step] - left, BOX, step.kind)
            self._drawing.text(left + PAD / 2, top + 13, step.words)
        if self._left_out:
            words = f"and {len(self._left_out)} more rows, of {self._left_out.total()} calls"
            self._drawing.text(2 * PAD, bottom + 13, words, "beside")
            bottom += BOX + PAD
        for race in self.races:
            bottom = self._tell(race, bottom)
        return self._drawing.svg()

    def _shown(self) -> tuple[list[Step], dict[Step, int]]:
        """Return the steps to draw, with the number of omitted calls before each."""
        chosen = dict.fromkeys(
            one for race in self.races for step in (race.first, race.then) for one in (step, *step.after)
        )
        lanes = list(dict.fromkeys(step.lane for step in (*chosen, *reversed(self.steps))))
        further = set(lanes[MOST_LANES:])
        self._left_out = Counter(dict.fromkeys(further, 0))
        for step in self.steps:
            if step.lane in further:
                self._left_out[step.lane] += step.count
        kept = [step for step in self.steps if step.lane in lanes[:MOST_LANES]]
        others = [step for step in kept if step not in chosen]
        chosen |= dict.fromkeys(others[max(0, len(others) + len(chosen) - MOST) :])
        hidden: dict[Step, int] = {}
        missing = 0
        for step in kept:
            if step not in chosen:
                missing += step.count
            elif missing:
                hidden[step], missing = missing, 0
        return [step for step in kept if step in chosen], hidden

    def _rows(self, shown: Iterable[Step], top: float) -> float:
        """Place the rows, grouped by process; return the end."""
        lanes: dict[str, dict[Lane, None]] = {}
        for step in shown:
            lanes.setdefault(step.lane.process, {})[step.lane] = None
        for process, those in lanes.items():
            self._drawing.text(PAD, top + 13, f"process {process}", "heading")
            top += BOX + PAD
            for lane in sorted(those, key=lambda lane: lane.name != HOST):
                self._drawing.text(2 * PAD, top + 13, lane.name, "beside")
                self._tops[lane] = top
                top += PITCH
        return top - PITCH + BOX + 2 * PAD

    def _place(self, shown: Sequence[Step], hidden: Mapping[Step, int]) -> None:
        """Place the steps in their rows, in order, with marks for omitted calls."""
        front = left = max(width_of(lane.name) for lane in self._tops) + 4 * PAD
        ends = dict.fromkeys(self._tops, left)
        races = {race.then: race for race in self.races}
        for step in shown:
            x = max(front, ends[step.lane] + PAD, *(self._ends.get(one, 0) + ARROW for one in step.after))
            if step in races:
                x = max(x, self._ends[races[step].first] + ARROW + width_of(races[step].bytes))
            if step in hidden:
                x = self._more(hidden[step], x)
            self._begins[step] = x
            self._ends[step] = ends[step.lane] = x + width_of(step.words) + PAD
            front = self._ends[step] + PAD if step.waits else x + LEAD
        right = max(self._ends.values()) + PAD
        for lane, top in self._tops.items():
            begin = min(self._begins[step] for step in shown if step.lane is lane)
            self._drawing.line((begin, top + BOX / 2), (right, top + BOX / 2))

    def _more(self, number: int, x: float) -> float:
        """Draw a mark for omitted calls; return the next position."""
        words = f"… {number} more"
        self._drawing.text(x, PAD + 10, words, "beside")
        return x + width_of(words) + PAD

    def _arrow(self, first: Step, then: Step, style: str, words: str = "") -> None:
        """Draw an arrow from the end of a step to the start of a step in another row."""
        source, target = self._tops[first.lane], self._tops[then.lane]
        down = target > source
        number = self._arrows[then.lane, down] = self._arrows[then.lane, down] + 1
        gap = 7 + number % 3 * 3
        middle = target - gap if down else target + BOX + gap
        x, end = self._ends[first] - CORNER, self._begins[then] + CORNER
        places = [(x, source + BOX * down), (x, middle), (end, middle), (end, target + BOX * (not down))]
        self._drawing.line(*places, arrow=True, style=style)
        if words:
            self._drawing.text(x + CORNER, middle - 3 if down else middle + 10, words, "wrong")

    def _tell(self, race: Race, y: float) -> float:
        """Write below the rows which order a race lacks; return the next position."""
        facts = race.finding.facts
        for words in (
            f"no order: {race.then.call} does not come after {facts['earlier']}",
            f"missing: {facts['missing']}",
        ):
            self._drawing.text(PAD, y + 13, words, "wrong" if words.startswith("no") else "beside")
            y += BOX
        return y + PAD
