"""The base of state machines: a model and a target make drawn calls in lockstep."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from hypothesis.stateful import RuleBasedStateMachine

import fakecuda
from conformance.drawing.drawing import NOT_MADE, Drawing, is_left_out
from conformance.kit.compare import ENDS_CONTEXTS, differences
from conformance.kit.program import MAIN, Program, Recorder
from fakecuda.errors import EndlessWait
from fakecuda.rules.registry import EVERY_OP, RUNTIME, api_of
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from random import Random

    from conformance.kit.program import Step
    from fakecuda.model.graph.capture import Capture
    from fakecuda.profiles import Profile

MAKES_OTHERS = frozenset(call for call in RUNTIME.ops if re.search("Memcpy.*Peer|ablePeerAccess", call))
"""Calls that activate other primary contexts before further checks."""
OF_CAPTURES = frozenset(code for code in Result if "CAPTURE" in code.name)
"""Codes of calls that may have invalidated a capture."""
SHORTEST = 12
"""The minimum number of steps of a program worth recording."""


class Lockstep(RuleBasedStateMachine):
    """A state machine with calls on a model and a target; the player of drawn calls.

    Attributes:
        profile: The model's profile.
        real: The target's machine, or None for the model alone.
        sink: Takes the programs that ran, or None.
        wanted: Calls that programs keep to, or none for all of them.
        runtime: Whether programs make calls of the runtime API, too.
        over: Whether no further step is made: never, a rule that fails ends the program.
    """

    profile: ClassVar[Profile]
    real: ClassVar[Any] = None
    sink: ClassVar[list[Program] | None] = None
    wanted: ClassVar[frozenset[str]] = frozenset()
    runtime: ClassVar[bool] = False
    over = False

    def __init__(self) -> None:
        super().__init__()
        self.machine = fakecuda.Machine(self.profile, strict=False, seed=0)
        self.machine.scheduler.census.alone = True  # of a program's calls each comes after the one before
        self.model = Recorder(self.machine, "machine", "machine")
        self.target = Recorder(self.real, "machine", "machine") if self.real is not None else None
        self.ended: set[str] = set()
        self.diverged = False
        self._drawing: Drawing | None = None

    def drawing(self, random: Random) -> Drawing:
        """Return the drawing of arguments, from a rule's random choices."""
        if self._drawing is None:
            self._drawing = Drawing(random, self.model, runtime=self.runtime)
        self._drawing.random = random
        return self._drawing

    def begin(self, process: str, *, runtime: bool, device: int) -> None:  # noqa: ARG002 - a player's
        """Start a process with a context on a device."""
        self.other({"process": process, "call": "spawn"})
        self.call(process, MAIN, "cuInit", 0)
        self.call(process, MAIN, "cuCtxCreate", None, 0, device)

    def other(self, step: Step) -> None:
        """Make a step that is not a call."""
        self.model.run(step)
        self.follow()

    def follow(self) -> None:
        """Make the model's last step on the target, too, and compare the answers."""
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

    def call(self, process: str, on: str, name: str, *inputs: Any) -> Any:
        """Make a call; return its result or a tuple, True for none, None if it failed."""
        results = self._make(process, on, name, inputs)
        if results is None or results[0]:
            return None
        return results[1] if len(results) == 2 else results[1:] or True

    def lead(
        self, process: str, thread: str, name: str, inputs: tuple[Any, ...], null: str = "", *, may_fail: bool = True
    ) -> int:
        """Make a call on both; return its code. Skip a call that must not fail but would."""
        results = self._make(process, thread, name, inputs, null, may_fail=may_fail)
        return NOT_MADE if results is None else int(results[0])

    def _make(
        self, process: str, on: str, name: str, inputs: tuple[Any, ...], null: str = "", *, may_fail: bool = True
    ) -> tuple[Any, ...] | None:
        """Make a call on both; return the code and results, or None if it was skipped."""
        makes = name in MAKES_OTHERS or (api_of(name) is RUNTIME and not self._has_context(process, on))
        before, valid = self.machine.snapshot(), self._valid_captures()
        try:
            results = self.model.call(process, on, name, inputs, null)
        except EndlessWait:
            # No thread is left to wake it, as with a team's devices that are never added; on a machine it would not return.
            assert self.machine.snapshot() == before, f"{name} waits for ever and changed the machine"
            return None
        except Exception as error:
            error.add_note(self.model.program.as_python())
            raise
        if self.machine.scheduler.workers:
            self.machine.complete()  # a host function that returns later would change what is drawn and compared
        acts = makes or not all(one.valid for one in valid)
        self._check(name, acts=acts, before=before)
        if is_left_out(name, self.model.rules[-1], may_fail=may_fail):
            self.model.forget()
            return None
        self.follow()
        if not results[0] and name in ENDS_CONTEXTS:
            self.ended.add(process)
        return results

    def _check(self, name: str, *, acts: bool, before: Any) -> None:
        """Check the machine after a call; if the call failed early, it is unchanged."""
        failed = self.model.program.answers[-1]["code"]
        rule = self.model.rules[-1]
        try:
            self.machine.check_invariants()
            acts = acts or failed in OF_CAPTURES or rule in EVERY_OP[name].acts_before
            unchanged = not failed or acts or self.machine.snapshot() == before
            assert unchanged, f"{name} failed and changed the machine"
        except AssertionError as error:
            error.add_note(self.model.program.as_python())
            raise

    def _valid_captures(self) -> list[Capture]:
        """Return the valid captures; a refused launch in a stream invalidates its capture."""
        states = [process.captures for process in self.machine.processes.values() if process.captures is not None]
        return [one for state in states for one in state.all() if one.valid]

    def _has_context(self, process: str, on: str) -> bool:
        """Return whether a thread has a live current context for the runtime API."""
        stack = self.model.processes[process].thread_of(on).stack
        return bool(stack) and not (stack[-1].destroyed or stack[-1].unheld)

    def some(self, items: list[Any], index: int) -> Any:
        """Return one of several values; None of none."""
        return items[index % len(items)] if items else None

    def teardown(self) -> None:
        """Keep the program if wanted, and end the processes."""
        if self.sink is not None and len(self.model.program.steps) >= SHORTEST:
            self.sink.append(self.model.program)
        for recorder in filter(None, (self.model, self.target)):
            recorder.close()
        self.machine.close()
