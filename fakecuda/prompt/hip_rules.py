"""The table of the rules of HIP's calls, with the evidence from AMD for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.explain.evidence import of_amd, readings, shared
from fakecuda.explain.reports.rule import plain
from fakecuda.explain.reports.text import GAP, columns, table, wrapped
from fakecuda.rules.registry import HIP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.explain.evidence import Entry

OWN = f"{HIP.name}."
"""The prefix of the ids of HIP's own rules."""
RECORDED, READ, UNCONFIRMED = "recorded", "read", "unconfirmed"
STATES = (RECORDED, READ, "absent", "differs", UNCONFIRMED)
"""States of evidence: answered, in source, stateless, different, unknown."""
IN_SOURCE = {"confirmed": READ, "corrected": READ}
"""The state for each result of reading a source."""


def hip_rules() -> list[dict[str, Any]]:
    """Return the evidence of each rule that HIP calls check, by id.

    Each has the rule's id, whether HIP shares it with CUDA, the calls, the state, one of :data:`STATES`, and where that is from.
    """
    calls: dict[str, list[str]] = {}
    for name, op in HIP.ops.items():
        for rule in op.rules:
            calls.setdefault(rule.id, []).append(name)
    return [
        {"rule": rule, "shared": not rule.startswith(OWN), "calls": calls[rule], **_known(rule)}
        for rule in sorted(calls)
    ]


def _known(rule: str) -> dict[str, str]:
    """Return the evidence of a rule, with its place."""
    if rule in of_amd():
        return {"state": RECORDED, "from": f"on an emulated card, {plain(of_amd()[rule])}"}
    entry = shared().get(rule) or readings().get(rule)
    if entry is None:
        return {"state": UNCONFIRMED, "from": ""}
    found = entry.one("found")
    said = entry.one("says") or entry.one("differs")
    return {"state": IN_SOURCE.get(found, found), "from": ": ".join(filter(None, (_place(entry), said)))}


def _place(entry: Entry) -> str:
    """Return where an entry was read in a source; empty if it was not."""
    if not entry.one("file"):
        return ""
    return f"{entry.one('file')}, {entry.one('function')} ({', '.join(entry.all('version'))})"


def hip_text(rules: list[dict[str, Any]], width: int | None = None) -> str:
    """Return the table of rules that HIP shares with CUDA, with counts."""
    width = width or columns()
    body: list[Sequence[str] | str] = [
        (GAP + one["rule"], str(len(one["calls"])), one["state"], one["from"]) for one in rules if one["shared"]
    ]
    lines = [table(("  rule", "calls", "state", "from"), body, width), ""]
    for name, mine in (("shared with CUDA", True), ("HIP's own", False)):
        states = [one["state"] for one in rules if one["shared"] is mine]
        counts = "; ".join(f"{state}: {states.count(state)}" for state in STATES if state in states)
        lines += wrapped(f"{name}: {len(states)}; {counts}", width)
    return "\n".join(lines)
