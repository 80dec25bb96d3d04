"""Recorders, which run steps of programs on a target and record the answers.

:mod:`conformance.kit.steps` has the form of a program, :mod:`conformance.kit.references` how it writes what it obtained, and
:mod:`conformance.kit.recorded` the processes of a recorder.
"""

from __future__ import annotations

import os
from functools import partial
from itertools import zip_longest
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from conformance.kit import kernels as kernels  # noqa: PLC0414 - what kernels of recorded programs do
from conformance.kit.calls import CALLS
from conformance.kit.host_steps import HostSteps
from conformance.kit.kinds import NUMBERS
from conformance.kit.names import SMALL, Names
from conformance.kit.nvml import Changed, in_memory, words
from conformance.kit.plan import plan_of, referred
from conformance.kit.recorded import Door, Recorded, RecordedThread
from conformance.kit.references import refer, result_of, value_of
from conformance.kit.steps import FORKED, INSIDE, LIFE, OTHER_STEPS, OWN_STREAM, Answer, Plain, Program, Step
from conformance.kit.under_way import AGAIN, BEGUN, DIED, MAIN, SKIPPED, WAITS, Begun
from conformance.kit.values import decode, encode
from fakecuda.errors import EndlessWait, FakeCudaError, ProcessDied
from fakecuda.machine.machine import Machine
from fakecuda.model.memory.space import Unreadable
from fakecuda.model.work.stream import LEGACY, PER_THREAD
from fakecuda.spec.codes import CRASH, HANG
from realcuda.guard import refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit import busy_stream
    from conformance.kit.plan import Plan
    from fakecuda.reach.bindings.c import CLevel

__all__ = [
    "AGAIN",
    "BEGUN",
    "DIED",
    "FORKED",
    "INSIDE",
    "LIFE",
    "MAIN",
    "OTHER_STEPS",
    "OWN_STREAM",
    "SKIPPED",
    "WAITS",
    "Answer",
    "Door",
    "Plain",
    "Program",
    "Recorded",
    "RecordedThread",
    "Recorder",
    "Step",
    "run",
]

LARGE = NUMBERS | {"volatile"}
"""Kinds of names that may have small numbers."""


