"""The report of a fleet, as data and text: machines, differences and losses."""

from __future__ import annotations

import time
import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Any

from conformance.fleet.gathered import ASKED
from conformance.fleet.slices import ONE
from conformance.kit.program import Program
from conformance.runner.checks import FAILED
from fakecuda.explain.reports.text import table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conformance.fleet.fleet import Fleet
    from conformance.fleet.gathered import Difference, Failure, Place, Seen

SCHEMA = 1
MODEL = "the model alone"
MOST = 12
"""The maximum number of lines of a list in the text."""
WIDE = 200
"""A table width in columns that no terminal has."""
OF_A_RUN = (
    "date",
    "origin",
    "problems",
    "name",
    "system",
    "bindings",
    "uuid",
    "pci",
    "free_memory",
    "source",
    "addresses",
    "context",
)
"""Profile values that differ between any two machines, or describe the probe."""
HEAD = (
    "machine",
    "hosts",
    ">slices",
    ">checks",
    ">of",
    ">failed",
    ">skipped",
    ">programs",
    ">steps",
    ">calls",
    ">rules",
    ">differences",
    ">drawn steps",
    ">recorded",
)


def as_json(fleet: Fleet) -> dict[str, Any]:
    """Return the report as plain data."""
    gathered, losses, settings = fleet.gathered, fleet.losses, fleet.settings
    kinds = gathered.kinds
    found = sorted(gathered.differences.values(), key=lambda one: (one.told.kind, one.told.key.codes))
    return {
        "schema": SCHEMA,
        "target": settings.target,
        "seed": settings.seed,
        "ended": fleet.cut or "all is done",
        "seconds": round(time.monotonic() - fleet.begun, 1),
        "slices": len(gathered.done),
        "machines": [_machine(fleet, place, seen) for place, seen in sorted(gathered.machines.items())],
        "hosts": [
            {
                "name": node.name,
                "machine": node.machine,
                "gpus": node.gpus,
                "slices": sum(seen.nodes[node.name] for seen in gathered.machines.values()),
                "out": node.out or ("" if node.name in fleet.roster.there else "it was gone at the end"),
            }
            for node in fleet.roster.nodes.values()
        ],
        "differences": [_difference(fleet, one) for one in found],
        "failures": [_failure(cause, one, kinds) for cause, one in sorted(gathered.failures.items())],
        "profiles": profiles_apart(gathered.machines),
        "deaths": [list(one) for one in gathered.deaths],
        "lost": [list(one) for one in losses.told],
        "given up": losses.given_up,
        "told twice": gathered.twice,
        "not reached": fleet.unreached,
    }


def _machine(fleet: Fleet, place: Place, seen: Seen) -> dict[str, Any]:
    machine, gpus = place
    counts, journal = seen.report.counts, seen.journal
    reached = journal.reached
    total = fleet.gathered.widened[place]
    if gpus == ONE:
        total += sum(sum(map(bool, group.weights)) for group in fleet.listing if group.real is bool(machine))
    own = [one for one in fleet.gathered.differences.values() if place in one.places]
    return {
        "machine": machine or MODEL,
        "gpus": gpus,
        "hosts": dict(sorted(seen.nodes.items())),
        "profile": seen.profile[0] if seen.profile else "",
        "seed": journal.seed,
        "checks": {
            "asked": len(seen.checks),
            "of": total,
            "failed": counts[FAILED],
            "skipped": [[*key, count] for key, count in sorted(seen.report.skipped.items())],
            "answers that differ as known": len(seen.report.expected),
            "left over": dict(sorted(seen.report.left_over.items())),
        },
        "search": {
            "programs": reached.programs,
            "steps": reached.steps,
            "calls": len(reached.calls),
            "rules": len(reached.rules),
            "undefined": reached.undefined,
            "problems": dict(journal.problems.most_common()),
            "lost": journal.lost,
        },
        "differences": sum(one.told.kind in ASKED for one in own),
        "drawn steps": seen.steps,
        "recorded": len(seen.programs),
        "problems": seen.problems,
    }


def _difference(fleet: Fleet, one: Difference) -> dict[str, Any]:
    key, told = one.told.key, one.told
    kinds = fleet.gathered.kinds
    return {
        "call": key.call,
        "card": key.card,
        "model": key.model,
        "rule": key.rule,
        "kind": told.kind,
        "states": sorted(one.states),
        "times": sum(seen.journal.again[key.codes] for seen in fleet.gathered.machines.values()),
        "text": told.text,
        "machine": one.place[0],
        "gpus": one.place[1],
        "program number": told.number,
        "steps": len(told.steps),
        "program": Program(f"program {told.number}", told.steps, told.answers, "search").as_python(),
        "hosts": {name: list(answer) for name, answer in sorted(one.nodes.items())},
        "where": where({name: f"{verdict}: {answer}" for name, (verdict, answer) in one.nodes.items()}, kinds),
    }


def _failure(cause: str, one: Failure, kinds: Mapping[str, str]) -> dict[str, Any]:
    return {
        "cause": cause,
        "shown by": sorted(one.names),
        "text": one.text,
        "machine": one.place[0] or MODEL,
        "gpus": one.place[1],
        "hosts": dict(sorted(one.nodes.items())),
        "where": where(one.nodes, kinds),
    }


def where(verdicts: Mapping[str, str], kinds: Mapping[str, str]) -> list[str]:
    """Return the answers of hosts, by kind of machine.

    Args:
        verdicts: Hosts with what they have answered.
        kinds: Hosts with their kind of machine.
    """
    by_machine: dict[str, dict[str, list[str]]] = {}
    for name, verdict in sorted(verdicts.items()):
        by_machine.setdefault(kinds.get(name, "?"), {}).setdefault(verdict, []).append(name)
    lines = []
    for machine, told in sorted(by_machine.items()):
        several = sum(map(len, told.values())) > 1
        for verdict, names in told.items():
            which = f"all {len(names)} that were asked" if several and len(told) == 1 else ", ".join(names)
            lines.append(f"{machine}: {verdict} ({which})")
    return lines


