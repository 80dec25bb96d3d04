"""Nodes and edges of a graph, and neighbours of a node.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from conformance.cases.driver.graph.fixtures import executable, graph, node, refuse_graph, refuse_node
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.cases.driver.module.fixtures import function
from conformance.cases.driver.stream.captured_calls import captured
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import CALLS

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, Process, World

PROGRAMMATIC = (1, 0, 1)
"""A CUgraphEdgeData from a kernel's trigger of its successors."""


def chain(a: Process) -> tuple[int, tuple[int, ...]]:
    """Return a new graph of three nodes, the last dependent on both others, and these."""
    of = graph(a)
    first = node(a, of)
    second = node(a, of, first)
    return of, (first, second, node(a, of, first, second))


def of_graph(call: str, count: str, w: World) -> Invocation:
    """Return a call that lists nodes or edges of a graph, with room for two."""
    a = w.process()
    args: dict[str, Any] = {"hGraph": chain(a)[0], count: 2}
    return a.call(call, **args)


def of_node(call: str, count: str, place: int, w: World) -> Invocation:
    """Return a call that lists two neighbours of a node, with room for two."""
    a = w.process()
    args: dict[str, Any] = {"hNode": chain(a)[1][place], count: 2}
    return a.call(call, **args)


def entry_of(call: str, arrays: str, count: str, place: int | None = None) -> Entry:
    """Return the entry of a listing with arrays, optionally null, and lengths."""
    made = partial(of_graph, call, count) if place is None else partial(of_node, call, count, place)
    entry = Entry(call, made)
    entry.null(count, "RESULT_IS_GIVEN")
    entry.null(arrays, None, "nothing-listed")
    entry.null(f"{arrays} {count}", "RESULT_IS_GIVEN", "nothing given")
    entry.breaks("THERE_IS_ROOM", **{count: 0})
    for room in (1, 5):
        given: dict[str, Any] = {count: room}
        entry.also(f"room for {room}", **given)
    entry.also("without a current context")(lambda _w, i: i.process.ok.cuCtxPopCurrent() and None)
    if place is None:
        refuse_graph(entry, "hGraph")
        entry.also("of nothing", hGraph=lambda i: graph(i.process))
    else:
        refuse_node(entry, "hNode")
        entry.also("of a node by itself", hNode=lambda i: node(i.process, graph(i.process)))
    return entry


def told(i: Invocation) -> Invocation:
    """Return the call about an edge with data between kernels."""
    a, of = i.process, graph(i.process)
    first, second = of_kernel(a, of), of_kernel(a, of)
    a.ok.cuGraphAddDependencies(of, (first,), (second,), (PROGRAMMATIC,), 1)
    if "hGraph" in i.args:
        return i.evolve(hGraph=of)
    return i.evolve(hNode=second if i.call == "cuGraphNodeGetDependencies" else first)


nodes = entry_of("cuGraphGetNodes", "nodes", "numNodes")
roots = entry_of("cuGraphGetRootNodes", "rootNodes", "numRootNodes")
edges = entry_of("cuGraphGetEdges", "from_ to edgeData", "numEdges")
before = entry_of("cuGraphNodeGetDependencies", "dependencies edgeData", "numDependencies", 2)
behind = entry_of("cuGraphNodeGetDependentNodes", "dependentNodes edgeData", "numDependentNodes", 0)

for ends in ("from_", "to", "from_ edgeData", "to edgeData"):
    edges.null(ends, "ENDS_COME_TOGETHER", f"without {ends}")
edges.null("from_ to", "DATA_COME_WITH_NODES", "data alone")
before.null("dependencies", "DATA_COME_WITH_NODES", "data alone")
behind.null("dependentNodes", "DATA_COME_WITH_NODES", "data alone")
for listing in (edges, before, behind):
    listing.null("edgeData", None, "null-edgeData")