class Recorder(HostSteps):
    """A recorder: processes of a target whose calls become a program.

    Args:
        machine: A ``fakecuda.Machine`` or a ``realcuda.Machine``.
        name: The program's name.
        origin: Where the program comes from.
        visible_devices: CUDA_VISIBLE_DEVICES of the processes of a model, where a program is to see other devices first.

    Attributes:
        machine: The target.
        program: The steps and answers so far.
        names: The names so far.
        rules: For each step the rule that a model says was broken, else None.
        under_way: The calls that the program does not wait for.
    """

    def __init__(
        self,
        machine: Any,
        name: str = "",
        origin: str = "case",
        *,
        visible_devices: str | None = None,
    ) -> None:
        self.machine = machine
        self._spawning = {} if visible_devices is None else {"visible_devices": visible_devices}
        self.program = Program(name, origin=origin)
        self.names = Names()
        self.rules: list[Any] = []
        self.processes: dict[str, Any] = {}
        self._nap: busy_stream.Nap | None = None
        self.under_way = Begun(self)
        self._calls = getattr(machine, "calls", None)

    @property
    def multicast(self) -> bool:
        """Whether the target may make multicast calls."""
        return isinstance(self.machine, Machine) or bool(getattr(self.machine, "allow_multicast", False))

    def spawn(self, name: str = "", **options: Any) -> Recorded:
        """Start a process.

        Args:
            name: Its name in the program; the next letter by default.
            options: What a model's ``spawn`` takes besides; no other target plays the program.
        """
        name = name or _letter(len(self.processes))
        self.processes[name] = self.machine.spawn(**self._spawning, **options)
        self._log({"process": name, "call": "spawn"}, {"code": 0, "outs": {}})
        return Recorded(self, name)

    def label(self, text: str) -> None:
        """Begin a stretch that does not depend on earlier steps."""
        self._log({"process": "", "call": "world", "args": [text]}, {"code": 0, "outs": {}})

    def end(self, process: str, how: str) -> None:
        """End a process by ``exit`` or ``kill``, or start its end by ``begin_exit``."""
        getattr(self.processes[process], how)()
        self._log({"process": process, "call": how}, {"code": 0, "outs": {}})

    def call(
        self,
        process: str,
        thread: str,
        name: str,
        inputs: tuple[Plain, ...],
        null: str = "",
    ) -> tuple[Plain, ...]:
        """Make a call on the target, record it, and return ``(code, *plain results)``.

        Args:
            process: The process that calls.
            thread: Its thread.
            name: The call.
            inputs: Its plain inputs.
            null: The results whose pointer is null, with spaces between.
        """
        step = self.step_of(process, thread, name, inputs, null)
        answer, results = self._make(step, inputs, plan_of(name))
        self._log(step, answer, made=answer["code"] != DIED)
        return results

    def step_of(self, process: str, thread: str, name: str, inputs: tuple[Plain, ...], null: str) -> Step:
        """Return the step of a call, with references to names as arguments."""
        plan = plan_of(name)
        args: list[Any] = []
        for (param, fixed), value in zip(plan.inputs, inputs, strict=True):
            kind = plan.kind_of(param, inputs) if fixed is None else fixed
            if type(value) is int and (not kind or (-SMALL < value < SMALL and kind not in LARGE)):
                args.append(value)  # as most are
            elif isinstance(value, Changed):
                args.append({**refer(self.names, process, kind, value.text), "as": value.how})
            else:
                args.append(refer(self.names, process, kind, value))
        if plan.tells:
            inputs = tuple(value.plain() if isinstance(value, Changed) else value for value in inputs)
        step: Step = {"process": process, "call": name, "args": args}
        if thread in {FORKED, INSIDE}:
            step[thread] = True
        elif thread != MAIN:
            step["thread"] = thread
        if null:
            step["null"] = null
        return step

    def shorten(self, kept: list[tuple[Step, Answer]]) -> None:
        """Reduce the program to these steps and their names."""
        for name in self.names.by_text.values():
            if name.kind == "fd" and name.live:
                self._close(name)
        self.program.steps[:] = [step for step, _ in kept]
        self.program.answers[:] = [answer for _, answer in kept]
        self.rules[:] = [None] * len(kept)
        self.names.keep({out["new"] for _, answer in kept for out in answer["outs"].values() if "new" in out})

    def forget(self) -> None:
        """Remove the last call, which failed without effect, from the program."""
        for kept in (self.program.steps, self.program.answers, self.rules):
            kept.pop()

    def close(self) -> None:
        """End all processes and close all descriptors."""
        for process in self.processes.values():
            if process.alive:
                process.kill()
        self.under_way.end()
        for name in self.names.by_text.values():
            if name.kind == "fd" and name.live:
                self._close(name)
            if name.kind == "file":
                Path(os.fsdecode(name.value)).unlink(missing_ok=True)

    def run(self, step: Step) -> Answer:
        """Run a recorded step on this target, and return the answer."""
        call, process = step["call"], step["process"]
        if call in CALLS:  # as nearly all are
            self._replay(step)
        elif call == "spawn":
            self.spawn(process)
        elif call in LIFE:
            self.end(process, call)
        elif call == "world":
            self.label(step["args"][0])
        elif call == "memory":
            self.host_memory(process, step["args"][0])
        elif call == "write":
            self._write(step, *map(self.value, step["args"]))
        elif call == "read":
            self._read(step, *map(self.value, step["args"]))
        elif call == "function":
            self.c_function(process, step["args"][0])
        elif call == "pid":
            self.number_of(process)
        elif call == "file":
            self.write_file(decode(step["args"][0]))
        elif call == "open":
            self.open_file()
        elif call == "close":
            try:
                descriptor = value_of(self.names, step["args"][0])
            except KeyError:
                self._log(step, {"code": SKIPPED, "outs": {}})
            else:
                self.close_descriptor(descriptor)
        else:
            msg = f"no program has a step {call}"
            raise ValueError(msg)
        return self.program.answers[-1]

    def hang(self, step: Step) -> Answer:
        """Run a recorded step that did not return."""
        model = getattr(self.machine, "model", self.machine)
        scheduler = getattr(model, "scheduler", None)  # a driver has none
        census: Any = SimpleNamespace() if scheduler is None else scheduler.census
        census.alone = True  # the program's other calls come later
        try:
            return self.run(step)
        except (FakeCudaError, RuntimeError) as error:
            if not isinstance(error, FakeCudaError) and not str(error).startswith(EndlessWait.__name__):
                raise  # a real process can say of the model's exception its name and text alone
            self.processes[step["process"]].kill()
            self._log(step, {"code": HANG, "outs": {}})
            return self.program.answers[-1]
        finally:
            census.alone = False

    def _replay(self, step: Step) -> None:
        """Replay a call with the references of its step."""
        if AGAIN in step:
            self.under_way.look(step)
            return
        args = step.get("args", ())
        try:
            inputs = tuple([data if type(data) is int else value_of(self.names, data) for data in args])
        except KeyError:
            self._log(step, {"code": SKIPPED, "outs": {}})
            return
        if BEGUN in step:
            self.under_way.start(step, inputs)
            return
        answer, _ = self._make(step, inputs, plan_of(step["call"]))
        self._log(step, answer, made=answer["code"] != DIED)

    def _make(self, step: Step, inputs: tuple[Plain, ...], plan: Plan) -> tuple[Answer, tuple[Plain, ...]]:
        null = step.get("null")
        try:
            make = self.door(step, plan)
            code, *results = make(*inputs, null=null) if null else make(*inputs)
        except ProcessDied:
            return _ended(DIED, plan)
        except Unreadable:
            return _ended(CRASH, plan)
        return self.answered(step, inputs, plan, code, *results)

    def door(self, step: Step, plan: Plan) -> Callable[..., tuple[Plain, ...]]:
        """Return the function that makes a step's call."""
        name = step["call"]
        if plan.guarded:
            refuse(name, allowed=self.multicast)
        subject = self.processes[step["process"]]
        if FORKED in step or INSIDE in step:
            door = subject.forked if FORKED in step else subject.inside
        else:
            door = subject.thread(step.get("thread", MAIN)).c
        made: Callable[..., tuple[Plain, ...]] = getattr(door, name)
        return partial(_in_own_stream, door, made) if OWN_STREAM in step else made

    def answered(
        self, step: Step, inputs: tuple[Plain, ...], plan: Plan, code: int, *results: Plain
    ) -> tuple[Answer, tuple[Plain, ...]]:
        """Return a call's recorded form, and its code and plain results."""
        process, name, shown = step["process"], step["call"], results
        outs: dict[str, Any] = {}
        if code and not plan.tells:  # as most failures are
            return {"code": int(code), "outs": outs}, (code, *results)
        if plan.tells:
            given = words(plan.call.inputs, inputs)
            pairs = zip(plan.outputs, results, strict=True)
            shown = tuple(in_memory(name, param, value, given.get(param.name, 0)) for (param, _), value in pairs)
        if code == 0 or any(value is not None for value in results):
            args = step.get("args", ())
            if plan.outputs:
                size, acquires = plan.size_of(self.names, inputs, args), plan.call.acquires
                for (param, fixed), value in zip(plan.outputs, shown, strict=True):
                    kind = plan.kind_of(param, inputs) if fixed is None else fixed
                    outs[param.name] = result_of(
                        self.names, process, kind, param.compare, value, size, acquires=acquires
                    )
                    size, acquires = 0, False  # they are of the first result alone
            for place, label in plan.buffers:
                if isinstance(inputs[place], bytearray):
                    outs[label] = encode(bytes(inputs[place]))
            if plan.releases is not None and (text := referred(args[plan.releases])) is not None:
                self.names.release(text)
        return {"code": int(code), "outs": outs}, (code, *results)

    def value(self, data: Any) -> Plain:
        """Return the plain value of a recorded argument.

        Raises:
            KeyError: Nothing has the name that it refers to.
        """
        return value_of(self.names, data)


