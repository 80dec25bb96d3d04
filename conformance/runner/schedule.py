"""The schedule of a run: tasks, their processes, and the journal of a run."""

from __future__ import annotations

import gc
import json
import signal
import sys
import time
import zlib
from collections import Counter, deque
from multiprocessing import connection
from typing import TYPE_CHECKING

import pytest
from attrs import define, field, frozen

from conformance import SUITE
from conformance.runner import sampling
from conformance.runner.checks import FAILED, Outcome
from conformance.runner.hooks import PART, checks_of
from conformance.runner.report import Report, outcome_as_json, outcome_of_json
from conformance.runner.rule_coverage import OWN
from conformance.runner.worker import OLD, Task, Worker, give, start, warm
from fakecuda.explain.evidence import EvidenceError
from fakecuda.progress import Progress
from fakecuda.rules.registry import OPS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

ALL_AGREES, SOMETHING_FAILED, USAGE, CUT_OFF = range(4)
"""The exit statuses."""
TOGETHER = 100
"""The weight at which a task is complete."""
REAL = ("real", "both")
"""Targets with a card, which some checks need exclusively."""
EVERYDAY = ("recordings", "model")
"""Targets whose runs leave out checks that add nothing to others."""
WIDE = 1000
"""A table width in columns that no terminal has."""
MANY = 100
"""The number of tasks from which a run preloads what all processes need."""
TOLD = 1.0
"""Seconds between checks of the time limit."""


