"""Mutation testing of the rules: ``python -m conformance.mutate``.

Every rule of every operation is dropped, no longer reported, or given another code, one at a time; the cases and the
recorded programs must notice. The suite is collected and run once, to learn which check breaks which rule of which
call; then each mutant gets a process of its own, where the most promising checks run first and the first failure ends
it. An exception, or a check that does not end, kills a mutant too.

What the state machines draw is left out. Those of one API take minutes::

    python -m conformance.mutate conformance/runtime --only 'runtime.*'
    python -m conformance.mutate conformance/hip --only 'hip.*'
"""

from __future__ import annotations

import argparse
import fnmatch
import gc
import multiprocessing
import os
import resource
import signal
import sys
from collections import Counter
from multiprocessing import connection
from typing import TYPE_CHECKING, Any

import pytest
from attrs import define, field

from conformance import SUITE
from conformance.mutate import survivors
from conformance.mutate.clues import learn
from conformance.mutate.mutation import KINDS, Mutant, MutationError, every_mutant, follow, install
from conformance.runner.hooks import checks_of, pytest_runtest_makereport
from fakecuda.explain.evidence import EvidenceError, file_of
from fakecuda.explain.reports.text import table
from fakecuda.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from multiprocessing.context import ForkProcess

    from conformance.mutate.clues import Clue, Clues
    from conformance.runner.checks import Check

CASES, RECORDINGS, CRASHED, HUNG, SURVIVED = ENDS = ("cases", "recordings", "crashed", "hung", "survived")
"""How a mutant ends: by a case, a recording, an exception, a hang, or not at all."""
QUIET = ("-qq", "-s", "--no-header", "--assert=plain", "-pno:cacheprovider", "-pno:faulthandler")
LIMIT = 20.0
"""The base of a check's time limit with a mutant, in seconds."""
SLOWER = 4.0
"""The factor of the check's time without mutants in that limit."""
MEMORY = 4 << 30
"""The maximum data size in bytes of a mutant's process."""
USAGE = 2
FIRST = 10
"""The exit status of a mutant's process for the first of ``ENDS``."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: What stands behind the program's name; ``sys.argv`` by default.

    Returns:
        The exit status: 0 when every mutant was killed or is explained, 1 when one survived or an explanation is
        stale, 2 for a mistake in the use or a suite that fails without mutants.
    """
    parser = argparse.ArgumentParser(
        prog="python -m conformance.mutate",
        description="Break every rule's check, one at a time; the suite must notice.",
    )
    parser.add_argument("suite", nargs="*", default=[str(SUITE)], help="what pytest collects; this package by default")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="mutants of these calls or rules: 'cuMem*'")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once")
    parser.add_argument("--list", action="store_true", help="list the mutants and end")
    options = parser.parse_args(arguments)
    try:
        known = every_mutant()
        explained = survivors.load(known)
    except (MutationError, EvidenceError) as error:
        print(f"mutants: {error}", file=sys.stderr)
        return USAGE
    chosen = [one for one in known if any(fnmatch.fnmatch(name, options.only) for name in (one.call, one.rule))]
    if not chosen:
        print(f"mutants: {options.only!r} matches no call and no rule", file=sys.stderr)
        return USAGE
    if options.list:
        print(table(("call", "rule", "mutant"), [(one.call, one.rule, one.kind) for one in chosen]))
        return 0
    hunt = Hunt(chosen, max(options.jobs, 1))
    status = pytest.main([*QUIET, *options.suite], plugins=[hunt])
    for text in hunt.failed:
        print(text, file=sys.stderr)
    if hunt.failed or not hunt.ends:
        print(f"mutants: without mutants the suite must pass ({status!r})", file=sys.stderr)
        return USAGE
    return report(hunt.ends, {mutant: reason for mutant, reason in explained.items() if mutant in chosen})


