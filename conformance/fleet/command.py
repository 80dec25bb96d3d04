"""The command line of a fleet."""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import asdict

from conformance.drawing.chapters import CHAPTERS
from conformance.fleet import kept
from conformance.fleet.fleet import Fleet
from conformance.fleet.handlers import MODEL, REAL, code
from conformance.fleet.helper import LIST
from conformance.fleet.journal import NAME, Journal, JournalError, first_line
from conformance.fleet.lanes import CannotStartError, Lane, SliceFailedError
from conformance.fleet.one_host import VISIBLE, OneHost
from conformance.fleet.report import as_json, differs
from conformance.fleet.settings import Settings
from conformance.fleet.slices import EXAMPLES, RECORD, SEARCH, SUITE, Listed, Sizes, Slice
from conformance.fleet.status import StatusLine
from conformance.record.recorder import load_cases
from conformance.record.recording_plan import KINDS as RECORDED
from conformance.record.recording_plan import tasks
from conformance.search.planted import PLANTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.fleet.nodes import Executor

KINDS = (SUITE, SEARCH, EXAMPLES, RECORD)
NOTHING, DIFFERENT, UNASKED, CUT_OFF = range(4)
"""The exit statuses."""
PER_PROGRAM, PER_TASK = 15, 4
"""The weight of a search program and of a recorder task, in units of checks."""
OF_THE_RUN = (
    "target",
    "seed",
    "kinds",
    "only",
    "chapters",
    "size",
    "gpus",
    "ask",
    "slices",
    "profile",
    "planted",
    "library",
    "cudart",
    "limit",
)
"""Options that ``--resume`` takes from the earlier run."""


class UsageError(Exception):
    """A usage error; the text says what to write."""


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    made = argparse.ArgumentParser(
        prog="python -m conformance.fleet",
        description="Run the suite and the random search on all GPUs of many hosts, and set the machines side by side.",
        epilog="Exit status: 0 nothing differs, 1 something differs or failed, 2 nothing was asked, 3 nothing differs and "
        "the suite was not asked to its end.",
        allow_abbrev=False,
    )
    where = made.add_mutually_exclusive_group(required=True)
    where.add_argument("--address", help="a Ray cluster: its address, or auto for the one that this host is of")
    where.add_argument(
        "--local", nargs="?", const="", metavar="GPUS", help="this host, without Ray: all its GPUs, or 0,1"
    )
    add = made.add_argument
    add("--hours", type=float, default=1.0, help="when to end")
    add("--jobs", type=int, default=1, help="slices that a group of GPUs does at a time")
    add("--out", type=Path, default=Path("fleet"), help="the folder of the report, the recordings and the journal")
    add("--resume", type=Path, metavar="DIR", help="go on with the run of this folder, with the options that it had")
    add("--target", choices=(REAL, MODEL), default=REAL, help="what answers")
    add("--kinds", default=",".join(KINDS[:3]), help=f"comma-separated parts to run: {', '.join(KINDS)}")
    add("--seed", type=int, help="what is drawn from; a new seed by default, which is told")
    add(
        "--only",
        action="append",
        default=[],
        metavar="TEXT",
        help="checks of the suite whose group has this text in it",
    )
    add("--gpus", type=int, default=2, help="GPUs that programs are drawn for, where a host has so many")
    add(
        "--ask",
        type=int,
        default=4,
        metavar="N",
        help="hosts of each kind of machine that are asked about a difference",
    )
    add("--chapters", default="", help="comma-separated chapters whose calls the search draws; default: all")
    add("--size", type=int, default=40, metavar="N", help="how large slices are, in programs")
    add("--slices", type=int, default=0, metavar="N", help="slices of programs for each kind of machine; 0 for no end")
    add("--profile", action="append", default=[], metavar="[HOST=]NAME", help="the profile of a model that answers")
    add(
        "--planted",
        action="append",
        default=[],
        metavar="[HOST=]BUGS",
        help=f"bugs of such a model: of {', '.join(PLANTED)}",
    )
    add("--library", help="the driver's library; libcuda.so.1 without it")
    add("--cudart", help="the runtime library; the one that is found without it")
    add("--limit", type=float, default=10.0, help="seconds that one call may take")
    return made


def main(arguments: Sequence[str] | None = None, executor: Executor | None = None) -> int:
    """Run the command line, and return the exit status.

    Args:
        arguments: What stands behind the program's name; ``sys.argv`` by default.
        executor: What does slices; made of the options by default.
    """
    options = parser().parse_args(arguments)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # as batch systems end what has no time left
    try:
        return _main(options, executor)
    finally:
        signal.signal(signal.SIGTERM, before)


def _main(options: argparse.Namespace, executor: Executor | None) -> int:
    begun = time.monotonic()
    try:
        folder, run = _run(options)
        settings = settings_of(run, options.jobs)
        listing, work = _listing(run["only"]) if SUITE in settings.kinds else [], _tasks(settings)
        journal = Journal.of(folder, {"options": run, "code": settings.code}, resume=options.resume is not None)
        does = executor or _executor(options, settings)
    except (UsageError, JournalError, CannotStartError, SliceFailedError) as error:
        sys.stderr.write(f"nothing asked: {error}\n")
        return UNASKED
    except KeyboardInterrupt:
        sys.stderr.write("nothing asked: interrupted\n")
        return UNASKED
    status = StatusLine()
    until = begun + 3600 * options.hours
    fleet = Fleet(does, settings, listing, work, journal, until, status.show, begun=begun)
    fleet.resume()
    sys.stderr.write(f"fleet: {settings.target}, seed {settings.seed}, {', '.join(settings.kinds)}; see {folder}\n")
    fleet.run()
    status.end()
    report = as_json(fleet)
    sys.stdout.write(kept.write(fleet, folder, report))
    sys.stdout.flush()
    if not fleet.gathered.done:
        why = "; ".join(f"{node.name}: {node.out}" for node in fleet.roster.nodes.values() if node.out)
        sys.stderr.write(f"nothing asked: {why or fleet.cut}\n")
        return UNASKED
    if differs(report):
        return DIFFERENT
    return CUT_OFF if fleet.unreached or fleet.cut == "interrupted" else NOTHING


