"""Rules, operations and what happens when a rule is broken.

A rule is a named constant of the module of the entry point that it governs; its id is its path below
``fakecuda.rules`` (``va.mem_map.OFFSET_IS_ZERO``). An operation checks its rules in the driver's order with inline
guards, and only then acts. ``Op.invoke`` is the one way in: under the machine's lock, with the collector paused, it
runs the operation, turns a broken rule into its code and writes the call record.
"""

from __future__ import annotations

import ast
import gc
import inspect
import json
import linecache
import sys
from bisect import bisect_left
from collections import ChainMap
from collections.abc import MutableMapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from attrs import field, frozen

from fakecuda.codes import TO_HIP, TO_RUNTIME, Code, Result
from fakecuda.errors import UndefinedBehaviour

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import CodeType, FrameType

    from fakecuda.model.process import Thread

P = ParamSpec("P")
T = TypeVar("T")
RULES = "fakecuda.rules."
"""Modules of rules stand below it, in a package for each API."""


def place(module: str) -> str:
    """Return what a module of rules is called in ids: its path below the driver's rules, or below all for another API's."""
    return module.removeprefix(RULES).removeprefix("driver.")


def module_at(path: str) -> str:
    """Return the module, or the package, of that :func:`place`."""
    return f"{RULES}{path}" if path.partition(".")[0] in {"runtime", "hip"} else f"{RULES}driver.{path}"


@frozen
class Source:
    """Where a rule comes from.

    Attributes:
        grade: ``manual``, ``observed``, ``undefined``, ``source`` or ``hip-tests``.
        call: The function whose documentation or answer it is.
        quote: The manual's words, or what was observed and where it is recorded.
    """

    grade: str
    call: str
    quote: str


def manual(call: str, quote: str) -> Source:
    """Return the source of a rule that the documentation of ``call`` states in the words ``quote``."""
    return Source("manual", call, quote)


def observed(call: str, note: str) -> Source:
    """Return the source of a rule that a real driver showed; recorded programs under conformance/ hold the answers."""
    return Source("observed", call, note)


def undefined(call: str, quote: str) -> Source:
    """Return the source of a rule whose breach the manual calls undefined, or of which it is silent."""
    return Source("undefined", call, quote)


def source(call: str, note: str) -> Source:
    """Return the source of a rule that was read in the sources of an implementation, ROCm/clr."""
    return Source("source", call, note)


def hip_tests(call: str, note: str) -> Source:
    """Return the source of a rule that the tests of HIP's authors state, ROCm/hip-tests."""
    return Source("hip-tests", call, note)


class Rule:
    """One thing that must hold for a call to succeed.

    Args:
        statement: The rule in positive wording.
        code: The code that the driver answers when it is broken.
        source: Where it comes from.
    """

    __slots__ = ("_id", "code", "module", "source", "statement")

    def __init__(self, statement: str, code: Code, source: Source) -> None:
        self.statement = statement
        self.code = code
        self.source = source
        self.module: str = sys._getframe(1).f_globals["__name__"]  # noqa: SLF001 - the id is the path
        self._id = ""

    @property
    def grade(self) -> str:
        """The grade of the evidence: ``manual``, ``observed``, ``undefined``, ``source`` or ``hip-tests``."""
        return self.source.grade

    @property
    def id(self) -> str:
        """The rule's name behind the :func:`place` of its module."""
        if not self._id:
            names = (name for name, value in vars(sys.modules[self.module]).items() if value is self)
            self._id = f"{place(self.module)}.{next(names)}"
        return self._id

    def broken(self, **facts: Any) -> Broken:  # noqa: ANN401 - whatever the op knows
        """Return the exception that says that this rule is broken, with the facts that broke it."""
        return Broken(self, facts)

    def __repr__(self) -> str:
        return f"<Rule {self.id}: {self.statement}>"


class Broken(Exception):  # noqa: N818 - it is no error of the program; it never leaves Op.invoke
    """A rule does not hold; raised by operations, converted to a code by ``Op.invoke``.

    Args:
        rule: The rule.
        facts: Values and objects that broke it.
        code: What the call answers where that is not always the same; the rule's code without it.
    """

    __slots__ = ("code", "facts", "rule")

    def __init__(self, rule: Rule, facts: dict[str, Any], code: int | None = None) -> None:
        super().__init__()
        self.rule = rule
        self.facts = facts
        self.code = int(rule.code if code is None else code)


