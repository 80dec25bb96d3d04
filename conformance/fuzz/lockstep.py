"""What the state machine stands on: the model and a target in lockstep, and what each process is known to hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from attrs import define, field
from hypothesis.stateful import RuleBasedStateMachine

import fakecuda
from conformance.fuzz.choices import NOWHERE
from conformance.kit.compare import ENDS_CONTEXTS, differences
from conformance.kit.program import Program, Recorder
from fakecuda.errors import EndlessWait
from fakecuda.rules.registry import RUNTIME, api_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.profiles import Profile

MAKES_OTHERS = {"cudaDeviceEnablePeerAccess", "cudaDeviceDisablePeerAccess", "cudaMemcpyPeer"}
"""Calls that make primary contexts of other devices before they look at the rest."""
PROCESSES = ("a", "b")
SHORTEST = 12
"""Steps of a program that is worth recording."""


@define
class Memory:
    """Linear memory, an IPC mapping or a reservation of a process.

    Attributes:
        pointer: Its address.
        size: Its bytes.
        context: The context that it ends with, or 0.
    """

    pointer: int
    size: int
    context: int = 0


@define
class Known:
    """What a process holds, as the model's answers told.

    Attributes:
        contexts: Live contexts that it made.
        primaries: Live primary contexts by device.
        memory: Allocations.
        imports: IPC mappings.
        reserved: Reservations.
        mapped: VMM mappings.
        handles: Allocation handles with a reference.
        dead: Addresses that name nothing, until something new might lie there.
    """

    contexts: list[int] = field(factory=list)
    primaries: dict[int, int] = field(factory=dict)
    memory: list[Memory] = field(factory=list)
    imports: list[Memory] = field(factory=list)
    reserved: list[Memory] = field(factory=list)
    mapped: list[Memory] = field(factory=list)
    handles: list[tuple[int, int]] = field(factory=list)
    dead: list[int] = field(factory=list)

    def lose_context(self, context: int) -> None:
        """Forget a context and what ended with it."""
        self.contexts = [one for one in self.contexts if one != context]
        self.primaries = {n: one for n, one in self.primaries.items() if one != context}
        self.dead += [one.pointer for one in (*self.memory, *self.imports) if one.context == context]
        self.memory = [one for one in self.memory if one.context != context]
        self.imports = [one for one in self.imports if one.context != context]


def has(*kinds: str) -> Callable[[Lockstep], bool]:
    """Return the condition that some process holds all of these kinds."""
    return lambda self: any(all(getattr(known, kind) for kind in kinds) for known in self.known.values())


class Lockstep(RuleBasedStateMachine):
    """A state machine whose calls go to the model and to a target.

    Attributes:
        profile: The model's profile.
        real: The target's machine, or None for the model alone.
        sink: Takes the programs that ran, or None.
        focused: Whether programs keep to some calls.
    """

    profile: ClassVar[Profile]
    real: ClassVar[Any] = None
    sink: ClassVar[list[Program] | None] = None
    focused: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__()
        self.machine = fakecuda.Machine(self.profile, strict=False, seed=0)
        self.machine.scheduler.census.alone = True  # of a program's calls each comes after the one before
        self.model = Recorder(self.machine, "machine", "machine")
        self.target = Recorder(self.real, "machine", "machine") if self.real is not None else None
        self.known = {name: Known() for name in PROCESSES}
        self.shares: list[tuple[str, bytes, int]] = []
        self.files: list[int] = []
        self.ended: set[str] = set()
        self.diverged = False

    def follow(self) -> None:
        """Make the model's last step on the target too, and compare."""
        if self.target is None or self.diverged:
            return
        step, expected = self.model.program.steps[-1], self.model.program.answers[-1]
        got = self.target.run(step)
        place = {"step": len(self.model.program.steps) - 1, "process": step["process"]}
        found = differences(got, expected, step["call"], ended=step["process"] in self.ended, **place)
        if found:
            self.diverged = True
            told = "\n".join(f"the model answers otherwise: {one}" for one in found)
            message = f"{told}\n\n{self.target.program.as_python()}"
            raise AssertionError(message)

    def call(self, process: str, on: str, name: str, *inputs: Any, null: str = "") -> Any:
        """Make a call on both; return its result, a tuple of several, True for none, or None for a failure."""
        makes = name in MAKES_OTHERS or (api_of(name) is RUNTIME and not self._has_context(process, on))
        before = self.machine.snapshot()
        try:
            code, *results = self.model.call(process, on, name, inputs, null)
        except EndlessWait:
            # Nobody is left to wake it, as a team's devices that are never added; on a machine it would not return.
            assert self.machine.snapshot() == before, f"{name} waits for ever and changed the machine"
            return None
        self.machine.check_invariants()
        unchanged = not code or makes or self.machine.snapshot() == before
        assert unchanged, f"{name} failed and changed the machine"
        if self._is_undefined():
            self.model.forget()
            return None
        self.follow()
        if not code and name in ENDS_CONTEXTS:
            self.ended.add(process)
        if code:
            return None
        return results[0] if len(results) == 1 else tuple(results) or True

    def _has_context(self, process: str, on: str) -> bool:
        """Return whether a context is current that the runtime API has: it makes or retains one before it looks further."""
        stack = self.model.processes[process].thread_of(on).stack
        return bool(stack) and not (stack[-1].destroyed or stack[-1].unheld)

    def _is_undefined(self) -> bool:
        """Return whether the last call broke a rule whose breach is undefined: a driver may end the process then."""
        rule = self.model.rules[-1]
        return rule is not None and rule.grade == "undefined"

    def made_context(self, process: str, on: str, flags: int, number: int) -> None:
        """Make a context."""
        made = self.call(process, on, "cuCtxCreate", None, flags, number)
        if made:
            self.known[process].contexts.append(made)

    def some(self, items: list[Any], index: int) -> Any:
        """Return one of several; None of none."""
        return items[index % len(items)] if items else None

    def holder(self, process: str, *kinds: str) -> str:
        """Return the process, or the other one where only that holds something of all of these kinds."""
        order = sorted(PROCESSES, key=lambda name: name != process)
        return next((name for name in order if all(getattr(self.known[name], kind) for kind in kinds)), process)

    def address(self, process: str, index: int, *, legal: bool) -> int:
        """Return an address that a process holds; otherwise one that names nothing, or null."""
        known = self.known[process]
        held = [one.pointer for one in (*known.memory, *known.imports, *known.mapped)]
        choices = held if legal and held else [0, *known.dead, *[p + 1 for p in held], NOWHERE]
        return int(self.some(choices, index))

    def teardown(self) -> None:
        """Keep the program where it is wanted; end the processes."""
        if self.sink is not None and len(self.model.program.steps) >= SHORTEST:
            self.sink.append(self.model.program)
        for recorder in filter(None, (self.model, self.target)):
            recorder.close()
        self.machine.close()