def _run(options: argparse.Namespace) -> tuple[Path, dict[str, Any]]:
    """Return the folder of a run, and the options that identify the run.

    Raises:
        JournalError: The run that is to be gone on with has none.
    """
    if options.resume is not None:
        return options.resume, first_line(options.resume / NAME)["options"]
    run = {name: getattr(options, name) for name in OF_THE_RUN}
    if run["seed"] is None:
        run["seed"] = secrets.randbelow(1 << 32)
    return options.out, run


def settings_of(run: dict[str, Any], jobs: int) -> Settings:
    """Return the settings of a fleet.

    Args:
        run: The options that make a run what it is.
        jobs: Slices that a group of GPUs does at a time.

    Raises:
        UsageError: An option means nothing.
    """
    kinds = tuple(filter(None, run["kinds"].split(",")))
    if odd := set(kinds) - set(KINDS):
        msg = f"--kinds: no kind {', '.join(sorted(odd))}: there are {', '.join(KINDS)}"
        raise UsageError(msg)
    profiles = dict(map(_pair, run["profile"]))
    planted = {name: tuple(bugs.split(",")) for name, bugs in map(_pair, run["planted"])}
    if odd := {bug for bugs in planted.values() for bug in bugs} - set(PLANTED):
        msg = f"--planted: no bug {', '.join(sorted(odd))}: there are {', '.join(PLANTED)}"
        raise UsageError(msg)
    chapters = tuple(filter(None, run["chapters"].split(",")))
    if odd := set(chapters) - set(CHAPTERS):
        msg = f"--chapters: no chapter {', '.join(sorted(odd))}: there are {', '.join(CHAPTERS)}"
        raise UsageError(msg)
    size = run["size"]
    return Settings(
        target=run["target"],
        seed=run["seed"],
        kinds=kinds,
        code=code(),
        jobs=jobs,
        widest=run["gpus"],
        asked=run["ask"],
        most=run["slices"],
        sizes=Sizes(PER_PROGRAM * size, size, max(1, size // PER_TASK)),
        profile=profiles.pop("", "h200-x2"),
        profiles=profiles,
        planted=planted,
        chapters=chapters,
        library=run["library"],
        cudart=run["cudart"],
        limit=run["limit"],
    )


def _pair(text: str) -> tuple[str, str]:
    """Return a host and its value; an empty name stands for all other hosts."""
    name, equals, value = text.rpartition("=")
    return (name, value) if equals else ("", text)


def _listing(only: Sequence[str]) -> list[Listed]:
    """Return the suite's checks, which a helper collects.

    Raises:
        CannotStartError: It does not begin.
        SliceFailedError: The suite cannot be collected.
        UsageError: No check has such a name.
    """
    lane = Lane()
    card = {"target": MODEL, "profile": "", "text": "", "planted": ()}
    try:
        found = lane.run(Slice(LIST, LIST), {"card": card, "shared": {}}, 0.0)["listing"]
    finally:
        lane.close()
    listing = [Listed(**one) for one in found]
    chosen = [one for one in listing if not only or any(text in one.id for text in only)]
    if not chosen:
        msg = f"--only: no group of checks has {' or '.join(only)} in its name"
        raise UsageError(msg)
    return chosen


def _tasks(settings: Settings) -> list[dict[str, Any]]:
    """Return the recorder's tasks: cases, pairs and undefined behaviour, by API."""
    if RECORD not in settings.kinds:
        return []
    load_cases()
    return [asdict(task) for task in tasks("*", 0, settings.seed, ",".join(RECORDED))]


def _executor(options: argparse.Namespace, settings: Settings) -> Executor:
    """Return the executor of slices.

    Raises:
        UsageError: There is nothing that could.
    """
    if options.local is not None:
        return OneHost(_gpus(options.local, settings))
    try:
        from conformance.fleet.on_ray import OnRay  # noqa: PLC0415 - of an extra
    except ModuleNotFoundError as error:
        msg = f"Ray is not installed ({error}): pip install 'fakecuda[fleet]', or --local for this host alone"
        raise UsageError(msg) from error
    try:
        return OnRay(options.address, options.jobs)
    except (ConnectionError, RuntimeError, ValueError) as error:
        msg = f"no Ray cluster at {options.address}: {' '.join(str(error).split())[:300]}"
        raise UsageError(msg) from error


def _gpus(named: str, settings: Settings) -> list[str]:
    """Return the selected GPUs of this host, by names for ``CUDA_VISIBLE_DEVICES``."""
    if named:
        return named.split(",")
    if settings.target == MODEL:
        return ["0", "1"]
    import realcuda  # noqa: PLC0415 - a model needs none of it

    if reason := realcuda.available(settings.library):
        raise UsageError(reason)
    with realcuda.Machine(library=settings.library) as machine:
        count = machine.device_count
    names = os.environ.get(VISIBLE, "").split(",")
    return names if len(names) == count and all(names) else [str(number) for number in range(count)]
