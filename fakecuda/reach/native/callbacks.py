"""What the functions behind the stubs have in common; those of modelled calls stand in ``generated``.

Such a function gets plain numbers, pointers too, and answers a tagged code (:data:`fakecuda.reach.native.stubs.TAG`). It answers
whatever happens: no exception can travel through C. One that a signal's handler raised is raised again in the main
thread, once that is back from the call; one of the simulator's own is kept as a finding.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import traceback
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from fakecuda.errors import (
    EndlessWait,
    FakeCudaError,
    KernelError,
    KernelNotDefined,
    MachineClosed,
    NotAdmitted,
    NotInLibrary,
    NotModelledWarning,
    ProcessDied,
)
from fakecuda.model import history
from fakecuda.model.finding import Finding
from fakecuda.model.memory.space import Unreadable
from fakecuda.model.os.async_exceptions import kinds
from fakecuda.reach.bindings.fallback_classes import not_found
from fakecuda.reach.native import callers, stubs
from fakecuda.reach.native.threads import ThreadEnds
from fakecuda.reach.native.values import text_at
from fakecuda.rules.core import Rule, Source, undefined
from fakecuda.rules.registry import DRIVER, HIP, NVML
from fakecuda.spec.codes import Nvml, Result

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType, TracebackType

    from fakecuda.model.os.thread import Thread
    from fakecuda.reach.native.library import Library
    from fakecuda.reach.native.nowhere import Nowhere
    from fakecuda.rules.registry import Api
    from fakecuda.simulated.machine import Machine
    from fakecuda.spec.codes import Code

SUCCESS = stubs.TAG << 32
"""The tagged answer of success; with a code in its lower bits, that of a failure."""
OWN = "fakecuda."
NVML_CALLS = f"{__package__}.nvml"
"""The module of the functions behind the stubs of NVML."""

CALL_IS_ANSWERED = Rule(
    "the simulator answers without an exception",
    Result.UNKNOWN,
    Source("source", "fakecuda", "an operation checks every rule that it needs; what else it raises is its mistake"),
    fix="report the traceback to the authors of fakecuda: the program is not at fault",
)

ARRAY_IS_THERE = Rule(
    "an array has as many members as the call says, and where an image is said to be, there is one",
    Result.INVALID_VALUE,
    undefined("cuMemSetAccess", "silent; a driver that reads behind what is mapped ends the process"),
    fix="pass an array of as many members as the call says, and an image where one is announced",
)
Finding.callers = callers.libraries


class Shut(Exception):  # noqa: N818 - a state of the door
    """No machine is attached."""


class Door:
    """Where the calls of an API that arrive through C lead.

    Args:
        api: The API.
        shut: Returns what a call answers, by its name, while there is no machine.
        died: What calls answer once the process has ended that stands for this one.

    Attributes:
        library: The library, once it is loaded.
        ends: Tells of the ends of threads.
        machine: The machine, or None between machines.
        nowhere: Returns the machine without devices, which answers where there is no other.
        warned: Calls that are not modelled, of which the machine's user was told.
    """

    library: Library
    ends: ThreadEnds
    nowhere: Callable[[], Nowhere]

    def __init__(self, api: Api, shut: Callable[[str], Code], died: Code = Result.DEINITIALIZED) -> None:
        self.api = api
        self.machine: Machine | None = None
        self.warned: set[str] = set()
        self._shut = shut
        self._died = died
        self._calls: Any = None

    def prepare(self, library: Library, nowhere: Callable[[], Nowhere], calls: ModuleType) -> None:
        """Take a library whose stubs are bound.

        Args:
            library: The library.
            nowhere: Returns the machine without devices; cached.
            calls: The module of the functions behind the stubs, which find a machine's threads there.
        """
        self.library, self.nowhere, self._calls = library, nowhere, calls
        self.ends = ThreadEnds(library, lambda number: calls.threads.pop(number, None))
        os.register_at_fork(after_in_child=self._forked)

    def enter(self, machine: Machine | None) -> None:
        """Lead calls to a machine from now on, or to none."""
        if machine is not None:
            self.warned = set()
        self.machine = machine
        self.renew()

    def renew(self) -> None:
        """Find the threads of the process that stands for this one now."""
        if self._calls is not None:
            self._calls.threads = self.machine.here.threads if self.machine else {}

    def _forked(self) -> None:
        """Open the door again in a forked child, to its copy of the machine."""
        self.renew()
        # Its lock may be held by a thread that is not there any more.
        cast("Any", self.nowhere).cache_clear()
        self.library.bind_again()

    def find(self) -> Thread:
        """Return the calling thread of the attached machine, on its first call.

        Raises:
            Shut: No machine is attached.
            ProcessDied: The process that stands for this one has ended.
            MachineClosed: The machine is closed.
            NotAdmitted: It is another OS process's, which refuses this one.
        """
        machine = self.machine
        if machine is None:
            raise Shut
        thread = machine.here.current_thread()
        self.ends.watch()
        return thread

    def anyone(self) -> Thread:
        """Return the calling thread for a call that needs no machine: that of a machine without devices if there is none."""
        try:
            return self.find()
        except (Shut, MachineClosed, NotAdmitted, ProcessDied):
            return self.nobody()

    def nobody(self) -> Thread:
        """Return the calling thread on the machine without devices, whatever machine of this OS process is attached.

        Bindings look functions up once and keep the addresses over many machines, so that it is the library that answers:
        a driver of its newest symbol's release, with every update. A machine of another OS process is the only one there is.
        """
        machine = self.machine
        if machine is not None and machine.elsewhere:
            with contextlib.suppress(FakeCudaError):  # the program hears of it when it makes a call
                return machine.here.current_thread()
        return self.nowhere().here.current_thread()

    def failed(self, name: str, error: BaseException) -> int:
        """Answer for a call in which an exception was raised.

        Args:
            name: The call.
            error: The exception.
        """
        if isinstance(error, ProcessDied) or (isinstance(error, MachineClosed) and error.waited):
            return SUCCESS | self._died
        if isinstance(error, MachineClosed | NotAdmitted) and self._is_news():
            return self.library.raise_later(error)
        if isinstance(error, Shut | MachineClosed | NotAdmitted):
            return SUCCESS | self._shut(name)
        if isinstance(error, NotInLibrary):
            return self._missing(error)
        if isinstance(error, Unreadable):
            return self._refuse(name, error)
        return self.raised(name, error, error.__traceback__)

    def _refuse(self, name: str, error: Unreadable) -> int:
        """Answer for a call that was told of more memory than there is: a strict machine keeps that as a finding."""
        machine = self.machine
        if machine is not None and machine.strict:
            machine.keep(Finding(ARRAY_IS_THERE, name, "here", error.facts, history.whole()))
        return SUCCESS | ARRAY_IS_THERE.code

    def failed_text(self, name: str, error: BaseException) -> int:
        """Answer so for a call that returns the address of a text: an empty one."""
        self.failed(name, error)
        return text_at(b"")

    def _is_news(self) -> bool:
        """Return whether the main thread of an attached process hears for the first time that its machine does not answer."""
        machine: Any = self.machine
        if machine is None or not machine.elsewhere or machine.told:
            return False
        machine.told = threading.get_ident() == threading.main_thread().ident
        return bool(machine.told)

    def raised(self, name: str, error: BaseException, trace: TracebackType | None) -> int:
        """Answer for a call in which somebody raised an exception: it is raised behind the call, or kept as a finding."""
        main = threading.get_ident() == threading.main_thread().ident
        machine = self.machine  # another thread may detach it meanwhile
        if main and (
            type(error) in kinds
            or isinstance(error, Warning | MemoryError | KernelNotDefined | KernelError | EndlessWait)
            or not isinstance(error, Exception)
            or (machine is not None and machine.elsewhere and isinstance(error, FakeCudaError))
            or not _of_simulator(trace)
        ):
            return self.library.raise_later(error)
        if isinstance(error, EndlessWait):  # its machine has kept why
            return SUCCESS | Result.UNKNOWN
        if machine is None:
            # Nobody keeps findings: the interpreter reports it.
            raise error
        lines = traceback.format_exception(type(error), error, trace)
        finding = Finding(CALL_IS_ANSWERED, name, "here", {"raised": "".join(lines).rstrip()}, history.whole())
        machine.keep(finding)
        return SUCCESS | Result.UNKNOWN

    def not_modelled(self, name: str, fix: str, depth: int = 2) -> int:
        """Answer NOT_SUPPORTED for a function that is not modelled, and warn once.

        Args:
            name: The symbol.
            fix: What to do instead; may be empty.
            depth: Which frame the warning is of; 2 is the caller's.
        """
        try:
            thread = self.find()
            code = self.api.not_supported
            thread.answer_unmodelled(name, code)
            if self.api.remember is not None:
                self.api.remember(thread, code)
            if name not in self.warned:
                self.warned.add(name)
                answer = self.api.cname(code)
                msg = f"{name} is not modelled: it answers {answer}{fix and f'; {fix}'}"
                warnings.warn(msg, NotModelledWarning, stacklevel=depth)
            return SUCCESS | code
        except BaseException as error:  # noqa: BLE001 - no exception can travel through C
            return self.failed(name, error)

    def not_modelled_text(self, name: str, fix: str) -> int:
        """Answer so for a function that returns the address of a text: an empty one."""
        self.not_modelled(name, fix, 3)
        return text_at(b"")

    def not_modelled_number(self, name: str, fix: str) -> int:
        """Answer so for a function that returns a number, not a code: -1."""
        self.not_modelled(name, fix, 3)
        return SUCCESS | 0xFFFFFFFF

    def absent(self, name: str) -> int:
        """Answer for a function that came after the machine's driver: the binding's exception, in a thread CUDA_ERROR_NOT_FOUND.

        A program that looks a symbol up by itself finds it: the library is the same for every machine.

        Args:
            name: The symbol.
        """
        return self._missing(not_found(name))

    def _missing(self, error: RuntimeError) -> int:
        if threading.get_ident() == threading.main_thread().ident:
            return self.library.raise_later(error)
        return SUCCESS | Result.NOT_FOUND


def _driver_is_shut(name: str) -> Result:
    return Result.NO_DEVICE if name == "cuInit" else Result.NOT_INITIALIZED


def _nvml_is_shut(name: str) -> Nvml:
    return Nvml.DRIVER_NOT_LOADED if name.startswith("nvmlInit") else Nvml.UNINITIALIZED


door = Door(DRIVER, _driver_is_shut)
"""That of the driver library."""
hip_door = Door(HIP, lambda _: Result.NO_DEVICE)
"""That of HIP's."""
nvml_door = Door(NVML, _nvml_is_shut, Nvml.UNINITIALIZED)
"""That of NVML's, which is open when the driver's is."""
DOORS = {
    f"{__package__}.generated.callbacks": door,
    f"{__package__}.generated.hip": hip_door,
    NVML_CALLS: nvml_door,
}
"""The doors by the modules of the functions behind their stubs."""


