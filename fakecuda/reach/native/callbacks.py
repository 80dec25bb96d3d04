"""Common parts of the functions behind the stubs.

``generated`` contains the functions of modelled calls.
Such a function takes plain numbers, also for pointers, and returns a tagged code
(:data:`fakecuda.reach.native.stubs.TAG`). It always returns, because no exception can pass through C. An exception of a
signal handler is raised again in the main thread after the call. An exception of the simulator itself is kept as a
finding.
"""

from __future__ import annotations

import os
import threading
import traceback
import warnings
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
from fakecuda.model.memory.space import Unreadable, bytes_at, mapped_access
from fakecuda.model.os.async_exceptions import kinds
from fakecuda.reach.native import callers, stubs
from fakecuda.reach.native.forms import EXPORT_TABLE
from fakecuda.reach.native.threads import ThreadEnds
from fakecuda.reach.native.values import text_at
from fakecuda.rules.core import Rule, Source, undefined
from fakecuda.rules.registry import DRIVER, HIP, NVML
from fakecuda.spec.codes import Nvml, Result
from fakecuda.spec.export_tables import ID_SIZE, reason

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType, TracebackType

    from fakecuda.machine.machine import Machine
    from fakecuda.model.os.process import Process
    from fakecuda.model.os.thread import Thread
    from fakecuda.reach.native.library import Library
    from fakecuda.reach.native.nowhere import Nowhere
    from fakecuda.rules.registry import Api
    from fakecuda.spec.codes import Code

SUCCESS = stubs.TAG << 32
"""The tagged code of success; bitwise or with a code gives the tagged code of a failure."""
OWN = "fakecuda."
NVML_CALLS = f"{__package__}.nvml"
"""The module of the functions behind the stubs of NVML."""

CALL_IS_ANSWERED = Rule(
    "the simulator answers without an exception",
    Result.UNKNOWN,
    Source("source", "fakecuda", "an operation checks every rule that it needs; what else it raises is its mistake"),
    fix="report the traceback to the authors of fakecuda: the program is not at fault",
)
CALL_IS_MODELLED = Rule(
    "fakecuda models what the call asks for",
    Result.UNKNOWN,
    Source("source", "fakecuda", "a call through C answers UNKNOWN where a call of Python raises FakeCudaError"),
    fix="do what the text says, or run this test on a real GPU",
)
BEYOND = frozenset({CALL_IS_ANSWERED.id, CALL_IS_MODELLED.id})
"""Ids of rules that a correct program may break."""


def text_of(error: BaseException, trace: TracebackType | None) -> str:
    """Return the message of a fakecuda error, or another exception's traceback."""
    if isinstance(error, FakeCudaError):
        return str(error)
    return "".join(traceback.format_exception(type(error), error, trace)).rstrip()


def raised_by(
    name: str, error: BaseException, trace: TracebackType | None, stack: history.Stack, process: Process | None = None
) -> Finding:
    """Return the finding for a call through C that raises an exception.

    Args:
        name: The call.
        error: The exception.
        trace: Where it was raised.
        stack: The stack that called.
        process: The process, if it is attached to the machine. None for this OS process.
    """
    rule = CALL_IS_MODELLED if isinstance(error, FakeCudaError) else CALL_IS_ANSWERED
    facts = {"raised": text_of(error, trace)}
    if process is None:
        return Finding(rule, name, "here", facts, stack)
    return Finding(rule, name, process.name, facts, stack, None, process.command)


ARRAY_IS_THERE = Rule(
    "an array has as many members as the call says, and where an image is said to be, there is one",
    Result.INVALID_VALUE,
    undefined(
        "cuMemSetAccess",
        "the manual says nothing about this; a driver that reads past the mapped memory crashes the process",
    ),
    fix="pass an array of as many members as the call says, and an image where one is announced",
)
Finding.callers = callers.libraries
history.Caller.in_c = callers.stack


