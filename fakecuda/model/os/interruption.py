"""Exceptions and signals that come while a call is made: an operation is done, or it is not.

Handlers of signals run in the main thread between any two instructions, and may raise, as that of Ctrl-C does, or call
the driver. One that comes while an operation is under way runs when that has ended. While a call waits, handlers run at
once: a wait changes nothing.

What a trace function raises, as that of a debugger does, waits likewise (:mod:`fakecuda.model.os.tracing`). What else raises
there, because memory or the stack runs out or another thread says so, ends the operation. If it comes before the
operation's effect, nothing has happened; if behind it, all has. Where it cuts an effect in two, or may have come between
several, the machine is none any more: it answers no further call, and says why (:class:`Torn`).
"""

from __future__ import annotations

import functools
import re
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, TypeVar, cast

from fakecuda.errors import FakeCudaError, MachineCorrupted
from fakecuda.model.call import MAKING, WAITING
from fakecuda.model.effect import BEFORE, CODES, FIRST
from fakecuda.model.hooks import LOCK, TORN

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import RLock
    from types import CodeType, FrameType

    from fakecuda.model.call import Call
    from fakecuda.model.machine import Machine
    from fakecuda.rules.dispatch import Op

F = TypeVar("F", bound="Callable[..., Any]")
COUNT = re.compile(r"count=(\d+)")
"""How often a lock is held, as its text has it."""
ROOM = 50
"""Frames that :func:`let_go` needs where the stack has run out."""
CONTROLS: set[CodeType] = set()
"""The code of what changes a machine without a call, as :func:`whole` has it."""
ATOMIC: set[CodeType] = set()
"""Hook: the code of what no handler of a signal comes within, though it makes no call. ``unbroken`` adds functions, and so does
what stands for CPython's function that raises in a thread.

Such a frame must run what was deferred at its end, and must not wait.
"""
deferred: list[tuple[int, Callable[[], object]]] = []
"""What came while an operation was under way: the threads that it is for, and what the end of their operations does."""


def defer(thread: int, function: Callable[[], object]) -> None:
    """Have something done when the operation has ended that a thread makes.

    Args:
        thread: As ``threading.get_ident`` told it.
        function: What is done.
    """
    deferred.append((thread, function))


def put_off() -> None:
    """Have handlers of signals wait for the end of operations: those there are, and those that are set later.

    Only the main thread may set handlers, so that machines of another one have this from the main thread's first one on.
    """
    if threading.current_thread() is not threading.main_thread() or isinstance(signal.signal, _Setter):
        return
    setter = _Setter(signal.signal)
    signal.signal = setter
    signal.getsignal = cast("Any", _getter(signal.getsignal))
    for number in signal.valid_signals():
        handler = signal.getsignal(number)
        if callable(handler):
            setter(number, handler)


class _Setter:
    """What stands for ``signal.signal``: Python handlers are set so that operations can put them off."""

    def __init__(self, real: Callable[..., Any]) -> None:
        functools.update_wrapper(self, real)
        self._real = real

    def __call__(self, signalnum: int, handler: Any) -> Any:
        return _bare(self._real(signalnum, _Handler(handler) if callable(handler) else handler))


class _Handler:
    """A handler that runs now, or when the operation has ended that is under way."""

    def __init__(self, handler: Callable[..., Any]) -> None:
        self.handler = handler

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if is_operating(frame):
            defer(threading.get_ident(), functools.partial(self.handler, number, frame))
        else:
            self.handler(number, frame)


def _getter(real: Callable[[int], Any]) -> Callable[[int], Any]:
    """Return what stands for ``signal.getsignal``: it gives handlers as they were set."""

    @functools.wraps(real)
    def getsignal(signalnum: int) -> Any:
        return _bare(real(signalnum))

    return getsignal


def _bare(handler: Any) -> Any:
    return handler.handler if isinstance(handler, _Handler) else handler


def is_operating(frame: FrameType | None) -> bool:
    """Return whether a frame is part of an operation that is under way, and not of one that waits."""
    first = frame
    while frame is not None:
        if frame.f_code in WAITING:
            return False
        if frame.f_code in MAKING and _holds(frame, interrupted=frame is first):
            return True
        if frame.f_code in ATOMIC or (frame.f_code in CONTROLS and _controls(frame)):
            return True
        frame = frame.f_back
    return False


def _controls(frame: FrameType) -> bool:
    """Return whether the control of a machine that a frame is has begun, and not ended."""
    machine: Any = frame.f_locals.get("machine")
    return machine is not None and bool(machine.lock._is_owned())  # noqa: SLF001 - as conditions ask


