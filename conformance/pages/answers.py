"""Answers of drivers: the recordings, and the shortest program of each code."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from conformance.kit.program import OTHER_STEPS, SKIPPED
from conformance.record.recordings import ROOT, RecordingError, files, place_of
from conformance.record.replay import recording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from conformance.kit.program import Answer, Program, Step
    from conformance.record.recordings import Header

WORLD = "world"
"""The step at which the earlier state of a program ends."""


@frozen
class Place:
    """The place of an answer of a driver.

    Attributes:
        path: The file.
        number: The program's place in it.
        first: The first step that has to do with it.
        last: The step that was answered.
        label: The case; empty where the program is none.
    """

    path: Path
    number: int
    first: int
    last: int
    label: str

    @property
    def machine(self) -> str:
        """The machine that answered."""
        return self.path.parent.name

    @property
    def length(self) -> int:
        """The number of steps before the answer."""
        return self.last - self.first + 1

    def program(self) -> Program:
        """Return the program."""
        found = recording(self.path)
        assert not isinstance(found, RecordingError)
        return found.programs[self.number]


@define
class Heard:
    """The answers of machines with one code to one call.

    Attributes:
        counts: How often, by machine.
        best: The shortest program.
    """

    counts: Counter[str] = field(factory=Counter)
    best: Place | None = None


@define
class Machine:
    """The recordings of a machine.

    Attributes:
        headers: What its files say of themselves.
        programs: How many programs.
        answers: How many answers of a driver.
        codes: By call the codes that it answered, with how often.
    """

    headers: list[Header] = field(factory=list)
    programs: int = 0
    answers: int = 0
    codes: dict[str, Counter[int]] = field(factory=dict)


@frozen
class Comparison:
    """Programs that ran on several machines, compared step by step.

    Attributes:
        programs: How many, by the machines.
        answers: How many of their answers were compared.
        codes: Where codes differ: the program, the call, and by machine the code.
        values: Where codes agree and results do not, by call and result: how often, and by machine one of each.
    """

    programs: Counter[tuple[str, ...]] = field(factory=Counter)
    answers: Counter[tuple[str, ...]] = field(factory=Counter)
    codes: list[tuple[str, str, dict[str, int]]] = field(factory=list)
    values: dict[tuple[str, str], tuple[int, dict[str, Any]]] = field(factory=dict)


@define
class Answers:
    """The contents of the recordings.

    Attributes:
        heard: By call and code.
        cases: By label of a case and code, where its call was answered so.
        machines: By name.
        damaged: Files that cannot be read, with the reason.
    """

    heard: dict[tuple[str, int], Heard] = field(factory=dict)
    cases: dict[tuple[str, int], Place] = field(factory=dict)
    machines: dict[str, Machine] = field(factory=dict)
    damaged: list[str] = field(factory=list)
    _same: dict[int, dict[str, list[Answer]]] = field(factory=dict)
    _names: dict[int, tuple[str, list[str]]] = field(factory=dict)

    @classmethod
    def read(cls) -> Answers:
        """Return the contents of all recordings."""
        made = cls()
        for path in files():
            found = recording(path)
            if isinstance(found, RecordingError):
                made.damaged.append(str(found))
                continue
            machine = made.machines.setdefault(path.parent.name, Machine())
            machine.headers.append(found.header)
            for number in range(len(found.programs)):
                made._take(path, number, found.programs[number], machine)
        return made

    def _take(self, path: Path, number: int, program: Program, machine: Machine) -> None:
        machine.programs += 1
        name = path.parent.name
        for first, label, steps, answers in stretches(program):
            if label:
                self._keep_for_comparison(name, label, steps, answers)
            own = label.partition("[")[0]
            for offset, (step, answer) in enumerate(zip(steps, answers, strict=True)):
                call, code = step["call"], answer["code"]
                if call in OTHER_STEPS or code == SKIPPED:
                    continue
                machine.answers += 1
                heard = self._hear(machine, name, call, code)
                best = heard.best
                if call == own or best is None or offset < best.length or label.startswith(f"{call}["):
                    place = Place(path, number, first, first + offset, label)
                    if best is None or _order(place, call) < _order(best, call):
                        heard.best = place
                    if call == own:
                        self.cases.setdefault((label, code), place)

    def _hear(self, machine: Machine, name: str, call: str, code: int) -> Heard:
        """Count an answer of a machine, and return the answers of its code and call."""
        codes = machine.codes.get(call)
        if codes is None:
            codes = machine.codes[call] = Counter()
        codes[code] += 1
        heard = self.heard.get((call, code))
        if heard is None:
            heard = self.heard[call, code] = Heard()
        heard.counts[name] += 1
        return heard

    def _keep_for_comparison(self, machine: str, name: str, steps: Sequence[Step], answers: Sequence[Answer]) -> None:
        asked = json.dumps([[step["call"], step.get("args"), step.get("null"), step.get("thread")] for step in steps])
        key = hash((name, asked))
        self._names.setdefault(key, (name, [step["call"] for step in steps]))
        self._same.setdefault(key, {}).setdefault(machine, list(answers))

    def find(self, file: str, name: str, call: str, code: int) -> Place | None:
        """Return where a driver answered a code to a call in a named program, or None.

        Args:
            file: The file, below ``conformance/data/recordings``.
            name: The program.
            call: The call.
            code: The code.
        """
        path = ROOT / file
        found = recording(path) if path.is_file() else None
        if found is None or isinstance(found, RecordingError):
            return None
        number = next((one for one in range(len(found.programs)) if found.programs.name(one) == name), -1)
        if number < 0:
            return None
        places = [
            Place(path, number, first, first + offset, label)
            for first, label, steps, answers in stretches(found.programs[number])
            for offset, (step, answer) in enumerate(zip(steps, answers, strict=True))
            if step["call"] == call and answer["code"] == code
        ]
        return min(places, key=lambda place: _order(place, call), default=None)

    def compared(self) -> Comparison:
        """Compare the answers of machines to the same programs, step by step."""
        made = Comparison()
        for key, by_machine in self._same.items():
            if len(by_machine) == 1:
                continue
            name, calls = self._names[key]
            machines = tuple(sorted(by_machine))
            made.programs[machines] += 1
            for call, *answers in zip(calls, *(by_machine[one] for one in machines), strict=True):
                if call in OTHER_STEPS:
                    continue
                made.answers[machines] += 1
                _compare(made, name, call, dict(zip(machines, answers, strict=True)))
        return made


def _compare(made: Comparison, name: str, call: str, answers: dict[str, Answer]) -> None:
    """Note where machines differ in their answers to one call."""
    codes = {machine: answer["code"] for machine, answer in answers.items()}
    if SKIPPED in codes.values():
        return
    if len(set(codes.values())) > 1:
        made.codes.append((name, call, codes))
        return
    outs = {machine: answer["outs"] for machine, answer in answers.items()}
    for out in next(iter(outs.values())):
        values = {machine: told.get(out) for machine, told in outs.items()}
        if any(
            isinstance(value, dict) for value in values.values()
        ):  # a name, which says what is the same in one program
            continue
        if any(value != next(iter(values.values())) for value in values.values()):
            count, first = made.values.get((call, out), (0, values))
            made.values[call, out] = count + 1, first


def stretches(program: Program) -> Iterator[tuple[int, str, list[Step], list[Answer]]]:
    """Yield independent parts of a program: first step, case, steps, answers."""
    starts = [number for number, step in enumerate(program.steps) if step["call"] == WORLD]
    bounds = [*starts, len(program.steps)] if starts and starts[0] == 0 else [0, *starts, len(program.steps)]
    for begin, end in pairwise(bounds):
        step = program.steps[begin] if begin < end else None
        if step is None:
            continue
        labelled = step["call"] == WORLD
        first = begin + labelled
        yield first, str(step["args"][0]) if labelled else "", program.steps[first:end], program.answers[first:end]


def _order(place: Place, call: str) -> tuple[bool, int, str, int]:
    """Return a sort key of programs to show: those about the call, then short ones."""
    return not place.label.startswith(f"{call}["), place.length, str(place.path), place.number


def told_place(place: Place) -> str:
    """Return the place of an answer as text."""
    return f"{place_of(place.path)}, {place.program().name}"
