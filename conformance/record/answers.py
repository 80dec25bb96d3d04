"""What drivers answered where a rule was broken, in words: ``python -m conformance.record.answers``.

It runs the recorded programs on the model, which tells the rules, and prints entries ``[[note]]`` for the rules of which the
evidence does not say yet what a driver does, each below the file that it belongs to.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

import fakecuda
from conformance.kit.case import ENTRIES
from conformance.kit.program import OTHER_STEPS, SKIPPED, run
from conformance.record.nvml import replay as nvml
from conformance.record.recorder import load_cases
from conformance.record.recordings import RecordingError
from conformance.record.replay import every, recording
from fakecuda import evidence, profiles
from fakecuda.codes import CRASH, HANG, Nvml
from fakecuda.rules.registry import NVML, api_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from fakecuda.rules.core import Rule

KINDS = ("case", "undefined", "questions", "pairs", "machine")
"""Programs of which kind are named rather than others."""
DRIVER = 580
"""What the page calls the driver of all recordings."""

Heard = tuple[str, str, int, str]
"""A rule's id, the call that broke it, the driver's code and the program."""


def heard(path: Path, number: int) -> list[Heard]:
    """Return what a recorded program tells of the rules that it breaks.

    Only the answers until the model differs count: from there on it is in another state.

    Args:
        path: The recording's file.
        number: The program's place in it.
    """
    found = recording(path)
    if isinstance(found, RecordingError):
        return []
    program = found.programs[number]
    rules: list[fakecuda.Rule | None] = []
    with fakecuda.Machine(profiles.load(found.profile()), strict=False) as machine:
        answers = run(program, machine, rules)
    told: list[Heard] = []
    diverged, label = False, ""
    for step, driver, model, rule in zip(program.steps, program.answers, answers, rules, strict=True):
        call, code = step["call"], driver["code"]
        if call == "world":
            diverged, label = False, step["args"][0]
        elif call not in OTHER_STEPS and not diverged and code != SKIPPED:
            same = code == model["code"]
            broken = rule or overlooked().get((label, call))
            if broken is not None and (same or broken.grade == "undefined"):
                told.append((broken.id, call, code, program.name))
            diverged = not same
    return told


@cache
def overlooked() -> dict[tuple[str, str], Rule]:
    """Return by label and call the undefined rules that single cases break: where a permissive model succeeds, it names none."""
    load_cases()
    singles = [case for entry in ENTRIES.values() for case in entry.singles() if case.undefined]
    return {(case.id, case.entry.call): rule for case in singles if (rule := case.twists[0].rule)}


def lines(told: Iterable[Heard]) -> dict[str, str]:
    """Return by rule what the recorded driver answered, in words.

    Args:
        told: What programs tell.
    """
    rules: dict[str, dict[int, dict[str, str]]] = {}
    for rule, call, code, program in sorted(told, key=_rank):
        rules.setdefault(rule, {}).setdefault(code, {}).setdefault(call, program)
    return {
        rule: f"{DRIVER} {', and '.join(_words(code, calls) for code, calls in _often(codes))}"
        for rule, codes in rules.items()
    }


def _often(codes: dict[int, dict[str, str]]) -> list[tuple[int, dict[str, str]]]:
    return sorted(codes.items(), key=lambda item: -len(item[1]))


def _rank(one: Heard) -> tuple[int, str, str]:
    return rank(one[3]), one[3], one[1]


def rank(program: str) -> int:
    """Return which programs are named rather than others, by the kind that their name tells: the lowest first."""
    return next((number for number, kind in enumerate(KINDS) if kind in program.split("/")), len(KINDS))


def _words(code: int, calls: dict[str, str]) -> str:
    ends = {CRASH: "crashes", HANG: "does not return"}
    call, program = next(iter(calls.items()))
    name = Nvml(code).name if api_of(call) is NVML and code not in ends else api_of(call).short(code)
    deed = ends.get(code) or f"answers `{name}`"
    if len(calls) == 1:
        return f"{deed} (program `{program}`)"
    return f"{deed} {'in' if code in ends else 'to'} {len(calls)} calls (program `{program}`, for one)"


def entries(words: dict[str, str]) -> str:
    """Return what drivers answered as entries for the files of evidence, of rules of which nothing is noted there yet.

    Args:
        words: By rule what the recorded driver answered, in words.
    """
    noted = {rule for entry in evidence.entries("note") if entry.all("driver") for rule in entry.all("rule")}
    return "".join(
        f"# {evidence.file_of(rule)}\n[[note]]\nrule = {json.dumps(rule)}\ndriver = {json.dumps(line)}\n\n"
        for rule, line in sorted(words.items())
        if rule not in noted
    )


def main() -> None:
    """Print what the recorded programs tell that the evidence does not."""
    places = [place for place in every() if place[1] >= 0]
    with ProcessPoolExecutor() as pool:
        told = [one for some in pool.map(heard, *zip(*places, strict=True), chunksize=8) for one in some]
    sys.stdout.write(entries(lines([*told, *nvml.heard()])))


if __name__ == "__main__":
    main()
