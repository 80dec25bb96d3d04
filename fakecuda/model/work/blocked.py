"""OS threads that are blocked by a lock or by a child process.

Linux reports the system call of each thread, with its arguments. A private futex is a lock of one OS process: another
thread of the process wakes the waiter, or a time limit does. ``waitpid`` returns when the child ends. A thread that was
woken and has not run yet is in no system call. If the system does not report a thread's call, the thread counts as
running.

Python frames show the same for threads that poll. Examples are ``Popen.wait``, ``communicate``, ``Process.join`` with a
limit, and an idle event loop that only other threads can wake.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import define, evolve, field, frozen

from fakecuda.model import history

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from types import FrameType

    from fakecuda.model.os.process import Process

FOREVER = float("inf")
FUTEX, WAIT4, READ = {"x86_64": (202, 61, 0), "aarch64": (98, 260, 63)}.get(platform.machine(), (-1, -1, -1))
"""Numbers of system calls."""
COMMAND, PRIVATE, WALL = 0x7F, 0x80, 0x100
"""The command, the private flag and the wall-clock flag of a futex operation."""
FUTEX_WAIT, FUTEX_WAIT_BITSET = 0, 9
NO_HANG = 1
TIMESPEC = struct.Struct("qq")
NANO = 1e-9
FLAGS, EXITING = 6, 4
"""The index of a thread's flags after its name, and the flag of a dying thread."""
PENDING = ("SigPnd:", "ShdPnd:")
SERVICE = "fakecuda"
"""The name of threads that only serve a machine's owner."""


@frozen
class Blocked:
    """The reason why a thread is blocked.

    Attributes:
        what: What the thread waits for, in words.
        left: How many seconds it stays blocked at least. Infinite without a limit.
        child: The process id of the child whose end it waits for. 0 for none.
        mark: A value that changes once the thread has run.
    """

    what: str
    left: float
    child: int
    mark: object


class Held(NamedTuple):
    """A blocked thread or process, and why it is blocked.

    Attributes:
        who: Which it is.
        by: What it waits for.
        stack: The stack of a thread of this process's Python.
        process: The attached process that has the thread; None for another one.
    """

    who: str
    by: Blocked
    stack: history.Stack = history.NOWHERE
    process: Process | None = None


@define(eq=False)
class Look:
    """One check of all threads that might wake a call.

    Attributes:
        limit: How many seconds from now a thread must stay blocked to count as unable to wake a call.
        members: The threads of other OS processes whose calls wait in the machine, by process id.
        held: The blocked threads that cannot wake a call.
        timed: The threads that are blocked until a time limit of their own is over.
        seen: The ids of the OS processes whose threads are all blocked.
        alert: Whether a thread that is not blocked was seen.
    """

    limit: float
    members: dict[int, set[int]] = field(factory=dict)
    held: list[Held] = field(factory=list)
    timed: list[Held] = field(factory=list)
    seen: set[int] = field(factory=set)
    alert: bool = False

    def takes(
        self,
        who: str,
        blocked: Blocked | None,
        stack: history.Stack = history.NOWHERE,
        process: Process | None = None,
    ) -> bool:
        """Note whether a thread is blocked, and return whether it is, for long enough."""
        if blocked is None:
            return False
        held = blocked.left >= self.limit
        (self.held if held else self.timed).append(Held(who, blocked, stack, process))
        return held

    def takes_process(self, number: int, name: str, process: Process | None = None) -> bool:
        """Note whether an OS process is blocked; return whether it is for long enough.

        Args:
            number: Its number.
            name: What it is called.
            process: The process of the model that it is; None if it is not attached.
        """
        threads = threads_of(number)
        found = [
            (thread, blocked(thread, number) or idle_service(thread, number))
            for thread in sorted(threads - self.members.get(number, set()))
        ]
        if not threads or not all(by for _, by in found) or any(ends(thread, number) for thread in threads):
            self.alert = True
            return False
        self.seen.add(number)
        held = [
            self.takes(f"thread {thread} of {name}", by, process=process)
            for thread, by in found
            if by is not None and by.what
        ]
        return all(held)

    def free(self) -> list[str]:
        """Remove and describe the threads that wait for a child which may end."""
        ended = [one for one in (*self.held, *self.timed) if one.by.child and one.by.child not in self.seen]
        for listed in (self.held, self.timed):
            listed[:] = [one for one in listed if one not in ended]
        return [f"{one.who}, which waits for {one.by.what}" for one in ended]

    @property
    def marks(self) -> object:
        """A value that changes when a blocked thread has run."""
        return [(one.who, one.by.what, one.by.mark) for one in self.held]


