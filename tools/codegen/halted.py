"""Writes ``halted.json``.

How calls behave while their process is halted, from an H100's answers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

import fakecuda
from conformance.kit.program import AGAIN, BEGUN, Program, run
from conformance.kit.under_way import WAITS
from conformance.record.recordings import ROOT as FOLDER
from conformance.record.recordings import read
from fakecuda import profiles
from fakecuda.rules.halting import WHILE_PUT_AWAY
from fakecuda.spec.codes import CRASH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.kit.program import Step

ROOT = Path(__file__).parents[2]
RECORDINGS = "*/halted*.jsonl.gz"
"""Files of recordings of halted processes, below the folder of recordings."""
GENERATED = ROOT / "fakecuda" / "rules" / "generated" / "halted.json"
KIND = "halted"
"""The part of a program's name after the call's name."""
MISTAKES = f"{KIND}/mistakes"
"""That part for programs that only make mistaken calls."""
ENDS = ("Destroy", "Release", "Unload")
"""Parts of the names of calls that end their argument, which were recorded twice."""
CHECKPOINTS = "cuCheckpoint"
"""Prefix of the calls that halt processes. They are slow and never wait for their own effect."""


@frozen
class Seen:
    """An answer of a call while its process was halted.

    Attributes:
        step: The step that began the call.
        code: The code, which came later if the call waited.
        waited: Whether it came once the process was let go.
        checkpointed: Whether the process was checkpointed, and not only locked.
    """

    step: int
    code: int
    waited: bool
    checkpointed: bool


def files() -> dict[Path, str]:
    """Return the text of the table, by its path."""
    once: set[str] = set()
    behind: dict[str, set[str]] = {}
    away: dict[str, int | None] = {}
    for recording in map(read, sorted(FOLDER.glob(RECORDINGS))):
        profile = profiles.load(recording.profile())
        for program in recording.programs:
            call, _, kind = program.name.partition("/")
            if (kind != KIND and not kind.startswith(MISTAKES)) or call.startswith(CHECKPOINTS):
                continue
            found = list(seen(program))
            for one in found:
                if one.waited and one.code > 0:
                    behind.setdefault(call, set()).add(rule_of(program, one.step, profile))
                elif one.checkpointed and not one.waited and _matters(call, one.code):
                    away[call] = None if one.code == CRASH else one.code
            locked = [one for one in found if not one.checkpointed]
            if (
                kind == KIND and locked and not locked[-1].waited and locked[-1].code != CRASH
            ):  # the valid call is made last
                once.add(call)
    rules = {call: sorted(broken) for call, broken in sorted(behind.items())}
    table = {"at once": sorted(once), "behind": rules, "put away": dict(sorted(away.items()))}
    return {GENERATED: f"{json.dumps(table, indent=1)}\n"}


def seen(program: Program) -> Iterator[Seen]:
    """Yield the answers of a program's begun calls."""
    last = ""
    pairs = list(zip(program.steps, program.answers, strict=True))
    for number, (step, answer) in enumerate(pairs):
        if _halts(step):
            last = step["call"]
        if BEGUN in step:
            waited = answer["code"] == WAITS
            end = next(later for look, later in pairs[number:] if AGAIN in look) if waited else answer
            yield Seen(number, end["code"], waited, last.endswith("Checkpoint"))


def rule_of(program: Program, begun: int, profile: profiles.Profile) -> str:
    """Return the rule that a begun call breaks in a process that is not halted."""
    steps = [step for step in program.steps[: begun + 1] if not _halts(step)]
    rules: list[fakecuda.Rule | None] = []
    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
        run(Program(program.name, steps), machine, rules)
    rule = rules[-1]
    assert rule is not None, f"{program.name}: the call succeeds in a process that is not halted"
    return rule.id


def _halts(step: Step) -> bool:
    return bool(step["call"].startswith(CHECKPOINTS))


def _matters(call: str, code: int) -> bool:
    """Return whether a code comes from a checkpointed process.

    Otherwise it comes from making the call a second time.
    """
    return code in WHILE_PUT_AWAY or (code == CRASH and not any(part in call for part in ENDS))
