"""Which programs that this OS process has started could attach to a machine.

A call that waits asks it. To overlook one would end a wait that it may end; to suspect one for nothing takes a program the
machine's patience. So children count that are younger than the machine, and what children have left behind that ended since.
Those of which each thread is blocked do not, nor what multiprocessing starts to tidy up and to fork: only their own children may.
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
"""The places of a process's parent and start among what /proc tells behind its name."""
SERVERS = (b"from multiprocessing.resource_tracker import main", b"from multiprocessing.forkserver import main")
"""What the command lines have of processes that never call a machine: one tidies up, the other one forks."""
ASKED, MOMENT = 20, 0.001
"""How often a process without an environment is asked for it, and how many seconds lie between."""


class Children:
    """The children of this process since a machine was offered.

    Args:
        address: The machine's, which its programs have in their environment.
    """

    def __init__(self, address: str) -> None:
        self._addresses = [address]
        self._since = now()
        self._reaped = _reaped()

    def meet(self, address: str) -> None:
        """Know one more address of the machine: programs that are started from now on have that."""
        self._addresses.append(address)

    def may_attach(self, is_blocked: Callable[[int], bool]) -> bool:
        """Return whether a child may attach, or what an ended child has left behind.

        Args:
            is_blocked: Returns whether no thread of a process can go on.
        """
        blocked: set[int] = set()

        def may(child: int) -> bool:
            if not (is_blocked(child) or _serves(child) or _has_ended(child)):
                return True
            blocked.add(child)
            return any(may(one) for one in _children(child))

        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if any(may(child) for child in _children(os.getpid()) if self._counts(child)):
                return True
        unnoticed = signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN
        return (unnoticed or self.has_ended_any()) and self._has_left_any(blocked)

    def has_ended_any(self) -> bool:
        """Return whether a child has ended."""
        return self._reaped != _reaped() or any(_has_ended(child) for child in _children(os.getpid()))

    def has_any(self) -> bool:
        """Return whether a child has ended, or one has been started that may have attached."""
        return self._reaped != _reaped() or any(self._counts(child) for child in _children(os.getpid()))

    def _counts(self, child: int) -> bool:
        if child == fork_server():
            return any(self._counts(one) for one in _children(child))
        return _told(child, START) >= self._since

    def has_of_fork_server(self, process: int) -> bool:
        """Return whether multiprocessing's fork server has forked a process for this one since.

        The server lives on from test to test, with the environment of the first one: its children are of the machine that
        is there when they are forked.
        """
        return _told(process, PARENT) == fork_server() and _told(process, START) >= self._since

    def _has_left_any(self, blocked: set[int]) -> bool:
        variables = {os.fsencode(f"{VARIABLE}={address}") for address in self._addresses}
        try:
            found = list(Path("/proc").glob("[0-9]*"))
        except OSError:  # this process has no descriptor free to look
            return True
        for process in found:
            if int(process.name) in blocked:
                continue
            try:
                if not variables.isdisjoint(_environment(process).split(b"\0")):
                    return True
            except OSError as error:
                if is_scarce(error):
                    return True  # else it is another user's, or has ended
        return False


def now() -> int:
    """Return the time in which the system tells when processes started: ticks since it did itself."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))


def _told(process: int, place: int) -> float:
    """Return a number that the system tells of a process; infinity where it does not."""
    try:
        return int(Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[place])
    except (OSError, ValueError, IndexError):
        return float("inf")


def _environment(process: Path) -> bytes:
    """Return the environment of a process; one that is becoming another program has none for a moment, and is asked again."""
    for _ in range(ASKED):
        told = (process / "environ").read_bytes()
        if told:
            return told
        (process / "exe").readlink()  # which a thread of the kernel, and what has ended, do not have
        time.sleep(MOMENT)
    return b""


def _has_ended(process: int) -> bool:
    """Return whether a process has ended that its parent has not waited for."""
    try:
        return Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0] in {b"Z", b"X"}
    except (OSError, IndexError):
        return False


def _serves(process: int) -> bool:
    """Return whether a process is one of multiprocessing's own."""
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False
    return any(one in words for one in SERVERS)


def fork_server() -> int | None:
    """Return the process from which multiprocessing forks the children of this one, if it has one."""
    module: Any = sys.modules.get("multiprocessing.forkserver")
    server = getattr(module, "_forkserver", None)
    return getattr(server, "_forkserver_pid", None)


def _reaped() -> int:
    """Return a number that grows with each child that was waited for: the faults of its pages are added up."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt


def _children(process: int) -> list[int]:
    """Return a process's children, ended ones included; where the system does not list them, or not all, one of number 0."""
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
                found.append(0)  # else the thread has ended
    return found
