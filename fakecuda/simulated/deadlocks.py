"""Calls on machines that waited in vain: which of them fail a test.

A deadlock is reported once, whatever has become of its exceptions: a thread, an executor, a library or a child may have swallowed
them. It is expected if a function that names ``EndlessWait``, or that calls ``pytest.raises``, has caught one of them, or within
:func:`fakecuda.expect_deadlock`.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from fakecuda.errors import EndlessWait
from fakecuda.model.work.deadlock import Deadlock

_judged: WeakSet[Any] = WeakSet()
"""Machines that are judged at their end for what they have waited for."""


def judge(machine: Any) -> None:
    """Have a machine keep the exceptions that end its waits, until :func:`take` is called."""
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
    """Return the exception for the first deadlock, the others as its notes; None for none."""
    if not found:
        return None
    error = EndlessWait(str(found[0]))
    error.deadlock = found[0]
    for one in found[1:]:
        error.add_note(f"and then: {one}")
    return error


def of_failure(machine: Any, failure: BaseException) -> list[str]:
    """Return the reports of a test that has failed: of deadlocks, and of calls that wait still or whose processes were killed.

    Args:
        machine: Its machine.
        failure: What it has failed by; what that reports itself is left out.
    """
    own = getattr(failure, "deadlock", None)
    found = [str(one) for one in take(machine) if one is not own]
    census = getattr(getattr(machine, "scheduler", None), "census", None)
    if census is not None and census.standing is not None:
        found.append(str(census.standing))
        census.standing = None
    return found
