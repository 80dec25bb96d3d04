"""Machines installed into this OS process.

What code under test reaches when it calls the driver.
Two doors lead to an installed machine. The *native* door is a ``libcuda.so.1`` with a ``libnvidia-ml.so.1``: all calls
of the driver or of NVML through C reach the machine. The *lookalike* door replaces the functions of
``cuda.bindings.driver`` in place, for all code that has imported the module. If the package is not installed, modules
of that name stand in. Both doors replace the functions of ``cuda.bindings.runtime``: it contains the runtime library,
which bypasses what a driver library offers. For the same reason ``ctypes.CDLL`` of a libcudart returns a library whose
functions reach the machine.

A machine starts fresh. If a client keeps driver objects for the life of its OS process, later machines continue with
these objects: :mod:`fakecuda.reach.install.carried_state`, :mod:`fakecuda.reach.install.clients`.

What outlives its machine touches no other machine: :mod:`fakecuda.machine.late_uses`.
"""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager, nullcontext
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fakecuda import Machine
from fakecuda.errors import FakeCudaError
from fakecuda.machine import deadlocks, findings, late_uses
from fakecuda.machine.installation import Installation, door_of
from fakecuda.machine.late_uses import LOCK, nowhere
from fakecuda.model import history, options
from fakecuda.model.os.interruption import unbroken
from fakecuda.model.os.rng import current_test
from fakecuda.model.os.threads import await_ending
from fakecuda.reach.install import clients, garbage
from fakecuda.reach.install.loading import Loading
from fakecuda.reach.install.modules import MODULES, ImportedByNameWarning, Lookalike
from fakecuda.reach.remote.owner.endpoint import let_attach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from fakecuda import Process
    from fakecuda.machine.checks import Checks
    from fakecuda.model.os.thread import Thread
    from fakecuda.profiles import Profile
    from fakecuda.reach.native.cudart import Cudart

__all__ = ["ImportedByNameWarning", "cudart", "installed", "installing"]

DEFAULT = "h200-x2"
BETWEEN = ("contextlib.py:", "simulation.py:")
"""Modules with frames between a program and the installation of its machine."""
NATIVE_DOOR, HIP_DOOR = "fakecuda.reach.native.door", "fakecuda.reach.native.hip"


_stack: list[Installation] = []
_lookalikes: dict[str, Lookalike] = {}
_attached: dict[str, Machine] = {}
"""The machine behind each open native door, by the door's module."""
instead: Callable[[Any], AbstractContextManager[Any]] | None = None
"""Hook: supplies a machine instead of a new one.

Set by ``use_instead`` while tests run on a driver or on a shared machine, else None.

Called with the profile, None for any, when a machine is to be installed. It must not install a simulated machine itself.
"""


def use_instead(source: Callable[[Any], AbstractContextManager[Any]] | None) -> Callable[[], None]:
    """Set :data:`instead`, and return a function that sets it back to what it was.

    Args:
        source: Returns the context manager of a machine for a profile; None to simulate machines.
    """
    global instead
    before, instead = instead, source

    def back() -> None:
        global instead  # noqa: PLW0603 - as above
        instead = before

    return back


_early = False
"""Whether programs find the libraries before and between machines."""


def load_early() -> None:
    """Load the driver's libraries now, for programs that open them when they are imported.

    From now on this process finds them in every way. Without a machine, cuInit answers CUDA_ERROR_NO_DEVICE.

    Raises:
        FakeCudaError: Another ``libcuda.so.1`` or ``libnvidia-ml.so.1`` is loaded, or there are no stubs for this
            processor.
    """
    global _early  # noqa: PLW0603 - there is one loader
    native, machine = import_module(NATIVE_DOOR), nowhere()
    with LOCK:
        if NATIVE_DOOR not in _attached:
            native.attach(machine)
            native.detach(machine)
        _early = True
        _expose()


