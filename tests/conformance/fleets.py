"""A substitute for the hosts of a fleet, which die, join and answer on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.fleet.handlers import Helper
from conformance.fleet.nodes import Ended, Host
from conformance.fleet.slices import DESCRIBE, PROBE, SUITE, Listed, Slice
from conformance.runner.report import Report

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.fleet.nodes import Result

    Answer = Callable[[Slice, str, dict[str, Any]], Result | Ended]

CODE = "code"


def listed(*weights: int, name: str = "test_it.py::test_it", real: bool = True, alone: tuple[int, ...] = ()) -> Listed:
    """Return a group of checks."""
    return Listed(name, list(weights), list(alone), real)


def passed(one: Slice, **more: Any) -> Result:
    """Return what comes of a slice of checks that hold."""
    report = Report()
    plain = report.plain()
    return {"report": plain, "failed": [], "names": {}, "left": [], "lacks": [], "lost": [], **more} if one else {}


def scripted(one: Slice, node: str, given: dict[str, Any]) -> Result:
    """Return what a host answers where all holds."""
    del node
    if one.kind == DESCRIBE:
        return {"machine": given["card"]["profile"], "code": CODE}
    if one.kind == PROBE:
        return {"profile": given["card"]["profile"], "text": "", "lost": []}
    return passed(one)


@define(eq=False)
class Helped:
    """Answers like a helper process in this process; all checks of the suite pass."""

    helpers: dict[tuple[Any, ...], Helper] = field(factory=dict)

    def __call__(self, one: Slice, node: str, given: dict[str, Any]) -> Result:
        """Return what comes of a slice."""
        if one.kind in {DESCRIBE, SUITE}:
            return scripted(one, node, given)
        card = given["card"]
        key = (node, card["target"], card["profile"])
        helper = self.helpers.setdefault(key, Helper(card))
        return {**helper.handle(one.kind, one.items, given["shared"], lambda _: None, 600.0), "lost": []}

    def close(self) -> None:
        """End the models."""
        for helper in self.helpers.values():
            helper.close()


@define(eq=False)
class StandIn:
    """Hosts in this process.

    Attributes:
        gpus: The hosts, each with its GPUs.
        answer: Answers a slice.
        before: Called with the number of slices that were done, before the next one is.
        done: The slices that were done, each with its host, its GPUs and what it was given.
    """

    gpus: dict[str, int]
    answer: Answer = scripted
    before: Callable[[int], None] = lambda _: None
    done: list[tuple[Slice, str, int, dict[str, Any]]] = field(factory=list)
    groups: dict[int, tuple[str, int]] = field(factory=dict)
    waiting: list[tuple[int, Slice, dict[str, Any]]] = field(factory=list)
    closed: bool = False
    count: int = 0

    def hosts(self) -> list[Host]:
        """Return the hosts that are there."""
        return [Host(name, gpus) for name, gpus in self.gpus.items()]

    def open(self, node: str, gpus: int) -> int:
        """Take GPUs of a host, which must have them."""
        taken = sum(count for name, count in self.groups.values() if name == node)
        assert taken + gpus <= self.gpus[node]
        self.count += 1
        self.groups[self.count] = (node, gpus)
        return self.count

    def shut(self, group: int) -> None:
        """Drop what a group does."""
        del self.groups[group]
        self.waiting = [one for one in self.waiting if one[0] != group]

    def submit(self, group: int, one: Slice, given: dict[str, Any], seconds: float) -> None:
        """Keep a slice for later."""
        assert seconds >= 0
        self.waiting.append((group, one, given))

    def wait(self, seconds: float) -> list[Ended]:
        """Do the slice that waits longest; one whose host is gone is lost."""
        del seconds
        self.before(len(self.done))
        if not self.waiting:
            return []
        group, one, given = self.waiting.pop(0)
        node, gpus = self.groups[group]
        if node not in self.gpus:
            return [Ended(one.id, problem="its host died")]
        result = self.answer(one, node, given)
        if isinstance(result, Ended):
            return [result]
        self.done.append((one, node, gpus, given))
        return [Ended(one.id, result)]

    def close(self) -> None:
        """Drop all that is under way."""
        self.closed = True
        self.groups.clear()
        self.waiting.clear()

    def of(self, kind: str) -> list[tuple[Slice, str, int]]:
        """Return the slices of a kind that were done, with hosts and GPUs."""
        return [(one, node, gpus) for one, node, gpus, _ in self.done if one.kind == kind]
