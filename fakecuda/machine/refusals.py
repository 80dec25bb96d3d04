"""Refused calls on a machine.

Calls of a program that answered a code other than success.
A runtime call and the driver call that it makes count as one call. Counting starts with :func:`count`.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from textwrap import indent
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from attrs import field, frozen

from fakecuda.errors import FakeCudaError
from fakecuda.explain.reports.call import named_by
from fakecuda.machine import raising
from fakecuda.machine.probes import probe_of
from fakecuda.model import history
from fakecuda.rules.registry import api_of
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Collection

    from fakecuda.explain.reports.report import Told
    from fakecuda.machine.expected_names import Judge
    from fakecuda.machine.faults.fault import Fault
    from fakecuda.model.finding import Finding
    from fakecuda.model.os.thread import Thread
    from fakecuda.rules.core import Rule

MOST = 20
"""Maximum number of places in a report."""
FULL = 5
"""Number of refused calls that the report of a failed test shows in full."""
RECENT = 100
"""Number of last refused calls kept for :func:`fakecuda.why`, including expected ones."""
KEPT = 1000
"""Number of refused calls kept with their lines. Later ones are only counted."""
OURS = 3
"""Number of fakecuda's own innermost frames in a refused call's stack: this module's, and the call's."""


@frozen
class Refusal:
    """A refused call.

    Attributes:
        process: The name of the calling process.
        call: The function.
        args: Its arguments as plain values, in C order.
        code: The code that it answered.
        rule: The rule that it broke; None if the call is not modelled.
        stack: The caller's stack.
        facts: The facts that broke the rule.
        items: The objects that its arguments name.
        command: The pid and the command line, if the caller is another OS process; otherwise empty.
        before: The number of findings on the machine at the time of the call.
        alive: The ``id`` of the objects that were alive at the time.
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
        """The fault that refused the call in place of a rule; None if a rule refused it."""
        return self.facts.get("injected")

    @property
    def line(self) -> str:
        """The first line of the user's code for the call; empty if unknown."""
        return next(iter(history.places(self.stack)), "")

    @property
    def names(self) -> Collection[str]:
        """The names that :func:`fakecuda.expect` accepts for it.

        These are its code's names, its call's, and its rule's id.
        """
        api = api_of(self.call)
        names = {self.call, api.short(self.code), api.cname(self.code), *_plain(api.name, self.code)}
        return names if self.rule is None else {*names, self.rule.id}

    @property
    def text(self) -> str:
        """The call, its answer, the reason and the place, in a line."""
        why = "not modelled" if self.rule is None else self.rule.id if self.fault is None else "injected"
        answer = f"{self.call} -> {api_of(self.call).short(self.code)} [{why}], in process {self.process}"
        return answer + (f", at {self.line}" if self.line else "")

    @property
    def report(self) -> str:
        """The full report: the rule and its sources, the state, the objects, and the nearest fix."""
        from fakecuda.explain.reports.report import composed  # noqa: PLC0415 - most tests never need it

        return composed(self.contents)

    @property
    def contents(self) -> Told:
        """The contents of the full report."""
        from fakecuda.explain.reports.report import Told  # noqa: PLC0415 - most tests never need it

        return Told(
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

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from fakecuda.explain.html.notebook import shown  # noqa: PLC0415 - only notebooks need it

        return shown(self.report)


def _plain(api: str, code: int) -> list[str]:
    """Return the driver's short name of a code that CUDA's other APIs share."""
    return [Result(code).name] if api in {"runtime", "hip"} and code in Result.__members__.values() else []


class Block:
    """A block that expects refused calls.

    Args:
        names: Names of codes and calls, and ids of rules; empty for all.
        call: The call that all of them are of; None for any.

    Attributes:
        came: The expected calls that came.
    """

    def __init__(self, names: Collection[str], call: str | None = None) -> None:
        self.names = names
        self.call = call
        self.came: list[Refusal] = []

    def takes(self, refusal: Refusal) -> bool:
        """Keep a refused call if it is expected; return whether it is."""
        if self.call not in {None, refusal.call}:
            return False
        taken = not self.names or any(one in refusal.names for one in self.names)
        if taken and len(self.came) < KEPT:
            self.came.append(refusal)
        return taken


class Refusals:
    """The refused calls on a machine that were neither expected nor reported.

    Attributes:
        kept: The first of them.
        more: The number of the others.
        recent: The last refused calls, including expected ones.
        blocks: The blocks that expect refused calls, the innermost last.
        judges: Functions that accept refused calls. With them, all refused calls are kept until ``judge``.
        injected: Calls that a fault has refused, for these functions.
    """

    def __init__(self) -> None:
        self.kept: list[Refusal] = []
        self.more = 0
        self.recent: deque[Refusal] = deque(maxlen=RECENT)
        self.blocks: list[Block] = []
        self.judges: tuple[Judge, ...] = ()
        self.injected: list[Refusal] = []

    @property
    def number(self) -> int:
        """The total number of refused calls."""
        return len(self.kept) + self.more

    def __call__(
        self, thread: Thread, call: str, args: tuple[Any, ...], code: int, rule: Rule | None, facts: dict[str, Any]
    ) -> None:
        """Count a refused call. The caller holds the machine's lock."""
        if code == Result.NOT_READY and "Query" in call:
            return
        if call.endswith("LastError") and "failed" in facts:
            return  # the call that left the error has been counted
        process, stack, findings = thread.process, history.here(OURS), thread.machine.findings
        ours = thread.remote is None  # the objects of a machine in another OS process are not known here
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
        if not expected:
            raising.note(self, refusal)
        if refusal.fault is not None:
            refusal.fault.expected |= expected
            self.injected += [refusal] if self.judges else []
        elif not expected:
            self._count(refusal)

    def _count(self, refusal: Refusal) -> None:
        if len(self.kept) < KEPT or self.judges:
            self.kept.append(refusal)
        else:
            self.more += 1

    def expect(self, refusal: Refusal) -> None:
        """Expect a refused call after all, because a block caught its exception."""
        if refusal.fault is not None:
            refusal.fault.expected = True
        for place in [place for place, one in enumerate(self.kept) if one is refusal]:
            del self.kept[place]

    def judge(self, machine: Any) -> None:
        """Expect the refused calls that a function accepts.

        Raises:
            FakeCudaError: A function has raised an exception or called the machine.
        """
        if not self.judges:
            return
        for refusal in (*self.kept, *self.injected):
            if any(_accepts(machine, judge, refusal) for judge in self.judges):
                self.expect(refusal)
        self.injected.clear()

    def take(self, *, full: bool = False) -> str:
        """Return the refused calls as lines, for the caller to report.

        The result is empty without any.

        Args:
            full: Show the first calls with their full reports.
        """
        text = told(self.kept, self.number, full=full)
        self.more, self.kept = 0, []
        return text


def how_to_expect(first: Refusal) -> str:
    """Return a line on how a test can expect a refused call."""
    code = api_of(first.call).short(first.code)
    return (
        f'  to expect it: `with fakecuda.expect("{code}"):` around the call, with required=False if it need not come; or '
        f'errors_allowed=["{code}"] on the mark'
    )


def told(kept: list[Refusal], number: int, *, full: bool = False) -> str:
    """Return refused calls as lines; empty without any.

    Args:
        kept: The first of them.
        number: The number of all of them.
        full: As for :meth:`Refusals.take`.
    """
    if not number:
        return ""
    counts = Counter(refusal.text for refusal in kept)
    firsts = {refusal.text: refusal for refusal in reversed(kept)}
    told = [firsts[text].report if full and place < FULL else text for place, text in enumerate(counts)]
    lines = [
        indent((f"{count} times: " if count > 1 else "") + text, "  ")
        for text, count in zip(told, counts.values(), strict=True)
    ]
    more = number - sum(counts[text] for text in list(counts)[:MOST])
    lines = [*lines[:MOST], *([f"  and {more} more calls"] if more else [])]
    first = kept[0]
    title = f"{history.counted(number, 'refused call')}: {first.call} -> {api_of(first.call).short(first.code)}"
    return "\n".join([title + ("" if number == 1 else ", …"), *lines])


def _accepts(machine: Any, judge: Judge, refusal: Refusal) -> bool:
    """Return whether a function of a test accepts a refused call.

    Raises:
        FakeCudaError: The function has raised an exception or called the machine.
    """
    name, last, wrong, cause = getattr(judge, "__qualname__", repr(judge)), _last_call(machine), "", None
    accepted = False
    try:
        accepted = bool(judge(refusal))
    except Exception as error:  # noqa: BLE001 - the test's function
        wrong, cause = f"raised {type(error).__name__}: {error}", error
    if (made := _last_call(machine)) is not last:
        wrong = f"called {made[1].name}"
    if wrong:
        msg = (
            f"errors_allowed: the function {name} {wrong}, when asked about {refusal.text}: write a function that only looks "
            "at the fakecuda.Refusal, and returns True to allow it"
        )
        raise FakeCudaError(msg) from cause
    return accepted


def _last_call(machine: Any) -> Any:
    """Return the record of this OS thread's last call, or None."""
    if not hasattr(machine, "calls"):  # it belongs to another OS process
        return None
    own = threading.get_native_id()
    with machine.lock:
        return next((one for one in reversed(machine.calls) if one[0].process.threads.get(own) is one[0]), None)


def _is_finding(refusal: Refusal, findings: list[Finding]) -> bool:
    """Return whether a refused call is also the last finding.

    Then it is reported as a finding.
    """
    last = findings[-1] if findings else None
    return last is not None and (last.rule, last.call, last.process) == (refusal.rule, refusal.call, refusal.process)


_counted: WeakKeyDictionary[Any, Refusals] = WeakKeyDictionary()


def counted(machine: Any) -> Refusals | None:
    """Return the refused calls on a machine; None if they are not counted."""
    return _counted.get(machine)


def count(machine: Any) -> Refusals:
    """Return the refused calls on a machine. The first use starts counting."""
    found = _counted.get(machine)
    if found is None:
        raising.watch()
        found = _counted[machine] = machine.refused = Refusals()
    return found
