"""Memory of graphs: who gives it back, and what is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from fakecuda import Process

    Calls: TypeAlias = Any

SIZE = 4096
ADDED = ["  by a graph node that was added"]


def launched(process: Process) -> tuple[Calls, int, int]:
    """Return a process's calls, memory that a graph has allocated in a launch, and the executable graph."""
    c: Calls = process.c
    c.cuInit(0)
    c.cuCtxCreate(None, 0, 0)
    stream = c.cuStreamCreate(1)[1]
    c.cuStreamBeginCapture(stream, 2)
    memory = c.cuMemAllocAsync(SIZE, stream)[1]
    executable = c.cuGraphInstantiate(c.cuStreamEndCapture(stream)[1], 0)[1]
    assert c.cuGraphLaunch(executable, 0) == c.cuCtxSynchronize() == (0,)
    return c, memory, executable


@pytest.fixture
def process() -> Iterator[Process]:
    """Return a process of a machine that is installed, and whole when the test ends."""
    with fakecuda.simulate("h200", strict=False) as machine:
        yield machine.spawn()
        machine.check_invariants()


def test_a_process_that_ends_gives_the_memory_of_its_graphs_back(process: Process) -> None:
    """Though it is allocated."""
    launched(process)
    process.exit()
    assert process.machine.devices[0].memory.used == 0


def test_memory_of_a_graph_is_named_in_why(process: Process) -> None:
    """With its graph."""
    c, memory, executable = launched(process)
    assert c.cuGraphLaunch(executable, 0) == (Result.INVALID_VALUE,)
    assert f"memory {memory:#x}+0x1000 of graph" in fakecuda.why()


def test_memory_of_a_graph_names_the_nodes_and_the_launches(process: Process) -> None:
    """Where it was allocated and freed, and as a leak."""
    c, memory, _ = launched(process)
    (leak,) = (one for one in fakecuda.leaks() if one.kind == "allocation")
    assert "graph memory on device 0, by a graph node that was added at" in leak.text

    def rows() -> list[str]:
        return [line.partition(" at ")[0] for line in leak.item.history() if "  from " not in line]

    assert rows() == ["allocated", *ADDED]
    assert c.cuMemFree(memory) == (0,)
    assert rows() == ["allocated", *ADDED, "freed"]
