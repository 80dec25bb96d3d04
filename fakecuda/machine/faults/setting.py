"""Checks of a fault's arguments, and its injection."""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsInt, TypedDict

from fakecuda.errors import FakeCudaError
from fakecuda.machine.faults.codes import code_of
from fakecuda.machine.faults.fault import Fault, Guard
from fakecuda.model import history, options
from fakecuda.near import nearest
from fakecuda.rules.registry import EVERY_API, EVERY_OP

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import CallRecord, Machine, Process
    from fakecuda.machine.faults.fault import Attempt
    from fakecuda.rules.dispatch import Op

OURS = 3
"""Number of fakecuda's own innermost frames in a fault's stack: this module's, the machine's and the history's."""


class FaultOptions(TypedDict, total=False):
    """Options of a fault: see :meth:`fakecuda.Machine.fail`."""

    nth: int
    code: str | SupportsInt
    times: int | None
    process: Process | str | None
    when: Callable[[CallRecord], bool] | None
    force: bool


def guard_of(machine: Machine) -> Guard:
    """Return the guard of a machine, which the first use makes."""
    if machine.guard is None:
        machine.guard = Guard(machine)
    return machine.guard


def inject(
    machine: Machine,
    call: str,
    *,
    nth: int,
    code: str | SupportsInt,
    times: int | None,
    process: Process | str | None,
    when: Callable[[Attempt], bool] | None,
    force: bool,
) -> Fault:
    """Return a new fault of a machine; see :meth:`fakecuda.Machine.fail`.

    Raises:
            FakeCudaError: An argument is unknown or has the wrong type; the text says what to write.
    """
    op = _modelled(call)
    options.number("nth", nth, 1, "a number from 1 on: 3 is the third such call")
    if times is not None:
        options.number("times", times, 1, "a number from 1 on, or None for every call from the nth on")
    options.switch("force", force)
    predicate: object = when
    if predicate is not None and not callable(predicate):
        msg = f"when={when!r}: use a function that takes a CallRecord and returns whether to count the call"
        raise FakeCudaError(msg)
    guard = guard_of(machine)
    fault = Fault(
        op.name,
        nth,
        code_of(op, code, force=force),
        times,
        _name_of(machine, process),
        guard=guard,
        when=when,
        stack=history.here(OURS),
    )
    guard.add(fault)
    return fault


def _modelled(call: object) -> Op:
    if not isinstance(call, str):
        msg = f'fail({call!r}): name the function as a string, such as "cuMemMap"'
        raise FakeCudaError(msg)
    if call not in EVERY_OP:
        if any(call in api.calls for api in EVERY_API.values()):
            msg = f"fail({call!r}): this call is not modelled and always answers NOT_SUPPORTED, so leave out fail()"
            raise FakeCudaError(msg)
        raise FakeCudaError(nearest(call, EVERY_OP, "call"))
    return EVERY_OP[call]


def _name_of(machine: Machine, process: Process | str | None) -> str | None:
    """Return the name of a process of the machine; None for any process."""
    if process is None:
        return None
    name = process if isinstance(process, str) else str(getattr(process, "name", process))
    machine.here  # noqa: B018 - the first access makes the process
    if name not in machine.processes or (not isinstance(process, str) and machine.processes[name] is not process):
        raise FakeCudaError(nearest(name, machine.processes, "process of the machine"))
    return name


def missed(machine: Machine) -> str:
    """End the faults of a machine; report those that refused no call.

    Return a message about them; it is empty without any.
    """
    if machine.guard is None:
        return ""
    faults = [one for one in machine.guard.listeners if isinstance(one, Fault)]
    for fault in faults:
        fault.end()
    return "\n".join(fault.missed for fault in faults if not fault.came)
