"""Clues: what each check showed without mutants, to order checks against a mutant.

The checks are run by processes of their own, several at once. The one that hunts is left as lean as it was: all that it
holds is copied for every mutant.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from conformance.mutate.mutation import CODE, Mutant, rule_of
from conformance.runner.checks import FAILED, PYTESTS, how
from conformance.runner.rule_coverage import Seen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.connection import Connection

    from conformance.kit.case import Case
    from conformance.runner.checks import Check


@frozen
class Clue:
    """What a check showed without mutants.

    Attributes:
        number: The check's place among those that pytest collected.
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


@define
class Clues:
    """The clues of checks, by the calls that these made.

    Attributes:
        checks: The checks.
    """

    checks: Sequence[Check]
    _by_call: dict[str, list[Clue]] = field(factory=dict)

    def add(self, clue: Clue) -> None:
        """Add a clue."""
        for call in clue.calls:
            self._by_call.setdefault(call, []).append(clue)

    def against(self, mutant: Mutant) -> list[Clue]:
        """Return the clues of checks that can detect a mutant, the best ones first.

        A mutant first differs where its rule is broken. Of another code, cases that follow it have little to tell.
        """
        pair = mutant.call, mutant.rule

        def rank(clue: Clue) -> tuple[bool, bool, int, int]:
            deaf = mutant.kind == CODE and _follows(self.checks[clue.number].cases, mutant)
            return pair not in clue.broken, deaf, clue.made, clue.number

        return sorted(self._by_call.get(mutant.call, ()), key=rank)


def learn(checks: Sequence[Check], jobs: int) -> tuple[Clues, list[str]]:
    """Run checks without mutants in some processes; return clues and failures.

    Args:
        checks: The checks.
        jobs: How many processes.
    """
    fork = multiprocessing.get_context("fork")
    running = []
    for share in range(min(jobs, len(checks))):
        mine, its = fork.Pipe(duplex=False)
        numbers = range(share, len(checks), jobs)
        process = fork.Process(target=_work, args=(checks, numbers, its), daemon=True)
        process.start()
        its.close()
        running.append((process, mine))
    clues, failed = Clues(checks), []
    for process, mine in running:
        found, failures = _received(mine)
        process.join()
        for clue in found:
            clues.add(clue)
        failed += failures
    return clues, failed


def _received(end: Connection) -> tuple[list[Clue], list[str]]:
    """Return the clues that a process found, and its failures."""
    with end:
        try:
            found, failures = end.recv()
        except EOFError:
            msg = "a process that ran checks without mutants ended by itself"
            raise RuntimeError(msg) from None
    return found, failures


def _work(checks: Sequence[Check], numbers: range, end: Connection) -> None:
    """Run a share of the checks, and send the clues and failures."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    clues, failures = [], []
    for number in numbers:
        check, seen, start = checks[number], Seen(), time.monotonic()
        problem = None
        try:
            with seen.watch():
                check.run()
        except (Exception, *PYTESTS) as error:  # noqa: BLE001 - whatever fails is told
            problem = error
        status, text = how(problem, check.expected)
        failures += [f"{check.name}: {text}"] if status == FAILED else []
        broken = frozenset((call, rule.id) for call, rule in seen.broken)
        clues.append(Clue(number, frozenset(seen.calls), broken, seen.made, time.monotonic() - start))
    end.send((clues, failures))


def _follows(cases: list[Case], mutant: Mutant) -> bool:
    """Return whether no case of a check tests the mutant's rule by itself."""
    rule = rule_of(mutant)
    own = (case for case in cases if case.entry.call == mutant.call and case.rule is rule and not case.real)
    return bool(cases) and not any(own)
