"""The sweep of a program: its faults, the result of each, and the report."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any, SupportsInt

from attrs import field, frozen

from fakecuda.errors import FakeCudaError
from fakecuda.machine.faults.codes import answers_of, code_of, from_outside, is_code
from fakecuda.machine.runs.run import Prepared, name_of, run
from fakecuda.machine.simulating import simulate
from fakecuda.model import options
from fakecuda.model.history import counted
from fakecuda.near import nearest
from fakecuda.progress import Progress
from fakecuda.renamed import parameters_of, taking_old_names, unknown
from fakecuda.rules.registry import EVERY_API

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fakecuda import Fault, Machine
    from fakecuda.machine.runs.run import Key, Place, Run
    from fakecuda.spec.codes import Code

REPORTED = ("leaks", "leaks_allowed", "errors", "errors_allowed")
"""Arguments of ``simulate`` for what the report of a sweep has by itself."""
CLEAN_RUNS = 3
"""Maximum number of runs without a fault, until two make the same calls. The first run may prepare something."""


@frozen
class Outcome:
    """The result of one fault.

    Attributes:
        number: Its number, for ``only=``.
        call: The refused function.
        nth: Its number among the calls of that function.
        code: The code that it answered.
        process: The name of the calling process.
        line: The line of the user's code that called, as ``file:line in function``.
        came: Whether the program made the call in this run.
        error: The exception of the program with the first line of its text; empty if there was none.
        noticed: What went wrong, as texts; empty if the program handled the fault.
        trace: The traceback of the exception.
    """

    number: int
    call: str
    nth: int
    code: Code
    process: str
    line: str
    came: bool
    error: str
    noticed: tuple[str, ...]
    trace: str = field(default="", repr=False)

    @property
    def head(self) -> str:
        """The fault's number, the call, and the code."""
        return f"#{self.number}  {self.call} (no. {self.nth}) -> {self.code.name}"

    @property
    def end(self) -> str:
        """How the program ended."""
        if not self.came:
            return "not met again: the program makes other calls each time"
        return self.error or "no exception"

    @property
    def report(self) -> str:
        """The report on the fault, in lines."""
        where = f", in process {self.process}" + (f", at {self.line}" if self.line else "")
        again = f'  again      fakecuda.fail("{self.call}", nth={self.nth}, code="{self.code.name}"), or only={self.number} in the sweep'
        lines = [*self.noticed, f"came out   {self.end}", *(f"fix        {one}" for one in self.fixes[:1])]
        return "\n".join([self.head + where, *(f"  {one}" for one in lines), again])

    @property
    def fixes(self) -> list[str]:
        """Fixes for a program that handles the fault wrongly, the nearest first."""
        labels = {one.split("  ")[0] for one in self.noticed}
        return [fix.format(self.call) for label, fix in FIXES.items() if label in labels]

    def __str__(self) -> str:
        return self.report


FIXES = {
    "refused": "check what {} answers at the line above, and make no call that needs what it did not do",
    "no access": "call cuMemSetAccess on the mapping that is made where {} fails",
    "swallowed": "check what {} answers at the line above, and raise, retry or do without",
}
"""Fixes by the label of what was noticed, with the refused call."""


@frozen
class Sweep:
    """The result of a sweep.

    Attributes:
        name: The program's name.
        calls: The number of its calls that were about to act.
        outcomes: The results of the faults that were run, by number.
        faults: The number of all faults.
    """

    name: str
    calls: int
    outcomes: tuple[Outcome, ...]
    faults: int

    @property
    def found(self) -> tuple[Outcome, ...]:
        """The results of faults that showed a mistake."""
        return tuple(one for one in self.outcomes if one.noticed)

    @property
    def report(self) -> str:
        """The report: first what went wrong, then a line for each other fault."""
        numbers = f"{counted(self.calls, 'call')}, {counted(self.faults, 'injected failure')}"
        title = f"sweep of {self.name}: {numbers}, {len(self.found)} handled wrongly"
        quiet = [f"{one.head}: {one.end}" for one in self.outcomes if not one.noticed]
        heading = ["handled well:"] if quiet and self.found else []
        lines = [title, *(one.report for one in self.found), *heading, *quiet]
        if left := self.faults - len(self.outcomes):
            lines.append(f"not run: {left}")
        if len(self.outcomes) == 1 and self.outcomes[0].trace:
            lines.append(self.outcomes[0].trace.rstrip())
        return "\n".join(lines)

    def check(self) -> None:
        """Assert that nothing went wrong.

        Raises:
            AssertionError: Something went wrong; the text is the report.
        """
        __tracebackhide__ = True
        if self.found:
            raise AssertionError(self.report)

    def __str__(self) -> str:
        return self.report


