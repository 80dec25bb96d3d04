"""The command ``python -m conformance.record.replay [PATH…]``.

The target is a model of each recorded machine, the same model by real processes, or the card of this machine. A card
confirms what another one answered. ``--out DIR`` writes what the target answered, as a recording.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from shutil import copyfile
from typing import TYPE_CHECKING

from attrs import define, evolve, field

from conformance.kit.compare import compare
from conformance.kit.world import Unavailable
from conformance.record import recordings
from conformance.record.recorder import LIMIT, Setup, describe, header_of, record
from conformance.record.recording_plan import again
from conformance.record.recordings import BESIDE, Recording, RecordingError
from conformance.record.replay import recording, replay
from conformance.record.writer import Writer
from fakecuda import profiles
from fakecuda.errors import FakeCudaError, ProfileError
from fakecuda.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conformance.kit.compare import Difference
    from conformance.kit.program import Program
    from conformance.record.recording_plan import Task
    from fakecuda.profiles import Profile

MODEL, PROCESSES, REAL = "model", "processes", "real"
DIFFERENT, USAGE = 1, 2
"""Exit statuses besides 0."""


@define
class Tally:
    """Counts of a file's replays.

    Attributes:
        agreed: How many programs the target answered as recorded.
        asked: How many programs have recorded answers.
        unasked: How many have none.
        calls: The call of each difference.
    """

    agreed: int = 0
    asked: int = 0
    unasked: int = 0
    calls: Counter[str] = field(factory=Counter)

    def add(self, program: Program, differences: Sequence[Difference]) -> None:
        """Count a program, and print different answers."""
        if not program.answers:
            self.unasked += 1
            return
        self.asked += 1
        self.agreed += not differences
        self.calls.update(program.steps[one.step]["call"] for one in differences)
        if differences and program.about:
            sys.stdout.write(f"{program.name}, about: {program.about}\n")
        sys.stdout.writelines(f"{program.name}: {difference}\n" for difference in differences)

    def stop(self, program: Program, error: FakeCudaError) -> None:
        """Count a program with an unmodelled call, and print the call."""
        self.asked += bool(program.answers)
        self.unasked += not program.answers
        self.calls["what is not modelled"] += 1
        sys.stdout.write(f"{program.name}: {error}\n")

    def tell(self, path: Path, target: str) -> None:
        """Print how many programs of a file agree."""
        rest = f", {self.unasked} have no recorded answers" if self.unasked else ""
        sys.stdout.write(f"{path}: {self.agreed} of {self.asked} programs agree on {target}{rest}\n")


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    made = argparse.ArgumentParser(
        prog="python -m conformance.record.replay",
        description="Run recorded programs again, and print what differs from the recorded answers.",
        epilog="Exit status: 0 all answers agree, 1 some differ or a program could not run, 2 wrong use.",
    )
    add = made.add_argument
    add("paths", nargs="*", type=Path, metavar="PATH", help="recordings, or folders of some; the suite's by default")
    add("--only", default="*", metavar="PATTERN", help="comma-separated patterns of program names")
    add("--target", choices=(MODEL, PROCESSES, REAL), default=MODEL, help="what answers")
    add("--profile", default="", help="the machine's profile; by default that of each recording, or the card's, probed")
    add("--out", type=Path, metavar="DIR", help="write what the target answered, a folder for each machine")
    add("--library", help="with real: the driver's library; libcuda.so.1 by default")
    add("--cudart", help="with real: the runtime library; by default the one that is found")
    add("--jobs", type=int, default=6, help="with real: how many programs run at a time")
    add("--limit", type=float, default=LIMIT, help="with real: seconds that one call may take")
    add("--minutes", type=float, default=60.0, help="with real: when to stop")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 if all answers agree, 1 if some differ, 2 for a mistake in the use."""
    options = parser().parse_args(arguments)
    try:
        on = profiles.load(options.profile) if options.profile else None
        tasks = again(options.paths or [recordings.ROOT], options.only)
        return _on_card(options, tasks) if options.target == REAL else _on_models(options, tasks, on)
    except (RecordingError, ProfileError) as error:
        sys.stderr.write(f"{error}\n")
        return USAGE


