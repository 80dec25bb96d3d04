"""Invariants of a machine between two calls, after any input.

A command that asks for it prints what it has counted and what does not hold.
"""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

from fakecuda.model.os.interruption import is_torn
from fakecuda.progress import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fakecuda import Machine

TIMEOUT = 30.0
"""Seconds for which another thread may hold the lock, for a stream's work."""


def is_held(machine: Machine) -> bool:
    """Return whether this thread holds a machine's lock, or another too long."""
    lock: Any = machine.lock
    lock = getattr(lock, "_lock", lock)  # that of a machine which was cut in two gives itself to none
    if lock._is_owned():  # noqa: SLF001 - as conditions ask
        return True
    if not lock.acquire(timeout=TIMEOUT):
        return True
    lock.release()
    return False


def harm(machine: Machine) -> Iterator[str]:
    """Yield failed invariants of a machine; stop if its lock is held."""
    if is_held(machine):
        yield "the lock is held"
    elif is_torn(machine):
        yield "a call was cut in two"
    else:
        try:
            machine.check_invariants()
        except AssertionError as error:
            yield "the machine is not whole:\n" + "".join(traceback.format_exception(error))


def tell(counts: Mapping[str, int], wrong: Iterable[str]) -> int:
    """Print a command's counts and failures; return 1 if there is a failure.

    Args:
        counts: Numbers of things, by what they are.
        wrong: What does not hold, a line each.
    """
    lines = list(wrong)
    for line in (", ".join(f"{number} {what}" for what, number in counts.items()), *lines):
        say(line)
    return int(bool(lines))
