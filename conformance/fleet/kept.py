"""The output folder of a fleet: report, recordings, profiles, and examples."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import TYPE_CHECKING, Any

from hypothesis.database import DirectoryBasedExampleDatabase

from conformance.fleet.page import as_html
from conformance.fleet.report import as_text
from conformance.kit.program import Program
from conformance.record import recordings
from conformance.record.recordings import BESIDE, Header, hash_of
from fakecuda import profiles
from realcuda.probe import bindings

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.fleet.fleet import Fleet
    from conformance.fleet.gathered import Gathered, Seen

REPORT = "report"
ODD = re.compile(r"[^\w.-]+")


def write(fleet: Fleet, folder: Path, report: dict[str, Any]) -> str:
    """Write all files, and return the report as text."""
    text = as_text(report)
    (folder / f"{REPORT}.txt").write_text(text, encoding="utf-8")
    (folder / f"{REPORT}.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    (folder / f"{REPORT}.html").write_text(as_html(report), encoding="utf-8")
    for place, seen in fleet.gathered.machines.items():
        if place[0] and seen.profile is not None and seen.profile[1]:
            _machine(folder / "recordings" / ODD.sub("-", f"{place[0]}-x{place[1]}"), seen)
    _examples(fleet.gathered, folder / "examples")
    return text


def _machine(folder: Path, seen: Seen) -> None:
    """Write the profile and the recordings of a kind of machine."""
    assert seen.profile is not None
    folder.mkdir(parents=True, exist_ok=True)
    (folder / BESIDE).write_text(seen.profile[1], encoding="utf-8")
    profile = profiles.load(folder / BESIDE)
    header = Header(
        machine=seen.profile[0],
        driver=profile.driver_version,
        bindings=bindings(),
        profile=seen.profile[0],
        profile_hash=hash_of(folder / BESIDE),
        seed=seen.journal.seed,
        date=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    )
    own = seen.journal.told.values()
    searched = [
        Program(f"search/{seen.journal.seed}-{one.number}/{one.kind}", one.steps, one.answers, "search") for one in own
    ]
    by_origin = {"search": searched} if searched else {}
    for program in seen.programs:
        by_origin.setdefault(program.origin, []).append(program)
    for origin, programs in by_origin.items():
        name = "cases" if origin == "case" else origin
        ordered = sorted(programs, key=lambda program: program.name)
        recordings.write(folder / f"{name}.jsonl.gz", header, ordered)
    if seen.problems:
        (folder / "problems.txt").write_text("".join(f"{line}\n" for line in seen.problems), encoding="utf-8")


def _examples(gathered: Gathered, folder: Path) -> None:
    """Write the failures of state machines as a Hypothesis database."""
    database = DirectoryBasedExampleDatabase(folder)
    for key, values in gathered.examples.items():
        for value in values:
            database.save(bytes.fromhex(key), bytes.fromhex(value))
