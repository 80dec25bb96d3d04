"""Calls for nodes of any type, with a CUgraphNodeParams.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.cases.driver.context.fixtures import GARBAGE
from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.copy.test_memcpy_peer import destroyed
from conformance.cases.driver.graph.any_node_params import (
    CLONED,
    GIVEN,
    WRONG,
    allocation_of,
    elsewhere,
    embedding_again,
    given_of,
    has_another,
    has_graphs,
    is_cloned,
    is_of_its_kind,
    is_taken,
    of_memset,
    rows,
    with_conditional,
)
from conformance.cases.driver.graph.changing_steps import of_graph, waiting
from conformance.cases.driver.graph.conditionals import (
    IF,
    MOVED,
    SWITCH,
    WHILE,
    branching,
    condition,
    conditional,
    embedded,
    following,
    owned,
)
from conformance.cases.driver.graph.fixtures import (
    ROOM,
    copy,
    executable,
    graph,
    launch,
    memset,
    node,
    of_the_maker_alone,
    refuse_executable,
    refuse_node,
    refuse_place,
    refusing,
)
from conformance.cases.driver.graph.memory import allocating, freeing
from conformance.cases.driver.graph.test_enabled import copying, embedding, filling, recording
from conformance.cases.driver.graph.test_kernel_attribute import COOPERATIVE, TOO_MANY, together, value, with_attribute
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.cases.driver.library.fixtures import kernel
from conformance.cases.driver.module.fixtures import function, launcher
from conformance.kit.case import Entry
from fakecuda.spec.node_params import (
    CHILD,
    EMPTY,
    KERNEL,
    MEM_FREE,
    MEMCPY,
    MEMSET,
    pack,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.world import Invocation, Process, World

    Given = Callable[[Process], bytes]

pytestmark = pytest.mark.filterwarnings("ignore::fakecuda.NotModelledWarning")
SEMAPHORES = 8
"""CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL."""


def refuse_params(entry: Entry) -> None:
    """Add the cases of a call with invalid parameters."""
    entry.breaks("PARAMETERS_ARE_GIVEN", nodeParams=None)
    entry.breaks("TYPE_IS_KNOWN", nodeParams=pack(99, ()))
    entry.breaks("UNUSED_BYTES_ARE_ZERO", nodeParams=lambda i: of_memset(i.process)[:-1] + b"\1")


def added(w: World) -> Invocation:
    a = w.process()
    return a.call(
        "cuGraphAddNode",
        hGraph=graph(a),
        dependencies=None,
        dependencyData=None,
        numDependencies=0,
        nodeParams=of_memset(a),
    )


adds = Entry("cuGraphAddNode", added, is_of_its_kind)
refuse_place(adds)
refuse_params(adds)
adds.breaks("TYPE_IS_MODELLED", nodeParams=pack(SEMAPHORES, ()))
adds.model_only("TYPE_IS_MODELLED", code=801)  # a driver has such nodes
adds.breaks("DEPENDENCIES_ARE_GIVEN", "of semaphores", nodeParams=pack(SEMAPHORES, ()), numDependencies=1)
adds.breaks(
    "UNUSED_BYTES_ARE_ZERO",
    "flags of a copy",
    nodeParams=lambda i: pack(MEMCPY, (1, 0, 0, *copy(filled(i.process, 0, ROOM), filled(i.process, 1, ROOM)))),
)
for label, (params, _) in GIVEN.items():
    adds.also(label, nodeParams=lambda i, params=params: params(i.process), then=is_of_its_kind)
for label, params in WRONG.items():
    adds.breaks("PARAMETERS_SUIT_THE_TYPE", label, nodeParams=lambda i, params=params: params(i.process))
adds.answering("PARAMETERS_SUIT_THE_TYPE-no-kernel", code=400)
adds.also("memory", nodeParams=lambda i: allocation_of(i.process))
adds.also("a free", nodeParams=lambda i: pack(MEM_FREE, (allocating(i.process)[1],)), then=is_of_its_kind)
adds.breaks("PARAMETERS_SUIT_THE_TYPE", "no memory", nodeParams=lambda i: allocation_of(i.process, 0))
adds.breaks("PARAMETERS_SUIT_THE_TYPE", "a free of nothing", nodeParams=pack(MEM_FREE, (0,)))
adds.breaks("ADDRESSES_SUFFICE", nodeParams=lambda i: allocation_of(i.process, 1 << 60))


@adds.world("PARAMETERS_SUIT_THE_TYPE", "no memory in a child", "hGraph", "nodeParams")
def nothing_in_a_child(_w: World, i: Invocation) -> Invocation:
    return i.evolve(hGraph=embedded(i.process), nodeParams=allocation_of(i.process, 0))


for label, kind, size in (
    *(("an if", IF, 1), ("an if with an else", IF, 2), ("a while", WHILE, 1), ("a switch", SWITCH, 5)),
):
    adds.also(label, nodeParams=with_conditional(kind, size), then=has_graphs)
for label, kind, size in (
    *(("an if of none", IF, 0), ("an if of three", IF, 3), ("a while of two", WHILE, 2)),
    *(("a switch of none", SWITCH, 0), ("another type", 3, 1)),
):
    adds.breaks("GRAPHS_ARE_AS_MANY", label, nodeParams=with_conditional(kind, size))
adds.breaks(
    "CONDITION_IS_OF_THE_GRAPH",
    "another graph's",
    nodeParams=given_of(lambda a, _: following(a, condition(a, graph(a)))),
)
adds.breaks("CONDITION_IS_OF_THE_GRAPH", "none", nodeParams=given_of(lambda a, _: following(a, 0)))
adds.breaks(
    "CONTEXT_IS_THE_CONDITION_S", nodeParams=given_of(lambda a, of: following(a, condition(a, of), ctx=elsewhere(a)))
)
adds.breaks("CONTEXT_IS_NAMED", nodeParams=given_of(lambda a, of: following(a, condition(a, of), ctx=0)))
adds.undefined(
    "CONTEXT_IS_KNOWN", code=201, nodeParams=given_of(lambda a, of: following(a, condition(a, of), ctx=GARBAGE))
)
adds.breaks("CONTEXT_IS_LIVE", nodeParams=given_of(lambda a, of: following(a, condition(a, of), ctx=destroyed(a))))
adds.breaks("GRAPHS_ARE_FEW", nodeParams=with_conditional(SWITCH, 1 << 13))
adds.model_only("GRAPHS_ARE_FEW", code=801)


@adds.world("CONDITION_IS_FREE", "", "nodeParams")
def followed_twice(_w: World, i: Invocation) -> Invocation:
    given = following(i.process, condition(i.process, i.args["hGraph"]))
    i.process.ok.cuGraphAddNode(i.args["hGraph"], None, None, 0, given)
    return i.evolve(nodeParams=given)


@adds.also("a condition of the graph around it")
def of_the_outer(_w: World, i: Invocation) -> Invocation:
    a = i.process
    (inner,) = conditional(a, i.args["hGraph"])
    return i.evolve(hGraph=inner, nodeParams=following(a, condition(a, i.args["hGraph"])))


adds.also(
    "a child that takes its graph over", nodeParams=lambda i: pack(CHILD, (graph(i.process), MOVED)), then=is_taken
)
adds.also("a child with memory", nodeParams=lambda i: pack(CHILD, (allocating(i.process)[0], MOVED)), then=is_taken)
for other in (-1, 2):
    adds.also(
        f"a child of ownership {other}",
        nodeParams=lambda i, other=other: pack(CHILD, (graph(i.process), other)),
        then=is_cloned,
    )
for owner in (CLONED, MOVED):
    adds.breaks(
        "PARAMETERS_SUIT_THE_TYPE",
        f"a child with a conditional {owner}",
        nodeParams=lambda i, owner=owner: pack(CHILD, (branching(i.process), owner)),
    )
adds.breaks(
    "PARAMETERS_SUIT_THE_TYPE",
    "a clone with memory",
    nodeParams=lambda i: pack(CHILD, (allocating(i.process)[0], CLONED)),
)


@adds.world("PARAMETERS_SUIT_THE_TYPE", "a graph with memory that is executable", "nodeParams")
def executable_with_memory(_w: World, i: Invocation) -> Invocation:
    made, _ = allocating(i.process)
    executable(i.process, made)
    return i.evolve(nodeParams=pack(CHILD, (made, MOVED)))


@adds.world("PARAMETERS_SUIT_THE_TYPE", "the graph of a child", "nodeParams")
def of_a_child_s_own(_w: World, i: Invocation) -> Invocation:
    a = i.process
    made = a.ok.cuGraphAddChildGraphNode(graph(a), None, 0, graph(a))
    return i.evolve(nodeParams=pack(CHILD, (a.ok.cuGraphChildGraphNodeGetGraph(made), MOVED)))


@adds.world("PARAMETERS_SUIT_THE_TYPE", "memory of a child", "hGraph", "nodeParams")
def in_a_child(_w: World, i: Invocation) -> Invocation:
    a = i.process
    made = a.ok.cuGraphAddChildGraphNode(graph(a), None, 0, graph(a))
    return i.evolve(hGraph=a.ok.cuGraphChildGraphNodeGetGraph(made), nodeParams=allocation_of(a))


@adds.also("a condition that its node no longer follows")
def followed_again(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, i.args["hGraph"]
    given = following(a, condition(a, of))
    a.ok.cuGraphDestroyNode(a.ok.cuGraphAddNode(of, None, None, 0, given)[0])
    return i.evolve(nodeParams=given)


@adds.also("a condition of a child")
def of_the_inner(_w: World, i: Invocation) -> Invocation:
    a = i.process
    child = a.ok.cuGraphAddChildGraphNode(i.args["hGraph"], None, 0, graph(a))
    return i.evolve(nodeParams=following(a, condition(a, a.ok.cuGraphChildGraphNodeGetGraph(child))))


for label in ("a-child-with-a-conditional-0", "a-child-with-a-conditional-1", "a-clone-with-memory"):
    adds.answering(f"PARAMETERS_SUIT_THE_TYPE-{label}", code=801)
for label in ("the-graph-of-a-child", "memory-of-a-child", "a-graph-with-memory-that-is-executable"):
    adds.answering(f"PARAMETERS_SUIT_THE_TYPE-{label}", code=801)
adds.undefined("CHILD_IS_NO_PARENT", code=1, nodeParams=lambda i: pack(CHILD, (i.args["hGraph"], 0)))


@adds.world("CONTEXT_IS_THERE", "", "nodeParams")
def nowhere(_w: World, i: Invocation) -> Invocation:
    found = kernel(i.process)
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(nodeParams=pack(KERNEL, launch(0, kern=found)))


@adds.also("an edge of which something is said")
def with_data(_w: World, i: Invocation) -> Invocation:
    a = i.process
    first = of_kernel(a, i.args["hGraph"])
    params = pack(KERNEL, launch(function(a)))
    return i.evolve(dependencies=(first,), dependencyData=((1, 0, 1),), numDependencies=1, nodeParams=params)


@adds.world("DATA_ARE_DEFAULT", "", "dependencies", "dependencyData", "numDependencies")
def wrong_data(_w: World, i: Invocation) -> Invocation:
    first = node(i.process, i.args["hGraph"])
    return i.evolve(dependencies=(first,), dependencyData=((0, 0, 1),), numDependencies=1)


def setting(call: str, i: Invocation, make: Callable[[Process, int], int], params: Given) -> Invocation:
    """Return the call about a new node, with parameters."""
    a, of = i.process, graph(i.process)
    made = make(a, of)
    given: dict[str, Any] = {"hNode": made, "nodeParams": params(a)}
    return i.evolve(**given, **({"hGraphExec": executable(a, of)} if call.startswith("cuGraphExec") else {}))


def entry_of(call: str) -> Entry:
    """Return the entry of a call that changes nodes of a graph or executable graph."""

    def valid(w: World) -> Invocation:
        a = w.process()
        given: dict[str, Any] = dict.fromkeys(("hGraphExec",) if call.startswith("cuGraphExec") else (), 0)
        return setting(call, a.call(call, **given, hNode=0, nodeParams=b""), *GIVEN["a memset"][::-1])

    entry = Entry(call, valid)
    refuse_node(entry, "hNode")
    refuse_params(entry)
    entry.without("not_initialized")  # to such a process the node is garbage, which the driver follows
    entry.breaks("NODE_IS_OF_ITS_KIND", nodeParams=pack(EMPTY, ()))

    @entry.world("CONTEXT_IS_THERE", "", "hNode", "nodeParams", "hGraphExec")
    def in_no_context(_w: World, i: Invocation) -> Invocation:
        made = setting(call, i, of_kernel, GIVEN["a kernel"][0])
        found = kernel(i.process)
        i.process.ok.cuCtxPopCurrent()
        return made.evolve(nodeParams=pack(KERNEL, launch(0, kern=found)))

    for label, (params, make) in GIVEN.items():
        if label != "a child":
            entry.also(label)(lambda _w, i, params=params, make=make: setting(call, i, make, params))
    for label, params in WRONG.items():
        if label != "no child":
            kinds = {name.split()[-1]: one for name, (_, one) in GIVEN.items()}
            made = {"event": recording, "for": waiting, "nothing": filling, "nowhere": filling}
            make = copying if "copy" in label else made.get(label.split()[-1]) or kinds[label.split()[-1]]
            entry.world("PARAMETERS_SUIT_THE_TYPE", label, "hNode", "nodeParams", "hGraphExec")(
                lambda _w, i, params=params, make=make: setting(call, i, make, params)
            )
    entry.answering("PARAMETERS_SUIT_THE_TYPE-no-kernel", code=400)

    @entry.world("PARAMETERS_SUIT_THE_TYPE", "not at once", "hNode", "nodeParams", "hGraphExec")
    def not_at_once(_w: World, i: Invocation) -> Invocation:
        return setting(call, i, together, lambda a: pack(KERNEL, launch(function(a), gridDimX=TOO_MANY)))

    entry.answering("PARAMETERS_SUIT_THE_TYPE-not-at-once", code=720)
    return entry


sets = entry_of("cuGraphNodeSetParams")
executing = entry_of("cuGraphExecNodeSetParams")
refuse_executable(executing, "hGraphExec")
of_the_maker_alone(executing)
executing.without("no_context")
executing.also("in no context", rule="SOME_CONTEXT_IS_THERE")(lambda _w, i: i.process.ok.cuCtxPopCurrent() and None)
executing.breaks("NODE_IS_OF_THE_EXECUTABLE", hNode=lambda i: filling(i.process, graph(i.process)))
executing.breaks(
    "PARAMETERS_SUIT_THE_TYPE",
    "rows",
    nodeParams=lambda i: pack(MEMSET, (*memset(filled(i.process, 0, ROOM), pitch=64, height=2), 0)),
)


for label, owner in (("another child", CLONED), ("another child, whatever the owner", 3)):
    sets.also(label, then=has_another)(embedding_again(lambda i, _: of_graph(node)(i), owner))
sets.also("the graph of the node itself", then=has_another)(embedding_again(lambda _, of: of))
for label, another in {
    "no child": lambda _i, _of: 0,
    "a child with memory": lambda i, _of: allocating(i.process)[0],
    "a child that is embedded": lambda i, _of: owned(i.process),
}.items():
    sets.world("PARAMETERS_SUIT_THE_TYPE", label, "hNode", "nodeParams")(embedding_again(another))
for label in ("a-child-with-memory", "a-child-that-is-embedded"):
    sets.answering(f"PARAMETERS_SUIT_THE_TYPE-{label}", code=801)
sets.undefined("CHILD_IS_CLONED", "", "hNode", "nodeParams", code=1)(
    embedding_again(lambda i, _: graph(i.process), MOVED)
)


@sets.world("TYPE_IS_MODELLED", "of memory", "hNode", "nodeParams")
def of_memory(_w: World, i: Invocation) -> Invocation:
    made = freeing(i.process, allocating(i.process)[1])
    return i.evolve(hNode=made, nodeParams=pack(MEM_FREE, (i.process.ok.cuGraphMemFreeNodeGetParams(made),)))


def child(params: Callable[[Invocation], int], owner: int = CLONED) -> Callable[[World, Invocation], Invocation]:
    """Return a function to a call that gives a child node another graph."""

    def act(_w: World, i: Invocation) -> Invocation:
        made = setting("cuGraphExecNodeSetParams", i, embedding, GIVEN["a child"][0])
        return made.evolve(nodeParams=pack(CHILD, (params(i), owner)))

    return act


OF_A_CHILD = ("hGraphExec", "hNode", "nodeParams")
for label, owner in (("a child", CLONED), ("a child that would move", MOVED)):
    executing.also(label)(child(lambda i: graph(i.process), owner))
executing.world("NODES_ARE_AS_MANY", "", *OF_A_CHILD)(child(of_graph(node)))
executing.world("NODES_ARE_AS_MANY", "of a graph that moves", *OF_A_CHILD)(child(of_graph(node), MOVED))


def inside(first: Callable[[Process, int], Any], second: Callable[[Process, int], Any]) -> Any:
    """Return a function to a call that replaces a child's graph by other nodes."""

    def act(_w: World, i: Invocation) -> Invocation:
        a, of = i.process, graph(i.process)
        made = a.ok.cuGraphAddChildGraphNode(of, None, 0, of_graph(first)(i))
        params = pack(CHILD, (of_graph(second)(i), 0))
        return i.evolve(hGraphExec=executable(a, of), hNode=made, nodeParams=params)

    return act


