"""Effects that launch kernels in streams, or have streams skip them."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from attrs import define

from fakecuda.model import history
from fakecuda.model.code import kernels, skipping
from fakecuda.model.effect import effect
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.stream import NOTHING
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.code.kernel_run import Run, SharedRace
    from fakecuda.model.code.kernels import Config
    from fakecuda.model.code.module import Function
    from fakecuda.model.graph.graph_run import GraphRun
    from fakecuda.model.history import Stack
    from fakecuda.model.memory.unknown import Unknown
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.stream import Stream


@define(eq=False)
class FailedKernel(history.Lifetime):
    """A failed launch that made its process's contexts fail, for reports.

    Attributes:
        name: The kernel.
        text: What a kernel from PTX says of the fault. Empty for a Python function.
    """

    words = ("launched", "")
    name: str
    text: str

    def __str__(self) -> str:
        return next(iter(self.text.splitlines()), f"kernel {self.name}, which used an address that it may not use")

    def history(self) -> list[str]:
        """Return where the kernel was launched, and the other lines of its text."""
        return [*history.Lifetime.history(self), *(line.removeprefix("  ") for line in self.text.splitlines()[1:])]


@effect()
def launch(
    function: Function,
    config: Config,
    args: tuple[bytes, ...],
    stream: Stream,
    run: Run | None,
    report: Callable[[Exception | Unknown | SharedRace], None],
    events: tuple[Event, ...] = (),
    graph: GraphRun | None = None,
) -> None:
    """Submit a kernel with a Python function to a stream.

    Args:
        function: The kernel.
        config: How it is launched.
        args: The bytes of each parameter.
        stream: The stream.
        run: The run, if the kernel's function has run already. None if it runs when the stream executes the launch.
        report: Called with the exception if the kernel's function raises one at that time, with unknown bytes that it
            reads then, or with a race in shared memory.
        events: Events to record after the kernel.
        graph: The graph run that the launch is part of. None for a launch by itself.
    """
    stack = history.here() if run is None or run.fault is not None else history.NOWHERE
    name = function.entry.name
    act = (
        partial(run_now, function, config, args, report, graph, stack)
        if run is None
        else partial(_end, run, name, stack)
    )
    stream_scheduler.send(stream, act, None, NOTHING)
    for event in events:
        event.record(stream)


def run_now(
    function: Function,
    config: Config,
    args: tuple[bytes, ...],
    report: Callable[[Exception | Unknown | SharedRace], None],
    graph: GraphRun | None,
    stack: Stack = history.NOWHERE,
) -> None:
    """Run a kernel when its stream executes the launch.

    If the function raises, the contexts of the process fail.
    """
    context = function.module.context
    try:
        made = kernels.run(function, config, args, graph)
    except Exception as error:  # noqa: BLE001 - a function of the test
        report(error)
        stream_scheduler.fail(context.process, Result.LAUNCH_FAILED)
        return
    for found in (made.unknown, made.race):
        if found is not None:
            report(found)
    _end(made, function.entry.name, stack)


@effect()
def skip(
    function: Function,
    args: tuple[bytes, ...],
    stream: Stream,
    stack: Stack,
    events: tuple[Event, ...] = (),
    graph: GraphRun | None = None,
) -> None:
    """Have a stream skip the launch of a kernel without a Python function.

    Args:
        function: The kernel.
        args: The bytes of each parameter.
        stream: The stream.
        stack: The stack that launches it.
        events: Events to record after the kernel.
        graph: The graph run that the launch is part of. None for a launch by itself.
    """
    launch = skipping.begin(function, stream, stack)
    stream_scheduler.send(stream, partial(skipping.skip, launch, function, args, graph), None, NOTHING)
    for event in events:
        event.record(stream)


def _end(run: Run, name: str, stack: Stack) -> None:
    """Write a kernel's results, and print the kernel's output.

    A kernel with a fault, such as an illegal address, fails the process's contexts.
    """
    process = run.context.process
    if run.printed:
        process.system.write("".join(run.printed))
    if run.fault is None:
        run.commit()
        process.machine.clock.launched()
        if run.graph is not None and run.launched:
            run.graph.launch(run)
    else:
        sys.stderr.write(run.text)
        stream_scheduler.fail(process, run.fault, FailedKernel(name, run.text, created=stack))