def _of_simulator(trace: TracebackType | None) -> bool:
    """Return whether the simulator itself raised, rather than a signal's handler or a finaliser that ran inside it."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and str(trace.tb_frame.f_globals.get("__name__")).startswith(OWN)


def hook() -> None:
    """Have what a callback raises before its first line brought to us; a test runner may have set a hook of its own."""
    found = sys.unraisablehook
    if not (isinstance(found, partial) and found.func is unraisable):
        sys.unraisablehook = partial(unraisable, found)


def unraisable(previous: Callable[[Any], Any], what: Any) -> None:
    """Take what a callback raised before its first line, where it catches nothing; leave the rest to another hook.

    Args:
        previous: The other hook.
        what: The exception and where it was raised, as ``sys.unraisablehook`` gets it.
    """
    error, trace = what.exc_value, what.exc_traceback
    frame = trace.tb_frame if trace is not None else None
    place = frame.f_globals.get("__name__") if frame else getattr(what.object, "__module__", None)
    ours = DOORS.get(str(place))
    if place == __name__:
        ours = frame.f_locals.get("self", door) if frame else door
    if error is not None and ours is not None and not sys.is_finalizing():
        name = frame.f_code.co_name if frame else getattr(what.object, "__name__", "")
        if frame is not None and place == NVML_CALLS:
            name = frame.f_locals.get("name", "nvml")
        # The stub answers for the callback in any case.
        with contextlib.suppress(type(error)):
            ours.raised(name, error, trace)
            return
    previous(what)
