"""One run of a program on a machine of its own, with a fault or without: what it did, and what it left."""

from __future__ import annotations

import inspect
import traceback
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from fakecuda.errors import FakeCudaError, UndefinedBehaviour
from fakecuda.model import history
from fakecuda.model.effect import watched
from fakecuda.model.machine import CALLS_KEPT
from fakecuda.simulated import deadlocks, findings, leaks, refusals
from fakecuda.simulated.faults.codes import gives_back
from fakecuda.simulated.faults.setting import guard_of
from fakecuda.simulated.install import simulate

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Fault, Machine
    from fakecuda.model.effect import Act
    from fakecuda.model.memory.va import Mapping
    from fakecuda.rules.dispatch import Op
    from fakecuda.simulated.faults.fault import Attempt

    Key = tuple[str, ...]

ASKS_WHAT_FAILED = frozenset(
    f"{prefix}{name}"
    for prefix in ("cu", "cuda", "hip", "hipDrv")
    for name in ("GetErrorName", "GetErrorString", "GetLastError", "PeekAtLastError", "ExtGetLastError")
)
"""Calls by which a program that tells of a failure, and goes on, differs from one that does not look."""


@frozen
class Place:
    """A call of a program that was about to act.

    Attributes:
        op: The operation.
        nth: Which such call it is, as faults count.
        process: The name of the process.
        stack: The stack that called.
        position: How many calls the machine had made before.
    """

    op: Op
    nth: int
    process: str
    stack: history.Stack
    position: int

    @property
    def line(self) -> str:
        """The line of the user's code that called, as ``file:line in function``."""
        return next(iter(history.places(self.stack)), "")


@define(eq=False)
class WaitGraph:
    """Notes each call that is about to act, and refuses none.

    Attributes:
        machine: The machine.
        places: The calls.
    """

    machine: Machine
    places: list[Place] = field(factory=list)
    _counts: Counter[str] = field(factory=Counter)

    def meets(self, attempt: Attempt) -> bool:
        """Note a call."""
        self._counts.update(attempt.names)
        if (name := attempt.op.name) in attempt.names:
            process, position = attempt.thread.process.name, len(self.machine.calls)
            self.places.append(Place(attempt.op, self._counts[name], process, history.here(), position))
        return False


@define(eq=False)
class Witness:
    """Notes which call a fault has refused.

    Attributes:
        machine: The machine.
        fault: The fault, which is asked before.
        position: How many calls the machine had made before; None while the fault has not come.
        spared: The objects that the call would have given back: they are left because it has failed.
    """

    machine: Machine
    fault: Fault
    position: int | None = None
    spared: list[Any] = field(factory=list)

    def meets(self, attempt: Attempt) -> bool:
        """Note the call that has been refused."""
        if self.position is None and self.fault.came:
            self.position = len(self.machine.calls)
            if attempt.act is not None and gives_back(attempt.op):
                self.spared = [*attempt.act.ended, *attempt.act.arguments.values()]
        return False


@define(eq=False)
class Run:
    """What a run has shown.

    Attributes:
        places: The calls that were about to act; of a run without a fault.
        calls: All calls, as names of processes and functions, in order.
        position: Where the refused call is among them; None without one.
        expected: Whether the program expects the refused call.
        error: What came out of the program; empty for nothing.
        trace: Its traceback.
        stuck: Whether the model has ended it, because it waits for what never comes.
        undefined: The undefined behaviour.
        refused: Refused calls that nobody expects, each with its text.
        left: What it has left, likewise.
        bare: Mappings to which nobody ever had access, likewise; of a run with a fault those that were made behind it.
        broken: Which invariant of the machine broke.
    """

    places: list[Place] = field(factory=list)
    calls: list[tuple[str, str]] = field(factory=list)
    position: int | None = None
    expected: bool = False
    error: str = ""
    trace: str = ""
    stuck: bool = False
    undefined: list[str] = field(factory=list)
    refused: list[tuple[Key, str]] = field(factory=list)
    left: list[tuple[Key, str]] = field(factory=list)
    bare: list[tuple[Key, str]] = field(factory=list)
    broken: str = ""

    def behind(self, position: int) -> list[str]:
        """Return the functions that were called behind a call, by all processes; what asks for errors is left out."""
        return [call for _, call in self.calls[position + 1 :] if call not in ASKS_WHAT_FAILED]

    @property
    def is_whole(self) -> bool:
        """Whether all its calls are known."""
        return len(self.calls) < CALLS_KEPT


