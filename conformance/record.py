"""Recording what a real driver answers: ``python -m conformance.record --out DIR``.

Writes ``DIR/<machine>/``: ``profile.toml``, ``cases.jsonl``, ``pairs.jsonl`` and ``machine.jsonl`` (compressed at the
end), and ``problems.txt`` with what could not be recorded. Programs run in parallel, each in processes of its own; a
crash is an answer, and whatever else fails costs that program alone.
"""

from __future__ import annotations

import argparse
import datetime as dt
import fnmatch
import importlib
import multiprocessing
import shutil
import sys
import time
import tomllib
import traceback
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

import fakecuda
from conformance import recordings
from conformance.case import ENTRIES
from conformance.compare import is_early
from conformance.program import Program, Recorder, run
from conformance.recordings import BESIDE, Header, hash_of, line_of
from conformance.world import Session, Unavailable
from fakecuda.profiles import HERE as PROFILES
from fakecuda.profiles import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from conformance.case import Case

HERE = Path(__file__).parent
CHUNK = 12
"""Cases in one program."""
BATCH = 5
"""State-machine programs in one task."""
TRIES = 2
LIMIT = 15.0
"""Seconds that one call may take."""


@frozen
class Task:
    """What a worker records in one go.

    Attributes:
        origin: ``case``, ``pairs`` or ``machine``.
        name: The program's name.
        call: The entry, for cases and pairs.
        start: The first of its cases.
        seed: The seed, for ``machine``.
    """

    origin: str
    name: str
    call: str = ""
    start: int = 0
    seed: int = 0


@define
class Worker:
    """What a worker process has.

    Attributes:
        machine: The target.
        profile: The model's profile.
        deadline: When to stop, seconds since the epoch.
    """

    machine: Any
    profile: str
    deadline: float


WORKER: list[Worker] = []


def load_cases() -> list[str]:
    """Import every module of cases; return what could not be imported, a line each."""
    problems = []
    for path in sorted(HERE.glob("*/test_*.py")):
        try:
            importlib.import_module(f"conformance.{path.parent.name}.{path.stem}")
        except Exception as error:  # noqa: BLE001 - one module's mistake is not the others'
            problems.append(f"{path.parent.name}/{path.name}: {type(error).__name__}: {error}")
    return problems