@frozen
class Finding:
    """An undefined rule that was broken.

    Attributes:
        rule: The rule.
        call: The call that broke it.
        process: The name of the calling process.
        facts: Values and objects that broke it.
    """

    rule: Rule
    call: str
    process: str
    facts: dict[str, Any] = field(factory=dict)

    def __str__(self) -> str:
        lines = [
            f"{self.call} in process {self.process}: {self.rule.statement}: broken",
            f"  rule   {self.rule.id} ({self.rule.grade})",
            f"  source {self.rule.source.call}: {self.rule.source.quote}",
        ]
        for name, value in self.facts.items():
            shown = hex(value) if isinstance(value, int) and value > 0xFFFF else value  # noqa: PLR2004 - addresses in hex
            lines.append(f"  {name} = {shown}")
            history = getattr(value, "history", None)
            lines += [f"    {line}" for line in history()] if history else []
        return "\n".join(lines)


class Op:
    """An operation: one entry point's rules and effect.

    Attributes:
        name: The function's name in the manual.
        function: The operation itself, ``function(thread, *plain values)``.
        invoke: ``invoke(thread, *plain values) -> (code, results)``: results are None for a failure or for none, the
            plain value of one, a tuple of several.
        acts_before: Rules whose breach leaves a trace, because the driver has acted when it checks them.
        remembered: Whether a failure is the thread's last error, which a call of the runtime API, or of HIP, returns.
    """

    __slots__ = ("_parts", "_rules", "acts_before", "function", "invoke", "module", "name", "remembered")

    def __init__(
        self, name: str, function: Callable[..., Any], acts_before: tuple[Rule, ...] = (), *, remembered: bool = False
    ) -> None:
        self.name = name
        self.acts_before = acts_before
        self.remembered = remembered
        self.function = function
        self.module = function.__module__
        self.invoke = _invoker(self, function)
        self._rules: tuple[Rule, ...] | None = None
        self._parts: tuple[Rule | Op, ...] | None = None

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules in the order of their checks, those of the guards it calls included."""
        if self._rules is None:
            self._rules = tuple(dict.fromkeys(_rules_of(self.function)))
        return self._rules

    @property
    def parts(self) -> tuple[Rule | Op, ...]:
        """The rules in the order of their checks, with an operation of an API beneath in the place of its rules."""
        if self._parts is None:
            self._parts = parts_of(self.name, self.function)
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
        collecting = gc.isenabled()
        gc.disable()
        try:
            import_module(home)
        finally:
            if collecting:
                gc.enable()
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


INDEX = Path(__file__).with_name("rules") / "index.json"
"""Which module declares a call, by API; ``python -m fakecuda.rules`` writes it."""
HOMES: dict[str, dict[str, str]] = json.loads(INDEX.read_text())
OPS = Ops(HOMES["driver"])
"""Every operation of the driver API by the name of its call."""
RUNTIME = Ops(HOMES["runtime"])
"""Those of the runtime API, whose names begin with ``cuda``."""
HIP = Ops(HOMES["hip"])
"""Those of HIP, whose names begin with ``hip``."""
EVERY = ChainMap(OPS, RUNTIME, HIP)
"""Those of all three."""

GUARDS: set[Callable[..., Any]] = set()


def op(
    name: str, *, acts_before: tuple[Rule, ...] = (), remembered: bool | None = None
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Declare the operation of a call; the function's checks come before its effects.

    An operation may call the function of another one, whose rules are its own then.

    Args:
        name: The function's name in the manual.
        acts_before: Rules that the driver checks when it has acted already: breaking one leaves a trace.
        remembered: Whether a failure is the thread's last error; by default that of every call of the runtime API and of
            HIP is.
    """

    def declare(function: Callable[P, T]) -> Callable[P, T]:
        table = HIP if name.startswith("hip") else RUNTIME if name.startswith("cuda") else OPS
        keeps = table is not OPS if remembered is None else remembered
        table[name] = Op(name, function, acts_before, remembered=keeps)
        GUARDS.add(function)
        return function

    return declare


def guard(function: Callable[P, T]) -> Callable[P, T]:
    """Declare a helper that checks rules for several operations, so that they count as theirs."""
    GUARDS.add(function)
    return function


def late(scope: dict[str, Any], ops: Ops, name: str) -> Callable[..., tuple[int, Any]]:
    """Return the ``invoke`` of an operation that is imported with the first call.

    Args:
        scope: The globals of a module, in which ``_name`` is bound to what is returned: the first call puts the
            operation's own ``invoke`` in its place.
        ops: The operations of the API.
        name: The call.
    """

    def first(*args: Any) -> tuple[int, Any]:  # noqa: ANN401 - as Op.invoke
        invoke = scope[f"_{name}"] = ops[name].invoke
        return invoke(*args)

    return first


