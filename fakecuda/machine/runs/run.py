"""One run of a program on its own machine, with or without a fault.

It has the run's calls and what the run left.
"""

from __future__ import annotations

import inspect
from collections import Counter
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from fakecuda.errors import FakeCudaError, UndefinedBehaviour
from fakecuda.machine import deadlocks, findings, leaks, refusals
from fakecuda.machine.faults.codes import gives_back
from fakecuda.machine.faults.setting import guard_of
from fakecuda.machine.simulating import simulate
from fakecuda.model import history
from fakecuda.model.effect import watched
from fakecuda.model.machine import CALLS_KEPT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from fakecuda import Fault, Machine
    from fakecuda.machine.faults.fault import Attempt
    from fakecuda.model.effect import Act
    from fakecuda.model.memory.va import Mapping
    from fakecuda.rules.dispatch import Op

    Key = tuple[str, ...]

ASKS_WHAT_FAILED = frozenset(
    f"{prefix}{name}"
    for prefix in ("cu", "cuda", "hip", "hipDrv")
    for name in ("GetErrorName", "GetErrorString", "GetLastError", "PeekAtLastError", "ExtGetLastError")
)
"""Calls that look up an error, which a program makes after a failure."""


@frozen
class Place:
    """A call of a program at the moment before it acts.

    Attributes:
        nth: Its number among such calls, as faults count.
        process: The name of the process.
        stack: The caller's stack.
        position: The number of earlier calls on the machine.
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
class Candidates:
    """A listener that notes each call before it acts, and refuses none.

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
    """A listener that notes which call a fault has refused.

    Attributes:
        machine: The machine.
        fault: The fault. It is asked before this object.
        position: The number of calls on the machine before the refused one; None if the fault has refused no call yet.
        spared: The objects that the refused call would have given back. They do not count as left behind.
    """

    machine: Machine
    fault: Fault
    position: int | None = None
    spared: list[Any] = field(factory=list)

    def meets(self, attempt: Attempt) -> bool:
        """Note the refused call."""
        if self.position is None and self.fault.came:
            self.position = len(self.machine.calls)
            if attempt.act is not None and gives_back(attempt.op):
                self.spared = [*attempt.act.ended, *attempt.act.arguments.values()]
        return False


@define(eq=False)
class Run:
    """The result of a run.

    Attributes:
        places: The calls that were about to act; empty for a run with a fault.
        calls: All calls, as names of processes and functions, in order.
        position: The index of the refused call among them; None without a refused call.
        expected: Whether the program expects the refused call.
        error: The exception of the program, as text; empty if there was no exception.
        trace: Its traceback.
        stuck: Whether the model ended the run, because it waited for something that cannot come.
        undefined: The undefined behaviour.
        refused: Refused calls that the program does not expect, each with its text.
        left: The leaks, each with its text.
        bare: Mappings to which no device and no host ever had access, each with its text. In a run with a fault, only
            mappings made after the refused call count.
        broken: The broken invariant of the machine; empty if all hold.
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
        """Return the functions called after a position by all processes.

        Functions that look up an error are left out.
        """
        return [call for _, call in self.calls[position + 1 :] if call not in ASKS_WHAT_FAILED]

    @property
    def is_whole(self) -> bool:
        """Whether all calls were kept."""
        return len(self.calls) < CALLS_KEPT


@frozen
class Prepared:
    """A program in two parts: the first prepares its machine and meets no fault, the second is swept.

    Attributes:
        name: The program's name.
        prepare: Prepares the machine for a ``with`` block, and gives a function without arguments, which is swept.
    """

    name: str
    prepare: Callable[[Machine], AbstractContextManager[Callable[[], object]]]


def name_of(program: Callable[..., object] | Prepared) -> str:
    """Return the name of a program."""
    return program.name if isinstance(program, Prepared) else getattr(program, "__name__", str(program))


def run(
    program: Callable[..., object] | Prepared,
    options: dict[str, Any],
    inject: Callable[[Machine], Fault] | None = None,
) -> Run:
    """Run a program on a new machine.

    Args:
        program: The program. A function takes the machine, or nothing.
        options: Options of :func:`fakecuda.simulate`.
        inject: Injects a fault. Without it, an exception of the program propagates.
    """
    done, mappings = Run(), list[tuple["Mapping", bool]]()
    with simulate(**options) as machine, ExitStack() as stack:
        counted, candidates = refusals.count(machine), Candidates(machine)
        witness: Witness | None = None

        def note(act: Act) -> None:
            if act.effect.makes == "Mapping":
                counts = inject is None or (witness is not None and witness.position is not None)
                mappings.extend((one, counts) for one in act.made)

        stack.enter_context(watched(after=note))
        failure = None
        try:
            with ExitStack() as prepared:
                if isinstance(program, Prepared):
                    function: Callable[..., object] = prepared.enter_context(program.prepare(machine))
                    until = prepared.enter_context(ExitStack())
                else:
                    function, until = program, stack  # its garbage is collected below, and meets faults, too
                witness = None if inject is None else Witness(machine, inject(machine))
                until.enter_context(_met(machine, witness or candidates))
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
        done.places = candidates.places
        if witness is not None:
            done.position, done.expected = witness.position, witness.fault.expected
        done.left = [
            ((one.kind, one.line), f"{one}; fix: {one.fix}") for one in remains.found if id(one.item) not in spared
        ]
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


@contextmanager
def _met(machine: Machine, listener: Candidates | Witness) -> Iterator[None]:
    """Have a listener meet the calls of the block; the fault of a witness ends with it."""
    guard = guard_of(machine)
    guard.add(listener)
    try:
        yield
    finally:
        guard.drop(listener)
        if isinstance(listener, Witness):
            listener.fault.end()


def _bare(mapping: Mapping) -> tuple[Key, str]:
    """Return the text for a mapping that never had access."""
    line = next(iter(history.places(mapping.created)), "")
    return (line,), f"{mapping}, mapped at {line}" if line else str(mapping)


def call_with(function: Callable[..., object], given: object) -> None:
    """Call a program, with an object if it takes an argument.

    Raises:
        FakeCudaError: The program is a coroutine function.
    """
    if inspect.iscoroutinefunction(function):
        msg = f"{function.__name__} is a coroutine function: pass a function that calls asyncio.run"
        raise FakeCudaError(msg)
    taken = [
        one
        for one in inspect.signature(function).parameters.values()
        if one.default is one.empty and one.kind in {one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD}
    ]
    function(*[given][: len(taken)])


def _keep(done: Run, failure: BaseException | None) -> None:
    """Keep the text of a program's exception.

    The exception itself is not kept, because it holds local variables.
    """
    if failure is None:
        return
    first = next(iter(str(failure).splitlines()), "")
    done.error = type(failure).__name__ + (f": {first}" if first else "")
    done.trace = findings.users_trace(failure)
    done.stuck = isinstance(failure, FakeCudaError) and not isinstance(failure, UndefinedBehaviour)
