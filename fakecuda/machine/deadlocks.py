"""Deadlocks on machines: which of them fail a test.

A deadlock is reported once, even if a thread, an executor, a library or a child swallows its exceptions. A test expects
a deadlock if a function that names ``EndlessWait``, or that calls ``pytest.raises``, catches one of these exceptions.
A deadlock within :func:`fakecuda.expect_deadlock` is expected, too.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from fakecuda.errors import EndlessWait
from fakecuda.model.work.deadlock import Deadlock

_judged: WeakSet[Any] = WeakSet()
"""Machines whose deadlocks are reported at their end."""


def judge(machine: Any) -> None:
    """Keep the exceptions that end a machine's waits, until :func:`take` is called."""
    _judged.add(machine)


Deadlock.kept = _judged.__contains__


def take(machine: Any) -> list[Deadlock]:
    """Return the deadlocks of a machine that were not reported, and that no test expects; the caller reports them now.

    Exceptions are kept no longer: their stacks hold what a test has made.
    """
    known = list(getattr(machine, "deadlocks", ()))
    found = [one for one in known if not (one.told or one.is_expected)]
    for one in known:
        one.told = True
        one.errors.clear()
    return found


def error_of(found: list[Deadlock]) -> EndlessWait | None:
    """Return the exception for the first deadlock, with the others as its notes.

    The result is None if there are no deadlocks.
    """
    if not found:
        return None
    error = EndlessWait(str(found[0]))
    error.deadlock = found[0]
    for one in found[1:]:
        error.add_note(f"and then: {one}")
    return error


def of_failure(machine: Any, failure: BaseException) -> list[str]:
    """Return the reports for a failed test.

    Deadlocks, and calls that still wait or whose processes were killed.

    Args:
        machine: The test's machine.
        failure: The exception that failed the test. A deadlock that it reports itself is left out.
    """
    own = getattr(failure, "deadlock", None)
    found = [str(one) for one in take(machine) if one is not own]
    census = getattr(getattr(machine, "scheduler", None), "census", None)
    if census is not None and census.standing is not None:
        found.append(str(census.standing))
        census.standing = None
    return found