_NOT_READY = int(Result.NOT_READY)


def _invoker(this: Op, function: Callable[..., Any]) -> Callable[..., tuple[int, Any]]:
    success = int(Result.SUCCESS)
    remembered = this.remembered
    hip = this.name.startswith("hip")
    runtime = this.name.startswith("cuda")

    def invoke(
        thread: Thread,
        *args: Any,  # noqa: ANN401 - plain values
        enabled: Callable[[], bool] = gc.isenabled,
        disable: Callable[[], None] = gc.disable,
        enable: Callable[[], None] = gc.enable,
    ) -> tuple[int, Any]:
        if thread.remote is not None:
            return thread.remote(thread, this, args)
        machine = thread.machine
        lock = machine.lock
        lock.acquire()
        # A finaliser that the collector ran inside an operation could call the driver again, half-way.
        collecting = enabled()
        if collecting:
            disable()
        try:
            outs = function(thread, *args)
            machine.record((thread, this, args, success, outs, None, None))
        except Broken as broken:
            code = broken.code
            if hip:
                code = TO_HIP.get(code, code)
                if remembered and (code != _NOT_READY or machine.profile.hip.keeps_every_answer):
                    thread.hip_error = code
            elif runtime:
                code = TO_RUNTIME.get(code, code)
                if remembered and code != _NOT_READY:
                    thread.last_error = code
            machine.record((thread, this, args, code, None, broken.rule, broken.facts))
            return code, None
        except UndefinedBehaviour as undefined_:
            finding = undefined_.finding
            machine.record((thread, this, args, None, None, finding.rule, finding.facts))
            raise
        else:
            return success, outs
        finally:
            if collecting:
                enable()
            lock.release()

    _invoking.add(invoke.__code__)
    return invoke


_invoking: set[CodeType] = set()


def under_way() -> tuple[Thread, Op] | None:
    """Return who makes a call in the current OS thread, and which; None outside of calls.

    The frames tell, so that calls need not note it.
    """
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - as stacks are taken
    while frame is not None:
        if frame.f_code in _invoking:
            return frame.f_locals["thread"], frame.f_locals["this"]
        frame = frame.f_back
    return None


def parts_of(call: str, function: Callable[..., Any]) -> tuple[Rule | Op, ...]:
    """Return what a function, or a guard of a call, checks: rules, and operations of the APIs beneath that of the call."""
    beneath = {"cuda": (OPS,), "hip": (OPS, RUNTIME)}
    tables = next((found for prefix, found in beneath.items() if call.startswith(prefix)), ())
    named = {op.function: op for table in tables for op in table.values()}
    return tuple(dict.fromkeys(_parts_of(function, named)))


def _rules_of(function: Callable[..., Any]) -> list[Rule]:
    """Return the rules that a function's text names, in the order of the text, guards included."""
    return [part for part in _parts_of(function, {}) if isinstance(part, Rule)]


def _parts_of(function: Callable[..., Any], named: Mapping[Callable[..., Any], Op]) -> list[Rule | Op]:
    """Return the rules that a function's text names, guards included, with those of ``named`` as what they are named."""
    parts: list[Rule | Op] = []
    for one in _checks(function):
        if isinstance(one, Rule):
            parts.append(one)
        elif one in named:
            parts.append(named[one])
        elif one is not function:
            parts += _parts_of(one, named)
    return parts


@cache
def _checks(function: Callable[..., Any]) -> tuple[Rule | Callable[..., Any], ...]:
    """Return the rules and the guards that a function's text names, in the order of the text."""
    if (guards := getattr(function, "guards", None)) is not None:
        return tuple(one for one in guards if one in GUARDS)
    plain = inspect.unwrap(function)
    scope, code = plain.__globals__, plain.__code__
    values = (scope.get(name) for name in _names(code.co_filename)[code.co_firstlineno])
    return tuple(one for one in values if isinstance(one, Rule) or (callable(one) and one in GUARDS))


@cache
def _names(file: str) -> dict[int, list[str]]:
    """Return the names in the body of each function of a file, in the order of the text, by the function's first line.

    A file is parsed once: its functions have the rules of every case, and there are hundreds of them.
    """
    nodes = list(ast.walk(ast.parse("".join(linecache.getlines(file)))))
    places = sorted((node.lineno, node.col_offset, node.id) for node in nodes if isinstance(node, ast.Name))
    found = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            first, last = node.body[0], node.body[-1]
            begin = bisect_left(places, (first.lineno, first.col_offset))
            end = bisect_left(places, (last.end_lineno, last.end_col_offset))
            start = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            found[start] = [name for *_, name in places[begin:end]]
    return found
