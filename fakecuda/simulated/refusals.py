"""Refused calls on a machine: every call that a program has made and that answered a code other than success.

A call of the runtime that makes one of the driver is one call. Nobody counts before somebody asks for it (:func:`count`).
"""

from __future__ import annotations

from collections import Counter, deque
from textwrap import indent
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from attrs import field, frozen

from fakecuda.explain.reports.call import named_by
from fakecuda.model import history
from fakecuda.rules.registry import api_of
from fakecuda.simulated.probes import probe_of
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Collection

    from fakecuda.model.finding import Finding
    from fakecuda.model.os.thread import Thread
    from fakecuda.rules.core import Rule
    from fakecuda.simulated.faults.fault import Fault

MOST = 20
"""How many places a report lists."""
FULL = 5
"""How many of them a report of a failed test tells in full."""
RECENT = 100
"""How many of the last are kept for :func:`fakecuda.why`, those that were expected included."""
KEPT = 1000
"""How many refused calls are kept with their lines; later ones are counted."""
OURS = 3
"""Frames of a refused call that are fakecuda's: this module's, and that of the call."""


@frozen
class Refusal:
    """A call that was refused.

    Attributes:
        process: The name of the calling process.
        call: The function.
        args: Its arguments as plain values, in C order.
        code: What it answered.
        rule: The rule that it broke; None where it is not modelled.
        stack: The stack that called.
        facts: What broke the rule.
        items: The objects that its arguments name.
        command: The number and the command line of a process that is another OS process; empty for this one.
        before: How many findings the machine had when it was made.
        alive: The ``id`` of the objects that lived then.
    """

    process: str
    call: str
    args: tuple[Any, ...]
    code: int
    rule: Rule | None
    stack: history.Stack = field(default=history.NOWHERE, eq=False, repr=False)
    facts: dict[str, Any] = field(factory=dict, eq=False, repr=False)
    items: tuple[Any, ...] = field(default=(), eq=False, repr=False)
    command: str = field(default="", eq=False, repr=False)
    before: int = field(default=0, eq=False, repr=False)
    alive: frozenset[int] = field(default=frozenset(), eq=False, repr=False)

    @property
    def fault(self) -> Fault | None:
        """What has refused it in the place of a rule, where a test has injected that."""
        return self.facts.get("injected")

    @property
    def line(self) -> str:
        """The first line of the user's code that called, as ``file:line in function``; empty where none is known."""
        return next(iter(history.places(self.stack)), "")

    @property
    def names(self) -> Collection[str]:
        """By what it can be expected: its code's names, and its rule's id."""
        api = api_of(self.call)
        names = {api.short(self.code), api.cname(self.code), *_plain(api.name, self.code)}
        return names if self.rule is None else {*names, self.rule.id}

    @property
    def text(self) -> str:
        """What was answered to which call, why, and where it was made."""
        why = "not modelled" if self.rule is None else self.rule.id if self.fault is None else "injected"
        answer = f"{self.call} -> {api_of(self.call).short(self.code)} [{why}], in process {self.process}"
        return answer + (f", at {self.line}" if self.line else "")

    @property
    def report(self) -> str:
        """All that is known of it: the rule and what that rests on, the state, the objects, and the nearest fix."""
        from fakecuda.explain.reports.report import Told, composed  # noqa: PLC0415 - it imports much that most tests never need

        return composed(
            Told(
                self.call,
                self.args if self.rule else None,
                self.process,
                self.command,
                self.code,
                self.rule,
                self.facts,
                self.stack,
                self.items,
                alive=self.alive,
            )
        )

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from fakecuda.explain.html.notebook import shown  # noqa: PLC0415 - few programs are notebooks

        return shown(self.report)


def _plain(api: str, code: int) -> list[str]:
    """Return the driver's short name of a code that another API of CUDA's shares."""
    return [Result(code).name] if api in {"runtime", "hip"} and code in Result.__members__.values() else []


