"""The settings of a fleet, and of each slice."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from conformance.fleet.handlers import ALONE, REAL
from conformance.fleet.slices import DESCRIBE, EXAMPLES, ONE, PAIR, SEARCH, SUITE, Sizes, Slice, seed_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.fleet.gathered import Gathered
    from conformance.fleet.nodes import Node

EXAMPLES_AT_ONCE = 20
"""The maximum number of other hosts' examples at the start of a slice."""


@frozen
class Settings:
    """The settings of a fleet.

    Attributes:
        target: ``real`` or ``model``.
        seed: What is drawn from.
        kinds: Of ``suite``, ``search``, ``examples`` and ``record``.
        code: What tells the code of this host: others must have the same.
        jobs: Slices that a group of GPUs does at a time.
        widest: GPUs that programs are drawn for.
        asked: Hosts of each kind of machine that are asked about a difference.
        most: Slices of the search for each kind of machine; 0 for as many as there is time for.
        sizes: How large slices are.
        profile: The profile that stands for a host, and that checks of the model alone run on.
        profiles: Profiles of hosts that have another one, by name.
        planted: Planted bugs of hosts, by name; those of all others by an empty one.
        chapters: The chapters whose calls the search draws; all by default.
        library: The driver's library, or None for the system's.
        cudart: The runtime library, or None for the one that is found.
        limit: Seconds that one call may take.
        idle_timeout: Seconds without anything that a host could do, after which a fleet ends.
    """

    target: str
    seed: int
    kinds: tuple[str, ...] = (SUITE, SEARCH, EXAMPLES)
    code: str = ""
    jobs: int = 1
    widest: int = PAIR
    asked: int = 4
    most: int = 0
    sizes: Sizes = field(factory=Sizes)
    profile: str = "h200-x2"
    profiles: Mapping[str, str] = field(factory=dict)
    planted: Mapping[str, tuple[str, ...]] = field(factory=dict)
    chapters: tuple[str, ...] = ()
    library: str | None = None
    cudart: str | None = None
    limit: float = 10.0
    idle_timeout: float = 60.0

    def drawing(self, node: Node) -> int:
        """Return the number of GPUs of a host for which programs are drawn."""
        return min(self.widest, node.gpus)


@define
class Briefing:
    """The settings that slices receive: the card, and findings of other hosts.

    Attributes:
        settings: What is to be done.
        gathered: What was found.
    """

    settings: Settings
    gathered: Gathered
    _shown: dict[str, set[tuple[str, str]]] = field(factory=dict, init=False)

    def of(self, one: Slice, node: Node, widest: int) -> dict[str, Any]:
        """Return the settings of a slice; see :mod:`conformance.fleet.handlers`.

        Args:
            one: The slice.
            node: The host that does it.
            widest: How many GPUs the largest host of its kind of machine has.
        """
        settings = self.settings
        card = {
            **self._card(one, node),
            "planted": settings.planted.get(node.name, settings.planted.get("", ())),
            "seed": seed_of(settings.seed, one.machine, one.gpus),
            "machine": one.machine,
            **{name: getattr(settings, name) for name in ("chapters", "library", "cudart", "limit")},
        }
        return {"card": card, "shared": self._shared(one, node, widest)}

    def _card(self, one: Slice, node: Node) -> dict[str, Any]:
        """Return the target of a slice, and the profile."""
        settings = self.settings
        if one.kind == DESCRIBE:
            stands = family(settings.profiles.get(node.name, settings.profile))
            return {"target": settings.target, "profile": stands, "text": ""}
        if not one.machine:
            return {"target": ALONE, "profile": settings.profile, "text": ""}
        known = self.gathered.seen((one.machine, one.gpus)).profile
        name, text = known or (named(one.machine, one.gpus), "")
        return {"target": settings.target, "profile": name, "text": text if settings.target == REAL else ""}

    def _shared(self, one: Slice, node: Node, widest: int) -> dict[str, Any]:
        """Return the findings of other hosts that a slice needs."""
        gathered = self.gathered
        if one.kind == SEARCH:
            again = gathered.seen((one.machine, one.gpus)).journal.again
            lacking = sorted(gathered.missing.get(one.machine, ()))
            return {"seen": [[*codes, count] for codes, count in again.items()], "lacking": lacking}
        return {"examples": self._examples(node)} if one.kind == EXAMPLES else {"widest": widest}

    def _examples(self, node: Node) -> dict[str, list[str]]:
        """Return failed state machine examples of other hosts, once for each host."""
        shown = self._shown.setdefault(node.name, set())
        every = [(key, value) for key, values in self.gathered.examples.items() for value in sorted(values)]
        chosen = [pair for pair in every if pair not in shown][:EXAMPLES_AT_ONCE]
        shown.update(chosen)
        found: dict[str, list[str]] = {}
        for key, value in chosen:
            found.setdefault(key, []).append(value)
        return found


@define
class Losses:
    """The lost slices.

    Attributes:
        tries: How often each slice was lost.
        told: Each loss: the slice, the host, and how.
        given_up: Slices that were lost too often, with how.
    """

    tries: Counter[str] = field(factory=Counter)
    told: list[tuple[str, str, str]] = field(factory=list)
    given_up: dict[str, str] = field(factory=dict)


def family(profile: str) -> str:
    """Return the name of a profile without its number of cards."""
    base, _, count = profile.rpartition("-x")
    return base if base and count.isdecimal() else profile


def named(machine: str, gpus: int) -> str:
    """Return the profile's name for a number of cards."""
    return machine if gpus == ONE else f"{machine}-x{gpus}"
