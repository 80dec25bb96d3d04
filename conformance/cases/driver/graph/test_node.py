"""Queries of nodes: type, parameters, and the counterpart in a clone.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.graph.conditionals import body, branching, condition, owned, taken_over
from conformance.cases.driver.graph.fixtures import (
    ROOM,
    copy,
    executable,
    graph,
    launch,
    memset,
    node,
    refuse_a_node,
    refuse_graph,
    refuse_node,
)
from conformance.cases.driver.graph.memory import allocating
from conformance.cases.driver.module.fixtures import function
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import CALLS
from fakecuda.spec.launch_config import UPDATABLE, value
from fakecuda.spec.node_params import MEM_FREE, pack

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World


def of_memset(a: Process) -> int:
    made: int = a.ok.cuGraphAddMemsetNode(
        graph(a), None, 0, memset(filled(a, 0, ROOM), pitch=64, width=16, height=2), 0
    )
    return made


def of_memcpy(a: Process) -> int:
    made: int = a.ok.cuGraphAddMemcpyNode(graph(a), None, 0, copy(filled(a, 0, ROOM), filled(a, 1, ROOM)), 0)
    return made


def of_host(a: Process) -> int:
    made: int = a.ok.cuGraphAddHostNode(graph(a), None, 0, (a.c_function("abs"), 0))
    return made


def of_child(a: Process) -> int:
    made: int = a.ok.cuGraphAddChildGraphNode(graph(a), None, 0, graph(a))
    return made


def of_record(a: Process) -> int:
    made: int = a.ok.cuGraphAddEventRecordNode(graph(a), None, 0, a.ok.cuEventCreate(0))
    return made


def of_wait(a: Process) -> int:
    made: int = a.ok.cuGraphAddEventWaitNode(graph(a), None, 0, a.ok.cuEventCreate(0))
    return made


def of_kernel(a: Process, of: int | None = None) -> int:
    of = graph(a) if of is None else of
    made: int = a.ok.cuGraphAddKernelNode(of, None, 0, launch(function(a)))
    return made


def of_nothing(a: Process) -> int:
    return node(a, graph(a))


KINDS: dict[str, Callable[[Process], int]] = {
    "cuGraphMemsetNodeGetParams": of_memset,
    "cuGraphMemcpyNodeGetParams": of_memcpy,
    "cuGraphHostNodeGetParams": of_host,
    "cuGraphChildGraphNodeGetGraph": of_child,
    "cuGraphEventRecordNodeGetEvent": of_record,
    "cuGraphEventWaitNodeGetEvent": of_wait,
}
"""Functions that make nodes with parameters to query."""
UNASKED = {"cuGraphEventRecordNodeGetEvent", "cuGraphEventWaitNodeGetEvent", "cuGraphHostNodeGetParams"}
"""Calls that do not check cuInit."""


def asked(call: str, make: Callable[[Process], int], w: World) -> Invocation:
    """Return a call about a new node."""
    a = w.process()
    return a.call(call, hNode=make(a))


def entry_of(call: str) -> Entry:
    """Return the entry of a call that returns parameters of nodes of one kind."""
    entry = Entry(call, partial(asked, call, KINDS[call]))
    refuse_node(entry, "hNode")
    if call in UNASKED:
        entry.without("not_initialized")  # to such a process the node is garbage, which the driver follows
    entry.null(CALLS[call].outputs[0].name, "RESULT_IS_GIVEN")
    entry.breaks("NODE_IS_OF_ITS_KIND", hNode=lambda i: of_nothing(i.process))
    entry.breaks(
        "NODE_IS_OF_ITS_KIND",
        "another",
        hNode=lambda i: (of_host if call != "cuGraphHostNodeGetParams" else of_memset)(i.process),
    )
    return entry


memsets = entry_of("cuGraphMemsetNodeGetParams")
memcpys = entry_of("cuGraphMemcpyNodeGetParams")
hosts = entry_of("cuGraphHostNodeGetParams")
children = entry_of("cuGraphChildGraphNodeGetGraph")
records = entry_of("cuGraphEventRecordNodeGetEvent")
waits = entry_of("cuGraphEventWaitNodeGetEvent")


@children.after("the graph is a clone, and what is added to it is the node's")
def is_a_clone(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    a, inner = i.process, results[0]
    node(a, inner)
    assert i.run() == (0, inner)


test_graph_memset_node_get_params = memsets.test()
test_graph_memcpy_node_get_params = memcpys.test()
test_graph_host_node_get_params = hosts.test()
test_graph_child_graph_node_get_graph = children.test()
test_graph_event_record_node_get_event = records.test()
test_graph_event_wait_node_get_event = waits.test()

types = Entry("cuGraphNodeGetType", partial(asked, "cuGraphNodeGetType", of_nothing))
refuse_node(types, "hNode")
types.null("type", "RESULT_IS_GIVEN")
types.also("KernelNode", hNode=lambda i: of_kernel(i.process))
for name, made in KINDS.items():
    types.also(name.removeprefix("cuGraph"), hNode=partial(lambda make, i: make(i.process), made))

test_graph_node_get_type = types.test()


def cloned(w: World) -> Invocation:
    a = w.process()
    of = graph(a)
    node(a, of, node(a, of))
    return a.call("cuGraphClone", originalGraph=of)


clones = Entry("cuGraphClone", cloned)
refuse_graph(clones, "originalGraph")
clones.null("phGraphClone", "RESULT_IS_GIVEN")
clones.also("of no nodes", originalGraph=lambda i: graph(i.process))


@clones.also("in which a free was refused", rule="GRAPH_HAS_NO_MEMORY")
def of_a_refusal(_w: World, i: Invocation) -> None:
    a = i.process
    assert a.c.cuGraphAddMemFreeNode(i.args["originalGraph"], None, 0, a.host_memory(ROOM))[0] == Result.INVALID_VALUE


@clones.after("what happens to the one does not happen to the other")
def apart(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    i.process.ok.cuGraphDestroy(i.args["originalGraph"])
    executable(i.process, results[0])


@clones.also("with a child")
def with_child(_w: World, i: Invocation) -> None:
    i.process.ok.cuGraphAddChildGraphNode(i.args["originalGraph"], None, 0, graph(i.process))


@clones.undefined("CONTEXTS_OUTLIVE_KERNELS", "", "originalGraph", code=Result.INVALID_VALUE)
def orphaned(_w: World, i: Invocation) -> Invocation:
    a, of, context = i.process, graph(i.process), i.process.ok.cuCtxCreate(None, 0, i.process.device)
    of_kernel(a, of)
    a.ok.cuCtxDestroy(context)
    a.ok.cuCtxSetCurrent(a.context)
    return i.evolve(originalGraph=of)


clones.breaks("GRAPH_HAS_NO_MEMORY", originalGraph=lambda i: allocating(i.process)[0])
clones.breaks(
    "GRAPH_HAS_NO_MEMORY", "in a child", originalGraph=lambda i: taken_over(i.process, allocating(i.process)[0])
)
clones.breaks("GRAPH_HAS_NO_CONDITIONALS", originalGraph=lambda i: branching(i.process))
clones.breaks("GRAPH_HAS_NO_CONDITIONALS", "a conditional's", originalGraph=lambda i: body(i.process))


@clones.world("GRAPH_IS_NOT_UPDATABLE")
def updatable(_w: World, i: Invocation) -> None:
    made = of_kernel(i.process, i.args["originalGraph"])
    i.process.ok.cuGraphKernelNodeSetAttribute(made, UPDATABLE, value(UPDATABLE, (1, 0)))


clones.also("that was taken over", originalGraph=lambda i: owned(i.process))


@clones.world("GRAPH_HAS_NO_CONDITIONALS", "with a condition")
def with_a_condition(_w: World, i: Invocation) -> None:
    condition(i.process, i.args["originalGraph"])


@clones.also("after an allocation that was refused", rule="GRAPH_HAS_NO_MEMORY")
def after_a_refused_allocation(_w: World, i: Invocation) -> None:
    params = ((1, 0, (1, i.process.device), 0, 0, 0, 0), 0, 0, ROOM, 0)
    refuse_a_node(i.process, i.args["originalGraph"], "cuGraphAddMemAllocNode", params)


@clones.also("after an empty node that was refused")
def after_a_refused_node(_w: World, i: Invocation) -> None:
    refuse_a_node(i.process, i.args["originalGraph"], "cuGraphAddEmptyNode")


@clones.also("after a free that was refused", rule="GRAPH_HAS_NO_MEMORY")
def after_a_refused_free(_w: World, i: Invocation) -> None:
    i.process.c.cuGraphAddNode(i.args["originalGraph"], None, None, 0, pack(MEM_FREE, (0,)))


test_graph_clone = clones.test()


def found(w: World) -> Invocation:
    a = w.process()
    of = graph(a)
    original = node(a, of)
    return a.call("cuGraphNodeFindInClone", hOriginalNode=original, hClonedGraph=a.ok.cuGraphClone(of))


finds = Entry("cuGraphNodeFindInClone", found)
refuse_node(finds, "hOriginalNode")
refuse_graph(finds, "hClonedGraph")
finds.null("phNode", "RESULT_IS_GIVEN")
finds.breaks("CLONE_HAS_THE_NODE", "another graph", hClonedGraph=lambda i: graph(i.process))
finds.breaks("CLONE_HAS_THE_NODE", "another node", hOriginalNode=lambda i: of_nothing(i.process))
finds.breaks(
    "CLONE_HAS_THE_NODE",
    "a clone of the clone",
    hClonedGraph=lambda i: i.process.ok.cuGraphClone(i.args["hClonedGraph"]),
)


@finds.world("CLONE_HAS_THE_NODE", "removed")
def removed(_w: World, i: Invocation) -> None:
    i.process.ok.cuGraphDestroyNode(
        i.process.ok.cuGraphNodeFindInClone(*(i.args[name] for name in ("hOriginalNode", "hClonedGraph")))
    )


@finds.also("in the graph of a child")
def in_child(_w: World, i: Invocation) -> Invocation:
    a, inner = i.process, graph(i.process)
    original = node(a, inner)
    child: Any = a.ok.cuGraphAddChildGraphNode(graph(a), None, 0, inner)
    return i.evolve(hOriginalNode=original, hClonedGraph=a.ok.cuGraphChildGraphNodeGetGraph(child))


test_graph_node_find_in_clone = finds.test()