def _holds(frame: FrameType, *, interrupted: bool) -> bool:
    """Return whether the call that a frame makes is under way: it holds the lock, or has asked the owner of its machine."""
    lock = getattr(frame.f_locals["call"].machine, "lock", None)
    return not interrupted if lock is None else bool(lock._is_owned())  # noqa: SLF001 - as conditions ask


def whole(function: F) -> F:
    """Have a method of a machine that changes it without a call be one operation, too: it holds the machine's lock meanwhile."""

    def control(*args: Any, **kwargs: Any) -> Any:
        machine: Any = args[0]
        try:
            with machine.lock:
                return function(*args, **kwargs)
        finally:
            if deferred:
                run_deferred(sys._getframe(1))  # noqa: SLF001 - as call.under_way

    CONTROLS.add(control.__code__)
    return cast("F", functools.update_wrapper(control, function))


def unbroken(function: F) -> F:
    """Have a function be one operation of its thread, though it is none of a machine: handlers come behind it, or where it waits."""

    def done(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        finally:
            if deferred:
                run_deferred(sys._getframe(1))  # noqa: SLF001 - as call.under_way

    ATOMIC.add(done.__code__)
    return cast("F", functools.update_wrapper(done, function))


def run_deferred(frame: FrameType | None) -> None:
    """Do what an operation of this thread has put off, when it has ended.

    Args:
        frame: The frame that called it: where that is an operation, too, its end is waited for.
    """
    this = threading.get_ident()
    if not is_operating(frame):
        while (mine := next((one for one in deferred if one[0] == this), None)) is not None:
            try:
                deferred.remove(mine)
            except ValueError:  # a handler that came just now has made a call, whose end has done it
                continue
            mine[1]()


def let_go(call: Call, op: Op, error: BaseException, frame: FrameType | None) -> None:
    """Leave a machine's lock as it was before an operation that ends by an exception; where that cuts an effect, say so.

    Where the stack has run out, the caller has raised its limit by ``ROOM``, which is taken back.

    Args:
        call: How it was called.
        op: The operation.
        error: The exception.
        frame: The frame that called the operation; operations that it is part of hold the lock, too.
    """
    machine, process = call.machine, call.process
    lock: Any = machine.lock
    held = lock._is_owned()  # noqa: SLF001 - conditions ask it so
    if held and _cuts(op, error):
        LOCK.put(machine, TORN, functools.partial(Torn, call=op.name, error=error))
    outer = getattr(process, "holding", 0)
    while frame is not None and frame.f_code not in WAITING:  # who waits holds no lock
        outer += frame.f_code in MAKING and frame.f_locals["call"].machine is machine
        frame = frame.f_back
    if held:
        count = COUNT.search(repr(lock))
        for _ in range(outer, int(count[1]) if count else outer):
            lock.release()
    if isinstance(error, RecursionError):
        limit = sys.getrecursionlimit() - ROOM
        any(map(_lower, range(limit, limit + ROOM)))


def _lower(limit: int) -> bool:
    """Set the limit of the stack; return whether that can be: one below this frame is refused."""
    try:
        sys.setrecursionlimit(limit)
    except RecursionError:
        return False
    return True


def is_torn(machine: Machine) -> bool:
    """Return whether an effect was cut in two in a machine."""
    lock: object = machine.lock
    return isinstance(lock, Torn)


def _cuts(op: Op, error: BaseException) -> bool:
    """Return whether an exception comes within an effect, or may come between several; what has waited has changed nothing."""
    if isinstance(error, FakeCudaError):  # which effects raise before they act
        return False
    trace = error.__traceback__
    if trace and not trace.tb_next:  # it came before the operation's function began, or when that had ended
        return False
    found = several = bool(op.several or any(getattr(part, "several", "") for part in op.parts))
    while trace is not None:
        code = trace.tb_frame.f_code
        if code in WAITING or code in BEFORE:
            return False
        if code in FIRST:
            return several
        found = found or code in CODES
        trace = trace.tb_next
    return found


class Torn:
    """The lock of a machine in which an effect was cut in two: no operation gets it; what closes the machine does.

    Args:
        lock: The machine's lock.
        call: The call whose effect it was.
        error: What cut it.
    """

    def __init__(self, lock: RLock, call: str, error: BaseException) -> None:
        self._lock = lock
        self._text = (
            f"{call} was interrupted half-way by {type(error).__name__}: the machine's state is no driver's any more, so "
            "that it answers no further call; make another machine, and keep the interruption away from calls"
        )

    def acquire(self) -> bool:
        """Refuse an operation."""
        raise MachineCorrupted(self._text)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lock, name)
