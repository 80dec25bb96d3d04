"""cuGraphExecUpdate: update an executable graph from a graph of the same shape.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.graph.changing_steps import of_rows, pair, waiting
from conformance.cases.driver.graph.conditionals import IF, WHILE, body, conditional, owned
from conformance.cases.driver.graph.fixtures import (
    ROOM,
    copy,
    executable,
    graph,
    node,
    of_memset,
    refuse_a_node,
    refuse_executable,
    refuse_graph,
)
from conformance.cases.driver.graph.making_executable import OF_EVENT, abroad, of_launcher
from conformance.cases.driver.graph.memory import allocating
from conformance.cases.driver.graph.test_enabled import calling, copying, embedding, filling, recording
from conformance.cases.driver.graph.test_kernel_attribute import COOPERATIVE, updatable, value, with_attribute
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.world import Invocation, Process, World

    Maker = Callable[[Process, int], object]


def of(a: Process, *makers: Maker) -> int:
    """Return a new graph with some nodes."""
    made = graph(a)
    for make in makers:
        make(a, made)
    return made


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuGraphExecUpdate", hGraphExec=executable(a, of(a, pair)), hGraph=of(a, pair))


entry = Entry("cuGraphExecUpdate", valid)
refuse_executable(entry, "hGraphExec")
refuse_graph(entry, "hGraph")
entry.null("resultInfo", None)
entry.also("without a current context")(lambda _w, i: i.process.ok.cuCtxPopCurrent() and None)


@entry.also("by a graph that refused a node")
def refusing(_w: World, i: Invocation) -> None:
    refuse_a_node(i.process, i.args["hGraph"])


@entry.world("KINDS_STAY", "a leaf that a refused node was to follow", "hGraphExec", "hGraph")
def leaf_behind_others(_w: World, i: Invocation) -> Invocation:
    a, own = i.process, of(i.process, node, filling)
    made = executable(a, own)
    refuse_a_node(a, own)
    return i.evolve(hGraphExec=made, hGraph=a.ok.cuGraphClone(own))


@entry.also("a clone whose leaf a refused node was to follow")
def leaf_behind_others_before(_w: World, i: Invocation) -> Invocation:
    a, own = i.process, of(i.process, node, filling)
    refuse_a_node(a, own)
    return i.evolve(hGraphExec=executable(a, own), hGraph=a.ok.cuGraphClone(own))


def both(first: tuple[Maker, ...], second: tuple[Maker, ...]) -> Callable[[World, Invocation], Invocation]:
    """Return a function to an executable graph of nodes, and a graph of other nodes."""

    def made(_w: World, i: Invocation) -> Invocation:
        a = i.process
        return i.evolve(hGraphExec=executable(a, of(a, *first)), hGraph=of(a, *second))

    return made


def of_gone(a: Process, into: int, label: str) -> None:
    """Add a node of an event that was destroyed."""
    event = a.ok.cuEventCreate(0)
    OF_EVENT[label](a, into, event)
    a.ok.cuEventDestroy(event)


def managed(a: Process, into: int) -> int:
    """Add a memset of managed memory."""
    return of_memset(a, a.ok.cuMemAllocManaged(ROOM, 1), of=into)


KINDS: dict[str, Maker] = {
    "memset": filling,
    "memcpy": copying,
    "host": calling,
    "record": recording,
    "wait": waiting,
    "child": embedding,
    "empty": node,
    "kernel": of_kernel,
}
TOUCHED = ("hGraphExec", "hGraph")
for name, make in KINDS.items():
    other = node if name != "empty" else filling
    entry.also(name)(both((make,), (make,)))
    entry.world("KINDS_STAY", name, *TOUCHED)(both((make,), (other,)))
    entry.world("NODES_ARE_AS_MANY", name, *TOUCHED)(both((), (make,)))
entry.world("NODES_ARE_AS_MANY", "fewer", *TOUCHED)(both((node, node), (node,)))
entry.world("KINDS_STAY", "in another order", *TOUCHED)(both((node, filling), (filling, node)))
entry.world("EDGES_STAY", "one more", *TOUCHED)(both((node, node), (pair,)))
entry.world("EDGES_STAY", "one less", *TOUCHED)(both((pair,), (node, node)))
entry.world("PARAMETERS_FIT", "rows", *TOUCHED)(both((filling,), (of_rows,)))
entry.also("other memory")(both((filling,), (managed,)))
entry.world("PARAMETERS_FIT", "another context", *TOUCHED)(both((of_kernel,), (abroad,)))
for label, make in (("a record", recording), ("a wait", waiting)):
    entry.undefined("EVENTS_OUTLIVE_UPDATES", f"{label}", *TOUCHED, code=Result.GRAPH_EXEC_UPDATE_FAILURE)(
        both((make,), (partial(of_gone, label=label),))
    )


entry.world("PARAMETERS_FIT", "a kernel that launches graphs", *TOUCHED)(both((of_kernel,), (of_launcher,)))
entry.world("PARAMETERS_FIT", "a kernel that launches graphs, and one of another context", *TOUCHED)(
    both((of_launcher, of_kernel), (of_launcher, partial(abroad, make=of_launcher)))
)
entry.also("a kernel that launches graphs")(both((of_launcher,), (of_launcher,)))
entry.also("a kernel that launches none any more")(both((of_launcher,), (of_kernel,)))
entry.also("another kernel that launches graphs")(both((of_launcher, of_kernel), (of_kernel, of_launcher)))


@entry.also("a kernel that launches graphs, for launches by devices")
def by_devices(_w: World, i: Invocation) -> Invocation:
    a = i.process
    return i.evolve(hGraphExec=a.ok.cuGraphInstantiate(of(a, of_kernel), 4), hGraph=of(a, of_launcher))


def cooperative(a: Process, into: int) -> int:
    """Add a cooperative kernel."""
    return with_attribute(a, COOPERATIVE, value(1), into)


entry.world("COOPERATION_STAYS", "", *TOUCHED)(both((of_kernel,), (cooperative,)))
entry.world("COOPERATION_STAYS", "the other way round", *TOUCHED)(both((cooperative,), (of_kernel,)))
entry.also("a cooperative kernel")(both((cooperative,), (cooperative,)))


def fork(a: Process, into: int) -> None:
    """Add a node that two others follow, and one that followed it, too."""
    first, *others = (node(a, into) for _ in range(4))
    a.ok.cuGraphAddDependencies(into, (first,) * 3, tuple(others), None, 3)
    a.ok.cuGraphRemoveDependencies(into, (first,), (others[2],), None, 1)


def couples(a: Process, into: int) -> None:
    """Add two nodes, each with one that follows it."""
    for _ in range(2):
        pair(a, into)


entry.also("a node that two others follow")(both((fork,), (fork,)))
entry.world("EDGES_STAY", "two nodes in place of one that two others follow", *TOUCHED)(both((fork,), (couples,)))
entry.world("EDGES_STAY", "one node that two others follow in place of two", *TOUCHED)(both((couples,), (fork,)))


@entry.world("EDGES_STAY", "a cycle", *TOUCHED)
def cycle(w: World, i: Invocation) -> Invocation:
    made = both((pair,), ())(w, i)
    a, turned = i.process, graph(i.process)
    first, second = pair(a, turned)
    a.ok.cuGraphAddDependencies(turned, (second,), (first,), None, 1)
    return made.evolve(hGraph=turned)


@entry.also("added the other way round")
def turned(w: World, i: Invocation) -> Invocation:
    made = both((pair,), ())(w, i)
    a, other = i.process, graph(i.process)
    first, second = node(a, other), node(a, other)
    a.ok.cuGraphAddDependencies(other, (second,), (first,), None, 1)
    return made.evolve(hGraph=other)


@entry.also("of its own graph, which was changed")
def changed(_w: World, i: Invocation) -> Invocation:
    a, own = i.process, graph(i.process)
    place = filled(a, 0, ROOM)
    made = of_memset(a, place, 7, own)
    held = executable(a, own)
    a.ok.cuGraphNodeSetEnabled(held, made, 0)
    other = graph(a)
    of_memset(a, place, 9, other)
    a.ok.cuGraphExecUpdate(held, other)
    assert a.ok.cuGraphNodeGetEnabled(held, made) == 0
    a.ok.cuGraphNodeSetEnabled(held, made, 1)
    a.ok.cuGraphLaunch(held, 0)
    a.ok.cuCtxSynchronize()
    assert content(a, place) == bytes([9] * 4)
    return i.evolve(hGraphExec=held, hGraph=own)


@entry.also("of its own graph, with a copy of rows")
def with_rows(_w: World, i: Invocation) -> Invocation:
    a, own = i.process, graph(i.process)
    params = (*copy(filled(a, 0, ROOM), filled(a, 1, ROOM))[:-2], 2, 1)
    a.ok.cuGraphAddMemcpyNode(own, None, 0, params, 0)
    return i.evolve(hGraphExec=executable(a, own), hGraph=own)


@entry.also("in a child", rule="NODES_ARE_AS_MANY")
def in_a_child(_w: World, i: Invocation) -> Invocation:
    a = i.process
    whole, empty = graph(a), graph(a)
    a.ok.cuGraphAddChildGraphNode(whole, None, 0, of(a, node))
    a.ok.cuGraphAddChildGraphNode(empty, None, 0, graph(a))
    return i.evolve(hGraphExec=executable(a, whole), hGraph=empty)


@entry.world("MEMORY_IS_THE_SAME", "", *TOUCHED)
def of_other_memory(_w: World, i: Invocation) -> Invocation:
    a = i.process
    return i.evolve(hGraphExec=executable(a, allocating(a)[0]), hGraph=allocating(a)[0])


def choice(kind: int = IF, size: int = 1, default: int = 0, *, abroad: bool = False) -> Maker:
    """Return a function that adds a conditional node with a memset in each body."""

    def make(a: Process, into: int) -> None:
        if abroad:
            a.ok.cuCtxCreate(None, 0, a.device)
        for inner in conditional(a, into, kind, size, default):
            filling(a, inner)
        if abroad:
            a.ok.cuCtxPopCurrent()

    return make


entry.also("a conditional")(both((choice(),), (choice(default=1),)))
entry.world("KINDS_STAY", "conditional", *TOUCHED)(both((choice(),), (node,)))
entry.world("BRANCHES_STAY", "another type", *TOUCHED)(both((choice(),), (choice(WHILE),)))
entry.world("BRANCHES_STAY", "elsewhere", *TOUCHED)(both((choice(),), (choice(abroad=True),)))
entry.world("BRANCHES_STAY", "an else", *TOUCHED)(both((choice(),), (choice(size=2),)))
entry.breaks("SOURCE_IS_ITS_OWN", "taken over", hGraph=lambda i: owned(i.process))
entry.breaks("SOURCE_IS_ITS_OWN", "of a conditional", hGraph=lambda i: body(i.process))


@entry.also("in a conditional", rule="NODES_ARE_AS_MANY")
def in_a_conditional(_w: World, i: Invocation) -> Invocation:
    a, other = i.process, graph(i.process)
    conditional(a, other)
    return i.evolve(hGraphExec=executable(a, of(a, choice())), hGraph=other)


@entry.also("another default")
def of_another_default(_w: World, i: Invocation) -> Invocation:
    a, place, graphs = i.process, filled(i.process, 0, ROOM), []
    for default in (0, 1):
        graphs.append(graph(a))
        (inner,) = conditional(a, graphs[-1], default=default)
        of_memset(a, place, of=inner)
    made = executable(a, graphs[0])
    a.ok.cuGraphExecUpdate(made, graphs[1])
    a.ok.cuGraphLaunch(made, 0)
    a.ok.cuCtxSynchronize()
    assert content(a, place) == bytes([7] * 4)
    return i.evolve(hGraphExec=made, hGraph=graphs[1])


@entry.also("of its own graph, which allocates")
def of_its_memory(_w: World, i: Invocation) -> Invocation:
    own, _ = allocating(i.process)
    return i.evolve(hGraphExec=executable(i.process, own), hGraph=own)


@entry.world("ONE_IS_EXECUTABLE", "", "hGraph")
def executable_elsewhere(_w: World, i: Invocation) -> Invocation:
    of, _ = allocating(i.process)
    executable(i.process, of)
    return i.evolve(hGraph=of)


@entry.world("GRAPH_IS_NOT_UPDATABLE", "", "hGraph")
def updatable_source(_w: World, i: Invocation) -> None:
    updatable(i.process, i.args["hGraph"])


@entry.world("GRAPH_IS_NOT_UPDATABLE", "the executable graph", "hGraphExec")
def updatable_target(_w: World, i: Invocation) -> Invocation:
    of = graph(i.process)
    updatable(i.process, of)
    return i.evolve(hGraphExec=executable(i.process, of))


test_graph_exec_update = entry.test()
