"""Findings about an attached process as text, for programs without Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.machine import leaks, refusals
from fakecuda.reach.remote.protocol.questions import Report

if TYPE_CHECKING:
    from fakecuda.machine.machine import Machine

MOST = 200_000
"""The maximum number of characters of a text."""


def report_on(machine: Machine, family: set[str], what: Report, known: dict[int, object]) -> str:
    """Return findings about processes as text; see :meth:`Machine.report_on`."""
    counted = refusals.count(machine) if what & Report.ERRORS else None
    with machine.lock:
        found = [
            one
            for one in (machine.findings if what & Report.FINDINGS else [])
            if one.process in family and id(one) not in known
        ]
        left = [
            leak
            for leak in (leaks.judged(machine) if what & Report.LEAKS else [])
            if leak.process in family and leak.kind != "kept" and id(leak.item) not in known
        ]
        refused = [one for one in (counted.kept if counted else []) if one.process in family and id(one) not in known]
    known.update((id(one), one) for one in (*found, *refused, *(leak.item for leak in left)))
    parts = [f"undefined behaviour: {one}" for one in found]
    if left:
        parts.append(leaks.told(leaks.traced(machine, left)))
    if refused:
        parts.append(refusals.told(refused, len(refused)))
    return "\n".join(parts)[:MOST]
