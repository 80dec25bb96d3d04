"""An attached process: it is found by the doors as a machine is, and its calls are made by the owner of the machine.

Each thread has a connection of its own. The first call of a process opens one more, which lives as long as the process:
the owner sees its end by it, and asks over it for what no calling thread is at hand for.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import threading
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from fakecuda.api import CALLS
from fakecuda.api.descriptors import EXPORTS, IMPORTS
from fakecuda.errors import FakeCudaError, MachineClosed
from fakecuda.model.process import DEINITIALIZED, NO_NULLS, NOT_INITIALIZED, READY, Thread
from fakecuda.model.stream import PER_THREAD
from fakecuda.model.threads import at_thread_end
from fakecuda.sharing import places, schema
from fakecuda.sharing.calls import NATIVE, PER_THREAD_STREAM
from fakecuda.sharing.frames import Kind, Line, LineClosed, Malformed, close_all
from fakecuda.sharing.owner import PROCESS, THREAD, reachable
from fakecuda.sharing.questions import Note
from fakecuda.sharing.raised import raised
from fakecuda.sharing.service import Service
from fakecuda.surfaces.c import CLevel
from fakecuda.surfaces.driver import Driver, driver

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.rule import Finding, Op

NEWEST = 1 << 30
"""A driver's version before the owner has told it: no function is missing."""
ASIDE = frozenset({"cuLaunchHostFunc", "cuStreamAddCallback", "cuMemHostRegister", "cuStreamAttachMemAsync"}) | {
    name for name in CALLS if name.startswith("cuMemcpy") and name.endswith("Async")
}
"""Calls after which the owner may ask for something while no call of the process is under way."""


class RemoteProcess:
    """This OS process as a process of the machine.

    Args:
        machine: The machine.

    Attributes:
        name: Its name there, once it is attached.
        state: What is known of its driver's state.
        threads: Its threads by the system's ids, or by names.
        driver: The look-alike of cuda.bindings.driver.
        c: The C level.
    """

    def __init__(self, machine: RemoteMachine) -> None:
        self.machine = machine
        self.name = "here"
        self.state = NOT_INITIALIZED
        self.threads: dict[int | str, Thread] = {}
        self.c = CLevel(self.current_thread)
        self._driver: Driver | None = None

    @property
    def driver(self) -> Driver:
        """The look-alike, of the release that the machine's driver has."""
        if self._driver is None:
            self.machine.attach()
            self._driver = driver(self.current_thread, self.machine.profile.driver_version)
        return self._driver

    @property
    def alive(self) -> bool:
        """Whether calls can be made."""
        return not self.machine.lost

    def current_thread(self) -> Thread:
        """Return the thread that stands for the calling one; its connection ends with it."""
        number = threading.get_native_id()
        thread = self.threads.get(number)
        if thread is None:
            thread = self.thread_of(number)
            at_thread_end(self.threads, number)
        return thread

    def thread_of(self, key: int | str) -> Thread:
        """Return the thread of that id or name, made on first use.

        Raises:
            MachineClosed: The owner is gone.
        """
        thread = self.threads.get(key)
        if thread is None:
            caller = Caller(self.machine, key)
            made: Any = Thread(self, self.machine, str(key), remote=caller.invoke)  # type: ignore[arg-type]
            thread = self.threads[key] = made
        return thread

    def thread(self, name: str) -> SimpleNamespace:
        """Return the surfaces of the thread of that name."""
        version = self.machine.profile.driver_version
        return SimpleNamespace(
            process=self,
            driver=driver(lambda: self.thread_of(name), version),
            c=CLevel(lambda: self.thread_of(name)),
        )


