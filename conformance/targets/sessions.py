"""A real machine and a model of it, step by step alongside: worlds that lie one after the other for as long as a run.

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
"""Worlds that use one process: what a driver keeps of them must not grow without end."""
FAULTS = STICKY - {Result.CONTEXT_IS_DESTROYED}
"""Codes after which a process is not used again; of one whose context was destroyed the model knows."""
COSTS = "CONFORM_COSTS"
"""The environment variable that names a directory in which each process writes what the driver's side has cost it."""
OFTEN = 5.0
"""Seconds from one such writing to the next."""
WORN = 5000
"""Worlds and threads that one model lives through."""
MAKE_CONTEXTS = {"cuCtxCreate", "cudaSetDevice"}
BEFORE = {NEW: (), INITIALISED: (NEW,), CONTEXT: (INITIALISED, NEW), RUNTIME: (NEW,)}
"""For each kind of process those that lack only some calls."""


DEAREST = 30
"""How much of what it cost is told."""


@define
class Costs:
    """What a driver's side has cost: how often and for how many seconds, by what it was for."""

    counts: Counter[str] = field(factory=Counter)
    seconds: dict[str, float] = field(factory=dict)
    dropped: Counter[str] = field(factory=Counter)
    _saved: float = field(default=0.0, init=False)

    @contextmanager
    def of(self, what: str) -> Iterator[None]:
        """Count a block and its seconds."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self.counts[what] += 1
            self.seconds[what] = self.seconds.get(what, 0.0) + time.monotonic() - begun

    def save(self, often: float = OFTEN) -> None:
        """Write it to a file of this process in the directory that the environment names, if it does.

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
    """A recorder of a real machine whose every step a model makes as well.

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
        """Whether the model answers otherwise in this world, or not at all: it follows no longer."""
        return bool(self.found or self.failed)

    def told(self) -> str:
        """Return this world's program, up to the step that differs where one does, as Python text that runs by itself."""
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
        """Begin a new world: forget the program but for these steps."""
        super().shorten(kept)
        self.model.shorten(kept)
        self.model.names.count_as(self.names)
        self.found.clear()
        self.failed = None
        self._ended.clear()

    def close(self) -> None:
        """End the processes and close the descriptors, on both."""
        super().close()
        self.model.close()


@define
class Lasting(Session):
    """Worlds one after the other for as long as a run.

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
        """Whether another session should take its place: a call hung, or the model has lived through very much."""
        return self._hung or self.count >= WORN

    def world(self, label: str) -> World:
        """Begin a world, and a program with it."""
        living = [(kind, one) for (kind, _), idle in self.idle.items() for one in idle]
        names = {one.name for _, one in living}
        self.own = {name: context for name, context in self.own.items() if name in names}
        self.spares = {place: context for place, context in self.spares.items() if place[0] in names}
        self.recorder.shorten([step for kind, one in living for step in self._begun(kind, one)])
        self.costs.counts["worlds"] += 1
        return super().world(label)

    def process(self, kind: str, device: int) -> Process:
        """Return a process of a kind that is as a new one."""
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
        """Return steps that make a process as it is now, with their answers."""
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
        """Return an idle process that lacks only some calls of a kind, or a new one, with the kind that it is."""
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
        """Return a context of a device that a process has to spare, and has no longer; 0 when it has none."""
        name = self.spares.pop((subject.name, device), "")
        return int(self.recorder.names.by_text[name].value) if name else 0

    def _turn(self, call: str, subject: Process) -> AbstractContextManager[None]:
        """Wait for a turn to make a context, where the call makes one."""
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
        """Keep the processes of a world that are as new ones, and end the others."""
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
        """End the processes of a world that went wrong."""
        for _, subject in world.used:
            self.costs.dropped["its world went wrong"] += 1
            self._end(subject)

    def close(self) -> None:
        """End every process."""
        self.recorder.close()
        self.recorder.model.machine.close()

    def _end(self, subject: Process) -> None:
        """End a process, which is in no program any more."""
        with self.costs.of("ends"):
            for recorder in (self.recorder, self.recorder.model):
                process = recorder.processes[subject.name]
                if process.alive:
                    process.kill()

    def _judged(self, world: World) -> list[tuple[str, Process, str]]:
        """Take back what a world has done; return its processes, each with its kind and with what is left all the same."""
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
        """Note the contexts, by their handles on the model, that a process has to spare."""
        model = self.recorder.model
        process = model.processes[name]
        for handle in spares:
            device = process.number_of(process.contexts[handle].device)
            self.spares[name, device] = _name(model, name, handle)


class Sparing(Ok):
    """The calls of a process's main thread that must succeed; a plain context is one that it has to spare, if it has one.

    A driver takes a hundred milliseconds to make a context, and as long to end one.
    """

    __slots__ = ("_session", "_subject")

    def __init__(self, session: Lasting, subject: Process) -> None:
        super().__init__(subject.c)
        self._session = session
        self._subject = subject

    def cuCtxCreate(self, params: Plain, flags: int, device: int) -> Plain:
        """Return a context, which is made current."""
        spare = 0 if params or flags else self._session.spare(self._subject, device)
        if not spare:
            return super().__getattr__("cuCtxCreate")(params, flags, device)
        self.cuCtxPushCurrent(spare)
        return spare


def _name(recorder: Recorder, process: str, context: int) -> str:
    """Return the name that a recorder has for a process's context."""
    found = recorder.names.alias(process, "ctx", context)
    assert found is not None
    return found[0].text


def _place(kind: str, device: int) -> tuple[str, int]:
    """Return where idle processes of a kind are; those without a context work on any device."""
    return kind, device if kind in {CONTEXT, RUNTIME} else 0
