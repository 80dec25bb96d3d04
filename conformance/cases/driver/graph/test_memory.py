"""Nodes that allocate and free memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.graph.fixtures import ROOM, executable, graph, node, refuse_node, refuse_place
from conformance.cases.driver.graph.memory import allocating, freeing, launched
from conformance.cases.driver.pool.fixtures import memory as pooled
from conformance.cases.driver.va.fixtures import NOWHERE
from conformance.kit.case import Entry
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid_free(w: World) -> Invocation:
    a = w.process()
    _, memory = allocating(a)
    return a.call("cuGraphAddMemFreeNode", hGraph=graph(a), dependencies=None, numDependencies=0, dptr=memory)


def is_freed(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """A launch frees what another graph has allocated, once."""
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


@frees.also("where a third graph frees it")
def freed_elsewhere(_w: World, i: Invocation) -> None:
    freeing(i.process, i.args["dptr"])


@frees.also("in its own graph")
def at_home(_w: World, i: Invocation) -> Invocation:
    of, memory = allocating(i.process)
    return i.evolve(hGraph=of, dptr=memory)


test_graph_add_mem_free_node = frees.test()


def told(w: World) -> Invocation:
    a = w.process()
    _, memory = allocating(a)
    return a.call("cuGraphMemFreeNodeGetParams", hNode=freeing(a, memory))


tells = Entry("cuGraphMemFreeNodeGetParams", told)
refuse_node(tells, "hNode")
tells.null("dptr_out", "RESULT_IS_GIVEN")
tells.breaks("NODE_IS_OF_ITS_KIND", hNode=lambda i: node(i.process, graph(i.process)))
test_graph_mem_free_node_get_params = tells.test()