def profiles_apart(machines: Mapping[Place, Seen]) -> dict[str, dict[str, Any]]:
    """Return profile values that differ between machines with equally many GPUs."""
    found: dict[str, dict[str, Any]] = {}
    for gpus in sorted({gpus for _, gpus in machines}):
        known = {
            machine: flat(tomllib.loads(seen.profile[1]))
            for (machine, count), seen in machines.items()
            if count == gpus and seen.profile is not None and seen.profile[1]
        }
        for name in sorted({name for values in known.values() for name in values}):
            values = {machine: values.get(name) for machine, values in known.items()}
            if len(set(map(str, values.values()))) > 1:
                found[f"{name}, x{gpus}"] = values
    return found


def flat(data: Any, path: str = "") -> dict[str, Any]:
    """Return the values of a profile by path, without values of a single run."""
    if isinstance(data, dict):
        items = [(str(key), value) for key, value in data.items() if key not in OF_A_RUN]
    elif isinstance(data, list) and any(isinstance(one, dict) for one in data):
        items = [(str(place), value) for place, value in enumerate(data)]
    else:
        return {path: data}
    return {name: value for key, one in items for name, value in flat(one, f"{path}.{key}" if path else key).items()}


def differs(report: Mapping[str, Any]) -> bool:
    """Return whether a report has differences, failures or abandoned slices."""
    unknown = any(one["kind"] in ASKED for one in report["differences"])
    return bool(unknown or report["failures"] or report["deaths"] or report["given up"])


def as_text(report: Mapping[str, Any]) -> str:
    """Return a report as text."""
    rows = [row(one) for one in report["machines"]]
    what = f"target {report['target']}, seed {report['seed']}"
    lines = [
        f"fleet of {len(report['hosts'])} hosts, {what}: {report['ended']}",
        f"{report['slices']} slices in {report['seconds']:.0f} s",
        "",
        table(HEAD, rows, WIDE),
        *_told(
            "hosts that were not used to the end",
            [f"{one['name']}: {one['out']}" for one in report["hosts"] if one["out"]],
        ),
    ]
    for kind in sorted({one["kind"] for one in report["differences"]}, key=lambda kind: kind not in ASKED):
        chosen = [one for one in report["differences"] if one["kind"] == kind]
        lines += ["", f"{len(chosen)} differences by call and codes: {KINDS[kind]}"]
        for one in chosen:
            lines.append(
                f"  {one['call']}: {one['card']} on the card, {one['model']} by the model ({one['rule'] or 'no rule'})"
            )
            lines.append(
                f"    {one['steps']} steps, program {one['program number']} of {one['machine']} x{one['gpus']}; "
                f"{one['times']} times; {'; '.join(one['states'][:3])}"
            )
            lines += [f"    {line}" for line in one["where"]]
    if report["failures"]:
        lines += ["", f"{len(report['failures'])} causes of failed checks and programs of state machines"]
    for one in report["failures"]:
        lines += [f"  {one['cause']}", *(f"    {line}" for line in one["where"])]
        lines.append(f"    {len(one['shown by'])} show it: {', '.join(one['shown by'][:2])}")
    apart = [
        f"{name}: " + ", ".join(f"{value} on {machine}" for machine, value in values.items())
        for name, values in report["profiles"].items()
    ]
    lines += _told("values of profiles that differ between machines", apart)
    lines += _told(
        "deaths of helpers", [f"{item} ({name}) on {node}: it {how}" for name, item, node, how in report["deaths"]]
    )
    lines += _told(
        "slices lost and done again",
        [f"{name} on {node}: {how}" for name, node, how in report["lost"] if name not in report["given up"]],
    )
    lines += _told("slices given up", [f"{name}: {how}" for name, how in report["given up"].items()])
    skipped: Counter[str] = Counter()
    for one in report["machines"]:
        for _, reason, count in one["checks"]["skipped"]:
            skipped[f"{one['machine']} x{one['gpus']}: {reason}"] += count
    lines += _told(
        "reasons for which checks were skipped", [f"{count} on {reason}" for reason, count in skipped.most_common()]
    )
    left = ", ".join(f"{count} of {kind}" for kind, count in sorted(report["not reached"].items()))
    lines += ["", f"slices not reached: {left or 'none'}"]
    return "\n".join(lines) + "\n"


KINDS = {
    "difference": "new processes show them",
    "used": "new processes do not show them: what an earlier program left",
    "known": "divergences.toml explains them",
    "once": "they did not come back: timing, or addresses that were used again",
}
"""Descriptions of the kinds of differences that the search reports."""


def row(one: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a machine's row of the table."""
    checks, search = one["checks"], one["search"]
    counted = (
        sum(one["hosts"].values()),
        checks["asked"],
        checks["of"],
        checks["failed"],
        sum(count for *_, count in checks["skipped"]),
        *(search[name] for name in ("programs", "steps", "calls", "rules")),
        one["differences"],
        one["drawn steps"],
        one["recorded"],
    )
    return (f"{one['machine']} x{one['gpus']}", str(len(one["hosts"])), *map(str, counted))


def _told(title: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    more = [f"  and {len(lines) - MOST} more: see report.json"] if len(lines) > MOST else []
    return ["", f"{len(lines)} {title}", *(f"  {line}" for line in lines[:MOST]), *more]
