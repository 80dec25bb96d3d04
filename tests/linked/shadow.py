"""What the tests of the recording library share: programs that run with it before their driver, and without it."""

from __future__ import annotations

import io
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.reach.shadow import ring
from fakecuda.reach.shadow.ring import Record, records
from fakecuda.reach.shadow.run import PATH, Ran, run
from fakecuda.reach.shadow.tables import known

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fakecuda import Machine
    from fakecuda.reach.shadow.faults import Fault


@frozen
class Did:
    """What a program has done.

    Attributes:
        status: Its exit status; negative for a signal.
        out: What it printed.
        said: What it printed to standard error.
    """

    status: int
    out: str
    said: str


def alone(command: list[str], library: Path, environ: Mapping[str, str]) -> Did:
    """Run a program on a driver library."""
    return _made(command, {**os.environ, **environ, PATH: str(library.parent)})


def recorded(
    command: list[str],
    library: Path,
    environ: Mapping[str, str],
    capacity: int = ring.CAPACITY,
    faults: Sequence[Fault] = (),
) -> tuple[Did, Ran, list[Record]]:
    """Run a program with the recording library before a driver library; return its records, too."""
    made: list[Did] = []

    def start(variables: Mapping[str, str]) -> int:
        folder = variables[PATH].partition(":")[0]
        made.append(_made(command, {**variables, **environ, PATH: f"{folder}:{library.parent}"}))
        return 0

    to = io.BytesIO()
    ran = run(start, to, library=library, capacity=capacity, faults=faults)
    return made[0], ran, list(records(to.getvalue()))


def _made(command: list[str], environ: Mapping[str, str]) -> Did:
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    return Did(done.returncode, done.stdout, done.stderr)


def on(machine: Machine) -> tuple[Path, dict[str, str]]:
    """Return the driver library of a machine's programs, and the variables that they need."""
    assert machine.offer is not None
    environ = machine.offer.environ()
    return Path(machine.link()) / "libcuda.so.1", {name: value for name, value in environ.items() if name != PATH}


def names(found: list[Record], kind: int = ring.ANSWERED) -> list[str]:
    """Return the functions of records of a kind."""
    return [known()[one.symbol].name for one in found if one.kind == kind]