def report(ends: dict[Mutant, str], explained: dict[Mutant, str]) -> int:
    """Print the results of the mutants, and return the exit status."""
    survived = [mutant for mutant, end in ends.items() if end == SURVIVED]
    rows = []
    for name, kinds in (*((kind, {kind}) for kind in KINDS), ("all", set(KINDS))):
        counts = Counter(end for mutant, end in ends.items() if mutant.kind in kinds)
        told = sum(mutant.kind in kinds for mutant in survived if mutant in explained)
        cells = [str(counts[end]) for end in ENDS[:-1]]
        rows.append((name, str(counts.total()), *cells, f"{counts[SURVIVED]} ({told})"))
    head = ("mutants", "number", "killed by cases", "by recordings", "crashed", "hung", "survived (explained)")
    print(table(head, rows))
    unknown = [mutant for mutant in survived if mutant not in explained]
    stale = [mutant for mutant in explained if mutant not in survived]
    for mutant in unknown:
        print(
            f"survived: {mutant}; add a case that tells it apart, or say why none does: [[survivor]] in {file_of(mutant.call)}"
        )
    for mutant in stale:
        print(f"stale: {mutant} was killed ({ends[mutant]}); take it out of {file_of(mutant.call)}")
    return int(bool(unknown or stale))


@define(eq=False)
class Hunt:
    """A pytest plugin that runs checks without mutants, and then against each mutant.

    Attributes:
        chosen: The mutants.
        jobs: How many processes run at once.
        ends: What ended each mutant.
        failed: What fails without mutants.
    """

    chosen: Collection[Mutant]
    jobs: int
    ends: dict[Mutant, str] = field(factory=dict)
    failed: list[str] = field(factory=list)

    pytest_runtest_makereport = staticmethod(pytest_runtest_makereport)  # also where the suite is another's

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the checks once, and then the clues' checks against every mutant."""
        # What a state machine draws is told apart by no rule.
        checks = [check for item in session.items for check in checks_of(item) if check.calls is not None]
        sys.stderr.write(f"{len(checks)} checks without mutants\n")
        clues, self.failed = learn(checks, self.jobs)
        if not self.failed:
            self._run(clues)
        return True

    def _run(self, clues: Clues) -> None:
        """Run each mutant in its own process, ``jobs`` at a time."""
        fork = multiprocessing.get_context("fork")
        progress = Progress(len(self.chosen))
        gc.freeze()
        waiting = list(self.chosen)[::-1]
        running: dict[Any, tuple[Mutant, ForkProcess]] = {}
        while waiting or running:
            while waiting and len(running) < self.jobs:
                mutant = waiting.pop()
                process = fork.Process(target=self._try, args=(mutant, clues.checks, clues.against(mutant)))
                process.start()
                running[process.sentinel] = mutant, process
            for sentinel in connection.wait(list(running)):
                mutant, process = running.pop(sentinel)
                process.join()
                self.ends[mutant] = _end(mutant, process.exitcode or 0)
                progress.add()
                progress.show(f"{Counter(self.ends.values())[SURVIVED]} survived")
        progress.end()

    def _try(self, mutant: Mutant, checks: Sequence[Check], clues: list[Clue]) -> None:
        """Run checks with a mutant until one fails; the exit status says how."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        install(mutant)
        end = SURVIVED
        for clue in clues:
            check = checks[clue.number]
            check.cases[:] = [follow(case, mutant) for case in check.cases]
            signal.setitimer(signal.ITIMER_REAL, LIMIT + SLOWER * clue.seconds)
            end = _ended(check)
            if end != SURVIVED:
                break
        os._exit(FIRST + ENDS.index(end))


def _ended(check: Check) -> str:
    """Run a check with a mutant, and return how the mutant ended."""
    try:
        check.run()
    except pytest.skip.Exception:
        return SURVIVED
    except (AssertionError, pytest.fail.Exception):
        return SURVIVED if check.expected else RECORDINGS if check.recorded else CASES
    except Exception:  # noqa: BLE001 - whatever a mutant does
        return SURVIVED if check.expected else CRASHED
    return CASES if check.expected else SURVIVED


def _end(mutant: Mutant, status: int) -> str:
    """Return how a mutant ended, by the exit status."""
    if status < 0:
        return HUNG if status == -signal.SIGALRM else CRASHED
    if status < FIRST:
        msg = f"the process of {mutant} failed by itself, with status {status}"
        raise RuntimeError(msg)
    return ENDS[status - FIRST]


if __name__ == "__main__":
    sys.exit(main())
