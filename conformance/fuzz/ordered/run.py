"""Runs a program on the model, and returns the detector's first report."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from conformance.fuzz.ordered.calls import CALLS, Side
from conformance.fuzz.ordered.endless import never_ends
from conformance.fuzz.ordered.kernels import KERNEL, Turns, filled
from conformance.fuzz.ordered.program import LEGACY, OTHER, PER_THREAD
from conformance.fuzz.ordered.reading import DONE, NOT_READY, REFUSED, Seen, stream_of
from conformance.fuzz.ordered.stage import THREADS, Stage, Unexpected, spawned
from conformance.fuzz.ordered.steps import QUERIES
from fakecuda import Machine, kernel, modes
from fakecuda.model.code.kernels import MEANINGS
from fakecuda.model.work import stream_scheduler, waiting
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.fuzz.ordered.program import Program, Step
    from conformance.fuzz.ordered.reading import Stream
    from fakecuda.model.finding import Finding

ACCESSES, BRANCHES = "stream.race.ACCESSES_ARE_ORDERED", "graph.branches.BRANCHES_ARE_ORDERED"
RACES = (ACCESSES, BRANCHES, "pool.handle.MEMORY_IS_ALLOCATED", "stream.order.MEMORY_IS_AT_REST")
"""The rules that report two unordered accesses."""
ATTENDED = "attend.<locals>.attended"
"""The name of work that writes a value or waits for one."""


@define(eq=False)
class Report:
    """The report of the detector.

    Attributes:
        step: The index of the step that it refused.
        earlier: The index of the step of the earlier access. None for a rule that does not name it.
        rule: The rule's id.
        finding: The finding.
    """

    step: int
    earlier: int | None
    rule: str
    finding: Finding


@define(eq=False)
class Run:
    """A run of a program on a machine.

    Args:
        program: The program.
        machine: The machine.
        stage: What its steps use.

    Attributes:
        seen: What was seen of each step that has run.
        report: What the detector reported. None for nothing.
        busy: Whether some stream had work before the last step.
    """

    program: Program
    machine: Machine
    stage: Stage
    seen: list[Seen] = field(factory=list)
    report: Report | None = None
    busy: bool = False
    _marks: list[int] = field(factory=list)

    def run(self) -> None:
        """Make steps until a report, or until a step would wait for ever."""
        for number, step in enumerate(self.program.steps):
            if self.seen and self.seen[-1].values and step.what not in QUERIES and never_ends(self.program, self.seen):
                return
            self._marks.append(len(self.machine.calls))
            busy = bool(self.machine.scheduler.manual or self.machine.scheduler.pending)
            self.busy = busy
            answer = self._make(step)
            if self.machine.findings:
                self.report = self._reported(number, self.machine.findings[0])
                return
            self.seen.append(evolve(self._look(answer), busy=busy))

    def _make(self, step: Step) -> str:
        """Make a step, and return its answer."""
        actor, stage = self.program.actors[step.actor], self.stage
        stream = stage.streams[stream_of(self.program, step.actor)]
        side = Side(stage, actor.process, stream, stage.contexts[actor.context], actor.context)
        name, *args = CALLS[step.what](side, *step.args)
        code, *results = getattr(stage.callers[step.actor], name)(*args)
        if step.what == "look":
            ctypes.string_at(side.at(*step.args[:2]), 1)
        elif step.what == "touch":
            ctypes.memset(side.at(*step.args[:2]), 1, 1)
        if step.what == "lock":
            stage.callers[step.actor].cuCheckpointProcessUnlock(stage.pid, None)
        if step.what == "allocate" and not code:
            stage.places[step.args[0], 0] = int(results[0])
        if code == Result.NOT_READY:
            return NOT_READY
        if (
            code and not self.machine.findings and not (step.what == "elapsed" and code == Result.INVALID_HANDLE)
        ):  # of an event without a record
            msg = f"{step} answers {Result(code).name}"
            raise Unexpected(msg)
        return REFUSED if code else DONE

    def _look(self, answer: str) -> Seen:
        """Return the observations after a step, once no host function runs."""
        machine, seen = self.machine, Seen(answer)
        with machine.lock:
            if machine.scheduler.pending:
                waiting.wait(machine, "host functions", lambda: not stream_scheduler.running(machine))
            for stream in machine.scheduler.pending:
                name = self._name(stream)
                for work in stream.work:
                    if work.hosted:
                        seen.functions[name] = seen.functions.get(name, 0) + 1
                    elif getattr(work.act, "__qualname__", "") == ATTENDED:
                        seen.values[name] = seen.values.get(name, 0) + 1
        return seen

    def _name(self, stream: Any) -> Stream:
        """Return the name of a stream of the model."""
        context = next(name for name in self.stage.contexts if self._is(stream.context, name))
        for name, handle in self.stage.streams.items():
            if name[1] != context or handle != stream.handle:
                continue
            # Process b has one thread, whose name is the system's if the process is one of the system.
            if name[0] != PER_THREAD or name[1] == OTHER:
                return name
            own = stream.context.default_streams.get(THREADS[name[1:]])
            if own is not None and own.attributes is stream.attributes:  # a lane of a launch has those of its stream
                return name
        return LEGACY, context, 0

    def _is(self, context: Any, name: int) -> bool:
        return context.handle == self.stage.contexts[name] and (context.process.name != "a") is (name == OTHER)

    def _reported(self, number: int, finding: Finding) -> Report:
        """Return the report, with the step of the earlier access."""
        rule = str(finding.rule.id)
        if rule not in RACES:
            msg = f"{self.program.steps[number]} breaks {rule}"
            raise Unexpected(msg)
        step = None
        if rule == ACCESSES:
            before = finding.facts["earlier"].operation.before
            place = next(at for at, record in enumerate(self.machine.calls) if record is before) + 1
            step = max(at for at, mark in enumerate(self._marks) if mark <= place)
        return Report(number, step, rule, finding)


def ran(program: Program, start: Callable[[Machine], Any] = spawned) -> Run:
    """Return the run of a program on a new machine.

    Args:
        program: The program.
        start: Starts its second process; by default one of the machine's own.
    """
    kernels, completion = "run" if program.from_ptx else "error", "manual" if program.manual else "eager"
    races = modes.STRICT if program.strict else True
    with Machine("h200", seed=1, completion=completion, kernels=kernels, races=races) as machine:
        machine.tolerates = lambda _: True  # no exception: only a difference asks for the text
        if not program.from_ptx:
            kernel(KERNEL, "u8*", "u32")(filled)
        turns = Turns()
        for name, function in (("set", turns.set), ("turn", turns.turn)):
            kernel(f"ordered_{name}", "u64", "u32")(function)
        try:
            run = Run(program, machine, Stage(program, machine, start))
            run.run()
        finally:
            for name in (KERNEL, "ordered_set", "ordered_turn"):
                MEANINGS.pop(name, None)
        return run
