"""Controls of a machine that are interrupted at every instruction: ``python -m conformance.fuzz.controls [--step N]``.

A process is spawned, killed, ends in order, the machine is closed, or somebody reads it, while at one of the instructions a
signal's handler or a trace function raises, or a handler makes calls. The control has happened or it has not, and can be
made again, which then happens; what a handler calls keeps it from nothing. Nothing is left of a machine that is closed twice.
"""

from __future__ import annotations

import argparse
import sys
import threading
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.fuzz.interrupts import Interrupter, handled
from conformance.fuzz.trials import Trials
from conformance.fuzz.whole import harm
from fakecuda import Machine, installed, simulate
from fakecuda.model.leaks import leaks_on
from fakecuda.model.memory.address_ranges import _live as live
from fakecuda.progress import each, say

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = ("raises", "traced", "calls")
"""The ways to interrupt a control."""
CONTROLS: dict[str, Callable[[Machine], object]] = {
    "spawn": lambda machine: machine.spawn("new"),
    "kill": lambda machine: machine.processes["a"].kill(),
    "exit": lambda machine: machine.processes["a"].exit(),
    "begin_exit": lambda machine: machine.processes["a"].begin_exit(),
    "lose_device": lambda machine: machine.lose_device(0),
    "poison": lambda machine: machine.poison(machine.processes["a"], next(iter(machine.processes["a"].contexts))),
    "set_compute_mode": lambda machine: machine.set_compute_mode(0, "PROHIBITED"),
    "exhaust_memory": lambda machine: machine.exhaust_memory(0),
    "exhaust_addresses": lambda machine: machine.exhaust_addresses(machine.processes["a"]),
    "complete": Machine.complete,
    "close": Machine.close,
    "snapshot": Machine.snapshot,
    "check_invariants": Machine.check_invariants,
    "log": lambda machine: machine.log,
    "draw": Machine.draw,
    "here": lambda machine: machine.here,
    "leaks": leaks_on,
    "simulate": lambda _: _simulate(),
}
"""Controls to interrupt, on a machine from :func:`built`."""


def _simulate() -> None:
    """Install a machine, have it refuse a call, and close it."""
    with simulate("h200", strict=False, door="lookalike") as machine:
        machine.here.c.cuMemFree(1)


def built() -> Machine:
    """Return a machine with two processes, one with many objects and pending work."""
    machine = Machine("h200-x2", seed=0, strict=False, completion="manual")
    for name in "ab":
        calls: Any = machine.spawn(name).thread("main").c
        calls.cuInit(0)
        calls.cuCtxCreate(None, 0, 0)
        pointer = calls.cuMemAlloc(1 << 12)[1]
        calls.cuMemsetD8(pointer, 1, 512)
        calls.cuMemHostAlloc(1 << 12, 0)
        calls.cuMemAllocManaged(1 << 12, 1)
        calls.cuStreamCreate(0)
        calls.cuEventCreate(0)
        calls.cuMemAllocAsync(1 << 12, 0)
        calls.cuLaunchHostFunc(0, machine.processes[name].c_function("getpid"), 0)
        calls.cuCtxSynchronize()
        calls.cuMemsetD8Async(pointer, 2, 512, 0)
        calls.cuMemcpyDtoDAsync(pointer + 512, pointer, 512, 0)
    return machine


def interrupt(name: str, kind: str, step: int, first: int = 1) -> Trials:
    """Interrupt a control at every n-th instruction.

    Args:
        name: The control.
        kind: How, one of ``KINDS``.
        step: Every how many.
        first: The first one.
    """
    trials, by, control = Trials(), Interrupter(kind), CONTROLS[name]
    states: list[Any] = []
    count = 0
    for _ in range(2):  # the first one imports
        with built() as machine:
            states = [machine.snapshot()]
            by.make(partial(control, machine))
            count = by.seen
            states.append(None if machine.closed else machine.snapshot())
    with handled(by):
        for at in range(first, count + 1, step):
            held = _held()
            machine, by.at = built(), at
            by.calls = partial(_use, machine)
            wrong = []
            try:
                by.make(partial(control, machine))
            except Exception as error:  # noqa: BLE001 - whatever it is, nobody has asked for it
                wrong.append(f"raises {error!r}")
            by.at = 0
            trials.counts["points"] += 1
            wrong += harm(machine)
            if not wrong and kind != "calls" and not machine.closed and machine.snapshot() not in states:
                wrong.append("is neither before it nor behind it")
            machine.close()
            if installed() is not None:
                wrong.append("a machine is installed")
            if _held() != held:
                wrong.append("has left a descriptor or a thread")
            if id(machine.territory) in live:
                wrong.append("has left its addresses")
            trials.wrong += [f"{name}, {kind} at {at}, {by.place}: {line}" for line in wrong]
    return trials


def _use(machine: Machine) -> None:
    """Make calls as a handler does; the machine may be closed or its device lost."""
    for one in (machine, installed()):
        if one is not None and not one.closed:
            calls: Any = (one.processes.get("b") or one.here).thread("main").c
            calls.cuMemAlloc(4 << 20)
            calls.cuMemAllocHost(1 << 12)


def _held() -> tuple[int, int]:
    """Return the number of descriptors and threads."""
    return len(list(Path("/proc/self/fd").iterdir())), threading.active_count()


def main() -> int:
    """Run the command; return 1 if an invariant fails."""
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz.controls", description=__doc__.partition("\n")[0])
    parser.add_argument("control", nargs="*", help=f"of {', '.join(CONTROLS)}; all by default")
    parser.add_argument("--step", type=int, default=1, metavar="N", help="every how many instructions; 1 by default")
    options = parser.parse_args()
    if unknown := set(options.control) - set(CONTROLS):
        parser.error(f"there is no control {min(unknown)!r}: use some of {', '.join(CONTROLS)}")
    wrong: list[str] = []
    for kind, name in each(product(KINDS, options.control or CONTROLS), ", ".join):
        trials = interrupt(name, kind, options.step)
        say(f"{name}, {kind}: {trials.counts['points']} points, {len(trials.wrong)} wrong")
        wrong += trials.wrong
    for line in wrong:
        print(line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
