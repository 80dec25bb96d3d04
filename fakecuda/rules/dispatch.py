"""Operations, and the only way to call them.

An operation is one entry point. It checks its rules in the driver's order with inline guards, and only then acts.
``Op.invoke`` calls it under the machine's lock, with the garbage collector paused. It converts a broken rule into
the API's code, and writes the record of the call.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import MutableMapping
from gc import disable, enable, isenabled
from importlib import import_module
from inspect import CO_VARARGS
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from fakecuda.errors import NotModelledWarning, UndefinedBehaviour
from fakecuda.model.call import MAKING, RetryCall
from fakecuda.model.memory.headroom import limited, make_room
from fakecuda.model.os.interruption import ROOM, deferred, let_go, run_deferred
from fakecuda.rules.core import RULES, Broken
from fakecuda.rules.fixed_arity import with_fixed_arity
from fakecuda.rules.rule_discovery import parts_of, rules_of
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fakecuda.model.call import Call
    from fakecuda.model.machine import Machine
    from fakecuda.model.os.thread import Thread
    from fakecuda.rules.core import Rule
    from fakecuda.rules.registry import Api

SUCCESS = int(Result.SUCCESS)
REFUSED_TEXT = frozenset({Result.INVALID_PTX, Result.UNSUPPORTED_PTX_VERSION})
INDEX = Path(__file__).with_name("generated") / "index.json"
_importing = RLock()
"""Held while an operation is imported and while the OS process forks. Otherwise the lock of a module that another
thread imports would stay locked in the child forever."""
os.register_at_fork(before=_importing.acquire, after_in_parent=_importing.release, after_in_child=_importing.release)
HOMES: dict[str, dict[str, str]] = json.loads(INDEX.read_text(encoding="utf-8"))
"""The module that declares each call, by API; ``python -m tools.codegen`` writes the file."""


class Op:
    """An operation: the rules and the effect of one entry point.

    Attributes:
        name: The function's name in the manual.
        api: Its API.
        function: The operation as a function, ``function(call, *plain values)``.
        invoke: ``invoke(call, *plain values) -> (code, results)``. The results are None without any, a plain value for
            one, and a tuple for several. They are None for a failure, too, unless the failed call has results.
        acts_before: Rules that the driver checks after it has acted. A call that breaks one leaves a trace.
        remember: Stores the code of a failure as the thread's last error. None if failures are not stored.
        several: Why it has several effects. Empty if it has at most one.
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
        remember: Callable[[Thread, int, str], None] | None = None,
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
        invoker = _invoker if code.co_flags & CO_VARARGS else with_fixed_arity(_invoker, code.co_argcount - 1)
        self.invoke = invoker(self, function)
        self._rules: tuple[Rule, ...] | None = None
        self._parts: tuple[Rule | Op, ...] | None = None

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules in the order of their checks, including those of its guards."""
        if self._rules is None:
            self._rules = rules_of(self.function)
        return self._rules

    @property
    def parts(self) -> tuple[Rule | Op, ...]:
        """The rules in the order of their checks.

        An operation of an API below takes the place of its rules.
        """
        if self._parts is None:
            self._parts = parts_of(self.function, self.api.beneath())
        return self._parts

    def __repr__(self) -> str:
        return f"<Op {self.name}>"


class Ops(MutableMapping[str, Op]):
    """Operations by the names of their calls; each is imported on first use.

    Args:
        homes: The module that declares each call.

    Attributes:
        changes: How often an operation was declared, replaced or removed, from 1.
    """

    __slots__ = ("_homes", "_made", "changes")

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = homes
        self._made: dict[str, Op] = {}
        self.changes = 1

    def __getitem__(self, name: str) -> Op:
        found = self._made.get(name)
        return self._imported(name) if found is None else found

    def _imported(self, name: str) -> Op:
        home = RULES + self._homes[name]
        # If the collector ran now, a finaliser could make this call while its module is half imported.
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
        """Return the operations whose modules are imported."""
        return self._made

    def __setitem__(self, name: str, op: Op) -> None:
        self._made[name] = op
        self.changes += 1

    def __delitem__(self, name: str) -> None:
        del self._made[name]
        self.changes += 1

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, those of the index first."""
        return iter(dict.fromkeys([*self._homes, *self._made]))

    def __len__(self) -> int:
        return len(self._homes.keys() | self._made.keys())

    def __contains__(self, name: object) -> bool:
        return name in self._homes or name in self._made


def late(scope: dict[str, Any], ops: Ops, name: str) -> Callable[..., tuple[int, Any]]:
    """Return an ``invoke`` that imports its operation at the first call.

    Args:
        scope: The globals of a module, in which ``_name`` is bound to the result. The first call replaces it there by
            the operation's own ``invoke``.
        ops: The operations of the API.
        name: The call.
    """

    def first(*args: Any) -> tuple[int, Any]:
        invoke = scope[f"_{name}"] = ops[name].invoke
        return invoke(*args)

    return first


def _note(machine: Machine, record: tuple[Any, ...]) -> None:
    """Record a refused call, report it, and note that the thread's code was refused."""
    thread, this, args, code, _, rule, facts = record
    if code in REFUSED_TEXT:
        thread.refused_text = code
    machine.record(record)
    if "not_modelled" in facts:
        msg = f"{this.name}: {facts['not_modelled']}: not modelled, so the call answers {this.api.cname(code)}"
        warnings.warn(msg, NotModelledWarning, stacklevel=4)
    if machine.refused is not None:
        machine.refused(thread, this.name, args, code, rule, facts)


def _invoker(this: Op, function: Callable[..., Any]) -> Callable[..., tuple[int, Any]]:  # noqa: PLR0915 - one call fewer
    def invoke(call: Call, *args: Any) -> tuple[int, Any]:  # noqa: PLR0915 - one call fewer
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
        # The usual path has no finally clause: an exception may arrive at any instruction, also in such a clause.
        try:
            if limited:
                make_room(call)
            machine.lock.acquire()
            # If the collector ran in an operation, a finaliser could call the driver in the middle of it.
            collecting = isenabled()
            if collecting:
                disable()
            try:
                gate = call.process.gate
                outs = function(call, *args) if gate is None else gate(call, this, args)
                record = machine.record  # Python finds an attribute that is not a method faster in this way
                record((thread, this, args, SUCCESS, outs, None, None))
                answer = SUCCESS, outs
            except Broken as broken:
                code = this.api.codes.get(broken.code, broken.code)
                if this.remember is not None:
                    this.remember(thread, code, this.name)
                _note(machine, (thread, this, args, code, broken.outs, broken.rule, broken.facts))
                answer = code, broken.outs
            except RetryCall as waited:
                answer = invoke(call.after(waited.what), *args)
            except UndefinedBehaviour as undefined_:
                finding = undefined_.finding
                machine.record((thread, this, args, None, None, finding.rule, finding.facts))
                raise
            except Exception:
                if call.native and this.remember is not None:  # no exception travels through C: it gets a code
                    this.remember(thread, this.api.codes.get(Result.UNKNOWN, Result.UNKNOWN), this.name)
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
