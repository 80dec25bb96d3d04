"""Both engines for each launch: native code must equal the Python engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from fakecuda.errors import KernelError
from fakecuda.kernels import grid as grids
from fakecuda.kernels import launch
from fakecuda.kernels.compiled import engine
from fakecuda.kernels.compiled.private import Mixed, PrivateRun, Unknown
from fakecuda.model.code.kernel_run import Run

if TYPE_CHECKING:
    from fakecuda.kernels.threads import Kernel

NATIVE = engine.native


def hot(kernel: Kernel, turn: int) -> engine.Native | None:
    """Return a compiled kernel, as if it had executed much."""
    found = NATIVE(kernel, turn)
    if found is not None:
        found.spend(found.much + 1)
    return found


def outcome(grid: grids.Grid, run: Run, memory: Any) -> dict[str, Any]:
    """Execute a launch, and return all that it leaves."""
    error = ""
    try:
        launch.ended(grid, run, memory)
    except KernelError as raised:
        error = str(raised)
    return {
        "error": error,
        "fault": run.fault,
        "text": run.text,
        "read": run.read,
        "written": run.written,
        "updated": run.updated,
        "polled": run.polled,
        "bytes": [run.pending(*one) for one in run.written + run.updated],
        "arrays": {handle: (one.data, one.read, one.written) for handle, one in run.arrays.items()},
        "race": None if grid.race is None or error else attrs.astuple(grid.race),
        "printed": [] if run.fault or error else run.printed,
        "spent": 0 if run.fault or error else grid.spent,
    }


class Twins(launch.Runner):
    """A runner that executes each launch on both engines, and compares the results.

    Attributes:
        compared: How many launches native code has executed.
        refused: How many launches only the reference could execute.
    """

    def __init__(self) -> None:
        super().__init__()
        self.compared = self.refused = 0

    def run(self, *given: Any) -> Run:
        """Run a kernel by both engines."""
        function, config, args, graph, *_ = given
        kernel = self.prepare(function)
        fuel = launch.limit(function.module.context.process.machine.scheduler.wait_timeout, launch.PLAIN)
        native = engine.native(kernel, grids.TURN)
        while native is not None:
            private = PrivateRun(function.module.context, graph, spare=self.spare)
            plain = Run(function.module.context, graph)
            launched = launch.begun(native, function, config, args, private, fuel)
            try:
                ours = outcome(launched, private, private.memory)
            except Mixed:
                native.mixed = True
            except Unknown:
                native = None
            else:
                grid = grids.Grid(kernel, function, config, args, plain, fuel)
                theirs = outcome(grid, plain, grid.memory)
                assert ours == theirs
                if not ours["error"]:  # its next launch begins with what this one leaves
                    self.compared += 1
                    launch.keep(function, launched, private)
                    return private
                break
        self.compared += native is not None
        self.refused += native is None
        return super().run(*given)
