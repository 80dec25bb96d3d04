"""What the functions behind the stubs have in common; those of modelled calls stand in ``generated/callbacks.py``.

Such a function gets plain numbers, pointers too, and answers a tagged code (:data:`fakecuda.native.stubs.TAG`). It answers
whatever happens: no exception can travel through C. One that a signal's handler raised is raised again in the main
thread, once that is back from the call; one of the simulator's own is kept as a finding.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import traceback
import warnings
from typing import TYPE_CHECKING, Any

from fakecuda.codes import Result
from fakecuda.errors import MachineClosed, NotModelledWarning, ProcessDied
from fakecuda.model.finding import Finding
from fakecuda.native import stubs
from fakecuda.rules.core import Rule, Source
from fakecuda.surfaces.standins import not_found

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from fakecuda.model.process import Thread
    from fakecuda.native.library import Library
    from fakecuda.native.threads import ThreadEnds
    from fakecuda.simulated.machine import Machine

SUCCESS = stubs.TAG << 32
"""The tagged answer of success; with a code in its lower bits, that of a failure."""
OWN = "fakecuda."

CALL_IS_ANSWERED = Rule(
    "the simulator answers without an exception",
    Result.UNKNOWN,
    Source("source", "fakecuda", "an operation checks every rule that it needs; what else it raises is its mistake"),
)


class Door:
    """Where the calls that arrive through C lead.

    Attributes:
        library: The library, once it is loaded.
        ends: Tells of the ends of threads.
        machine: The machine, or None between machines.
        nowhere: Returns the machine without devices, which answers where there is no other.
        warned: Calls that are not modelled, of which the machine's user was told.
    """

    library: Library
    ends: ThreadEnds
    nowhere: Callable[[], Machine]

    def __init__(self) -> None:
        self.machine: Machine | None = None
        self.warned: set[str] = set()


door = Door()


class Shut(Exception):  # noqa: N818 - a state of the door
    """No machine is attached."""


def find() -> Thread:
    """Return the calling thread of the attached machine, on its first call.

    Raises:
        Shut: No machine is attached.
        ProcessDied: The process that stands for this one has ended.
        MachineClosed: The machine is closed.
    """
    machine = door.machine
    if machine is None:
        raise Shut
    thread = machine.here.current_thread()
    door.ends.watch()
    return thread


def anyone() -> Thread:
    """Return the calling thread for a call that needs no machine: that of a machine without devices if there is none."""
    try:
        return find()
    except (Shut, MachineClosed, ProcessDied):
        return nobody()


def nobody() -> Thread:
    """Return the calling thread on the machine without devices, whatever machine of this OS process is attached.

    Bindings look functions up once and keep the addresses over many machines, so that it is the library that answers:
    a driver of its newest symbol's release, with every update. A machine of another OS process is the only one there is.
    """
    machine = door.machine
    if machine is not None and machine.elsewhere:
        return machine.here.current_thread()
    return door.nowhere().here.current_thread()


def failed(name: str, error: BaseException) -> int:
    """Answer for a call in which an exception was raised.

    Args:
        name: The call.
        error: The exception.
    """
    if isinstance(error, Shut | MachineClosed):
        code = Result.NO_DEVICE if name == "cuInit" else Result.NOT_INITIALIZED
        return SUCCESS | code
    if isinstance(error, ProcessDied):
        return SUCCESS | Result.DEINITIALIZED
    return _raised(name, error, error.__traceback__)


def _raised(name: str, error: BaseException, trace: TracebackType | None) -> int:
    main = threading.get_ident() == threading.main_thread().ident
    if main and (isinstance(error, Warning) or not isinstance(error, Exception) or not _of_simulator(trace)):
        return door.library.raise_later(error)
    machine = door.machine  # another thread may detach it meanwhile
    if machine is None:
        # Nobody keeps findings: the interpreter reports it.
        raise error
    lines = traceback.format_exception(type(error), error, trace)
    finding = Finding(CALL_IS_ANSWERED, name, "here", {"raised": "".join(lines).rstrip()})
    machine.findings.append(finding)
    return SUCCESS | Result.UNKNOWN


def _of_simulator(trace: TracebackType | None) -> bool:
    """Return whether the simulator itself raised, rather than a signal's handler or a finaliser that ran inside it."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and str(trace.tb_frame.f_globals.get("__name__")).startswith(OWN)


def unraisable(previous: Callable[[Any], Any], what: Any) -> None:  # noqa: ANN401 - as sys.unraisablehook has it
    """Take what a callback raised before its first line, where it catches nothing; leave the rest to another hook.

    Args:
        previous: The other hook.
        what: The exception and where it was raised, as ``sys.unraisablehook`` gets it.
    """
    error, trace = what.exc_value, what.exc_traceback
    frame = trace.tb_frame if trace is not None else None
    place = frame.f_globals.get("__name__") if frame else getattr(what.object, "__module__", None)
    if error is not None and place in {f"{OWN}native.generated.callbacks", __name__} and not sys.is_finalizing():
        name = frame.f_code.co_name if frame else getattr(what.object, "__name__", "")
        # The stub answers for the callback in any case.
        with contextlib.suppress(type(error)):
            _raised(name, error, trace)
            return
    previous(what)


def not_modelled(name: str, fix: str) -> int:
    """Answer CUDA_ERROR_NOT_SUPPORTED for a function that is not modelled, and warn once.

    Args:
        name: The symbol.
        fix: What to do instead; may be empty.
    """
    try:
        find()
        if name not in door.warned:
            door.warned.add(name)
            msg = f"{name} is not modelled: it answers CUDA_ERROR_NOT_SUPPORTED{fix and f'; {fix}'}"
            warnings.warn(msg, NotModelledWarning, stacklevel=2)
        return SUCCESS | Result.NOT_SUPPORTED
    except BaseException as error:  # noqa: BLE001 - no exception can travel through C
        return failed(name, error)


def absent(name: str) -> int:
    """Answer for a function that came after the machine's driver: the binding's exception, in a thread CUDA_ERROR_NOT_FOUND.

    A program that looks a symbol up by itself finds it: the library is the same for every machine.

    Args:
        name: The symbol.
    """
    if threading.get_ident() == threading.main_thread().ident:
        return door.library.raise_later(not_found(name))
    return SUCCESS | Result.NOT_FOUND
