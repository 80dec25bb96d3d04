"""Recording of a real driver's answers: ``python -m conformance.record``.

Writes ``DIR/<machine>/``: ``profile.toml``, ``cases.jsonl``, ``pairs.jsonl`` and ``machine.jsonl`` (compressed at the
end), and ``problems.txt`` with what could not be recorded. Programs run in parallel, each in processes of its own; a
crash is an answer, and whatever else fails costs that program alone. With files of recordings it asks their programs again,
in place of cases.
"""

from __future__ import annotations

import argparse
import datetime as dt
import importlib
import multiprocessing
import shutil
import sys
import time
import tomllib
import traceback
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, frozen

import fakecuda
from conformance import CASES
from conformance.kit.compare import is_early
from conformance.kit.program import Program, Recorder, run
from conformance.kit.world import Session, Unavailable
from conformance.record import recordings
from conformance.record.recording_plan import KINDS, PROGRAM, RUNTIME, Task, again, cases_of, recorded, tasks
from conformance.record.recordings import BESIDE, Header, RecordingError, hash_of
from conformance.record.writer import TOLD, Writer
from fakecuda.profiles import HERE as PROFILES
from fakecuda.profiles import load
from fakecuda.rules.registry import DRIVER, FORMS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from conformance.kit.case import Case
    from conformance.kit.world import World

    Ask = Callable[[World], str | None] | Callable[[World], None]

TRIES = 2
LIMIT = 15.0
"""Seconds for one call."""
GRACE = 30.0
"""Seconds for running tasks after the time limit."""
RESERVE = 45.0
"""Seconds to reserve for the last programs."""


@frozen
class Setup:
    """The settings of every worker.

    Attributes:
        target: ``real`` or ``model``.
        library: The driver's library, or None for the system's.
        cudart: The runtime library, or None for the one that is found.
        profile: The model's profile.
        deadline: When to stop, seconds since the epoch.
        limit: Seconds that one call may take.
        wanted: Calls of which programs of the state machine shall make many.
    """

    target: str
    library: str | None
    cudart: str | None
    profile: str
    deadline: float
    limit: float = LIMIT
    wanted: frozenset[str] = frozenset()


@define
class Worker:
    """The state of a worker process.

    Attributes:
        machine: The target, or None for a new model for each task.
        setup: What every worker is told.
    """

    machine: Any
    setup: Setup


WORKER: list[Worker] = []


def load_cases() -> list[str]:
    """Import every module of cases; return error lines."""
    problems = []
    for path in sorted(CASES.glob("*/**/test_*.py")):
        place = path.relative_to(CASES)
        try:
            importlib.import_module(".".join(["conformance.cases", *place.with_suffix("").parts]))
        except Exception as error:  # noqa: BLE001 - one module's mistake is not the others'
            problems.append(f"{place}: {type(error).__name__}: {error}")
    return problems


def start_worker(setup: Setup) -> None:
    """Prepare a worker process."""
    if setup.target == "real":
        import realcuda  # noqa: PLC0415 - a model's recording needs none of it

        # A library that a function makes, in a dry run, is made by each process; what that imports they share.
        made = {name.partition(":")[0] for name in (setup.library, setup.cudart) if name and ":" in name}
        machine: Any = realcuda.Machine(
            warm=1, limit=setup.limit, library=setup.library, cudart=setup.cudart, preloaded=sorted(made)
        )
    else:
        machine = None
    WORKER[:] = [Worker(machine, setup)]


def work(task: Task) -> tuple[list[Program], list[str]]:
    """Record one task; return its programs and problems."""
    worker = WORKER[0]
    deadline = worker.setup.deadline
    if time.time() > deadline:
        return [], [f"{task.name}: no time left"]
    machine = worker.machine or fakecuda.Machine(load(worker.setup.profile), strict=False)
    try:
        if task.kind == PROGRAM:
            return _recorded(task, machine)
        if task.kind == "machine":
            return _generated(task, worker, machine)
        _load()
        recorder = Recorder(machine, task.name, task.origin)
        cases = cases_of(task.call, task.kind)
        asked: list[tuple[str, Ask]] = [(cases[number].id, partial(_ask, cases[number])) for number in task.numbers]
        return [recorder.program], record_worlds(asked, recorder, deadline)
    finally:
        if worker.machine is None:
            machine.close()