@contextmanager
def installing(
    profile: str | Path | Profile | None,
    arguments: dict[str, Any],
    schedule: int | str | None,
    checks: Checks,
    *,
    door: str,
    shared: bool | None,
    inherit: bool | None,
    ending: Callable[[], bool] = sys.is_finalizing,
) -> Iterator[Machine]:
    """Install a machine; see :func:`fakecuda.simulate`.

    A block that never ended is closed at interpreter exit. Its machine is then left alone: dead threads may hold locks.
    """
    if instead is not None:
        with instead(profile) as real:
            _stack.append(Installation(real, "real", _maker(), frozenset()))
            try:
                with checks.of_block(real):
                    yield real
            finally:
                _stack.pop()
        if checks.problem:
            raise AssertionError(checks.problem)
        return
    for name, value in (("shared", shared), ("inherit", inherit)):
        options.switch(name, value, may_be_left_out=True)
    chosen = DEFAULT if profile is None else profile
    new = Machine(chosen, **arguments)
    deadlocks.judge(new)
    installation = Installation(new, door_of(door), _maker(), new.scheduler.census.older, inherit)
    garbage.begin(new)
    try:
        try:
            _install(installation)
            let_attach(new, installation.maker, shared)
            with checks.of_block(new), _scheduled(new, schedule):
                yield new
            missed = "\n".join(filter(None, (new.end_faults(), checks.problem)))
        except Exception:
            late_uses.excuse(new)
            raise
        finally:
            if not ending():
                _uninstall(installation)
    except BaseException as error:
        if ending():
            raise
        if not new.closed:  # the exception may have come before the machine was uninstalled
            _uninstall(installation)
        findings.note(error, findings.take(new))
        for text in deadlocks.of_failure(new, error):
            error.add_note(text)
        raise
    waited = deadlocks.error_of(deadlocks.take(new))
    if found := waited or findings.error_of(findings.take(new)):
        if missed:
            found.add_note(f"and at the end, perhaps because of this:\n{missed}")
        raise found
    if missed:
        raise AssertionError(missed)


def _scheduled(new: Machine, schedule: int | str | None) -> AbstractContextManager[None]:
    """Return a context manager that makes a machine's calls take turns.

    It does so only if there is a schedule.
    """
    if schedule is None:
        return nullcontext()
    from fakecuda.machine.orders.orders import scheduled  # noqa: PLC0415 - few machines have a schedule

    return scheduled(new, schedule)


def installed() -> Machine | None:
    """Return the innermost machine that is installed in this process.

    The result is None if there is no such machine.
    """
    return _stack[-1].machine if _stack else None


def cudart() -> Cudart:
    """Return the runtime library for ctypes.

    Its calls reach the machine that is then installed.
    """
    return _loading.library()


@unbroken
def _install(installation: Installation) -> None:
    """Install a machine; if this raises, :func:`_uninstall` undoes the installation."""
    new = installation.machine
    new.territory.held = True
    with LOCK:
        if installation.goes_on:
            if _stack:
                late_uses.KEPT.take(_stack[-1].machine.here)
            late_uses.KEPT.give(new.here)
        _stack.append(installation)
        new.lead = partial(_lead, installation)
        _expose()
        clients.begin()


@unbroken
def _uninstall(installation: Installation) -> None:
    """Uninstall a machine, if it is installed, and close it.

    A signal handler that raises ends only its waits.
    """
    machine = installation.machine
    machine.lead = None
    machine.acting.clear()
    try:
        await_ending()
    finally:
        with LOCK:
            try:
                if installation in _stack:
                    _take_away(installation)
            finally:
                machine.close()
    if "fakecuda.plugin" not in sys.modules:  # the plugin reports them as errors of the tests
        for maker, text in late_uses.take_outlived():
            warnings.warn(f"{maker}: {text}", late_uses.OutlivedWarning, stacklevel=6)


