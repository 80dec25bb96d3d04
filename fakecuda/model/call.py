"""Calls: the calling thread, the way of calling, and the call in progress."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.errors import UndefinedBehaviour
from fakecuda.model import history
from fakecuda.model.finding import Finding
from fakecuda.model.work.stream import LEGACY

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from fakecuda.model.machine import Machine
    from fakecuda.model.os.process import Process
    from fakecuda.model.os.thread import Thread
    from fakecuda.rules.core import Rule
    from fakecuda.rules.dispatch import Op

NO_NULLS: frozenset[str] = frozenset()


class RetryCall(Exception):  # noqa: N818 - not an error
    """A call has waited while other calls were made, so it runs again.

    Args:
        what: What it has waited for, and does not wait for again.
    """

    def __init__(self, what: object) -> None:
        super().__init__(what)
        self.what = what


@frozen
class Unmodelled:
    """A stand-in for an operation, in the record of a call that is not modelled.

    Attributes:
        name: The call.
    """

    name: str


class Call:
    """The call that an operation gets: the calling thread, and how it calls.

    A thread reuses one object for all of its calls by each way in. A call with null result pointers, or after a wait,
    has its own.

    Args:
        thread: The calling thread.
        native: Whether it calls through C, which exceptions cannot cross.
        default_stream: The stream that 0 stands for: the legacy default stream, or the thread's own in per-thread
            variants.
        nulls: The names of result pointers that are null.
        awaited: What the call has waited for, if it runs again.

    Attributes:
        process: The thread's process.
        machine: Its machine.
    """

    __slots__ = ("awaited", "default_stream", "machine", "native", "nulls", "process", "thread")

    def __init__(
        self,
        thread: Thread,
        *,
        native: bool = False,
        default_stream: int = LEGACY,
        nulls: frozenset[str] = NO_NULLS,
        awaited: tuple[object, ...] = (),
    ) -> None:
        self.thread = thread
        self.process: Process = thread.process
        self.machine: Machine = thread.machine
        self.native = native
        self.default_stream = default_stream
        self.nulls = nulls
        self.awaited = awaited

    def without(self, nulls: frozenset[str]) -> Call:
        """Return a copy of the call without some of its null result pointers."""
        return self._but(nulls, self.awaited)

    def after(self, what: object) -> Call:
        """Return a copy of the call after a wait."""
        return self._but(self.nulls, (*self.awaited, what))

    def _but(self, nulls: frozenset[str], awaited: tuple[object, ...]) -> Call:
        return Call(self.thread, native=self.native, default_stream=self.default_stream, nulls=nulls, awaited=awaited)

    def finding(self, rule: Rule, **facts: Any) -> Finding:
        """Return the finding for an undefined rule that the call breaks."""
        made = _made()
        name, process = made[0].name if made else "", self.process
        libraries = Finding.callers() if self.native else ()
        machine, stack = self.machine, history.whole()
        before = machine.calls[-1] if machine.calls else None
        command = process.command
        return Finding(rule, name, process.name, facts, stack, made, command, libraries, machine=machine, before=before)

    def undefined(self, rule: Rule, **facts: Any) -> None:
        """Report a broken undefined rule: a strict machine records and raises it.

        A call through C only records it, and the operation continues as the driver would.

        Raises:
            UndefinedBehaviour: The machine is strict and the caller is Python.
        """
        if self.machine.strict:
            finding = self.finding(rule, **facts)
            # A call that runs again has recorded this finding before its wait.
            if (
                not (self.awaited and finding in self.machine.findings)
                and self.machine.keep(finding)
                and not self.native
            ):
                raise UndefinedBehaviour(finding)


WAITING: set[CodeType] = set()
"""Hook: the code of what waits without the lock. Each such module adds its function when it is imported.

Handlers of signals run at once in such a frame. It must not hold the lock, nor change the model.
"""
MAKING: set[CodeType] = set()
"""Hook: the code of what makes a call. Dispatch adds each function that it makes, when it makes the operation.

A frame has the call as ``call``, the operation as ``this``, and whether it has paused the collector as ``collecting``. The
function must not bind these names otherwise.
"""


def under_way() -> tuple[Call, Op] | None:
    """Return the call in progress in the current OS thread, and its operation.

    None outside of calls.

    It is found in the frames, so that calls need not record it.
    """
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - as stacks are taken
    while frame is not None:
        if frame.f_code in MAKING:
            return frame.f_locals["call"], frame.f_locals["this"]
        frame = frame.f_back
    return None


def _made() -> tuple[Op, tuple[Any, ...]] | None:
    """Return the operation and arguments of the call in progress. None without one."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - as stacks are taken
    while frame is not None:
        if frame.f_code in MAKING:
            return made_by(frame)[1:]
        frame = frame.f_back
    return None


def made_by(frame: FrameType) -> tuple[Call, Op, tuple[Any, ...]]:
    """Return the call, operation and arguments of a frame whose code is in ``MAKING``."""
    code, known = frame.f_code, frame.f_locals
    named = (known[name] for name in code.co_varnames[1 : code.co_argcount])
    return known["call"], known["this"], tuple(known.get("args", named))


def has_paused() -> bool:
    """Return whether this OS thread's call has paused the garbage collector."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - as stacks are taken
    while frame is not None:
        if frame.f_code in MAKING and frame.f_locals["collecting"]:
            return True
        frame = frame.f_back
    return False
