"""Having the owner of a machine make the calls of one thread of an attached process."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import sys
from errno import EMFILE
from functools import cache
from threading import get_ident
from typing import TYPE_CHECKING, Any
from weakref import finalize

from fakecuda.errors import FakeCudaError
from fakecuda.model.call import NO_NULLS, WAITING
from fakecuda.model.os.async_exceptions import exchanging
from fakecuda.model.os.interruption import deferred, run_deferred
from fakecuda.model.os.process import NOT_INITIALIZED, READY
from fakecuda.model.os.scarcity import ADVICE, is_scarce, scarcity
from fakecuda.model.work.stream import PER_THREAD
from fakecuda.reach.remote.owner.handle_call import NATIVE, PER_THREAD_STREAM, STARTED, WHY
from fakecuda.reach.remote.protocol import call_sites, findings, outcome, schema
from fakecuda.reach.remote.protocol.exceptions import can_be_raised, can_be_why, raised, why
from fakecuda.reach.remote.protocol.frames import MISSING, THREAD, Kind, LineClosed, Malformed, close_all
from fakecuda.reach.remote.protocol.questions import Note
from fakecuda.rules.core import Broken
from fakecuda.rules.driver.copy.range import ADDRESS_IS_KNOWN
from fakecuda.rules.registry import DRIVER, OPS, api_of
from fakecuda.spec.descriptors import EXPORTS, IMPORTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.finding import Finding
    from fakecuda.reach.remote.client.client import RemoteMachine
    from fakecuda.reach.remote.protocol.frames import Line
    from fakecuda.rules.dispatch import Op
    from fakecuda.simulated.story import Story

ASIDE = frozenset(
    name
    for name in OPS
    if re.search(r"LaunchHostFunc|StreamAddCallback|HostRegister|StreamAttachMem|Memcpy.*(Async|WithStream)", name)
)
"""Calls after which the owner may ask for something while no call of the process is under way."""
ENTRY_POINTS = frozenset({"cudaGetDriverEntryPoint", "cudaGetDriverEntryPointByVersion"})
"""Calls that answer where a function of the driver lies: the library of this process is not where the owner's is."""
HIP_ENTRY_POINTS = frozenset(
    {"hipGetDriverEntryPoint", "hipGetDriverEntryPoint_spt", "hipGetProcAddress", "hipGetProcAddress_spt"}
)
"""Those that answer where one of HIP lies."""
SEARCH = "cuGetProcAddress"
"""The one of them that bindings make for each function of theirs; what it finds is this process's affair alone."""


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
        self._awaited: set[int] = set()
        self._answers: dict[int, tuple[int, Any, list[int]]] = {}
        self._refused = ""
        in_function = key in machine.in_functions
        self.line, _, files = machine.greet(THREAD, machine.token, key, in_function)
        close_all(files)
        finalize(self, self.line.close).atexit = False
        assert machine.service is not None
        self._service = machine.service

    def invoke(self, call: Call, op: Op, args: tuple[Any, ...]) -> tuple[int, Any]:
        """Make a call; see :attr:`fakecuda.rules.dispatch.Op.invoke`.

        Raises:
            UndefinedBehaviour: As the operation.
            FakeCudaError: As the operation, or the owner is gone.
        """
        if op.name == SEARCH and args[0] is not None and "pfn" not in call.nulls:
            try:
                return 0, op.function(call, *args)
            except Broken as broken:
                return int(broken.rule.code), None
        this = get_ident()
        if this in exchanging:  # the owner has this thread call a function, which makes the call
            return self._made(call, op, args)
        try:
            exchanging.add(this)
            return self._made(call, op, args)
        finally:
            exchanging.discard(this)

    def _made(self, call: Call, op: Op, args: tuple[Any, ...]) -> tuple[int, Any]:
        """Have the owner make a call, and do here what has come of it."""
        name, here = op.name, self._machine.here
        try:
            kind, value, arrived = self._answered(call, op, args)
        except LineClosed as error:
            if is_scarce(error.__cause__) and not self._refused:
                self._refused = f"this thread has lost its machine: {scarcity(error.__cause__)}"
            if self._refused:
                raise FakeCudaError(self._refused) from error
            raise self._machine.ended() from error
        except Malformed as error:
            self.line.close()
            garbled = self._machine.garbled(str(error))
            self._refused = str(garbled)
            raise garbled from error
        if kind == Kind.RAISED:
            raise raised(value, self._machine)
        _, code, outs, changes, known, because = value
        try:
            if changes:
                self._service.map(changes)
            if self._service.failed:
                failed, self._service.failed = self._service.failed, ""
                raise FakeCudaError(failed)
            if MISSING in arrived:
                msg = f"{name}: this process had no descriptor free for the one that it returns: {ADVICE[EMFILE]}"
                raise FakeCudaError(msg)
            if arrived and name in EXPORTS and not code:
                outs = arrived.pop(0)
        finally:
            close_all(arrived)
        if known and here.state == NOT_INITIALIZED:
            here.state = READY
        here.runtimes.started = bool(known & STARTED)
        if name in ENTRY_POINTS and not code and outs[0]:
            outs = _entry_point(call, args)
        if name in HIP_ENTRY_POINTS and not code:
            outs = _hip_entry_point(name, *args), outs[1]
        if self._service.unknown:
            code = self._refuse(name)
        if code and self._machine.refused is not None:
            self._machine.refused(call.thread, name, args, code, *why(because))
        if self._machine.record is not None:
            self._machine.record((call.thread, op, args, code, outs, *(why(because) if code else (None, None))))
        return code, outs

    def _answered(self, call: Call, op: Op, args: tuple[Any, ...]) -> tuple[int, Any, list[int]]:
        """Have the owner make a call; return the kind of its answer, the answer, and the descriptors that came with it."""
        kind, value, arrived = self._travel(call, op, args)
        if kind != Kind.RAISED and not _fits(op.name, value[2]):
            close_all(arrived)
            msg = f"the answer is none to {op.name}"
            raise Malformed(msg)
        return kind, value, arrived

    def _refuse(self, name: str) -> int:
        """Have the owner keep that memory was asked for which this process does not have, and return what the call answers."""
        (address, size), *_ = unknown = self._service.unknown
        unknown.clear()
        self.tell(findings.unknown_address(name, address, size))
        return int(ADDRESS_IS_KNOWN.code)

    def _travel(self, call: Call, op: Op, args: tuple[Any, ...]) -> tuple[int, Any, list[int]]:
        """Send a call, and return its answer.

        Raises:
            LineClosed: The owner is gone.
            Malformed: It sends what is no answer.
        """
        name, thread = op.name, call.thread
        self._number = number = self._number + 1
        flags = (NATIVE if call.native else 0) | (PER_THREAD_STREAM if call.default_stream == PER_THREAD else 0)
        if self._machine.refused is not None or self._machine.record is not None:
            flags |= WHY
        mask = _mask(name, call.nulls) if call.nulls is not NO_NULLS else 0
        descriptors: tuple[int, ...] = ()
        if name in IMPORTS:
            args, descriptors = _leaving(name, args)
        elif name in ASIDE:
            self._service.start()
        if (
            self._machine.here.state != READY or name == "cuInit"
        ):  # it may initialise the driver: that reads the environment
            self.line.send(Kind.NOTE, (Note.VISIBLE_DEVICES, _environment("CUDA_VISIBLE_DEVICES")))
        if thread.last_error:  # of a call that is not modelled, which the owner does not hear of
            self.line.send(Kind.NOTE, (Note.LAST_ERROR, thread.last_error))
            thread.last_error = 0
        if thread.hip_error:  # likewise
            self.line.send(Kind.NOTE, (Note.HIP_ERROR, thread.hip_error))
            thread.hip_error = 0
        try:
            self.line.send(Kind.CALL, (number, schema.NUMBERS[name], flags, mask, args, call_sites.here()), descriptors)
        except Malformed as error:  # nothing is sent
            msg = f"{name}: {error}"
            raise FakeCudaError(msg) from error
        self._awaited.add(number)
        return self._answer(number)

    def tell(self, finding: Finding) -> None:
        """Have the owner keep a finding.

        Raises:
            LineClosed: The owner is gone.
        """
        self.line.send(Kind.NOTE, (Note.FOUND, findings.told(finding)))

    def report(self, limit: float) -> tuple[Any, ...]:
        """Return what the owner tells of the test that this process is, which it then forgets; see :mod:`.outcome`.

        Args:
            limit: Until when it has to, in seconds of the monotonic clock.

        Raises:
            LineClosed: The owner is gone.
            Malformed: It sends what cannot be read.
            TimeoutError: It has not answered by the limit.
        """
        return self._told(Note.REPORT, outcome.fits, limit)

    def story(self, limit: float) -> Story:
        """Return the calls of the test that this process is, and pictures of the machine; arguments and errors as of :meth:`report`."""
        calls, pictures = self._told(Note.STORY, outcome.is_story, limit)
        return list(calls), list(pictures)

    def _told(self, note: Note, fits: Callable[[Any], bool], limit: float) -> tuple[Any, ...]:
        """Return what the owner answers to a note."""
        self.line.send(Kind.NOTE, (note, None))
        kind, value, arrived = self.line.receive(limit)
        close_all(arrived)
        if kind != Kind.NOTED or not fits(value):
            msg = "what it tells of a test cannot be understood"
            raise Malformed(msg)
        told: tuple[Any, ...] = value
        return told

    def tear_down(self, limit: float) -> None:
        """Tell the owner that the process's exit handlers have run; return when it has torn the driver down.

        Args:
            limit: Until when it has to, in seconds of the monotonic clock.

        Raises:
            LineClosed: The owner is gone.
            Malformed: It sends what cannot be read.
            TimeoutError: It has not said so by the limit.
        """
        self.line.send(Kind.NOTE, (Note.TEAR_DOWN, None))
        while True:
            kind, _, arrived = self.line.receive(limit)
            close_all(arrived)
            if kind in {Kind.NOTED, Kind.REFUSED}:
                return

    def _answer(self, number: int) -> tuple[int, Any, list[int]]:
        """Return the answer to a call; what the owner asks meanwhile is done, and answers to other calls are kept.

        A call may be interrupted, and a call can be made inside of another one by a signal's handler.
        """
        while number not in self._answers:
            try:
                idle(self.line)
            except BaseException:
                self._cancel(number)
                raise
            self._receive()
        found = self._answers.pop(number)
        if self._answers and min(self._answers) < number:  # whoever made those calls was interrupted
            for old in [one for one in self._answers if one < number - MOST_INSIDE]:
                close_all(self._answers.pop(old)[2])
        return found

    def _cancel(self, number: int) -> None:
        """End a call that a signal's handler has interrupted: what it asks for still is done, and it waits no longer."""
        with contextlib.suppress(LineClosed):
            self.line.send(Kind.NOTE, (Note.CANCEL, number))
            while number not in self._answers:
                self._receive()
            close_all(self._answers.pop(number)[2])

    def _receive(self) -> None:
        """Take the next frame: an answer is kept, a question answered."""
        kind, value, arrived = self.line.receive()
        if kind in {Kind.RESULT, Kind.RAISED} and self._is_answer(kind, value):
            self._awaited.discard(value[0])
            self._answers[value[0]] = kind, value, arrived
        elif kind == Kind.QUESTION and type(value) is tuple and value and type(value[0]) is int:
            close_all(arrived)
            self.line.send(Kind.ANSWER, (value[0], self._service.take(value[1:])))
        else:
            close_all(arrived)
            if kind != Kind.REFUSED or type(value) is not str:
                msg = f"a frame of kind {kind} is none that an owner sends then"
                raise Malformed(msg)
            self._refused = f"the machine at {self._machine.path} has ended the connection of this thread: {value}"
            raise FakeCudaError(self._refused)

    def _is_answer(self, kind: int, value: Any) -> bool:
        """Return whether something is the answer to a call of this thread.

        Raises:
            Malformed: It has something mapped that is none of the machine's.
        """
        if type(value) is not tuple or not value or type(value[0]) is not int or value[0] not in self._awaited:
            return False
        if kind == Kind.RAISED:
            return can_be_raised(value)
        if len(value) != RESULT_PARTS or type(value[1]) is not int or type(value[4]) is not int:
            return False
        if not can_be_why(value[5]):
            return False
        if value[3]:
            self._service.check(value[3])
        return True


