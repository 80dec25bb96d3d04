"""The sweep on a real driver: a run for each call and each code of failure.

``python -m fakecuda check --real --sweep -- PROGRAM`` compares each run with one without a fault.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from attrs import frozen

from conformance.kit.program import OTHER_STEPS
from conformance.record.beside import DIFFERENT, USAGE, logged
from conformance.record.checked import checked_on
from conformance.record.findings import ASKS, INTERPRETER, LEFT, callers
from conformance.record.live import say
from conformance.record.recorder import describe
from fakecuda import profiles
from fakecuda.errors import FakeCudaError
from fakecuda.machine.faults.codes import from_outside
from fakecuda.machine.serve import SIGNALLED, as_a_shell, find_program, given
from fakecuda.model.history import counted
from fakecuda.reach.shadow.faults import Fault
from fakecuda.rules.driver.context.fault import STICKY
from fakecuda.rules.registry import DRIVER, EVERY_OP

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.kit.program import Program
    from conformance.record.checked import Checked
    from fakecuda.profiles.machine import Profile

NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")
"""Matches numbers in findings that differ between runs."""
LONGER = 10
"""The time limit of a run with a fault, as a multiple of the run without."""


@frozen
class Ended:
    """The result of a run.

    Attributes:
        status: The exit status, as a shell has it.
        calls: How often it made each call.
        checked: What a model says of it.
        came: How many calls the fault refused.
        program: Its calls.
    """

    status: int
    calls: Counter[str]
    checked: Checked
    came: int
    program: Program

    @property
    def lacking(self) -> str:
        """What the check of the run has not seen; empty if it has seen all."""
        return self.program.lost or (f"not compared from {self.checked.ended}" if self.checked.ended else "")


@frozen
class Sweep:
    """The runs of a program on the real driver.

    Attributes:
        command: The program and its arguments.
        profile: The machine's profile.
        library: The driver library.
    """

    command: Sequence[str]
    profile: Profile
    library: Path | None

    def run(self, limit: float | None, *faults: Fault) -> Ended:
        """Run the program and check its calls.

        Args:
            limit: Seconds after which it is killed; None for no limit.
            faults: The calls that are refused.
        """

        def start(command: Sequence[str], environ: Mapping[str, str]) -> int:
            return limited(command, environ, limit)

        ran, log = logged(self.command, start, self.library, stacks=True, faults=faults)
        checked = checked_on(self.profile, log.program)
        calls = Counter(step["call"] for step in log.program.steps if step["call"] not in OTHER_STEPS)
        return Ended(ran.status, calls, checked, sum(came for _, came in ran.met), log.program)


def sweep(command: Sequence[str], profile: str, library: Path | None = None, budget: float | None = None) -> int:
    """Run a program with each fault of its sweep, and print its mistakes.

    Args:
        command: The program and its arguments.
        profile: The machine's profile, a name or a file. If it is empty, the driver is asked for it.
        library: The driver library; by default the one that the dynamic loader finds.
        budget: Seconds after which no further fault runs; None for no limit.

    Returns:
        1 if the program handled a fault wrongly, 2 if the check of a run has not seen all, else 0.

    Raises:
        FakeCudaError: The program cannot be started, there is no driver, or a signal ends the program without a fault.
    """
    find_program(command[0])
    with tempfile.TemporaryDirectory(prefix="fakecuda-sweep-") as folder:
        options = argparse.Namespace(profile=profile, target="real", library=str(library or ""))
        if problem := describe(options, Path(folder)):
            raise FakeCudaError(problem)
        runs = Sweep(command, profiles.load(Path(folder) / "profile.toml"), library)
    begun = time.monotonic()
    without = runs.run(None)
    if name := _signal(without.status):
        msg = f"without a fault the program ends by {name}: sweep a program that ends in order"
        raise FakeCudaError(msg)
    took = time.monotonic() - begun
    faults = list(places(without.program))
    wrong, ran, lacking = [], 0, [without.lacking] * bool(without.lacking)
    for fault in faults:
        if budget is not None and time.monotonic() - begun > budget:
            break
        ran += 1
        ended = runs.run(LONGER * took + 60, fault)
        told = list(noticed(without, ended, fault))
        state = (
            f"exit status {ended.status}" if ended.came else "not met again: the program makes other calls each time"
        )
        _say(f"{ran} of {len(faults)}  {fault}: {told[0] if told else state}", *told[1:])
        if told:
            wrong.append(fault)
        if ended.lacking:
            lacking.append(f"{fault}: {ended.lacking}")
    _say(
        f"sweep of {' '.join(command)}: {counted(without.calls.total(), 'call')}, {counted(ran, 'injected failure')}, "
        f"{len(wrong)} handled wrongly",
        *(f'again: --fail "{one.call} nth={one.nth} code={one.name}"' for one in wrong),
    )
    if ran < len(faults):
        _say(f"{len(faults) - ran} failures were left out, for the time was over: use a larger --budget")
    _say(*(f"not all was seen: {one}" for one in lacking))
    return DIFFERENT if wrong else USAGE if lacking else 0


def _say(*lines: str) -> None:
    say(*(line for text in lines for line in text.splitlines()))


def noticed(without: Ended, ended: Ended, fault: Fault) -> Iterator[str]:
    """Yield mistakes with a fault that do not occur without it.

    What it leaves behind counts if it goes on as if nothing had failed: at its end the driver frees what it holds.

    Args:
        without: The run without a fault.
        ended: The run with it.
        fault: The fault.
    """
    if not ended.came:
        return
    goes_on = ended.status == without.status
    if name := _signal(ended.status):
        yield f"ended by {name}"
    known = Counter(NUMBERS.sub("", str(one)) for one in without.checked.found)
    found = Counter(NUMBERS.sub("", str(one)) for one in ended.checked.found if goes_on or one.kind != LEFT) - known
    yield from (str(one) for one in ended.checked.found if found[NUMBERS.sub("", str(one))])
    if goes_on and ended.calls + Counter([fault.call]) == without.calls:
        yield f"swallowed: the program goes on with the same calls; check what {fault.call} answers, and raise, retry or do without"


def _signal(status: int) -> str:
    """Return the signal that ended a program, by its exit status; empty if it ended by itself, by exit(-1) for instance."""
    return {one + SIGNALLED: one.name for one in signal.Signals}.get(status, "")


def limited(command: Sequence[str], environ: Mapping[str, str], limit: float | None, to: BinaryIO | None = None) -> int:
    """Run a program, and kill it and its children when its time is over; return its exit status.

    Args:
        command: The program and its arguments.
        environ: Its environment.
        limit: Seconds that it has; None for no limit.
        to: What takes its output and its standard error; None for those of this process.
    """
    with subprocess.Popen(  # noqa: S603 - the user's own
        command, env=given(environ), close_fds=False, process_group=0, stdout=to, stderr=to
    ) as process:
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            status = process.wait()
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return as_a_shell(status)


def places(program: Program) -> Iterator[Fault]:
    """Yield the faults: the first call from each place, with each external code.

    Calls with the same stack are from one place. A call of Python code whose lines are not known has a place of its own.
    Calls that only ask something are left out: what they answer is for the program to judge.
    """
    seen: set[tuple[str, str]] = set()
    counts: Counter[str] = Counter()
    for step, answer in zip(program.steps, program.answers, strict=True):
        call = step["call"]
        if call in OTHER_STEPS or call not in EVERY_OP or EVERY_OP[call].api is not DRIVER:
            continue
        counts[call] += 1
        frames = [frame for frame in callers(step) if not INTERPRETER.search(frame[0])]
        place = call, str(frames or counts[call])
        if answer["code"] or place in seen or ASKS.search(call):
            continue
        seen.add(place)
        for code in from_outside(EVERY_OP[call], first=counts[call] == 1):
            if code not in STICKY:
                yield Fault(call, counts[call], int(code), DRIVER.short(int(code)), 1, 1.0, 0)
