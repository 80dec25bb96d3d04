"""Exceptions and signals during a call: an operation happens as a whole or not.

Signal handlers run in the main thread between any two instructions. They may raise, as Ctrl-C's does, or call the
driver. A handler that arrives during an operation runs after its end. While a call waits, handlers run at once, because
a wait changes nothing.

Exceptions of trace functions, such as a debugger's, are deferred, too (:mod:`fakecuda.model.os.tracing`). Other
exceptions end the operation: memory or the stack may run out, or another thread may raise one. Before the operation's
effect, nothing has changed; after it, everything has. An exception within an effect, or possibly between several
effects, breaks the machine. It then refuses all further calls, and says why (:class:`Torn`).
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
"""The pattern of a lock's count in its repr."""
ROOM = 50
"""The number of frames that :func:`let_go` needs after a stack overflow."""
CONTROLS: set[CodeType] = set()
"""Code objects of methods that change a machine without a call; see :func:`whole`."""
ATOMIC: set[CodeType] = set()
"""Hook: the code of what no handler of a signal comes within, though it makes no call. ``unbroken`` adds functions, and so does
what stands for CPython's function that raises in a thread.

Such a frame must run what was deferred at its end, and must not wait.
"""
deferred: list[tuple[int, Callable[[], object]]] = []
"""Deferred work: a thread, and a function to call after its operation."""


def defer(thread: int, function: Callable[[], object]) -> None:
    """Call a function at the end of a thread's current operation.

    Args:
        thread: The thread, by ``threading.get_ident``.
        function: The function.
    """
    deferred.append((thread, function))


def put_off() -> None:
    """Defer signal handlers, present and future, to the end of operations.

    Only the main thread may set handlers. Machines of other threads rely on the first machine of the main thread.
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
    """A replacement of ``signal.signal`` that makes Python handlers deferrable."""

    def __init__(self, real: Callable[..., Any]) -> None:
        functools.update_wrapper(self, real)
        self._real = real

    def __call__(self, signalnum: int, handler: Any) -> Any:
        return _bare(self._real(signalnum, _Handler(handler) if callable(handler) else handler))


class _Handler:
    """A signal handler that runs at once, or after the current operation."""

    def __init__(self, handler: Callable[..., Any]) -> None:
        self.handler = handler

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if is_operating(frame):
            defer(threading.get_ident(), functools.partial(self.handler, number, frame))
        else:
            self.handler(number, frame)


def _getter(real: Callable[[int], Any]) -> Callable[[int], Any]:
    """Return a replacement of ``signal.getsignal`` that returns the original handlers."""

    @functools.wraps(real)
    def getsignal(signalnum: int) -> Any:
        return _bare(real(signalnum))

    return getsignal


def _bare(handler: Any) -> Any:
    return handler.handler if isinstance(handler, _Handler) else handler


def is_operating(frame: FrameType | None) -> bool:
    """Return whether a frame is part of an operation that does not wait."""
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
    """Return whether a frame of :func:`whole` has begun to change its machine."""
    machine: Any = frame.f_locals.get("machine")
    return machine is not None and bool(machine.lock._is_owned())  # noqa: SLF001 - as conditions ask


def _holds(frame: FrameType, *, interrupted: bool) -> bool:
    """Return whether the call of a frame is in progress.

    It is if the call holds the lock, or has asked the owner of its machine.
    """
    lock = getattr(frame.f_locals["call"].machine, "lock", None)
    return not interrupted if lock is None else bool(lock._is_owned())  # noqa: SLF001 - as conditions ask


def whole(function: F) -> F:
    """Decorate a method that changes a machine without a call, as one operation.

    The method holds the machine's lock.
    """

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
    """Decorate a function as one operation of its thread.

    Signal handlers run after it, or where it waits.
    """

    def done(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        finally:
            if deferred:
                run_deferred(sys._getframe(1))  # noqa: SLF001 - as call.under_way

    ATOMIC.add(function.__code__)  # a handler that comes behind it, in the code above, runs at once
    return cast("F", functools.update_wrapper(done, function))


def run_deferred(frame: FrameType | None) -> None:
    """Run what was deferred during an operation of this thread, after the operation.

    Args:
        frame: The frame of the caller. If that is part of an operation, nothing runs yet.
    """
    this = threading.get_ident()
    if not is_operating(frame):
        while (mine := next((one for one in deferred if one[0] == this), None)) is not None:
            try:
                deferred.remove(mine)
            except ValueError:  # a handler that ran just now has made a call, which has run it at its end
                continue
            mine[1]()


def stop_early() -> None:
    """Have Ctrl-C end a call in the middle of long work, if it has come and the call has had no effect yet.

    Other handlers may make calls, which would change what the work uses. They run after the call.
    """
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - as call.under_way
    while frame is not None and frame.f_code not in MAKING:
        if frame.f_code in CODES:
            return
        frame = frame.f_back
    this = threading.get_ident()
    for one in deferred:
        if one[0] == this and getattr(one[1], "func", None) is signal.default_int_handler:
            deferred.remove(one)
            one[1]()


BEFORE.add(stop_early.__code__)


def let_go(call: Call, op: Op, error: BaseException, frame: FrameType | None) -> None:
    """Release a machine's lock after an operation that an exception ended.

    Only the references of that operation are released.

    If the exception has cut an effect, the machine becomes unusable. After a stack overflow the caller has raised the
    limit by ``ROOM``, which this lowers again.

    Args:
        call: The call.
        op: The operation.
        error: The exception.
        frame: The frame that called the operation. Outer operations hold the lock, too.
    """
    machine, process = call.machine, call.process
    lock: Any = machine.lock
    held = lock._is_owned()  # noqa: SLF001 - conditions ask it so
    if held and _cuts(op, error):
        LOCK.put(machine, TORN, functools.partial(Torn, call=op.name, error=error))
    outer = getattr(process, "holding", 0)
    while frame is not None and frame.f_code not in WAITING:  # a waiting call holds no lock
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
    """Set the stack limit, and return whether Python accepts it.

    Python refuses a limit below the present depth.
    """
    try:
        sys.setrecursionlimit(limit)
    except RecursionError:
        return False
    return True


def is_torn(machine: Machine) -> bool:
    """Return whether an exception interrupted an effect of a machine."""
    lock: object = machine.lock
    return isinstance(lock, Torn)


def _cuts(op: Op, error: BaseException) -> bool:
    """Return whether an exception arrived within effects or between effects."""
    if isinstance(error, FakeCudaError):  # effects raise it before they change anything
        return False
    trace = error.__traceback__
    if trace and not trace.tb_next:  # it arrived before the operation's function began, or after its end
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
    """The lock of a machine with an interrupted effect.

    No operation can take it, but closing the machine can.

    Args:
        lock: The machine's lock.
        call: The call whose effect it was.
        error: The exception that cut it.
    """

    def __init__(self, lock: RLock, call: str, error: BaseException) -> None:
        self._lock = lock
        self._text = (
            f"{type(error).__name__} interrupted {call} in the middle of its effect: the machine's state is inconsistent, and it "
            "refuses all further calls; make another machine, and keep such interruptions away from calls"
        )

    def acquire(self) -> bool:
        """Refuse the lock to an operation."""
        raise MachineCorrupted(self._text)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lock, name)
