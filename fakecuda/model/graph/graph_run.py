"""A run of an executable graph as its kernels know it: the conditions that they set, and the graphs that they launch.

A kernel launches graphs that were made for that (``CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH``): at once, beside the rest of its
own graph, or behind that. A graph that is launched at once is done here when the kernel has ended: of the orders that a device may
choose this is one. One that is launched behind a graph comes before what was launched behind that earlier by others.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.errors import KernelError
from fakecuda.model.code import kernels
from fakecuda.model.effect import effect
from fakecuda.model.graph.conditional import NO_CONDITIONS
from fakecuda.model.graph.graph import DEVICE, KERNEL, MEMCPY, Executable
from fakecuda.model.os.system import OWN

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.code.kernels import Run
    from fakecuda.model.graph.conditional import Conditions


class GraphLaunch(IntEnum):
    """How a kernel launches a graph: what ``cudaGraphLaunch`` takes for a stream on a device."""

    TAIL = 1 << 56
    FIRE_AND_FORGET = 2 << 56
    SIBLING = 3 << 56


MOST_BEHIND, MOST_BESIDE = 255, 120
"""Graphs that may be launched behind a run, and at once as part of one."""
SUCCESS, INVALID_VALUE = 0, 1
"""cudaError_t, as kernels get it."""


@define(eq=False)
class GraphRun:
    """A run of an executable graph.

    Attributes:
        executable: The graph; None for what a stream's own launches are part of.
        do: Does what a graph is for that was launched at once, as part of a run.
        conditions: Those of the graph, by their handles.
        around: The run that it is part of.
        behind: The graphs that its kernels have launched behind it, in order.
        beside: How many were launched at once as part of it.
    """

    executable: Executable | None
    do: Callable[[Executable, GraphRun], None]
    conditions: Conditions = NO_CONDITIONS
    around: GraphRun | None = None
    behind: list[Executable] = field(factory=list)
    beside: int = 0

    def whole(self, stream: int) -> GraphRun:
        """Return the run that a graph is part of which a kernel of this one launches at once."""
        if stream == GraphLaunch.FIRE_AND_FORGET:
            return self
        if self.around is None:
            self.around = GraphRun(None, self.do)
        return self.around

    def takes(self, executable: Executable, stream: int, run: Run) -> bool:
        """Return whether a kernel of this run can launch a graph, with what it has launched by now."""
        if executable.placed is None or executable.context is not run.context:
            return False
        if executable.waits or any(one is executable for one, _ in run.launched):
            return False
        asked = sum(how == stream for _, how in run.launched)
        if stream == GraphLaunch.TAIL:
            return (not executable.runs or executable is self.executable) and len(self.behind) + asked < MOST_BEHIND
        if stream not in {GraphLaunch.FIRE_AND_FORGET, GraphLaunch.SIBLING} or executable.runs:
            return False
        return self.whole(stream).beside + asked < MOST_BESIDE

    def launch(self, run: Run) -> None:
        """Launch what a kernel of this run has launched, which has ended."""
        for executable, stream in run.launched:
            if stream == GraphLaunch.TAIL:
                self.behind.append(executable)
                executable.waits = True
            else:
                whole = self.whole(stream)
                whole.beside += 1
                self.do(executable, whole)

    @effect()
    def next(self) -> Executable:
        """Return the graph that comes next behind the run, which does no longer."""
        return self.behind.pop(0)

    def forget(self) -> None:
        """Launch nothing behind it any more."""
        for executable in self.behind:
            executable.waits = False
        self.behind.clear()


@effect()
def begin(executable: Executable) -> None:
    """Note that a run of a graph for devices begins: what it does others may launch until it is changed and uploaded again."""
    executable.waits = False
    executable.runs += 1


@effect()
def end(executable: Executable) -> None:
    """Note that a run of a graph for devices has ended."""
    executable.runs -= 1


def launch_graph(graph: int, stream: int = GraphLaunch.TAIL) -> int:
    """Launch a graph, as ``cudaGraphLaunch`` does in a kernel: called in the function of a kernel.

    Args:
        graph: The CUgraphExec, made for launches by devices and uploaded, which the kernel is given as an argument.
        stream: How: behind the kernel's own graph, at once, or at once beside it; a :class:`GraphLaunch`.

    Returns:
        cudaError_t: 0, or 1 (``cudaErrorInvalidValue``) where the graph is null, not uploaded, of another context, launched and not
        yet done, or one too many.

    Raises:
        KernelNotDefined: Nobody has said what a kernel of the graph does.
        KernelError: No kernel of a graph runs in this thread, or its own graph has conditional nodes: devices wait for ever there.
    """
    run = kernels.running("launch_graph")
    own = run.graph
    if own is None:
        msg = (
            "launch_graph is called by a kernel that was launched by itself: cuLaunchKernel answers NOT_SUPPORTED to one that "
            "launches graphs; make it a node of a graph"
        )
        raise KernelError(msg)
    if own.conditions:
        msg = (
            f"a kernel of {own.executable} launches a graph, and that has conditional nodes: a device waits for ever there; "
            "launch graphs from one that has none"
        )
        raise KernelError(msg)
    if not graph:
        return INVALID_VALUE
    executable = run.context.process.graphs.get(graph)
    if not isinstance(executable, Executable) or not executable.flags & DEVICE:
        raise kernels.Stray(graph)
    if not own.takes(executable, stream, run):
        return INVALID_VALUE
    assert executable.placed is not None
    for step in executable.placed.every():
        if step.kind == KERNEL and step.enabled:
            kernels.meaning_of(step.params.function.entry)
        elif step.kind == MEMCPY and run.context.process.system is not OWN:
            msg = f"{executable} has copies: that kernels launch such is not modelled for other OS processes"
            raise KernelError(msg)
    run.launched.append((executable, stream))
    return SUCCESS


def current_graph() -> int:
    """Return the graph that a kernel is of, as ``cudaGetCurrentGraphExec`` does: called in the function of a kernel.

    Returns:
        The CUgraphExec; 0 where that is not made for launches by devices, or the kernel was launched by itself.

    Raises:
        KernelError: No kernel runs in this thread.
    """
    own = kernels.running("current_graph").graph
    executable = None if own is None else own.executable
    return executable.handle if executable is not None and executable.flags & DEVICE else 0
