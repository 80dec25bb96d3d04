"""Checks that a call has enough memory, in an OS process with a memory limit.

Python raises MemoryError when the system refuses memory. The system does so if the process has a limit (``ulimit -v``,
``ulimit -d``), or if the system promises no more memory than it has (``vm.overcommit_memory=2``). An error in the
middle of an effect would leave it half done. With such a limit each call first asks for more memory than it may need,
gives that back, and then starts. If it is refused, it raises MemoryError, and nothing has changed. Without a limit a
call asks for nothing. The limits are read when a machine is made, and when the program sets them.

Another thread may take the memory between the question and the call. Nothing protects against that.
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
"""Bytes that a call asks for. It is far more than any call needs, because asking for more costs no more. Python
takes memory for small objects a MiB at a time. The C library takes a page or more for each object of a thread
without an arena."""
OBJECT = 2 << 10
"""The maximum size of an object of the model, with its table entries."""
STACK = 8 << 20
"""The stack size of a new thread, if the system's limit is unlimited."""
LIMITS = resource.RLIMIT_AS, resource.RLIMIT_DATA
"""The limits that make the system refuse memory."""
OVERCOMMIT, NEVER = Path("/proc/sys/vm/overcommit_memory"), "2"
"""The system's overcommit file, and its content if overcommit is off."""
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
limited: list[int] = []
"""The bytes that each call checks for; empty without a memory limit."""


def heed_limits() -> None:
    """Read the memory limits now, and whenever the program sets them."""
    if not isinstance(resource.setrlimit, _Setter):
        resource.setrlimit = _Setter(resource.setrlimit)
        if hasattr(resource, "prlimit"):  # pragma: no branch - not on macOS
            resource.prlimit = _Setter(resource.prlimit)
    read_limits()


def read_limits() -> None:
    """Read whether there is a memory limit, and set what calls check for."""
    none = resource.RLIM_INFINITY
    stack = resource.getrlimit(resource.RLIMIT_STACK)[0]
    need = [NEED + (STACK if stack == none else stack)]
    scarce = promises_no_more() or any(resource.getrlimit(limit)[0] != none for limit in LIMITS)
    limited[:] = need if scarce else []


@functools.cache
def promises_no_more() -> bool:
    """Return whether the system never overcommits memory."""
    try:
        return OVERCOMMIT.read_text(encoding="utf-8").strip() == NEVER
    except OSError:
        return False


class _Setter:
    """A replacement of ``resource.setrlimit`` that reads the limits again.

    ``resource.prlimit`` is replaced in the same way.
    """

    def __init__(self, real: Callable[..., Any]) -> None:
        functools.update_wrapper(self, real)
        self._real = real

    def __call__(self, *args: Any) -> Any:
        try:
            return self._real(*args)
        finally:
            read_limits()


def make_room(call: Call) -> None:
    """Check that there is memory for a call, unless the call is part of another call.

    For a part of another call, that call has checked the memory already.

    Raises:
        MemoryError: There is too little memory; nothing has changed.
    """
    lock = getattr(call.machine, "lock", None)
    if lock is not None and lock._is_owned() and not call.awaited:  # noqa: SLF001 - as conditions ask
        return
    for need in limited:
        _ask_for(need)


def make_room_for(count: int) -> None:
    """Check that there is memory for an effect that makes ``count`` objects.

    Such an effect may need more than :data:`NEED`.

    Raises:
        MemoryError: There is too little memory; nothing has changed.
    """
    for need in limited:
        _ask_for(need + count * OBJECT)


def _ask_for(need: int) -> None:
    try:
        mmap.mmap(-1, need, PRIVATE).close()
    except OSError:
        msg = (
            f"OS process {os.getpid()} has less than {need >> 20} MiB left within its memory limit, so fakecuda did "
            "not begin the call: raise the limit (ulimit -v, ulimit -d), or use less memory"
        )
        raise MemoryError(msg) from None


BEFORE.update({make_room.__code__, make_room_for.__code__})
