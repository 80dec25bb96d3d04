"""State machines over processes, threads, devices and contexts.

Two processes with two threads each, and a third that starts late, make calls that :mod:`conformance.drawing` draws from
Hypothesis's choices: mostly legal calls, often a step from legal. What is passed on is what the model returned, so a
program never holds a garbage handle; dead values go only where ``SAFE_DEAD`` says that the driver checks them. A failure prints
the minimal program as Python.
"""

# ruff: noqa: D102 - a rule is named after what it does

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import initialize, precondition, rule, run_state_machine_as_test

from conformance.drawing.arguments import CALLBACKS
from conformance.drawing.chapters import CHAPTERS, share_of
from conformance.drawing.drawing import PROCESSES, SECOND
from conformance.drawing.patterns import map_memory, share
from conformance.drawing.values import LATE
from conformance.fuzz.lockstep import Lockstep
from conformance.fuzz.teams import Teams
from conformance.kit.program import FORKED, MAIN, Program
from conformance.runner.chance import draw_alike
from fakecuda.profiles import load
from fakecuda.rules.registry import RUNTIME
from fakecuda.spec.both import CALLS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from random import Random

    from fakecuda.profiles import Profile

STEPS, RECORDED_STEPS = 75, 120
"""The maximum number of rules of a program, and of a program to record."""
BEGINNING = 40
"""The number of equal first steps by which programs are variants of each other."""
LEGAL, WRONG = 40, 80
"""Percentages of calls that should succeed, and of others with a wrong argument."""
SHARE, SELDOM = 4, 0.5
"""The factor of a call's weight in its chapter, and the minimum weight."""
LATER = frozenset(
    call
    for calls in CHAPTERS.values()
    for call in calls
    if any(one.type.endswith(CALLBACKS) for one in CALLS[call].inputs) or not CALLS[call].bound
)
"""Calls that take a host function. Another thread calls it, at any time: then a call that fails may find another machine.

Also calls that cuda.bindings lacks.
"""
TOGETHER = {
    "code": ("module", "library", "execution", "linker"),
    "copy": ("copy",),
    "device": ("core", "device", "peer", "profiler", "checkpoint"),
    "context": ("context", "primary_ctx"),
    "memory": ("memory", "ipc"),
    "array": ("array", "texture", "tensor"),
    **{name: (name,) for name in ("event", "graph", "pool", "stream", "unified", "va")},
    "runtime_copy": ("runtime.copy", "runtime.unified"),
    "runtime_device": ("runtime.device", "runtime.peer"),
    "runtime_memory": ("runtime.memory", "runtime.host", "runtime.ipc"),
    "runtime_stream": ("runtime.stream", "runtime.event", "runtime.pool"),
}
"""The chapters whose calls a rule draws."""
RUNTIME_CALLS = frozenset(call for calls in CHAPTERS.values() for call in calls if call in RUNTIME.ops) - LATER

choices = st.randoms(use_true_random=False)
device = st.sampled_from((0, 0, 0, 1))


class Calls(Lockstep):
    """The calls; :func:`machine_on` adds the target, and rules for the chapters."""

    @initialize(random=choices, devices=st.tuples(device, device), populated=st.booleans())
    def start(self, random: Random, devices: tuple[int, int], *, populated: bool) -> None:
        """Start processes with a context each; if populated, share and map memory."""
        drawing = self.drawing(random)
        count = drawing.devices
        for name, drawn in zip(PROCESSES, devices, strict=True):
            self.begin(name, runtime=self.runtime, device=drawn % count)
            if populated:
                self.call(name, MAIN, "cuCtxCreate", None, 0, (drawn + 1) % count)
                self.call(name, MAIN, "cuCtxPopCurrent")
        for name in PROCESSES if populated else ():
            share(drawing, name, self._made(drawing))
            map_memory(drawing, name, self._made(drawing))

    def _made(self, drawing: Any) -> Callable[..., Any]:
        return lambda process, call, *inputs: drawing.made(self, process, call, *inputs)

    def draw(self, random: Random, calls: tuple[str, ...], others: tuple[str, ...], threads: tuple[str, ...]) -> None:
        """Draw one of these calls; Hypothesis shrinks a program by whole rules."""
        process, on = random.choice(others), random.choice(threads)
        if process == LATE and LATE not in self.model.processes:
            self.other({"process": LATE, "call": "spawn"})
        self.drawing(random).call(self, process, on, lambda: random.choice(calls), LEGAL, WRONG)

    @rule(random=choices, process=st.sampled_from(PROCESSES))
    def pattern(self, random: Random, process: str) -> None:
        self.drawing(random).pattern(self, process)

    @rule(random=choices, process=st.sampled_from(PROCESSES))
    def host_memory(self, random: Random, process: str) -> None:
        self.drawing(random).other_step(self, process, "memory")

    @rule(random=choices, process=st.sampled_from(PROCESSES))
    def destroy_context(self, random: Random, process: str) -> None:
        held = self.model.processes[process].contexts
        own = [name.value for name in self.drawing(random).named(process, "ctx") if name.value in held]
        if len(own) > 1:
            on = random.choice((MAIN, SECOND))  # the other thread keeps a dead context current
            self.call(process, on, "cuCtxDestroy", random.choice(own))

    @precondition(lambda self: self.files())
    @rule(random=choices)
    def close_file(self, random: Random) -> None:
        self.other({"process": "", "call": "close", "args": [{"ref": random.choice(self.files())}]})

    def files(self) -> list[str]:
        """Return the names of open descriptors."""
        return [name.text for name in self.model.names.by_text.values() if name.kind == "fd" and name.live]


