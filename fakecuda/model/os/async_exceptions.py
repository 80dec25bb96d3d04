"""Exceptions that one thread raises in another (``PyThreadState_SetAsyncExc``), as limits of time and notebooks do.

One that came in the midst of an effect would cut it in two. So whoever raises one by ``ctypes.pythonapi`` first gets the locks
of all machines: nobody has an operation under way then, but for those who wait, and a wait changes nothing. A thread
that has asked the owner of its machine holds no lock; it says by :data:`exchanging` when it is not to be disturbed.
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

PATIENCE = 10.0
"""Seconds after which the exception is raised whatever is under way: whoever is there may wait for who raises it."""
PAUSE = 0.0005
"""Seconds between two looks at a thread that exchanges frames."""
machines: WeakSet[Any] = WeakSet()
"""Hook: the machines of this OS process. Each adds itself when it is made.

An exception for a thread waits for the lock of each. A machine must have its lock, and must not be added twice.
"""
exchanging: set[int] = set()
"""Hook: the threads, by ``threading.get_ident``, between two frames of an exchange. A client adds its own for the exchange.

An exception for such a thread waits until the exchange has ended. An entry must not stay longer.
"""
kinds: set[object] = set()
"""What was raised so: a call through C tells by it what is no mistake of its own."""
_one_at_a_time = threading.Lock()


def put_off_thrown() -> None:
    """Have exceptions that other threads raise come between operations."""
    functions: Any = ctypes.pythonapi
    if not isinstance(functions.PyThreadState_SetAsyncExc, Setter):
        functions.PyThreadState_SetAsyncExc = Setter(functions.PyThreadState_SetAsyncExc)


class Setter:
    """What stands for ``ctypes.pythonapi.PyThreadState_SetAsyncExc``.

    Args:
        real: That function.
    """

    real: Callable[..., int]

    def __init__(self, real: Callable[..., int]) -> None:
        vars(self)["real"] = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.real, name, value)

    def __call__(self, *args: Any) -> int:
        """Raise an exception in a thread; see :func:`put_off_thrown`.

        Args:
            args: The thread, as ``threading.get_ident`` tells it, and the exception's class, in Python or in C.
        """
        thread, kind = (getattr(one, "value", one) for one in args)
        kinds.add(kind)
        if thread != threading.get_ident():
            try:
                return self._between(thread, args)
            finally:
                if interruption.deferred:
                    interruption.run_deferred(sys._getframe(1))  # noqa: SLF001 - as call.under_way
        if interruption.is_operating(sys._getframe(1)):  # noqa: SLF001 - likewise
            interruption.defer(thread, functools.partial(self.real, *args))
            return 1
        return self.real(*args)

    def _between(self, thread: int, args: tuple[Any, ...]) -> int:
        """Raise an exception in another thread while it changes nothing."""
        limit, real = time.monotonic() + PATIENCE, self.real
        with _one_at_a_time, ExitStack() as held:
            for machine in list(machines):
                lock = machine.lock
                if not interruption.is_torn(machine) and lock.acquire(timeout=max(0, limit - time.monotonic())):
                    held.callback(lock.release)
            while time.monotonic() < limit:
                if (
                    thread not in exchanging
                ):  # the interpreter changes threads behind a call, and at the end of a loop: not here
                    return real(*args)
                time.sleep(PAUSE)
            return real(*args)


interruption.ATOMIC.add(Setter.__call__.__code__)


def _forked() -> None:
    """Forget what other threads held that are not there in a forked child."""
    global _one_at_a_time  # noqa: PLW0603 - the one of the parent may be held for ever
    _one_at_a_time = threading.Lock()
    exchanging.clear()


os.register_at_fork(after_in_child=_forked)