class Block:
    """A block in which calls may be refused.

    Args:
        names: Names of codes and ids of rules; none for all.

    Attributes:
        came: What came.
    """

    def __init__(self, names: Collection[str]) -> None:
        self.names = names
        self.came: list[Refusal] = []

    def takes(self, refusal: Refusal) -> bool:
        """Take a refused call that is expected; return whether it is."""
        taken = not self.names or any(name in self.names for name in refusal.names)
        if taken and len(self.came) < KEPT:
            self.came.append(refusal)
        return taken


class Refusals:
    """The refused calls on a machine that nobody expects, and of which nobody was told.

    Attributes:
        kept: The first of them.
        number: How many there are.
        recent: The last that were refused, those that were expected included.
        blocks: The blocks that expect some, the inner one last.
    """

    def __init__(self) -> None:
        self.kept: list[Refusal] = []
        self.number = 0
        self.recent: deque[Refusal] = deque(maxlen=RECENT)
        self.blocks: list[Block] = []

    def __call__(
        self, thread: Thread, call: str, args: tuple[Any, ...], code: int, rule: Rule | None, facts: dict[str, Any]
    ) -> None:
        """Count a refused call; the machine's lock is held."""
        if code == Result.NOT_READY and "Query" in call:
            return
        process, stack, findings = thread.process, history.here(OURS), thread.machine.findings
        ours = thread.remote is None  # of a machine elsewhere the objects are not known here
        items = tuple(named_by(process, args)) if ours else ()
        refusal = Refusal(
            process.name,
            call,
            args,
            code,
            rule,
            stack,
            facts,
            items,
            process.command if ours else "",
            len(findings),
            frozenset(
                id(item) for item in (*items, *facts.values()) if getattr(item, "ended", None) is history.NOWHERE
            ),
        )
        expected = any(block.takes(refusal) for block in reversed(self.blocks))
        if probe_of(call, code, stack) or _is_finding(refusal, findings):
            return
        self.recent.append(refusal)
        if refusal.fault is not None:
            refusal.fault.expected |= expected
            return
        if expected:
            return
        self.number += 1
        if len(self.kept) < KEPT:
            self.kept.append(refusal)

    def take(self, *, full: bool = False) -> str:
        """Return the refused calls as lines, none for none; the caller tells of them now.

        Args:
            full: Whether the first are told with all that is known of them.
        """
        if not self.number:
            return ""
        counts = Counter(refusal.text for refusal in self.kept)
        firsts = {refusal.text: refusal for refusal in reversed(self.kept)}
        told = [firsts[text].report if full and number < FULL else text for number, text in enumerate(counts)]
        lines = [
            indent((f"{count} times: " if count > 1 else "") + text, "  ")
            for text, count in zip(told, counts.values(), strict=True)
        ]
        more = self.number - sum(counts[text] for text in list(counts)[:MOST])
        lines = [*lines[:MOST], *([f"  and {more} calls more"] if more else [])]
        title = f"{history.counted(self.number, 'refused call')}: "
        first = self.kept[0]
        title += f"{first.call} -> {api_of(first.call).short(first.code)}" + ("" if self.number == 1 else ", …")
        self.number, self.kept = 0, []
        return "\n".join([title, *lines])


def _is_finding(refusal: Refusal, findings: list[Finding]) -> bool:
    """Return whether a refused call is the undefined one that was found last, which is told as that."""
    last = findings[-1] if findings else None
    return last is not None and (last.rule, last.call, last.process) == (refusal.rule, refusal.call, refusal.process)


_counted: WeakKeyDictionary[Any, Refusals] = WeakKeyDictionary()


def counted(machine: Any) -> Refusals | None:
    """Return the refused calls on a machine; None if nobody counts them."""
    return _counted.get(machine)


def count(machine: Any) -> Refusals:
    """Return the refused calls on a machine, which are counted from now on."""
    found = _counted.get(machine)
    if found is None:
        found = _counted[machine] = machine.refused = Refusals()
    return found
