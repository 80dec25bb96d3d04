"""Memory of graphs: where it lies, when it comes and goes, and what keeps it."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    Calls: TypeAlias = Any

SIZE = 4096
BLOCK = 32 << 20
ADDED = ["  by a graph node that was added"]
USED, USED_HIGH, RESERVED, RESERVED_HIGH = range(4)


@pytest.fixture(name="machine")
def machine_of_two_cards() -> Iterator[fakecuda.Machine]:
    """Two cards, and what is left is looked at."""
    with fakecuda.Machine("h200-x2", strict=False) as machine:
        yield machine
        machine.check_invariants()


@pytest.fixture(name="c")
def c_of_a_process(machine: fakecuda.Machine) -> Calls:
    """The calls of a process with a context."""
    c: Calls = machine.spawn("p").c
    assert c.cuInit(0) == (0,)
    assert c.cuCtxCreate(None, 0, 0)[0] == 0
    return c


def _captured(c: Calls) -> int:
    stream: int = c.cuStreamCreate(1)[1]
    assert c.cuStreamBeginCapture(stream, 2) == (0,)
    return stream


def _executable(c: Calls, stream: int, flags: int = 0) -> int:
    """Return what is made of what a stream was given."""
    code, graph = c.cuStreamEndCapture(stream)
    assert code == 0
    code, made = c.cuGraphInstantiate(graph, flags)
    assert code == 0
    return int(made)


def _launch(c: Calls, executable: int) -> None:
    assert c.cuGraphLaunch(executable, 0) == (0,)
    assert c.cuCtxSynchronize() == (0,)


def _kept(c: Calls) -> list[int]:
    return [c.cuDeviceGetGraphMemAttribute(0, attribute)[1] for attribute in range(4)]


def test_memory_that_is_freed_makes_room_within_its_graph(c: Calls) -> None:
    """What is there at once lies apart; what comes later lies where something was."""
    stream = _captured(c)
    first, second = (c.cuMemAllocAsync(20 << 20, stream)[1] for _ in range(2))
    assert c.cuMemFreeAsync(first, stream) == (0,)
    third, fourth = (c.cuMemAllocAsync(8 << 20, stream)[1] for _ in range(2))
    for memory, value in ((second, 2), (third, 3), (fourth, 4)):
        assert c.cuMemsetD8Async(memory, value, 8 << 20, stream) == (0,)
    _launch(c, _executable(c, stream))
    content = bytearray(8 << 20)
    for memory, value in ((second, 2), (third, 3), (fourth, 4)):
        assert c.cuMemcpyDtoH(content, memory, 8 << 20) == (0,)
        assert set(content) == {value}
    assert _kept(c) == [2 * BLOCK] * 4


def test_a_block_goes_on_to_the_next_executable_graph(c: Calls) -> None:
    """As soon as nothing lies in it: to another one that is there, too, and back once that has freed it."""
    stream = _captured(c)
    memory = c.cuMemAllocAsync(SIZE, stream)[1]
    assert c.cuMemFreeAsync(memory, stream) == (0,)
    first = _executable(c, stream)
    _launch(c, first)
    free = c.cuMemGetInfo()[1]
    stream = _captured(c)
    other = c.cuMemAllocAsync(SIZE, stream)[1]
    second = _executable(c, stream)
    _launch(c, second)
    assert c.cuMemGetInfo()[1] == free
    _launch(c, first)
    assert c.cuMemGetInfo()[1] == free - BLOCK
    assert c.cuGraphExecDestroy(first) == (0,)
    assert c.cuDeviceGraphMemTrim(0) == (0,)
    assert c.cuMemGetInfo()[1] == free
    assert c.cuMemFree(other) == (0,)
    assert c.cuGraphExecDestroy(second) == (0,)
    stream = _captured(c)
    c.cuMemAllocAsync(SIZE, stream)
    _launch(c, _executable(c, stream))
    assert c.cuMemGetInfo()[1] == free
    assert _kept(c) == [BLOCK, 2 * BLOCK, BLOCK, 2 * BLOCK]
    assert c.cuDeviceSetGraphMemAttribute(0, USED_HIGH, 0) == (0,)
    assert _kept(c) == [BLOCK, BLOCK, BLOCK, 2 * BLOCK]
    assert c.cuDeviceSetGraphMemAttribute(0, RESERVED_HIGH, 0) == (0,)
    assert _kept(c) == [BLOCK] * 4


def test_a_launch_takes_memory_again_that_was_trimmed(c: Calls) -> None:
    """Its addresses stay."""
    stream = _captured(c)
    memory = c.cuMemAllocAsync(SIZE, stream)[1]
    executable = _executable(c, stream)
    for _ in range(2):
        _launch(c, executable)
        assert c.cuMemGetAddressRange(memory) == (0, memory, SIZE)
        assert c.cuMemFree(memory) == (0,)
        assert c.cuDeviceGraphMemTrim(0) == (0,)
        assert _kept(c)[RESERVED] == 0
    assert c.cuMemFree(memory) == (Result.INVALID_VALUE,)


def test_work_under_way_keeps_the_block(c: Calls) -> None:
    """It is not given back before a free that a stream has not come to, and a launch elsewhere waits for that."""
    stream = _captured(c)
    memory = c.cuMemAllocAsync(SIZE, stream)[1]
    executable = _executable(c, stream)
    _launch(c, executable)
    blocked, gate = c.cuStreamCreate(1)[1], c.cuMemAlloc(SIZE)[1]
    assert c.cuMemsetD8(gate, 0, 8) == (0,)
    assert c.cuStreamWaitValue32(blocked, gate, 1, 1) == (0,)
    assert c.cuMemFreeAsync(memory, blocked) == (0,)
    assert c.cuDeviceGraphMemTrim(0) == (0,)
    assert _kept(c)[RESERVED] == BLOCK
    other = c.cuStreamCreate(1)[1]
    assert c.cuGraphLaunch(executable, other) == (0,)
    assert c.cuStreamQuery(other) == (Result.NOT_READY,)
    assert c.cuStreamWriteValue32(0, gate, 1, 0) == (0,)
    assert c.cuStreamSynchronize(other) == (0,)


def test_a_launch_that_has_too_little_memory_changes_nothing(c: Calls) -> None:
    """That of one device sufficed."""
    code, pool = c.cuMemPoolCreate((1, 0, (1, 1), 0, 0, 0, 0))
    assert code == 0
    stream = _captured(c)
    half = c.cuDeviceTotalMem(1)[1] // 2
    for size, args in ((SIZE, ()), *[(half, (pool,))] * 3):
        name = "cuMemAllocFromPoolAsync" if args else "cuMemAllocAsync"
        assert getattr(c, name)(size, *args, stream)[0] == 0
    executable = _executable(c, stream)
    assert c.cuGraphLaunch(executable, 0) == (Result.OUT_OF_MEMORY,)
    assert _kept(c) == [0] * 4


def test_a_graph_that_frees_automatically(c: Calls) -> None:
    """Each launch frees what the last one has left."""
    stream = _captured(c)
    memory = c.cuMemAllocAsync(SIZE, stream)[1]
    executable = _executable(c, stream, 1)
    assert c.cuGraphExecGetFlags(executable) == (0, 1)
    for _ in range(3):
        _launch(c, executable)
    assert _kept(c) == [BLOCK] * 4
    assert c.cuMemFree(memory) == (0,)
    assert c.cuMemFree(memory) == (Result.INVALID_VALUE,)


def test_addresses_may_be_used_up(c: Calls) -> None:
    """No node is added then."""
    stream = _captured(c)
    assert c.cuMemAllocAsync(1 << 60, stream)[0] == Result.OUT_OF_MEMORY
    assert c.cuStreamIsCapturing(stream) == (0, 1)


def test_a_process_that_ends_gives_the_memory_of_its_graphs_back(machine: fakecuda.Machine) -> None:
    """Though it is allocated."""
    process = machine.spawn()
    c: Calls = process.c
    c.cuInit(0)
    c.cuCtxCreate(None, 0, 0)
    stream = _captured(c)
    c.cuMemAllocAsync(SIZE, stream)
    _launch(c, _executable(c, stream))
    process.exit()
    other: Calls = machine.spawn().c
    other.cuInit(0)
    other.cuCtxCreate(None, 0, 0)
    assert other.cuDeviceGetGraphMemAttribute(0, RESERVED) == (0, 0)


@pytest.fixture
def launched() -> Iterator[tuple[Calls, int, int]]:
    """The calls of a process, memory that a graph has allocated in a launch, and the executable graph."""
    with fakecuda.simulate("h200", strict=False) as machine:
        c: Calls = machine.spawn().c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        stream = _captured(c)
        memory = c.cuMemAllocAsync(SIZE, stream)[1]
        executable = _executable(c, stream)
        _launch(c, executable)
        yield c, memory, executable


def test_memory_of_a_graph_is_named_in_why(launched: tuple[Calls, int, int]) -> None:
    """With its graph."""
    c, memory, executable = launched
    assert c.cuGraphLaunch(executable, 0) == (Result.INVALID_VALUE,)
    assert f"memory {memory:#x}+0x1000 of graph" in fakecuda.why()


def test_memory_of_a_graph_names_the_nodes_and_the_launches(launched: tuple[Calls, int, int]) -> None:
    """Where it was allocated and freed, and as a leak."""
    c, memory, _ = launched
    (leak,) = (one for one in fakecuda.leaks() if one.kind == "allocation")
    assert "graph memory on device 0, by a graph node that was added at" in leak.text

    def rows() -> list[str]:
        return [line.partition(" at ")[0] for line in leak.item.history() if "  from " not in line]

    assert rows() == ["allocated", *ADDED]
    assert c.cuMemFree(memory) == (0,)
    assert rows() == ["allocated", *ADDED, "freed"]


def test_memory_of_a_node_that_another_device_can_access(c: Calls) -> None:
    """It is told who can, in memory of the node's own."""
    rows = (ctypes.c_int32 * 6)(1, 1, 3, 1, 0, 3)
    props = (1, 0, (1, 0), 0, 0, 0, 0)
    graph = c.cuGraphCreate(0)[1]
    code, node, told = c.cuGraphAddMemAllocNode(graph, None, 0, (props, ctypes.addressof(rows), 2, SIZE, 0))
    assert code == 0
    memory = told[-1]
    assert told == (props, ctypes.addressof(rows), 2, SIZE, memory)
    code, (_, place, *rest) = c.cuGraphMemAllocNodeGetParams(node)
    assert (code, rest) == (0, [1, SIZE, memory])
    assert list((ctypes.c_int32 * 3).from_address(place)) == [1, 1, 3]
    assert c.cuGraphMemAllocNodeGetParams(node)[1][1] == place
    executable = c.cuGraphInstantiate(graph, 0)[1]
    _launch(c, executable)
    assert c.cuCtxCreate(None, 0, 1)[0] == 0
    assert c.cuMemsetD8(memory, 7, 16) == (0,)
    rows[2] = 1
    refused = c.cuGraphAddMemAllocNode(graph, None, 0, (props, ctypes.addressof(rows), 2, SIZE, 0))
    assert refused[0] == Result.INVALID_VALUE


