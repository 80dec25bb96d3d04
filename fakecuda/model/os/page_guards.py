"""Guarded pages, whose first access by the host raises a signal and continues.

The handler runs in the thread that touches the page, between two instructions of whatever code does so, and stands around the
handler that was there before. A system call that gets a protected page fails with EFAULT instead.
"""

from __future__ import annotations

import ctypes
import gc
import mmap
import signal
import sys

from fakecuda.model.memory.space import libc

SEGV = 11
AT_ADDRESS = 16
"""The offset of the address in ``siginfo_t`` on 64-bit Linux."""
SA_SIGINFO, SA_NODEFER = 4, 0x40000000
PROT_ALL = mmap.PROT_READ | mmap.PROT_WRITE
ABLE = sys.platform == "linux" and sys.maxsize > 1 << 32
"""Whether signals of this system are supported."""


class SigAction(ctypes.Structure):
    """``struct sigaction`` of Linux C libraries."""

    _fields_ = (
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_ulong * 16),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


class Guard:
    """Bytes that the host must not access.

    Args:
        start: The first address.
        end: The address after the last.
        protection: What the host may do: ``PROT_READ`` or ``PROT_NONE``.

    Attributes:
        pages: The first address of the guarded pages, and the address after them.
        closed: Whether the pages are protected now.
    """

    __slots__ = ("closed", "end", "pages", "protection", "start")

    def __init__(self, start: int, end: int, protection: int) -> None:
        self.start = start
        self.end = end
        self.protection = protection
        self.pages = (0, 0)
        self.closed = False

    @property
    def is_there(self) -> bool:
        """Whether the guarded bytes are still the same memory."""
        return True

    def touched(self, address: int) -> None:
        """Note the host's first access to the bytes, and its address."""


class Guards:
    """All guards of this OS process.

    Attributes:
        closed: Whether any page is protected.
    """

    __slots__ = ("_action", "_before", "_guards", "closed")

    def __init__(self) -> None:
        self._guards: list[Guard] = []
        self._before = SigAction()
        self._action: SigAction | None = None
        self.closed = False

    def guard(self, guard: Guard, *, shared: bool) -> None:
        """Guard bytes from the next :meth:`close` on; an existing guard stays.

        Args:
            guard: The guard.
            shared: Whether pages that are only partly its own are guarded, too.
        """
        page = mmap.PAGESIZE
        if shared:
            guard.pages = guard.start // page * page, -(-guard.end // page) * page
        else:
            guard.pages = -(-guard.start // page) * page, guard.end // page * page
        if ABLE and guard not in self._guards and guard.pages[0] < guard.pages[1]:
            self._guards.append(guard)

    def remove(self, guard: Guard) -> None:
        """Stop guarding bytes, if they are guarded."""
        if guard in self._guards:
            self._guards.remove(guard)
            if guard.closed:
                self._open(guard)
            if not self._guards:
                self._leave()

    def open(self, start: int, end: int) -> None:
        """Allow access to a range until the next :meth:`close`."""
        for guard in self._guards:
            if guard.closed and guard.pages[0] < end and start < guard.pages[1]:
                guard.closed = False
                _protect(guard.pages, PROT_ALL)
        self.closed = any(guard.closed for guard in self._guards)

    def _open(self, guard: Guard) -> None:
        """Remove a guard's protection until the next :meth:`close`, except shared pages."""
        guard.closed = False
        _protect(guard.pages, PROT_ALL)
        for other in self._in_order():
            if other.closed and other.pages[0] < guard.pages[1] and guard.pages[0] < other.pages[1]:
                _protect(other.pages, other.protection)

    def _in_order(self) -> list[Guard]:
        """Return the guards, the strictest last."""
        return sorted(self._guards, key=lambda one: -one.protection)

    def close(self) -> None:
        """Protect the pages of all guards."""
        if all(guard.closed for guard in self._guards):
            return
        for guard in self._in_order():
            if guard.is_there:
                guard.closed = _protect(guard.pages, guard.protection)
                self.closed = self.closed or guard.closed
        if self.closed:
            self._enter()

    def _enter(self) -> None:
        """Install the signal handler, unless it is installed."""
        if self._action is None:
            self._action = SigAction(ctypes.cast(_HANDLER, ctypes.c_void_p).value, flags=SA_SIGINFO | SA_NODEFER)
            self._action.mask[0] = 1 << signal.SIGINT - 1
        now = SigAction()
        libc.sigaction(SEGV, None, ctypes.byref(now))
        if now.handler != self._action.handler:
            self._before = now
            libc.sigaction(SEGV, ctypes.byref(self._action), None)

    def _leave(self) -> None:
        """Restore the former signal handler, unless another one was installed since."""
        now = SigAction()
        libc.sigaction(SEGV, None, ctypes.byref(now))
        if self._action is not None and now.handler == self._action.handler:
            libc.sigaction(SEGV, ctypes.byref(self._before), None)

    def handle(self, address: int) -> None:
        """Let an access continue, and call the guards of the accessed bytes.

        A page that may not even be read is readable then, if another guard lets it be read: a write comes here again.
        """
        found = [guard for guard in self._guards if guard.closed and guard.pages[0] <= address < guard.pages[1]]
        if not found:
            libc.sigaction(SEGV, ctypes.byref(self._before), None)
            return
        strictest = min(guard.protection for guard in found)
        broken = [guard for guard in found if guard.protection == strictest]
        for guard in broken:
            self._open(guard)
        self.closed = any(guard.closed for guard in self._guards)
        for guard in broken:
            if guard.start <= address < guard.end:
                guard.touched(address)


GUARDS = Guards()


def _protect(pages: tuple[int, int], protection: int) -> bool:
    """Set the protection of pages, and return whether they are mapped."""
    first, last = pages
    return bool(libc.mprotect(first, last - first, protection) == 0)


def _on_signal(_signal: int, info: int, _context: int) -> None:
    collecting = gc.isenabled()
    gc.disable()
    try:
        GUARDS.handle(ctypes.c_void_p.from_address(info + AT_ADDRESS).value or 0)
    except KeyboardInterrupt:  # nothing travels through the code that has touched the page
        signal.raise_signal(signal.SIGINT)  # blocked until the handler returns
    finally:
        if collecting:
            gc.enable()


_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(_on_signal)
