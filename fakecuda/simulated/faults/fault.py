"""A fault, and what stands between the calls of a machine and their effects while it has some.

A fault comes where a call has passed its checks and is about to act. That place is the call's first effect of its own
(:mod:`fakecuda.model.effect`); a call without effects has passed its checks when it is about to be written down as a success.
Both places are there for others anyway: effects are watched, and a machine's record of calls is replaced.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Self

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.call import MAKING, made_by
from fakecuda.model.effect import Act, watched
from fakecuda.model.hooks import ASK, RECORD
from fakecuda.rules.core import Broken
from fakecuda.rules.driver.context.fault import STICKY
from fakecuda.rules.injected import NO_FAULT_IS_INJECTED
from fakecuda.rules.registry import below
from fakecuda.simulated.faults.codes import beneath
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from types import CodeType, FrameType, TracebackType

    from fakecuda import Machine
    from fakecuda.model.os.thread import Thread
    from fakecuda.rules.dispatch import Op
    from fakecuda.spec.codes import Code

SUCCESS = int(Result.SUCCESS)


@define(eq=False)
class Attempt:
    """A call that has passed its checks, and is about to act.

    Attributes:
        thread: Who calls.
        op: The operation.
        args: Its arguments, plain values in C order.
        names: The names by which it is called: its own, and those of the calls of the APIs beneath that it makes here.
        act: Its effect; None where it has none.
    """

    thread: Thread
    op: Op
    args: tuple[Any, ...]
    names: Collection[str]
    act: Act | None


class Listener(Protocol):
    """Who is asked of each call that is about to act."""

    def meets(self, attempt: Attempt) -> bool:
        """Note a call; return whether it is refused."""


@define(eq=False)
class Fault:
    """Calls that a machine refuses although nothing is wrong with them.

    As a context manager it ends with the block, which fails if it never came.

    Attributes:
        call: The function.
        nth: Which such call is the first that is refused, counted from 1.
        code: What it answers.
        times: How many calls are refused in a row; None for all from then on.
        process: The name of the process that calls; None for any.
        seen: How many such calls there were.
        came: How often one was refused.
        expected: Whether the test expects a call to be refused so.
    """

    call: str
    nth: int
    code: Code
    times: int | None
    process: str | None
    seen: int = field(default=0, init=False)
    came: int = field(default=0, init=False)
    expected: bool = field(default=False, init=False)
    _guard: Guard = field(repr=False, kw_only=True)
    _when: Callable[[Attempt], bool] | None = field(repr=False, kw_only=True)
    _stack: history.Stack = field(repr=False, kw_only=True)

    @property
    def line(self) -> str:
        """The line of the user's code that has injected it, as ``file:line in function``."""
        return next(iter(history.places(self._stack)), "")

    def meets(self, attempt: Attempt) -> bool:
        """Count a call that it is about; return whether it is refused."""
        if self.call not in attempt.names or self.process not in {None, attempt.thread.process.name}:
            return False
        if self._when is not None and not self._when(attempt):
            return False
        self.seen += 1
        refused = self.seen >= self.nth and (self.times is None or self.came < self.times)
        self.came += refused
        return refused

    def end(self) -> None:
        """End it: calls are refused no longer."""
        self._guard.drop(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it.

        Raises:
            AssertionError: It never came, and no exception is under way.
        """
        __tracebackhide__ = True
        self.end()
        if kind is None and not self.came:
            raise AssertionError(self.missed)

    @property
    def missed(self) -> str:
        """What to say of one that never came."""
        many = history.counted(self.seen, "such call")
        return f"{self} never came: {many} passed the checks" + (f"; set at {self.line}" if self.line else "")

    def __str__(self) -> str:
        told = [repr(self.call)]
        told += [f"nth={self.nth}"] * (self.nth != 1)
        told.append(f"code={self.code.name!r}")
        told += [f"times={self.times}"] * (self.times != 1)
        told += [f"process={self.process!r}"] * (self.process is not None)
        told += ["when=..."] * (self._when is not None)
        return f"fail({', '.join(told)})"


class Guard:
    """What asks the listeners of a machine of each call that is about to act; it is there as long as one listens.

    Args:
        machine: The machine.
    """

    def __init__(self, machine: Machine) -> None:
        self.listeners: list[Listener] = []
        self._machine = machine
        self._asked: dict[Thread, tuple[Op, set[str]]] = {}
        self._watching = ExitStack()

    def add(self, listener: Listener) -> None:
        """Ask somebody of each call from now on."""
        if not self.listeners:
            self._watching.callback(RECORD.put(self._machine, ASK, lambda record: partial(self._note, record)))
            self._watching.enter_context(watched(self._before))
        self.listeners.append(listener)

    def drop(self, listener: Listener) -> None:
        """Ask somebody no longer; with the last one the machine is as it was."""
        if listener not in self.listeners:
            return
        self.listeners.remove(listener)
        if not self.listeners:
            self._watching.close()
            self._asked.clear()

    def _before(self, act: Act) -> None:
        """Ask of a call whose own effect is about to act."""
        if act.outer is not None or act.effect.beside:
            return
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - as call.under_way
        codes = set()
        while frame is not None and frame.f_code not in MAKING:
            codes.add(frame.f_code)
            frame = frame.f_back
        if frame is None:
            return
        call, op, args = made_by(frame)
        if call.machine is self._machine:
            self._ask(call.thread, op, args, _names(op, codes), act)

    def _note(self, write: Callable[[tuple[Any, ...]], None], record: tuple[Any, ...]) -> None:
        """Write the record of a call; ask of one that succeeds and has had no effect."""
        thread, op, args, code, *_ = record
        if code == SUCCESS:
            self._ask(thread, op, args, _names_of_query(op), None)
        self._asked.pop(thread, None)
        write(record)

    def _ask(self, thread: Thread, op: Op, args: tuple[Any, ...], names: set[str], act: Act | None) -> None:
        """Ask of a call by those of its names by which nobody was asked of it yet.

        Raises:
            Broken: It is refused.
        """
        known = self._asked.get(thread)
        asked = known[1] if known is not None and known[0] is op else set()
        new = names - asked
        self._asked[thread] = op, asked | names
        if not new:
            return
        attempt = Attempt(thread, op, args, new, act)
        refusing = [one for one in self.listeners if one.meets(attempt)]
        if refusing:
            self._refuse(attempt, refusing[0])

    def _refuse(self, attempt: Attempt, fault: Any) -> None:
        """Refuse a call; one that is told of a sticky code has its context go on answering that.

        Raises:
            Broken: Always.
        """
        code, thread = beneath(fault.call, fault.code), attempt.thread
        context = thread.stack[-1] if thread.stack else None
        if fault.code in STICKY and context is not None and context.handle in thread.process.contexts:
            self._machine.poison(thread.process, context.handle, code)
        raise Broken(NO_FAULT_IS_INJECTED, {"injected": fault}, code)


def _names(op: Op, codes: set[CodeType]) -> set[str]:
    """Return the names of a call and of those beneath whose functions are on the stack."""
    parts = below(op) if op.api.lower else ()
    return {op.name, *(part.name for part in parts if part.function.__code__ in codes)}


def _names_of_query(op: Op) -> set[str]:
    """Return the names of a call without effects, and of the one beneath that it is under another name."""
    made = getattr(op.function, "guards", ()) if op.api.lower else ()
    return {op.name, *(part.name for part in below(op) if part.function in made)} if made else {op.name}