def record_worlds(asked: Sequence[tuple[str, Ask]], recorder: Recorder, deadline: float) -> list[str]:
    """Record worlds in one program, and return the problems.

    Args:
        asked: For each world its label, and what makes its calls and returns what is odd about the answers.
        recorder: Takes the program.
        deadline: When to stop, seconds since the epoch.
    """
    session = Session(recorder)
    problems = []
    try:
        for label, ask in asked:
            if time.time() > deadline:
                problems.append(f"{label}: no time left")
                continue
            world = session.world(label)
            try:
                odd = ask(world)
            except Unavailable as lack:
                odd = str(lack)
            except Exception as error:  # noqa: BLE001 - the answers until here are worth keeping
                odd = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
            problems += [f"{label}: {odd}"] if odd else []
            try:
                world.finish()
            except Exception as error:  # noqa: BLE001 - likewise; the next world takes other processes
                problems.append(f"{label}: at the end: {type(error).__name__}: {error}")
    finally:
        recorder.close()
    return problems


def _ask(case: Case, world: World) -> str | None:
    """Make the calls of a case; return what is wrong with the answers."""
    several = len(case.twists) > 1
    try:
        invocation = case.prepare(world)
        code, *results = invocation.run()
        if code == 0:
            case.observe(world, invocation, tuple(results))
    except Exception:
        if several:
            return None
        raise
    odd = code != case.code and not is_early(case.entry.call, code, case.code)
    return f"{code} instead of {case.code}" if odd and not several else None


_load, _read = cache(load_cases), cache(recordings.read)
"""Cached loads of a worker: the cases, and recordings."""


def _recorded(task: Task, machine: Any) -> tuple[list[Program], list[str]]:
    """Replay a recorded program; return it with the target's answers."""
    program = _read(Path(task.path)).programs[task.seed]
    try:
        answers = run(program, machine)
    except Exception as error:  # noqa: BLE001 - one program's mistake is not the others'
        return [], [f"{program.name}: {type(error).__name__}: {error}"]
    return [evolve(program, answers=answers)], []


def _generated(task: Task, worker: Worker, machine: Any) -> tuple[list[Program], list[str]]:
    from conformance.fuzz.machine import generate  # noqa: PLC0415 - it needs Hypothesis

    done, problems = [], []
    setup = worker.setup
    runtime = task.origin == RUNTIME
    for program in generate(setup.profile, task.programs, task.seed, setup.wanted, runtime=runtime):
        if time.time() > setup.deadline:
            problems.append(f"{program.name}: no time left")
            continue
        try:
            answers = run(program, machine)
        except Exception as error:  # noqa: BLE001 - one program's mistake is not the others'
            problems.append(f"{program.name}: {type(error).__name__}: {error}")
        else:
            done.append(Program(program.name, program.steps, answers, task.origin))
    return done, problems


def record(writer: Writer, work_list: list[Task], jobs: int, setup: Setup) -> None:
    """Record tasks in parallel, and those that need the card alone after them.

    Cases of that kind come first. Programs of that kind come last: they may leave the card in an odd state.
    """
    programs = [task for task in work_list if task.alone and task.kind == PROGRAM]
    cases = [task for task in work_list if task.alone and task.kind != PROGRAM]
    sooner = evolve(setup, deadline=setup.deadline - RESERVE) if programs else setup
    _record(writer, cases, 1, sooner)
    _record(writer, [task for task in work_list if not task.alone], jobs, sooner)
    _record(writer, programs, 1, setup)


