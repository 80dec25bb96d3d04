"""Who runs which checks when: tasks, the processes that take them, and what is kept of a run that is cut off."""

from __future__ import annotations

import ctypes
import gc
import json
import multiprocessing
import os
import signal
import sys
import time
import zlib
from collections import deque
from multiprocessing import connection
from typing import TYPE_CHECKING

import attrs
import pytest
from attrs import define, field, frozen

from conformance.runner.checks import FAILED, Outcome, run_check
from conformance.runner.group import TELL
from conformance.runner.hooks import PART, checks_of
from conformance.runner.report import Report, outcome_as_json, outcome_of_json
from conformance.runner.rule_coverage import OWN
from fakecuda.explain.evidence import EvidenceError
from fakecuda.progress import Progress
from fakecuda.rules.registry import OPS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess
    from pathlib import Path

ALL_AGREES, SOMETHING_FAILED, USAGE, CUT_OFF = range(4)
"""The exit statuses."""
TOGETHER = 100
"""The weight of a task."""
SAMPLE = 40
"""Of how many checks ``--quick`` takes one."""
REAL = ("real", "both")
"""Targets with a card, which some checks need for themselves."""
WIDE = 1000
"""Columns of a table that no terminal shows."""
TOLD = 1.0
"""Seconds after which the time limit is looked at again."""


@frozen
class Task:
    """Some checks of an item of pytest.

    Attributes:
        id: The item's node id, with the numbers of the checks.
        item: The item's place.
        checks: The places of the checks.
        weight: How many checks these are.
        rank: What runs late: small tasks, so that all processes end at about the same time.
        alone: Whether nothing else may use the card meanwhile.
    """

    id: str
    item: int
    checks: tuple[int, ...]
    weight: int
    rank: int
    alone: bool = False


@define(eq=False)
class Worker:
    """A process that takes tasks.

    Attributes:
        process: The process.
        line: Tasks go there, outcomes come back.
        check: The place of the check that it is at; below zero before the first one of a task. Both processes see it.
        task: What it is at, or None.
    """

    process: ForkProcess
    line: Connection
    check: ctypes.c_int
    task: Task | None = None


