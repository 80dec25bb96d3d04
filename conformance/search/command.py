"""The command line of the search, and its report."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.drawing.chapters import CHAPTERS
from conformance.kit.program import Program
from conformance.record import recordings
from conformance.record.recorder import describe, header_of
from conformance.record.recordings import BESIDE
from conformance.search.journal import Journal, JournalError, read
from conformance.search.planted import PLANTED
from conformance.search.workers import NoWorkerError, Search, Setup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.search.searcher import Told

KINDS = {
    "difference": "differences",
    "once": "answers that did not come back: timing, or addresses that were used again",
    "used": "differences that new processes do not show: what an earlier program left",
    "known": "differences that divergences.toml explains",
}
MOST_TOLD = 12


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 for differences, 2 if nothing was asked, else 0.

    Args:
        arguments: What stands behind the program's name; ``sys.argv`` by default.
    """
    parser = argparse.ArgumentParser(
        prog="python -m conformance.search",
        description="look for programs that a card answers otherwise than the model",
    )
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to search")
    parser.add_argument("--programs", type=int, default=0, help="how many programs to draw; 0 for no end")
    parser.add_argument("--seed", type=int, help="the seed of the drawing; default: a new seed, which is printed")
    parser.add_argument("--jobs", type=int, default=max(6, os.cpu_count() or 1), help="how many programs run at a time")
    parser.add_argument("--resume", type=Path, help="the journal to continue")
    parser.add_argument("--out", type=Path, default=Path("search"), help="the folder of the profile and the recording")
    parser.add_argument("--profile", default="", help="the machine's profile, a name or a file; probed without it")
    parser.add_argument("--library", help="the driver's library; libcuda.so.1 without it")
    parser.add_argument("--cudart", help="the runtime library; the one that is found without it")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds that one call may take")
    parser.add_argument("--target", choices=("real", "model"), default="real", help="what answers")
    parser.add_argument("--chapters", default="", help="comma-separated chapters whose calls to draw; default: all")
    parser.add_argument(
        "--planted", default="", help=f"comma-separated bugs to plant in the model that answers: {', '.join(PLANTED)}"
    )
    options = parser.parse_args(arguments)
    if odd := set(filter(None, options.chapters.split(","))) - set(CHAPTERS):
        parser.error(f"no chapter {', '.join(sorted(odd))}: there are {', '.join(CHAPTERS)}")
    if options.target == "real":
        from realcuda import available  # noqa: PLC0415 - a model needs none of it

        if reason := available(options.library):
            sys.stderr.write(f"nothing asked: {reason}\n")
            return 2
    if reason := describe(options, options.out):
        sys.stderr.write(f"nothing asked: {reason}\n")
        return 2
    header = header_of(options.out, options.seed or 0)
    try:
        journal = _journal(options, f"{header.machine}, driver {header.driver}")
    except JournalError as error:
        sys.stderr.write(f"nothing asked: {error}\n")
        return 2
    tell(f"search: {journal.machine}, seed {journal.seed}, from block {min(journal.next)} on")
    setup = Setup(
        str((options.out / BESIDE).resolve()),
        journal.seed,
        options.target == "real",
        tuple(filter(None, options.planted.split(","))),
        options.library,
        options.cudart,
        options.limit,
        tuple(filter(None, options.chapters.split(","))),
    )
    until = time.time() + 60 * options.minutes
    path = options.resume or options.out / "journal.json"
    try:
        Search(setup, journal, options.jobs, until, options.programs, path, tell).run()
    except NoWorkerError as error:
        sys.stderr.write(f"nothing asked: no worker starts: {error}\n")
        return 2
    programs = [_program(journal, one) for kind in KINDS for one in journal.of(kind)]
    if programs:
        recordings.write(options.out / "search.jsonl", header, programs)
    report = report_of(journal)
    (options.out / "report.txt").write_text(report)
    tell(report.rstrip())
    return int(bool(journal.of("difference") or journal.of("used") or journal.lost))


def tell(text: str) -> None:
    """Print text at once."""
    print(text, flush=True)


def _journal(options: argparse.Namespace, machine: str) -> Journal:
    """Return the journal of the run to resume, or a new one.

    Raises:
        JournalError: It is of another seed.
    """
    if options.resume is None or not options.resume.exists():
        seed = secrets.randbelow(1 << 32) if options.seed is None else options.seed
        return Journal(seed, machine)
    journal = read(options.resume)
    if options.seed not in {None, journal.seed}:
        msg = f"{options.resume}: its seed is {journal.seed}, not {options.seed}: name another file"
        raise JournalError(msg)
    journal.machine = machine
    return journal


def _program(journal: Journal, told: Told) -> Program:
    return Program(f"search/{journal.seed}-{told.number}/{told.kind}", told.steps, told.answers, "search")


def report_of(journal: Journal) -> str:
    """Return what a search has reached and found, as text."""
    reached = journal.reached
    rate = reached.programs / journal.seconds if journal.seconds else 0.0
    made = sum(reached.calls.values())
    lines = [
        f"search of {journal.machine}, seed {journal.seed}",
        f"{reached.programs} programs in {journal.seconds:.0f} s ({rate:.0f} in a second), {reached.steps} steps, {made} calls",
        f"{len(reached.calls)} different calls, {len(reached.pairs)} pairs of calls one after the other",
        f"{len(reached.answers)} pairs of a call and its code; {len(reached.succeeded)} calls succeeded",
        f"{len(reached.rules)} rules broken; {reached.undefined} calls left out, since what they do is undefined",
    ]
    for kind, what in KINDS.items():
        told = journal.of(kind)
        lines += ["", f"{len(told)} {what}"]
        for one in told:
            count = journal.again[one.key.codes]
            key = one.key
            lines.append(f"  {key.call}: {key.card} on the card, {key.model} by the model ({key.rule or 'no rule'})")
            lines.append(
                f"    {key.state}; {len(one.steps)} steps; program {one.number}; {count} times by call and codes"
            )
    if journal.lost:
        lines += ["", f"{len(journal.lost)} workers were lost"]
        lines += [f"  in program {number}: {how}" for number, how in journal.lost]
    for what, counted in (
        ("problems", journal.problems),
        (f"ends of processes of {journal.started} that were started", journal.ended),
    ):
        if counted:
            lines += ["", f"{sum(counted.values())} {what}"]
            lines += [f"  {count} {text}" for text, count in counted.most_common(MOST_TOLD)]
    lines += ["", f"{len(reached.situations)} situations"]
    lines += [f"  {count} times: {situation}" for situation, count in sorted(reached.situations.items())]
    if journal.slowest:
        dearest = ", ".join(f"{call} {seconds:.1f} s" for call, seconds in journal.slowest.most_common(MOST_TOLD))
        lines += ["", f"most of the card's time: {dearest}"]
    return "\n".join(lines) + "\n"