for listing in (edges, before, behind):

    @listing.world("NO_DATA_ARE_LOST", "", "hGraph", "hNode")
    def programmatic(_w: World, i: Invocation) -> Invocation:
        return attrs.evolve(told(i), null="edgeData")

    @listing.also("of a programmatic edge")
    def with_data(_w: World, i: Invocation) -> Invocation:
        return told(i)

    @listing.also("nothing listed of a programmatic edge")
    def counted(_w: World, i: Invocation) -> Invocation:
        arrays = [param.name for param in CALLS[i.call].outputs if param.array]
        return attrs.evolve(told(i), null=" ".join(arrays))


@nodes.also("one was destroyed")
def destroyed_one(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    first, _, _ = (node(a, of) for _ in range(3))
    a.ok.cuGraphDestroyNode(first)
    return i.evolve(hGraph=of)


@roots.also("the newest first")
def two_roots(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    node(a, of, node(a, of))
    node(a, of)
    return i.evolve(hGraph=of)


@roots.also("by when they became such nodes")
def became_roots(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    first, second, third = (node(a, of) for _ in range(3))
    a.ok.cuGraphAddDependencies(of, (second, third), (first, first), None, 2)
    a.ok.cuGraphRemoveDependencies(of, (second,), (first,), None, 1)
    assert a.ok.cuGraphGetRootNodes(of, 2) == ((third, second), 2)
    a.ok.cuGraphRemoveDependencies(of, (third,), (first,), None, 1)
    assert a.ok.cuGraphGetRootNodes(of, 3) == ((first, third, second), 3)
    return i.evolve(hGraph=of)


for early, data in ((1, PROGRAMMATIC), (0, (0, 0, 0))):

    @edges.also(f"of captured launches that may begin early: {early}")
    def of_captured_launches(_w: World, i: Invocation, early: int = early, data: tuple[int, ...] = data) -> Invocation:
        a, begun, code = i.process, captured(i.process), function(i.process)
        for _ in range(2):
            a.ok.cuLaunchKernelEx((*[1] * 6, 0, begun, ((6, early), (16, 1))), code, 0, 0)
        of = a.ok.cuStreamEndCapture(begun)
        (first, _), _ = a.ok.cuGraphGetNodes(of, 2)
        assert a.ok.cuGraphGetEdges(of, 1)[2] == (data,)
        assert a.c.cuGraphKernelNodeGetAttribute(first, 6)[0] == Result.INVALID_VALUE
        executable(a, of)
        return i.evolve(hGraph=of)


@edges.also("a programmatic edge that there is no room for")
def behind_the_room(_w: World, i: Invocation) -> Invocation:
    """Have no room for a programmatic edge; only listed edges can lose data."""
    a, of = i.process, graph(i.process)
    first, second = of_kernel(a, of), of_kernel(a, of)
    third = of_kernel(a, of)
    a.ok.cuGraphAddDependencies(of, (second,), (third,), (PROGRAMMATIC,), 1)
    a.ok.cuGraphAddDependencies(of, (first,), (third,), None, 1)
    return attrs.evolve(i.evolve(hGraph=of, numEdges=1), null="edgeData")


@edges.also("as they were added")
def in_another_order(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    first, second, third = (node(a, of) for _ in range(3))
    a.ok.cuGraphAddDependencies(of, (second, first, first), (third, third, second), None, 3)
    return i.evolve(hGraph=of, numEdges=3)


@before.also("as they were added")
def added_later(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    first, second, third = (node(a, of) for _ in range(3))
    a.ok.cuGraphAddDependencies(of, (second, first), (third, third), None, 2)
    return i.evolve(hNode=third)


@behind.also("as they were added")
def added_behind(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    first, second, third = (node(a, of) for _ in range(3))
    a.ok.cuGraphAddDependencies(of, (first, first), (third, second), None, 2)
    return i.evolve(hNode=first)


@nodes.also("of a clone")
def of_a_clone(_w: World, i: Invocation) -> Invocation:
    return i.evolve(hGraph=i.process.ok.cuGraphClone(i.args["hGraph"]))


test_graph_get_nodes = nodes.test()
test_graph_get_root_nodes = roots.test()
test_graph_get_edges = edges.test()
test_graph_node_get_dependencies = before.test()
test_graph_node_get_dependent_nodes = behind.test()
