"""Reports of calls that wait forever, with their threads and what to do.

One report covers all calls that wait for each other. The machine keeps it, even if a thread swallows the exception or a
process is killed. The test fails with the report unless it expects the deadlock.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, cast
from weakref import WeakSet

from attrs import define, field

from fakecuda.errors import EndlessWait
from fakecuda.model import history
from fakecuda.model.work import remedy
from fakecuda.model.work.blocked import FOREVER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fakecuda.model.machine import Machine
    from fakecuda.model.work.stream import Stream, Work
    from fakecuda.model.work.value import Value
    from fakecuda.model.work.wait_graph import Wakers
    from fakecuda.model.work.waiting import Wait

    Later = Callable[[], Iterable[str]]

CATCHES = frozenset({"EndlessWait", "FakeCudaError", "raises", "assertRaises", "assertRaisesRegex"})
"""Names in a function that indicates it expects the exception."""


class _Text:
    """The text of an exception, composed when it is read.

    Args:
        head: The first line.
        deadlock: The deadlock with the other lines.
    """

    __slots__ = ("_deadlock", "_head")

    def __init__(self, head: str, deadlock: Deadlock) -> None:
        self._head, self._deadlock = head, deadlock

    def __str__(self) -> str:
        return "\n".join([self._head, *self._deadlock.lines])

    def __repr__(self) -> str:
        return repr(str(self))

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)


@define(eq=False)
class Deadlock:
    """Calls that wait forever.

    Attributes:
        head: What is wrong, in one line.
        parts: The lines of the report: texts, and functions that return such lines from a stack.
        waits: The calls.
        processes: The names of the processes that make them.
        errors: What was raised in them, while a test may expect it.
        told: Whether it was reported, or is expected by a block.
        stack: The stack of the first call. Empty if another process has reported the deadlock.
    """

    kept: ClassVar[Callable[[object], bool]] = lambda _: False
    """Hook: says whether to keep exceptions for a verdict at the machine's end.

    Called with the machine, or with what stands for another process's machine. It must not raise.
    """

    head: str
    parts: tuple[str | Later, ...] = field(repr=False)
    waits: WeakSet[Wait] = field(factory=WeakSet, repr=False)
    processes: frozenset[str] = field(default=frozenset(), repr=False)
    errors: list[EndlessWait] = field(factory=list, repr=False)
    told: bool = False
    stack: history.Stack = field(default=history.NOWHERE, repr=False)

    def error(self, machine: Machine, this: Wait, reason: str) -> EndlessWait:
        """Return the exception that ends one of the calls.

        Args:
            machine: The machine.
            this: The call.
            reason: Why the wait ends.
        """
        return self.raised(machine, _Text(f"{this}, and {reason}", self))

    @property
    def lines(self) -> tuple[str, ...]:
        """The waiting calls, what each waits for, and how to fix the deadlock.

        The first look may run ``addr2line``; so the machine's lock is not held then.
        """
        if not all(isinstance(part, str) for part in self.parts):
            self.parts = tuple(line for part in self.parts for line in ((part,) if isinstance(part, str) else part()))
        return cast("tuple[str, ...]", self.parts)

    def raised(self, machine: object, text: str | _Text) -> EndlessWait:
        """Return an exception with a text, and keep it for the test's verdict."""
        error = EndlessWait(text)
        error.deadlock = self
        if type(self).kept(machine):
            self.errors.append(error)
        return error

    @property
    def is_expected(self) -> bool:
        """Return whether the function that caught the exception expects it.

        Examples are ``pytest.raises`` and an ``except`` clause.
        """
        caught = [error.__traceback__.tb_frame for error in self.errors if error.__traceback__ is not None]
        return any(
            not CATCHES.isdisjoint(frame.f_code.co_names)
            and not str(frame.f_globals.get("__name__")).startswith(history.PACKAGE)
            for frame in caught
        )

    def __str__(self) -> str:
        return "\n".join([f"deadlock: {self.head}", *self.lines])


def proved(machine: Machine, waits: list[Wait], found: Wakers) -> Deadlock:
    """Store and return a deadlock: nothing can end some waiting calls.

    Args:
        machine: The machine.
        waits: All waiting calls, or those of one group.
        found: The blocked threads and processes, which cannot wake them.
    """
    never = all(one.by.left == FOREVER for one in found.held)
    when = (
        "can never return"
        if never
        else ("cannot return before the machine's time limit for waits (wait_timeout) is over")
    )
    head = f"{_number(waits)} and {when}"
    made = _of(waits, head, _lines(machine, waits, found))
    machine.deadlocks.append(made)
    return made


def stands(machine: Machine, found: Wakers) -> None:
    """Record that nothing can end the waiting calls before a timeout.

    A record that already covers all of these calls stays.
    """
    census = machine.scheduler.census
    waits = list(census.waiting.values())
    if census.standing is None or not all(one in census.standing.waits for one in waits):
        many = history.counted(len(waits), "call")
        head = f"{many} waited and could not return, while other calls waited for a limited time"
        census.standing = _of(waits, head, _lines(machine, waits, found))