def _take_away(installation: Installation) -> None:
    """Make an installed machine unreachable.

    Note which of its values could be used after its end.
    """
    machine = installation.machine
    own = machine.here.machine is machine  # in a forked child, the copy's process leads to the parent's machine
    if own and _stack[-1] is installation:
        _give_up(machine)
    _stack.remove(installation)
    if own and installation.goes_on:
        late_uses.KEPT.take(machine.here)
        if _stack:
            late_uses.KEPT.give(_stack[-1].machine.here)
    late_uses.remember(machine, installation.maker, installation.threads)
    _expose()


def _give_up(machine: Machine) -> None:
    """Make clients release their objects on a machine that is about to end.

    First collect garbage.
    """
    here = machine.here
    if clients.used() and (here.memory or here.streams or here.events):
        garbage.collect(machine)
    clients.end()


def _expose() -> None:
    """Make calls reach the innermost machine, through its door."""
    top = _stack[-1] if _stack else None
    native = top.machine if top and top.door == "native" else None
    for door, machine in [(door, machine) for door, machine in _attached.items() if machine is not native]:
        import_module(door).detach(machine)
        del _attached[door]
    for name in MODULES:
        if top is not None and _is_replaced(name, top):
            if name not in _lookalikes:
                _lookalikes[name] = Lookalike(name, nowhere)
            _lookalikes[name].show(top.machine)
        elif name in _lookalikes:
            _lookalikes[name].withdraw()
    late_uses.bring_strays((top.machine if top else nowhere()).here)
    if native is not None:
        for door in (NATIVE_DOOR, HIP_DOOR) if native.profile.hip.name else (NATIVE_DOOR,):
            if door not in _attached:
                import_module(door).attach(native)
                _attached[door] = native
    _loading.driver, _loading.hip = _early or NATIVE_DOOR in _attached, HIP_DOOR in _attached
    if top is not None or _early:
        _loading.show()
    else:
        _loading.withdraw()


def _lead(installation: Installation, process: Process | None) -> None:
    """Run code of this OS process as another process of the machine.

    None returns to the previous process.
    """
    with LOCK:
        acting = installation.machine.acting
        if process is None:
            acting.pop()
        else:
            if _stack[-1] is not installation:
                msg = (
                    f"simulated process {process.name} belongs to an outer machine, but a machine that was made "
                    "later is active: end the later machine first"
                )
                raise FakeCudaError(msg)
            if keeping := clients.names():
                msg = (
                    "this OS process cannot run code as another simulated process, because a library keeps driver "
                    f"objects here ({', '.join(keeping)}): start a Python program for each simulated process, or call "
                    "the functions of process.driver"
                )
                raise FakeCudaError(msg)
            acting.append(process)
        for lookalike in _lookalikes.values():
            if lookalike.shown:
                lookalike.show(_stack[-1].machine)
        for door in _attached:
            import_module(door).renew()


def _is_replaced(name: str, top: Installation) -> bool:
    """Return whether a look-alike replaces a module."""
    if top.door == "real" or (name == "hip" and not top.machine.profile.hip.name):
        return False
    return top.door == "lookalike" or name == "runtime"


def _reached() -> Thread:
    """Return the calling thread's state on the innermost machine, or on *nowhere*."""
    machine: Any = _stack[-1].machine if _stack else nowhere()
    for abandoned, other in _led:
        machine = other if machine is abandoned else machine
    thread: Thread = machine.here.current_thread()
    return thread


_loading = Loading(_reached)
_led: list[tuple[Machine, Any]] = []
"""In a forked child of a shared machine's owner: the child's copy of the machine, and where calls go instead."""


def lead(machine: Machine, other: Any) -> None:
    """Redirect calls of an installed machine to another machine, in a forked child.

    The first is abandoned.

    Args:
        machine: The installed machine.
        other: The machine that gets the calls.
    """
    if _stack and _stack[-1].machine is machine:
        _led[:] = [(machine, other)]
        for lookalike in _lookalikes.values():
            if lookalike.shown:
                lookalike.move(other.here)


def _maker() -> str:
    return current_test() or next(
        (line for line in history.lines(history.here(3)) if not any(map(line.count, BETWEEN))), "the program"
    )
