"""The commands ``python -m fakecuda record`` and ``check``.

``record`` runs a program with the recording library before its driver, and writes its calls with the driver's answers as a
recording. ``check`` has a model of that machine answer the same calls, without a card. It reports what the program did wrong, and
lists each answer that differs. ``check --real`` does both.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.kit.program import OTHER_STEPS
from conformance.record import recordings
from conformance.record.checked import checked_on
from conformance.record.live import Live, key_of, say
from conformance.record.log import Log
from conformance.record.recorder import describe, header_of
from conformance.record.recordings import RecordingError
from conformance.record.replay import profile_of, recording
from fakecuda.errors import FakeCudaError
from fakecuda.machine.serve import find_program, run_program
from fakecuda.model import history
from fakecuda.reach.shadow import ring
from fakecuda.reach.shadow.run import run
from fakecuda.rules.registry import api_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import TextIO

    from conformance.kit.program import Program
    from conformance.record.checked import Checked
    from conformance.record.findings import RecordedFinding
    from fakecuda.reach.shadow.faults import Fault
    from fakecuda.reach.shadow.run import Ran


DIFFERENT, USAGE = 1, 2
"""Exit statuses besides 0: something was found; nothing can be checked, or not all was."""
SHOWN = 8
"""The maximum number of function names in a line."""
WIDTH = 160
"""The maximum characters of a program's command in a line."""


def record(
    command: Sequence[str],
    output: Path,
    profile: str,
    library: Path | None = None,
    *,
    stacks: bool = False,
    faults: Sequence[Fault] = (),
) -> int:
    """Record a program's calls, with the machine's profile.

    Args:
        command: The program and its arguments.
        output: The recording's file; its name ends in ``.jsonl`` or ``.jsonl.gz``.
        profile: The machine's profile, a name or a file. If it is empty, the driver is asked for it.
        library: The driver library; by default the one that the dynamic loader finds.
        stacks: Whether calls that make or end objects, copy or fill are written with their stacks.
        faults: Calls that are refused, and do not reach the driver.

    Returns:
        The exit status of the program, as a shell has it.

    Raises:
        FakeCudaError: The program cannot be started, or there is no driver.
    """
    return _recorded(command, output, profile, library, stacks=stacks, faults=faults)[0].status


def _recorded(
    command: Sequence[str],
    output: Path,
    profile: str,
    library: Path | None,
    *,
    stacks: bool,
    faults: Sequence[Fault],
    live: Live | None = None,
    is_kept: bool = True,
) -> tuple[Ran, Log]:
    if not output.name.endswith((".jsonl", ".jsonl.gz")):
        msg = f"{output.name} does not end in .jsonl or .jsonl.gz: recordings are found by these names"
        raise FakeCudaError(msg)
    find_program(command[0])
    options = argparse.Namespace(profile=profile, target="real", library=str(library or ""))
    try:
        problem = describe(options, output.parent)
        if output.is_file() or output.is_dir():
            output.open("ab").close()  # a program may run for hours before its recording is written
    except OSError as error:
        raise _unwritable(output, error) from error
    if problem:
        raise FakeCudaError(problem)
    follow = None if live is None else partial(live.follow, profile=output.parent / "profile.toml")
    ran, log = logged(command, run_program, library, stacks=stacks, faults=faults, follow=follow)
    try:
        recordings.write(output, header_of(output.parent, 0), [log.program])
    except OSError as error:
        raise _unwritable(output, error) from error
    title = output if is_kept else title_of(log.program)
    say(*(f"{title}: {line}" for line in _told(log, ran)))
    for fault, (met, came) in zip(faults, ran.met, strict=True):
        told = f"refused {came} of {met} calls" if came else f"made no call fail: there were {met} such calls"
        say(f"{fault} {told}")
    return ran, log


def _unwritable(output: Path, error: OSError) -> FakeCudaError:
    return FakeCudaError(
        f"{output} cannot be written ({error.strerror}): name a file in a writable folder with free space by -o"
    )


