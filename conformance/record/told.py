"""The rules that recorded programs broke, and the driver's answers."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from conformance.kit.case import ENTRIES
from conformance.kit.compare import waits
from conformance.kit.program import OTHER_STEPS, SKIPPED, WAITS
from fakecuda.explain.evidence import EMULATED
from fakecuda.rules.registry import NVML, api_of
from fakecuda.spec.codes import CRASH

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import Any

    from conformance.kit.program import Program
    from fakecuda.rules.core import Rule

UNDEFINED = "undefined"
KINDS = ("case", UNDEFINED, "questions", "pairs", "machine")
"""Kinds of programs, in the order of preference as examples."""
BEST = "H200"
"""The preferred card among equal answers."""

Heard = tuple[str, str, int, str, str]
"""A rule id, the call that broke it, the code, the program and the card."""


def tell(program: Program, answers: Sequence[Any], rules: Iterable[Rule | None], card: str) -> tuple[Heard, ...]:
    """Return the broken rules and distinct answers in a recorded program.

    Only the answers until the model differs count: from there on it is in another state.

    Args:
        program: The program, with the driver's answers.
        answers: The model's answers.
        rules: The rule that each step broke on the model; None if it broke none.
        card: The card that was asked.
    """
    told: dict[Heard, None] = {}
    diverged, label = False, ""
    rows = list(zip(program.steps, program.answers, answers, rules, strict=True))
    if program.answers == answers and UNDEFINED not in program.name.split("/"):
        rows = [row for row in rows if row[3] is not None]  # nothing diverges, and only a broken rule tells something
    for step, driver, model, rule in rows:
        call, code = step["call"], driver["code"]
        if call == "world":
            diverged, label = False, step["args"][0]
        elif call not in OTHER_STEPS and not diverged and code not in {SKIPPED, WAITS}:
            same = code == model["code"]
            broken = rule or (overlooked().get((label, call)) if UNDEFINED in program.name.split("/") else None)
            ends = code == CRASH and api_of(call) is NVML  # the model refuses what ends a process that asks
            if broken is not None and (same or ends or broken.grade == UNDEFINED):
                told[broken.id, call, code, program.name, card] = None
            diverged = not same and not waits(driver, model)
    return tuple(told)


@cache
def overlooked() -> dict[tuple[str, str], Rule]:
    """Return undefined rules that single cases break, by label and call."""
    from conformance.record.recorder import load_cases  # noqa: PLC0415 - it imports every case; few programs need it

    load_cases()
    singles = [case for entry in ENTRIES.values() for case in entry.singles() if case.undefined]
    return {(case.id, case.entry.call): rule for case in singles if (rule := case.twists[0].rule)}


def card_of(path: Path) -> str:
    """Return the card of a recording, such as ``H200`` or ``emulated MI300X``.

    Its folder begins with the name.
    """
    name, _, rest = path.parent.name.partition("-")
    return f"{EMULATED} {name.upper()}" if rest.partition("-")[0] == EMULATED else name.upper()


def rank(program: str) -> int:
    """Return the rank of a program as an example, lowest first."""
    return next((number for number, kind in enumerate(KINDS) if kind in program.split("/")), len(KINDS))