class RemoteMachine:
    """A machine that another OS process owns.

    Args:
        path: Its socket.
        parent: The token of the process that this one was forked from; none otherwise.
        ready: Whether the driver was initialised there.
        attached: Called with the driver's version, once that is known.

    Attributes:
        profile: The name and the driver version of its profile, as far as they are known.
        here: This process.
        strict: True: what is undefined is the owner's to tell.
        log: Empty: the owner keeps it.
        lost: Whether the owner is gone.
    """

    def __init__(
        self,
        path: str | Path,
        parent: bytes = b"",
        *,
        ready: bool = False,
        attached: Callable[[int], None] = lambda version: None,  # noqa: ARG005 - nothing to do by default
    ) -> None:
        self.path = Path(path)
        self.strict = True
        self.lost = False
        self.findings: list[Finding] = []
        self.log: list[Any] = []
        self.profile = SimpleNamespace(name="", driver_version=NEWEST)
        self.here = RemoteProcess(self)
        self.in_functions: set[int] = set()
        self.token = b""
        self.service: Service | None = None
        self._parent = parent
        self._ready = ready
        self._tell = attached
        self._lock = threading.RLock()
        _machines.add(self)

    def attach(self) -> None:
        """Take part in the machine, unless this process does already.

        Raises:
            MachineClosed: There is no such machine any more.
            FakeCudaError: The machine does not admit this process; the text says why.
        """
        if not self.token:
            with self._lock:  # two threads may call first at once
                self._join()

    def _join(self) -> None:
        if self.token:
            return
        line, facts, files = self.greet(PROCESS, self._parent, 0, self._ready)
        token, name, profile, version, start, end = facts
        self.service = Service(line, files, (start, end), self.in_functions)
        self.profile = SimpleNamespace(name=profile, driver_version=version)
        self.here.name = name
        self.token = token
        self._tell(version)

    def greet(self, role: str, token: bytes, key: int | str, flag: bool) -> tuple[Line, Any, list[int]]:  # noqa: FBT001
        """Open a connection.

        Args:
            role: ``PROCESS`` or ``THREAD``.
            token: Of a forked process its parent's, of a thread its process's.
            key: What a thread is known by.
            flag: Of a process whether its parent was ready, of a thread whether it runs functions.

        Raises:
            MachineClosed: Nobody answers.
            FakeCudaError: The owner refuses; the text says why.
        """
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line = Line(connection)
        try:
            with reachable(self.path) as name:
                connection.connect(name)
            line.send(Kind.HELLO, (schema.DIGEST, role, token, key, None, flag))
            kind, value, files = line.receive()
        except (OSError, Malformed) as error:
            line.close()
            if isinstance(error, Malformed):
                msg = f"the machine at {self.path} cannot be understood: {error}"
                raise FakeCudaError(msg) from error
            self.lost = True
            raise MachineClosed(self._gone()) from error
        if kind != Kind.WELCOME:
            line.close()
            close_all(files)
            msg = f"the machine at {self.path} does not admit this process: {value}"
            raise FakeCudaError(msg)
        return line, value, files

    def ended(self) -> MachineClosed:
        """Return what is raised now that the owner is gone."""
        self.lost = True
        return MachineClosed(self._gone())

    def _gone(self) -> str:
        return f"no machine answers at {self.path}: its test has ended, or the process that owned it"

    def leave(self) -> None:
        """Tell the owner that this process's exit handlers have run; calls answer CUDA_ERROR_DEINITIALIZED from now on."""
        self.here.state = DEINITIALIZED
        if self.token and not self.lost:
            with contextlib.suppress(FakeCudaError, LineClosed):
                caller: Any = getattr(self.here.current_thread().remote, "__self__", None)
                caller.tear_down()

    def close(self) -> None:
        """Take part no more: for the machine this process has ended, and calls say so."""
        self.path = Path(os.devnull)
        for thread in list(self.here.threads.values()):
            caller: Any = getattr(thread.remote, "__self__", None)
            caller.line.close()
        if self.service is not None:
            self.service.close()
        self.lost = True

    def forked(self) -> None:
        """Go on in a forked child: as a process of its own, which attaches when it makes a call."""
        for thread in self.here.threads.values():
            caller: Any = getattr(thread.remote, "__self__", None)
            caller.line.socket.close()
        self.here.threads.clear()
        if self.service is not None:
            self.service.abandon()
        self.in_functions.clear()
        self._parent, self._ready = self.token or self._parent, self.here.state == READY or self._ready
        self.token, self.service = b"", None
        self._lock = threading.RLock()


