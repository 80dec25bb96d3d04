"""Runs of executable graphs, with the effects of their kernels.

A kernel can launch graphs that were made for that (``CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH``). It launches them at
once, beside the rest of its own graph, or behind its own graph (a tail launch). A graph that is launched at once runs
here when the kernel has ended. A device may choose this order or another. A graph launched behind a tail-launched graph
runs before the remaining tail launches of earlier graphs.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.errors import KernelError
from fakecuda.model.code import kernels
from fakecuda.model.code.kernel_run import Stray
from fakecuda.model.effect import effect
from fakecuda.model.graph.conditional import NO_CONDITIONS
from fakecuda.model.graph.executables import DEVICE, Executable
from fakecuda.model.graph.graph import KERNEL, MEMCPY
from fakecuda.model.os.system import OWN

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.code.kernel_run import Run
    from fakecuda.model.graph.branches import Branches
    from fakecuda.model.graph.conditional import Conditions


class GraphLaunch(IntEnum):
    """How a kernel launches a graph: a stream of ``cudaGraphLaunch`` on a device."""

    TAIL = 1 << 56
    FIRE_AND_FORGET = 2 << 56
    SIBLING = 3 << 56


MOST_BEHIND, MOST_BESIDE = 255, 120
"""The maximum launches behind a run, and at once in a run."""
SUCCESS, INVALID_VALUE = 0, 1
"""Values of cudaError_t for kernels."""


@define(eq=False)
class GraphRun:
    """A run of an executable graph.

    Attributes:
        executable: The graph. None for the run that a stream's own launches are part of.
        do: Runs a graph that was launched at once, as part of a run.
        conditions: The graph's conditions by handle.
        around: The run that this one is part of.
        behind: The graphs that its kernels have launched behind it, in order.
        beside: How many graphs were launched at once as part of it.
        branches: The memory that its nodes have used. None if no races are searched, or its edges order all nodes.
    """

    executable: Executable | None
    do: Callable[[Executable, GraphRun], None]
    conditions: Conditions = NO_CONDITIONS
    around: GraphRun | None = None
    behind: list[Executable] = field(factory=list)
    beside: int = 0
    branches: Branches | None = None

    def whole(self, stream: int) -> GraphRun:
        """Return the run of a graph that a kernel launches as part of this run."""
        if stream == GraphLaunch.FIRE_AND_FORGET:
            return self
        if self.around is None:
            self.around = GraphRun(None, self.do)
        return self.around

    def takes(self, executable: Executable, stream: int, run: Run) -> bool:
        """Return whether a kernel of the run can launch one more graph."""
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
        """Launch the graphs that an ended kernel of the run has requested."""
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
        """Remove and return the next graph launched behind the run."""
        return self.behind.pop(0)

    def forget(self) -> None:
        """Drop the graphs that were launched behind the run."""
        for executable in self.behind:
            executable.waits = False
        self.behind.clear()


@effect()
def begin(executable: Executable) -> None:
    """Record that a run of a device-launchable graph begins.

    Others may then launch the same steps until the graph is changed and uploaded again.
    """
    executable.waits = False
    executable.runs += 1


@effect()
def end(executable: Executable) -> None:
    """Record that a run of a device-launchable graph has ended."""
    executable.runs -= 1


def launch_graph(graph: int, stream: int = GraphLaunch.TAIL) -> int:
    """Launch a graph from a kernel, as ``cudaGraphLaunch`` does.

    Call this in a kernel's function.

    Args:
        graph: The CUgraphExec, which the kernel gets as an argument. It must be device-launchable and uploaded.
        stream: How to launch it, as :class:`GraphLaunch`: behind the kernel's own graph, at once, or at once beside it.

    Returns:
        cudaError_t: 0, or 1 (``cudaErrorInvalidValue``) if the graph cannot be launched. Then it is null, not uploaded,
            of
        another context, still running, or one graph too many.

    Raises:
        KernelNotDefined: A kernel of the graph has no Python function.
        KernelError: This thread runs no kernel of a graph, or the kernel's own graph has conditional nodes. On a
            device it would wait forever.
    """
    run = kernels.running("launch_graph")
    own = run.graph
    if own is None:
        msg = (
            "a kernel that cuLaunchKernel launched called launch_graph(), but only a kernel node of a graph can "
            "launch graphs: add the kernel to a graph as a node"
        )
        raise KernelError(msg)
    if own.conditions:
        msg = (
            f"a kernel of {own.executable} called launch_graph(), but this graph has conditional nodes, and a device "
            "would wait forever: call it in a kernel of a graph without conditional nodes"
        )
        raise KernelError(msg)
    if not graph:
        return INVALID_VALUE
    executable = run.context.process.graphs.get(graph)
    if not isinstance(executable, Executable) or not executable.flags & DEVICE:
        raise Stray(graph)
    if not own.takes(executable, stream, run):
        return INVALID_VALUE
    assert executable.placed is not None
    for step in executable.placed.every():
        if step.kind == KERNEL and step.enabled:
            kernels.require_meaning(step.params.function)
        elif step.kind == MEMCPY and run.context.process.system is not OWN:
            msg = (
                f"launch_graph() got {executable}, which has memcpy nodes. For an OS process that has attached to "
                "another process's machine, this is not modelled: launch the graph in the OS process that made the "
                "machine"
            )
            raise KernelError(msg)
    run.launched.append((executable, stream))
    return SUCCESS


def current_graph() -> int:
    """Return the graph of the running kernel, as ``cudaGetCurrentGraphExec`` does.

    Call this in a kernel's function.

    Returns:
        The CUgraphExec; 0 if the graph is not device-launchable, or if the kernel was launched outside a graph.

    Raises:
        KernelError: This thread runs no kernel.
    """
    own = kernels.running("current_graph").graph
    executable = None if own is None else own.executable
    return executable.handle if executable is not None and executable.flags & DEVICE else 0
