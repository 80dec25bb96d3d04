"""The lock of a machine whose callers take turns."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from fakecuda.model.call import MAKING, made_by

if TYPE_CHECKING:
    from fakecuda.machine.orders.turns import Turns


class MachineLock:
    """Replaces a machine's lock while its callers take turns.

    A call first waits for its turn.
    """

    def __init__(self, lock: Any, turns: Turns) -> None:
        self._lock = lock
        self._turns = turns

    def acquire(self) -> bool:
        """Take the lock. A call within another call already has its turn."""
        frame = sys._getframe(1)  # noqa: SLF001 - as call.under_way
        if frame.f_code in MAKING and not self._lock._is_owned():  # noqa: SLF001 - as threading.Condition does
            call, op, args = made_by(frame)
            self._turns.arrive(call.process, op.name, args)
        return bool(self._lock.acquire())

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __repr__(self) -> str:
        return repr(self._lock)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lock, name)