@define(eq=False)
class Schedule:
    """A run of the suite; a plugin of pytest that runs what was collected in processes of its own.

    Attributes:
        options: The command's.
        report: What was seen.
        broken: What could not be collected.
    """

    options: argparse.Namespace
    report: Report = field(factory=Report)
    broken: list[str] = field(factory=list)
    _tasks: int = 0
    _done: int = 0
    _cut: str = ""
    _whole: bool = False
    _selected: bool = False
    _start: float = field(factory=time.monotonic)

    def run(self, arguments: list[str]) -> int:
        """Have pytest collect, run what it collected, and tell what came of it; return the exit status.

        Args:
            arguments: What pytest is told.
        """
        try:
            status = pytest.main(arguments, plugins=[self])
        except KeyboardInterrupt:
            status, self._cut = pytest.ExitCode.INTERRUPTED, "interrupted"
        if status == pytest.ExitCode.USAGE_ERROR or self.broken:
            for text in self.broken:
                print(text, file=sys.stderr)
            return USAGE
        if not self._tasks and not self._cut:
            print("conform: no check was selected", file=sys.stderr)
            return USAGE
        try:
            return self._tell()
        except EvidenceError as error:
            print(f"conform: {error}", file=sys.stderr)
            return USAGE

    # What pytest calls

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep what could not be collected."""
        if report.failed:
            self.broken.append(report.longreprtext)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run what was collected."""
        if self.broken:
            return True
        tasks = list(self._plan(session))
        self._tasks = len(tasks)
        journal = Journal.of(self.options, tasks) if self.options.resume else None
        left = {task.id: task for task in tasks}
        for name, outcomes in journal.read() if journal else ():
            if left.pop(name, None) is not None:
                self._done += 1
                for outcome in outcomes:
                    self.report.add(outcome)
        self._selected = self.options.target == "recordings" and not self.options.quick
        self._whole = self._selected and not session.config.stash.get(PART, False)
        session.config.stash[PART] = True  # what pytest itself ran of it is nothing: this report tells what was shown
        gc.collect()
        gc.freeze()  # what is there is shared by the processes, and never freed
        progress = Progress(sum(task.weight for task in left.values()))
        for alone in (False, True):
            chosen = sorted((task for task in left.values() if task.alone is alone), key=lambda task: -task.rank)
            if chosen and not self._cut:
                self._run(session, deque(chosen), 1 if alone else self.options.jobs, progress, journal)
        progress.end()
        return True

    def _plan(self, session: pytest.Session) -> Iterator[Task]:
        """Yield the tasks."""
        for number, item in enumerate(session.items):
            checks = checks_of(item)
            chosen = range(len(checks))
            if self.options.quick:
                first = zlib.crc32(item.nodeid.encode()) % SAMPLE
                chosen = range(first, len(checks), SAMPLE)
            alone = {one for one in chosen if any(case.alone for case in checks[one].cases)}
            for few, by_itself in ((sorted(set(chosen) - alone), False), (sorted(alone), True)):
                for part in _parts(few, [checks[one].weight for one in few]):
                    rank = sum(checks[one].weight for one in part)
                    name = f"{item.nodeid}[{','.join(map(str, part))}]"
                    only = by_itself and self.options.target in REAL
                    yield Task(name, number, tuple(part), len(part), rank, alone=only)

    def _run(
        self, session: pytest.Session, waiting: deque[Task], jobs: int, progress: Progress, journal: Journal | None
    ) -> None:
        """Run tasks in so many processes."""
        workers: list[Worker] = []
        for _ in range(min(jobs, len(waiting))):
            workers.append(_start(session, workers))
            _give(workers[-1], waiting)
        try:
            while any(worker.task for worker in workers):
                self._look(session, workers, waiting, progress, journal)
                progress.show(f"{len(self.report.failed)} failed" if self.report.failed else "")
                if self._cut:
                    break
        except KeyboardInterrupt:
            self._cut = "interrupted"
        finally:
            for worker in workers:
                worker.line.close()
                if self._cut:
                    worker.process.kill()
            for worker in workers:
                worker.process.join()

    def _look(
        self,
        session: pytest.Session,
        workers: list[Worker],
        waiting: deque[Task],
        progress: Progress,
        journal: Journal | None,
    ) -> None:
        """Take in what came from the processes, and give them more to do."""
        lines = {worker.line: place for place, worker in enumerate(workers) if worker.task}
        for line in connection.wait(list(lines), TOLD):
            assert isinstance(line, connection.Connection)
            worker = workers[lines[line]]
            task = worker.task
            assert task is not None
            try:
                outcomes = line.recv()
            except (EOFError, ConnectionError):
                outcomes = self._lost(session, worker, task)
                workers[lines[line]] = worker = _start(session, workers)
            for outcome in outcomes:
                self.report.add(outcome)
            if journal:
                journal.write(task, outcomes)
            self._done += 1
            progress.add(task.weight)
            if self.options.exitfirst and self.report.failed:
                self._cut = "stopped at the first failure"
            _give(worker, waiting)
        if self.options.time_limit and time.monotonic() - self._start > self.options.time_limit:
            self._cut = f"the time limit of {self.options.time_limit} s has passed"

    def _lost(self, session: pytest.Session, worker: Worker, task: Task) -> list[Outcome]:
        """Return what came of a task whose process ended by itself."""
        worker.process.join()
        status = worker.process.exitcode or 0
        how = f"by signal {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        text = f"the process that ran it ended {how}; the other checks of its task did not run"
        item, place = session.items[task.item], worker.check.value
        name = task.id if place < 0 else f"{item.nodeid}[{checks_of(item)[place].name}]"
        return [Outcome(name, "", OWN, frozenset(), FAILED, text)]

    # The end

    def _tell(self) -> int:
        """Print what came of the run; return the exit status."""
        report = self.report
        for outcome in sorted(report.failed, key=lambda one: one.id):
            print(f"\n{outcome.id}\n{outcome.text}")
        print()
        print(report.table(None if sys.stdout.isatty() else WIDE))
        for line in report.notes(self.options.profile):
            print(line)
        for name in sorted(report.left_over):
            print(f"differs in used processes, agrees in new ones: {name}")
        agreed = not self._cut and not report.failed
        lost = report.lost() if self._whole and agreed else []
        calls = [name for name in self.options.only if name in OPS] if self._selected and not self._cut else []
        for line in report.unbroken(calls):
            print(f"not shown by these checks: {line}; a whole run has to, or a case is missing")
        for line in lost:
            print(f"never shown: {line}")
        for outcome in sorted(report.failed, key=lambda one: one.id):
            print(f"FAILED {outcome.id}")
        if self._cut:
            print(f"cut off, {self._cut}: {self._done} of {self._tasks} tasks done")
        if self.options.report:
            written = {"target": self.options.target, "seed": self.options.random or 0, "cut off": self._cut}
            self.options.report.write_text(json.dumps({**written, **report.as_json()}, indent=1) + "\n")
        if self.options.html:
            from conformance.pages.write import of_run  # noqa: PLC0415 - few runs write pages

            print("writing pages, some seconds", flush=True)
            print(of_run(self.options, report, self._cut))
        counts = report.counts
        failed = len(report.failed)
        verdict = f"{failed} of {counts['cases']} checks failed" if failed else f"{counts['cases']} checks agree"
        verdict += f", {len(report.expected)} differ as expected" if report.expected else ""
        print(f"{verdict}; {time.monotonic() - self._start:.1f} s", flush=True)
        if failed or lost:
            return SOMETHING_FAILED
        return CUT_OFF if self._cut else ALL_AGREES