def _record(writer: Writer, work_list: list[Task], jobs: int, setup: Setup) -> None:
    """Record tasks in parallel, with one retry if a worker dies."""
    tries = dict.fromkeys(work_list, 0)
    while tries and time.time() < setup.deadline + GRACE:
        with ProcessPoolExecutor(
            jobs, multiprocessing.get_context("spawn"), initializer=start_worker, initargs=(setup,)
        ) as pool:
            running: dict[Future[Any], Task] = {pool.submit(work, task): task for task in tries}
            while running:
                finished, _ = wait(running, timeout=TOLD, return_when=FIRST_COMPLETED)
                writer.tell(len(running))
                if time.time() > setup.deadline + GRACE:
                    for process in multiprocessing.active_children():
                        process.kill()
                for future in finished:
                    task = running.pop(future)
                    try:
                        programs, problems = future.result()
                        writer.add(programs, problems, task.file)
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
    writer.add([], [f"{task.name}: it did not end in time" for task in tries])


def describe(options: argparse.Namespace, folder: Path) -> str:
    """Write the machine's profile into a folder; return why that failed, or ""."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / BESIDE
    if options.profile:
        given = Path(options.profile)
        if not given.is_file():
            given = PROFILES / f"{options.profile}.toml"
        if not given.is_file():
            return f"profile {options.profile!r} is no file, and fakecuda has none of that name: python -m fakecuda profiles lists them"
        shutil.copyfile(given, path)
        return ""
    if options.target == "model":
        return "--target model needs --profile"
    from realcuda import probe  # noqa: PLC0415 - likewise

    where = ["--library", options.library] if options.library else []
    return "" if probe.main(["-o", str(path), *where]) == 0 else "the machine's profile could not be written"


def header_of(folder: Path, seed: int) -> Header:
    """Return the header of recordings with a profile in a folder."""
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
    parser.add_argument(
        "programs", nargs="*", type=Path, help="recordings, or folders of some, whose programs to ask in place of cases"
    )
    parser.add_argument("--out", type=Path, default=recordings.ROOT, help="the folder of recordings")
    parser.add_argument("--jobs", type=int, default=6, help="programs at a time")
    parser.add_argument(
        "--only",
        default="*",
        help="comma-separated patterns of calls whose cases to record, or of program names",
    )
    parser.add_argument(
        "--kinds", default="case,pairs,machine", help=f"comma-separated kinds to record: {', '.join(KINDS)}"
    )
    parser.add_argument("--new", choices=("", "cases", "calls"), default="", help="what no recording holds yet")
    parser.add_argument("--machine-programs", type=int, default=0, help="how many state-machine programs to record")
    parser.add_argument("--seed", type=int, default=0, help="their seed")
    parser.add_argument("--minutes", type=float, default=60.0, help="when to stop")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds that one call may take")
    parser.add_argument("--profile", default="", help="the machine's profile, a name or a file; probed without it")
    parser.add_argument("--library", help="the driver's library; libcuda.so.1 without it")
    parser.add_argument(
        "--cudart", help="the runtime library; the one that is loaded, in a wheel, or the system's without it"
    )
    parser.add_argument("--target", choices=("real", "model"), default="real", help="what answers")
    options = parser.parse_args(arguments)
    deadline = time.time() + 60 * options.minutes
    if options.target == "real":
        from realcuda import available  # noqa: PLC0415 - likewise

        if reason := available(options.library):
            sys.stderr.write(f"nothing recorded: {reason}\n")
            return 1
    try:
        work_list = again(options.programs, options.only) if options.programs else []
    except RecordingError as error:
        sys.stderr.write(f"nothing recorded: {error}\n")
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
    if not options.programs:
        work_list = tasks(options.only, options.machine_programs, options.seed, options.kinds, options.new)
    setup = Setup(
        options.target,
        options.library,
        options.cudart,
        str((folder / BESIDE).resolve()),
        deadline,
        options.limit,
        frozenset((*DRIVER.ops, *FORMS.ops)) - recorded()[1] if options.new else frozenset(),
    )
    record(writer, work_list, options.jobs, setup)
    writer.finish()
    sys.stdout.write(f"{writer}: see {folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
