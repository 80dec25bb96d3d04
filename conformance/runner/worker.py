"""Processes of a run, which take tasks and report the outcomes of their checks."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import multiprocessing
import os
import signal
import warnings
from typing import TYPE_CHECKING

import attrs
from attrs import define, frozen

from conformance.record.recordings import Recording, files
from conformance.record.replay import known_divergences, profile_of, recording
from conformance.record.told import overlooked
from conformance.runner.checks import run_check
from conformance.runner.group import TELL
from conformance.runner.hooks import checks_of
from conformance.runner.rule_coverage import watching
from fakecuda import Machine, NotModelledWarning, UndefinedBehaviour
from fakecuda.model.effect import watched
from fakecuda.rules.registry import EVERY_OP

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Iterable
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess

    import pytest

OLD = 4000
"""Checks of a process without garbage collection until its replacement, ~300 MB."""


@frozen
class Task:
    """Some checks of one pytest item.

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
        made: How many checks it was given.
    """

    process: ForkProcess
    line: Connection
    check: ctypes.c_int
    task: Task | None = None
    made: int = 0


def warm() -> None:
    """Load what the checks of all processes need, before they are forked."""
    for _ in EVERY_OP.values():
        pass
    for path in files():
        if isinstance(recording(path), Recording):
            profile_of(path)
    known_divergences()
    overlooked()
    with watched(), Machine(seed=0) as machine:
        process = machine.spawn()
        calls, _ = process.c, process.runtime_version
        calls.cuInit(0)
        with contextlib.suppress(UndefinedBehaviour):
            calls.cuCtxSetCurrent(1)  # the first report reads the evidence


def start(session: pytest.Session, others: Iterable[Worker] = (), *, collects: bool = False) -> Worker:
    """Start a process.

    Args:
        session: What pytest collected.
        others: Those that there are: the new one closes the ends of their lines, so that each ends with this process.
        collects: Whether the process collects garbage. Machines are cycles of thousands of objects: to find them costs a
            sixth of the run, and a process that ends gives all of them back at once.
    """
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    not_its = [ours, *(other.line for other in others if not other.line.closed)]
    check = context.RawValue(ctypes.c_int, -1)
    process = context.Process(target=_work, args=(session, theirs, check, not_its, collects), daemon=True)
    process.start()
    theirs.close()
    return Worker(process, ours, check)


def give(worker: Worker, waiting: deque[Task]) -> None:
    """Give a process its next task, if there is one."""
    worker.task = waiting.popleft() if waiting else None
    worker.check.value = -1
    if worker.task:
        worker.made += len(worker.task.checks)
        worker.line.send(worker.task)


def _work(
    session: pytest.Session,
    line: Connection,
    current: ctypes.c_int,
    parents: Iterable[Connection],
    collects: bool,  # noqa: FBT001 - as a process is given it
) -> None:
    """Take tasks until the connection is closed."""
    if collects:
        gc.enable()
    for one in parents:
        one.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells when to end
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    warnings.simplefilter("ignore", NotModelledWarning)  # a check compares what such a call answers
    session.config.stash[TELL] = lambda _: None  # what comes of a check is told here
    try:
        with watching():
            _take(session, line, current)
    except (EOFError, ConnectionError):
        session.config.hook.pytest_unconfigure(config=session.config)
        os._exit(0)


def _take(session: pytest.Session, line: Connection, current: ctypes.c_int) -> None:
    """Take tasks.

    Raises:
        EOFError: The line is closed.
    """
    told: dict[tuple[str, frozenset[str]], set[tuple[str, str]]] = {}
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
