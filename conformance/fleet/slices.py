"""Slices, the units of a fleet's work."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

from attrs import asdict, evolve, field, frozen

from conformance.search.searcher import BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

DESCRIBE, PROBE, SUITE, RECHECK, AGAIN, RECORD, SEARCH, EXAMPLES = (
    *("describe", "probe", "suite", "recheck", "again", "record", "search", "examples"),
)
"""Kinds of slices: what a host has, its profile, checks of the suite, one that failed elsewhere, differences that were found
elsewhere, recorded cases, programs of the search, and programs of the state machines."""
ORDER = (DESCRIBE, PROBE, RECHECK, AGAIN, SUITE, RECORD)
"""The order of kinds; search and state machines are endless and come last."""
STREAMS = (SEARCH, EXAMPLES)
DIFFERS, AGREES, OTHERWISE, UNASKED = "differs", "agrees", "answers otherwise", "could not be asked"
"""How a difference appears on another host."""
ONE, PAIR = 1, 2
"""The number of GPUs of groups for checks, and for drawn programs if available."""


@frozen
class Slice:
    """A unit of work of a group of GPUs.

    Attributes:
        id: What tells it from others, in every run with the same seed.
        kind: What it is.
        machine: The kind of machine that it is for; empty where any will do.
        gpus: How many GPUs it needs.
        node: The only host that may do it, or empty.
        items: What it consists of, as JSON.
        alone: Whether nothing else may use the card meanwhile.
    """

    id: str
    kind: str
    machine: str = ""
    gpus: int = ONE
    node: str = ""
    items: list[Any] = field(factory=list)
    alone: bool = False

    @property
    def size(self) -> int:
        """The number of items."""
        return len(self.items)

    def without(self, lost: Iterable[int]) -> Slice:
        """Return the slice without items at some indices."""
        gone = set(lost)
        return evolve(self, items=[item for place, item in enumerate(self.items) if place not in gone])

    def as_json(self) -> dict[str, Any]:
        """Return the slice as a dict."""
        return asdict(self)


@frozen
class Listed:
    """A group of checks of the suite.

    Attributes:
        id: Its node id.
        weights: For each check how long it takes, in milliseconds or so; 0 for what is not asked in a fleet.
        alone: The places of the checks that need the card for themselves.
        real: Whether a driver is asked; the others are for the model alone.
    """

    id: str
    weights: list[int]
    alone: list[int]
    real: bool


@frozen
class Sizes:
    """The sizes of slices.

    Attributes:
        weight: Of checks.
        programs: Of the search.
        tasks: Of the recorder.
    """

    weight: int = 600
    programs: int = 40
    tasks: int = 10


def of_suite(listing: Sequence[Listed], machine: str, sizes: Sizes) -> list[Slice]:
    """Return the suite's slices for a kind of machine, or those of model-only checks.

    Args:
        listing: The groups of checks.
        machine: The kind of machine, or empty.
        sizes: How large slices are.
    """
    found = []
    for alone in (False, True):
        items: list[tuple[str, int]] = []
        weight = number = 0
        for group in listing:
            for place, one in enumerate(group.weights):
                if group.real is not bool(machine) or not one or (place in group.alone) is not alone:
                    continue
                items.append((group.id, place))
                weight += one
                if weight >= sizes.weight:
                    found.append(_of_suite(machine, items, number, alone=alone))
                    items, weight, number = [], 0, number + 1
        if items:
            found.append(_of_suite(machine, items, number, alone=alone))
    return found


def _of_suite(machine: str, items: list[tuple[str, int]], number: int, *, alone: bool) -> Slice:
    name = f"suite/{machine or 'model'}/{'alone/' * alone}{number}"
    return Slice(name, SUITE, machine, items=[list(item) for item in items], alone=alone)


def of_tasks(tasks: Sequence[dict[str, Any]], machine: str, gpus: int, sizes: Sizes) -> list[Slice]:
    """Return the recorder's slices for a kind of machine.

    Args:
        tasks: Tasks of the recorder, as JSON; each that needs the card for itself is a slice of its own.
        machine: The kind of machine.
        gpus: How many GPUs they are given.
        sizes: How large slices are.
    """
    found = []
    for alone in (False, True):
        chosen = [task for task in tasks if task["alone"] is alone]
        few = 1 if alone else sizes.tasks
        for start in range(0, len(chosen), few):
            name = f"record/{machine}/{'alone/' * alone}{start // few}"
            found.append(Slice(name, RECORD, machine, gpus, items=chosen[start : start + few], alone=alone))
    return found


def searches(machine: str, gpus: int, sizes: Sizes) -> Iterator[Slice]:
    """Yield endless slices of the search, each with or without the runtime API."""
    blocks = -(-sizes.programs // BLOCK)
    number = 0
    while True:
        first = number // 2 * 2 * blocks + number % 2
        programs = [block * BLOCK + one for block in range(first, first + 2 * blocks, 2) for one in range(BLOCK)]
        name = f"search/{machine} x{gpus}/{number}"
        yield Slice(name, SEARCH, machine, gpus, items=programs[: sizes.programs])
        number += 1


def examples(machine: str, gpus: int, kinds: Sequence[str]) -> Iterator[Slice]:
    """Yield endless slices of state machine programs, of each state machine in turn."""
    number = 0
    while True:
        kind, seed = kinds[number % len(kinds)], number // len(kinds)
        yield Slice(f"examples/{machine} x{gpus}/{number}", EXAMPLES, machine, gpus, items=[[kind, seed]])
        number += 1


def seed_of(seed: int, *parts: object) -> int:
    """Return a seed derived from another seed and a purpose."""
    return zlib.crc32("/".join(map(str, (seed, *parts))).encode())
