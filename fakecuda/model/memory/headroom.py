"""Room for a call where the memory of the OS process is limited: there is enough for it, or it is not begun.

Python meets MemoryError where the system refuses it memory: that is where the process has a limit (``ulimit -v``,
``ulimit -d``), or where the system promises no more than it has (``vm.overcommit_memory=2``). In the midst of an effect it
would cut that in two. So there each call asks for more than it may need, gives that back, and begins; or it raises
MemoryError, and nothing has changed. Elsewhere a call asks for nothing. The limits are read when a machine is made, and when
the program sets them.

What one asks for it may not get a moment later, if another thread has taken it: for that there is no help.
"""

from __future__ import annotations

import functools
import mmap
import os
import resource
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakecuda.model.effect import BEFORE

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call

NEED = 16 << 20
"""Bytes that a call asks for, which is far more than any needs: to ask for more costs no more. Python takes memory for small
objects a MiB at a time, and the system's library for a thread a page or more for each object where it can have no arena."""
OBJECT = 2 << 10
"""Bytes that an object of the model takes at most, with its places in tables."""
STACK = 8 << 20
"""Bytes of the stack of a thread that a call may start, where the system's limit does not say."""
LIMITS = resource.RLIMIT_AS, resource.RLIMIT_DATA
"""What the system refuses memory for."""
OVERCOMMIT, NEVER = Path("/proc/sys/vm/overcommit_memory"), "2"
"""Where the system says whether it promises more memory than it has, and what it says where it does not."""
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
limited: list[int] = []
"""How many bytes each call asks for; empty where the OS process has no limit."""


def heed_limits() -> None:
    """Read the limits of the OS process, and read them again whenever the program sets them."""
    if not isinstance(resource.setrlimit, _Setter):
        resource.setrlimit = _Setter(resource.setrlimit)
        if hasattr(resource, "prlimit"):  # pragma: no branch - not on macOS
            resource.prlimit = _Setter(resource.prlimit)
    read_limits()


def read_limits() -> None:
    """Find whether the OS process has a limit, and what calls ask for then."""
    none = resource.RLIM_INFINITY
    stack = resource.getrlimit(resource.RLIMIT_STACK)[0]
    need = [NEED + (STACK if stack == none else stack)]
    scarce = promises_no_more() or any(resource.getrlimit(limit)[0] != none for limit in LIMITS)
    limited[:] = need if scarce else []


@functools.cache
def promises_no_more() -> bool:
    """Return whether the system promises no more memory than it has."""
    try:
        return OVERCOMMIT.read_text(encoding="utf-8").strip() == NEVER
    except OSError:
        return False


class _Setter:
    """What stands for ``resource.setrlimit``, or for ``resource.prlimit``."""

    def __init__(self, real: Callable[..., Any]) -> None:
        functools.update_wrapper(self, real)
        self._real = real

    def __call__(self, *args: Any) -> Any:
        try:
            return self._real(*args)
        finally:
            read_limits()


def make_room(call: Call) -> None:
    """See that there is memory for a call, unless it is part of another one, which has seen to that.

    Raises:
        MemoryError: There is not; nothing has changed.
    """
    lock = getattr(call.machine, "lock", None)
    if lock is not None and lock._is_owned() and not call.awaited:  # noqa: SLF001 - as conditions ask
        return
    for need in limited:
        _ask_for(need)


def make_room_for(count: int) -> None:
    """See that there is memory for an effect that makes so many objects, which may take more than any call asks for.

    Raises:
        MemoryError: There is not; nothing has changed.
    """
    for need in limited:
        _ask_for(need + count * OBJECT)


def _ask_for(need: int) -> None:
    try:
        mmap.mmap(-1, need, PRIVATE).close()
    except OSError:
        msg = (
            f"process {os.getpid()} has no {need >> 20} MiB left of the memory that it may use, so that the call was not "
            "begun: raise its limit (ulimit -v, ulimit -d), or have it use less"
        )
        raise MemoryError(msg) from None


BEFORE.update({make_room.__code__, make_room_for.__code__})
