"""The choice of the everyday corpus: programs that show something new.

What a program shows is a set of facts:

- a call, the rule that it broke or none, and the driver's code. This kills the mutants of the rule.
- two rules that a call broke at once, and what the driver answered: the order of the two rules.
- what the text of an answer in ``answers.json`` needs: rule, call, code and card, and the program that it names.

A program whose answers differ from the model's is always chosen, and so is each one of AMD's library. Then comes the program with the most new facts for its length,
until every fact is shown.
"""

from __future__ import annotations

import heapq
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

from attrs import frozen

from conformance.kit.case import ENTRIES
from conformance.kit.program import OTHER_STEPS, SKIPPED
from conformance.record import answers, everyday
from conformance.record.recorder import load_cases
from conformance.record.recordings import place_of
from conformance.record.replay import every, recording, replay
from conformance.record.told import card_of
from fakecuda.explain.evidence import EMULATED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from conformance.kit.program import Program
    from conformance.record.told import Heard
    from fakecuda.rules.core import Rule

Fact = tuple[object, ...]


@frozen
class Facts:
    """The facts that a recorded program shows.

    Attributes:
        path: The recording's file.
        number: The program's place in it.
        length: The characters of its line.
        facts: What it shows, apart from what it tells of rules.
        told: What it tells of rules.
        differs: Whether an answer of the driver differs from the model's.
    """

    path: Path
    number: int
    length: int
    facts: frozenset[Fact]
    told: tuple[Heard, ...]
    differs: bool


def derived() -> dict[str, dict[str, str]]:
    """Return by recording its hash and the programs to leave out. This takes a minute.

    Raises:
        RecordingError: A recording cannot be read.
    """
    places = every()
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(facts, *zip(*places, strict=True), chunksize=8))
    kept = chosen(found)
    out: dict[Path, list[int]] = {}
    for one, stays in zip(found, kept, strict=True):
        if not stays:
            out.setdefault(one.path, []).append(one.number)
    return {place_of(path): everyday.entry(path, numbers) for path, numbers in sorted(out.items())}


def facts(path: Path, number: int) -> Facts:
    """Return the facts that a recorded program shows.

    Raises:
        RecordingError: The recording cannot be read.
    """
    replayed = replay(path, number)
    found = recording(path)
    assert not isinstance(found, Exception)  # else the replay has raised it
    programs = found.programs
    shown = frozenset(_facts(programs[number], replayed.rules))
    differs = bool(replayed.explained or replayed.unknown)
    return Facts(path, number, programs.length(number), shown, replayed.told, differs)


def _facts(program: Program, rules: Sequence[Rule | None]) -> Iterator[Fact]:
    """Yield facts from a program's answers: single calls, and pairs of broken rules."""
    label, given = "", set[Fact]()
    for step, answer, rule in zip(program.steps, program.answers, rules, strict=True):
        call, code = step["call"], answer["code"]
        if call == "world":
            yield from _order(program.origin, label, given)
            label, given = step["args"][0], set()
        elif call not in OTHER_STEPS and code != SKIPPED:
            one = call, rule.id if rule else "", code
            given.add(one)
            yield one
    yield from _order(program.origin, label, given)


def _order(origin: str, label: str, given: Iterable[Fact]) -> Iterator[Fact]:
    """Yield pairs of rules that a stretch breaks at once, with the answers.

    A pair that is no case of today keeps its label.
    """
    if label in _pairs():
        call, *rules = _pairs()[label]
        yield call, *rules, frozenset(one for one in given if one[0] == call)
    elif origin == "pairs" and label:
        yield label, frozenset(given)


@cache
def _pairs() -> dict[str, tuple[str, ...]]:
    """Return by label what each pair of the cases breaks."""
    load_cases()
    return {
        case.id: (entry.call, *sorted(twist.rule.id if twist.rule else twist.name for twist in case.twists))
        for entry in ENTRIES.values()
        for case in entry.pairs()
    }


def chosen(found: Sequence[Facts]) -> list[bool]:
    """Return for each program whether it is in the everyday corpus.

    Args:
        found: What all programs show.
    """
    named = answers.named(heard for one in found for heard in one.told)
    shown: list[frozenset[Fact]] = []
    for one in found:
        told = {(rule, call, code) for rule, call, code, *_ in one.told}
        cards = {("card", rule, code, card) for rule, _, code, _, card in one.told}
        shown.append(one.facts | told | cards | (named & set(one.told)))
    kept = [one.differs or card_of(one.path).startswith(EMULATED) for one in found]
    seen: set[Fact] = set().union(*(some for some, stays in zip(shown, kept, strict=True) if stays))
    waiting = [(-len(shown[n]) / found[n].length, n) for n, stays in enumerate(kept) if not stays]
    heapq.heapify(waiting)
    while waiting:
        _, number = heapq.heappop(waiting)
        new = len(shown[number] - seen)
        rank = -new / found[number].length
        if new and waiting and rank > waiting[0][0]:
            heapq.heappush(waiting, (rank, number))  # others show more by now
        elif new:
            kept[number] = True
            seen |= shown[number]
    return kept
