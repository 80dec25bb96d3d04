"""Compares the detector's first report with all interleavings of a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field, frozen

from conformance.fuzz.ordered.executor import Operation, Passing, TooMany, explored, overlap
from conformance.fuzz.ordered.manual import Meaning
from conformance.fuzz.ordered.reading import Reading, Seen
from conformance.fuzz.ordered.run import BRANCHES, ran
from conformance.fuzz.ordered.stage import Unexpected, spawned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.fuzz.ordered.program import Program
    from conformance.fuzz.ordered.run import Report
    from fakecuda import Machine

WAY = 6
"""The length of a difference's prefix that is its kind, such as "missed"."""


@define
class Pairs:
    """Pairs of unordered accesses, by their steps.

    Attributes:
        sure: Pairs that the detector must report.
        unsure: Pairs that it may leave out, because one of the two comes after a wait that may have been ended by anything.
        states: How many states the program has.
    """

    sure: set[tuple[int, int]] = field(factory=set)
    unsure: set[tuple[int, int]] = field(factory=set)
    states: int = 0


def unordered(program: Program, seen: list[Seen], reading: Reading | None = None) -> Pairs:
    """Return the pairs of a program's unordered accesses."""
    meaning = Meaning(program, seen) if reading is None else Meaning(program, seen, reading)
    operations = meaning.operations
    found = explored(operations, meaning.passing)
    pairs = Pairs(states=found.states)
    users = [number for number, one in enumerate(operations) if one.uses]
    never = sum(operations[number].bit for number in users) & ~found.starts
    ended = explored(operations, meaning.passing, free=meaning.unsure) if never else found
    for place, second in enumerate(users):
        for first in users[:place]:
            one, other = operations[first], operations[second]
            if one.step == other.step or not conflict(one, other):
                continue
            both = one.bit | other.bit
            if both & never:  # behind a wait that nothing in the program ends
                if overlap(ended, operations, first, second):
                    pairs.unsure.add((one.step, other.step))
            elif overlap(found, operations, first, second):
                doubt = any(meaning.unsure & ~found.overlaps[at] & (operations[at].bit - 1) for at in (first, second))
                loose = (
                    doubt
                    or bool((meaning.loose | meaning.unknown) & both)
                    or is_hidden(operations, first, second)
                    or not is_seen(one, other)
                )
                (pairs.unsure if loose else pairs.sure).add((one.step, other.step))
    for launch in meaning.launches:
        nodes = operations[launch.start : launch.stop]
        if has_race(nodes):
            known = [
                Operation(one.bit, one.step, one.after, () if one.bit & meaning.unknown else one.uses) for one in nodes
            ]
            (pairs.sure if has_race(known) else pairs.unsure).add((nodes[0].step,) * 2)
    return pairs


def conflict(one: Operation, other: Operation) -> bool:
    """Return whether two operations conflict."""
    return any(use.conflicts(more) for use in one.uses for more in other.uses)


def is_seen(one: Operation, other: Operation) -> bool:
    """Return whether two operations conflict in a way that the detector sees."""
    return any(
        use.conflicts(more) and "prefetches" not in {use.does, more.does} for use in one.uses for more in other.uses
    )


def is_hidden(operations: Sequence[Operation], first: int, second: int) -> bool:
    """Return whether a later access hides this one from the detector.

    The detector keeps the last writer of each byte alone, and by which addresses it wrote: another mapping of the memory may
    have written before the end of addresses.
    """
    between = [use for one in operations[first + 1 : second] for use in one.uses]
    ends = [use for use in operations[second].uses if use.does == "ends"]
    return any(
        use.memory == end.memory and use.name != end.name and use.does == "writes" for end in ends for use in between
    )


def has_race(launch: Sequence[Operation]) -> bool:
    """Return whether nodes of a launch use the same bytes without a path of edges."""
    own = sum(one.bit for one in launch)
    shift = own & -own
    alone = [Operation(one.bit // shift, 0, (one.after & own) // shift, one.uses) for one in launch]
    found = explored(alone, [Passing()])
    return any(
        conflict(alone[first], alone[second]) and overlap(found, alone, first, second)
        for second in range(len(alone))
        for first in range(second)
    )


@frozen
class Compared:
    """The comparison of a program's first report with its interleavings.

    Attributes:
        difference: How they differ. Empty if they agree.
        reported: Whether the detector has reported a pair.
        states: How many states the program has. 0 if these are too many to visit, so that nothing is known.
    """

    difference: str = ""
    reported: bool = False
    states: int = 0


def compared(program: Program, reading: Reading | None = None, start: Callable[[Machine], Any] = spawned) -> Compared:
    """Compare a program's first report with its interleavings; see :func:`ran`."""
    run = ran(program, start)
    report = run.report
    try:
        pairs = unordered(program, [*run.seen, *([Seen(busy=run.busy)] if report else [])], reading)
    except TooMany:
        return Compared()
    return Compared(differs(pairs, report), report is not None, pairs.states)


def differs(pairs: Pairs, report: Report | None) -> str:
    """Return how a report differs from the unordered pairs; empty if it does not."""
    missed = [(second, first) for first, second in pairs.sure if report is None or second < report.step]
    if missed:
        second, first = min(missed)
        return f"missed: steps {first} and {second} may overlap"
    if report is None:
        return ""
    mine = {first for first, second in pairs.sure | pairs.unsure if second == report.step}
    if not mine:
        return f"false alarm at step {report.step} by {report.rule}: no earlier step may overlap\n{report.finding}"
    if report.earlier is not None and report.earlier not in mine:
        return (
            f"wrong earlier step {report.earlier}: {sorted(mine)} may overlap with step {report.step}\n{report.finding}"
        )
    if report.rule == BRANCHES and report.step not in mine:
        return f"false alarm at step {report.step} by {report.rule}: no two nodes may overlap\n{report.finding}"
    return ""


def smaller(program: Program) -> Program:
    """Return the smallest program found with the same difference."""
    way = compared(program).difference[:WAY]

    def fails(one: Program) -> bool:
        try:
            return compared(one).difference[:WAY] == way
        except Unexpected:
            return False

    if not way:
        return program
    steps, left = list(program.steps), True
    while left:
        left = False
        for place in range(len(steps) - 1, -1, -1):
            rest = [*steps[:place], *steps[place + 1 :]]
            if fails(evolve(program, steps=tuple(rest))):
                steps, left = rest, True
    program = evolve(program, steps=tuple(steps))
    eager = evolve(program, manual=False)
    return eager if program.manual and fails(eager) else program
