"""Origins of leaked objects: the call, and which object of a line it is.

The log has the calls, without their lines. The object has its line, without its call. Both have the handle or the address.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from fakecuda.explain.reports.call import called, tables_of
from fakecuda.explain.reports.text import SMALL
from fakecuda.model import history
from fakecuda.model.leaks import Leak, Origin
from fakecuda.model.machine import CALLS_KEPT

if TYPE_CHECKING:
    from collections.abc import Iterator

    Record = tuple[Any, ...]
    Key = tuple[str, int]
    """The name of a process, and a handle or an address."""

ASKS = re.compile(r"Get|Query|Pop(Current)?|PrimaryCtxRetain|MemRetain")
"""Calls that return a handle or an address of an object that exists."""
BY_ARGUMENT = {
    "mapping": re.compile(r"MemMap$"),
    "registration": re.compile(r"HostRegister"),
    "retain": re.compile(r"PrimaryCtxRetain"),
    "peer": re.compile(r"EnablePeerAccess"),
    "descriptor": re.compile(r"ExportToShareableHandle"),
}
"""By kind, the calls that make an object without returning its address or handle: an argument names it."""
LINES = 3
"""The maximum number of lines that ended objects."""


def traced(machine: Any, found: list[Leak]) -> list[Leak]:
    """Return leaks with their origins.

    A leak whose call the log has forgotten stays as it is. The owner of a shared machine traces the leaks of a test.

    Args:
        machine: The machine.
        found: Its leaks.
    """
    if machine.elsewhere:
        known = {id(leak.item): leak.origin for leak in machine.left(traced=True)}
        return [evolve(leak, origin=known.get(id(leak.item))) for leak in found]
    with machine.lock:
        calls = _Calls(machine)
        return [leak if (origin := calls.origin(leak)) is None else evolve(leak, origin=origin) for leak in found]


@define
class _Calls:
    """The calls of a machine that succeeded, by what they returned.

    Attributes:
        machine: The machine.
        made: The numbers of the calls that returned a new handle or address, oldest first.
        taken: The number of the last call that names an object by an argument, by kind and argument.
    """

    machine: Any
    _records: list[Record] = field(init=False)
    made: dict[Key, list[int]] = field(factory=lambda: defaultdict(list), init=False)
    taken: dict[str, dict[Key, int]] = field(factory=lambda: defaultdict(dict), init=False)
    _lines: dict[history.Stack, str] = field(factory=dict, init=False)
    _alike: dict[tuple[str, type, str, str], tuple[dict[int, int], dict[str, Any]]] = field(factory=dict, init=False)
    """A cache of :meth:`_of_line`, by process, kind of object, line and call."""

    def __attrs_post_init__(self) -> None:
        self._records = list(self.machine.calls)
        for number, (thread, op, args, code, outs, *_) in enumerate(self._records):
            if code:
                continue
            for kind, names in BY_ARGUMENT.items():
                if names.search(op.name):
                    self.taken[kind].update(
                        {(thread.process.name, value): number for value in _numbers(args, small=True)}
                    )
            if outs is not None and not ASKS.search(op.name):
                for value in dict.fromkeys(_numbers(outs)):
                    self.made[thread.process.name, value].append(number)

    def origin(self, leak: Leak) -> Origin | None:
        """Return how a leaked object was made. None if the log has no such call."""
        if getattr(leak.item, "of_node", None) is not None:  # a launch has made it, and the text has its node
            return None
        if leak.kind in BY_ARGUMENT:
            number = self._named(leak)
            return None if number is None else Origin(self._text(number))
        numbers = self.made.get((leak.process, _value(leak.item)))
        if not numbers:
            return None
        origin = Origin(self._text(numbers[-1]))
        return self._counted(leak, origin, self._records[numbers[-1]][1].name) if leak.line else origin

    def _text(self, number: int) -> str:
        _, op, args, *_ = self._records[number]
        return called(op.name, args)

    def _named(self, leak: Leak) -> int | None:
        """Return the number of the last call of a process that names an object by an argument."""
        taken = self.taken[leak.kind]
        return max((taken[key] for value in _arguments(leak) if (key := (leak.process, value)) in taken), default=None)

    def _counted(self, leak: Leak, origin: Origin, name: str) -> Origin:
        """Return an origin with the number of the object among those that the same line made by the same call."""
        process = self.machine.processes.get(leak.process)
        if process is None:
            return origin
        key = (leak.process, type(leak.item), leak.line, name)
        places, facts = self._alike.get(key, ({}, {}))
        if id(leak.item) not in places:
            places, facts = self._alike[key] = self._of_line(process, leak, name)
        return evolve(origin, number=places[id(leak.item)], of=len(places), **facts)

    def _of_line(self, process: Any, leak: Leak, name: str) -> tuple[dict[int, int], dict[str, Any]]:
        """Return the numbers of the objects that the leak's line made by a call, by id, and what their origins share."""
        kind, known, alike = type(leak.item), set[int](), list[tuple[int, Any]]()
        current = {id(item): item for item in (*_living(process, kind), leak.item)}
        for item in (*current.values(), *(one for one in process.freed.values() if type(one) is kind)):
            numbers = [one for one in self.made.get((leak.process, _value(item)), ()) if one not in known]
            if numbers:
                known.add(numbers[-1])
                if self._line(item.created) == leak.line:
                    alike.append((numbers[-1], item))
        ended = [item for _, item in alike if id(item) not in current]
        lines = dict.fromkeys(line for item in ended if (line := self._line(item.ended)))
        calls = [number for (of, _), numbers in self.made.items() if of == leak.process for number in numbers]
        whole = len(self._records) < CALLS_KEPT and all(
            number in known for number in calls if self._records[number][1].name == name
        )
        order = sorted(alike, key=lambda one: one[0])
        return {id(item): place for place, (_, item) in enumerate(order, 1)}, {
            "least": not whole,
            "ended": len(ended),
            "how": kind.words[1] if hasattr(kind, "words") else "ended",
            "lines": (*list(lines)[:LINES],)
            + (history.counted(len(lines) - LINES, "other line"),) * (len(lines) > LINES),
        }

    def _line(self, stack: history.Stack) -> str:
        line = self._lines.get(stack)
        if line is None:
            line = self._lines[stack] = next(iter(history.places(stack)), "")
        return line


