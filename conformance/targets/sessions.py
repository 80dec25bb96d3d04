"""A machine and a model in lockstep, through a series of worlds.

The model makes each step as soon as the driver has made it. So the two are compared at once, and the model, which has lived
through all of it, tells what a world has left in a process: one that is as a new one is used again, by whatever check
comes next. What a program says at any time is its own world and the start of the processes in it, which runs by itself.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.kit.cleaning import STICKY, faulted
from conformance.kit.compare import ENDS_CONTEXTS, Difference, differences
from conformance.kit.program import Program, Recorder
from conformance.kit.world import CONTEXT, INITIALISED, NEW, RUNTIME, Ok, Process, Session, made_by
from conformance.targets.leftovers import NO_CONTEXT, Undo
from fakecuda.model.os.process import NOT_INITIALIZED
from fakecuda.spec.codes import HANG, Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from conformance.kit.plan import Plan
    from conformance.kit.program import Answer, Plain, Step
    from conformance.kit.world import World
    from fakecuda.machine.machine import Machine
    from fakecuda.rules.core import Rule
    from realcuda.gate import Gate

MOST = 500
"""The maximum worlds of a process, which limits what a driver accumulates in it."""
FAULTS = STICKY - {Result.CONTEXT_IS_DESTROYED}
"""Codes after which a process is not reused."""
COSTS = "CONFORM_COSTS"
"""The environment variable with a directory for the costs of the driver's side."""
OFTEN = 5.0
"""Seconds between writes of the costs."""
WORN = 5000
"""The maximum number of worlds and threads of one model."""
MAKE_CONTEXTS = {"cuCtxCreate", "cudaSetDevice"}
BEFORE = {NEW: (), INITIALISED: (NEW,), CONTEXT: (INITIALISED, NEW), RUNTIME: (NEW,)}
"""For each kind of process, the kinds that lack only some calls."""


DEAREST = 30
"""The number of cost entries to report."""


@define
class Costs:
    """Costs of a driver's side: count and seconds by purpose."""

    counts: Counter[str] = field(factory=Counter)
    seconds: dict[str, float] = field(factory=dict)
    dropped: Counter[str] = field(factory=Counter)
    _saved: float = field(default=0.0, init=False)

    @contextmanager
    def of(self, what: str) -> Iterator[None]:
        """Add a block and its seconds."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self.counts[what] += 1
            self.seconds[what] = self.seconds.get(what, 0.0) + time.monotonic() - begun

    def save(self, often: float = OFTEN) -> None:
        """Write the costs to this process's file in the directory, if one is set.

        Args:
            often: Seconds that must have passed since the last time.
        """
        directory = os.environ.get(COSTS)
        if directory and self.counts and time.monotonic() >= self._saved + often:
            self._saved = time.monotonic()
            Path(directory, f"{os.getpid()}.txt").write_text(f"{self}\n")

    def __str__(self) -> str:
        dearest = sorted(self.counts, key=lambda what: -self.seconds.get(what, 0.0))[:DEAREST]
        parts = [f"{self.counts[what]} {what} {self.seconds.get(what, 0.0):.1f} s" for what in dearest]
        ends = ", ".join(f"{number} {why}" for why, number in self.dropped.most_common())
        return f"{'; '.join(parts)}; processes that were not used again: {ends or 'none'}"


class Alongside(Recorder):
    """A recorder of a machine that makes every step on a model, too.

    Args:
        machine: The real machine.
        model: The model.
        visible_devices: CUDA_VISIBLE_DEVICES of the real machine's processes, which the model's get too.
        costs: Takes what the calls cost.

    Attributes:
        model: The recorder of the model.
        found: How the answers of this world differ: the first step of it that does, with the rule that the model says was broken.
        failed: What the model raised instead of an answer.
    """

    def __init__(
        self,
        machine: Any,
        model: Machine,
        visible_devices: str | None = None,
        costs: Costs | None = None,
    ) -> None:
        super().__init__(machine)
        self.model = Recorder(model, visible_devices=visible_devices)
        self.visible_devices = visible_devices
        self.costs = costs or Costs()
        self.found: list[tuple[Difference, Rule | None]] = []
        self.failed: Exception | None = None
        self._ended: set[str] = set()

    def _make(self, step: Step, inputs: tuple[Plain, ...], plan: Plan) -> tuple[Answer, tuple[Plain, ...]]:
        with self.costs.of(step["call"]):
            return super()._make(step, inputs, plan)

    def _log(self, step: Step, answer: Answer, *, made: bool = False) -> None:
        super()._log(step, answer, made=made)
        if self.lost:
            return
        try:
            with self.costs.of("steps of the model"):
                got = self.model.hang(step) if answer["code"] == HANG else self.model.run(step)
        except Exception as error:  # noqa: BLE001 - it is told when the world has ended, for the driver has made the call
            self.failed = error
            return
        call, process = step["call"], step["process"]
        found = differences(
            answer, got, call, ended=process in self._ended, step=len(self.program.steps) - 1, process=process
        )
        self.found += [(one, self.model.rules[-1]) for one in found]
        if call in ENDS_CONTEXTS:
            self._ended.add(process)

    @property
    def lost(self) -> bool:
        """Whether the model has differed or failed in this world and no longer follows."""
        return bool(self.found or self.failed)

    def told(self) -> str:
        """Return this world's program as Python text, up to the step that differs."""
        steps, answers = self.program.steps, self.program.answers
        start = next((number for number, step in enumerate(steps) if step["call"] == "world"), 0)
        end = self.found[0][0].step + 1 if self.found else len(steps)
        inside = {step["process"] for step in steps[start:end]}
        chosen = [number for number in range(end) if number >= start or steps[number]["process"] in inside]
        label = steps[start]["args"][0] if start < len(steps) else ""
        text = Program(label, [steps[n] for n in chosen], [answers[n] for n in chosen]).as_python()
        devices = self.visible_devices
        return text if devices is None else f"# The processes have CUDA_VISIBLE_DEVICES={devices}.\n{text}"

    def shorten(self, kept: list[tuple[Step, Answer]]) -> None:
        """Begin a new world with only these steps."""
        super().shorten(kept)
        self.model.shorten(kept)
        self.model.names.count_as(self.names)
        self.found.clear()
        self.failed = None
        self._ended.clear()

    def close(self) -> None:
        """End the processes and close the descriptors, on both sides."""
        super().close()
        self.model.close()


