"""Refused calls on a machine: every call that a program has made and that answered a code other than success.

A call of the runtime that makes one of the driver is one call. Nobody counts before somebody asks for it (:func:`count`).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from attrs import field, frozen

from fakecuda.api import api_of
from fakecuda.codes import Result
from fakecuda.doors.probes import probe_of
from fakecuda.model import history
from fakecuda.model.left import first_line

if TYPE_CHECKING:
    from collections.abc import Collection

    from fakecuda.model.process import Thread
    from fakecuda.rules.core import Rule

MOST = 20
"""How many places a report lists."""
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
    """

    process: str
    call: str
    args: tuple[Any, ...]
    code: int
    rule: Rule | None
    stack: history.Stack = field(default=history.NOWHERE, eq=False, repr=False)

    @property
    def line(self) -> str:
        """The first line of the user's code that called, as ``file:line in function``; empty where none is known."""
        return first_line(self.stack)

    @property
    def names(self) -> Collection[str]:
        """By what it can be expected: its code's names, and its rule's id."""
        api = api_of(self.call)
        names = {api.short(self.code), api.cname(self.code), *_plain(api.name, self.code)}
        return names if self.rule is None else {*names, self.rule.id}

    @property
    def text(self) -> str:
        """What was answered to which call, why, and where it was made."""
        why = "not modelled" if self.rule is None else self.rule.id
        answer = f"{self.call} -> {api_of(self.call).short(self.code)} [{why}], in process {self.process}"
        return answer + (f", at {self.line}" if self.line else "")

    def __str__(self) -> str:
        return self.text


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
        blocks: The blocks that expect some, the inner one last.
    """

    def __init__(self) -> None:
        self.kept: list[Refusal] = []
        self.number = 0
        self.blocks: list[Block] = []

    def __call__(self, thread: Thread, call: str, args: tuple[Any, ...], code: int, rule: Rule | None) -> None:
        """Count a refused call; the machine's lock is held."""
        if code == Result.NOT_READY and "Query" in call:
            return
        refusal = Refusal(thread.process.name, call, args, code, rule, history.here(OURS))
        if any(block.takes(refusal) for block in reversed(self.blocks)) or probe_of(call, code, refusal.stack):
            return
        self.number += 1
        if len(self.kept) < KEPT:
            self.kept.append(refusal)

    def take(self) -> str:
        """Return the refused calls as lines, none for none; the caller tells of them now."""
        if not self.number:
            return ""
        counts = Counter(refusal.text for refusal in self.kept)
        lines = [f"  {count} times: {text}" if count > 1 else f"  {text}" for text, count in counts.items()]
        more = self.number - sum(counts[text] for text in list(counts)[:MOST])
        told = [*lines[:MOST], *([f"  and {more} calls more"] if more else [])]
        title = f"{self.number} refused call{'s' * (self.number > 1)}: "
        first = self.kept[0]
        title += f"{first.call} -> {api_of(first.call).short(first.code)}" + ("" if self.number == 1 else ", …")
        self.number, self.kept = 0, []
        return "\n".join([title, *told])


_counted: WeakKeyDictionary[Any, Refusals] = WeakKeyDictionary()


def count(machine: Any) -> Refusals:  # noqa: ANN401 - a machine
    """Return the refused calls on a machine, which are counted from now on."""
    found = _counted.get(machine)
    if found is None:
        found = _counted[machine] = machine.refused = Refusals()
    return found
