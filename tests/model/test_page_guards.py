"""Guards of pages: what a guard hears, and what else handles the signal of a fault."""

from __future__ import annotations

import ctypes
import faulthandler
import mmap
import os
import signal
from typing import TYPE_CHECKING

import pytest

from fakecuda.model.memory.space import libc
from fakecuda.model.os import page_guards
from fakecuda.model.os.page_guards import GUARDS, Guard

if TYPE_CHECKING:
    from collections.abc import Iterator


PAGE = mmap.PAGESIZE


# The handler


class Noting(Guard):
    """A guard that keeps its messages."""

    __slots__ = ("error", "heard")

    def __init__(self, start: int, end: int) -> None:
        super().__init__(start, end, mmap.PROT_READ)
        self.heard: list[int] = []
        self.error: type[BaseException] | None = None

    def touched(self, address: int) -> None:
        """Keep the address."""
        self.heard.append(address)
        if self.error is not None:
            raise self.error


@pytest.fixture
def guard() -> Iterator[Noting]:
    """Return a guard of a page, which is closed."""
    memory = mmap.mmap(-1, PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    made = Noting(start, start + PAGE)
    GUARDS.guard(made, shared=True)
    GUARDS.guard(made, shared=True)
    GUARDS.close()
    GUARDS.close()
    yield made
    GUARDS.remove(made)
    GUARDS.remove(made)
    ctypes.memset(start, 1, 1)


def test_a_guard(guard: Noting) -> None:
    """A read goes on, and so does a write; the guard hears of the first write."""
    ctypes.string_at(guard.start, 1)
    assert guard.heard == []
    ctypes.memset(guard.start + 5, 1, 1)
    ctypes.memset(guard.start + 6, 1, 1)
    assert guard.heard == [guard.start + 5]


def test_an_interrupt_in_the_handler(guard: Noting) -> None:
    """It comes after the access."""
    guard.error = KeyboardInterrupt
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - it comes at any instruction
            ctypes.memset(guard.start, 1, 1)
            while guard.heard:
                pass
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_system_call(guard: Noting) -> None:
    """It fails, as the page says."""
    ours, theirs = os.pipe()
    os.write(theirs, b"x")
    with pytest.raises(OSError, match="Bad address"):
        os.readv(ours, [(ctypes.c_char * 1).from_address(guard.start)])
    os.close(ours)
    os.close(theirs)
    assert guard.heard == []


def test_handlers_of_others(guard: Noting) -> None:
    """A handler that is set later stays. The next close puts the guards' handler before it."""
    now, action = page_guards.SigAction(), page_guards.SigAction(flags=0)
    libc.sigaction(page_guards.SEGV, ctypes.byref(action), ctypes.byref(now))
    GUARDS._leave()
    found = page_guards.SigAction()
    libc.sigaction(page_guards.SEGV, None, ctypes.byref(found))
    assert found.handler is None
    GUARDS.open(guard.start, guard.end)
    GUARDS.close()
    ctypes.memset(guard.start, 1, 1)
    assert guard.heard == [guard.start]
    GUARDS.handle(0)
    libc.sigaction(page_guards.SEGV, None, ctypes.byref(found))
    assert found.handler is None
    libc.sigaction(page_guards.SEGV, ctypes.byref(now), None)


def test_a_fault_that_is_no_guards() -> None:
    """The handler before gets it: a process dies as without guards."""
    child = os.fork()
    if not child:  # pragma: no cover - the child's
        memory = mmap.mmap(-1, PAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        GUARDS.guard(Noting(start, start + PAGE), shared=True)
        faulthandler.disable()
        GUARDS.close()
        ctypes.string_at(8)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -page_guards.SEGV
