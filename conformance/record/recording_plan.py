"""The tasks of a recording, most valuable first.

First what needs the card for itself, then cases and what the manual calls undefined, a process each; then
pairs and programs of the state machine in turn. All that is about the runtime API is a kind by itself, for it needs a
libcudart: its cases, pairs and programs of the state machine. Pairs of calls that were asked fewest come
first. Of each call's pairs those come first whose rules are checked one after the other, each two rules once before any
comes again: they tell the order of the checks.
"""

from __future__ import annotations

import fnmatch
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from attrs import evolve, field, frozen

from conformance.kit.case import ENTRIES, PROCESS, Case, Twist, is_asked
from conformance.kit.program import OTHER_STEPS
from conformance.record.recordings import RecordingError, chosen, files, read
from fakecuda.rules.registry import DRIVER, EVERY_OP, FORMS, api_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from conformance.kit.case import Entry

CHUNK = 12
"""The number of cases in one program."""
ALONE = "/alone/"
"""A part of the names of programs that need the card alone."""
BATCH = 5
"""The maximum state-machine programs in one task."""
RUNTIME = "runtime"
KINDS = ("case", "undefined", "pairs", "machine", RUNTIME)
"""Kinds of programs, by origin."""
PROGRAM = "program"
"""The kind of a task that replays a recorded program."""


@frozen
class Task:
    """The work of a worker in one go.

    Attributes:
        origin: One of ``KINDS``, or that of the recorded program.
        kind: What it is where the origin is ``runtime``, one of the others; else the origin.
        name: The program's name.
        call: The entry, for cases, pairs and what is undefined.
        numbers: Which of the entry's cases.
        seed: The seed, for ``machine``; a recorded program's place in its file.
        programs: How many programs, for ``machine``.
        alone: Whether nothing else may use the card meanwhile.
        path: The file of a recorded program.
        file: The name of the file that takes what is recorded; empty for that of its origin.
    """

    origin: str
    name: str
    call: str = ""
    numbers: tuple[int, ...] = ()
    seed: int = 0
    programs: int = 0
    alone: bool = False
    path: str = ""
    file: str = ""
    kind: str = field()

    @kind.default
    def _kind(self) -> str:
        return self.origin


@cache
def cases_of(call: str, origin: str) -> list[Case]:
    """Return the cases of an entry for a real driver, without multicast.

    What only a model is asked is left out, too, unless it is undefined: its answer may be chance, as that to bytes at an
    address of the process that drew the program.
    """
    entry = ENTRIES[call]
    if origin == "pairs":
        return in_order([case for case in entry.pairs() if case.real and not case.guarded and not case.alone], entry)
    singles = [case for case in entry.singles() if not case.guarded]
    return [case for case in singles if (case.real if origin == "case" else case.undefined)]


def in_order(pairs: list[Case], entry: Entry) -> list[Case]:
    """Return pairs, those first that combine two rules for the first time.

    What needs a process that is not initialised takes most time and tells least: it comes in the second round.
    """
    place = {rule: number for number, rule in enumerate(EVERY_OP[entry.call].rules)}
    last = len(place)

    def places(twists: Iterable[Twist]) -> tuple[int, ...]:
        return tuple(sorted(place.get(twist.rule, last) if twist.rule else last for twist in twists))

    times: Counter[tuple[int, ...]] = Counter()
    keys = []
    for number, pair in enumerate(pairs):
        both = places(pair.twists)
        late = any(twist.stage == PROCESS for twist in pair.twists)
        keys.append((times[both] + late, both[-1] - both[0], number))
        times[both] += 1
    return [pairs[number] for *_, number in sorted(keys)]


@cache
def recorded() -> tuple[frozenset[str], frozenset[str]]:
    """Return the recorded case ids, and the calls of those cases.

    It reads every recording, once.
    """
    cases: set[str] = set()
    for path in files():
        try:
            programs = read(path).programs
        except RecordingError:
            continue
        for program in programs:
            label = ""
            for step in program.steps:
                if step["call"] == "world":
                    label = step["args"][0]
                elif step["call"] not in OTHER_STEPS and label.startswith(f"{step['call']}["):
                    cases.add(label)
    return frozenset(cases), frozenset(label.partition("[")[0] for label in cases)


