"""Nodes that allocate and free memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from conformance.cases.driver.anywhere import anywhere
from conformance.cases.driver.context.fixtures import described as device
from conformance.cases.driver.device.fixtures import without_pools
from conformance.cases.driver.graph.conditionals import embedded, owned
from conformance.cases.driver.graph.fixtures import ROOM, executable, graph, node, refuse_node, refuse_place
from conformance.cases.driver.graph.memory import allocating, freeing, launched
from conformance.cases.driver.pool.fixtures import memory as pooled
from conformance.cases.driver.va.fixtures import NOWHERE, content
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World


def allocation(a: Process, size: int = ROOM, **members: Any) -> tuple[Any, ...]:
    """Return a CUDA_MEM_ALLOC_NODE_PARAMS for the process's device, with changes."""
    props = {
        "allocType": 1,
        "handleTypes": 0,
        "location": (1, a.device),
        "win32": 0,
        "maxSize": 0,
        "usage": 0,
        "rdma": 0,
    }
    rest = {"accessDescs": 0, "accessDescCount": 0, "bytesize": size, "dptr": 0}
    whole = props | rest | members
    return (tuple(whole[name] for name in props), *(whole[name] for name in rest))


def described(a: Process, *rows: tuple[int, int, int]) -> dict[str, int]:
    """Return the members for access of other locations, in host memory."""
    whole = b"".join(struct.pack("<iii", *row) for row in rows)
    place = a.ok.cuMemAllocHost(len(whole))
    a.ok.cuMemcpyHtoD(place, whole, len(whole))
    return {"accessDescs": place, "accessDescCount": len(rows)}


def valid_allocation(w: World) -> Invocation:
    a = w.process()
    return a.call(
        "cuGraphAddMemAllocNode", hGraph=graph(a), dependencies=None, numDependencies=0, nodeParams=allocation(a)
    )