def threads_of(process: int) -> set[int]:
    """Return the thread ids of an OS process.

    None if it has ended or the system does not list them.
    """
    try:
        found = set(map(int, os.listdir(f"/proc/{process}/task")))  # noqa: PTH208 - as threads.running
        return set() if _stat(process)[0] in {"Z", "X"} else found
    except (OSError, IndexError):
        return set()


def _stat(process: int) -> list[str]:
    """Return the fields of a process's ``stat`` file, from its state on."""
    return Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()


def ends(thread: int, process: int) -> bool:
    """Return whether a thread of an OS process is ending or has a pending signal."""
    base = Path(f"/proc/{process}/task/{thread}")
    try:
        lines = (base / "status").read_text(encoding="utf-8", errors="replace").splitlines()
        flags = int((base / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[FLAGS])
    except (OSError, ValueError, IndexError):
        return True
    return bool(flags & EXITING) or any(int(line.split()[1], 16) for line in lines if line.startswith(PENDING))


def blocked(thread: int, process: int | str = "self") -> Blocked | None:
    """Return why a thread of an OS process is blocked.

    None if it may run or the system does not say.
    """
    base = Path(f"/proc/{process}/task/{thread}")
    found = None
    try:
        (number, arguments), mark = _call(base), _switches(base)
        if number == WAIT4:
            child, _, options = (ctypes.c_int(one).value for one in arguments[:3])
            if child > 0 and not options & NO_HANG:
                found = Blocked(f"the end of OS process {child}", FOREVER, child, mark)
        elif number == FUTEX and (left := _left(arguments, process)) is not None:
            found = Blocked("a lock, which another thread of its process lets go", left, 0, mark)
        # If the thread has run in between, the memory of its limit may hold another value by now.
        return found if found and (_call(base), _switches(base)) == ((number, arguments), mark) else None
    except (OSError, ValueError, IndexError, struct.error):
        return None


def reads(thread: int) -> int | None:
    """Return the descriptor that a thread of this process waits to read, or None."""
    try:
        number, arguments = _call(Path(f"/proc/self/task/{thread}"))
    except (OSError, ValueError):
        return None
    return arguments[0] if number == READ else None


def idle_service(thread: int, process: int) -> Blocked | None:
    """Return an unnamed reason if a thread serves a machine's owner and is idle.

    None for other threads.
    """
    base = Path(f"/proc/{process}/task/{thread}")
    try:
        if (base / "comm").read_text(encoding="utf-8").strip() == SERVICE and _call(base)[0] != FUTEX:
            return Blocked("", FOREVER, 0, None)
    except (OSError, ValueError, IndexError):
        return None
    return None


def serve(thread: int = 0, name: str = SERVICE) -> str:
    """Name a thread of this process as a service thread; return its former name.

    Args:
        thread: Its native id; 0 for the calling thread.
        name: Its name.
    """
    place = Path(f"/proc/self/task/{thread}/comm" if thread else "/proc/thread-self/comm")
    try:
        before = place.read_text(encoding="utf-8").strip()
        place.write_text(name, encoding="utf-8")
    except OSError:
        return name
    return before


def _call(base: Path) -> tuple[int, list[int]]:
    """Return the number of the system call that a thread is in, with its arguments.

    Raises:
        ValueError: The thread is not in a system call.
    """
    number, *arguments = (base / "syscall").read_text(encoding="utf-8").split()
    return int(number), [int(one, 16) for one in arguments]


def _switches(base: Path) -> tuple[str, ...]:
    """Return how often a thread was scheduled, as text."""
    return tuple(
        line
        for line in (base / "status").read_text(encoding="utf-8", errors="replace").splitlines()
        if "ctxt_switches" in line
    )


def _left(arguments: list[int], process: int | str) -> float | None:
    """Return how many seconds a thread still waits for a futex.

    None if the thread does not wait, or if another OS process may wake it.
    """
    _, operation, value, limit, *_ = arguments
    command = operation & COMMAND
    if command not in {FUTEX_WAIT, FUTEX_WAIT_BITSET}:
        return None
    if (
        not operation & PRIVATE
    ):  # the kernel also wakes non-private futexes: that of pthread_join contains a thread's id
        return FOREVER if not limit and Path(f"/proc/{process}/task/{value}").exists() else None
    if not limit:
        return FOREVER
    if command == FUTEX_WAIT:
        return None
    with Path(f"/proc/{process}/mem").open("rb", buffering=0) as memory:
        memory.seek(limit)
        seconds, nanoseconds = TIMESPEC.unpack(memory.read(TIMESPEC.size))
    now = time.time() if operation & WALL else time.monotonic()
    return float(seconds + nanoseconds * NANO - now)


def frames() -> dict[int, FrameType]:
    """Return the innermost frames of this process's Python threads, by native id."""
    found = sys._current_frames()  # noqa: SLF001 - there is no public way
    return {
        thread.native_id: found[thread.ident]
        for thread in threading.enumerate()
        if thread.native_id and thread.ident in found
    }


def joined(frame: FrameType | None) -> Blocked | None:
    """Return why a Python thread is blocked, by the library function in its frames.

    None if it may run.
    """
    inner = frame
    while frame is not None and (name := frame.f_globals.get("__name__")) in LIBRARY:
        found = JOINS.get((name, frame.f_code.co_name))
        if found is not None and inner is not None:
            return found(frame, inner)
        frame = frame.f_back
    return None


def why(thread: int, frame: FrameType | None) -> Blocked | None:
    """Return why a thread of this process is blocked; None if it may run.

    Args:
        thread: Its native id.
        frame: Its innermost Python frame. None without one.
    """
    found = joined(frame) or blocked(thread)
    if found is not None and not found.child and (what := purpose(frame)):
        return evolve(found, what=what)
    return found


def purpose(frame: FrameType | None) -> str:
    """Return what a Python thread that is blocked by a lock waits for.

    Empty if unknown.
    """
    while frame is not None and frame.f_globals.get("__name__") in LOCKING:
        code, own = frame.f_code.co_name, frame.f_locals.get("self")
        if code == "join" and isinstance(own, threading.Thread):
            return f"the end of thread {own.name} ({own.native_id})"
        if (found := LOCKS.get((type(own).__name__, code))) is not None:
            return found
        frame = frame.f_back
    return ""


def _child(frame: FrameType, limit: float | None) -> Blocked:
    """Return the reason of a thread that waits for a child process with a timeout."""
    number = frame.f_locals["self"].pid
    left = FOREVER if limit is None else limit - time.monotonic()
    return Blocked(f"the end of OS process {number}", left, number, limit)


def _by_end_time(frame: FrameType, _: FrameType) -> Blocked | None:
    known = frame.f_locals
    return _child(frame, known["endtime"]) if "endtime" in known else None


def _communicates(frame: FrameType, _: FrameType) -> Blocked | None:
    return _child(frame, None) if frame.f_locals.get("timeout") is None else None


def _joins(frame: FrameType, inner: FrameType) -> Blocked | None:
    if frame.f_locals["timeout"] is None:
        return _child(frame, None)
    outer: FrameType | None = inner
    while outer is not None and outer is not frame:
        if "deadline" in outer.f_locals:
            return _child(frame, outer.f_locals["deadline"])
        outer = outer.f_back
    return None


def _loops(frame: FrameType, inner: FrameType) -> Blocked | None:
    """Return the reason of an idle event loop that only other threads can wake."""
    loop = frame.f_locals["self"]
    if inner.f_globals.get("__name__") != "selectors" or loop._ready or len(loop._selector.get_map()) != 1:  # noqa: SLF001
        return None
    first = loop._scheduled[0].when() if loop._scheduled else None  # noqa: SLF001 - as the loop does
    left = FOREVER if first is None else first - loop.time()
    return Blocked("another thread of its process, in an event loop", left, 0, first)


LIBRARY: Collection[Any] = {
    "subprocess",
    "selectors",
    "multiprocessing.connection",
    "multiprocessing.popen_fork",
    "multiprocessing.popen_forkserver",
    "asyncio.base_events",
}
JOINS: dict[tuple[Any, str], Callable[[FrameType, FrameType], Blocked | None]] = {
    ("subprocess", "_wait"): _by_end_time,
    ("subprocess", "_communicate"): _by_end_time,
    ("subprocess", "communicate"): _communicates,
    ("multiprocessing.popen_fork", "wait"): _joins,
    ("asyncio.base_events", "_run_once"): _loops,
}
"""Functions of Python's library that wait, each with a function for the reason."""
LOCKING: Collection[Any] = {"threading", "concurrent.futures._base", "concurrent.futures.thread", "queue"}
LOCKS = {
    ("Future", "result"): "the result of a future",
    ("Future", "exception"): "the result of a future",
    ("Event", "wait"): "a threading.Event",
    ("Barrier", "wait"): "a threading.Barrier",
    ("Queue", "get"): "an item of a queue",
    ("Queue", "put"): "room in a queue",
}
"""What a thread waits for in methods of Python's library, by class and method."""
