"""The table of the rules that HIP's calls check: what AMD's library or its source shows of each."""

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
"""What is known: AMD's library answered so; its source says so; it has no state for the rule; it answers otherwise; nothing."""
IN_SOURCE = {"confirmed": READ, "corrected": READ}
"""What a result of reading a source is in the table."""


def hip_rules() -> list[dict[str, Any]]:
    """Return what is known of each rule that a call of HIP checks, by id.

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
    """Return what is known of a rule, and where that is from."""
    if rule in of_amd():
        return {"state": RECORDED, "from": f"on an emulated card, {plain(of_amd()[rule])}"}
    entry = shared().get(rule) or readings().get(rule)
    if entry is None:
        return {"state": UNCONFIRMED, "from": ""}
    found = entry.one("found")
    said = entry.one("says") or entry.one("differs")
    return {"state": IN_SOURCE.get(found, found), "from": ": ".join(filter(None, (_place(entry), said)))}


def _place(entry: Entry) -> str:
    """Return where an entry was read; empty if it was not."""
    if not entry.one("file"):
        return ""
    return f"{entry.one('file')}, {entry.one('function')} ({', '.join(entry.all('version'))})"


def hip_text(rules: list[dict[str, Any]], width: int | None = None) -> str:
    """Return the rules that HIP shares with CUDA as a table, with lines of counts for these and for HIP's own."""
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
