"""Submission of launches that have passed their checks.

If the stream has nothing to wait for, the kernel's function is called before anything changes, so that its exception
refuses the launch, and its accesses are checked for races. The race detector ignores a kernel that waits.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fakecuda.model.code import kernels
from fakecuda.model.code.kernel_run import SharedRace
from fakecuda.model.finding import Finding
from fakecuda.model.work import launching
from fakecuda.model.work.accesses import POLLS, READS, UPDATES, WRITES
from fakecuda.rules.core import Rule, guard, undefined
from fakecuda.rules.driver.execution import shared, skipped
from fakecuda.rules.driver.graph import branches
from fakecuda.rules.driver.stream import race, value_races
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code.kernel_run import Run
    from fakecuda.model.code.kernels import Config
    from fakecuda.model.code.module import Function
    from fakecuda.model.graph.graph_run import GraphRun
    from fakecuda.model.memory.unknown import Unknown
    from fakecuda.model.work.accesses import Use
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.stream import Stream

KERNEL_RETURNS = Rule(
    "the Python function of a kernel raises no exception",
    Result.LAUNCH_FAILED,
    undefined(
        "cuLaunchKernel",
        "fakecuda's own answer, not a driver's: if a stream runs the kernel's Python function later, no caller can receive "
        "its exception",
    ),
    fix="correct the exception that the kernel's Python function raises",
)
"""No operation breaks the rule: the stream detects the violation later."""


@guard
@orders.makes(orders.KERNEL)
def submit(
    call: Call,
    function: Function,
    config: Config,
    args: tuple[bytes, ...],
    stream: Stream,
    events: tuple[Event, ...] = (),
    graph: GraphRun | None = None,
) -> None:
    """Submit a checked kernel to a stream, also in a graph, and record its events.

    Raises:
        KernelNotDefined: The kernel has no Python function, the machine does not skip its
            launches, and its PTX does not run.
        RetryCall: Other calls were made while it ran.
    """
    machine = call.machine
    if kernels.is_skipped(function.entry, machine):
        skipped.launch(call, function, args, stream, events, graph)
        return
    kernels.require_meaning(function)
    if machine.ptx is not None:
        cluster = function.cluster(config.cluster)
        if cluster != config.cluster:
            config = config._replace(cluster=cluster)
    run = None
    if not machine.scheduler.pending and not machine.scheduler.manual:
        run = kernels.run(function, config, args, graph, call)
        if run.unknown is not None:
            facts = skipped.facts_of(function.module.context.process, run.unknown)
            call.undefined(skipped.CONTENT_IS_KNOWN, kernel=function.entry.name, **facts)
        if run.race is not None:
            call.undefined(shared.THREADS_ARE_ORDERED, **shared.facts_of(function, run.race))
        uses = run.listed(_uses)
        if uses:
            if graph is not None and graph.branches is not None:
                branches.checked(call, graph.branches, uses)
            if run.fenced:
                value_races.acquired(call, stream, uses)
            race.in_stream(call, stream, uses, watched=False)
            if run.fenced:
                value_races.released(call, stream, uses)
    elif machine.races is not None:
        machine.races.lose_sight()
    launching.launch(function, config, args, stream, run, partial(report, function), events, graph)


def _uses(run: Run) -> tuple[Use, ...]:
    """Return the memory uses of a kernel, the reads first."""
    return tuple(
        (does, place, run.pieces(*place), None)
        for does, places in ((READS, run.read), (POLLS, run.polled), (WRITES, run.written), (UPDATES, run.updated))
        for place in places
    ) + tuple(
        (does, place, pieces, None)
        for one in run.arrays.values()
        for does, marks in ((READS, one.read), (WRITES, one.written))
        for place, pieces in one.uses(marks)
    )


def report(function: Function, what: Exception | Unknown | SharedRace) -> None:
    """Keep what a kernel did wrong: an exception, a read of unknown bytes, or a race."""
    process, name = function.module.context.process, function.entry.name
    if isinstance(what, Exception):
        facts = {"kernel": name, "error": repr(what)}
        process.machine.keep(Finding(KERNEL_RETURNS, "cuLaunchKernel", process.name, facts))
    elif isinstance(what, SharedRace):
        shared.keep(function, what)
    else:
        skipped.keep(process, "cuLaunchKernel", what, kernel=name)
