"""What a search has done so far, as a file that the next slice of it goes on from."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from attrs import asdict, define, field

from conformance.search.differing import Key
from conformance.search.reached import Reached
from conformance.search.searcher import Told

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = 1


class JournalError(Exception):
    """A journal can't be gone on from; the text is one line that names the file and the reason."""


@define
class Journal:
    """What a search has done.

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
        """Note a difference; return whether it is a new one, or a smaller program than the one that is known."""
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

    def save(self, path: Path) -> None:
        """Write it to a file, whole or not at all."""
        reached = self.reached
        content = {
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
            "told": [asdict(one) for one in self.told.values()],
            "again": [[*codes, count] for codes, count in sorted(self.again.items())],
            "lost": self.lost,
            "problems": self.problems,
            "started": self.started,
            "ended": self.ended,
            "slowest": self.slowest,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f"{path.name}.new")
        beside.write_text(json.dumps(content))
        beside.replace(path)


def read(path: Path) -> Journal:
    """Return the journal of a file.

    Raises:
        JournalError: It holds none.
    """
    try:
        data: dict[str, Any] = json.loads(path.read_text())
        if data["schema"] != SCHEMA:
            msg = f"schema {data['schema']} instead of {SCHEMA}"
            raise ValueError(msg)  # noqa: TRY301 - one place words it
        pairs = {(first, second) for first, second in data["pairs"]}
        told = [Told(**{**one, "key": Key(**one["key"])}) for one in data["told"]]
        return Journal(
            seed=data["seed"],
            machine=data["machine"],
            next=data["next"],
            seconds=data["seconds"],
            reached=Reached(
                data["programs"], data["steps"], Counter(data["calls"]), pairs, set(data["rules"]), data["undefined"]
            ),
            told={one.key: one for one in told},
            again=Counter({tuple(line[:-1]): line[-1] for line in data["again"]}),
            lost=[(number, how) for number, how in data["lost"]],
            problems=Counter(data["problems"]),
            started=data["started"],
            ended=Counter(data["ended"]),
            slowest=Counter(data["slowest"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"{path}: no journal of a search ({type(error).__name__}: {error}): name another file, or delete it"
        raise JournalError(msg) from error
