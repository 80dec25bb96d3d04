"""Children of this OS process that may still attach to a machine.

They are programs that the process has started.
A waiting call asks this. If a program is overlooked, a wait ends that the program could have ended. If one is suspected
wrongly, the wait lasts for the machine's wait timeout. So two groups count: children younger than the machine, and
processes that ended children have left. Two groups do not count: processes with all threads blocked, and
multiprocessing's resource tracker and fork server. The children of these still count.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakecuda.model.os.scarcity import is_scarce
from fakecuda.reach.remote import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable

PARENT, START = 1, 19
"""Indices of the parent and the start time among the fields behind the name in /proc/PID/stat."""
SERVERS = (b"from multiprocessing.resource_tracker import main", b"from multiprocessing.forkserver import main")
"""Parts of the command lines of multiprocessing's helpers, which make no calls."""
ASKED, MOMENT = 20, 0.001
"""How often to read an empty environment again, and the seconds in between."""


class Children:
    """The children of this process since the offer of a machine.

    Args:
        address: The machine's address, which is in its programs' environment.
    """

    def __init__(self, address: str) -> None:
        self._addresses = [address]
        self._since = now()
        self._reaped = _reaped()

    def meet(self, address: str) -> None:
        """Add an address of the machine, for programs that start from now on."""
        self._addresses.append(address)

    def may_attach(self, is_blocked: Callable[[int], bool]) -> bool:
        """Return whether a child, or a process that an ended child has left, may attach.

        Args:
            is_blocked: Returns whether all threads of a process are blocked.
        """
        blocked: set[int] = set()
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if any(_may(child, is_blocked, blocked) for child in _children(os.getpid()) if self._counts(child)):
                return True
        unnoticed = signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN
        return (unnoticed or self.has_ended_any()) and self._has_left_any(blocked)

    def may_attach_below(self, process: int, is_blocked: Callable[[int], bool]) -> bool:
        """Return whether a descendant of an OS process may attach.

        One that has lost its parent is not found.

        Args:
            process: The OS process.
            is_blocked: As for :meth:`may_attach`.
        """
        return any(_may(child, is_blocked, set()) for child in _children(process))

    def has_ended_any(self) -> bool:
        """Return whether a child has ended."""
        return self._reaped != _reaped() or any(_has_ended(child) for child in _children(os.getpid()))

    def has_any(self) -> bool:
        """Return whether any child may have attached and ended."""
        return self._reaped != _reaped() or any(self._counts(child) for child in _children(os.getpid()))

    def _counts(self, child: int) -> bool:
        if child == fork_server():
            return any(self._counts(one) for one in _children(child))
        return _told(child, START) >= self._since

    def has_of_fork_server(self, process: int) -> bool:
        """Return whether multiprocessing's fork server has forked a process.

        Only forks since the offer count.
        The server lives on from test to test, with the environment of the first test. Its children belong to the
        machine that exists when they are forked.
        """
        return _told(process, PARENT) == fork_server() and _told(process, START) >= self._since

    def _has_left_any(self, blocked: set[int]) -> bool:
        variables = {os.fsencode(f"{VARIABLE}={address}") for address in self._addresses}
        try:
            found = list(Path("/proc").glob("[0-9]*"))
        except OSError:  # this process has no free descriptor to look
            return True
        for process in found:
            if int(process.name) in blocked:
                continue
            try:
                if not variables.isdisjoint(_environment(process).split(b"\0")):
                    return True
            except OSError as error:
                if is_scarce(error):
                    return True  # otherwise the process is another user's, or has ended
        return False


def _may(child: int, is_blocked: Callable[[int], bool], blocked: set[int]) -> bool:
    """Return whether a process, or one below it, may attach; note those that are blocked."""
    if not (is_blocked(child) or _serves(child) or _has_ended(child)):
        return True
    blocked.add(child)
    return any(_may(one, is_blocked, blocked) for one in _children(child))


def now() -> int:
    """Return the time in the unit of process start times: clock ticks since boot."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))


def _told(process: int, place: int) -> float:
    """Return a field of /proc/PID/stat; infinity if it cannot be read."""
    try:
        return int(Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[place])
    except (OSError, ValueError, IndexError):
        return float("inf")


def _environment(process: Path) -> bytes:
    """Return a process's environment.

    During an exec it is empty for a moment, and is read again.
    """
    for _ in range(ASKED):
        told = (process / "environ").read_bytes()
        if told:
            return told
        (process / "exe").readlink()  # fails for kernel threads and ended processes
        time.sleep(MOMENT)
    return b""


def _has_ended(process: int) -> bool:
    """Return whether a process is a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0] in {b"Z", b"X"}
    except (OSError, IndexError):
        return False


def _serves(process: int) -> bool:
    """Return whether a process is a helper of multiprocessing."""
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False
    return any(one in words for one in SERVERS)


def fork_server() -> int | None:
    """Return the process id of multiprocessing's fork server; None without a server."""
    module: Any = sys.modules.get("multiprocessing.forkserver")
    server = getattr(module, "_forkserver", None)
    return getattr(server, "_forkserver_pid", None)


def _reaped() -> int:
    """Return a number that grows with each reaped child: the page faults of children."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt


def _children(process: int) -> list[int]:
    """Return a process's children, including ended ones.

    0 stands for children that cannot be listed.
    """
    try:
        files = list(Path(f"/proc/{process}/task").glob("*/children"))
    except OSError:
        files = []
    if not files:
        return [0]
    found: list[int] = []
    for file in files:
        try:
            found += map(int, file.read_text(encoding="utf-8").split())
        except OSError as error:
            if is_scarce(error):
                found.append(0)  # otherwise the thread has ended
    return found
