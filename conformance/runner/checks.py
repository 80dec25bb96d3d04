"""Checks, the smallest parts of the suite that pass or fail, and their outcomes.

A check is a case, a dozen pairs of one call, a recorded program, some programs of a state machine, or one parameter of
a test function. Hundreds of them share one item of pytest (:mod:`conformance.runner.group`): its own cost for an item is above
theirs. ``python -m fakecuda conform`` deals them out to processes (:mod:`conformance.run`).
"""

from __future__ import annotations

import linecache
import os
import traceback
from typing import TYPE_CHECKING

import pytest
from attrs import define, field, frozen

from conformance import CASES, SUITE
from conformance.kit.world import Unavailable
from conformance.runner.rule_coverage import OWN, Seen
from conformance.runner.wait_timeout import endless
from fakecuda.rules.core import place
from fakecuda.rules.registry import DRIVER, EVERY_OP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from conformance.kit.case import Case
    from conformance.record.told import Heard

PASSED, FAILED, SKIPPED, EXPECTED = "passed", "failed", "skipped", "expected"
"""Outcomes of a check; an expected failure is known and has a reason."""
GENERATED = "generated"
"""The chapter of programs that state machines draw."""
PYTESTS = (pytest.skip.Exception, pytest.fail.Exception)
"""Exceptions that pytest's functions raise, which are not of class Exception."""
PYTEST = f"{os.sep}site-packages{os.sep}"
MACHINERY = {
    *map(str, (SUITE / "runner").glob("*.py")),
    str(SUITE / "mutate" / "clues.py"),
}
"""Modules whose frames are left out of tracebacks."""
FRAMES = 4
"""The number of traceback lines in the report of a failed test function."""


@frozen
class Shown:
    """What a passed check reports.

    Attributes:
        counts: How many ``programs``, ``answers``, ``differences``, ``explained`` ones, ``pairs`` and drawn ``steps``.
        divergences: The entries of ``divergences.toml`` that explain a difference, by their place in it.
        left_over: How it differs in processes that earlier checks have used; empty where it agrees there, too.
        told: What a recorded program tells of rules.
    """

    counts: dict[str, int] = field(factory=dict)
    divergences: frozenset[int] = frozenset()
    left_over: str = ""
    told: tuple[Heard, ...] = ()


NOTHING = Shown()


@define(eq=False)
class Check:
    """A check, which passes or fails.

    Attributes:
        name: Its name in its group.
        calls: The calls that it is about; None for all that it makes.
        run: Runs it; raises what is wrong.
        cases: The cases that it runs, which are its to change.
        recorded: Whether it runs a recorded program.
        expected: Why it is expected to fail, or empty.
        weight: How long it takes, in milliseconds or so: what is dealt out to processes is of about one size.
        everyday: Whether a run has it that leaves out what other checks show.
    """

    name: str
    calls: frozenset[str] | None
    run: Callable[[], Shown | None]
    cases: list[Case] = field(factory=list)
    recorded: bool = False
    expected: str = ""
    weight: int = 1
    everyday: bool = True


class Source:
    """The marker of a module's ``test_…`` object from which groups of checks are made."""

    def groups(self) -> Iterable[tuple[str, Callable[[pytest.Config], list[Check]]]]:
        """Return the name of each group, or an empty one, with a function for its checks."""
        raise NotImplementedError


@frozen
class Outcome:
    """The outcome of a check.

    Attributes:
        group: The node id of its group.
        name: Its name in the group.
        chapter: The chapter that it belongs to.
        calls: The calls that it is about.
        status: How it ended.
        text: Why it failed, was skipped, or was expected to fail; of what passed, what earlier checks have left over.
        shown: What it has to tell.
        seen: The calls that it made with the id of the rule that each broke, or "" for none.
    """

    group: str
    name: str
    chapter: str
    calls: frozenset[str]
    status: str
    text: str = ""
    shown: Shown = NOTHING
    seen: frozenset[tuple[str, str]] = field(factory=frozenset)

    @property
    def id(self) -> str:
        """The node id of the group, followed by the check's name."""
        return f"{self.group}[{self.name}]" if self.name else self.group


def run_check(group: str, check: Check) -> Outcome:
    """Run a check and return its outcome, with the rules that it broke and kept.

    Args:
        group: The node id of its group.
        check: The check.
    """
    seen = Seen()
    shown = NOTHING
    problem: BaseException | None = None
    try:
        with seen.watch(), endless():
            shown = check.run() or NOTHING
    except (Exception, *PYTESTS) as error:  # noqa: BLE001 - whatever fails is told
        problem = error
    status, text = how(problem, check.expected)
    text = text or shown.left_over
    calls = frozenset(seen.calls) if check.calls is None else check.calls
    return Outcome(group, check.name, chapter_of(check.calls), calls, status, text, shown, seen.by_id)


def how(problem: BaseException | None, expected: str = "") -> tuple[str, str]:
    """Return the outcome of a check by its exception, and the reason.

    Args:
        problem: What it raised.
        expected: Why it is expected to fail, or empty.
    """
    if isinstance(problem, pytest.skip.Exception | Unavailable):
        return SKIPPED, str(problem)
    if problem is None:
        return (FAILED, f"it passes, and was expected to fail: {expected}") if expected else (PASSED, "")
    return (EXPECTED, expected) if expected else (FAILED, text_of(problem))


def text_of(error: BaseException) -> str:
    """Return the text of a failure: a check's own message, or the traceback's end."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    told = str(error)
    raised = last is not None and linecache.getline(last.filename, last.lineno or 0).lstrip().startswith("raise ")
    if isinstance(error, pytest.fail.Exception) or (isinstance(error, AssertionError) and told and raised):
        return told
    own = [one for one in frames if one.filename not in MACHINERY and PYTEST not in one.filename] or frames
    lines = traceback.format_list(own[-FRAMES:])
    return "".join([*lines, *traceback.format_exception_only(error)]).rstrip()


def chapter_of(calls: Iterable[str] | None) -> str:
    """Return the manual's chapter of calls."""
    if calls is None:
        return GENERATED
    call = next((call for call in calls if call in EVERY_OP), None)
    return place(EVERY_OP[call].module).partition(".")[0] if call else OWN


def calls_of(path: Path) -> frozenset[str]:
    """Return the calls that a suite module tests: those at the same path, or its name."""
    if CASES not in path.parents:
        return frozenset({path.stem})
    mirrored = place(".".join(path.relative_to(CASES).with_suffix("").parts).replace("test_", ""))
    return frozenset(op.name for op in DRIVER.ops.values() if place(op.module) == mirrored) or frozenset({path.stem})