def tasks(only: str, programs: int, seed: int, kinds: str = "case,pairs,machine") -> list[Task]:
    """Return what there is to record: cases first, then pairs and state-machine programs in turn."""
    patterns = only.split(",")
    chosen = [entry for name, entry in ENTRIES.items() if any(fnmatch.fnmatch(name, one) for one in patterns)]
    cases: list[Task] = []
    pairs: list[Task] = []
    for entry in chosen:
        for origin, count, into in (
            ("case", len(asked(entry.singles())), cases),
            ("pairs", len(asked(entry.pairs())), pairs),
        ):
            into += [
                Task(origin, f"{entry.call}/{origin}/{start // CHUNK}", entry.call, start)
                for start in range(0, count, CHUNK)
            ]
    batches = [Task("machine", f"machine/{seed + n}", seed=seed + n) for n in range(-(-programs // BATCH))]
    longest = max(len(pairs), len(batches))
    mixed = [part[n] for n in range(longest) for part in (pairs, batches) if n < len(part)]
    return [task for task in (*cases, *mixed) if task.origin in kinds.split(",")]


def asked(cases: list[Case]) -> list[Case]:
    """Return the cases that a real driver is asked; multicast calls are never recorded."""
    return [case for case in cases if case.real and not case.guarded]


def start_worker(target: str, library: str | None, profile: str, deadline: float) -> None:
    """Prepare a worker process."""
    load_cases()
    if target == "real":
        import realcuda  # noqa: PLC0415 - a model's recording needs none of it

        machine: Any = realcuda.Machine(warm=1, limit=LIMIT, library=library)
    else:
        machine = None
    WORKER[:] = [Worker(machine, profile, deadline)]


def work(task: Task) -> tuple[list[Program], list[str]]:
    """Record one task; return its programs and problems."""
    worker = WORKER[0]
    if time.time() > worker.deadline:
        return [], [f"{task.name}: no time left"]
    machine = worker.machine or fakecuda.Machine(load(worker.profile), strict=False)
    try:
        if task.origin == "machine":
            return _generated(task, worker, machine)
        entry = ENTRIES[task.call]
        cases = asked(entry.singles() if task.origin == "case" else entry.pairs())
        return record_cases(cases[task.start : task.start + CHUNK], machine, task, worker.deadline)
    finally:
        if worker.machine is None:
            machine.close()


def record_cases(cases: Sequence[Case], machine: Any, task: Task, deadline: float) -> tuple[list[Program], list[str]]:  # noqa: ANN401 - either machine
    """Record cases in one program."""
    recorder = Recorder(machine, task.name, task.origin)
    session = Session(recorder)
    problems = []
    try:
        for case in cases:
            if time.time() > deadline:
                problems.append(f"{case.id}: no time left")
                continue
            world = session.world(case.id)
            try:
                invocation = case.prepare(world)
                code, *results = invocation.run()
                if code == 0:
                    case.observe(world, invocation, tuple(results))
                if len(case.twists) <= 1 and code != case.code and not is_early(case.entry.call, code, case.code):
                    problems.append(f"{case.id}: {code} instead of {case.code}")
            except Unavailable as lack:
                problems.append(f"{case.id}: {lack}")
            except Exception as error:  # noqa: BLE001 - the answers until here are worth keeping
                if len(case.twists) <= 1:
                    problems.append(f"{case.id}: {type(error).__name__}: {' '.join(str(error).split())[:300]}")
            try:
                world.finish()
            except Exception as error:  # noqa: BLE001 - likewise; the next world takes other processes
                problems.append(f"{case.id}: at the end: {type(error).__name__}: {error}")
    finally:
        recorder.close()
    return [recorder.program], problems


def _generated(task: Task, worker: Worker, machine: Any) -> tuple[list[Program], list[str]]:  # noqa: ANN401 - either machine
    from conformance.machine import generate  # noqa: PLC0415 - it needs Hypothesis

    done, problems = [], []
    for program in generate(worker.profile, BATCH, task.seed):
        if time.time() > worker.deadline:
            problems.append(f"{program.name}: no time left")
            continue
        try:
            answers = run(program, machine)
        except Exception as error:  # noqa: BLE001 - one program's mistake is not the others'
            problems.append(f"{program.name}: {type(error).__name__}: {error}")
        else:
            done.append(Program(program.name, program.steps, answers, "machine"))
    return done, problems


@define
class Writer:
    """The files of a recording.

    Attributes:
        folder: Where they are.
        header: What each says of itself.
        programs: What has been written, by origin.
        problems: What could not be recorded.
    """

    folder: Path
    header: Header
    programs: dict[str, list[Program]] = field(factory=dict)
    problems: list[str] = field(factory=list)

    def path(self, origin: str) -> Path:
        """Return the file of an origin."""
        return self.folder / f"{'cases' if origin == 'case' else origin}.jsonl"

    def add(self, programs: Sequence[Program], problems: Sequence[str]) -> None:
        """Write at once what a worker has recorded."""
        for program in programs:
            known = self.programs.setdefault(program.origin, [])
            with self.path(program.origin).open("a" if known else "w") as file:
                file.write("" if known else f"{line_of(self.header)}\n")
                file.write(f"{line_of(program)}\n")
            known.append(program)
        if problems:
            self.problems += problems
            with (self.folder / "problems.txt").open("a") as file:
                file.writelines(f"{problem}\n" for problem in problems)

    def finish(self) -> None:
        """Write the files in order and compressed."""
        for origin, programs in self.programs.items():
            path = self.path(origin)
            ordered = sorted(programs, key=lambda program: program.name)
            recordings.write(path.with_suffix(".jsonl.gz"), self.header, ordered)
            path.unlink()


def record(writer: Writer, work_list: list[Task], jobs: int, start: tuple[str, str | None, str, float]) -> None:
    """Record tasks in parallel; a worker that dies costs its tasks one more try."""
    tries = dict.fromkeys(work_list, 0)
    while tries:
        with ProcessPoolExecutor(
            jobs, multiprocessing.get_context("spawn"), initializer=start_worker, initargs=start
        ) as pool:
            running: dict[Future[Any], Task] = {pool.submit(work, task): task for task in tries}
            while running:
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    task = running.pop(future)
                    try:
                        writer.add(*future.result())
                    except BrokenProcessPool:
                        tries[task] += 1
                        continue
                    except Exception:  # noqa: BLE001 - one task's mistake is not the others'
                        writer.add([], [f"{task.name}: {traceback.format_exc(limit=-2)}"])
                    del tries[task]
        lost = [task for task, count in tries.items() if count >= TRIES]
        writer.add([], [f"{task.name}: its worker died {TRIES} times" for task in lost])
        for task in lost:
            del tries[task]


def describe(options: argparse.Namespace, folder: Path) -> str:
    """Write the machine's profile into a folder; return why that was impossible, empty when it was not."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / BESIDE
    if options.profile:
        given = Path(options.profile)
        shutil.copyfile(given if given.exists() else PROFILES / f"{options.profile}.toml", path)
        return ""
    if options.target == "model":
        return "--target model needs --profile"
    from realcuda import probe  # noqa: PLC0415 - likewise

    where = ["--library", options.library] if options.library else []
    return "" if probe.main(["-o", str(path), *where]) == 0 else "the machine's profile could not be written"


def header_of(folder: Path, seed: int) -> Header:
    """Return the header of recordings whose profile lies in a folder."""
    from realcuda.probe import bindings  # noqa: PLC0415 - likewise

    profile = tomllib.loads((folder / BESIDE).read_text())
    date = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    name = profile["name"]
    return Header(
        machine=name,
        driver=profile["driver_version"],
        bindings=bindings(),
        profile=name,
        profile_hash=hash_of(folder / BESIDE),
        seed=seed,
        date=date,
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m conformance.record", description="record what the driver answers")
    parser.add_argument("--out", type=Path, default=recordings.ROOT, help="the folder of recordings")
    parser.add_argument("--jobs", type=int, default=6, help="programs at a time")
    parser.add_argument("--only", default="*", help="the calls whose cases to record: patterns, with commas between")
    parser.add_argument("--kinds", default="case,pairs,machine", help="which of these to record, with commas between")
    parser.add_argument("--machine-programs", type=int, default=0, help="how many state-machine programs to record")
    parser.add_argument("--seed", type=int, default=0, help="their seed")
    parser.add_argument("--minutes", type=float, default=60.0, help="when to stop")
    parser.add_argument("--profile", default="", help="the machine's profile, a name or a file; probed without it")
    parser.add_argument("--library", help="the driver's library; libcuda.so.1 without it")
    parser.add_argument("--target", choices=("real", "model"), default="real", help="what answers")
    options = parser.parse_args(arguments)
    deadline = time.time() + 60 * options.minutes
    if options.target == "real":
        from realcuda import available  # noqa: PLC0415 - likewise

        if reason := available(options.library):
            sys.stderr.write(f"nothing recorded: {reason}\n")
            return 1
    scratch = options.out / ".new"
    if reason := describe(options, scratch):
        sys.stderr.write(f"nothing recorded: {reason}\n")
        return 1
    header = header_of(scratch, options.seed)
    folder = options.out / header.machine
    folder.mkdir(parents=True, exist_ok=True)
    (scratch / BESIDE).replace(folder / BESIDE)
    scratch.rmdir()
    (folder / "problems.txt").unlink(missing_ok=True)
    writer = Writer(folder, header)
    writer.add([], load_cases())
    work_list = tasks(options.only, options.machine_programs, options.seed, options.kinds)
    begun = time.time()
    record(
        writer, work_list, options.jobs, (options.target, options.library, str((folder / BESIDE).resolve()), deadline)
    )
    writer.finish()
    count = sum(len(programs) for programs in writer.programs.values())
    sys.stdout.write(
        f"{count} programs in {time.time() - begun:.0f} s, {len(writer.problems)} problems: see {folder}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