def _on_models(options: argparse.Namespace, tasks: list[Task], on: Profile | None) -> int:
    """Replay on models, and return the exit status."""
    differing: Counter[str] = Counter()
    progress = Progress(len(tasks))
    for path, mine in _by_file(tasks).items():
        found, tally, given = recording_of(path), Tally(), []
        for task in mine:
            progress.add()
            progress.show(path.name)
            program = found.programs[task.seed]
            try:
                replayed = replay(path, task.seed, "processes" if options.target == PROCESSES else "recordings", on)
            except Unavailable as lack:
                sys.stdout.write(f"{program.name}: left out: {lack}\n")
                continue
            except FakeCudaError as error:
                tally.stop(program, error)
                continue
            tally.add(program, replayed.unknown)
            given.append(evolve(program, answers=replayed.given))
        tally.tell(path, on.name if on else found.header.profile)
        differing += tally.calls
        if options.out:
            _keep(options, found, mine[0].file, given)
    progress.end()
    return _end(differing)


def _keep(options: argparse.Namespace, found: Recording, stem: str, programs: Iterable[Program]) -> None:
    """Write a model's answers with its profile."""
    folder = options.out / (Path(options.profile).stem or found.path.parent.name)
    folder.mkdir(parents=True, exist_ok=True)
    if options.profile:
        describe(options, folder)
    else:
        copyfile(found.profile(), folder / BESIDE)
    recordings.write(folder / f"{stem}.jsonl.gz", header_of(folder, found.header.seed), programs)


def _on_card(options: argparse.Namespace, tasks: list[Task]) -> int:
    """Replay on this machine's card, and return the exit status."""
    from realcuda import available  # noqa: PLC0415 - a model needs none of it

    if reason := available(options.library):
        sys.stderr.write(f"--target=real: {reason}\n")
        return USAGE
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if reason := describe(options, folder):
            sys.stderr.write(f"--target=real: {reason}\n")
            return USAGE
        header = header_of(folder, 0)
        own = profiles.load(folder / BESIDE)
        tasks = [task for task in tasks if not _profile(Path(task.path)).hip.name]  # CUDA's driver has no calls of HIP
        chosen = [task for task in tasks if len(_profile(Path(task.path)).devices) <= len(own.devices)]
        if left := len(tasks) - len(chosen):
            sys.stdout.write(f"{left} programs left out: they need more devices than the {len(own.devices)} here\n")
        if options.out:
            kept = options.out / header.machine
            kept.mkdir(parents=True, exist_ok=True)
            copyfile(folder / BESIDE, kept / BESIDE)
            folder = kept
        writer = Writer(folder, header)
        deadline = time.time() + 60 * options.minutes
        record(writer, chosen, options.jobs, _setup(options, folder, deadline))
        status = _compared(writer, chosen, header.profile_hash)
        if options.out:
            writer.finish()
            sys.stdout.write(f"{writer}: see {folder}\n")
    return status


def _setup(options: argparse.Namespace, folder: Path, deadline: float) -> Setup:
    profile = str((folder / BESIDE).resolve())
    return Setup(REAL, options.library, options.cudart, profile, deadline, options.limit)


def _compared(writer: Writer, tasks: list[Task], profile_hash: str) -> int:
    """Print the differences between a card and recordings; return the exit status."""
    differing: Counter[str] = Counter()
    for path, mine in _by_file(tasks).items():
        found, tally = recording_of(path), Tally()
        given = {program.name: program.answers for program in writer.programs.get(mine[0].file, ())}
        same = found.header.profile_hash == profile_hash
        for task in mine:
            program = found.programs[task.seed]
            if program.name in given:
                answers = given[program.name]
                tally.add(program, compare(program, answers, profile=same, cards=True) if program.answers else [])
        tally.tell(path, writer.header.machine)
        differing += tally.calls
    missing = len(tasks) - sum(map(len, writer.programs.values()))
    if missing:
        sys.stdout.writelines(f"{problem}\n" for problem in writer.problems)
        sys.stdout.write(f"{missing} programs did not run\n")
    return _end(differing) or int(bool(missing))


def _end(differing: Counter[str]) -> int:
    if not differing:
        return 0
    calls = (f"{count} of {call}" for call, count in differing.most_common())
    sys.stdout.write(f"differences: {', '.join(calls)}\n")
    return DIFFERENT


def recording_of(path: Path) -> Recording:
    """Return a recording.

    Raises:
        RecordingError: The file cannot be read.
    """
    found = recording(path)
    if isinstance(found, RecordingError):
        raise found
    return found


def _profile(path: Path) -> Profile:
    return profiles.load(recording_of(path).profile())


def _by_file(tasks: Iterable[Task]) -> dict[Path, list[Task]]:
    """Return tasks by their programs' file."""
    found: dict[Path, list[Task]] = {}
    for task in tasks:
        found.setdefault(Path(task.path), []).append(task)
    return found
