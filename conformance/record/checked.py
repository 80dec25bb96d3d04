"""A model's check of a program that was recorded on a driver."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.kit.compare import Difference, differences
from conformance.kit.names import Names
from conformance.kit.plan import plan_of
from conformance.kit.program import OTHER_STEPS, SKIPPED, Recorder
from conformance.kit.values import encode
from conformance.record.adopted import NAME, Adopted, new_names, text_of
from conformance.record.findings import Findings, places_of
from conformance.record.handed import Handed, name_again, told
from conformance.record.opaque import (
    ATTRIBUTES,
    BY_CODE,
    FILE,
    IMAGE,
    KERNELS,
    LOADS,
    SETTABLE,
    UNKNOWN,
    VARIABLES,
    Opaque,
    without_params,
)
from fakecuda.errors import FakeCudaError
from fakecuda.machine.machine import Machine
from fakecuda.modes import SKIP
from fakecuda.reach.remote.protocol import call_sites
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.plan import Plan
    from conformance.kit.program import Answer, Program, Step
    from conformance.record.findings import Place, RecordedFinding
    from fakecuda.profiles.machine import Profile

FAILED_WORK = frozenset({700, 702, 703, 710, *range(714, 720)})
"""Codes of failed device work, which the model takes from the recording."""
WORDS = "unseen.words"
"""What arguments refer to that are not read."""
SPARE = 64 << 20
"""Bytes that host memory has on the model beside those of the recording, which does not always tell how many a call uses."""
INCOMPLETE = re.compile(r"\.(graph|linker)\d")
"""Names of objects that a call adds to."""
BY_FILE = frozenset({"cuModuleLoad", "cuLibraryLoadFromFile"})
NOT_MADE: dict[str, Any] = {"code": SKIPPED, "outs": {}}


@define
class Checked:
    """A model's check of a recorded program.

    Attributes:
        answers: How many answers were compared.
        skipped: How many calls were not made, because they need what the recording does not have, or come after work has failed.
        adopted: How often a context was current that no recorded call has made current.
        differences: The answers that differ.
        found: What the program did wrong.
        kept: How many objects the processes left that no finding is about, by process and kind.
        refusals: How often each call was refused, by its code.
        ended: Why the rest was not compared; empty if all was.
    """

    answers: int = 0
    skipped: int = 0
    adopted: int = 0
    differences: list[Difference] = field(factory=list)
    found: list[RecordedFinding] = field(factory=list)
    kept: dict[str, Counter[str]] = field(factory=dict)
    refusals: Counter[tuple[str, int]] = field(factory=Counter)
    ended: str = ""


def checked_on(profile: Profile, program: Program) -> Checked:
    """Return what a model of a machine says of a recorded program."""
    with Machine(profile, seed=0, kernels=SKIP) as machine:
        return compared(program, machine)


def compared(program: Program, machine: Any) -> Checked:
    """Replay a recorded program on a model, and compare each answer.

    Args:
        program: The program with the driver's answers.
        machine: The model.
    """
    comparison = comparison_of(program, machine)
    comparison.note(program)
    recorder, found = comparison.recorder, comparison.findings
    try:
        for number, (step, expected) in enumerate(zip(program.steps, program.answers, strict=True)):
            if step["call"] == "exit":
                found.leave(machine, step["process"], in_order=True)
            comparison.go_on(number, step, expected)
            if comparison.checked.ended:
                break
        for name, process in recorder.processes.items():
            if process.alive:
                found.leave(machine, name, in_order=False)
    finally:
        recorder.close()
    checked = comparison.checked
    checked.found, checked.kept, checked.refusals = found.found, found.kept, found.refusals
    return checked


def comparison_of(program: Program, machine: Any) -> Comparison:
    """Return the comparison of a program with a model, before the first step."""
    machine.tolerates = lambda _: True
    recorder = _Placing(machine, program.name, program.origin)
    opaque = Opaque(machine.devices[0].architecture)
    return Comparison(recorder, opaque, Findings(program), Adopted(recorder, opaque), Handed(recorder.names))


class _Placing(Recorder):
    """A recorder whose calls appear to come from recorded places.

    Attributes:
        places: The places of the next call.
    """

    places: tuple[Place, ...] = ()

    def door(self, step: Step, plan: Plan) -> Callable[..., tuple[Any, ...]]:
        """Return the function that makes a step's call from its places."""
        made = super().door(step, plan)
        return lambda *inputs, **keywords: call_sites.come_from(self.places, partial(made, *inputs, **keywords))


