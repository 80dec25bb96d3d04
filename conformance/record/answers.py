"""Recorded drivers' answers to broken rules, in words.

``python -m tools.codegen answers`` writes them to :data:`fakecuda.explain.evidence.ANSWERS`, which is shipped. It runs the recorded programs on
the model, which names the rules. If a note by hand says what a driver does, its rule is left out. A whole
``python -m fakecuda conform`` runs the programs anyway, and compares.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

import fakecuda
from conformance.kit.program import run
from conformance.record.recordings import RECORDED, RecordingError
from conformance.record.replay import every, profile_of, recording
from conformance.record.told import BEST, card_of, rank, tell
from fakecuda.explain import evidence
from fakecuda.explain.evidence import EMULATED
from fakecuda.rules.registry import NVML, api_of
from fakecuda.spec.codes import CRASH, HANG, Nvml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from conformance.record.told import Heard

DRIVER = 580
"""The driver version of all recordings."""
COMMAND = "python -m tools.codegen answers"


def heard(path: Path, number: int) -> tuple[Heard, ...]:
    """Return the broken rules and answers in a recorded program.

    Args:
        path: The recording's file.
        number: The program's place in it.
    """
    found = recording(path)
    if isinstance(found, RecordingError):
        return ()
    program = found.programs[number]
    if program.origin == RECORDED:
        return ()  # only the answers of this program are compared
    rules: list[fakecuda.Rule | None] = []
    with fakecuda.Machine(profile_of(path), strict=False, seed=0) as machine:
        answers = run(program, machine, rules)
    return tell(program, answers, rules, card_of(path))


def derived() -> dict[str, dict[str, str]]:
    """Return recorded answers by card and rule. This takes half a minute."""
    places = [place for place in every() if place[1] >= 0]
    with ProcessPoolExecutor() as pool:
        told = [one for some in pool.map(heard, *zip(*places, strict=True), chunksize=8) for one in some]
    return words(told)


def words(told: Iterable[Heard]) -> dict[str, dict[str, str]]:
    """Return recorded answers in words, by card and rule, except those with notes.

    Where several cards gave an answer, one of them stands for it. What AMD's library answered stands apart, for its rules and
    for those that it shares.

    Args:
        told: What programs tell.
    """
    heard: list[Heard] = []
    amd: list[Heard] = []
    for one in sorted(told, key=_rank):
        (amd if one[-1].startswith(EMULATED) else heard).append(one)
    found = _by_card(heard, lambda _: str(DRIVER))
    found |= _by_card(sorted(amd, key=lambda one: one[3], reverse=True), library_of)
    return dict(sorted(found.items()))


def named(told: Iterable[Heard]) -> frozenset[Heard]:
    """Return the best example of answers to a rule with a code.

    Args:
        told: What programs tell.
    """
    first: dict[tuple[str, int, bool], Heard] = {}
    for one in sorted(told, key=_rank):
        first.setdefault((one[0], one[2], one[-1].startswith(EMULATED)), one)
    return frozenset(first.values())


def library_of(program: str) -> str:
    """Return the AMD library of a recording, such as ``libamdhip64 7.2.4``."""
    return " ".join(program.partition("/")[0].split("-", 1))


def _by_card(told: list[Heard], name: Callable[[str], str]) -> dict[str, dict[str, str]]:
    """Return answers in words, by card and rule.

    Args:
        told: What programs tell, the best examples first.
        name: Returns what has answered, for the first program.
    """
    noted = {rule for entry in evidence.entries("note") if entry.all("driver") for rule in entry.all("rule")}
    found: dict[str, dict[str, str]] = {}
    rules: dict[str, dict[int, dict[str, str]]] = {}
    cards: dict[str, dict[int, set[str]]] = {}
    for rule, call, code, program, card in told:
        rules.setdefault(rule, {}).setdefault(code, {}).setdefault(call, program)
        cards.setdefault(rule, {}).setdefault(code, set()).add(card)
    for rule in sorted(rules.keys() - noted):
        asked = {BEST if BEST in names else min(names) for names in cards[rule].values()}
        said = [_words(code, calls) for code, calls in _often(rules[rule])]
        first = next(iter(_often(rules[rule])[0][1].values()))
        text = f"{name(first)} {', and '.join(said)}"
        found.setdefault(" and ".join(sorted(asked, key=lambda card: (card != BEST, card))), {})[rule] = text
    return found


def outdated(told: Iterable[Heard]) -> list[str]:
    """Return a line for each rule whose committed answer is outdated.

    Args:
        told: What all recorded programs tell.
    """
    now: dict[str, tuple[str, str]] = {}
    for card, texts in words(told).items():
        for rule, text in texts.items():
            now.setdefault(rule, (card, text))
    kept = evidence.answers()
    return [
        f"answers.json: {rule}: write it again ({COMMAND}): {' '.join(now.get(rule, ('no program breaks it',)))}"
        for rule in sorted(now.keys() | kept.keys())
        if now.get(rule) != kept.get(rule)
    ]


def _often(codes: dict[int, dict[str, str]]) -> list[tuple[int, dict[str, str]]]:
    return sorted(codes.items(), key=lambda item: -len(item[1]))


def _rank(one: Heard) -> tuple[object, ...]:
    rule, call, code, program, card = one
    return rank(program), program, call, code, card, rule


def _words(code: int, calls: dict[str, str]) -> str:
    ends = {CRASH: "crashes", HANG: "does not return"}
    call, program = next(iter(calls.items()))
    name = Nvml(code).name if api_of(call) is NVML and code not in ends else api_of(call).short(code)
    deed = ends.get(code) or f"answers `{name}`"
    if len(calls) == 1:
        return f"{deed} (program `{program}`)"
    return f"{deed} {'in' if code in ends else 'to'} {len(calls)} calls (program `{program}`, for one)"
