"""A fault, and the guard that asks each call whether to fail.

The guard exists while the machine has faults.
A fault refuses a call that has passed its checks and is about to act: at the call's first effect of its own
(:mod:`fakecuda.model.effect`). A call without effects has passed its checks when its success is about to be recorded.
Both places are existing hooks: effects can be watched, and a machine's ``record`` can be replaced.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Self

from attrs import define, field

from fakecuda.machine.faults.codes import beneath
from fakecuda.model import history
from fakecuda.model.call import MAKING, made_by
from fakecuda.model.effect import Act, watched
from fakecuda.model.hooks import ASK, RECORD
from fakecuda.rules.core import Broken
from fakecuda.rules.driver.context.fault import STICKY
from fakecuda.rules.injected import NO_FAULT_IS_INJECTED
from fakecuda.rules.registry import below
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
    """A call that has passed its checks and is about to act.

    Attributes:
        thread: The calling thread.
        op: The operation.
        args: Its arguments, plain values in C order.
        names: The names of the call: its own, and those of the lower APIs' calls that it makes here.
        act: Its effect; None for a call without effects.
    """

    thread: Thread
    op: Op
    args: tuple[Any, ...]
    names: Collection[str]
    act: Act | None


class Listener(Protocol):
    """An object that receives each call that is about to act."""

    def meets(self, attempt: Attempt) -> bool:
        """Note a call, and return whether to refuse the call."""


@define(eq=False)
class Fault:
    """Calls that a machine refuses although they break no rule.

    As a context manager, the fault ends with the block. The block raises AssertionError if the fault refused no call.

    Attributes:
        call: The function.
        nth: The first matching call to refuse, counted from 1.
        code: The code that the refused call answers.
        times: How many calls in a row are refused; None for all from the nth on.
        process: The name of the calling process; None for any.
        seen: How many matching calls there were.
        came: How many were refused.
        expected: Whether the test expects the refused call.
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
        """The line of the user's code that injected the fault.

        Its form is ``file:line in function``.
        """
        return next(iter(history.places(self._stack)), "")

    def meets(self, attempt: Attempt) -> bool:
        """Count a matching call; return whether to refuse the call."""
        if self.call not in attempt.names or self.process not in {None, attempt.thread.process.name}:
            return False
        if self._when is not None and not self._when(attempt):
            return False
        self.seen += 1
        refused = self.seen >= self.nth and (self.times is None or self.came < self.times)
        self.came += refused
        return refused

    def end(self) -> None:
        """End the fault: no more calls are refused."""
        self._guard.drop(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the fault.

        Raises:
            AssertionError: The fault refused no call, and no exception is propagating.
        """
        __tracebackhide__ = True
        self.end()
        if kind is None and not self.came:
            raise AssertionError(self.missed)

    @property
    def missed(self) -> str:
        """The message for a fault that refused no call."""
        many = history.counted(self.seen, "such call")
        told = f"{self} made no call fail: only {many} would have succeeded"
        return f"{told}; set at {self.line}" if self.line else told

    def __str__(self) -> str:
        told = [repr(self.call)]
        told += [f"nth={self.nth}"] * (self.nth != 1)
        told.append(f"code={self.code.name!r}")
        told += [f"times={self.times}"] * (self.times != 1)
        told += [f"process={self.process!r}"] * (self.process is not None)
        told += ["when=..."] * (self._when is not None)
        return f"fail({', '.join(told)})"


class Guard:
    """The guard that asks a machine's listeners about each call before it acts.

    It does so as long as there are listeners.

    Args:
        machine: The machine.
    """

    def __init__(self, machine: Machine) -> None:
        self.listeners: list[Listener] = []
        self._machine = machine
        self._asked: dict[Thread, tuple[Op, set[str]]] = {}
        self._watching = ExitStack()

    def add(self, listener: Listener) -> None:
        """Ask a listener about each call from now on."""
        if not self.listeners:
            self._watching.callback(RECORD.put(self._machine, ASK, lambda record: partial(self._note, record)))
            self._watching.enter_context(watched(self._before))
        self.listeners.append(listener)

    def drop(self, listener: Listener) -> None:
        """Stop asking a listener.

        Without listeners, the guard takes its hooks off the machine.
        """
        if listener not in self.listeners:
            return
        self.listeners.remove(listener)
        if not self.listeners:
            self._watching.close()
            self._asked.clear()

    def _before(self, act: Act) -> None:
        """Ask about a call whose own effect is about to act."""
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
        """Record a call; ask listeners about a successful call without effects."""
        thread, op, args, code, *_ = record
        if code == SUCCESS:
            self._ask(thread, op, args, _names_of_query(op), None)
        self._asked.pop(thread, None)
        write(record)

    def _ask(self, thread: Thread, op: Op, args: tuple[Any, ...], names: set[str], act: Act | None) -> None:
        """Ask listeners about a call, by the names that were not asked yet.

        Raises:
            Broken: A listener refuses the call.
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
        """Refuse a call.

        A sticky code also poisons its context, which then answers that code.

        Raises:
            Broken: Always.
        """
        code, thread = beneath(fault.call, fault.code), attempt.thread
        context = thread.stack[-1] if thread.stack else None
        if fault.code in STICKY and context is not None and context.handle in thread.process.contexts:
            self._machine.poison(thread.process, context.handle, code)
        raise Broken(NO_FAULT_IS_INJECTED, {"injected": fault}, code)


def _names(op: Op, codes: set[CodeType]) -> set[str]:
    """Return the names of a call and of lower APIs' calls on the stack."""
    parts = below(op) if op.api.lower else ()
    return {op.name, *(part.name for part in parts if part.function.__code__ in codes)}


def _names_of_query(op: Op) -> set[str]:
    """Return the names of a call without effects and of its lower call.

    The lower call is the lower API's call that it forwards to.
    """
    made = getattr(op.function, "guards", ()) if op.api.lower else ()
    return {op.name, *(part.name for part in below(op) if part.function in made)} if made else {op.name}