@define(eq=False)
class Schedule:
    """A run of the suite: a pytest plugin that runs checks in its own processes.

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
    _further: Counter[str] = field(factory=Counter)
    _selected: bool = False
    _begun: float = field(factory=time.monotonic)

    def run(self, arguments: list[str]) -> int:
        """Have pytest collect, run the checks, and report; return the exit status.

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
        """Keep collection errors."""
        if report.failed:
            self.broken.append(report.longreprtext)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the collected checks."""
        if self.broken:
            return True
        phases = self._phases(session)
        tasks = [task for phase in phases for task in phase]
        self._tasks = len(tasks)
        journal = Journal.of(self.options, tasks) if self.options.resume else None
        known = dict(journal.read()) if journal else {}
        for task in tasks:
            for outcome in known.get(task.id, ()):
                self.report.add(outcome)
        self._done = sum(task.id in known for task in tasks)
        self._selected = self.options.target == "recordings" and not self.options.quick
        self._whole = self._selected and not session.config.stash.get(PART, False)
        session.config.stash[PART] = True  # what pytest itself ran of it is nothing: this report tells what was shown
        if len(tasks) > MANY:
            warm()
        gc.collect()
        gc.freeze()  # what is there is shared by the processes, and never freed
        for number, phase in enumerate(phases):
            left = [task for task in phase if task.id not in known]
            progress = Progress(sum(task.weight for task in left))
            for alone in (False, True):
                chosen = sorted((task for task in left if task.alone is alone), key=lambda task: -task.rank)
                if chosen and not self._cut:
                    self._run(session, deque(chosen), 1 if alone else self.options.jobs, progress, journal)
            progress.end()
            if number < len(phases) - 1 and not self._cut:
                self._tell_sample()
        return True

    def _phases(self, session: pytest.Session) -> list[list[Task]]:
        """Return the phases of tasks: the sample and then the rest, or all at once."""
        options = self.options
        whole = options.target not in REAL and not options.only and not options.resume
        if not (options.quick or whole):
            return [list(self._plan(session))]
        drawn = sampling.draw(SUITE.parent, options.sample)
        print(f"conform: {drawn}", flush=True)
        parts = [sampling.parts_of(item.nodeid, checks_of(item)) for item in session.items]
        sample = [[one == drawn.part for one in numbers] for numbers in parts]
        phases = [list(self._plan(session, sample))]
        if not options.quick:
            phases.append(list(self._plan(session, self._others(session, sample))))
        return phases

    def _others(self, session: pytest.Session, sample: Sequence[Sequence[bool]]) -> list[list[bool]]:
        """Return whether each check runs after the sample, and count those that do not."""
        found = []
        for item, drawn in zip(session.items, sample, strict=True):
            checks = checks_of(item)
            found.append(
                [not one and (check.everyday or self._every) for check, one in zip(checks, drawn, strict=True)]
            )
            for check, taken, one in zip(checks, found[-1], drawn, strict=True):
                if not (taken or one):
                    self._further["programs" if check.recorded else "pairs"] += (
                        1 if check.recorded else len(check.cases)
                    )
        return found

    @property
    def _every(self) -> bool:
        """Whether the run includes checks that add nothing to others."""
        return self.options.all or self.options.target not in EVERYDAY

    def _plan(self, session: pytest.Session, taken: Sequence[Sequence[bool]] | None = None) -> Iterator[Task]:
        """Yield tasks of the selected checks; for each item, a flag for each check."""
        for number, item in enumerate(session.items):
            checks = checks_of(item)
            chosen = {one for one in range(len(checks)) if taken is None or taken[number][one]}
            alone = {one for one in chosen if any(case.alone for case in checks[one].cases)}
            for few, by_itself in ((sorted(chosen - alone), False), (sorted(alone), True)):
                for part in _parts(few, [checks[one].weight for one in few]):
                    rank = sum(checks[one].weight for one in part)
                    name = f"{item.nodeid}[{','.join(map(str, part))}]"
                    only = by_itself and self.options.target in REAL
                    yield Task(name, number, tuple(part), len(part), rank, alone=only)

    def _run(
        self, session: pytest.Session, waiting: deque[Task], jobs: int, progress: Progress, journal: Journal | None
    ) -> None:
        """Run tasks in a number of processes."""
        workers: list[Worker] = []
        for _ in range(min(jobs, len(waiting))):
            workers.append(self._start(session, workers))
            give(workers[-1], waiting)
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
        """Handle messages of the processes, and give them more tasks."""
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
                workers[lines[line]] = worker = self._start(session, workers)
            for outcome in outcomes:
                self.report.add(outcome)
            if journal:
                journal.write(task, outcomes)
            self._done += 1
            progress.add(task.weight)
            if self.options.exitfirst and self.report.failed:
                self._cut = "stopped at the first failure"
            if worker.made >= OLD and waiting and self.options.target not in REAL:
                line.close()
                worker.process.join()
                workers[lines[line]] = worker = self._start(session, workers)
            give(worker, waiting)
        if self.options.time_limit and time.monotonic() - self._begun > self.options.time_limit:
            self._cut = f"the time limit of {self.options.time_limit} s has passed"

    def _start(self, session: pytest.Session, others: Sequence[Worker]) -> Worker:
        """Start a process, which collects garbage if it has a card."""
        return start(session, others, collects=self.options.target in REAL)

    def _lost(self, session: pytest.Session, worker: Worker, task: Task) -> list[Outcome]:
        """Return the outcomes of a task whose process ended unexpectedly."""
        worker.process.join()
        status = worker.process.exitcode or 0
        how = f"by signal {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
        text = f"the process that ran it ended {how}; the other checks of its task did not run"
        item, place = session.items[task.item], worker.check.value
        name = task.id if place < 0 else f"{item.nodeid}[{checks_of(item)[place].name}]"
        return [Outcome(name, "", OWN, frozenset(), FAILED, text)]

    # The end

    def _tell_sample(self) -> None:
        """Print the results of the sample, before the other checks run."""
        failed = sorted(self.report.failed, key=lambda one: one.id)
        for outcome in failed:
            print(f"\n{outcome.id}\n{outcome.text}\nFAILED {outcome.id}")
        print(f"the sample: {self._verdict()}; the other checks follow", flush=True)

    def _verdict(self) -> str:
        """Return the counts of agreeing and failed checks, and the time so far."""
        failed, count = len(self.report.failed), self.report.counts["cases"]
        verdict = f"{failed} of {count} checks failed" if failed else f"{count} checks agree"
        verdict += f", {len(self.report.expected)} differ as expected" if self.report.expected else ""
        return f"{verdict}; {time.monotonic() - self._begun:.1f} s"

    def _tell(self) -> int:
        """Print the results of the run, and return the exit status."""
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
            print(
                f"not shown by these checks: {line}; add a case, if a whole run (python -m fakecuda conform) does not show it"
            )
        for line in lost:
            print(f"never shown: {line}")
        for outcome in sorted(report.failed, key=lambda one: one.id):
            print(f"FAILED {outcome.id}")
        for kind, count in sorted(self._further.items()):
            there = report.counts[kind]
            print(f"{kind}: {there} of {there + count}, which show what all show; --all runs the others, too")
        if self._cut:
            print(f"cut off, {self._cut}: {self._done} of {self._tasks} tasks done")
        if self.options.report:
            written = {"target": self.options.target, "seed": self.options.random or 0, "cut off": self._cut}
            self.options.report.write_text(json.dumps({**written, **report.as_json()}, indent=1) + "\n")
        if self.options.html:
            from conformance.pages.write import of_run  # noqa: PLC0415 - few runs write pages

            print("writing pages, some seconds", flush=True)
            print(of_run(self.options, report, self._cut))
        print(self._verdict(), flush=True)
        if report.failed or lost:
            return SOMETHING_FAILED
        return CUT_OFF if self._cut else ALL_AGREES


@frozen
class Journal:
    """The results so far in a file: a header line, and a line for each finished task.

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
        """Yield the finished tasks, without a last line that was cut off."""
        for line in self.path.read_text().splitlines()[1:]:
            try:
                data = json.loads(line)
            except ValueError:
                return
            yield data["task"], [outcome_of_json(one) for one in data["outcomes"]]

    def write(self, task: Task, outcomes: Iterable[Outcome]) -> None:
        """Write a finished task."""
        line = json.dumps({"task": task.id, "outcomes": [outcome_as_json(one) for one in outcomes]})
        with self.path.open("a") as file:
            file.write(f"{line}\n")


def _parts(numbers: Sequence[int], weights: Sequence[int]) -> Iterator[list[int]]:
    """Yield the checks of each task in turn."""
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
