"""Operations, and their single entry point.

An operation is one entry point: it checks its rules in the driver's order with inline guards, and only then acts.
``Op.invoke`` makes it: under the machine's lock, with the collector paused, it runs the operation, turns a broken rule
into what the API answers, and writes the call record.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import MutableMapping
from gc import disable, enable, isenabled
from importlib import import_module
from inspect import CO_VARARGS
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from fakecuda.errors import UndefinedBehaviour
from fakecuda.model.call import MAKING, LookAgain
from fakecuda.model.memory.headroom import limited, make_room
from fakecuda.model.os.interruption import ROOM, deferred, let_go, run_deferred
from fakecuda.rules.core import RULES, Broken
from fakecuda.rules.reading import parts_of, rules_of
from fakecuda.rules.unpacked import unpacked
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fakecuda.model.call import Call
    from fakecuda.model.machine import Machine
    from fakecuda.model.os.process import Thread
    from fakecuda.rules.core import Rule
    from fakecuda.rules.registry import Api

SUCCESS = int(Result.SUCCESS)
INDEX = Path(__file__).with_name("generated") / "index.json"
_importing = RLock()
"""Held during the import of an operation, and during a fork: Python leaves the lock of a module that another thread
imports locked in the child for ever."""
os.register_at_fork(before=_importing.acquire, after_in_parent=_importing.release, after_in_child=_importing.release)
HOMES: dict[str, dict[str, str]] = json.loads(INDEX.read_text(encoding="utf-8"))
"""Which module declares a call, by API; ``python -m tools.codegen`` writes it."""


class Op:
    """An operation: one entry point's rules and effect.

    Attributes:
        name: The function's name in the manual.
        api: The API that it is of.
        function: The operation itself, ``function(call, *plain values)``.
        invoke: ``invoke(call, *plain values) -> (code, results)``: results are None for a failure, unless that returns
            something too, or for none, the plain value of one, a tuple of several.
        acts_before: Rules whose breach leaves a trace, because the driver has acted when it checks them.
        remember: Keeps what a failure has answered as the thread's last error; None if the API keeps no last error.
        several: Why it has several effects; empty where it has one, or none.
    """

    __slots__ = (
        "_parts",
        "_rules",
        "acts_before",
        "api",
        "function",
        "invoke",
        "module",
        "name",
        "remember",
        "several",
    )

    def __init__(
        self,
        name: str,
        api: Api,
        function: Callable[..., Any],
        acts_before: tuple[Rule, ...] = (),
        remember: Callable[[Thread, int], None] | None = None,
        several: str = "",
    ) -> None:
        self.name = name
        self.api = api
        self.acts_before = acts_before
        self.remember = remember
        self.several = several
        self.function = function
        self.module = function.__module__
        code = function.__code__
        invoker = _invoker if code.co_flags & CO_VARARGS else unpacked(_invoker, code.co_argcount - 1)
        self.invoke = invoker(self, function)
        self._rules: tuple[Rule, ...] | None = None
        self._parts: tuple[Rule | Op, ...] | None = None

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules in the order of their checks, those of the guards it calls included."""
        if self._rules is None:
            self._rules = rules_of(self.function)
        return self._rules

    @property
    def parts(self) -> tuple[Rule | Op, ...]:
        """The rules in the order of their checks, with an operation of an API beneath in the place of its rules."""
        if self._parts is None:
            self._parts = parts_of(self.function, self.api.beneath())
        return self._parts

    def __repr__(self) -> str:
        return f"<Op {self.name}>"