@taking_old_names
def sweep(
    function: Callable[..., object],
    *,
    budget: float | None = None,
    only: int | None = None,
    codes: Iterable[str | SupportsInt] | None = None,
    **machine: Any,
) -> Sweep:
    """Run a program once for each call that may fail.

    It runs for each error code that the call may answer there.
    Each run has a new machine and one fault. The program first runs without a fault, to find out its calls.

    Args:
        function: The program. It takes the machine, or nothing.
        budget: Seconds after which no further fault starts; None for no limit.
        only: The number of the only fault to run.
        codes: Error codes to inject where a call may answer them, as for :meth:`fakecuda.Machine.fail`. The default is
            codes with causes outside of the program: a resource is used up, or the system lacks something.
        machine: Arguments of :func:`fakecuda.simulate`, except for those on ``leaks`` and ``errors``: the report
            has leaks and refused calls anyway.

    Raises:
        FakeCudaError: An argument is unknown or has the wrong type, or there is no fault with the number.
        BaseException: The program raised it without a fault.
    """
    _check(function, budget, only, machine)
    start = time.monotonic()
    chosen = None if codes is None else _codes(codes)
    settings = {"seed": 0, **machine}
    clean = run(function, settings)
    for _ in range(CLEAN_RUNS - 1):
        before, clean = clean, run(function, settings)
        if before.calls == clean.calls:
            break
    faults = [(place, code) for place in clean.places for code in _answers(place, chosen)]
    if only is not None and only > len(faults):
        msg = f"only={only} is more than the number of faults of the sweep: use at most {len(faults)}"
        raise FakeCudaError(msg)
    outcomes, progress = [], Progress(len(faults) if only is None else 1)
    for number, (place, code) in enumerate(faults, 1):
        if only not in {None, number}:
            continue
        if budget is not None and time.monotonic() - start >= budget:
            break
        progress.show(f"{place.op.name} {code.name}")
        progress.add()
        done = run(function, settings, _injecting(place, code))
        noticed = tuple(_noticed(clean, place, done))
        outcomes.append(
            Outcome(
                number,
                place.op.name,
                place.nth,
                code,
                place.process,
                place.line,
                done.position is not None,
                done.error,
                noticed,
                done.trace,
            )
        )
    progress.end()
    return Sweep(name_of(function), len(clean.places), tuple(outcomes), len(faults))


def _check(function: object, budget: object, only: object, machine: Iterable[str]) -> None:
    if not (callable(function) or isinstance(function, Prepared)):
        msg = f"sweep({function!r}): pass a function that takes the machine or nothing"
        raise FakeCudaError(msg)
    if only is not None:
        options.number("only", only, 1, "the number of a fault, as the report of a sweep gives it")
    options.seconds("budget", budget)
    if reported := [name for name in machine if name in REPORTED]:
        msg = f"sweep() has no argument {reported[0]!r}; its report has leaks and refused calls anyway: leave it out"
        raise FakeCudaError(msg)
    if problem := unknown("sweep()", machine, (*parameters_of(sweep), *parameters_of(simulate))):
        raise FakeCudaError(problem)


def _codes(codes: Iterable[str | SupportsInt]) -> list[str | SupportsInt]:
    """Return the chosen codes as a list.

    Raises:
        FakeCudaError: A code belongs to no API.
    """
    if isinstance(codes, str) or not hasattr(codes, "__iter__"):
        msg = f"codes={codes!r}: write a list, [{codes!r}]"
        raise FakeCudaError(msg)
    chosen = list(codes)
    for one in chosen:
        if not any(is_code(api, one) for api in EVERY_API.values()):
            names = [api.short(number) for api in EVERY_API.values() for number in api.names]
            raise FakeCudaError(nearest(str(one), names, "code"))
    return chosen


def _answers(place: Place, chosen: Sequence[str | SupportsInt] | None) -> list[Code]:
    """Return the codes that a call may answer at its place."""
    op = place.op
    if chosen is None:
        return from_outside(op, first=place.nth == 1)
    may = answers_of(op).values()
    found = [code_of(op, one, force=True) for one in chosen if is_code(op.api, one)]
    return [code for code in dict.fromkeys(found) if code in may]


def _injecting(place: Place, code: Code) -> Callable[[Machine], Fault]:
    """Return a function that injects a fault."""
    return lambda machine: machine.fail(place.op.name, nth=place.nth, code=code, force=True)


def _noticed(clean: Run, place: Place, done: Run) -> list[str]:
    """Return what went wrong with a fault, but not without it."""
    told = [f"undefined  {one}" for one in done.undefined]
    if done.broken:
        told.append(f"invariant  {done.broken}")
    if done.stuck:
        told.append(f"stuck      {done.error}")
    for label, before, after in (
        ("refused", clean.refused, done.refused),
        ("left", clean.left, done.left),
        ("no access", clean.bare, done.bare),
    ):
        told += [f"{label:9}  {text}" for text in _more(before, after)]
    if done.position is None or done.expected or done.error or not (clean.is_whole and done.is_whole):
        return told
    if done.behind(done.position) == clean.behind(place.position):
        told.append(
            "swallowed  no exception came out, and the program went on with the calls that it makes without the fault"
        )
    return told


def _more(before: list[tuple[Key, str]], after: list[tuple[Key, str]]) -> list[str]:
    """Return the texts of what occurs more often than before.

    Items with the same key share a line.
    """
    counts = Counter(key for key, _ in after) - Counter(key for key, _ in before)
    texts = dict(reversed(after))
    return [(f"{count} times: " if count > 1 else "") + texts[key] for key, count in counts.items()]