def calls_of(chapters: tuple[str, ...], wanted: Collection[str] = ()) -> tuple[str, ...]:
    """Return the calls of chapters that programs make, repeated by weight.

    Args:
        chapters: The chapters.
        wanted: Calls that programs keep to, or none for all of them.
    """
    calls = [call for chapter in chapters for call in CHAPTERS[chapter]]
    chosen = [call for call in calls if (not wanted or call in wanted) and call not in LATER]
    return tuple(call for call in chosen for _ in range(max(1, int(SHARE * max(SELDOM, share_of(call))))))


def _rule(name: str, calls: tuple[str, ...], *, runtime: bool) -> Any:
    """Return the rule that draws calls of a chapter; runtime calls may come first."""
    others = ("a", "a", "b", LATE, LATE) if runtime else ("a", "a", "a", "b", "b", "b", LATE)
    threads = (*[MAIN] * 8, SECOND, SECOND, FORKED) if runtime else (*[MAIN] * 12, SECOND, FORKED)

    def drawn(self: Calls, random: Random) -> None:
        self.draw(random, calls, others, threads)

    drawn.__name__ = name  # as a failure shows it
    return rule(random=choices)(drawn)


def machine_on(
    profile: Profile,
    real: Any = None,
    sink: list[Program] | None = None,
    wanted: Collection[str] = (),
    *,
    runtime: bool = False,
) -> type[Calls]:
    """Return the state machine on a target.

    Args:
        profile: The model's profile.
        real: The real machine to follow in lockstep, or None for the model alone.
        sink: Takes the programs that ran, or None.
        wanted: Calls that the programs keep to, beside patterns; all by default.
        runtime: Whether they make calls of the runtime API, too.
    """
    # Multicast calls are for a model alone, and programs that are kept are for real machines.
    bases: tuple[type, ...] = (Teams, Calls) if real is None and sink is None else (Calls,)
    rules = {}
    for name, chapters in TOGETHER.items():
        above = name.startswith("runtime")
        calls = calls_of(chapters, wanted) if runtime or not above else ()
        if calls:
            rules[f"draw_{name}"] = _rule(f"draw_{name}", calls, runtime=above)
    fields: dict[str, Any] = {"profile": profile, "real": real, "sink": sink, "runtime": runtime}
    return type("CallsOn", bases, {**fields, **rules})


def generate(
    profile: str, count: int, number: int, wanted: Collection[str] = (), *, runtime: bool = False
) -> list[Program]:
    """Return programs that ran on the model.

    Args:
        profile: The model's profile, a name or a path.
        count: How many at most.
        number: The seed; the same one gives the same programs.
        wanted: Calls that the programs keep to, beside patterns; all by default.
        runtime: Whether they make calls of the runtime API, too; then `wanted` says nothing.
    """
    draw_alike()
    kind = "runtime/machine" if runtime else "machine"
    sink: list[Program] = []
    chosen = settings(
        max_examples=4 * count,
        stateful_step_count=RECORDED_STEPS,
        phases=(Phase.generate,),
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    machine = machine_on(load(profile), sink=sink, wanted=() if runtime else wanted, runtime=runtime)
    run_state_machine_as_test(seed(number)(machine), settings=chosen)
    many = RUNTIME_CALLS if runtime else wanted
    longest = sorted(sink, key=lambda program: (-_made(program, many), -len(program.steps)))
    # Many are variants of others: of those that begin alike, one tells as much.
    distinct: dict[str, Program] = {}
    for program in longest:
        distinct.setdefault(json.dumps(program.steps[:BEGINNING]), program)
    chosen_programs = list(distinct.values())[:count]
    return [Program(f"{kind}/{number}-{place}", one.steps, [], "machine") for place, one in enumerate(chosen_programs)]


def _made(program: Program, wanted: Collection[str]) -> int:
    return sum(step["call"] in wanted for step in program.steps)
