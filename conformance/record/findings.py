"""Mistakes of a recorded program: undefined behaviour, leaks, ignored errors.

The model finds undefined behaviour while it makes the calls. Its history names calls by their step in the recording. Which memory a
kernel uses is not known, so accesses of kernels make no finding.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from conformance.kit.under_way import MAIN
from fakecuda.machine import leaks
from fakecuda.model import history
from fakecuda.reach.remote.protocol import call_sites
from fakecuda.rules.driver.execution.skipped import CONTENT_IS_KNOWN
from fakecuda.rules.driver.graph.branches import BRANCHES_ARE_ORDERED
from fakecuda.rules.driver.stream.race import ACCESSES_ARE_ORDERED
from fakecuda.rules.registry import api_of
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.kit.program import Answer, Program, Step
    from fakecuda.model.finding import Finding
    from fakecuda.model.leaks import Leak
    from fakecuda.rules.core import Rule

Place = tuple[str, int, str | None]

UNDEFINED, LEFT, REFUSED = "undefined behaviour", "left behind", "refused"
"""The kinds of findings."""
FILE = "call"
"""The file name of calls in the places of findings."""
UNRECORDED = "no recorded call"
"""The function name for objects without a recorded origin."""
ORDERS = frozenset({ACCESSES_ARE_ORDERED, BRANCHES_ARE_ORDERED})
"""Rules about order, which need all calls that order work."""
IDLE = re.compile(
    "Get|Attribute|Occupancy|^cu(Coredump|CtxFromGreenCtx|DevResource|DevSm|FuncSet|Logs|Param|Profiler|SurfRef|TensorMap|TexRef)"
)
"""Calls that do not order work, whatever their arguments."""
ENDS = re.compile("Free|Destroy|Release|Unmap|Unload|Close|Unregister")
WORK = re.compile("^cu(Launch|Memcpy|Memset|GraphLaunch)")
ASKS = re.compile("Get|Query|Attribute|Occupancy|CanAccess")
WRONG = frozenset(
    {Result.INVALID_VALUE, Result.INVALID_HANDLE, Result.INVALID_CONTEXT, Result.HOST_MEMORY_NOT_REGISTERED}
)
"""Codes that only mistakes cause."""
STICKY = frozenset({700, 702, 710, *range(714, 720)})
"""Codes of failed work that each later call of the context answers."""
LASTING = frozenset({"kept", "retain", "library", "module", "descriptor"})
"""Kinds of objects that a process has as long as it lives: a static runtime in the program loads its code, too. That a program closes
a descriptor has no record."""
OFTEN = 3
"""The number of equal refused calls after which the error counts as ignored."""
IGNORED = 2
"""The number of submissions after failed work that ignore the error."""
BINDINGS = re.compile(r"/cuda/(bindings|core)/|/libffi\.so|/_ctypes\.|/libc\.so")
"""Files of bindings, which do not own the program's objects."""
DEEPEST = 6
"""The maximum number of shown stack frames."""
INTERPRETER = re.compile(r"/(lib)?python[0-9.]*(\.so[0-9.]*)?$")


@frozen
class RecordedFinding:
    """A finding in a recorded program.

    Attributes:
        kind: ``UNDEFINED``, ``LEFT`` or ``REFUSED``.
        number: The step of the call in the recording; of several the first.
        process: The process.
        text: A description with the history.
    """

    kind: str
    number: int
    process: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


def places_of(number: int, step: Step) -> tuple[Place, ...]:
    """Return the places of a step's call: its number, then its stack."""
    thread = step.get("thread", MAIN)
    name = step["call"] + (f", thread {thread}" if thread != MAIN else "")
    frames = [place for place in callers(step) if place[2] is not None or not INTERPRETER.search(place[0])]
    return (FILE, max(number, 1), name), *frames[:DEEPEST]


def callers(step: Step) -> list[Place]:
    """Return a step's stack without CUDA libraries and bindings, innermost first."""
    stack = [(*place, None)[:3] for place in step.get("stack", ()) if place[0]]  # code has a file and an offset there
    return [one for one in stack if not history.CUDA.search(one[0]) and not BINDINGS.search(one[0])]


@cache
def asks(call: str) -> bool:
    """Return whether a call only asks, by its name."""
    return ASKS.search(call) is not None and "Set" not in call


def is_of_program(step: Step) -> bool:
    """Return whether the program's own code made a call.

    The nearest frame decides that is outside of CUDA's libraries and of bindings. An interpreter runs the program's own code.
    """
    frames = callers(step)
    if not frames:
        return False
    file = frames[0][0]
    if INTERPRETER.search(file):
        return True
    return not any(part in file for part in history.PACKAGES) and not file.startswith(history.SYSTEM)


