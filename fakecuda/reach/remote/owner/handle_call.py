"""Answers to the calls of attached processes."""

from __future__ import annotations

import os
from errno import EMFILE
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from fakecuda.errors import EndlessWait, FakeCudaError, MachineClosed, ProcessDied, UndefinedBehaviour
from fakecuda.model.call import NO_NULLS, Call
from fakecuda.model.os.process import READY
from fakecuda.model.os.scarcity import ADVICE, scarcity
from fakecuda.model.work.stream import LEGACY, PER_THREAD
from fakecuda.reach.native.callbacks import raised_by, text_of
from fakecuda.reach.remote.owner.deferred_copies import Errands, acting
from fakecuda.reach.remote.owner.remote_memory import Gone
from fakecuda.reach.remote.protocol import call_sites, schema
from fakecuda.reach.remote.protocol.exceptions import Interrupted, told_deadlock, told_facts
from fakecuda.reach.remote.protocol.frames import MISSING, Kind, LineClosed, Malformed
from fakecuda.rules.registry import EVERY_OP
from fakecuda.spec.descriptors import EXPORTS, IMPORTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.os.process import Process
    from fakecuda.model.os.thread import Thread
    from fakecuda.reach.remote.client.remote_process import RemoteProcess
    from fakecuda.reach.remote.owner.serving import Serving

NATIVE, PER_THREAD_STREAM, WHY = 1, 2, 4
"""Flags of a call: made through C; stream 0 is per thread; the caller wants to know why it is refused."""
READY_NOW, STARTED, FOREIGN_PROC = 1, 2, 4
"""Flags of a process: the driver is initialised; the runtime library knows that; its /proc is another PID namespace's.

Each result contains the first two, and so does a fork's greeting.
"""
PARTS = 6
FOLLOWED = "hipMemImportFromShareableHandle"
"""A call that, before HIP 7, reads memory at an address of the caller."""
NOTHING: tuple[Any, ...] = ()


def known_of(process: Process | RemoteProcess) -> int:
    """Return the ``READY_NOW`` and ``STARTED`` flags of a process."""
    return (READY_NOW if process.state == READY else 0) | (STARTED if process.runtimes.started else 0)


@cache
def _nulls(name: str, mask: int) -> frozenset[str]:
    return frozenset(param.name for place, param in enumerate(schema.call_of(name).outputs) if mask >> place & 1)


def _parts(
    value: Any, stacks: dict[int, tuple[call_sites.Place, ...]]
) -> tuple[int, str, int, int, tuple[Any, ...], tuple[Any, ...]]:
    """Return a call's number, name, flags, mask of null results, arguments, and stack.

    Args:
        value: The content of the frame.
        stacks: The connection's stacks by number; new ones are added.

    Raises:
        Malformed: The frame is not a call.
    """
    if type(value) is tuple and len(value) == PARTS:
        number, place, flags, mask, args, stack = value
        if all(type(one) is int for one in (number, place, flags, mask)) and 0 <= place < len(schema.NAMES):
            name = schema.NAMES[place]
            try:
                schema.check(name, args)
            except schema.Unfit as error:
                raise Malformed(str(error)) from error
            places = call_sites.known(stack, stacks)
            if 0 <= mask < 1 << len(schema.call_of(name).outputs) and places is not None:
                return number, name, flags, mask, args, places
    msg = (
        "an attached process sent a message that is not a valid call: install the same release of fakecuda in both "
        "processes"
    )
    raise Malformed(msg)


NO_ROOM = (
    "the process that made the machine had no free file descriptor for the passed descriptor. In that process, "
    f"{ADVICE[EMFILE]}"
)
"""The error for a process whose descriptor the owner could not receive."""