def outlasted(machine: Machine, this: Wait, wait_timeout: float, found: Wakers) -> Deadlock:
    """Store and return a deadlock: a call has exceeded the wait timeout.

    Calls that waited at the same time belong to it.

    Args:
        machine: The machine.
        this: The call.
        wait_timeout: How long it has waited, in seconds.
        found: The threads and processes that could have woken it.
    """
    for known in machine.deadlocks:
        if this in known.waits:
            return known
    census = machine.scheduler.census
    group = _group(machine, this)
    waits = [one for one in census.waiting.values() if _group(machine, one) == group]
    lines = (
        *_members(machine, waits, found),
        *(f"  not woken by {who}" for who in [*found.callers, *found.strangers]),
        remedy.fixes_of_unended(machine, _streams(machine, waits), waits),
    )
    made = _of(waits, f"a call has waited for {wait_timeout:g} s without success", lines)
    machine.deadlocks.append(made)
    return made


def _of(waits: list[Wait], head: str, parts: tuple[str | Later, ...]) -> Deadlock:
    """Return the deadlock of some calls."""
    names = frozenset(one.thread.process.name for one in waits if one.thread)
    return Deadlock(head, parts, WeakSet(waits), names, stack=waits[0].stack if waits else history.NOWHERE)


def _group(machine: Machine, wait: Wait) -> object:
    """Return the group of the calls: those of one test."""
    return machine.scheduler.census.group(wait.thread.process) if wait.thread else None


def _number(waits: list[Wait]) -> str:
    return f"{history.counted(len(waits), 'call')} wait{'s' * (len(waits) == 1)}"


def _lines(machine: Machine, waits: list[Wait], found: Wakers) -> tuple[str | Later, ...]:
    fixes = remedy.fixes(machine, _streams(machine, waits), waits, found.held)
    return *_members(machine, waits, found), fixes


def _streams(machine: Machine, waits: Iterable[Wait]) -> list[Stream]:
    """Return the streams with work in the calls' test."""
    census, groups = machine.scheduler.census, {_group(machine, wait) for wait in waits}
    return [one for one in machine.scheduler.pending if census.group(one.context.process) in groups]


def _members(machine: Machine, waits: Iterable[Wait], found: Wakers) -> Iterator[str | Later]:
    """Yield the waiting calls and streams, with places and reasons."""
    census = machine.scheduler.census
    groups = {_group(machine, wait) for wait in waits}
    for wait in waits:
        yield f"  waits      {wait.who}"
        if wait.command:
            yield f"    process  {wait.command}"
        yield partial(_places, wait.stack)
        yield f"    for      {wait.what}"
    streams = _streams(machine, waits)
    for stream in streams:
        yield f"  waits      {stream}"
        yield partial(_created, stream.created, stream.words)
        yield from _wanted(stream, streams)
    for held in (*found.held, *found.timed):
        if held.process is not None and census.group(held.process) not in groups:
            continue
        limit = "" if held.by.left == FOREVER else f", for {max(held.by.left, 0):.3g} s more at most"
        yield f"  waits      {held.who}"
        yield partial(_places, held.stack)
        yield f"    for      {held.by.what}{limit}"


def _places(stack: history.Stack) -> Iterator[str]:
    yield from (f"    at       {line}" for line in history.places(stack)[:1])


def _created(stack: history.Stack, words: tuple[str, str]) -> list[str]:
    return [f"    {line}" for line in history.story(stack, history.NOWHERE, words)[:1]]


def _wanted(stream: Stream, streams: Iterable[Stream]) -> Iterator[str | Later]:
    """Yield what a stream's work waits for, and which calls can provide it."""
    work = stream.work[0]
    yield partial(_created, work.queued, ("queued", ""))
    if work.running:
        yield "    for      a host function that has not returned"
    elif work.ready is None or work.ready():
        yield "    for      work that comes before its own"
    else:
        yield f"    for      {work.ready}"
        value = remedy.value_of(work)
        if value is not None:
            yield from _of_value(value, work, streams)


def _of_value(value: Value, work: Work, streams: Iterable[Stream]) -> Iterator[str | Later]:
    """Yield facts about a value that work waits for: memory, and missing writes."""
    item = work.stream.context.process.memory.at(value.address)
    if item is not None:
        yield f"    value    at byte {value.address - item.start} of {item}"
        yield partial(_created, item.created, item.words)
    if why := value.endless:
        yield f"    never    no value ends this wait: {why}"
        return
    for write, root in remedy.behind(streams, work):
        yield partial(_behind, write.queued, remedy.kind(root), history.NOWHERE if root is work else root.queued)
    yield f"    from     a write: {value.write}, a copy, a kernel"


def _behind(write: history.Stack, kind: str, root: history.Stack) -> Iterator[str]:
    """Yield why a queued write never runs."""
    after = [f"the {kind} queued at {line}" for line in history.places(root)[:1]] or ["this wait"]
    for line in history.places(write)[:1]:
        yield f"    behind   a write of this value, queued at {line}, comes after {after[0]}: it never runs"