def tasks(only: str, programs: int, seed: int, kinds: str = ",".join(KINDS), new: str = "") -> list[Task]:
    """Return the tasks of a recording.

    Args:
        only: The calls whose cases to record: patterns, with commas between.
        programs: How many programs of the state machine.
        seed: Their seed.
        kinds: Which of ``KINDS``, with commas between.
        new: ``cases`` leaves out those that a recording holds; ``calls`` the calls that have any.

    Raises:
        ValueError: There is no such kind.
    """
    wanted = kinds.split(",")
    if unknown := set(wanted) - set(KINDS):
        msg = f"no such kind: {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}"
        raise ValueError(msg)
    asked, calls = recorded() if new else (frozenset(), frozenset())
    patterns = only.split(",")
    wanted_calls = [
        call
        for call in sorted(ENTRIES, key=lambda call: call in calls)
        if is_asked(call)
        and any(fnmatch.fnmatch(call, one) for one in patterns)
        and not (new == "calls" and call in calls)
    ]
    batches = {seed + place: min(BATCH, programs - start) for place, start in enumerate(range(0, programs, BATCH))}
    driver = [call for call in wanted_calls if api_of(call) in {DRIVER, FORMS}]
    found = _ordered({kind: kind for kind in wanted if kind != RUNTIME}, driver, batches, asked)
    if RUNTIME in wanted:
        every = {kind: RUNTIME for kind in KINDS if kind != RUNTIME}
        found += _ordered(every, [call for call in wanted_calls if call not in driver], batches, asked)
    return found


def again(paths: Iterable[Path], only: str = "*") -> list[Task]:
    """Return a task for each recorded program of some files.

    Args:
        paths: Recordings, or folders of some.
        only: The programs by their names: patterns, with commas between.

    Raises:
        RecordingError: A file or a folder cannot be read, or no program has such a name.
    """
    kept = chosen(paths)
    stems = Counter(path.name.partition(".")[0] for path in kept)
    found = []
    for path in kept:
        stem = path.name.partition(".")[0]
        file = stem if stems[stem] == 1 else f"{path.parent.name}-{stem}"
        programs = read(path).programs
        for number in programs.named(only):
            program = programs[number]
            alone = program.alone or ALONE in program.name
            found.append(Task(program.origin, program.name, "", (), number, 1, alone, str(path), file, PROGRAM))
    if not found:
        msg = f"--only {only}: no program of these recordings has such a name"
        raise RecordingError(msg)
    return found


def _ordered(origins: dict[str, str], calls: list[str], batches: dict[int, int], asked: Collection[str]) -> list[Task]:
    """Return the tasks of some kinds in their order.

    Args:
        origins: The kinds, with the origin of what is recorded.
        calls: The entries.
        batches: The seeds of batches of the state machine, with how many programs each has.
        asked: The cases that are left out.
    """
    made: dict[str, list[Task]] = {kind: [] for kind in KINDS}
    for kind in ("case", "undefined", "pairs"):
        if kind == "pairs" and kind in origins:
            calls = sorted(calls, key=lambda call: sum(case.id in asked for case in cases_of(call, "pairs")))
        rounds = [_tasks_of(call, kind, asked) for call in calls] if kind in origins else []
        made[kind] = [task for number in range(max(map(len, rounds), default=0)) for task in _nth(rounds, number)]
    if "machine" in origins:
        beginning = "machine" if origins["machine"] == "machine" else f"{RUNTIME}/machine"
        made["machine"] = [
            Task("machine", f"{beginning}/{number}", seed=number, programs=count) for number, count in batches.items()
        ]
    longest = max(len(made["pairs"]), len(made["machine"]))
    mixed = [task for number in range(longest) for task in _nth([made["pairs"], made["machine"]], number)]
    tasks = [*made["case"], *made["undefined"], *mixed]
    return [evolve(task, origin=origins[task.kind], kind=task.kind) for task in tasks]


def _nth(lists: list[list[Task]], number: int) -> list[Task]:
    return [one[number] for one in lists if number < len(one)]


def _tasks_of(call: str, origin: str, asked: Collection[str]) -> list[Task]:
    """Return the tasks of an entry; undefined cases get their own programs."""
    size = 1 if origin == "undefined" else CHUNK
    cases = cases_of(call, origin)
    found = []
    for alone in (True, False):
        numbers = [number for number, case in enumerate(cases) if case.alone is alone and case.id not in asked]
        found += [
            Task(
                origin,
                f"{call}/{origin}{ALONE if alone else '/'}{start // size}",
                call,
                tuple(numbers[start : start + size]),
                alone=alone,
            )
            for start in range(0, len(numbers), size)
        ]
    return found