class Shut(Exception):  # noqa: N818 - a state of the door
    """An exception: no machine is attached."""


class Door:
    """The door of an API: receives calls through C.

    Args:
        api: The API.
        shut: Returns the code of a call while no machine is attached, by the call's name.
        died: The code of all calls once this OS process's simulated process has ended.

    Attributes:
        library: The library, once it is loaded.
        ends: Reports the ends of threads.
        machine: The attached machine; None without one.
        nowhere: Returns the machine without devices, which answers if no machine is attached.
        warned: Calls that are not modelled and were warned about.
    """

    library: Library
    ends: ThreadEnds
    nowhere: Callable[[], Nowhere]

    def __init__(self, api: Api, shut: Callable[[str], Code], died: Code = Result.DEINITIALIZED) -> None:
        self.api = api
        self.machine: Machine | None = None
        self.warned: set[tuple[str, str]] = set()
        self._shut = shut
        self._died = died
        self._calls: Any = None

    def prepare(self, library: Library, nowhere: Callable[[], Nowhere], calls: ModuleType) -> None:
        """Prepare a library whose stubs are bound.

        Args:
            library: The library.
            nowhere: Returns the machine without devices, with a cache.
            calls: The module of the functions behind the stubs. Its ``threads`` are the machine's threads.
        """
        self.library, self.nowhere, self._calls = library, nowhere, calls
        self.ends = ThreadEnds(library, lambda number: calls.threads.pop(number, None))
        os.register_at_fork(after_in_child=self._forked)

    def enter(self, machine: Machine | None) -> None:
        """Send calls to a machine from now on; None for no machine."""
        if machine is not None:
            self.warned = set()
        self.machine = machine
        self.renew()

    def renew(self) -> None:
        """Use the threads of the process that now represents this OS process."""
        if self._calls is not None:
            self._calls.threads = self.machine.here.threads if self.machine else {}

    def _forked(self) -> None:
        """Open the door in a forked child again, for its copy of the machine."""
        self.renew()
        # A thread that the child does not have may hold its lock.
        cast("Any", self.nowhere).cache_clear()
        self.library.bind_again()

    def find(self) -> Thread:
        """Return the calling thread on the attached machine.

        Raises:
            Shut: No machine is attached.
            ProcessDied: This OS process's simulated process has ended.
            MachineClosed: The machine is closed.
            NotAdmitted: Another OS process owns the machine and refuses this process.
        """
        machine = self.machine
        if machine is None:
            raise Shut
        thread = machine.here.current_thread()
        self.ends.watch()
        return thread

    def anyone(self) -> Thread:
        """Return the calling thread for a call that works without a machine.

        It is on the attached machine or on *nowhere*.
        """
        try:
            return self.find()
        except (Shut, MachineClosed, NotAdmitted, ProcessDied):
            return self.nowhere().here.current_thread()

    def failed(self, name: str, error: BaseException) -> int:
        """Return the answer of a call that raised an exception.

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
        """Return the answer of a call that failed to access memory.

        On a strict machine, also keep a finding.
        """
        machine = self.machine
        if machine is not None and machine.strict:
            machine.keep(Finding(ARRAY_IS_THERE, name, "here", error.facts, history.whole()))
        return SUCCESS | ARRAY_IS_THERE.code

    def failed_text(self, name: str, error: BaseException) -> int:
        """Return an empty text for a call that raised an exception.

        It is for calls that return the address of a text.
        """
        self.failed(name, error)
        return text_at(b"")

    def _is_news(self) -> bool:
        """Return whether to report that the machine of an attached process is silent.

        Only the main thread reports it.
        """
        machine: Any = self.machine
        if machine is None or not machine.elsewhere or machine.told:
            return False
        machine.told = threading.get_ident() == threading.main_thread().ident
        return bool(machine.told)

    def raised(self, name: str, error: BaseException, trace: TracebackType | None) -> int:
        """Answer a call that raised an exception.

        Raise it after the call, or keep it as a finding: a stub that returns an address raises nothing.
        """
        main = threading.get_ident() == threading.main_thread().ident and name not in self.library.addresses
        machine = self.machine  # another thread may detach it
        if main and (
            type(error) in kinds
            or isinstance(error, Warning | MemoryError | KernelNotDefined | KernelError | EndlessWait)
            or not isinstance(error, Exception)
            or (machine is not None and machine.elsewhere and isinstance(error, FakeCudaError))
            or not _of_simulator(trace)
        ):
            return self.library.raise_later(error)
        if isinstance(error, EndlessWait) or getattr(error, "ends_thread", False):
            return SUCCESS | Result.UNKNOWN  # the machine has kept the deadlock; or the order that is run has ended
        if machine is None:
            # Without a machine the interpreter reports it.
            raise error
        machine.keep(raised_by(name, error, trace, history.whole()))
        return SUCCESS | Result.UNKNOWN

    def not_modelled(self, name: str, fix: str, depth: int = 2) -> int:
        """Answer NOT_SUPPORTED for a function that is not modelled, and warn once for each ``fix``.

        Args:
            name: The symbol.
            fix: What to use instead; may be empty.
            depth: The ``stacklevel`` of the warning; 2 is the caller.
        """
        try:
            thread = self.find()
            code = self.api.not_supported
            thread.answer_unmodelled(name, code)
            if self.api.remember is not None:
                self.api.remember(thread, code, name)
            if (name, fix) not in self.warned:
                self.warned.add((name, fix))
                answer = self.api.cname(code)
                msg = f"{name} is not modelled: it answers {answer}{fix and f'; {fix}'}"
                warnings.warn(msg, NotModelledWarning, stacklevel=depth)
            return SUCCESS | code
        except BaseException as error:  # noqa: BLE001 - no exception can travel through C
            return self.failed(name, error)

    def not_modelled_text(self, name: str, fix: str) -> int:
        """Return an empty text for a function that is not modelled.

        It is for functions that return the address of a text.
        """
        self.not_modelled(name, fix, 3)
        return text_at(b"")

    def not_modelled_number(self, name: str, fix: str) -> int:
        """Return -1 for a function that is not modelled.

        It is for functions that return a number instead of a code.
        """
        self.not_modelled(name, fix, 3)
        return SUCCESS | 0xFFFFFFFF

    def export_table(self, _result: int, table: int) -> int:
        """Answer ``cuGetExportTable``, and warn once for each file that calls it.

        Args:
            table: The address of the table's id.
        """
        known = bytes_at(table, ID_SIZE) if mapped_access(table, ID_SIZE) else b""
        return self.not_modelled(EXPORT_TABLE, reason(callers.caller(), known), 3)

    def absent(self, name: str) -> int:
        """Answer a function that is newer than the machine's driver.

        In the main thread this raises the binding's exception; elsewhere it answers CUDA_ERROR_NOT_FOUND. A program
        that looks up the symbol itself finds it, because the library is the same for every machine.

        Args:
            name: The symbol.
        """
        from fakecuda.reach.bindings.fallback_classes import not_found  # noqa: PLC0415 - it loads the bindings

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
"""The door of the driver library."""
hip_door = Door(HIP, lambda _: Result.NO_DEVICE)
"""The door of HIP's library."""
nvml_door = Door(NVML, _nvml_is_shut, Nvml.UNINITIALIZED)
"""The door of NVML's library, which is open when the driver's door is open."""
DOORS = {
    f"{__package__}.generated.callbacks": door,
    f"{__package__}.generated.hip": hip_door,
    NVML_CALLS: nvml_door,
}
"""The doors, by the modules of their stub functions."""


def _of_simulator(trace: TracebackType | None) -> bool:
    """Return whether the simulator itself raised an exception.

    A signal handler or finaliser inside it does not count.
    """
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and str(trace.tb_frame.f_globals.get("__name__")).startswith(OWN)
