"""The owner of a shared machine: it knows and serves the attached processes."""

from __future__ import annotations

import contextlib
import os
import select
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from fakecuda.model.hooks import LOCK, WATCH
from fakecuda.model.memory import files
from fakecuda.model.memory.files import sparse_file
from fakecuda.model.memory.space import SPACE
from fakecuda.model.os.process import FORKED
from fakecuda.reach.remote.owner.handle_call import FOREIGN_PROC, READY_NOW, STARTED
from fakecuda.reach.remote.owner.serving import Serving, attend
from fakecuda.reach.remote.owner.session import Attached, Session, watch_events
from fakecuda.reach.remote.protocol import outcome, schema
from fakecuda.reach.remote.protocol.frames import PROCESS, THREAD, Kind, Line, LineClosed, close_all, refuse
from fakecuda.reach.remote.protocol.liveness import HASTE, WatchfulLock, peer, process_descriptor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.machine.machine import Machine
    from fakecuda.model.memory.backing import DeviceMemory
    from fakecuda.model.os.process import Process as AnyProcess
    from fakecuda.reach.process import Process
    from fakecuda.reach.remote.owner.endpoint import Offer

ENDED_KEPT = 1000
"""The number of ended sessions to keep in full; of older ones, only the token."""


class Fork(NamedTuple):
    """The origin of a forked process.

    Attributes:
        origin: The parent process; None if it ended too long ago.
        key: The id or name of the parent's thread that forked.
        known: The parent's flags at the fork.
    """

    origin: Process | None
    key: Any
    known: int

    def give(self, process: Attached) -> None:
        """Copy inherited state from the parent to a forked process."""
        origin = self.origin
        process.runtimes.started = bool(self.known & STARTED)
        if origin is None:
            process.state = FORKED if self.known & READY_NOW else process.state
            return
        process.visible_devices, process.module_loading = origin.visible_devices, origin.module_loading
        if self.known & READY_NOW:
            origin.give_to(process)
            process.state = FORKED
            process.forked_from = origin
            process.give_back()
        origin.nvml.fork(process.nvml)
        process.forked_thread = origin.threads.get(self.key) if type(self.key) in {int, str} else None


