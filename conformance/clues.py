"""Clues: what each test showed without mutants, and which test is the most likely to kill one.

The tests are run by processes of their own, several at once. The one that hunts is left as lean as it was: all that it
holds is copied for every mutant.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from conformance.mutation import CODE, Mutant, rule_of
from conformance.seen import Seen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection

    import pytest

    from conformance.case import Case


@frozen
class Clue:
    """What a test showed without mutants.

    Attributes:
        number: The test's place among those that pytest collected.
        calls: The calls that it made.
        broken: The calls with the ids of the rules that they broke.
        made: How many calls it made: of the time that it takes, what is the same in every run.
        seconds: The time that it took.
    """

    number: int
    calls: frozenset[str]
    broken: frozenset[tuple[str, str]]
    made: int
    seconds: float


@define(eq=False)
class Failures:
    """A pytest plugin that keeps the reports of failures, as data.

    Attributes:
        config: The session's configuration.
        told: The reports.
    """

    config: pytest.Config
    told: list[dict[str, Any]] = field(factory=list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a report of a failure."""
        if report.failed:
            self.told.append(self.config.hook.pytest_report_to_serializable(config=self.config, report=report))


@define
class Clues:
    """The clues of tests, by the calls that these made.

    Attributes:
        items: The tests.
    """

    items: Sequence[pytest.Item]
    _by_call: dict[str, list[Clue]] = field(factory=dict)

    def add(self, clue: Clue) -> None:
        """Take in a clue."""
        for call in clue.calls:
            self._by_call.setdefault(call, []).append(clue)

    def against(self, mutant: Mutant) -> list[Clue]:
        """Return the clues of the tests that can tell of a mutant, those first that kill it most likely and soonest.

        A mutant first differs where its rule is broken. Of another code, cases that follow it have little to tell.
        """
        pair = mutant.call, mutant.rule

        def rank(clue: Clue) -> tuple[bool, bool, int, int]:
            deaf = mutant.kind == CODE and _follows(cases_of(self.items[clue.number]), mutant)
            return pair not in clue.broken, deaf, clue.made, clue.number

        return sorted(self._by_call.get(mutant.call, ()), key=rank)


def cases_of(item: pytest.Item | pytest.Collector) -> list[Case]:
    """Return the cases of a test, which are its to change; none for a test of another form."""
    cases: list[Case] = params(item).get("cases", [])
    return cases


def params(item: pytest.Item | pytest.Collector) -> dict[str, Any]:
    """Return the parameters of a test."""
    return dict(getattr(getattr(item, "callspec", None), "params", {}))


def learn(session: pytest.Session, jobs: int) -> Clues:
    """Run the tests of a session without mutants, by some processes at once; failures there are the session's.

    Args:
        session: The session.
        jobs: How many processes.
    """
    fork = multiprocessing.get_context("fork")
    running = []
    for share in range(min(jobs, len(session.items))):
        mine, its = fork.Pipe(duplex=False)
        numbers = range(share, len(session.items), jobs)
        process = fork.Process(target=_work, args=(session, numbers, its), daemon=True)
        process.start()
        its.close()
        running.append((process, mine))
    clues = Clues(session.items)
    for process, mine in running:
        found, failures = _received(mine)
        process.join()
        for clue in found:
            clues.add(clue)
        for data in failures:
            report = session.config.hook.pytest_report_from_serializable(config=session.config, data=data)
            session.config.hook.pytest_runtest_logreport(report=report)
    return clues


def _received(end: Connection) -> tuple[list[Clue], list[dict[str, Any]]]:
    """Return the clues that a process found, and its failures."""
    with end:
        try:
            found, failures = end.recv()
        except EOFError:
            msg = "a process that ran tests without mutants ended by itself"
            raise RuntimeError(msg) from None
    return found, failures


def _work(session: pytest.Session, numbers: range, end: Connection) -> None:
    """Run a share of the tests, and send the clues and what the failures are reported as."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    failures = Failures(session.config)
    session.config.pluginmanager.register(failures)
    items = [session.items[number] for number in numbers]
    clues = []
    for number, item, following in zip(numbers, items, [*items[1:], None], strict=True):
        seen, start = Seen(), time.monotonic()
        with seen.watch():
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
        broken = frozenset((call, rule.id) for call, rule in seen.broken)
        clues.append(Clue(number, frozenset(seen.calls), broken, seen.made, time.monotonic() - start))
    end.send((clues, failures.told))


def _follows(cases: list[Case], mutant: Mutant) -> bool:
    """Return whether a test has cases, and none of them gives the code of the mutant's rule itself."""
    rule = rule_of(mutant)
    own = (case for case in cases if case.entry.call == mutant.call and case.rule is rule and not case.real)
    return bool(cases) and not any(own)
