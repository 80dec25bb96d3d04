"""Questions about graphs that the first answers left open: attributes that do not suit a grid, managed memory, and lost conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.execution.launch_config import attribute
from conformance.cases.driver.graph.conditionals import body, branching, condition, conditional, embedded, following
from conformance.cases.driver.graph.fixtures import ROOM, executable, graph, launch, node, of_memset
from conformance.cases.driver.graph.memory import RELAXED, allocating
from conformance.cases.driver.graph.test_kernel_attribute import CLUSTER, COOPERATIVE, PRIORITY, value, wide
from conformance.cases.driver.graph.test_memory import allocation
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.cases.driver.module.fixtures import function
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, stream
from conformance.cases.driver.stream.mem_ops import OPERATION
from conformance.cases.driver.stream.test_stream_batch_mem_op import wait, write
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import World

MANAGED = 2
"""CU_MEM_ALLOCATION_TYPE_MANAGED."""
MARKS = range(4)
"""CUgraphMem_attribute."""
ABOUT = (8, 9, 13, 17)
"""CUpointer_attribute: whether it is managed, of which device, whether it is mapped, of which pool."""


@question()
def attributes_that_do_not_suit_the_grid(w: World) -> None:
    """Set, copied, and kept when the grid changes; priorities beyond the range, and clusters of nothing."""
    a = w.process()
    clustered, many = wide(a, 2), wide(a)
    for given in (value(2, 1, 1), value(0), value(2, 0, 0), value(3, 1, 1), value(2, 1, 1)):
        a.c.cuGraphKernelNodeSetAttribute(clustered, CLUSTER, given)
        a.c.cuGraphKernelNodeGetAttribute(clustered, CLUSTER)
    a.c.cuGraphKernelNodeCopyAttributes(of_kernel(a), clustered)
    a.c.cuGraphKernelNodeSetParams(clustered, launch(function(a)))
    a.c.cuGraphKernelNodeSetAttribute(many, COOPERATIVE, value(1))
    a.c.cuGraphKernelNodeGetAttribute(many, COOPERATIVE)
    together = of_kernel(a)
    a.ok.cuGraphKernelNodeSetAttribute(together, COOPERATIVE, value(1))
    a.c.cuGraphKernelNodeCopyAttributes(wide(a), together)
    for priority in (-99, 99):
        a.c.cuGraphKernelNodeSetAttribute(together, PRIORITY, value(priority))
        a.c.cuGraphKernelNodeGetAttribute(together, PRIORITY)
    for number, given in ((1, value(0)), (5, value(9)), (9, value(0x63)), (10, value(9)), (14, value(101))):
        a.c.cuGraphKernelNodeSetAttribute(together, number, given)
        a.c.cuGraphKernelNodeGetAttribute(together, number)


@question()
def early_launches_in_a_capture(w: World) -> None:
    """Which edges they get behind other nodes than kernels, behind two, and behind events; and events of their own."""
    a = w.process()
    early, place = attribute("PROGRAMMATIC_STREAM_SERIALIZATION", 1), filled(a, 0, ROOM)
    for beginning in ("memset", "two", "nothing"):
        working, other = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
        a.ok.cuStreamBeginCapture(working, RELAXED)
        if beginning == "memset":
            a.ok.cuMemsetD8Async(place, 1, 16, working)
        if beginning == "two":
            forks, joins = a.ok.cuEventCreate(2), a.ok.cuEventCreate(2)
            a.ok.cuEventRecord(forks, working)
            a.ok.cuStreamWaitEvent(other, forks, 0)
            for one in (working, other):
                a.ok.cuLaunchKernel(function(a), *[1] * 6, 0, one, 0, 0)
            a.ok.cuEventRecord(joins, other)
            a.ok.cuStreamWaitEvent(working, joins, 0)
        for row in (early, attribute("PROGRAMMATIC_EVENT", a.ok.cuEventCreate(2), 0, 0)):
            a.c.cuLaunchKernelEx((*[1] * 6, 0, working, (row,)), function(a), 0, 0)
        code, of = a.c.cuStreamEndCapture(working)
        if not code:
            a.c.cuGraphGetEdges(of, 4)
            a.c.cuGraphInstantiate(of, 0)


@question()
def managed_memory_of_graphs(w: World) -> None:
    """Where it may lie, what is told of it, and what a device counts of it."""
    a = w.process()
    for place in ((0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (1, 99)):
        a.c.cuGraphAddMemAllocNode(graph(a), None, 0, allocation(a, allocType=MANAGED, location=place))
    for members in ({"maxSize": 1 << 30}, {"usage": 1}, {"handleTypes": 1}, {"bytesize": 1 << 40}):
        a.c.cuGraphAddMemAllocNode(graph(a), None, 0, allocation(a, allocType=MANAGED, **members))
    of = graph(a)
    code, made, told = a.c.cuGraphAddMemAllocNode(of, None, 0, allocation(a, allocType=MANAGED))
    if code:
        return
    memory = told[-1]
    a.c.cuGraphMemAllocNodeGetParams(made)
    a.c.cuGraphLaunch(executable(a, of), 0)
    a.c.cuStreamSynchronize(0)
    for number in ABOUT:
        a.c.cuPointerGetAttribute(number, memory)
    for mark in MARKS:
        a.c.cuDeviceGetGraphMemAttribute(a.device, mark)
    a.c.cuMemAdvise(memory, ROOM, 1, (1, a.device))
    a.c.cuMemPrefetchAsync(memory, ROOM, (2, 0), 0, 0)
    a.c.cuMemFreeAsync(memory, 0)
    a.c.cuStreamSynchronize(0)
    pool = a.c.cuMemPoolCreate((MANAGED, 0, (1, a.device), 0, 0, 0, 0))[1]
    working = stream(a, NON_BLOCKING)
    a.ok.cuStreamBeginCapture(working, RELAXED)
    a.c.cuMemAllocFromPoolAsync(ROOM, pool, working)
    a.c.cuStreamEndCapture(working)


@question(alone=True)
def memory_in_graphs_of_children(w: World) -> None:
    """Clones that children have, by each call; and how large it may be."""
    a = w.process()
    inner, (of, memory) = embedded(a), allocating(a)
    a.c.cuGraphAddMemAllocNode(inner, None, 0, allocation(a))
    a.c.cuGraphAddMemFreeNode(inner, None, 0, memory)
    working = stream(a, NON_BLOCKING)
    a.ok.cuStreamBeginCaptureToGraph(working, inner, None, None, 0, RELAXED)
    a.c.cuMemAllocAsync(ROOM, working)
    a.c.cuMemFreeAsync(memory, working)
    a.c.cuStreamEndCapture(working)
    total = a.ok.cuDeviceTotalMem(a.device)
    for size in (total // 2, total - (1 << 21), total, total + 1, 2 * total):
        code, _, _ = a.c.cuGraphAddMemAllocNode(graph(a), None, 0, allocation(a, size))
        if not code:
            made = graph(a)
            for _ in range(3):
                a.c.cuGraphAddMemAllocNode(made, None, 0, allocation(a, size))
            code, held = a.c.cuGraphInstantiate(made, 0)
            if not code:
                a.c.cuGraphLaunch(held, 0)
                a.c.cuGraphExecDestroy(held)
    a.c.cuGraphDestroy(of)


@question()
def conditions_that_lose_their_graphs(w: World) -> None:
    """Of children and conditionals that are destroyed: whether they are counted on, and whether a graph goes without nodes of them."""
    a = w.process()
    of = graph(a)
    child = a.ok.cuGraphAddChildGraphNode(of, None, 0, graph(a))
    lost = condition(a, a.ok.cuGraphChildGraphNodeGetGraph(child))
    a.ok.cuGraphDestroyNode(child)
    a.c.cuGraphInstantiate(of, 0)
    a.c.cuGraphAddNode(of, None, None, 0, following(a, lost))
    a.c.cuGraphInstantiate(of, 0)
    a.c.cuGraphConditionalHandleCreate(of, a.ok.cuCtxGetCurrent(), 0, 1)
    outer = graph(a)
    (inner,) = conditional(a, outer)
    condition(a, inner)
    a.c.cuGraphDestroyNode(a.ok.cuGraphGetNodes(outer, 1)[0][0])
    a.c.cuGraphConditionalHandleCreate(outer, a.ok.cuCtxGetCurrent(), 0, 1)
    for number in range(1, 4):
        a.c.cuGraphAddNode(outer, None, None, 0, following(a, number))
    a.c.cuGraphInstantiate(outer, 0)


@question()
def one_executable_of_a_conditional(w: World) -> None:
    """What comes first, when another one may be made, and what else is done with graphs that have conditionals."""
    a = w.process()
    of = branching(a)
    held = executable(a, of)
    for flags in (4, 1, 8, 99):
        a.c.cuGraphInstantiate(of, flags)
    a.c.cuGraphExecDestroy(held)
    a.c.cuGraphInstantiate(of, 0)
    of_memset(a, filled(a, 0, ROOM), of=body(a))
    inner = body(a)
    a.c.cuGraphAddDependencies(inner, (node(a, inner),), (node(a, inner),), None, 1)
    used = graph(a)
    handle = condition(a, used)
    a.ok.cuGraphAddNode(used, None, None, 0, following(a, handle))
    for number, ctx in ((99, 0), (handle, 0)):
        b = w.process()
        own = graph(b)
        made = condition(b, own)
        b.ok.cuGraphAddNode(own, None, None, 0, following(b, made))
        b.c.cuGraphAddNode(own, None, None, 0, following(b, made if number == handle else number, ctx=ctx))
        b.kill()


@question()
def batches_of_odd_places_in_a_capture(w: World) -> None:
    """Whether addresses that are no multiples are looked at when a stream is captured, of each kind and width."""
    a = w.process()
    place = filled(a, 0, ROOM)
    for operation in (
        *(write(place + 2), wait(place + 2, 0)),
        (OPERATION["WRITE_VALUE_64"], place + 4, 0, 0),
        (OPERATION["WAIT_VALUE_64"], place + 4, 0, 0),
    ):
        working = stream(a, NON_BLOCKING)
        a.ok.cuStreamBeginCapture(working, RELAXED)
        a.c.cuStreamBatchMemOp(working, 1, (operation,), 0)
        a.c.cuStreamIsCapturing(working)
        a.c.cuStreamEndCapture(working)
    working = stream(a, NON_BLOCKING)
    a.ok.cuStreamBeginCapture(working, RELAXED)
    a.c.cuStreamWriteValue32(working, place + 2, 0, 0)
    a.c.cuStreamWaitValue32(working, place + 2, 0, 0)
    a.c.cuStreamEndCapture(working)


@question(alone=True)
def addresses_of_nodes(w: World) -> None:
    """How large what nodes allocate may be: in one graph and in several, by itself and together, managed and not."""
    for kind in (1, MANAGED):
        for parts in (1, 2, 4, 8):
            a = w.process()
            size = a.ok.cuDeviceTotalMem(a.device) // parts // ROOM * ROOM
            of = graph(a)
            for into in (of, None):
                for _ in range(2 * parts + 1):
                    target = into or graph(a)
                    a.c.cuGraphAddMemAllocNode(target, None, 0, allocation(a, allocType=kind, bytesize=size))
            a.kill()
    a = w.process()
    whole = a.ok.cuDeviceTotalMem(a.device)
    for size in (whole + ROOM, whole, whole - (2 << 20), whole - (32 << 20), whole - (1 << 30), whole // 2 + (1 << 30)):
        made = graph(a)
        a.c.cuGraphAddMemAllocNode(made, None, 0, allocation(a, bytesize=size))
        a.c.cuGraphDestroy(made)


@question()
def flags_of_a_device_that_is_reset(w: World) -> None:
    """By the runtime API, before and after there is a context."""
    a = w.process(context=False)
    a.c.cudaSetDeviceFlags(4)
    a.c.cudaDeviceReset()
    a.c.cudaGetDeviceFlags()
    a.c.cuDevicePrimaryCtxGetState(a.device)