@frozen
class Journal:
    """What was seen so far, in a file: a line that says of which run, and one for each task that is done.

    Attributes:
        path: The file.
        header: What says of which run it is.
    """

    path: Path
    header: str

    @classmethod
    def of(cls, options: argparse.Namespace, tasks: Sequence[Task]) -> Journal:
        """Return the journal of a run.

        Raises:
            pytest.UsageError: The file is another run's.
        """
        digest = zlib.crc32("\n".join(task.id for task in tasks).encode())
        said = {"target": options.target, "profile": options.profile, "seed": options.random or 0, "suite": digest}
        made = cls(options.resume, json.dumps(said))
        if not made.path.exists():
            made.path.write_text(f"{made.header}\n")
        with made.path.open() as file:
            first = file.readline().rstrip("\n")
        if first != made.header:
            msg = f"--resume: {made.path} is of another run ({first[:200]}): give another file, or delete it"
            raise pytest.UsageError(msg)
        return made

    def read(self) -> Iterator[tuple[str, list[Outcome]]]:
        """Yield the tasks that are done; a last line that was cut short is none."""
        for line in self.path.read_text().splitlines()[1:]:
            try:
                data = json.loads(line)
            except ValueError:
                return
            yield data["task"], [outcome_of_json(one) for one in data["outcomes"]]

    def write(self, task: Task, outcomes: Iterable[Outcome]) -> None:
        """Note that a task is done."""
        line = json.dumps({"task": task.id, "outcomes": [outcome_as_json(one) for one in outcomes]})
        with self.path.open("a") as file:
            file.write(f"{line}\n")


def _parts(numbers: Sequence[int], weights: Sequence[int]) -> Iterator[list[int]]:
    """Yield the checks of one task after the other."""
    part: list[int] = []
    weight = 0
    for number, one in zip(numbers, weights, strict=True):
        part.append(number)
        weight += one
        if weight >= TOGETHER:
            yield part
            part, weight = [], 0
    if part:
        yield part


def _start(session: pytest.Session, others: Iterable[Worker] = ()) -> Worker:
    """Start a process.

    Args:
        session: What pytest collected.
        others: Those that there are: the new one closes the ends of their lines, so that each ends with this process.
    """
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    not_its = [ours, *(other.line for other in others if not other.line.closed)]
    check = context.RawValue(ctypes.c_int, -1)
    process = context.Process(target=_work, args=(session, theirs, check, not_its), daemon=True)
    process.start()
    theirs.close()
    return Worker(process, ours, check)


def _give(worker: Worker, waiting: deque[Task]) -> None:
    """Give a process its next task, if there is one."""
    worker.task = waiting.popleft() if waiting else None
    worker.check.value = -1
    if worker.task:
        worker.line.send(worker.task)


def _work(session: pytest.Session, line: Connection, current: ctypes.c_int, parents: Iterable[Connection]) -> None:
    """Take tasks until the line is closed."""
    for one in parents:
        one.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells when to end
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    told: dict[tuple[str, frozenset[str]], set[tuple[str, str]]] = {}
    session.config.stash[TELL] = lambda _: None  # what comes of a check is told here
    try:
        while True:
            task = line.recv()
            item = session.items[task.item]
            checks = checks_of(item)
            outcomes = []
            for number in task.checks:
                current.value = number
                outcome = run_check(item.nodeid, checks[number])
                # Of what was seen only what this process has not sent yet.
                known = told.setdefault((outcome.chapter, outcome.calls), set())
                outcomes.append(attrs.evolve(outcome, seen=outcome.seen - known))
                known |= outcome.seen
            line.send(outcomes)
    except (EOFError, ConnectionError):
        session.config.hook.pytest_unconfigure(config=session.config)
        os._exit(0)