def logged(
    command: Sequence[str],
    start: Callable[[Sequence[str], Mapping[str, str]], int],
    library: Path | None,
    *,
    stacks: bool,
    faults: Sequence[Fault],
    follow: Callable[[Path], AbstractContextManager[None]] | None = None,
) -> tuple[Ran, Log]:
    """Run a program with the recording library; return its result and its calls.

    Args:
        command: The program and its arguments.
        start: Runs a command with an environment, and returns its exit status.
        library: As for :func:`record`.
        stacks: As for :func:`record`.
        faults: As for :func:`record`.
        follow: Returns a context for the time in which the program runs; it takes the file to which records are moved.

    Raises:
        FakeCudaError: As for :func:`record`.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records"
        with path.open("wb", buffering=0) as file, nullcontext() if follow is None else follow(path):
            ran = run(lambda environ: start(command, environ), file, library=library, stacks=stacks, faults=faults)
        log = Log()
        data = path.read_bytes()
        log.read(ring.records(data[: ring.whole(data)] if ran.problem else data))
    log.program.name = f"record/{command[0].rpartition('/')[2]}"
    log.program.about = " ".join(command)
    log.program.lost = ", ".join(_lost(ran))
    return ran, log


def _lost(ran: Ran) -> Iterator[str]:
    """Yield which records were lost."""
    if ran.lost:
        yield f"without {ran.lost} lost records"
    if ran.problem:
        yield f"without any record after these, which could not be written: {ran.problem}"
    if ran.removed:
        yield f"without processes that began after the program had removed {ran.removed}"


def _told(log: Log, ran: Ran) -> Iterator[str]:
    """Yield lines on what a recording does not have."""
    calls = sum(step["call"] not in OTHER_STEPS for step in log.program.steps)
    yield f"{calls} calls of {len({step['process'] for step in log.program.steps})} processes"
    if not (log.program.steps or log.program.lost):
        yield (
            "the program made no call of the driver that is recorded. A program that opens the driver by its path, sets "
            "LD_LIBRARY_PATH itself, has an RPATH or runs as another user runs without a record"
        )
    ended = {step["process"] for step in log.program.steps if step["call"] in {"exit", "kill"}}
    began = {
        step["pid"]: step["program"] for step in log.program.steps if "pid" in step and step["process"] not in ended
    }
    running = {process: program for process, program in began.items() if _runs(process, program)}
    for process, program in (running | dict(ran.left)).items():
        yield f"without what process {process}, {program}, does from now on: it still runs"
    if log.uncounted:
        yield f"without {log.uncounted.total()} calls whose arguments are not read: {_names(log.uncounted)}"
    if log.others:
        yield f"without {log.others.total()} calls of functions that are not known: {_names(log.others)}"
    if log.in_flight:
        yield f"without {len(log.in_flight)} calls that had not returned: {', '.join(log.in_flight[:SHOWN])}"
    if log.refused:
        yield f"without {log.refused.total()} calls that faults refused: {_names(log.refused)}"
    if ran.nested:
        yield f"without {ran.nested} calls that the driver or a signal handler made during a call"
    yield from _lost(ran)


def _runs(process: int, program: str) -> bool:
    """Return whether a process still runs a program. Another program may have its number by now."""
    try:
        return str(Path(f"/proc/{process}/exe").readlink()) == program
    except OSError:
        return False


def _names(counts: Counter[str]) -> str:
    most = counts.most_common(SHOWN)
    return ", ".join(f"{name} {count}" for name, count in most) + (", …" if len(counts) > SHOWN else "")


def title_of(program: Program) -> str:
    """Return a program's command, or its name, in one short line."""
    text = " ".join((program.about or program.name).split())
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


def check(paths: Sequence[Path], out: TextIO | None = None) -> int:
    """Check recordings with models of their machines, and print the results.

    Args:
        paths: The files.
        out: Where to print; standard output by default.

    Returns:
        1 if something was found or an answer differs, 2 if a file is no recording, records were lost or a program was not
        compared to its end, else 0.
    """
    out = out or sys.stdout
    statuses = {0}
    for path in paths:
        found = recording(path)
        if isinstance(found, RecordingError):
            say(found)
            return USAGE
        for program in found.programs:
            checked = checked_on(profile_of(path), program)
            lines = _report(f"{path}: {title_of(program)}", checked, program)
            out.writelines(f"{printable(line)}\n" for line in lines)
            statuses.add(DIFFERENT if checked.found or checked.differences else unseen(checked, program))
    return DIFFERENT if DIFFERENT in statuses else max(statuses)


