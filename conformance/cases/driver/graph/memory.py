"""Graphs that allocate and free memory, for cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.graph.fixtures import ROOM, graph
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, stream

if TYPE_CHECKING:
    from conformance.kit.world import Process

RELAXED = 2
BLOCK = 32 << 20
"""The granularity of a device's graph memory in bytes."""


def allocating(
    a: Process, *, frees: bool = False, value: int | None = None, size: int = ROOM, count: int = 1
) -> tuple[int, int]:
    """Return a new graph that allocates memory, and the first address.

    Args:
        a: The process.
        frees: Whether it frees it, too.
        value: What it fills 16 bytes with meanwhile; None for no memset.
        size: Bytes.
        count: How often it allocates so many.
    """
    captured = stream(a, NON_BLOCKING)
    a.ok.cuStreamBeginCapture(captured, RELAXED)
    memory, *_ = (a.ok.cuMemAllocAsync(size, captured) for _ in range(count))
    if value is not None:
        a.ok.cuMemsetD8Async(memory, value, 16, captured)
    if frees:
        a.ok.cuMemFreeAsync(memory, captured)
    made: int = a.ok.cuStreamEndCapture(captured)
    return made, int(memory)


def freeing(a: Process, memory: int) -> int:
    """Return a new node of a new graph that frees memory."""
    made: int = a.ok.cuGraphAddMemFreeNode(graph(a), None, 0, memory)
    return made


def launched(a: Process, of: int, flags: int = 0) -> int:
    """Return a new executable graph with flags after a finished launch."""
    made: int = a.ok.cuGraphInstantiate(of, flags)
    a.ok.cuGraphLaunch(made, 0)
    a.ok.cuStreamSynchronize(0)
    return made


def freed_elsewhere(a: Process) -> int:
    """Return memory that a graph allocates and another graph frees."""
    memory = allocating(a)[1]
    freeing(a, memory)
    return memory
