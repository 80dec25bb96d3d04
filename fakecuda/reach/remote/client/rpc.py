"""Remote calls.

One thread of an attached process sends its calls to the owner of the machine.
"""

from __future__ import annotations

import contextlib
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
from fakecuda.model.os.system import OWN
from fakecuda.model.work.stream import PER_THREAD
from fakecuda.reach.remote.client.local import (
    ENTRY_POINTS,
    HIP_ENTRY_POINTS,
    entry_point,
    environment,
    hip_entry_point,
    leaving,
)
from fakecuda.reach.remote.owner.handle_call import NATIVE, PER_THREAD_STREAM, STARTED, WHY
from fakecuda.reach.remote.protocol import call_sites, findings, registered, schema
from fakecuda.reach.remote.protocol.exceptions import can_be_raised, can_be_why, raised, why
from fakecuda.reach.remote.protocol.frames import MISSING, THREAD, Kind, LineClosed, Malformed, close_all
from fakecuda.reach.remote.protocol.questions import Note
from fakecuda.rules.registry import EVERY_OP, api_of
from fakecuda.spec.descriptors import EXPORTS, IMPORTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.machine.story import Story
    from fakecuda.model.call import Call
    from fakecuda.model.finding import Finding
    from fakecuda.reach.remote.client.client import RemoteMachine
    from fakecuda.reach.remote.protocol.frames import Line
    from fakecuda.rules.dispatch import Op

PROGRAM = OWN.program
"""The registrations of this process's files with the runtime library."""
ASIDE = frozenset(
    name
    for name in EVERY_OP
    if re.search(
        r"LaunchHostFunc|GraphLaunch|StreamAddCallback|HostRegister|StreamAttachMem|Memcpy.*(Async|WithStream)", name
    )
)
"""Calls after which the owner may send requests outside of calls."""