def is_allocated(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that a launch allocates, and that the next one needs a free before it."""
    a, (_node, told) = i.process, results
    memory = told[-1]
    made = executable(a, i.args["hGraph"])
    a.ok.cuGraphLaunch(made, 0)
    a.ok.cuMemsetD8(memory, 7, 16)
    assert content(a, memory, 16) == bytes([7] * 16)
    assert a.c.cuGraphLaunch(made, 0) == (Result.INVALID_VALUE,)
    a.ok.cuMemFree(memory)


def giving(**members: Any) -> dict[str, Any]:
    """Return an argument: the valid allocation with other members."""
    return {"nodeParams": lambda i: allocation(i.process, **members)}


allocates = Entry("cuGraphAddMemAllocNode", valid_allocation, is_allocated)
refuse_place(allocates)
allocates.breaks("PARAMETERS_ARE_GIVEN", nodeParams=None)
allocates.breaks("TYPE_IS_PINNED_OR_MANAGED", **giving(allocType=99))
allocates.breaks("TYPE_IS_PINNED_OR_MANAGED", "none", **giving(allocType=0))
allocates.also("managed memory", then=is_allocated, **giving(allocType=2))
allocates.breaks("HANDLE_TYPES_ARE_KNOWN", **giving(handleTypes=99))
allocates.breaks("HANDLE_TYPES_ARE_NONE", **giving(handleTypes=1))
allocates.breaks("DEVICE_IS_THERE", "another number", **giving(location=(1, 99)))
allocates.breaks("DEVICE_IS_THERE", "negative", **giving(location=(1, -1)))
allocates.breaks("LOCATION_IS_A_DEVICE", **giving(location=(2, 0)))
allocates.breaks("LOCATION_IS_A_DEVICE", "a NUMA node", **giving(location=(3, 0)))
allocates.breaks("LOCATION_IS_A_DEVICE", "managed memory of the host", **giving(allocType=2, location=(2, 0)))
for what, member in (("handle types", {"handleTypes": 1}), ("a most", {"maxSize": 1 << 30}), ("a usage", {"usage": 1})):
    allocates.breaks("MANAGED_MEMORY_IS_PLAIN", what, **giving(allocType=2, **member))
allocates.breaks("DEVICE_IS_THERE", "the current NUMA node", **giving(location=(4, 0)))
allocates.breaks("DEVICE_IS_THERE", "nowhere", **giving(location=(0, 0)))
allocates.breaks("SOMETHING_IS_ALLOCATED", **giving(bytesize=0))
allocates.undefined("DESCRIPTIONS_ARE_GIVEN", code=Result.INVALID_VALUE, **giving(accessDescCount=1))
allocates.breaks(
    "DESCRIPTIONS_ARE_FEW",
    nodeParams=lambda i: allocation(i.process, **described(i.process, *[(1, i.process.device, 3)] * 99)),
)


@allocates.also("the addresses of memory that a node before it frees")
def again(_w: World, i: Invocation) -> None:
    a, of = i.process, i.args["hGraph"]
    first, told = a.ok.cuGraphAddMemAllocNode(of, None, 0, allocation(a))
    freed = a.ok.cuGraphAddMemFreeNode(of, (first,), 1, told[-1])
    behind = a.ok.cuGraphAddEmptyNode(of, (freed,), 1)
    larger = a.ok.cuGraphAddMemAllocNode(of, (behind,), 1, allocation(a, 2 * ROOM))[1][-1]
    beside = a.ok.cuGraphAddMemAllocNode(of, (first,), 1, allocation(a))[1][-1]
    smaller = a.ok.cuGraphAddMemAllocNode(of, (behind,), 1, allocation(a, ROOM // 2))[1][-1]
    second = a.ok.cuGraphAddMemAllocNode(of, (behind,), 1, allocation(a))[1][-1]
    assert smaller == told[-1]
    assert len({smaller, larger, beside, second}) == 4
    a.ok.cuGraphAddMemFreeNode(of, None, 0, smaller)
    assert a.c.cuGraphAddMemFreeNode(of, None, 0, smaller)[0] == Result.INVALID_VALUE


allocates.breaks("ADDRESSES_SUFFICE", **giving(bytesize=1 << 60))
allocates.breaks("ADDRESSES_SUFFICE", "no bytes", **giving(bytesize=1 << 40))
allocates.breaks(
    "ACCESS_IS_OF_A_DEVICE", nodeParams=lambda i: allocation(i.process, **described(i.process, (1, 99, 3)))
)
allocates.breaks("ACCESS_IS_A_DEVICE_S", nodeParams=lambda i: allocation(i.process, **described(i.process, (0, 0, 3))))
allocates.also("the host described", nodeParams=lambda i: allocation(i.process, **described(i.process, (2, 0, 3))))
allocates.also(
    "its own device described",
    nodeParams=lambda i: allocation(i.process, **described(i.process, (1, i.process.device, 3))),
)


@allocates.also("another device described")
def for_another_device(w: World, i: Invocation) -> Invocation:
    w.needs_peers()
    a = i.process
    given = i.evolve(nodeParams=allocation(a, **described(a, (1, 1, 3), (1, 0, 3))))
    made, params = given.run()[1:]
    assert params[:-1] == given.args["nodeParams"][:-1]
    assert a.ok.cuGraphMemAllocNodeGetParams(made)[2:] == (1, ROOM, params[-1])
    assert a.ok.cuGraphMemAllocNodeGetParams(made) == a.ok.cuGraphMemAllocNodeGetParams(made)
    launched(a, given.args["hGraph"])
    a.ok.cuCtxCreate(None, 0, 1)
    a.ok.cuMemsetD8(params[-1], 7, 16)
    a.ok.cuCtxPopCurrent()
    return i.evolve(hGraph=graph(a))


@allocates.world("ACCESS_IS_A_DEVICE_S", "for reading alone", "nodeParams")
def for_reading(w: World, i: Invocation) -> Invocation:
    w.needs_peers()
    return i.evolve(nodeParams=allocation(i.process, **described(i.process, (1, 1, 1))))


allocates.also("a maximum size", **giving(maxSize=1 << 30))
allocates.also("an address that is not looked at", **giving(dptr=NOWHERE))
for label, make in (("taken over", owned), ("cloned", embedded)):
    allocates.breaks("GRAPH_IS_NO_CHILD_S", label, hGraph=lambda i, make=make: make(i.process))


@allocates.also("beside an executable graph that keeps its address")
def kept_by_an_executable(_w: World, i: Invocation) -> None:
    a, gone = i.process, graph(i.process)
    address = a.ok.cuGraphAddMemAllocNode(gone, None, 0, allocation(a))[1][-1]
    executable(a, gone)
    a.ok.cuGraphDestroy(gone)
    assert a.ok.cuGraphAddMemAllocNode(i.args["hGraph"], None, 0, allocation(a))[1][-1] != address


@allocates.also("at an address that a graph and its executable graph gave back")
def given_back(_w: World, i: Invocation) -> None:
    a, gone = i.process, graph(i.process)
    address = a.ok.cuGraphAddMemAllocNode(gone, None, 0, allocation(a))[1][-1]
    a.ok.cuGraphExecDestroy(executable(a, gone))
    a.ok.cuGraphDestroy(gone)
    assert a.ok.cuGraphAddMemAllocNode(i.args["hGraph"], None, 0, allocation(a))[1][-1] == address


test_graph_add_mem_alloc_node = allocates.test()


def test_pools_are_supported() -> None:
    with device(without_pools()) as c:
        c.cuCtxCreate(None, 0, 0)
        params = ((1, 0, (1, 0), 0, 0, 0, 0), 0, 0, ROOM, 0)
        assert c.cuGraphAddMemAllocNode(c.cuGraphCreate(0)[1], None, 0, params)[0] == Result.NOT_SUPPORTED


def told_allocation(w: World) -> Invocation:
    a = w.process()
    node_of = a.ok.cuGraphAddMemAllocNode(graph(a), None, 0, allocation(a))[0]
    return a.call("cuGraphMemAllocNodeGetParams", hNode=node_of)


tells_allocations = Entry("cuGraphMemAllocNodeGetParams", told_allocation)
refuse_node(tells_allocations, "hNode")
anywhere(tells_allocations)
tells_allocations.without("not_initialized")  # to such a process the node is garbage, which the driver follows
tells_allocations.null("params_out", "RESULT_IS_GIVEN")
tells_allocations.breaks("NODE_IS_OF_ITS_KIND", hNode=lambda i: freeing(i.process, allocating(i.process)[1]))
tells_allocations.also(
    "of a stream that was captured",
    hNode=lambda i: i.process.ok.cuGraphGetNodes(allocating(i.process)[0], 1)[0][0],
)
test_graph_mem_alloc_node_get_params = tells_allocations.test()


def valid_free(w: World) -> Invocation:
    a = w.process()
    _, memory = allocating(a)
    return a.call("cuGraphAddMemFreeNode", hGraph=graph(a), dependencies=None, numDependencies=0, dptr=memory)


def is_freed(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that a launch frees another graph's allocation, once."""
    a, (of, memory) = i.process, allocating(i.process)
    frees = graph(a)
    a.ok.cuGraphAddMemFreeNode(frees, None, 0, memory)
    made = executable(a, frees)
    assert a.c.cuGraphLaunch(made, 0) == (Result.INVALID_VALUE,)
    launched(a, of)
    a.ok.cuGraphLaunch(made, 0)
    assert a.c.cuGraphLaunch(made, 0) == (Result.INVALID_VALUE,)


frees = Entry("cuGraphAddMemFreeNode", valid_free, is_freed)
refuse_place(frees)
frees.breaks("MEMORY_IS_OF_A_GRAPH", "null", dptr=0)
frees.breaks("MEMORY_IS_OF_A_GRAPH", "nowhere", dptr=NOWHERE)
frees.breaks("MEMORY_IS_OF_A_GRAPH", "inside", dptr=lambda i: i.args["dptr"] + 512)
frees.breaks("MEMORY_IS_OF_A_GRAPH", "linear", dptr=lambda i: i.process.ok.cuMemAlloc(ROOM))
frees.breaks("MEMORY_IS_OF_A_GRAPH", "of a pool", dptr=lambda i: pooled(i.process))


@frees.world("MEMORY_IS_OF_A_GRAPH", "of a graph that was destroyed", "dptr")
def of_no_graph(_w: World, i: Invocation) -> Invocation:
    of, memory = allocating(i.process)
    i.process.ok.cuGraphDestroy(of)
    return i.evolve(dptr=memory)


@frees.world("MEMORY_IS_FREED_ONCE")
def twice(_w: World, i: Invocation) -> None:
    i.process.ok.cuGraphAddMemFreeNode(i.args["hGraph"], None, 0, i.args["dptr"])


@frees.world("ONE_SIDE_FREES", "where its own graph frees it", "dptr")
def freed_at_home(_w: World, i: Invocation) -> Invocation:
    return i.evolve(dptr=allocating(i.process, frees=True)[1])


@frees.world("ONE_SIDE_FREES", "where another graph frees it", "hGraph", "dptr")
def freed_abroad(_w: World, i: Invocation) -> Invocation:
    of, memory = allocating(i.process)
    freeing(i.process, memory)
    return i.evolve(hGraph=of, dptr=memory)


@frees.world("FREE_COMES_BEFORE_EXECUTABLES", "", "hGraph", "dptr")
def once_executable(_w: World, i: Invocation) -> Invocation:
    of, memory = allocating(i.process)
    executable(i.process, of)
    return i.evolve(hGraph=of, dptr=memory)


@frees.world("FREE_COMES_BEFORE_EXECUTABLES", "after the executable graph", "hGraph", "dptr")
def after_an_executable(_w: World, i: Invocation) -> Invocation:
    of, memory = allocating(i.process)
    i.process.ok.cuGraphExecDestroy(executable(i.process, of))
    return i.evolve(hGraph=of, dptr=memory)


@frees.also("of a node that was added after the executable graph")
def before_it(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    executable(a, of)
    _, told = a.ok.cuGraphAddMemAllocNode(of, None, 0, allocation(a))
    return i.evolve(hGraph=of, dptr=told[-1])


@frees.also("where a third graph frees it")
def freed_elsewhere(_w: World, i: Invocation) -> None:
    freeing(i.process, i.args["dptr"])


@frees.also("in its own graph")
def at_home(_w: World, i: Invocation) -> Invocation:
    of, memory = allocating(i.process)
    return i.evolve(hGraph=of, dptr=memory)


for label, make in (("taken over", owned), ("cloned", embedded)):
    frees.breaks("GRAPH_IS_NO_CHILD_S", label, hGraph=lambda i, make=make: make(i.process))


@frees.world("GRAPH_IS_NO_CHILD_S", "and a dependency twice", "hGraph", "dependencies", "numDependencies")
def twice_in_a_child(_w: World, i: Invocation) -> Invocation:
    of = embedded(i.process)
    return i.evolve(hGraph=of, dependencies=(node(i.process, of),) * 2, numDependencies=2)


test_graph_add_mem_free_node = frees.test()


def told(w: World) -> Invocation:
    a = w.process()
    _, memory = allocating(a)
    return a.call("cuGraphMemFreeNodeGetParams", hNode=freeing(a, memory))


tells = Entry("cuGraphMemFreeNodeGetParams", told)
refuse_node(tells, "hNode")
anywhere(tells)
tells.without("not_initialized")  # to such a process the node is garbage, which the driver follows
tells.null("dptr_out", "RESULT_IS_GIVEN")
tells.breaks("NODE_IS_OF_ITS_KIND", hNode=lambda i: node(i.process, graph(i.process)))
test_graph_mem_free_node_get_params = tells.test()