class Caller:
    """Has the owner make the calls of one thread.

    Args:
        machine: The machine.
        key: What the thread is known by.

    Attributes:
        line: Its connection.
    """

    def __init__(self, machine: RemoteMachine, key: int | str) -> None:
        machine.attach()
        self._machine = machine
        self._number = 0
        self._answers: dict[int, tuple[int, Any, list[int]]] = {}
        in_function = key in machine.in_functions
        self.line, _, files = machine.greet(THREAD, machine.token, key, in_function)
        close_all(files)
        assert machine.service is not None
        self._service = machine.service

    def invoke(self, thread: Thread, op: Op, args: tuple[Any, ...]) -> tuple[int, Any]:
        """Make a call; see :attr:`fakecuda.rule.Op.invoke`.

        Raises:
            UndefinedBehaviour: As the operation.
            FakeCudaError: As the operation, or the owner is gone.
        """
        name = op.name
        self._number = number = self._number + 1
        flags = (NATIVE if thread.native else 0) | (PER_THREAD_STREAM if thread.default_stream == PER_THREAD else 0)
        mask = _mask(name, thread.nulls) if thread.nulls is not NO_NULLS else 0
        descriptors: tuple[int, ...] = ()
        if name in IMPORTS:
            args, descriptors = _leaving(name, args)
        elif name == "cuInit":
            self.line.send(Kind.NOTE, (Note.VISIBLE_DEVICES, _environment("CUDA_VISIBLE_DEVICES")))
        elif name in ASIDE:
            self._service.start()
        try:
            self.line.send(Kind.CALL, (number, schema.NUMBERS[name], flags, mask, args, places.here()), descriptors)
            kind, value, arrived = self._answer(number)
        except LineClosed as error:
            raise self._machine.ended() from error
        if kind == Kind.RAISED:
            raise raised(value)
        _, code, outs, changes = value
        if changes:
            self._service.map(changes)
        if arrived:
            if name in EXPORTS and not code:
                outs = arrived.pop(0)
            close_all(arrived)
        if name == "cuInit" and not code:
            self._machine.here.state = READY
        elif name == "cuGetProcAddress" and not code and outs[0]:
            outs = op.function(thread, *args)  # the library of this process is not where the owner's is
        return code, outs

    def tear_down(self) -> None:
        """Tell the owner that the process's exit handlers have run; return when it has torn the driver down."""
        self.line.send(Kind.NOTE, (Note.TEAR_DOWN, None))
        while True:
            kind, _, arrived = self.line.receive()
            close_all(arrived)
            if kind in {Kind.NOTED, Kind.REFUSED}:
                return

    def _answer(self, number: int) -> tuple[int, Any, list[int]]:
        """Return the answer to a call; what the owner asks meanwhile is done, and answers to other calls are kept.

        A call may be interrupted, and a call can be made inside of another one by a signal's handler.
        """
        while number not in self._answers:
            kind, value, arrived = self.line.receive()
            if kind == Kind.QUESTION:
                close_all(arrived)
                self.line.send(Kind.ANSWER, (value[0], self._service.do(*value[1:])))
            elif kind in {Kind.RESULT, Kind.RAISED}:
                self._answers[value[0]] = kind, value, arrived
            else:
                close_all(arrived)
                msg = f"the machine ends the connection: {value}"
                raise FakeCudaError(msg)
        found = self._answers.pop(number)
        if self._answers and min(self._answers) < number:  # whoever made those calls was interrupted
            for old in [one for one in self._answers if one < number - MOST_INSIDE]:
                close_all(self._answers.pop(old)[2])
        return found


MOST_INSIDE = 16
"""Calls that may be under way in one thread, one inside the other."""


@cache
def _mask(name: str, nulls: frozenset[str]) -> int:
    return sum(1 << place for place, param in enumerate(CALLS[name].outputs) if param.name in nulls)


def _leaving(name: str, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """Take the descriptor out of arguments; a number that is none stays behind too."""
    place, kind, posix = IMPORTS[name]
    if args[kind] != posix or type(args[place]) is not int:
        return args, ()
    number = args[place]
    try:
        os.fstat(number)
    except (OSError, OverflowError):
        return (*args[:place], -1, *args[place + 1 :]), ()
    return (*args[:place], -1, *args[place + 1 :]), (number,)


def _environment(name: str) -> str | None:
    """Return a variable as the C library has it: a program may have set it without Python."""
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    content = getenv(name.encode())
    return None if content is None else os.fsdecode(content)


_machines: WeakSet[RemoteMachine] = WeakSet()


def _forked() -> None:
    for machine in list(_machines):
        machine.forked()


os.register_at_fork(after_in_child=_forked)