@define
class Comparison:
    """A comparison in progress.

    Attributes:
        recorder: What makes the steps on the model.
        opaque: The images of code.
        findings: What the program did wrong.
        adopted: What no recorded call made.
        handed: Descriptors that processes hand to each other.
        checked: What was found.
    """

    recorder: _Placing
    opaque: Opaque
    findings: Findings
    adopted: Adopted
    handed: Handed
    checked: Checked = field(factory=Checked)
    _names: Names = field(factory=Names)
    _made: dict[str, int] = field(factory=dict)
    _failed: set[str] = field(factory=set)
    _captures: Counter[str] = field(factory=Counter)
    _incomplete: set[str] = field(factory=set)

    def note(self, program: Program) -> None:
        """Note what a program says about its code and adopted objects."""
        self.opaque.note(program)
        for step, answer in zip(program.steps, program.answers, strict=True):
            self.adopted.note(step, answer)
            self.handed.note(step, answer)

    @property
    def is_capturing(self) -> bool:
        """Whether the model may capture a stream."""
        return any(self._captures.values())

    def go_on(self, number: int, step: Step, expected: Answer) -> None:
        """Run a step on the model, check it, and compare the answers.

        Args:
            number: The step's number.
            step: The step.
            expected: The driver's answer.
        """
        try:
            self.recorder.places = places_of(number, step)
            self._made.update((text, number) for text in new_names(expected["outs"]))
            self.count(expected, after=False)
            got = self.make(number, step, expected)
        except FakeCudaError as error:
            if step["call"] in BY_CODE:  # a loop whose kernels decide when it ends, for instance
                self._skip(step)
                self.count(expected)
                return
            self.checked.ended = f"step {number} {step['process']}.{step['call']}: {type(error).__name__}: {error}"
            return
        made = got["code"] != SKIPPED
        self.findings.unsure |= not self.adopted.is_order_known
        rule = self.recorder.rules[-1] if made else None
        self.findings.look(number, step, expected, self.recorder.machine, rule, made=made)
        if step["call"] not in OTHER_STEPS:
            self.compare(number, step, expected, got)
        self.count(expected)

    def make(self, number: int, step: Step, expected: Answer) -> Answer:
        """Run a step on the model, and wait for host functions."""
        call = step["call"]
        if call in UNKNOWN or step.get("args") == [{"ref": WORDS}]:
            return NOT_MADE
        if call == "memory":
            step = {**step, "args": [step["args"][0] + SPARE]}
        self.adopted.take(number, step, expected)
        if call in LOADS and step["args"][0] in ({"ref": IMAGE}, {"ref": FILE}):
            image = self.opaque.cubin(expected)
            if image is None:
                return NOT_MADE
            given = image if call not in BY_FILE else self.recorder.write_file(image)
            options = [None if arg == {"ref": IMAGE} else arg for arg in step["args"][1:]]  # null pointers of arrays
            step = {**step, "args": [encode(given), *options]}
        step = self.handed.given(step, expected)
        got = self.recorder.run(without_params(step))
        late = got["code"] == Result.NOT_FOUND and not expected["code"] and call in KERNELS | VARIABLES
        if late and self.adopted.load_again(number, step):
            self.recorder.forget()
            got = self.recorder.run(step)
        if self.recorder.machine.scheduler.pending:
            self.recorder.machine.complete()
        self.handed.keep(step, got)
        return name_again(self.recorder.names, step, expected, got)

    def compare(self, number: int, step: Step, expected: Answer, got: Answer) -> None:
        """Compare the answers to a step."""
        process, call = step["process"], step["call"]
        expected = told(step, expected)
        if got["code"] == SKIPPED:
            self._skip(step)
        elif process in self._failed:
            self.checked.skipped += 1
        elif expected["code"] in FAILED_WORK and not got["code"]:
            self._failed.add(process)
        elif self.adopted.concerns(step):
            if self.adopted.agree(step, expected, got):
                self.checked.answers += 1
            else:
                self._skip(step)
        elif call in BY_CODE and (
            bool(expected["code"]) > bool(got["code"]) or got["code"] == Result.INVALID_CLUSTER_SIZE
        ):
            self._skip(step)  # the code may allow clusters that are larger than portable ones
        elif call in KERNELS and got["code"] == Result.NOT_FOUND and expected["code"] not in {0, Result.NOT_FOUND}:
            self._skip(step)  # the code is there, and not for this device
        elif call == "cuMemAddressReserve" and {expected["code"], got["code"]} == {0, Result.OUT_OF_MEMORY}:
            self._skip(step)  # how many addresses are left depends on the process's other memory
        elif self._adopt(number, step, expected, got):
            self.checked.adopted += 1
        elif call in BY_CODE and not expected["code"] and not got["code"] and _follows_from_code(step):
            self.checked.answers += 1
        else:
            self.checked.answers += 1
            self.checked.differences += differences(expected, got, call, step=number, process=process)
        if got["code"] == 0 and call.startswith("cuStreamBeginCapture"):
            self._captures[process] += 1
        if got["code"] == 0 and call == "cuStreamEndCapture":
            self._end_capture(process, got)

    def _skip(self, step: Step) -> None:
        """Count a call that was not made; a graph that lacks its work, or a linker its code, is not used any more."""
        self.checked.skipped += 1
        if self._captures[step["process"]]:
            self._incomplete.add(step["process"])
        for arg in step["args"]:
            if isinstance(arg, dict) and INCOMPLETE.search(arg.get("ref", "")):
                self._drop(arg["ref"])

    def _drop(self, text: str) -> None:
        """Do not use an object any more. A call that would end it is not made, so it is not left behind."""
        self.recorder.names.by_text.pop(text, None)
        self.findings.dropped |= {self._made[text]} if text in self._made else set()

    def _end_capture(self, process: str, got: Answer) -> None:
        self._captures[process] -= 1
        if process in self._incomplete:
            for text in new_names(got["outs"]):
                self._drop(text)
        if not self._captures[process]:
            self._incomplete.discard(process)

    def _adopt(self, number: int, step: Step, expected: Answer, got: Answer) -> bool:
        """Make a context current that is current on the driver, and became so past the recorded calls; return whether one was.

        The runtime does so by the driver's private tables. It makes primary contexts by them, too: then the first call that
        returns the context is cuCtxGetCurrent.
        """
        if step["call"] != "cuCtxGetCurrent" or expected["code"] or got["code"]:
            return False
        name = self.adopted.context(number, step, expected["outs"]["pctx"])
        if name is None or text_of(got["outs"]["pctx"]) == name.text:
            return False
        make = self.recorder.door({**step, "call": "cuCtxSetCurrent"}, plan_of("cuCtxSetCurrent"))
        return bool(make(name.value)[0] == 0)

    def count(self, expected: Answer, *, after: bool = True) -> None:
        """Number names as the recording does, also after a call that was not made or failed, and after steps that were left out.

        Args:
            expected: The driver's answer.
            after: Whether the model has answered, so that its next names are those of the next answer.
        """
        news: dict[tuple[str, str], list[int]] = {}
        for text in new_names(expected["outs"]):
            found = NAME.fullmatch(text)
            assert found is not None
            owner, kind, number = found.groups()
            news.setdefault((owner or "", kind), []).append(int(number))
        for (owner, kind), numbers in news.items():
            self._names.number_from(owner, kind, max(numbers) if after else min(numbers) - 1)
        self.recorder.names.count_as(self._names)


def _follows_from_code(step: Step) -> bool:
    """Return whether the results of a call depend only on a kernel's code."""
    call = step["call"]
    return "Occupancy" in call or (call in ATTRIBUTES and step["args"][0] < SETTABLE)