def _living(process: Any, kind: type) -> Iterator[Any]:
    """Yield the objects of a class that a process has."""
    tables = [one.values() for one in (*tables_of(process), process.loaded)]
    for table in (process.memory, process.reservations, *tables):
        yield from (item for item in table if type(item) is kind)


def _value(item: Any) -> int:
    """Return the handle or the first address of an object; 0 without either."""
    for name in ("handle", "value", "start"):
        if isinstance(value := getattr(item, name, None), int):
            return value
    return 0


def _arguments(leak: Leak) -> set[int]:
    """Return the numbers by which a call may name a leaked object."""
    item = leak.item
    if leak.kind == "peer":
        peers = [peer for peer in item.peers if item.connected.get(peer) is leak.stack]
        return {number for peer in peers for number in (peer.handle, peer.device.ordinal)}
    if leak.kind == "retain":
        return {int(leak.text.rpartition(" ")[2])}
    if leak.kind == "descriptor":
        owner = item.process
        handles = (*owner.handles.values(), *owner.freed.values())
        shared = {one.value for one in handles if getattr(one, "physical", None) is item.physical}
        return shared or {item.physical.handle}
    return {item.start}


def _numbers(values: Any, *, small: bool = False) -> Iterator[int]:
    """Yield the numbers in arguments or results."""
    if isinstance(values, int):
        if small or values > SMALL:
            yield values
    elif isinstance(values, tuple | list):
        for one in values:
            yield from _numbers(one, small=small)
