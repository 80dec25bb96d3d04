"""What holds of a machine between two calls, whatever came in them: its lock is free, no call was cut in two, it is whole."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

from fakecuda.model.os.interruption import is_torn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Machine

PATIENCE = 30.0
"""How many seconds another thread may have the lock, which may do a stream's work behind a call."""


def is_held(machine: Machine) -> bool:
    """Return whether a machine's lock was not given back: by this thread, or by another in good time."""
    lock: Any = machine.lock
    lock = getattr(lock, "_lock", lock)  # that of a machine which was cut in two gives itself to none
    if lock._is_owned():  # noqa: SLF001 - as conditions ask
        return True
    if not lock.acquire(timeout=PATIENCE):
        return True
    lock.release()
    return False


def harm(machine: Machine) -> Iterator[str]:
    """Yield what does not hold of a machine; it is read no further where its lock is held."""
    if is_held(machine):
        yield "the lock is held"
    elif is_torn(machine):
        yield "a call was cut in two"
    else:
        try:
            machine.check_invariants()
        except AssertionError as error:
            yield "the machine is not whole:\n" + "".join(traceback.format_exception(error))