RESULT_PARTS = 6
LOOK = 50
"""Milliseconds after which one who waits for the owner looks for handlers that have not run yet."""


def idle(line: Line) -> None:
    """Wait for the owner; handlers of signals run meanwhile, and may raise, as other threads may have this one do."""
    this = get_ident()
    try:
        exchanging.discard(this)
        if deferred:
            run_deferred(sys._getframe())  # noqa: SLF001 - as call.under_way
        while not line.ready(LOOK):  # a signal that comes just before the system waits does not wake it
            pass
    finally:
        exchanging.add(this)


WAITING.add(idle.__code__)
MOST_INSIDE = 16
"""Calls that may be under way in one thread, one inside the other."""


@cache
def _mask(name: str, nulls: frozenset[str]) -> int:
    return sum(1 << place for place, param in enumerate(schema.call_of(name).outputs) if param.name in nulls)


def _entry_point(call: Call, args: tuple[Any, ...]) -> tuple[int, int]:
    """Return where a function of the driver lies in this process, and how the search ended."""
    symbol, *version, flags = args
    if not version:
        process: Any = call.process
        version = [min(process.runtime_version, call.machine.profile.driver_version)]
    found: tuple[int, int] = DRIVER.ops[SEARCH].function(call, symbol, *version, flags)
    return found


def _hip_entry_point(name: str, symbol: bytes, *rest: int) -> int:
    """Return where a function of HIP lies in this process."""
    from fakecuda.rules.hip.entry_point import located  # noqa: PLC0415 - few programs call HIP

    *version, flags = rest
    return located(name, symbol, *version, flags=flags)


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


def _fits(name: str, outs: Any) -> bool:
    """Return whether a call has so many results: of several, each."""
    number = _results(name)
    return number <= 1 or outs is None or (type(outs) is tuple and len(outs) == number)


@cache
def _results(name: str) -> int:
    """Return how many results a call has."""
    return len(api_of(name).calls[name].outputs)