class Caller:
    """Sends the calls of one thread to the owner.

    Args:
        machine: The machine.
        key: The thread's id or name.

    Attributes:
        line: The thread's connection.
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
        finalize(self, _end, self.line, os.getpid()).atexit = False
        assert machine.service is not None
        self._service = machine.service

    def invoke(self, call: Call, op: Op, args: tuple[Any, ...]) -> tuple[int, Any]:
        """Make a call on the machine of another OS process.

        Raises:
            UndefinedBehaviour: As the operation.
            FakeCudaError: As the operation, or the owner has ended.
        """
        this = get_ident()
        if this in exchanging:  # the call comes from a function that the owner asked this thread to run
            return self._made(call, op, args)
        try:
            exchanging.add(this)
            return self._made(call, op, args)
        finally:
            exchanging.discard(this)

    def _made(self, call: Call, op: Op, args: tuple[Any, ...]) -> tuple[int, Any]:
        """Send a call, and do its local part."""
        name, here = op.name, self._machine.here
        try:
            kind, value, arrived = self._answered(call, op, args)
        except LineClosed as error:
            if is_scarce(error.__cause__) and not self._refused:
                self._refused = f"this thread has lost its connection to the machine: {scarcity(error.__cause__)}"
            if self._refused:
                raise FakeCudaError(self._refused) from error
            raise self._machine.ended() from error
        except Malformed as error:
            self.line.close()
            garbled = self._machine.garbled(str(error))
            self._refused = str(garbled)
            raise garbled from error
        if kind == Kind.RAISED:
            raise raised(value, self._machine, op, args)
        _, code, outs, changes, known, because = value
        try:
            if changes:
                self._service.map(changes)
            if self._service.failed:
                failed, self._service.failed = self._service.failed, ""
                raise FakeCudaError(failed)
            if MISSING in arrived:
                msg = f"{name}: this process had no free file descriptor for the result: {ADVICE[EMFILE]}"
                raise FakeCudaError(msg)
            if arrived and name in EXPORTS and not code:
                outs = arrived.pop(0)
        finally:
            close_all(arrived)
        if known and here.state == NOT_INITIALIZED:
            here.state = READY
        here.runtimes.started = bool(known & STARTED)
        if name in ENTRY_POINTS and not code:
            outs = entry_point(call, name, args)
        if name in HIP_ENTRY_POINTS and not code:
            outs = hip_entry_point(name, *args), outs[1]
        if self._service.unknown:
            code = self._refuse(name)
        if code and self._machine.refused is not None:
            self._machine.refused(call.thread, name, args, code, *why(because))
        if self._machine.record is not None:
            self._machine.record((call.thread, op, args, code, outs, *(why(because) if code else (None, None))))
        return code, outs

    def _answered(self, call: Call, op: Op, args: tuple[Any, ...]) -> tuple[int, Any, list[int]]:
        """Send a call; return the kind of its answer, the answer, and its descriptors."""
        kind, value, arrived = self._travel(call, op, args)
        if kind != Kind.RAISED and not _fits(op.name, value[2]):
            close_all(arrived)
            msg = f"the answer to {op.name} has the wrong form: install the same release of fakecuda in both processes"
            raise Malformed(msg)
        return kind, value, arrived

    def _refuse(self, name: str) -> int:
        """Report that a call accesses memory that this process does not have.

        Return the call's code.
        """
        (address, size), *_ = unknown = self._service.unknown
        unknown.clear()
        self.tell(findings.unknown_address(name, address, size))
        return int(findings.address_is_known().code)

    def _travel(self, call: Call, op: Op, args: tuple[Any, ...]) -> tuple[int, Any, list[int]]:
        """Send a call and return its answer.

        Raises:
            LineClosed: The owner has ended.
            Malformed: The owner's frame is not an answer.
        """
        name, thread = op.name, call.thread
        self._number = number = self._number + 1
        flags = (NATIVE if call.native else 0) | (PER_THREAD_STREAM if call.default_stream == PER_THREAD else 0)
        if self._machine.refused is not None or self._machine.record is not None:
            flags |= WHY
        mask = _mask(name, call.nulls) if call.nulls is not NO_NULLS else 0
        descriptors: tuple[int, ...] = ()
        if name in IMPORTS:
            args, descriptors = leaving(name, args)
        elif name in ASIDE:
            self._service.start()
        if (
            self._machine.here.state != READY or name == "cuInit"
        ):  # the call may initialise the driver, which reads the environment
            self.line.send(Kind.NOTE, (Note.VISIBLE_DEVICES, environment("CUDA_VISIBLE_DEVICES")))
            self.line.send(Kind.NOTE, (Note.MODULE_LOADING, environment("CUDA_MODULE_LOADING")))
        if self._machine.registered != PROGRAM.changes:
            self._machine.registered = PROGRAM.changes
            for part in registered.parts(PROGRAM):
                self.line.send(Kind.NOTE, (Note.PROGRAM, part))
        if thread.last_error:  # from a call that is not modelled, which is not sent to the owner
            self.line.send(Kind.NOTE, (Note.LAST_ERROR, thread.last_error))
            thread.last_error = 0
        if thread.hip_error:  # from a call that is not modelled
            self.line.send(Kind.NOTE, (Note.HIP_ERROR, thread.hip_error))
            thread.hip_error = 0
        try:
            self.line.send(Kind.CALL, (number, schema.NUMBERS[name], flags, mask, args, call_sites.here()), descriptors)
        except Malformed as error:  # nothing was sent
            msg = f"{name}: {error}"
            raise FakeCudaError(msg) from error
        self._awaited.add(number)
        return self._answer(number)

    def tell(self, finding: Finding) -> None:
        """Send the owner a finding.

        Raises:
            LineClosed: The owner has ended.
        """
        self.line.send(Kind.NOTE, (Note.FOUND, findings.told(finding)))

    def report(self, limit: float, note: Note = Note.OUTCOME) -> tuple[Any, ...]:
        """Return the owner's report on this process's test.

        The owner then forgets it; see :mod:`.outcome`.

        Args:
            limit: The time limit, in seconds of the monotonic clock.
            note: ``OUTCOME``, or ``ORIGINS`` for leaks with the calls that made them.

        Raises:
            LineClosed: The owner has ended.
            Malformed: The owner's answer is malformed.
            TimeoutError: The owner has not answered by the limit.
        """
        from fakecuda.reach.remote.protocol import outcome  # noqa: PLC0415 - a test asks, and few children are tests

        return self._told(note, outcome.fits, limit)

    def story(self, limit: float) -> Story:
        """Return the calls of this process's test, and pictures of the machine.

        See :meth:`report`.
        """
        from fakecuda.reach.remote.protocol import outcome  # noqa: PLC0415 - as in report()

        calls, pictures = self._told(Note.STORY, outcome.is_story, limit)
        return list(calls), list(pictures)

    def _told(self, note: Note, fits: Callable[[Any], bool], limit: float) -> tuple[Any, ...]:
        """Return the owner's answer to a note."""
        self.line.send(Kind.NOTE, (note, None))
        kind, value, arrived = self.line.receive(limit)
        close_all(arrived)
        if kind != Kind.NOTED or not fits(value):
            msg = (
                "the report on a test from the process that made the machine has the wrong form: install the same "
                "release of fakecuda in both processes"
            )
            raise Malformed(msg)
        told: tuple[Any, ...] = value
        return told

    def tear_down(self, limit: float) -> None:
        """Notify the owner that exit handlers have run.

        Return when it has torn the driver down.

        Args:
            limit: The time limit, in seconds of the monotonic clock.

        Raises:
            LineClosed: The owner has ended.
            Malformed: The owner's answer is malformed.
            TimeoutError: The owner has not finished by the limit.
        """
        self.line.send(Kind.NOTE, (Note.TEAR_DOWN, None))
        while True:
            kind, _, arrived = self.line.receive(limit)
            close_all(arrived)
            if kind in {Kind.NOTED, Kind.REFUSED}:
                return

    def _answer(self, number: int) -> tuple[int, Any, list[int]]:
        """Return the answer to a call.

        Meanwhile do the owner's requests, and keep answers to other calls.
        A signal handler may interrupt a call, and may make calls inside it.
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
        """End a call that a signal handler has interrupted.

        It waits no longer, but its requests are still done.
        """
        with contextlib.suppress(LineClosed):
            self.line.send(Kind.NOTE, (Note.CANCEL, number))
            while number not in self._answers:
                self._receive()
            close_all(self._answers.pop(number)[2])

    def _receive(self) -> None:
        """Receive the next frame: store an answer, or serve a request."""
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
                msg = (
                    f"the process that made the machine sent a message of unknown kind {kind}: install the same "
                    "release of fakecuda in both processes"
                )
                raise Malformed(msg)
            self._refused = (
                f"the machine at socket {self._machine.path} has closed the connection of this thread: {value}"
            )
            raise FakeCudaError(self._refused)

    def _is_answer(self, kind: int, value: Any) -> bool:
        """Return whether a frame's content answers a call of this thread.

        Raises:
            Malformed: It wants something mapped that is not memory of the machine.
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
"""Milliseconds between two checks for deferred signal handlers during a wait."""


def _end(line: Line, maker: int) -> None:
    """End a connection, unless a forked parent still uses it."""
    if os.getpid() == maker:
        line.close()


def idle(line: Line) -> None:
    """Wait for the owner.

    Meanwhile, signal handlers and asynchronous exceptions may raise here.
    """
    this = get_ident()
    try:
        exchanging.discard(this)
        if deferred:
            run_deferred(sys._getframe())  # noqa: SLF001 - as call.under_way
        while not line.ready(LOOK):  # a signal just before the system call does not end it
            pass
    finally:
        exchanging.add(this)


WAITING.add(idle.__code__)
MOST_INSIDE = 16
"""Maximum number of nested calls in one thread."""


@cache
def _mask(name: str, nulls: frozenset[str]) -> int:
    return sum(1 << place for place, param in enumerate(schema.call_of(name).outputs) if param.name in nulls)


def _fits(name: str, outs: Any) -> bool:
    """Return whether an answer has the right number of results for a call."""
    number = _results(name)
    return number <= 1 or outs is None or (type(outs) is tuple and len(outs) == number)


@cache
def _results(name: str) -> int:
    """Return the number of a call's results."""
    return len(api_of(name).calls[name].outputs)
