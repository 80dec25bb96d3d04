"""Replay of recorded programs on models of the recorded machines.

``python -m conformance.record.replay`` is the command: :mod:`conformance.record.replay_command`.
"""

from __future__ import annotations

import sys
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from attrs import frozen

import fakecuda
from conformance.kit.compare import Difference, compare
from conformance.kit.program import OTHER_STEPS, Program, run
from conformance.kit.world import Unavailable, lack_of
from conformance.record.checked import checked_on
from conformance.record.everyday import left_out
from conformance.record.recordings import RECORDED, Recording, RecordingError, files, place_of, read
from conformance.record.told import card_of, tell
from conformance.runner.checks import Check, Shown, Source
from conformance.targets.divergences import load
from fakecuda import profiles
from fakecuda.errors import FakeCudaError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    import pytest

    from conformance.kit.program import Answer
    from conformance.record.told import Heard
    from conformance.targets.divergences import Divergence
    from fakecuda.profiles import Profile
    from fakecuda.rules.core import Rule


A_MILLISECOND = 2000
"""The number of characters of a program that take a millisecond."""
PROCESSES = "processes"
REPLAYS = ("recordings", PROCESSES)
"""Targets on which recorded programs run."""


@frozen
class Replayed:
    """The result of a replay.

    Attributes:
        answers: How many answers the program has.
        unknown: Differences that no entry tells of.
        explained: How many differences entries tell of.
        covered: Those entries, by their place in ``divergences.toml``.
        told: What the program tells of rules.
        given: What the target answered.
        rules: The rule that each step broke on the model; None if it broke none.
    """

    answers: int
    unknown: tuple[Difference, ...]
    explained: int
    covered: frozenset[int]
    told: tuple[Heard, ...]
    given: list[Answer]
    rules: tuple[Rule | None, ...] = ()


@cache
def recording(path: Path) -> Recording | RecordingError:
    """Return a recording, or its error; each file is read once."""
    try:
        found = read(path)
        found.profile()
    except RecordingError as error:
        return error
    return found


def replay(path: Path, number: int, kind: str = "recordings", on: Profile | None = None) -> Replayed:
    """Run a recorded program on a model of its machine.

    Args:
        path: The recording's file.
        number: The program's place in it.
        kind: ``processes`` has real processes run it that are attached to the model.
        on: Another machine's profile.

    Raises:
        RecordingError: The recording cannot be read.
        Unavailable: Attached processes cannot make a call of the program.
    """
    found = recording(path)
    if isinstance(found, RecordingError):
        raise found
    program = found.programs[number]
    if kind == PROCESSES and (profile_of(path).hip.name or program.origin == RECORDED):
        what = "make no calls of HIP" if profile_of(path).hip.name else "load no images that were not kept"
        msg = f"attached processes of the suite {what}"
        raise Unavailable(msg)
    if program.origin == RECORDED:
        return _replay_of(path, program, on or profile_of(path))
    rules: list[fakecuda.Rule | None] = []
    with _target(kind, on or profile_of(path)) as machine:
        try:
            answers = run(program, machine, rules)
        except (FakeCudaError, RuntimeError) as error:
            if kind == PROCESSES and (lack := lack_of(error)):
                raise Unavailable(lack) from error
            raise
    if not program.answers:
        return Replayed(0, (), 0, frozenset(), (), answers)
    known = known_divergences()
    unknown, explained, covered = [], 0, set()
    for difference in compare(program, answers):
        rule = rules[difference.step]
        told = [
            number
            for number, entry in enumerate(known)
            if entry.covers(difference, rule, found.header.driver, program.name)
        ]
        covered.update(told)
        if told:
            explained += 1
        else:
            unknown.append(difference)
    calls = sum(step["call"] not in OTHER_STEPS for step in program.steps)
    told_of_rules = tell(program, answers, rules, card_of(path))
    return Replayed(calls, tuple(unknown), explained, frozenset(covered), told_of_rules, answers, tuple(rules))


