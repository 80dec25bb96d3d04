"""The state of a search in a file, from which the search can be resumed."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from attrs import asdict, define, field, frozen

from conformance.search.differing import Key
from conformance.search.reached import Reached
from conformance.search.searcher import Told

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SCHEMA = 2


@frozen
class Block:
    """The results of a block of programs.

    Attributes:
        reached: What they have reached.
        told: How they differ.
        again: How often the differences that are known by call and codes came.
        problems: What went wrong beside differences.
        ended: Why processes of the card were not used again.
        slowest: Calls that took the card longest, with their seconds.
        lacking: Calls that the card's libraries lack.
        started: How many processes of the card were started.
    """

    reached: Reached
    told: list[Told]
    again: Mapping[tuple[str, ...], int]
    problems: Mapping[str, int]
    ended: Mapping[str, int]
    slowest: Mapping[str, float]
    lacking: set[str]
    started: int


class JournalError(Exception):
    """A journal cannot be resumed; the text is one line with the file and the reason."""


@define
class Journal:
    """The state of a search.

    Attributes:
        seed: What its programs are drawn from.
        machine: The machine that was asked.
        next: The number of the first block of programs that nobody has drawn, of those without calls of the runtime API
            and of those with.
        seconds: How long it took.
        reached: What the programs have reached.
        told: The differences, each once.
        again: How often the differences that are told by call and codes came.
        lost: Programs during which a worker died, each with how.
        problems: What went wrong beside differences, with how often.
        started: How many processes of the card were started.
        ended: Why processes of the card were not used again, with how many.
        slowest: Calls that took the card longest, with their seconds.
    """

    seed: int
    machine: str = ""
    next: list[int] = field(factory=lambda: [0, 1])
    seconds: float = 0.0
    reached: Reached = field(factory=Reached)
    told: dict[Key, Told] = field(factory=dict)
    again: Counter[tuple[str, ...]] = field(factory=Counter)
    lost: list[tuple[int, str]] = field(factory=list)
    problems: Counter[str] = field(factory=Counter)
    started: int = 0
    ended: Counter[str] = field(factory=Counter)
    slowest: Counter[str] = field(factory=Counter)

    def add(self, told: Told) -> bool:
        """Add a difference; return whether it is new, or smaller than the known program."""
        known = self.told.get(told.key)
        better = known is None or (known.kind, len(known.steps)) > (told.kind, len(told.steps))
        if better:
            self.told[told.key] = told
        return known is None

    def of(self, kind: str) -> list[Told]:
        """Return the differences of a kind, in the order of their calls."""
        return sorted(
            (one for one in self.told.values() if one.kind == kind), key=lambda one: (*one.key.codes, one.key.state)
        )

    def count(self, block: Block) -> None:
        """Count the results of a block of programs, except its differences."""
        self.reached.add(block.reached)
        self.again.update(block.again)
        self.problems.update(block.problems)
        self.ended.update(block.ended)
        self.slowest.update(block.slowest)
        self.started += block.started

    def take(self, block: Block) -> list[Told]:
        """Add all results of a block of programs; return the new differences."""
        self.count(block)
        return [told for told in block.told if self.add(told)]

    def merge(self, other: Journal) -> list[Told]:
        """Merge another search of the machine; return the new differences."""
        self.seconds += other.seconds
        self.lost += other.lost
        told = list(other.told.values())
        return self.take(
            Block(other.reached, told, other.again, other.problems, other.ended, other.slowest, set(), other.started)
        )

    def as_json(self) -> dict[str, Any]:
        """Return the journal as plain data."""
        reached = self.reached
        return {
            "schema": SCHEMA,
            "seed": self.seed,
            "machine": self.machine,
            "next": self.next,
            "seconds": self.seconds,
            "programs": reached.programs,
            "steps": reached.steps,
            "undefined": reached.undefined,
            "calls": reached.calls,
            "pairs": sorted(reached.pairs),
            "rules": sorted(reached.rules),
            "answers": [[*answer, count] for answer, count in sorted(reached.answers.items())],
            "situations": reached.situations,
            "told": [asdict(one) for one in self.told.values()],
            "again": [[*codes, count] for codes, count in sorted(self.again.items())],
            "lost": self.lost,
            "problems": self.problems,
            "started": self.started,
            "ended": self.ended,
            "slowest": self.slowest,
        }

    @classmethod
    def of_json(cls, data: dict[str, Any]) -> Journal:
        """Return the journal from the data of :meth:`as_json`.

        Raises:
            ValueError, KeyError, TypeError: It has not.
        """
        if data["schema"] != SCHEMA:
            msg = f"schema {data['schema']} instead of {SCHEMA}"
            raise ValueError(msg)
        pairs = {(first, second) for first, second in data["pairs"]}
        told = [told_of(one) for one in data["told"]]
        return cls(
            seed=data["seed"],
            machine=data["machine"],
            next=data["next"],
            seconds=data["seconds"],
            reached=Reached(
                data["programs"],
                data["steps"],
                Counter(data["calls"]),
                pairs,
                set(data["rules"]),
                data["undefined"],
                Counter({(call, code): count for call, code, count in data["answers"]}),
                Counter(data["situations"]),
            ),
            told={one.key: one for one in told},
            again=Counter({tuple(line[:-1]): line[-1] for line in data["again"]}),
            lost=[(number, how) for number, how in data["lost"]],
            problems=Counter(data["problems"]),
            started=data["started"],
            ended=Counter(data["ended"]),
            slowest=Counter(data["slowest"]),
        )

    def save(self, path: Path) -> None:
        """Write the journal to a file atomically."""
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f"{path.name}.new")
        beside.write_text(json.dumps(self.as_json()))
        beside.replace(path)


def told_of(data: dict[str, Any]) -> Told:
    """Return the difference from JSON."""
    return Told(**{**data, "key": Key(**data["key"])})


def read(path: Path) -> Journal:
    """Read the journal of a file.

    Raises:
        JournalError: It holds none.
    """
    try:
        return Journal.of_json(json.loads(path.read_text()))
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"{path}: no journal of a search ({type(error).__name__}: {error}): name another file, or delete it"
        raise JournalError(msg) from error
