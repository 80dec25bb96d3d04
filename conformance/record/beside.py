"""Programs beside the real driver: ``python -m fakecuda record`` and ``check``.

``record`` runs a program with the recording library before its driver, and writes its calls with the driver's answers as a
recording. ``check`` has a model of that machine answer the same calls, without a card, and lists each answer that differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from typing import TYPE_CHECKING

from conformance.kit.program import OTHER_STEPS
from conformance.record import recordings
from conformance.record.checked import compared
from conformance.record.log import Log
from conformance.record.recorder import describe, header_of
from conformance.record.recordings import RecordingError
from conformance.record.replay import profile_of, recording
from fakecuda.errors import FakeCudaError
from fakecuda.reach.shadow import ring
from fakecuda.reach.shadow.run import run
from fakecuda.simulated.machine import Machine
from fakecuda.simulated.serve import find_program, run_program

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence
    from pathlib import Path


DIFFERENT, USAGE = 1, 2
"""Exit statuses beside 0."""
SHOWN = 8
"""How many names of functions a line has."""


def record(command: Sequence[str], output: Path, profile: str, library: Path | None = None) -> int:
    """Run a program and write its calls as a recording, with the machine's profile beside it.

    Args:
        command: The program and its arguments.
        output: The recording's file; its name ends in ``.jsonl`` or ``.jsonl.gz``.
        profile: The machine's profile, a name or a file. If it is empty, the driver is asked for it.
        library: The driver library; by default the one that the dynamic loader finds.

    Returns:
        The exit status of the program, as a shell has it.

    Raises:
        FakeCudaError: The program cannot be started, or there is no driver.
    """
    if not output.name.endswith((".jsonl", ".jsonl.gz")):
        msg = f"{output.name} does not end in .jsonl or .jsonl.gz: recordings are found by these names"
        raise FakeCudaError(msg)
    find_program(command[0])
    options = argparse.Namespace(profile=profile, target="real", library=str(library or ""))
    if problem := describe(options, output.parent):
        raise FakeCudaError(problem)
    with tempfile.TemporaryFile() as file:
        ran = run(lambda environ: run_program(command, environ), file, library=library)
        file.seek(0)
        log = Log()
        log.read(ring.records(file.read()))
    log.program.name = f"record/{command[0].rpartition('/')[2]}"
    log.program.about = " ".join(command)
    recordings.write(output, header_of(output.parent, 0), [log.program])
    for line in _told(log, ran.lost, ran.nested):
        sys.stderr.write(f"fakecuda: {output}: {line}\n")
    return ran.status


def _told(log: Log, lost: int, nested: int) -> Iterator[str]:
    """Yield what a recording does not have, and how much it has."""
    calls = sum(step["call"] not in OTHER_STEPS for step in log.program.steps)
    yield f"{calls} calls of {len({step['process'] for step in log.program.steps})} processes"
    if log.uncounted:
        yield f"without {log.uncounted.total()} calls whose arguments are not read: {_names(log.uncounted)}"
    if log.others:
        yield f"without {log.others.total()} calls of functions that are not known: {_names(log.others)}"
    if log.in_flight:
        yield f"without {len(log.in_flight)} calls that had not returned: {', '.join(log.in_flight[:SHOWN])}"
    if nested:
        yield f"without {nested} calls that the driver or a signal handler made during a call"
    if lost:
        yield f"without {lost} records that were lost"


def _names(counts: Counter[str]) -> str:
    most = counts.most_common(SHOWN)
    return ", ".join(f"{name} {count}" for name, count in most) + (", …" if len(counts) > SHOWN else "")


def check(paths: Sequence[Path]) -> int:
    """Check recordings against models of their machines, and print each answer that differs.

    Args:
        paths: The files.

    Returns:
        1 if an answer differs or a program was not compared to its end, 2 if a file is no recording, else 0.
    """
    status = 0
    for path in paths:
        found = recording(path)
        if isinstance(found, RecordingError):
            sys.stderr.write(f"fakecuda: {found}\n")
            return USAGE
        for program in found.programs:
            with Machine(profile_of(path), strict=False, seed=0) as machine:
                checked = compared(program, machine)
            sys.stdout.writelines(f"{one}\n" for one in checked.differences)
            sys.stdout.write(
                f"{path}: {program.about or program.name}: {len(checked.differences)} of {checked.answers} answers differ, "
                f"{checked.skipped} calls were not made, {checked.adopted} contexts were current past the recorded calls\n"
            )
            if checked.ended:
                sys.stdout.write(f"{path}: not compared from {checked.ended}\n")
            status |= DIFFERENT if checked.differences or checked.ended else 0
    return status