def printable(text: str) -> str:
    """Return a text with escapes for the bytes of a path or an argument that are not UTF-8."""
    return text.encode(errors="backslashreplace").decode()


def unseen(checked: Checked, program: Program) -> int:
    """Return the exit status that says whether a check has seen all of a program: 0 or 2."""
    return USAGE if checked.ended or program.lost else 0


def check_real(
    command: Sequence[str],
    output: Path | None,
    profile: str,
    library: Path | None = None,
    *,
    faults: Sequence[Fault] = (),
) -> int:
    """Run a program on the real driver, and check its calls.

    Undefined behaviour and refused calls are reported while the program runs, the rest at its end.

    Args:
        command: The program and its arguments.
        output: The recording's file, which is kept; None for a temporary one.
        profile: As for :func:`record`.
        library: As for :func:`record`.
        faults: As for :func:`record`.

    Returns:
        1 if the program did something wrong or a fault refused no call, 2 if records were lost or the program was not
        compared to its end, else its exit status, as a shell has it.

    Raises:
        FakeCudaError: As for :func:`record`.
    """
    with tempfile.TemporaryDirectory(prefix="fakecuda-check-") as folder:
        path = output or Path(folder) / "program.jsonl.gz"
        live = Live()
        ran, log = _recorded(
            command, path, profile, library, stacks=True, faults=faults, live=live, is_kept=output is not None
        )
        (program,) = recordings.read(path).programs
        checked = checked_on(profile_of(path), program)
    known = set(map(key_of, checked.found))
    checked.found += [one for key, one in live.told.items() if key not in known]
    where, told = partial(_test_of, ran, log), set() if ran.tests else set(live.told)
    say(*_report(title_of(program), checked, program, where, told))
    missed = any(not came for _, came in ran.met)
    return DIFFERENT if checked.found or missed else unseen(checked, program) or ran.status


def _test_of(ran: Ran, log: Log, found: RecordedFinding) -> str:
    """Return the test that made a finding's call; empty if unknown.

    The calls of a process that is no worker of pytest are the test's that ran, if there was only one.
    """
    process = next((step["pid"] for step in log.program.steps if step["process"] == found.process and "pid" in step), 0)
    ticket = log.tickets[found.number] if found.number < len(log.tickets) else 0
    ran_then = [one for one in ran.tests if one.first <= ticket <= one.last]
    own = [one for one in ran_then if one.process == process]
    found_in = own or (ran_then if all(one.process != process for one in ran.tests) else [])
    return found_in[0].test if len(found_in) == 1 else ""


def _report(
    title: str,
    checked: Checked,
    program: Program,
    test_of: Callable[[RecordedFinding], str] = lambda _: "",
    told: Container[tuple[str, int, str]] = (),
) -> Iterator[str]:
    """Yield the report's lines: mistakes, leaks, and different answers.

    Args:
        title: The beginning of lines.
        checked: What a model says of the program.
        program: The program.
        test_of: Returns the test that made the call of a finding.
        told: The findings that were reported before.
    """
    for one in checked.found:
        if key_of(one) in told:
            continue
        test = test_of(one)
        yield f"{one}\n  test       {test}" if test else str(one)
    wrong = {one.process for one in checked.found}
    for step in program.steps:
        if step["call"] == "spawn" and step["process"] in wrong and "pid" in step:
            yield f"{title}: process {step['process']} was process {step['pid']}, {step['program']}"
    for process, kinds in checked.kept.items():
        left = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
        yield f"{title}: process {process} ended with objects that libraries keep, or whose calls have no stack: {left}"
    if checked.refusals:
        counts = Counter({f"{call} {api_of(call).short(code)}": n for (call, code), n in checked.refusals.items()})
        yield f"{title}: {counts.total()} calls were refused: {_names(counts)}"
    yield from map(str, checked.differences)
    yield (
        f"{title}: {history.counted(len(checked.found), 'finding')}, {len(checked.differences)} of {checked.answers} "
        f"answers differ, {checked.skipped} calls were not made, "
        f"{checked.adopted} contexts were current past the recorded calls"
    )
    if program.lost:
        yield f"{title}: not all was seen: {program.lost}"
    if checked.ended:
        yield f"{title}: not compared from {checked.ended}"
