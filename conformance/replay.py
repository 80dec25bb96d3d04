"""Replays: what a model of the recorded machine answers to a recorded program."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from attrs import frozen

import fakecuda
from conformance.compare import Difference, compare
from conformance.divergences import load
from conformance.program import OTHER_STEPS, Program, run
from conformance.recordings import Recording, RecordingError, files, read
from fakecuda import profiles

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from conformance.divergences import Divergence
    from fakecuda.profiles import Profile


@frozen
class Replayed:
    """What came of a replay.

    Attributes:
        answers: How many answers the program has.
        unknown: Differences that no entry tells of.
        explained: How many differences entries tell of.
        covered: Those entries.
    """

    answers: int
    unknown: tuple[Difference, ...]
    explained: int
    covered: frozenset[Divergence]


@cache
def recording(path: Path) -> Recording | RecordingError:
    """Return a recording, or why it cannot be read; a file is read once."""
    try:
        found = read(path)
        found.profile()
    except RecordingError as error:
        return error
    return found


@cache
def replay(path: Path, number: int, kind: str = "recordings") -> Replayed:
    """Run a recorded program on a model of its machine; a program is run once.

    Args:
        path: The recording's file.
        number: The program's place in it.
        kind: ``processes`` has real processes run it that are attached to the model.

    Raises:
        RecordingError: The recording cannot be read.
    """
    found = recording(path)
    if isinstance(found, RecordingError):
        raise found
    program = found.programs[number]
    rules: list[fakecuda.Rule | None] = []
    profile = profiles.load(found.profile())
    with _target(kind, profile) as machine:
        answers = run(program, machine, rules)
    known = load()
    unknown, explained, covered = [], 0, set()
    for difference in compare(program, answers):
        rule = rules[difference.step]
        told = [entry for entry in known if entry.covers(difference, rule, found.header.driver, program.name)]
        covered.update(told)
        if told:
            explained += 1
        else:
            unknown.append(difference)
    calls = sum(step["call"] not in OTHER_STEPS for step in program.steps)
    return Replayed(calls, tuple(unknown), explained, frozenset(covered))


def _target(kind: str, profile: Profile) -> AbstractContextManager[Any]:
    if kind == "processes":
        from conformance import processes  # noqa: PLC0415 - of an extra

        return processes.machine(profile)
    return fakecuda.Machine(profile, strict=False)


def stretch(program: Program, step: int) -> Program:
    """Return the part of a program that leads to a step: its labelled stretch, and the start of the processes in it."""
    start = max((n for n, one in enumerate(program.steps[:step]) if one["call"] == "world"), default=0)
    inside = {one["process"] for one in program.steps[start : step + 1]}
    chosen = [
        number
        for number, one in enumerate(program.steps[: step + 1])
        if number >= start or (one["process"] in inside and one["call"] in {"spawn", "cuInit", "cuCtxCreate"})
    ]
    return Program(
        program.name, [program.steps[n] for n in chosen], [program.answers[n] for n in chosen], program.origin
    )


def every() -> list[tuple[Path, int]]:
    """Return the file and place of every recorded program; -1 for a file that cannot be read."""
    places = []
    for path in files():
        found = recording(path)
        count = 0 if isinstance(found, RecordingError) else len(found.programs)
        places += [(path, number) for number in range(count)] or [(path, -1)]
    return places
