"""Reports of undefined behaviour on machines: each finding is reported once.

It makes no difference whether a finding was raised. Code under test may swallow the exception, or the
exception may end a thread, a finaliser or a child.
"""

from __future__ import annotations

from traceback import StackSummary, TracebackException
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from fakecuda.errors import UndefinedBehaviour
from fakecuda.model import history

if TYPE_CHECKING:
    from fakecuda.model.finding import Finding

OWN = ("fakecuda.", "cuda.bindings.", "rocm.bindings.", "hip.", "enum.")
"""Prefixes of modules whose frames do not help to find a bug."""
_told: WeakKeyDictionary[Any, list[Finding]] = WeakKeyDictionary()
"""Findings that were reported, by machine."""


def take(machine: Any) -> list[Finding]:
    """Return the unreported findings of a machine, for the caller to report."""
    found = untold(machine)
    tell(machine, found)
    return found


def untold(machine: Any) -> list[Finding]:
    """Return the findings of a machine that were not reported yet."""
    return [one for one in machine.findings if not _is_told(machine, one)]


def error_of(findings: list[Finding]) -> UndefinedBehaviour | None:
    """Return the exception for the first finding, with the others as its notes.

    The result is None if there are no findings.
    """
    if not findings:
        return None
    error = UndefinedBehaviour(findings[0])
    for finding in findings[1:]:
        error.add_note(f"and then: {finding}")
    return error


def note(error: BaseException, findings: list[Finding]) -> None:
    """Add findings to an exception as notes.

    A finding that the exception reports itself is left out.
    """
    for finding in findings:
        if finding is not getattr(error, "finding", None):
            error.add_note(f"undefined behaviour: {finding}")


def is_driver(machine: Any) -> bool:
    """Return whether a machine is the real driver.

    The real driver reports neither findings nor refused calls.
    """
    return not hasattr(machine, "profile")


def users_trace(error: BaseException) -> str:
    """Return the text of an exception's traceback, without fakecuda's frames if there are others."""
    told = TracebackException.from_exception(error)
    kept = [frame for frame in told.stack if not frame.filename.startswith(history.OWN)]
    if kept:
        told.stack = StackSummary.from_list(kept)
    return "".join(told.format()).rstrip()


def fold(failure: BaseException) -> None:
    """Drop the innermost frames of the simulator and of the bindings from a traceback.

    They say nothing about the bug.
    """
    frame, last = failure.__traceback__, None
    while frame is not None:
        if not f"{frame.tb_frame.f_globals.get('__name__')}.".startswith(OWN):
            last = frame
        frame = frame.tb_next
    if last is not None:
        last.tb_next = None


def _is_told(machine: Any, finding: Finding) -> bool:
    return any(one is finding for one in _told.get(machine, ()))


def tell(machine: Any, findings: list[Finding]) -> None:
    """Mark findings as reported."""
    if findings:
        _told.setdefault(machine, []).extend(findings)