def run(program: Program, machine: Any, rules: list[Any] | None = None) -> list[Answer]:
    """Run a program on a machine.

    Args:
        program: The program.
        machine: The target.
        rules: Takes, for each step, the rule that the model says was broken, or None.

    Returns:
        One answer for each step.

    Raises:
        PermissionError: The program has multicast calls, and the machine is a real one that was not told to make them.
    """
    recorder = Recorder(machine, program.name, program.origin)
    if not recorder.multicast:
        for step in program.steps:
            refuse(step["call"], allowed=False)
    try:
        for step, known in zip_longest(program.steps, program.answers):
            play = recorder.hang if known is not None and known["code"] == HANG else recorder.run
            play(step)
    finally:
        recorder.close()
    if rules is not None:
        rules += recorder.rules
    return recorder.program.answers


def _in_own_stream(
    door: CLevel, made: Callable[..., tuple[Plain, ...]], *inputs: Plain, **keywords: str
) -> tuple[Plain, ...]:
    """Make a call with 0 as the thread's own default stream."""
    call = door.find().call
    call.default_stream = PER_THREAD
    try:
        return made(*inputs, **keywords)
    finally:
        call.default_stream = LEGACY


def _ended(how: int, plan: Plan) -> tuple[Answer, tuple[Plain, ...]]:
    """Return the answer of a call that ended its process."""
    return {"code": how, "outs": {}}, (how, *[None] * len(plan.outputs))


def _letter(number: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    round_, index = divmod(number, len(letters))
    return letters[index] + (str(round_ + 1) if round_ else "")