def answer(serving: Serving, value: Any, descriptors: list[int]) -> None:
    """Make a call and send its answer.

    Args:
        serving: The calling thread.
        value: The content of the frame.
        descriptors: The descriptors of the frame.

    Raises:
        Malformed: The frame is not a call.
        LineClosed: The process has ended.
    """
    number, name, flags, mask, args, stack = _parts(value, serving.stacks)
    thread, line = serving.thread, serving.line
    if name in IMPORTS:
        if MISSING in descriptors:
            line.send(Kind.RAISED, (number, "error", "FakeCudaError", f"{name}: {NO_ROOM}"))
            return
        args = _with_descriptor(name, args, descriptors)
    call = Call(
        thread,
        native=bool(flags & NATIVE),
        default_stream=PER_THREAD if flags & PER_THREAD_STREAM else LEGACY,
        nulls=_nulls(name, mask) if mask else NO_NULLS,
    )
    if name == FOLLOWED and _takes_address(call):
        text = (
            f"{name}: before HIP 7, this call takes the address of a descriptor, which is not modelled for an "
            "attached process: make the call in the process that made the machine"
        )
        line.send(Kind.RAISED, (number, "error", "FakeCudaError", text))
        return
    serving.numbers.append(number)
    try:
        code, outs = _made(serving, partial(call_sites.invoke, stack, EVERY_OP[name], call, args))
    except Gone as error:
        raise LineClosed from error
    except UndefinedBehaviour as error:
        finding = error.finding
        line.send(
            Kind.RAISED,
            (number, "undefined", finding.rule.id, finding.call, finding.process, told_facts(finding.facts)),
        )
        return
    except (Interrupted, MemoryError) as error:
        line.send(Kind.RAISED, (number, "error", type(error).__name__, str(error)))
        return
    except FakeCudaError as error:
        if isinstance(error, EndlessWait) and error.deadlock is not None:
            told = told_deadlock(error.deadlock)
            line.send(Kind.RAISED, (number, "deadlock", type(error).__name__, str(error), told))
            return
        line.send(Kind.RAISED, (number, "error", type(error).__name__, _report(serving, call, name, error, stack)))
        return
    except OSError as error:  # for instance, no file can be opened for an import
        line.send(
            Kind.RAISED,
            (
                number,
                "error",
                "FakeCudaError",
                (f"{name}: the process that made the machine could not do the call: {scarcity(error)}"),
            ),
        )
        return
    except Exception as error:  # noqa: BLE001 - a bug of the model, reported on both sides
        line.send(Kind.RAISED, (number, "error", "FakeCudaError", _report(serving, call, name, error, stack)))
        return
    finally:
        serving.numbers.pop()
    changes: tuple[Any, ...] = NOTHING
    if serving.changes or serving.session.changes:
        changes = (*_taken(serving.session.changes), *_taken(serving.changes))
    known = known_of(serving.session.process)
    why = _why(thread) if code and flags & WHY else NOTHING
    if name in EXPORTS and type(outs) is int:
        try:
            line.send(Kind.RESULT, (number, code, None, changes, known, why), (outs,))
        finally:
            os.close(outs)
        return
    line.send(Kind.RESULT, (number, code, outs, changes, known, why))


def _made(serving: Serving, make: Callable[[], tuple[int, Any]]) -> tuple[int, Any]:
    """Make a call and let the process do its deferred copies.

    The copies are made without the machine's lock.

    Raises:
        Gone: The process has ended or does not answer.
    """
    session = serving.session
    lock, values = session.sharing.machine.lock, session.values
    values.renew()
    outer, acting.errands = acting.errands, Errands()
    errands = acting.errands
    try:
        with session.process.borrowing():
            answer = make()
        if session.system.printed:
            session.system.deliver(errands)
        errands.carry_out(lock)
    except BaseException:
        errands.give_up(lock)
        raise
    finally:
        acting.errands = outer
    values.renew()
    return answer


def _taken(changes: list[Any]) -> list[Any]:
    taken = changes[:]
    del changes[: len(taken)]
    return taken


def _with_descriptor(name: str, args: tuple[Any, ...], descriptors: list[int]) -> tuple[Any, ...]:
    """Replace the sender's descriptor number by the received descriptor.

    The result is -1 if none came.
    """
    place, kind, posix = IMPORTS[name]
    if args[kind] != posix:
        return args
    return (*args[:place], descriptors[0] if descriptors else -1, *args[place + 1 :])


def _why(thread: Thread) -> tuple[Any, ...]:
    """Return the rule and the facts of a thread's last refused call.

    The result is empty if they are not known any more.
    """
    for caller, *_, rule, facts in reversed(thread.machine.calls):
        if caller is thread:
            return (rule.id, told_facts(facts)) if rule is not None else NOTHING
    return NOTHING


def _report(serving: Serving, call: Call, name: str, error: Exception, places: tuple[call_sites.Place, ...]) -> str:
    """Return the text of an exception.

    In a call through C it is also kept as a finding.
    """
    if call.native and not isinstance(error, EndlessWait | MachineClosed | ProcessDied):
        stack = call_sites.stack(places)
        finding = raised_by(name, error, error.__traceback__, stack, serving.session.process)
        serving.session.sharing.machine.keep(finding)
    return text_of(error, error.__traceback__)


def _takes_address(call: Call) -> bool:
    """Return whether HIP's import takes the address of a descriptor (before HIP 7)."""
    from fakecuda.rules.hip.active import does  # noqa: PLC0415 - few machines have HIP
    from fakecuda.rules.hip.handle import POINTS_TO_THE_DESCRIPTOR  # noqa: PLC0415 - as above

    return does(call, POINTS_TO_THE_DESCRIPTOR)