@define
class Lasting(Session):
    """A series of worlds.

    Attributes:
        own: For each process the name of the context that was made for it.
        spares: For each process and device the name of a context beside its own that is as a new one, and current nowhere.
        uses: How many worlds have used it.
        costs: Takes what it costs.
        gate: What contexts are made in turn by, or None.
        cards: The card of each device.
    """

    recorder: Alongside = field(kw_only=True)
    own: dict[str, str] = field(factory=dict)
    spares: dict[tuple[str, int], str] = field(factory=dict)
    uses: dict[str, int] = field(factory=dict)
    costs: Costs = field(factory=Costs)
    gate: Gate | None = None
    cards: Sequence[int] = ()
    _hung: bool = field(default=False, init=False)

    @property
    def worn(self) -> bool:
        """Whether to replace this session: a call hung, or the model is worn."""
        return self._hung or self.count >= WORN

    def world(self, label: str) -> World:
        """Begin a world and a program."""
        living = [(kind, one) for (kind, _), idle in self.idle.items() for one in idle]
        names = {one.name for _, one in living}
        self.own = {name: context for name, context in self.own.items() if name in names}
        self.spares = {place: context for place, context in self.spares.items() if place[0] in names}
        self.recorder.shorten([step for kind, one in living for step in self._begun(kind, one)])
        self.costs.counts["worlds"] += 1
        return super().world(label)

    def process(self, kind: str, device: int) -> Process:
        """Return a clean process of a kind."""
        idle = self.idle.get(_place(kind, device))
        if idle:
            return idle.pop()
        subject, less = self._nearest(kind, device)
        try:
            for call, inputs in made_by(kind, device)[len(made_by(less, device)) :]:
                with self._turn(call, subject):
                    subject.context = getattr(subject.ok, call)(*inputs) or 0
        except BaseException:
            self._end(subject)
            raise
        if subject.context:
            self.own[subject.name] = _name(self.recorder, subject.name, subject.context)
        return subject

    def _begun(self, kind: str, subject: Process) -> list[tuple[Step, Answer]]:
        """Return steps that recreate a process's state, with their answers."""
        name = subject.name

        def made(call: str, *args: Plain, **outs: Plain) -> tuple[Step, Answer]:
            step = {"process": name, "call": call, "args": list(args)} if args else {"process": name, "call": call}
            return step, {"code": 0, "outs": outs}

        calls = [made("spawn"), *(made(call, *inputs) for call, inputs in made_by(kind, subject.device))]
        own = [calls.pop()[0]["args"]] if kind == CONTEXT else []
        for (_, device), spare in [one for one in self.spares.items() if one[0][0] == name]:
            calls += [
                made("cuCtxCreate", None, 0, device, pctx={"new": spare}),
                made("cuCtxPopCurrent", pctx={"name": spare, "plus": 0}),
            ]
        return [*calls, *(made("cuCtxCreate", *args, pctx={"new": self.own[name]}) for args in own)]

    def _nearest(self, kind: str, device: int) -> tuple[Process, str]:
        """Return an idle process close to a kind, or a new one, with its kind."""
        for less in BEFORE[kind]:
            idle = self.idle.get(_place(less, device))
            if idle:
                subject = idle.pop()
                subject.device = device
                return subject, less
        with self.costs.of("processes"):
            subject = Process(self.recorder.spawn(), device, 0)
        subject.ok = Sparing(self, subject)
        return subject, NEW

    def spare(self, subject: Process, device: int) -> int:
        """Take a spare context of a device in a process; 0 if it is missing."""
        name = self.spares.pop((subject.name, device), "")
        return int(self.recorder.names.by_text[name].value) if name else 0

    def _turn(self, call: str, subject: Process) -> AbstractContextManager[None]:
        """Wait for permission to create a context, if the call creates one."""
        device = subject.device
        if self.gate is None or call not in MAKE_CONTEXTS or (subject.name, device) in self.spares:
            return nullcontext()
        return self._through(self.gate.passing(self.cards[device]))

    @contextmanager
    def _through(self, passing: AbstractContextManager[None]) -> Iterator[None]:
        with ExitStack() as stack:
            with self.costs.of("turns"):
                stack.enter_context(passing)
            yield

    def take_back(self, world: World) -> None:
        """Keep the clean processes of a world, and end the others."""
        self._hung = any(answer["code"] == HANG for answer in self.recorder.program.answers)
        for kind, subject, left in self._judged(world):
            name = subject.name
            self.uses[name] = self.uses.get(name, 0) + 1
            why = left or ("its age" if self.uses[name] >= MOST else "")
            if why:
                self.costs.dropped[why] += 1
                self._end(subject)
            else:
                renew = getattr(self.recorder.processes[name], "renew", None)
                if renew is not None:
                    renew()
                self.idle.setdefault(_place(kind, subject.device), []).append(subject)

    def abandon(self, world: World) -> None:
        """End the processes of a failed world."""
        for _, subject in world.used:
            self.costs.dropped["its world went wrong"] += 1
            self._end(subject)

    def close(self) -> None:
        """End every process."""
        self.recorder.close()
        self.recorder.model.machine.close()

    def _end(self, subject: Process) -> None:
        """End a process that is no longer in a program."""
        with self.costs.of("ends"):
            for recorder in (self.recorder, self.recorder.model):
                process = recorder.processes[subject.name]
                if process.alive:
                    process.kill()

    def _judged(self, world: World) -> list[tuple[str, Process, str]]:
        """Undo a world; return its processes with their kinds and remaining differences."""
        recorder = self.recorder
        kinds = {subject.name: kind for (kind, _), subject in world.used}
        subjects = {subject.name: subject for _, subject in world.used}
        judged = {
            name: "it died" if not one.alive else "it is broken" if faulted(world, name, FAULTS) else ""
            for name, one in subjects.items()
        }
        undos: dict[str, Undo] = {}
        for name, one in reversed(subjects.items()):  # what was made later uses what was made sooner
            if kinds[name] == NEW and recorder.model.processes[name].state != NOT_INITIALIZED:
                kinds[name] = INITIALISED
            if not judged[name] and not recorder.lost:
                undos[name] = Undo(recorder, recorder.model, name, kinds[name], one.device, self.own.get(name, ""))
        for undo in undos.values():
            undo.let_go()
        for undo in undos.values():
            undo.free()
        for name, one in subjects.items():
            if not judged[name]:
                judged[name] = "a difference" if recorder.lost else undos[name].left()
            if judged[name] == NO_CONTEXT and kinds[name] == CONTEXT:
                judged[name], kinds[name], one.context = "", INITIALISED, 0
                del self.own[name]
            self.spares = {place: text for place, text in self.spares.items() if place[0] != name}
            if not judged[name]:
                self._keep(name, undos[name].spares)
        return [(kinds[name], one, judged[name]) for name, one in subjects.items()]

    def _keep(self, name: str, spares: list[int]) -> None:
        """Keep the spare contexts of a process, by their handles on the model."""
        model = self.recorder.model
        process = model.processes[name]
        for handle in spares:
            device = process.number_of(process.contexts[handle].device)
            self.spares[name, device] = _name(model, name, handle)


class Sparing(Ok):
    """Calls of the main thread that must succeed; they use spare contexts.

    A driver takes a hundred milliseconds to make a context, and as long to end one.
    """

    __slots__ = ("_session", "_subject")

    def __init__(self, session: Lasting, subject: Process) -> None:
        super().__init__(subject.c)
        self._session = session
        self._subject = subject

    def cuCtxCreate(self, params: Plain, flags: int, device: int) -> Plain:
        """Create a context, or take a spare one, and make it current."""
        spare = 0 if params or flags else self._session.spare(self._subject, device)
        if not spare:
            return super().__getattr__("cuCtxCreate")(params, flags, device)
        self.cuCtxPushCurrent(spare)
        return spare


def _name(recorder: Recorder, process: str, context: int) -> str:
    """Return a recorder's name of a process's context."""
    found = recorder.names.alias(process, "ctx", context)
    assert found is not None
    return found[0].text


def _place(kind: str, device: int) -> tuple[str, int]:
    """Return the key of idle processes of a kind."""
    return kind, device if kind in {CONTEXT, RUNTIME} else 0