class Ops(MutableMapping[str, Op]):
    """Operations by the names of their calls; one is imported when it is asked for, all are when their values are.

    Args:
        homes: The modules that declare them.
    """

    __slots__ = ("_homes", "_made")

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = homes
        self._made: dict[str, Op] = {}

    def __getitem__(self, name: str) -> Op:
        found = self._made.get(name)
        return self._imported(name) if found is None else found

    def _imported(self, name: str) -> Op:
        home = RULES + self._homes[name]
        # A finaliser that the collector ran here could make the call, half-way.
        collecting = isenabled()
        disable()
        try:
            with _importing:
                import_module(home)
        finally:
            if collecting:
                enable()
        return self._made[name]

    def declared(self) -> Mapping[str, Op]:
        """Return those whose modules are imported."""
        return self._made

    def __setitem__(self, name: str, op: Op) -> None:
        self._made[name] = op

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, those first that the index has."""
        return iter(dict.fromkeys([*self._homes, *self._made]))

    def __len__(self) -> int:
        return len(self._homes.keys() | self._made.keys())

    def __contains__(self, name: object) -> bool:
        return name in self._homes or name in self._made


def late(scope: dict[str, Any], ops: Ops, name: str) -> Callable[..., tuple[int, Any]]:
    """Return the ``invoke`` of an operation that is imported with the first call.

    Args:
        scope: The globals of a module, in which ``_name`` is bound to what is returned: the first call puts the
            operation's own ``invoke`` in its place.
        ops: The operations of the API.
        name: The call.
    """

    def first(*args: Any) -> tuple[int, Any]:
        invoke = scope[f"_{name}"] = ops[name].invoke
        return invoke(*args)

    return first


def _note(machine: Machine, record: tuple[Any, ...]) -> None:
    """Write the record of a refused call, and pass it to the counter of refused calls."""
    machine.record(record)
    if machine.refused is not None:
        thread, this, args, code, _, rule, facts = record
        machine.refused(thread, this.name, args, code, rule, facts)


def _invoker(this: Op, function: Callable[..., Any]) -> Callable[..., tuple[int, Any]]:  # noqa: PLR0915 - one call fewer
    def invoke(call: Call, *args: Any) -> tuple[int, Any]:  # noqa: PLR0915 - plain values, as above
        thread = call.thread
        if thread.remote is not None:
            try:
                if limited:
                    make_room(call)
                return thread.remote(call, this, args)
            finally:
                if deferred:
                    run_deferred(sys._getframe(1))  # noqa: SLF001 - as call.under_way
        machine = call.machine
        collecting = False
        # No clause tidies up on the common way: an exception may come at any instruction, in such a clause too.
        try:
            if limited:
                make_room(call)
            machine.lock.acquire()
            # A finaliser that the collector ran inside an operation could call the driver again, half-way.
            collecting = isenabled()
            if collecting:
                disable()
            try:
                gate = call.process.gate
                outs = function(call, *args) if gate is None else gate(call, this, args)
                record = machine.record  # Python looks an attribute that is no method up faster than it calls it as one
                record((thread, this, args, SUCCESS, outs, None, None))
                answer = SUCCESS, outs
            except Broken as broken:
                code = this.api.codes.get(broken.code, broken.code)
                if this.remember is not None:
                    this.remember(thread, code)
                _note(machine, (thread, this, args, code, broken.outs, broken.rule, broken.facts))
                answer = code, broken.outs
            except LookAgain as waited:
                answer = invoke(call.after(waited.what), *args)
            except UndefinedBehaviour as undefined_:
                finding = undefined_.finding
                machine.record((thread, this, args, None, None, finding.rule, finding.facts))
                raise
            if collecting:
                enable()
            machine.lock.release()
        except BaseException as error:
            if collecting:
                enable()
            if isinstance(error, RecursionError):
                sys.setrecursionlimit(sys.getrecursionlimit() + ROOM)
            let_go(call, this, error, sys._getframe(1))  # noqa: SLF001 - as call.under_way
            if deferred:
                run_deferred(sys._getframe(1))  # noqa: SLF001
            raise
        if deferred:
            run_deferred(sys._getframe(1))  # noqa: SLF001
        return answer

    MAKING.add(invoke.__code__)
    return invoke
