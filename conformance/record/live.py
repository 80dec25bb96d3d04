"""Findings about a program while it runs: ``python -m conformance.record.live``.

A process of its own reads the file to which the records of the ring are moved, and has a model make the calls. So the program never
waits for the model: if the model is slower than the program, reports come later. This process knows only what was recorded so far.
Where it has to know more to be sure, it makes no finding. The check at the end of the program knows all, and finds the rest.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, BinaryIO

from attrs import asdict, define, field

from conformance.record.checked import comparison_of
from conformance.record.findings import RecordedFinding
from conformance.record.log import Log
from conformance.record.repeated import Repeated, only_asks
from fakecuda import profiles
from fakecuda.machine.machine import Machine
from fakecuda.modes import SKIP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fakecuda.profiles.machine import Profile

CHUNK = 1 << 20
"""The maximum bytes to read at once."""
A_MOMENT = 0.05
"""Seconds between two checks for new records."""
NICE = 10
"""The process takes only the time of the processors that the program leaves."""


@define
class Live:
    """The findings that were reported while a program ran.

    Attributes:
        told: They, by kind, step and process.
    """

    told: dict[tuple[str, int, str], RecordedFinding] = field(factory=dict)

    @contextmanager
    def follow(self, records: Path, profile: Path) -> Iterator[None]:
        """Report a program's mistakes to standard error while the context lasts.

        Args:
            records: The file to which its records are moved.
            profile: The machine's profile.
        """
        command = [sys.executable, "-m", "conformance.record.live", str(records), str(profile)]
        with subprocess.Popen(  # noqa: S603 - it is this module
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        ) as process:
            assert process.stdout is not None
            reader = Thread(target=self._tell, args=(process.stdout,))
            reader.start()
            try:
                yield
            finally:
                process.kill()
                reader.join()

    def _tell(self, lines: BinaryIO) -> None:
        for line in lines:
            if line.endswith(b"\n"):  # else the process was killed
                found = RecordedFinding(**json.loads(line))
                self.told[key_of(found)] = found
                say(found)


def say(*lines: object) -> None:
    """Write lines to standard error; if it is closed or full, the exit status is enough."""
    try:
        sys.stderr.writelines(f"fakecuda: {line}\n" for line in lines)
    except (AttributeError, OSError):
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the process ends, which flushes it


def key_of(found: RecordedFinding) -> tuple[str, int, str]:
    """Return the key that identifies a finding."""
    return found.kind, found.number, found.process


def follow(records: BinaryIO, profile: Profile, is_over: Callable[[], bool]) -> Iterator[RecordedFinding]:
    """Yield what a program does wrong.

    Args:
        records: The file to which its records are moved.
        profile: The machine's profile.
        is_over: Returns whether to end; it is called when there are no new records.
    """
    log = Log()
    repeated = Repeated(log)
    with Machine(profile, seed=0, kernels=SKIP) as machine:
        comparison = comparison_of(log.program, machine)
        checked, found = comparison.checked, comparison.findings.found
        is_last = False
        while not (is_last or checked.ended):
            data = records.read(CHUNK)
            is_last = not data and is_over()
            steps = repeated.steps_of(data)
            comparison.note(repeated.new(steps))
            for number, step, answer in steps:
                if checked.ended or repeated.is_known(step) or only_asks(step, answer):
                    continue
                comparison.go_on(number, step, answer)
                repeated.note(step, answer, is_known=not found and not comparison.is_capturing)
                yield from found
                found.clear()
            made = comparison.recorder
            for kept in (made.program.steps, made.program.answers, made.rules, checked.differences):
                kept.clear()
        comparison.recorder.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Write findings as lines until standard input is closed."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance.record.live", description="follow the records of a program"
    )
    parser.add_argument("records", type=Path, help="the file to which the records are moved")
    parser.add_argument("profile", type=Path, help="the machine's profile")
    options = parser.parse_args(arguments)
    for path in (options.records, options.profile):
        if not path.is_file():
            parser.error(f"{path}: no such file: pass what check --real passes")
    os.nice(NICE)
    with options.records.open("rb", buffering=0) as file:
        for found in follow(
            file, profiles.load(options.profile), lambda: bool(select.select([0], [], [], A_MOMENT)[0])
        ):
            sys.stdout.write(json.dumps(asdict(found)) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