def test_memory_of_a_node_that_no_other_device_can_access(c: Calls) -> None:
    """Nor does a memset there."""
    stream = _captured(c)
    memory = c.cuMemAllocAsync(SIZE, stream)[1]
    _launch(c, _executable(c, stream))
    assert c.cuCtxCreate(None, 0, 1)[0] == 0
    assert c.cuMemsetD8(memory, 7, 16) == (Result.INVALID_VALUE,)


def test_a_capture_takes_over_who_can_access_a_pool(c: Calls) -> None:
    """From the pool that it allocates from."""
    pool = c.cuDeviceGetDefaultMemPool(0)[1]
    assert c.cuMemPoolSetAccess(pool, (((1, 1), 3),), 1) == (0,)
    stream = _captured(c)
    memory = c.cuMemAllocAsync(SIZE, stream)[1]
    graph = c.cuStreamEndCapture(stream)[1]
    (node,) = c.cuGraphGetNodes(graph, 1)[1]
    assert c.cuGraphMemAllocNodeGetParams(node)[1][2:] == (1, SIZE, memory)
    _launch(c, c.cuGraphInstantiate(graph, 0)[1])
    assert c.cuCtxCreate(None, 0, 1)[0] == 0
    assert c.cuMemsetD8(memory, 7, 16) == (0,)