class Sharing:
    """The attached processes of a machine. The machine may already be in use before.

    Args:
        machine: The machine.
        offer: The machine's offer.

    Attributes:
        machine: The machine.
        offer: How they have found it.
        sessions: Who is attached, by tokens.
        files: What is mapped by both sides: (descriptor, where the owner has it, bytes); the first one is the host's.
    """

    report: ClassVar[staticmethod[[Session, bool], tuple[Any, ...]]] = staticmethod(lambda _, __: outcome.NOTHING)
    """Hook: returns the report on a test's process.

    Set when a pytest session offers one machine to all.

    Called with the session of a test that ends, and whether leaks need the calls that made them, without the lock.
    It must return plain values; see :mod:`.outcome`.
    """
    story: ClassVar[staticmethod[[Session], tuple[Any, ...]]] = staticmethod(lambda _: outcome.NOTHING)
    """Hook: returns the calls of a test's process, and a picture. Set with ``report``.

    Called with the session of a test that has failed, without the lock. It must return plain values.
    """

    def __init__(self, machine: Machine, offer: Offer) -> None:
        self.machine = machine
        self.offer = offer
        self.sessions: dict[bytes, Session] = {}
        self._ended: OrderedDict[bytes, Session] = OrderedDict()
        self._closed = False
        self._watched: dict[int, Session] = {}
        with machine.lock:
            self._open_files()
            self._guard = WatchfulLock(LOCK.own(machine), self._look)
            self._unwatch = LOCK.put(machine, WATCH, lambda _: self._guard)  # the innermost layer
            files.watchers.append(self._changed)
            machine.scheduler.census.attend = attend

    def close(self) -> None:
        """End the sharing: attached processes count as dead."""
        with self._guard:
            self._closed = True  # no process can attach from now on
        for session in list(self.sessions.values()):
            session.end()
        files.watchers.remove(self._changed)
        self.machine.scheduler.census.attend = None
        self._unwatch()
        self._guard.close()

    def abandon(self) -> None:
        """Forget the attached processes in a forked child of the owner.

        They stay with the owner.
        """
        self._closed = True
        for session in list(self.sessions.values()):
            for line in list(session.lines):
                line.socket.close()
            if session.watched >= 0:
                with contextlib.suppress(OSError):
                    os.close(session.watched)
        self.sessions = {}
        self._guard.close()
        with contextlib.suppress(ValueError):
            files.watchers.remove(self._changed)

    def attached(self, group: object = None) -> list[str]:
        """Return descriptions of attached processes that may call.

        Not all of their threads wait or are blocked.

        Args:
            group: Whose processes, as :meth:`group` returns it; None for all.
        """
        self._note_members()
        return [
            f"{session.process}, which is attached"
            for session in list(self.sessions.values())
            if (group is None or self.group(session.process) == group)
            and not (session.gone or self._is_blocked(session))
        ]

    def members(self, group: object) -> list[str]:
        """Return descriptions of a test's processes and programs that may call.

        Args:
            group: The test, as :meth:`group` returns it: the OS process below the owner that all of them come from.
        """
        if found := self.attached(group):
            return found
        if not isinstance(group, int):
            return [f"a program that {group} has started"]
        if not self.offer.is_blocked(group) or self.offer.children.may_attach_below(group, self.offer.is_blocked):
            return ["a program that finds the machine in its environment"]
        return []

    def _note_members(self) -> None:
        """Note the threads of attached processes that wait in calls."""
        census = self.machine.scheduler.census
        for wait in census.waiting.values():
            process = wait.thread and wait.thread.process
            if isinstance(process, Attached):
                numbers = {number for number, thread in process.threads.items() if thread is wait.thread}
                census.look.members.setdefault(process.pid, set()).update(n for n in numbers if type(n) is int)

    def _is_blocked(self, session: Session) -> bool:
        """Return whether no thread of a process can wake a call.

        The threads of this OS process are looked at in any case.
        """
        process, look = session.process, self.machine.scheduler.census.look
        if process.pid == os.getpid() and not session.owes():
            return True
        told = process.command and not process.foreign_proc
        if not told or session.owes():
            look.alert = True
            return False
        return look.takes_process(process.pid, str(process), process)

    def family(self, session: Session) -> set[str]:
        """Return the names of a process and its descendants, attached or not."""
        own = session.process
        found = {own.name}
        for process in self.machine.processes.values():  # each comes behind the one that has started it
            if not isinstance(process, Attached):
                continue
            if not process.starter and process is not own and own.pid in process.above:
                process.starter = own.name  # no later process of this number has started it
            if process.starter in found:
                found.add(process.name)
        return found

    def group(self, process: AnyProcess) -> object:
        """Return the group of a test's process and children: their common OS process.

        If a test runs in the owner, there are no others beside it.
        """
        own = os.getpid()
        if not isinstance(process, Attached) or any(one.process.pid == own for one in list(self.sessions.values())):
            return None
        line = (process.pid, *process.above)
        return line[line.index(own) - 1] if own in line else process.name

    def memory_of(self, file: int) -> DeviceMemory:
        """Return the memory in a file: a device's memory, or host memory for allocations."""
        return [*self.machine.devices, self.machine.host][file - 1].memory

    def place(self, address: int, size: int) -> tuple[int, int] | None:
        """Return the file and the offset of a range of this process's memory.

        The result is None if it is not in a file.
        Pinned and managed memory of an attached process is always in a file, because it was allocated after this
        object.
        """
        if SPACE.start <= address < SPACE.end:
            return 0, address - SPACE.start
        for number, (_, start, length) in enumerate(self.files):
            if number and start <= address and address + size <= start + length:
                return number, address - start
        return None

    def forget(self, session: Session) -> None:
        """Note that a session has ended; forks of its process may still attach."""
        if self.sessions.pop(session.token, None) is not None:
            self._ended[session.token] = session
            if len(self._ended) > ENDED_KEPT:
                self._ended.popitem(last=False)
        if self._watched.pop(session.line_number, None) is not None:
            HASTE.less()
        for descriptor in (session.line_number, session.watched):
            if descriptor >= 0:
                self._guard.forget(descriptor)
                self._watched.pop(descriptor, None)
        watched, session.watched = session.watched, -1  # a fork may happen between any two lines
        if watched >= 0:
            os.close(watched)

    def _starter(self, above: list[int]) -> str:
        """Return the name of the nearest attached ancestor of a process."""
        names = {one.process.pid: one.process.name for one in self.sessions.values() if not one.gone}
        return next((names[one] for one in above if one in names), "")

    def _open_files(self) -> None:
        SPACE.reserve()
        host = self.machine.pinned.shelf  # set by an earlier offer
        if host is None:
            host = sparse_file(SPACE.end - SPACE.start)
            self.machine.pinned.shelf = self.machine.managed.shelf = host
        self.files = [(host, 0, 0)]
        self.files += [device.memory.file() for device in (*self.machine.devices, self.machine.host)]
        self._numbers = {descriptor: number for number, (descriptor, _, _) in enumerate(self.files)}

    def _changed(self, address: int, size: int, descriptor: int, offset: int) -> None:
        """Notify the process of a device address to map or unmap a file there."""
        for session in list(self.sessions.values()):
            windows = session.process.addresses.windows
            if not session.gone and any(start <= address < end for start, end in windows):
                session.changed((address, size, self._numbers.get(descriptor, -1), offset))
                return

    def _look(self, descriptors: list[int]) -> None:
        """End processes that have died. The caller holds the machine's lock."""
        for descriptor in descriptors:
            session = self._watched.get(descriptor)
            if session is not None:
                session.end()

    def admit(self, line: Line, digest: object, role: object, token: object, key: object, flag: object) -> None:
        """Serve a connection according to its greeting."""
        if digest != schema.DIGEST:
            refuse(
                line,
                "this process uses another release of fakecuda than the process that made the machine: install the same "
                "release of fakecuda in both processes",
            )
            return
        line.rest_timeout = self.machine.scheduler.wait_timeout
        session = self.sessions.get(token) or self._ended.get(token) if type(token) is bytes else None
        if role == THREAD and session is not None and type(key) in {int, str} and not session.gone:
            if flag and type(key) is not int:
                refuse(
                    line,
                    f"a thread of this process that runs host functions sent the id {key!r}, not a number: install the "
                    "same release of fakecuda in both processes",
                )
                return
            session.lines.add(line)
            serving = Serving(session, line, key, in_function=bool(flag))  # type: ignore[arg-type]
            line.send(Kind.WELCOME, ())
            serving.serve()
        elif role == PROCESS and (token == b"" or session is not None or self.offer.has_given(token)):
            known = flag if type(flag) is int else 0
            own = self.machine.here if token == self.offer.own else None
            fork = Fork(session.process if session else own, key, known) if token else None
            self._attach(line, fork, known)
        else:
            refuse(
                line,
                "this process is not attached to the machine, or the machine counts it as ended: start the program again",
            )

    def _attach(self, line: Line, fork: Fork | None, known: int) -> None:
        """Attach a process until its connection ends."""
        watched = process_descriptor(line.socket)
        try:
            session = self._admitted(line, fork, known, watched)
        except BaseException:
            close_all([watched])  # no session owns it
            raise
        if session is None:
            close_all([watched])
            refuse(line, self.offer.ended(), ended=True)
            return
        profile = self.machine.profile
        facts = (
            *(self.offer.number, self.offer.maker, session.token, session.process.name),
            *(profile.name, profile.driver_version, SPACE.start, SPACE.end),
        )
        try:
            line.send(Kind.WELCOME, facts, tuple(descriptor for descriptor, _, _ in self.files))
        except LineClosed:
            session.end()
            return
        session.serve()

    def _admitted(self, line: Line, fork: Fork | None, known: int, watched: int) -> Session | None:
        """Return the session of a newly attached process; None if the sharing has ended.

        Raises:
            OSError: The system lacks a resource; the process is not attached.
        """
        machine = self.machine
        token = self.offer.new_token()
        pid = peer(line.socket)[0]
        command = _command_of(pid) if not known & FOREIGN_PROC else ""
        with machine.lock:
            if self._closed:
                return None
            process: Any = machine.adopt(Attached, None)
            session = Session(self, process, line, token, -1)
            process.pid = pid or process.pid
            process.command = f"pid {process.pid}{command and f': {command}'}"
            above = list(_above(process.pid))
            process.starter, process.above = self._starter(above), tuple(above)
            process.is_fork = fork is not None
            process.foreign_proc = bool(known & FOREIGN_PROC)
            if fork is not None:
                fork.give(process)
            self.sessions[token] = session
            self._watched[session.line_number] = session
            HASTE.more()
            try:
                self._guard.watch(session.line_number, watch_events())
                if watched >= 0:
                    self._guard.watch(watched, select.EPOLLIN)
            except OSError:
                self.drop(session)
                raise
            if watched >= 0:
                session.watched = watched
                self._watched[watched] = session
            return session

    def drop(self, session: Session) -> None:
        """End a process that could not be attached.

        Its connection lasts until it has the reason.
        """
        session.gone = True
        self.machine.end(session.process)
        self.forget(session)


def _above(pid: int) -> Iterator[int]:
    """Yield the known pids of an OS process's ancestors, nearest first."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        while pid:
            pid = int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
            yield pid


def _command_of(pid: int) -> str:
    """Return the command line of an OS process; empty if unknown."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return ""
    return " ".join(words.decode(errors="replace").split("\0")).strip()
