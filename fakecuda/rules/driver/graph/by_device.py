"""Graphs that kernels launch: a stream runs them after the kernel or its graph."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.model.graph import graph_launches, graph_run
from fakecuda.model.graph.executables import DEVICE, Executable
from fakecuda.model.graph.graph_run import GraphRun
from fakecuda.model.work import stream_scheduler
from fakecuda.rules.core import Rule, undefined
from fakecuda.rules.driver.graph.choice import do_all, note
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.graph.branches import Branches
    from fakecuda.model.work.stream import Stream

MOST = 1 << 16
"""The maximum number of tail launches after a run."""

LAUNCHES_END = Rule(
    "graphs that kernels launch in tail order come to an end",
    Result.LAUNCH_FAILED,
    undefined(
        "cuGraphLaunch",
        "fakecuda's own answer, not a driver's: graphs that launch each other keep a device busy for ever",
    ),
    fix="stop launching graphs in the kernel at some point",
)
"""No operation breaks the rule: the stream detects the violation later."""


def taking_turns(executable: Executable) -> None:
    """Check that no unfinished kernel launch of the graph blocks a host launch of it.

    Raises:
        FakeCudaError: One has.
    """
    if executable.waits:
        msg = (
            f"the host launches {executable} while a kernel's launch of it has not run yet, so a device would wait "
            "forever: synchronize between these two launches"
        )
        raise FakeCudaError(msg)


def begin_run(call: Call, stream: Stream, executable: Executable, branches: Branches | None) -> GraphRun:
    """Return a new run of an executable graph in a stream. For device launch, the device knows the run."""
    if executable.flags & DEVICE:
        graph_launches.place(executable)
        graph_run.begin(executable)
    return GraphRun(executable, partial(_do, call, stream), executable.conditions(), branches=branches)


def end_run(call: Call, stream: Stream, run: GraphRun) -> None:
    """End a run in its stream, then run its tail launches."""
    executable = run.executable
    assert executable is not None
    if executable.flags & DEVICE:
        stream_scheduler.submit(stream, partial(graph_run.end, executable))
    if run.behind or ((call.machine.scheduler.pending or call.machine.scheduler.manual) and _any(call)):
        stream_scheduler.submit(stream, partial(_behind, call, stream, run))


def _any(call: Call) -> bool:
    """Return whether a process has graphs that devices can launch."""
    graphs = call.process.graphs.values()
    return any(isinstance(one, Executable) and one.flags & DEVICE for one in graphs)


def _do(call: Call, stream: Stream, executable: Executable, around: GraphRun) -> None:
    """Run a graph that a kernel launched as part of a run, and its tail launches."""
    _behind(call, stream, _run(call, stream, executable, around))


def _behind(call: Call, stream: Stream, run: GraphRun) -> None:
    """Run the tail launches of a run; tail launches of these come before the next one."""
    runs: tuple[GraphRun, ...] = (run,)
    count = 0
    while runs:
        if not runs[-1].behind:
            runs = runs[:-1]
        elif stream.context.lost:
            for one in runs:
                one.forget()
        elif count == MOST:
            note(call, LAUNCHES_END, {"executable": run.executable, "count": count})
            stream_scheduler.fail(call.process, Result.LAUNCH_FAILED)
        else:
            count += 1
            runs = *runs, _run(call, stream, runs[-1].next(), run.around)


def _run(call: Call, stream: Stream, executable: Executable, around: GraphRun | None) -> GraphRun:
    """Run a graph that a kernel has launched, and return the run."""
    run = GraphRun(executable, partial(_do, call, stream), around=around)
    assert executable.placed is not None
    graph_run.begin(executable)
    do_all(call, stream, executable.placed.chosen(), run)
    graph_run.end(executable)
    return run
