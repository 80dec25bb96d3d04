"""Shared parts of tests of the recording library: programs with and without it."""

from __future__ import annotations

import io
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from conformance.kit.program import Program
from conformance.record.checked import Checked, compared
from fakecuda import Machine
from fakecuda.reach.shadow import ring
from fakecuda.reach.shadow.driver import stand_before
from fakecuda.reach.shadow.ring import Record, Ring, records
from fakecuda.reach.shadow.run import PATH, Ran, run
from fakecuda.reach.shadow.tables import known

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fakecuda.reach.shadow.faults import Fault


@frozen
class Did:
    """The result of a program.

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
    did: list[Did] = []

    def start(variables: Mapping[str, str]) -> int:
        folder = variables[PATH].partition(":")[0]
        did.append(_made(command, {**variables, **environ, PATH: f"{folder}:{library.parent}"}))
        return 0

    to = io.BytesIO()
    ran = run(start, to, library=library, capacity=capacity, faults=faults)
    return did[0], ran, list(records(to.getvalue()))


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


def stand_before_in(place: Path, library: Path) -> Path:
    """Return a new folder with the recording library before a driver library."""
    folder = place / "before"
    folder.mkdir()
    stand_before(library, folder)
    return folder


def drained(made: Ring) -> list[Record]:
    """Return the new records of a ring."""
    to = io.BytesIO()
    made.drain(to)
    return list(records(to.getvalue()))


FUTURE = [
    "cuInit",
    "cuInit",
    "cuGetExportTable",
    "cuGetProcAddress_v2",
    "cuMemAlloc_v2",
    "cuMemAlloc_v2",
    "cuGetProcAddress_v2",
    "cuInit",
    "cuGetProcAddress_v2",
    "cuGetProcAddress_v2",
    *["cuMemCreate"] * 2,
    *["cuModuleGetFunction"] * 2,
    *["cuLaunchKernelEx", "cuOccupancyMaxActiveClusters"],
    *["cuLaunchKernelEx"] * 2,
    "cuTexObjectCreate",
    *["cuTensorMapEncodeTiled"] * 2,
]
"""Calls of the stand-in's program, without functions that have no description."""

DONE: dict[str, Any] = {"code": 0, "outs": {}}
TEXT = {"hex": "6b"}


def call(name: str, *args: Any) -> dict[str, Any]:
    """Return the step of a call of process a."""
    return {"process": "a", "call": name, "args": list(args)}


def made(out: str, name: str) -> dict[str, Any]:
    """Return the answer of a call with a new result."""
    return {"code": 0, "outs": {out: {"new": name}}}


LOAD: list[Any] = [
    ({"process": "a", "call": "spawn"}, DONE),
    (call("cuInit", 0), DONE),
    (call("cuDevicePrimaryCtxRetain", 0), made("pctx", "a.ctx1")),
    (call("cuCtxSetCurrent", {"ref": "a.ctx1"}), DONE),
    (call("cuModuleLoadData", {"ref": "unseen.image"}), made("module", "a.module1")),
    (call("cuModuleGetFunction", {"ref": "a.module1"}, TEXT), made("hfunc", "a.kernel1")),
    (call("cuStreamCreate", 1), made("phStream", "a.stream1")),
]
LAUNCH = call("cuLaunchKernel", {"ref": "a.kernel1"}, 1, 1, 1, 64, 1, 1, 0, {"ref": "a.stream1"}, 0, 1 << 40)


def checked_of(*pairs: tuple[Any, Any], stack: Any = ()) -> Checked:
    """Return what a model says of a program that has loaded a module with a kernel, and goes on; all its calls have a stack."""
    steps, answers = zip(*LOAD, *pairs, strict=True)
    steps = tuple({**step, "stack": stack} for step in steps)
    with Machine("h200", seed=0, kernels="skip") as model:
        return compared(Program("p", list(steps), list(answers)), model)