@define
class Findings:
    """The findings in a program during its replay on a model.

    Attributes:
        program: The program.
        found: The findings so far.
        kept: How many objects each process left that are not counted as findings, by kind.
        refusals: How often each call was refused, with its code.
        dropped: The steps that made objects which the model does not use any more.
        unsure: Whether work may have been ordered by what is not known.
    """

    program: Program
    found: list[RecordedFinding] = field(factory=list)
    kept: dict[str, Counter[str]] = field(factory=dict)
    refusals: Counter[tuple[str, int]] = field(factory=Counter)
    dropped: set[int] = field(factory=set)
    unsure: bool = False
    _known: int = 0
    _last: dict[tuple[str, str, str], tuple[Any, int, int]] = field(factory=dict)
    _failed: dict[tuple[str, str], tuple[int, int]] = field(factory=dict)
    _later: Counter[tuple[str, str]] = field(factory=Counter)
    _exiting: set[str] = field(factory=set)

    def look(self, number: int, step: Step, expected: Answer, machine: Any, rule: Rule | None, *, made: bool) -> None:
        """Check a step that was made or skipped on the model."""
        if not made and step.get("args") and not IDLE.search(step["call"]):
            self.unsure = True
        for one in machine.findings[self._known :]:
            self._keep(number, step, one)
        self._known = len(machine.findings)
        if step["call"] == "begin_exit":
            self._exiting.add(step["process"])
        if step["call"].startswith("cu"):
            self._judge(number, step, expected["code"], rule)

    def _keep(self, number: int, step: Step, one: Finding) -> None:
        if one.rule is CONTENT_IS_KNOWN or (self.unsure and one.rule in ORDERS):
            return
        self.found.append(RecordedFinding(UNDEFINED, number, step["process"], _with_lines(str(one), number, step)))

    def _judge(self, number: int, step: Step, code: int, rule: Rule | None) -> None:
        """Check the driver's answer."""
        process, call = step["process"], step["call"]
        key = process, step.get("thread", MAIN), call
        if code in {Result.NOT_READY, Result.DEINITIALIZED}:
            return
        if not code:
            self._last.pop(key, None)
            return
        self.refusals[call, code] += 1
        what = step.get("args"), code
        before, first, count = self._last.get(key, (None, number, 0))
        first, count = (first, count + 1) if before == what else (number, 1)
        self._last[key] = what, first, count
        if code in STICKY:
            self._note_failure(number, step, code)
        elif ENDS.search(call) and code in WRONG and process not in self._exiting:
            self._refuse(number, step, code, rule, "this was to end an object")
        elif count == OFTEN and code in WRONG and not ASKS.search(call) and process not in self._exiting:
            text = f"calls {first} to {number} are the same and were refused {count} times, one after the other"
            self._refuse(number, step, code, rule, text)

    def _note_failure(self, number: int, step: Step, code: int) -> None:
        """Note that a thread saw failed work, and its later submissions."""
        key = step["process"], step.get("thread", MAIN)
        if key not in self._failed:
            self._failed[key] = number, code
        elif WORK.search(step["call"]):
            self._later[key] += 1
            if self._later[key] == IGNORED:
                first, told = self._failed[key]
                answer = f"call {first} answered {api_of(step['call']).short(told)}"
                self._refuse(
                    number, step, code, None, f"{answer}: work has failed, and the thread goes on with new work"
                )

    def _refuse(self, number: int, step: Step, code: int, rule: Rule | None, why: str) -> None:
        rows = [
            f"{step['call']} in process {step['process']} -> {api_of(step['call']).short(code)}: {why}",
            *_lines(number, step),
            *([f"  rule       {rule.id}: {rule.statement}", f"  fix        {rule.fix}"] if rule is not None else []),
        ]
        self.found.append(RecordedFinding(REFUSED, number, step["process"], "\n".join(rows)))

    def leave(self, machine: Any, process: str, *, in_order: bool) -> None:
        """Check what a process holds at its end."""
        for leak in leaks.judged(machine):
            if leak.process != process or leak.kind == "kept" or _is_adopted(leak):
                continue
            number = _number_of(leak)
            if number in self.dropped:
                continue
            step = self.program.steps[number]
            if in_order and number and leak.kind not in LASTING and is_of_program(step):
                self.found.append(RecordedFinding(LEFT, number, process, _left(number, step, leak)))
            else:
                self.kept.setdefault(process, Counter())[leak.kind] += 1


def _is_adopted(leak: Leak) -> bool:
    """Return whether an object has no recorded origin."""
    return any(line.endswith(UNRECORDED) for line in history.lines(leak.stack))


def _left(number: int, step: Step, leak: Leak) -> str:
    size = f", {leak.size} bytes" if leak.size else ""
    head = f"{leak.kind} of process {leak.process}: {leak.text}{size}"
    return "\n".join([head, *_lines(number, step, "made at"), f"  fix        {leak.fix}"])


def _lines(number: int, step: Step, word: str = "at") -> list[str]:
    """Return the lines on a call's place: its number, then the program's lines."""
    first, *outer = history.story(call_sites.stack(places_of(number, step)), history.NOWHERE, ("made", ""))
    return [f"  {word:9}  {first.removeprefix('made at ')}", *(f"{'':13}{line.strip()}" for line in outer)]


def _with_lines(report: str, number: int, step: Step) -> str:
    """Add the program's lines to a report."""
    first, *outer = _lines(number, step)
    return report.replace(f"{first}\n", "\n".join([first, *outer, ""]), 1)


def _number_of(leak: Leak) -> int:
    """Return the step that made a leaked object; 0 if unknown."""
    return next(_numbers(leak.stack), 0)


def _numbers(stack: history.Stack) -> Iterator[int]:
    for line in history.lines(stack):
        file, _, rest = line.partition(":")
        if file == FILE:
            yield int(rest.partition(" ")[0])
