"""Writes ``halted.json``.

How calls behave while their process is halted, from an H100's answers.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from conformance.kit.case import ENTRIES, Case
from conformance.record.halted.calls import AT_ONCE, LATER, LOCKED, PUT_AWAY, wrong
from conformance.record.recorder import load_cases
from fakecuda.rules.halting import WHILE_PUT_AWAY
from fakecuda.rules.registry import OPS

ROOT = Path(__file__).parents[2]
RECORDING = ROOT / "conformance" / "data" / "halted" / "h100.jsonl.gz"
GENERATED = ROOT / "fakecuda" / "rules" / "generated" / "halted.json"
VALID = "valid"
CRASH = -1
ENDS = ("Destroy", "Release", "Unload")
"""Parts of the names of calls that end their argument. The recording made these calls twice."""
CHECKPOINTS = "cuCheckpoint"
"""Prefix of the calls that halt processes. They are slow and never wait for their own effect."""


def files() -> dict[Path, str]:
    """Return the text of the table, by its path."""
    load_cases()
    with gzip.open(RECORDING, "rt") as file:
        lines = [json.loads(line) for line in file]
    asked = [line for line in lines if "code" in line and not line["call"].startswith(CHECKPOINTS)]
    once = [line["call"] for line in asked if _is(line, VALID, LOCKED, AT_ONCE)]
    behind = {line["call"]: _rule(line) for line in asked if line["code"] > 0 and line["when"] == LATER}
    codes = {line["call"]: line["code"] for line in asked if _is(line, VALID, PUT_AWAY, AT_ONCE)}
    away = {call: None if code == CRASH else code for call, code in codes.items() if _matters(call, code)}
    table = {"at once": sorted(once), "behind": dict(sorted(behind.items())), "put away": dict(sorted(away.items()))}
    return {GENERATED: f"{json.dumps(table, indent=1)}\n"}


def _is(line: dict[str, Any], case: str, state: str, when: str) -> bool:
    return (line["case"], line["state"], line["when"]) == (case, state, when)


def _matters(call: str, code: int) -> bool:
    """Return whether a code comes from a checkpointed process.

    Otherwise it comes from making the call a second time.
    """
    return code in WHILE_PUT_AWAY or (code == CRASH and not any(part in call for part in ENDS))


def _rule(line: dict[str, Any]) -> str:
    """Return the rule that a wrong argument breaks, or that refuses the valid call."""
    if line["case"] == VALID:
        (rule,) = (rule for rule in OPS[line["call"]].rules if rule.code == line["code"])
        return rule.id
    twist = wrong(Case(ENTRIES[line["call"]]))
    assert twist is not None
    assert twist.name == line["case"], f"{line['call']} has another wrong argument now: {twist.name}"
    assert twist.rule is not None
    return twist.rule.id
