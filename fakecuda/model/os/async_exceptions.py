"""Exceptions that one thread raises in another, as timeouts and notebooks do.

They use ``PyThreadState_SetAsyncExc``.

An exception in the middle of an effect would leave it half done. So a thread that raises one by ``ctypes.pythonapi``
first takes the locks of all machines. Then no thread is within an operation, except for waiting calls, and a wait
changes nothing. A thread that talks to the owner of its machine holds no lock. It adds itself to :data:`exchanging`
while it must not be interrupted.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from fakecuda.model.os import interruption

if TYPE_CHECKING:
    from collections.abc import Callable

TIMEOUT = 10.0
"""Seconds after which the exception is raised in any case. An operation may be waiting for the thread that raises
it."""
PAUSE = 0.0005
"""Seconds between two checks of a thread that exchanges frames."""
machines: WeakSet[Any] = WeakSet()
"""Hook: the machines of this OS process. Each adds itself when it is made.

An exception for a thread waits for the lock of each. A machine must have its lock, and must not be added twice.
"""
exchanging: set[int] = set()
"""Hook: the threads, by ``threading.get_ident``, between two frames of an exchange. A client adds its own for the exchange.

An exception for such a thread waits until the exchange has ended. An entry must not stay longer.
"""
kinds: set[object] = set()
"""Exception types that were raised in another thread."""
_one_at_a_time = threading.Lock()


def put_off_thrown() -> None:
    """Delay exceptions from other threads to the end of operations."""
    functions: Any = ctypes.pythonapi
    if not isinstance(functions.PyThreadState_SetAsyncExc, Setter):
        functions.PyThreadState_SetAsyncExc = Setter(functions.PyThreadState_SetAsyncExc)


class Setter:
    """A replacement of ``ctypes.pythonapi.PyThreadState_SetAsyncExc``.

    Args:
        real: The original function.
    """

    real: Callable[..., int]

    def __init__(self, real: Callable[..., int]) -> None:
        vars(self)["real"] = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.real, name, value)

    def __call__(self, *args: Any) -> int:
        """Raise an exception in a thread, between operations; see :func:`put_off_thrown`.

        Args:
            args: The thread, by ``threading.get_ident``, and the exception's class, as Python or ctypes values.
        """
        thread, kind = (getattr(one, "value", one) for one in args)
        kinds.add(kind)
        if thread != threading.get_ident():
            try:
                return self._between(thread, args)
            finally:
                if interruption.deferred:
                    interruption.run_deferred(sys._getframe(1))  # noqa: SLF001 - as call.under_way
        if interruption.is_operating(sys._getframe(1)):  # noqa: SLF001 - as call.under_way
            interruption.defer(thread, functools.partial(self.real, *args))
            return 1
        return self.real(*args)

    def _between(self, thread: int, args: tuple[Any, ...]) -> int:
        """Raise an exception in another thread between its changes of a machine."""
        limit, real = time.monotonic() + TIMEOUT, self.real
        with _one_at_a_time, ExitStack() as held:
            for machine in list(machines):
                lock = machine.lock
                if not interruption.is_torn(machine) and lock.acquire(timeout=max(0, limit - time.monotonic())):
                    held.callback(lock.release)
            while time.monotonic() < limit:
                if (
                    thread not in exchanging
                ):  # the interpreter switches threads after a call and at the end of a loop: not here
                    return real(*args)
                time.sleep(PAUSE)
            return real(*args)


interruption.ATOMIC.add(Setter.__call__.__code__)


def _forked() -> None:
    """Forget locks and exchanges of threads that a forked child does not have."""
    global _one_at_a_time  # noqa: PLW0603 - a thread of the parent may hold the old lock
    _one_at_a_time = threading.Lock()
    exchanging.clear()


os.register_at_fork(after_in_child=_forked)