@executing.world("PARAMETERS_SUIT_THE_TYPE", "a kernel that launches graphs", "hNode", "nodeParams", "hGraphExec")
def launching(_w: World, i: Invocation) -> Invocation:
    return setting("cuGraphExecNodeSetParams", i, of_kernel, lambda a: pack(KERNEL, launch(launcher(a))))


executing.world("KINDS_STAY", "", *OF_A_CHILD)(inside(node, filling))
executing.world("EDGES_STAY", "", *OF_A_CHILD)(
    inside(lambda a, of: (node(a, of), node(a, of)), lambda a, of: node(a, of, node(a, of)))
)
executing.world("REFUSALS_STAY", "", *OF_A_CHILD)(inside(node, refusing))
executing.world("CHILD_HAS_NO_MEMORY", "", *OF_A_CHILD)(child(lambda i: allocating(i.process)[0]))
executing.world("COOPERATION_STAYS", "", *OF_A_CHILD)(
    inside(of_kernel, lambda a, of: with_attribute(a, COOPERATIVE, value(1), of))
)
executing.world("PARAMETERS_FIT", "", *OF_A_CHILD)(inside(filling, rows))

test_graph_add_node = adds.test()
test_graph_node_set_params = sets.test()
test_graph_exec_node_set_params = executing.test()
