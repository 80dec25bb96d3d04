"""Evidence of rules in the suite, for ``python -m fakecuda rules --evidence``.

:mod:`conformance.proofs` has the cases. Recorded programs in which a driver answered the rule's code to a call that checks it
are run on the model, which tells what they break.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.mutate import survivors
from conformance.mutate.mutation import MUTATED, Mutant, mutants
from conformance.proofs import proofs
from conformance.record.answers import heard
from conformance.record.recordings import Recording, RecordingError, files, has_one, place_of
from conformance.record.replay import recording
from conformance.record.told import rank
from conformance.targets.divergences import load as load_divergences
from fakecuda.explain.evidence import of_rule
from fakecuda.prompt.evidence import Evidence, Heard, calls_of
from fakecuda.rules.registry import api_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fakecuda.rules.core import Rule

CHECKOUT = Path(__file__).parents[1]
EXHIBITS = "tools/museum/exhibits/*.py"
RUN, LEAST = 250, 20
"""The number of recorded programs to run: for all rules, and for each rule."""


def of_rules(rules: Sequence[Rule]) -> dict[str, Evidence]:
    """Return the suite's evidence of rules, by their ids.

    Args:
        rules: The rules.
    """
    cases, (told, left) = proofs(rules), _recorded(rules)
    return {
        rule.id: Evidence(
            proofs=tuple(cases.get(rule.id, ())),
            heard=tuple(told.get(rule.id, ())),
            left=left.get(rule.id, 0),
            mutants=len(_mutants_of(rule)),
            known=tuple(_known(rule)),
        )
        for rule in rules
    }


def _mutants_of(rule: Rule) -> list[Mutant]:
    """Return the mutants of a rule in the calls of its API; none for NVML."""
    return [one for call in calls_of(rule) if call in MUTATED for one in mutants(MUTATED[call]) if one.rule == rule.id]


def _known(rule: Rule) -> Iterator[tuple[str, str]]:
    """Yield entries of the suite's files on a rule: file and reason."""
    if own := _mutants_of(rule):
        explained = survivors.read({one.call for one in own})
        yield from ((f"survivor, {one.call} {one.kind}", explained[one]) for one in own if one in explained)
    for entry in of_rule(rule.id):
        if entry.kind == "unreached":
            yield "drawn programs do not break it", entry.one("reason")
    for one in load_divergences():
        if one.rule == rule.id:
            yield "divergence", one.reason
    for name, text in _exhibits().items():
        if f'"{rule.id}"' in text:
            yield "exhibit of the museum", name


@cache
def _exhibits() -> dict[str, str]:
    """Return the source of museum exhibits by path; none without a checkout."""
    return {path.relative_to(CHECKOUT).as_posix(): path.read_text() for path in sorted(CHECKOUT.glob(EXHIBITS))}


def _recorded(rules: Sequence[Rule]) -> tuple[dict[str, list[Heard]], dict[str, int]]:
    """Return recorded programs that break each rule, and the number not run."""
    wanted: dict[tuple[str, int | None], set[str]] = {}
    for rule in rules:
        for call in calls_of(rule):
            codes = {int(api_of(call).code(rule.code)) or None, None if rule.grade == "undefined" else 0}
            for code in codes - {0}:
                wanted.setdefault((call, code), set()).add(rule.id)
    told: dict[str, list[Heard]] = {}
    left: Counter[str] = Counter()
    run: Counter[str] = Counter()
    for _, path, place, ids in sorted(_fitting(wanted), key=lambda one: one[0]):
        if all(run[one] >= max(LEAST, RUN // len(rules)) for one in ids):
            left.update(ids)
            continue
        run.update(ids)
        about = _about_of(path, place)
        for broken, call, code, program, _ in heard(path, place):
            told.setdefault(broken, []).append(Heard(place_of(path), program, call, code, about))
    return told, left


def _about_of(path: Path, place: int) -> str:
    """Return the description of a recorded program."""
    found = recording(path)
    return "" if isinstance(found, RecordingError) else found.programs[place].about


def _fitting(
    wanted: Mapping[tuple[str, int | None], set[str]],
) -> Iterator[tuple[tuple[bool, int, int], Path, int, set[str]]]:
    """Yield recorded programs with a call and a code: rank, file, place, rules.

    What is undefined may be answered by any code, which stands for None: the programs that are recorded for it do.
    """
    names = {f'"{call}"' for call, _ in wanted}
    calls = re.compile("|".join(names))
    for path in files():
        found = recording(path) if has_one(path, names) else None
        if not isinstance(found, Recording):
            continue
        for place in range(len(found.programs)):
            if not calls.search(found.programs.line(place)):
                continue
            program = found.programs[place]
            answered = {
                (step["call"], answer["code"]) for step, answer in zip(program.steps, program.answers, strict=True)
            }
            if "undefined" in program.name.split("/"):
                answered |= {(call, None) for call, _ in answered}
            ids = set().union(*(wanted.get(one, ()) for one in answered))
            if ids:
                about = any(program.name.startswith(f"{call}/") for call, _ in wanted)
                yield (not about, rank(program.name), found.programs.length(place)), path, place, ids
