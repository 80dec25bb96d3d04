"""Processes of a card that programs use in turn, because new contexts are slow."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.kit.world import INITIALISED, NEW, RUNTIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.kit.program import Step

MARKS = frozenset({"thread", "forked", "inside", "null"})
"""Keys of a step whose call is not a plain call of the main thread."""
MOST = 400
"""The maximum programs of a process, which limits what a driver accumulates in it."""
ALL = "all devices"
"""The kind of a process that uses all devices, and one by the runtime API last."""
IDLE = 6
"""The maximum number of idle processes of a kind."""


@define(eq=False)
class Warm:
    """A process of a card.

    Attributes:
        process: The process.
        kind: What has been done in it, as worlds say it: nothing, cuInit, or its main thread uses a device by the runtime API.
        device: That device.
        spares: Contexts by device that are as new ones and current nowhere.
        uses: How many programs have used it.
        made: How many calls the program that uses it has made in it.
    """

    process: Any
    kind: str = NEW
    device: int = 0
    spares: dict[int, list[int]] = field(factory=dict)
    uses: int = 0
    made: int = 0


@define(eq=False)
class Stable:
    """The idle processes of a card.

    Attributes:
        machine: The card's machine, or a model that stands for one.
        ended: Why processes were not used again, with how many.
        started: How many were started.
    """

    machine: Any
    ended: Counter[str] = field(factory=Counter)
    started: int = 0
    _idle: dict[tuple[str, int], list[Warm]] = field(factory=dict)

    def stands(self, warm: Warm, call: str, inputs: tuple[Any, ...]) -> bool:
        """Return whether an earlier program made this first call, so it changes nothing."""
        if warm.kind == INITIALISED:
            return warm.made == 0 and call == "cuInit" and inputs == (0,)
        if call != "cudaSetDevice" or warm.kind == NEW:
            return False
        return warm.made == 0 and (warm.kind == ALL or inputs == (warm.device,))

    def take(self, kind: str, device: int) -> Warm:
        """Return a process of a kind, or one without calls."""
        idle = self._idle.get((kind, device * (kind == RUNTIME)))
        return idle.pop() if idle else self.new()

    def new(self) -> Warm:
        """Return a new process."""
        self.started += 1
        return Warm(self.machine.spawn())

    def give(self, warm: Warm) -> None:
        """Take back a clean process of a kind."""
        warm.uses += 1
        warm.made = 0
        idle = self._idle.setdefault((warm.kind, warm.device * (warm.kind == RUNTIME)), [])
        if warm.uses >= MOST or len(idle) >= IDLE:
            self.end(warm, "its age" if warm.uses >= MOST else "there are enough")
        else:
            idle.append(warm)

    def end(self, warm: Warm, why: str) -> None:
        """End a process."""
        self.ended[why] += 1
        if warm.process.alive:
            warm.process.kill()
        getattr(self.machine, "processes", {}).pop(warm.process.name, None)

    def close(self) -> None:
        """End all idle processes."""
        for idle in self._idle.values():
            for warm in idle:
                warm.process.kill()
        self._idle.clear()


def kinds_of(steps: Sequence[Step]) -> dict[str, tuple[str, int]]:
    """Return the kind and device of each process in a program, by their first calls."""
    found: dict[str, tuple[str, int]] = {}
    firsts: dict[str, list[Step]] = {}
    for step in steps:
        if step["process"] and step["call"] not in {"spawn", "memory", "function"}:
            firsts.setdefault(step["process"], []).append(step)
    for process, calls in firsts.items():
        devices = [_device(step) for step in calls[:2]]
        first = calls[0]
        if len(devices) == 2 and None not in devices and devices[0] != devices[1]:
            found[process] = (ALL, int(devices[1] or 0))
        elif devices[0] is not None:
            found[process] = (RUNTIME, devices[0])
        else:
            plain = first["call"] == "cuInit" and first.get("args") == [0] and not MARKS & set(first)
            found[process] = (INITIALISED if plain else NEW, 0)
    return found


def _device(step: Step) -> int | None:
    """Return the device that a step selects in the main thread, or None."""
    if step["call"] != "cudaSetDevice" or MARKS & set(step):
        return None
    device = step["args"][0]
    return device if isinstance(device, int) else None


@define
class Given:
    """A machine that starts one process, which was given.

    Attributes:
        process: The process.
    """

    process: Any

    def spawn(self) -> Any:
        """Return the given process."""
        return self.process