def run(
    function: Callable[..., object],
    options: dict[str, Any],
    inject: Callable[[Machine], Fault] | None = None,
) -> Run:
    """Run a program on a fresh machine.

    Args:
        function: The program; it takes the machine, or nothing.
        options: Those of :func:`fakecuda.simulate`.
        inject: Injects the fault; without it, an error of the program is raised.
    """
    done, mappings = Run(), list[tuple["Mapping", bool]]()
    with simulate(**options) as machine, ExitStack() as stack:
        counted, guard = refusals.count(machine), guard_of(machine)
        census, witness = WaitGraph(machine), None if inject is None else Witness(machine, inject(machine))
        listener = witness or census
        guard.add(listener)
        stack.callback(guard.drop, listener)

        def note(act: Act) -> None:
            if act.effect.makes == "Mapping":
                mappings.extend((one, witness is None or witness.position is not None) for one in act.made)

        stack.enter_context(watched(after=note))
        failure = None
        try:
            call_with(function, machine)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if inject is None:
                raise
            failure = error
        done.calls = [(thread.process.name, op.name) for thread, op, *_ in list(machine.calls)]
        _keep(done, failure)
        remains = leaks.at_end(machine, (), failure)
        spared = {id(item) for item in witness.spared} if witness is not None else set()
        done.places = census.places
        if witness is not None:
            done.position, done.expected = witness.position, witness.fault.expected
        done.left = [((one.kind, one.line), str(one)) for one in remains.found if id(one.item) not in spared]
        done.refused = [((one.call, str(one.code), one.line), str(one)) for one in counted.kept]
        done.bare = [_bare(one) for one, counts in mappings if counts and not one.access and not one.host_access]
        try:
            machine.check_invariants()
        except AssertionError as error:
            done.broken = str(error) or repr(error)
        if inject is not None:
            done.undefined = [str(one) for one in findings.take(machine)]
            done.stuck = bool(deadlocks.take(machine)) or done.stuck
            machine.end_faults()
    return done


def _bare(mapping: Mapping) -> tuple[Key, str]:
    """Return what tells of a mapping to which nobody ever had access."""
    line = next(iter(history.places(mapping.created)), "")
    return (line,), f"{mapping}, mapped at {line}" if line else str(mapping)


def call_with(function: Callable[..., object], given: object) -> None:
    """Call a program with an object, if it takes an argument.

    Raises:
        FakeCudaError: It is a coroutine function.
    """
    if inspect.iscoroutinefunction(function):
        msg = f"{function.__name__} is a coroutine function: give a function that calls asyncio.run"
        raise FakeCudaError(msg)
    taken = [
        one
        for one in inspect.signature(function).parameters.values()
        if one.default is one.empty and one.kind in {one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD}
    ]
    function(*[given][: len(taken)])


def _keep(done: Run, failure: BaseException | None) -> None:
    """Keep what is told of the exception that came out of a program; the exception itself holds its local variables."""
    if failure is None:
        return
    first = next(iter(str(failure).splitlines()), "")
    done.error = type(failure).__name__ + (f": {first}" if first else "")
    done.trace = "".join(traceback.format_exception(failure))
    done.stuck = isinstance(failure, FakeCudaError) and not isinstance(failure, UndefinedBehaviour)
