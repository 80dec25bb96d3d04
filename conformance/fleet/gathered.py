"""Findings of a fleet: each difference once by kind of machine, with all answers."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from conformance.fleet.slices import (
    AGAIN,
    DIFFERS,
    EXAMPLES,
    OTHERWISE,
    PROBE,
    RECHECK,
    RECORD,
    SEARCH,
    SUITE,
    UNASKED,
    Slice,
)
from conformance.kit.program import Program
from conformance.runner.report import Report
from conformance.search.journal import Journal, told_of

if TYPE_CHECKING:
    from conformance.fleet.nodes import Result
    from conformance.search.searcher import Told

Place = tuple[str, int]
"""A kind of machine, and the number of GPUs in a group."""
Codes = tuple[str, ...]
HOLDS, FAILS = "holds", "fails"
"""Whether a check passes on a host."""
STEP = re.compile(r"step \d+ \w+\.(.*)")
ASKED = ("difference", "used")
"""Kinds of differences that are repeated on other hosts."""


@define
class Seen:
    """Results of a kind of machine with a number of GPUs.

    Attributes:
        nodes: The hosts that did slices, with how many each did.
        report: What checks of the suite have shown.
        checks: The checks that were asked, each once, by group and place.
        journal: What the search has reached.
        profile: The name of its profile, and the text of a probed one.
        programs: What was recorded.
        problems: What the recorder found odd.
        steps: Steps of programs that state machines drew.
    """

    nodes: Counter[str] = field(factory=Counter)
    report: Report = field(factory=Report)
    checks: set[tuple[str, int]] = field(factory=set)
    journal: Journal = field(factory=lambda: Journal(0))
    profile: tuple[str, str] | None = None
    programs: list[Program] = field(factory=list)
    problems: list[str] = field(factory=list)
    steps: int = 0


@define
class Difference:
    """A difference that the search has found, by call and codes.

    Attributes:
        told: The smallest program that shows it, of the kind that says most.
        place: Where that was found.
        places: The kinds of machines, and their GPUs, that show it.
        states: The states in which it came.
        nodes: What hosts have answered: each with a verdict and the answer.
    """

    told: Told
    place: Place
    places: set[Place] = field(factory=set)
    states: set[str] = field(factory=set)
    nodes: dict[str, tuple[str, str]] = field(factory=dict)


@define
class Failure:
    """The cause of failed checks or programs of a state machine.

    Attributes:
        text: Why, of the shortest program that shows it.
        place: Where that was found.
        item: A check that shows it, by its group and place; None where only programs of state machines do.
        names: The checks and state machines that show it.
        nodes: What it is on hosts.
    """

    text: str
    place: Place
    item: list[Any] | None = None
    names: set[str] = field(factory=set)
    nodes: dict[str, str] = field(factory=dict)


def cause_of(text: str) -> str:
    """Return the cause of a failure: the call and the difference of its answers."""
    found = STEP.search(text)
    return found[1] if found else text.partition("\n")[0]


def label_of(cause: object) -> str:
    """Return the label of a difference or failure for ids of slices."""
    return f"{zlib.crc32(str(cause).encode()):08x}"


@define
class Gathered:
    """The findings of a fleet so far.

    Attributes:
        done: The slices that are done, each with its host.
        twice: Slices whose result came again, and was left out.
        machines: By kind of machine and GPUs.
        kinds: Hosts with their kind of machine.
        probed: The machines whose profiles are known.
        differences: By call and codes.
        failures: Checks and programs of state machines that failed, by why.
        deaths: Items during which a helper died, each with its slice, its host and how.
        widened: Checks that were handed on to groups of so many GPUs, by kind of machine.
        failed: How many programs of state machines have failed on each host.
        examples: What failed in state machines, for Hypothesis.
        missing: Calls that the libraries of a kind of machine lack.
    """

    done: dict[str, str] = field(factory=dict)
    twice: list[str] = field(factory=list)
    machines: dict[Place, Seen] = field(factory=dict)
    kinds: dict[str, str] = field(factory=dict)
    probed: set[Place] = field(factory=set)
    differences: dict[Codes, Difference] = field(factory=dict)
    failures: dict[str, Failure] = field(factory=dict)
    deaths: list[tuple[str, str, str, str]] = field(factory=list)
    widened: Counter[Place] = field(factory=Counter)
    failed: Counter[str] = field(factory=Counter)
    examples: dict[str, set[str]] = field(factory=dict)
    missing: dict[str, set[str]] = field(factory=dict)

    def seen(self, place: Place) -> Seen:
        """Return the results of a kind of machine with a number of GPUs."""
        return self.machines.setdefault(place, Seen())

    def take(self, one: Slice, node: str, machine: str, result: Result) -> list[Slice]:
        """Add the results of a slice, and return its remaining slices.

        Args:
            one: The slice.
            node: The host that did it.
            machine: Its kind of machine.
            result: What came of it.
        """
        if one.id in self.done:
            self.twice.append(one.id)
            return []
        self.done[one.id] = node
        self.kinds[node] = machine
        place = (one.machine, one.gpus)
        seen = self.seen(place)
        seen.nodes[node] += 1
        self.deaths += [(one.id, _named(one, item), node, how) for item, how in result.get("lost", ())]
        TAKE[one.kind](self, one, node, place, result)
        left = result.get("left", [])
        follows = [evolve(one, id=f"{one.id}+{one.size - len(left)}", items=[one.items[item] for item in left])]
        return follows * bool(left)

    def wider(self, one: Slice, result: Result) -> list[Slice]:
        """Return slices of the checks that lack devices, for larger groups."""
        if one.kind != SUITE:
            return []
        by_count: dict[int, list[Any]] = {}
        for item, devices in result.get("lacks", ()):
            by_count.setdefault(devices, []).append(one.items[item])
        return [
            evolve(one, id=f"{one.id}/{devices} GPUs", gpus=devices, items=items)
            for devices, items in sorted(by_count.items())
        ]

    # What came of each kind of slice

    def _checks(self, one: Slice, node: str, place: Place, result: Result) -> None:
        seen = self.seen(place)
        if "report" in result:
            seen.report.merge(result["report"])
        for _, devices in result.get("lacks", ()):
            self.widened[one.machine, devices] += 1
            self.widened[place] -= 1
        gone = {item for item, *_ in result.get("lacks", ())} | set(result["left"])
        asked = set(range(one.size)) - gone if "report" in result else {item for item, _ in result["lost"]}
        seen.checks |= {(group, number) for group, number in (one.items[item] for item in sorted(asked))}
        self._failed(one, node, place, result)

    def _failed(self, one: Slice, node: str, place: Place, result: Result) -> set[str]:
        """Add the failed checks of a slice, and return the causes."""
        failed = [(result["names"][str(item)], item, text) for item, text in result.get("failed", ())]
        failed += [(_named(one, item), item, f"{_named(one, item)}: its process {how}") for item, how in result["lost"]]
        return {self._note(name, text, node, place, one.items[item]) for name, item, text in failed}

    def _note(self, name: str, text: str, node: str, place: Place, item: list[Any] | None = None) -> str:
        """Add a failure, and return its cause."""
        cause = cause_of(text)
        failure = self.failures.setdefault(cause, Failure(text, place, item))
        failure.names.add(name)
        failure.nodes[node] = FAILS
        if failure.item is None:
            failure.item = item
        if len(text) < len(failure.text):
            failure.text, failure.place, failure.item = text, place, item or failure.item
        return cause

    def _rechecked(self, one: Slice, node: str, place: Place, result: Result) -> None:
        causes = self._failed(one, node, place, result)
        for cause, failure in self.failures.items():
            if one.id.startswith(f"{RECHECK}/{label_of(cause)}/") and cause not in causes:
                asked = "report" in result and not (result["left"] or result["lacks"])
                failure.nodes[node] = OTHERWISE if causes else HOLDS if asked else UNASKED

    def _searched(self, one: Slice, node: str, place: Place, result: Result) -> None:
        seen = self.seen(place)
        seen.journal.lost += [(one.items[item], f"{how} on {node}") for item, how in result["lost"]]
        if "journal" not in result:
            return
        journal = Journal.of_json(result["journal"])
        seen.journal.seed, seen.journal.machine = journal.seed, journal.machine
        seen.journal.merge(journal)
        self.missing.setdefault(place[0], set()).update(result["lacking"])
        for told in journal.told.values():
            self._differs(told, node, place)

    def _differs(self, told: Told, node: str, place: Place) -> None:
        known = self.differences.setdefault(told.key.codes, Difference(told, place))
        known.states.add(told.key.state)
        known.places.add(place)
        if (known.told.kind, len(known.told.steps)) > (told.kind, len(told.steps)):
            known.told, known.place = told, place
        if told.kind in ASKED or node not in known.nodes:
            known.nodes[node] = (DIFFERS if told.kind in ASKED else told.kind, told.key.card)

    def _asked(self, one: Slice, node: str, place: Place, result: Result) -> None:
        verdicts = result.get("verdicts", [])
        verdicts += [[UNASKED, how] for _, how in result["lost"]]
        for item, (verdict, answer) in zip(one.items, verdicts, strict=False):
            known = self.differences.get(told_of(item).key.codes)
            if known is not None and known.nodes.get(node, ("",))[0] != DIFFERS:
                known.nodes[node] = (verdict, answer)
                known.places |= {place} if verdict == DIFFERS else set()

    def _drawn(self, _: Slice, node: str, place: Place, result: Result) -> None:
        self.seen(place).steps += result.get("steps", 0)
        for kind, text in result.get("failures", ()):
            self.failed[node] += 1
            self._note(f"state machine {kind}", text, node, place)
        for key, values in result.get("examples", {}).items():
            self.examples.setdefault(key, set()).update(values)

    def _probed(self, _: Slice, __: str, place: Place, result: Result) -> None:
        if "profile" in result:
            self.seen(place).profile = (result["profile"], result["text"])
            self.probed.add(place)

    def _recorded(self, _: Slice, __: str, place: Place, result: Result) -> None:
        seen = self.seen(place)
        seen.programs += [Program(**one) for one in result.get("programs", ())]
        seen.problems += result.get("problems", ())


def _named(one: Slice, item: int) -> str:
    """Return the name of an item of a slice."""
    content = one.items[item] if one.items else ""
    if one.kind in {SUITE, RECHECK}:
        return "check {1} of {0}".format(*content)
    if one.kind == SEARCH:
        return f"program {content}"
    return str(content.get("name", "a difference")) if isinstance(content, dict) else str(content)


TAKE = {
    SUITE: Gathered._checks,  # noqa: SLF001 - its own
    RECHECK: Gathered._rechecked,  # noqa: SLF001 - likewise
    SEARCH: Gathered._searched,  # noqa: SLF001 - likewise
    AGAIN: Gathered._asked,  # noqa: SLF001 - likewise
    EXAMPLES: Gathered._drawn,  # noqa: SLF001 - likewise
    PROBE: Gathered._probed,  # noqa: SLF001 - likewise
    RECORD: Gathered._recorded,  # noqa: SLF001 - likewise
}
"""Functions that add the results of a slice, by its kind."""
