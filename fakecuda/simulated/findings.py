"""Undefined behaviour on machines: who was told of it.

A finding is told once. Whether it was raised makes no difference: code under test may swallow the exception, a thread, a
finaliser or a child may have ended by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from fakecuda.errors import UndefinedBehaviour

if TYPE_CHECKING:
    from fakecuda.model.finding import Finding

_told: WeakKeyDictionary[Any, list[Finding]] = WeakKeyDictionary()
"""What somebody was told of, by the machine."""


def take(machine: Any) -> list[Finding]:
    """Return the undefined behaviour on a machine that nobody was told of; the caller tells of it now."""
    found = untold(machine)
    tell(machine, found)
    return found


def untold(machine: Any) -> list[Finding]:
    """Return the undefined behaviour on a machine that nobody was told of yet."""
    return [one for one in machine.findings if not _is_told(machine, one)]


def error_of(findings: list[Finding]) -> UndefinedBehaviour | None:
    """Return the exception for the first finding, the others as its notes; None for none."""
    if not findings:
        return None
    error = UndefinedBehaviour(findings[0])
    for finding in findings[1:]:
        error.add_note(f"and then: {finding}")
    return error


def note(error: BaseException, findings: list[Finding]) -> None:
    """Add findings to an exception as notes, but for the one that it is about."""
    for finding in findings:
        if finding is not getattr(error, "finding", None):
            error.add_note(f"undefined behaviour: {finding}")


def is_driver(machine: Any) -> bool:
    """Return whether what stands in a machine's place is the real driver, which tells neither findings nor refused calls."""
    return not hasattr(machine, "profile")


def fold(failure: BaseException) -> None:
    """Leave out of a traceback the frames of the simulator, where it raised the failure: they say nothing of the bug."""
    frame, last = failure.__traceback__, None
    while frame is not None:
        if not str(frame.tb_frame.f_globals.get("__name__")).startswith("fakecuda."):
            last = frame
        frame = frame.tb_next
    if last is not None:
        last.tb_next = None


def _is_told(machine: Any, finding: Finding) -> bool:
    return any(one is finding for one in _told.get(machine, ()))


def tell(machine: Any, findings: list[Finding]) -> None:
    """Note that somebody was told of findings."""
    if findings:
        _told.setdefault(machine, []).extend(findings)