def _replay_of(path: Path, program: Program, profile: Profile) -> Replayed:
    """Return what a model answers to a program that was recorded beside a driver."""
    checked = checked_on(profile, program)
    if checked.ended:
        msg = f"{path}: {program.name}: not compared from {checked.ended}"
        raise FakeCudaError(msg)
    nothing = (None,) * len(program.steps)
    return Replayed(checked.answers, tuple(checked.differences), 0, frozenset(), (), [], nothing)


@cache
def known_divergences() -> tuple[Divergence, ...]:
    """Return the known differences."""
    return load()


@cache
def profile_of(path: Path) -> Profile:
    """Return the profile of a readable recording."""
    found = recording(path)
    assert isinstance(found, Recording)
    return _parsed(found.profile())


@cache
def _parsed(path: Path) -> Profile:
    return profiles.load(path)


def _target(kind: str, profile: Profile) -> AbstractContextManager[Any]:
    if kind == PROCESSES:
        from conformance.targets import processes  # noqa: PLC0415 - of an extra

        return processes.machine(profile)
    return fakecuda.Machine(profile, strict=False, seed=0)


def stretch(program: Program, step: int) -> Program:
    """Return the steps of a program that lead to a step."""
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
    """Return file and index of every recorded program; -1 for an unreadable file."""
    places = []
    for path in files():
        found = recording(path)
        count = 0 if isinstance(found, RecordingError) else len(found.programs)
        places += [(path, number) for number in range(count)] or [(path, -1)]
    return places


@frozen
class Recorded(Source):
    """The ``test_…`` object that makes checks of recordings, grouped by file.

    Attributes:
        paths: The files.
    """

    paths: tuple[Path, ...]

    def groups(self) -> Iterable[tuple[str, Callable[[pytest.Config], list[Check]]]]:
        """Return a group for each file."""
        return [(place_of(path), partial(self.checks, path)) for path in self.paths]

    def checks(self, path: Path, config: pytest.Config) -> list[Check]:
        """Return a check for each program of a file."""
        kind = config.getoption("--target")
        if kind not in REPLAYS:
            return []
        found = recording(path)
        if isinstance(found, RecordingError):
            return [Check("file", frozenset(), partial(_fail, str(found)))]
        if not found.programs:
            return [Check("file", frozenset(), partial(_fail, f"{path}: it holds no program; delete it"))]
        checks, further = [], left_out(path)
        for number in range(len(found.programs)):
            name = found.programs.name(number)
            about = frozenset({name.partition("/")[0]})
            run = partial(check, path, number, kind)
            weight = 1 + found.programs.length(number) // A_MILLISECOND
            checks.append(Check(name, about, run, recorded=True, weight=weight, everyday=number not in further))
        return checks


def check(path: Path, number: int, kind: str) -> Shown:
    """Check that the model gives the driver's answers.

    Raises:
        AssertionError: It does not; the text ends with the calls that lead there.
    """
    replayed = replay(path, number, kind)
    if replayed.unknown:
        found = recording(path)
        assert not isinstance(found, RecordingError)
        lines = "\n".join(map(str, replayed.unknown))
        text = stretch(found.programs[number], replayed.unknown[0].step).as_python()
        about = f"{one.about}\n" if (one := found.programs[number]).about else ""
        _fail(f"driver {found.header.driver} on {found.header.machine}\n{about}{lines}\n\n{text}")
    counts = {
        "programs": 1,
        "answers": replayed.answers,
        "differences": len(replayed.unknown) + replayed.explained,
        "explained": replayed.explained,
    }
    return Shown(counts, replayed.covered, told=replayed.told)


def _fail(text: str) -> NoReturn:
    raise AssertionError(text)


def stale(covered: Collection[int]) -> list[str]:
    """Return a line for each divergence that no recorded answer shows.

    Args:
        covered: Those that one does, by their place.
    """
    known = enumerate(known_divergences())
    lines = [entry for number, entry in known if number not in covered]
    return [
        f"divergences.toml: {one.rule or one.grade or one.call}: take it out, no answer shows it: {one.reason}"
        for one in lines
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    command: Callable[[Sequence[str] | None], int] = import_module("conformance.record.replay_command").main
    return command(arguments)


if __name__ == "__main__":
    sys.exit(main())
