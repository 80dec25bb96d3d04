"""cuGraphLaunch: launch an executable graph in a stream.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.graph.conditionals import (
    IF,
    SWITCH,
    WHILE,
    condition,
    conditional,
    following,
    taken_over,
)
from conformance.cases.driver.graph.fixtures import (
    ROOM,
    copy,
    executable,
    graph,
    launch,
    node,
    of_memset,
    refuse_executable,
)
from conformance.cases.driver.graph.making_executable import AUTO_FREE, ENDING, OF_EVENTS, RELAXED, outliving
from conformance.cases.driver.graph.memory import BLOCK, allocating
from conformance.cases.driver.graph.memory import launched as launched_of
from conformance.cases.driver.graph.test_executable import of_the_stream
from conformance.cases.driver.graph.test_memory import allocation
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.cases.driver.module.fixtures import module
from conformance.cases.driver.pool.fixtures import pool
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream
from conformance.cases.driver.stream.fixtures import refuse as refuse_stream
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from conformance.kit.world import DEVICE, access
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def launching(w: World) -> Invocation:
    a = w.process()
    return a.call("cuGraphLaunch", hGraphExec=executable(a), hStream=0)


launches = Entry("cuGraphLaunch", launching)
refuse_executable(launches, "hGraphExec")
refuse_stream(launches)
launches.also("no context beside the stream's")(of_the_stream)


@launches.also("in the order of its edges")
def ordered(_w: World, i: Invocation) -> None:
    a = i.process
    of, first, second = graph(a), filled(a, 0, ROOM), filled(a, 0, ROOM)
    sets = of_memset(a, first, of=of)
    copies = a.ok.cuGraphAddMemcpyNode(of, (sets,), 1, copy(second, first), 0)
    inner = graph(a)
    of_memset(a, first, 9, inner)
    a.ok.cuGraphAddChildGraphNode(of, (copies,), 1, inner)
    a.ok.cuGraphLaunch(executable(a, of), 0)
    a.ok.cuStreamSynchronize(0)
    assert content(a, second, 20) == bytes([7] * 16 + [0] * 4)
    assert content(a, first, 20) == bytes([9] * 16 + [0] * 4)


@launches.also("behind what the stream waits for")
def behind(w: World, i: Invocation) -> None:
    a, working, place = i.process, stream(i.process, NON_BLOCKING), filled(i.process, 0, ROOM)
    of = graph(a)
    of_memset(a, place, of=of)
    made = executable(a, of)
    unblock = block(w, a, working)
    a.ok.cuGraphLaunch(made, working)
    assert a.c.cuStreamQuery(working) == (Result.NOT_READY,)
    unblock()
    a.ok.cuStreamSynchronize(working)
    assert content(a, place) == bytes([7] * 4)


@launches.undefined("MEMORY_IS_THERE", "a memset", "hGraphExec", code=Result.SUCCESS)
def gone(_w: World, i: Invocation) -> Invocation:
    a, place = i.process, filled(i.process, 0, ROOM)
    of = graph(a)
    of_memset(a, place, of=of)
    made = executable(a, of)
    a.ok.cuMemFree(place)
    return i.evolve(hGraphExec=made)


@launches.undefined("MEMORY_IS_THERE", "a copy", "hGraphExec", code=Result.SUCCESS)
def source_gone(_w: World, i: Invocation) -> Invocation:
    a, source = i.process, filled(i.process, 0, ROOM)
    of = graph(a)
    a.ok.cuGraphAddMemcpyNode(of, None, 0, copy(filled(a, 0, ROOM), source), 0)
    made = executable(a, of)
    a.ok.cuMemFree(source)
    return i.evolve(hGraphExec=made)


@launches.also("of a kernel")
def of_a_kernel(_w: World, i: Invocation) -> Invocation:
    of = graph(i.process)
    of_kernel(i.process, of)
    return i.evolve(hGraphExec=executable(i.process, of))


for label in ("a memset", "a copy", "operations", *OF_EVENTS):

    @launches.undefined("CONTEXTS_OUTLIVE_LAUNCHES", label, "hGraphExec", code=Result.INVALID_VALUE)
    def orphaned(_w: World, i: Invocation, label: str = label) -> Invocation:
        return i.evolve(hGraphExec=outliving(i.process, (ENDING | OF_EVENTS)[label]))


@launches.undefined("CODE_IS_LOADED", "", "hGraphExec", code=Result.INVALID_VALUE)
def code_gone(_w: World, i: Invocation) -> Invocation:
    a, of, code = i.process, graph(i.process), module(i.process)
    a.ok.cuGraphAddKernelNode(of, None, 0, launch(a.ok.cuModuleGetFunction(code, b"empty")))
    made = executable(a, of)
    a.ok.cuModuleUnload(code)
    return i.evolve(hGraphExec=made)


@launches.undefined("FREES_FOLLOW_ALLOCATIONS", "", "hGraphExec", code=Result.INVALID_VALUE)
def freed_first(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    _, told = a.ok.cuGraphAddMemAllocNode(of, (node(a, of),), 1, allocation(a))
    a.ok.cuGraphAddMemFreeNode(of, None, 0, told[-1])
    return i.evolve(hGraphExec=executable(a, of))


@launches.undefined("CONDITIONS_HAVE_VALUES", "", "hGraphExec", code=Result.SUCCESS)
def without_a_value(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    a.ok.cuGraphAddNode(of, None, None, 0, following(a, condition(a, of, 1, 0)))
    return i.evolve(hGraphExec=executable(a, of))


for label, kind, size, default, chosen in (
    ("an if that holds", IF, 1, 5, 0),
    ("an if that does not", IF, 1, 0, None),
    ("an if that has an else and holds", IF, 2, 1, 0),
    ("an if that has an else and does not", IF, 2, 0, 1),
    ("a while that does not hold", WHILE, 1, 0, None),
    ("a switch", SWITCH, 3, 2, 2),
    ("a switch of which nothing is meant", SWITCH, 3, 3, None),
):

    @launches.also(label)
    def choosing(
        _w: World,
        i: Invocation,
        kind: int = kind,
        size: int = size,
        default: int = default,
        chosen: int | None = chosen,
    ) -> Invocation:
        a, of, place = i.process, graph(i.process), filled(i.process, 0, ROOM)
        for number, inner in enumerate(conditional(a, of, kind, size, default)):
            of_memset(a, place + 16 * number, 7, inner)
        made = executable(a, of)
        a.ok.cuGraphLaunch(made, 0)
        a.ok.cuStreamSynchronize(0)
        seen = content(a, place, 16 * size)
        assert seen == b"".join(bytes([7 * (number == chosen)] * 16) for number in range(size))
        return i.evolve(hGraphExec=made)


@launches.also("of a conditional in one that was captured")
def nested_and_captured(_w: World, i: Invocation) -> Invocation:
    a, of, place = i.process, graph(i.process), filled(i.process, 0, ROOM)
    (outer,) = conditional(a, of, default=1)
    (inner,) = conditional(a, outer, default=1)
    begun = stream(a, NON_BLOCKING)
    a.ok.cuStreamBeginCaptureToGraph(begun, inner, None, None, 0, RELAXED)
    a.ok.cuMemsetD8Async(place, 7, 16, begun)
    assert a.ok.cuStreamEndCapture(begun) == inner
    made = executable(a, of)
    a.ok.cuGraphLaunch(made, 0)
    a.ok.cuStreamSynchronize(0)
    assert content(a, place, 16) == bytes([7] * 16)
    return i.evolve(hGraphExec=made)


@launches.also("whose child took a graph over that allocates")
def with_memory_of_a_child(_w: World, i: Invocation) -> Invocation:
    of = taken_over(i.process, allocating(i.process, frees=True, value=7)[0])
    return i.evolve(hGraphExec=launched_of(i.process, of))


@launches.also("twice")
def twice(_w: World, i: Invocation) -> None:
    assert i.run() == (0,)


@launches.also("that frees what it allocates, twice")
def with_memory(_w: World, i: Invocation) -> Invocation:
    return i.evolve(hGraphExec=launched_of(i.process, allocating(i.process, frees=True, value=7)[0]))


@launches.world("MEMORY_WAS_FREED", "", "hGraphExec")
def unfreed(_w: World, i: Invocation) -> Invocation:
    return i.evolve(hGraphExec=launched_of(i.process, allocating(i.process)[0]))


@launches.also("that frees automatically what its last launch has allocated")
def frees_by_itself(_w: World, i: Invocation) -> Invocation:
    a, (of, memory) = i.process, allocating(i.process)
    made = launched_of(a, of, AUTO_FREE)
    used = a.ok.cuDeviceGetGraphMemAttribute(a.device, 0)
    a.ok.cuGraphLaunch(made, 0)
    assert a.ok.cuDeviceGetGraphMemAttribute(a.device, 0) == used
    a.ok.cuMemFree(memory)
    assert a.c.cuMemFree(memory) == (Result.INVALID_VALUE,)
    return i.evolve(hGraphExec=made)


@launches.also("whose memory lies where it freed some, and beside what it has not freed")
def room_within(_w: World, i: Invocation) -> Invocation:
    a, begun = i.process, stream(i.process, NON_BLOCKING)
    a.ok.cuStreamBeginCapture(begun, RELAXED)
    gone, *there = (a.ok.cuMemAllocAsync(20 << 20, begun) for _ in range(2))
    a.ok.cuMemFreeAsync(gone, begun)
    there += [a.ok.cuMemAllocAsync(8 << 20, begun) for _ in range(2)]
    for value, memory in enumerate(there):
        a.ok.cuMemsetD8Async(memory, value, 8 << 20, begun)
    a.ok.cuDeviceGraphMemTrim(a.device)
    before = a.ok.cuDeviceGetGraphMemAttribute(a.device, 2)
    made = launched_of(a, a.ok.cuStreamEndCapture(begun))
    for value, memory in enumerate(there):
        assert content(a, memory + (8 << 20) - 4) == bytes([value] * 4)
        a.ok.cuMemFree(memory)
    assert a.ok.cuDeviceGetGraphMemAttribute(a.device, 2) == before + 2 * BLOCK
    return i.evolve(hGraphExec=made)


for name in ("cuMemFree", "cuMemFreeAsync"):

    @launches.also(f"what {name} has freed")
    def freed_since(_w: World, i: Invocation, call: str = name) -> Invocation:
        a, (of, memory) = i.process, allocating(i.process)
        made = launched_of(a, of)
        getattr(a.ok, call)(memory, *([0] if call == "cuMemFreeAsync" else []))
        return i.evolve(hGraphExec=made)


@launches.also("what it has allocated is there behind it")
def there(_w: World, i: Invocation) -> None:
    a, (of, memory) = i.process, allocating(i.process, value=7)
    launched_of(a, of)
    place = filled(a, 0, ROOM)
    a.ok.cuMemcpyDtoD(place, memory, 16)
    a.ok.cuMemFree(memory)
    assert content(a, place, 20) == bytes([7] * 16 + [0] * 4)


@launches.world("OPERATIONS_HAVE_MEMORY", "", "hGraphExec")
def to_freed_memory(_w: World, i: Invocation) -> Invocation:
    a, begun, place = i.process, stream(i.process, NON_BLOCKING), i.process.ok.cuMemAlloc(64)
    a.ok.cuStreamBeginCapture(begun, RELAXED)
    a.ok.cuStreamWriteValue32(begun, place, 1, 0)
    made = executable(a, a.ok.cuStreamEndCapture(begun))
    a.ok.cuMemFree(place)
    return i.evolve(hGraphExec=made)


@launches.world("MEMORY_IS_ALLOCATED", "", "hGraphExec")
def not_there(_w: World, i: Invocation) -> Invocation:
    a, frees = i.process, graph(i.process)
    a.ok.cuGraphAddMemFreeNode(frees, None, 0, allocating(a)[1])
    return i.evolve(hGraphExec=executable(a, frees))


@launches.world("MEMORY_SUFFICES", "", "hGraphExec")
def too_much(_w: World, i: Invocation) -> Invocation:
    a = i.process
    half = a.ok.cuDeviceTotalMem(a.device) // 2
    return i.evolve(hGraphExec=executable(a, allocating(a, size=half, count=3)[0]))


@launches.world("MEMORY_SUFFICES", "of another device", "hGraphExec")
def too_much_elsewhere(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    a, begun = i.process, stream(i.process, NON_BLOCKING)
    half, there = a.ok.cuDeviceTotalMem(1) // 2, pool(a, location=(DEVICE, 1))
    a.ok.cuStreamBeginCapture(begun, RELAXED)
    a.ok.cuMemAllocAsync(ROOM, begun)
    for _ in range(3):
        a.ok.cuMemAllocFromPoolAsync(half, there, begun)
    return i.evolve(hGraphExec=executable(a, a.ok.cuStreamEndCapture(begun)))


@launches.also("whose memory another device can access as its pool's", code=Result.SUCCESS)
def as_its_pool(w: World, i: Invocation) -> Invocation:
    w.needs_peers()
    a = i.process
    others: list[int] = []
    for reached in (False, True):
        if reached:
            a.ok.cuMemPoolSetAccess(a.ok.cuDeviceGetDefaultMemPool(0), (access(1),), 1)
        of, memory = allocating(a)
        assert a.ok.cuGraphMemAllocNodeGetParams(a.ok.cuGraphGetNodes(of, 1)[0][0])[2:] == (reached, ROOM, memory)
        others.append(memory)
        made = launched_of(a, of)
    a.ok.cuCtxCreate(None, 0, 1)
    for memory, code in zip(others, (Result.INVALID_VALUE, Result.SUCCESS), strict=True):
        assert a.c.cuMemsetD8(memory, 7, 16) == (code,)
        a.ok.cuMemFree(memory)
    a.ok.cuCtxPopCurrent()
    return i.evolve(hGraphExec=made)


launches.alone("MEMORY_SUFFICES", "MEMORY_SUFFICES-of-another-device")

test_graph_launch = launches.test()
