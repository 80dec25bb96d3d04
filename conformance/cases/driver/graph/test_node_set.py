"""Changes of nodes: parameters, functions and events.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.graph.fixtures import ROOM, copy, executable, graph, memset, refuse_event, refuse_node
from conformance.cases.driver.graph.test_node import of_host, of_memcpy, of_memset, of_nothing, of_record, of_wait
from conformance.cases.driver.va.fixtures import NOWHERE, content
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def run(i: Invocation, of: int) -> None:
    """Launch a graph, and wait for it."""
    i.process.ok.cuGraphLaunch(executable(i.process, of), 0)
    i.process.ok.cuStreamSynchronize(0)


def valid_memset(w: World) -> Invocation:
    a = w.process()
    return a.call("cuGraphMemsetNodeSetParams", hNode=of_memset(a), nodeParams=memset(filled(a, 0, ROOM), 9))


def tells(call: str, _: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the node reports its new parameters."""
    told = getattr(i.process.ok, call)(i.args["hNode"])
    assert told == list(i.args.values())[-1]


memsets = Entry("cuGraphMemsetNodeSetParams", valid_memset, partial(tells, "cuGraphMemsetNodeGetParams"))
for size in (0, 3):
    memsets.breaks(
        "ELEMENTS_ARE_VALUES", f"{size}", nodeParams=lambda i, size=size: (*i.args["nodeParams"][:3], size, 16, 1)
    )
memsets.breaks("SOMETHING_IS_SET", nodeParams=lambda i: (*i.args["nodeParams"][:4], 0, 1))
memsets.breaks("MEMORY_IS_USABLE", nodeParams=memset(NOWHERE))


@memsets.also("memory of a pool, of a node that has no context")
def none_was_current(_w: World, i: Invocation) -> Invocation:
    a = i.process
    pooled, place = a.ok.cuMemAllocAsync(ROOM, 0), filled(a, 0, ROOM)
    context = a.ok.cuCtxPopCurrent()
    node = a.ok.cuGraphAddMemsetNode(graph(a), None, 0, memset(place), 0)
    a.ok.cuCtxPushCurrent(context)
    return i.evolve(hNode=node, nodeParams=memset(pooled))


@memsets.world("MEMORY_HAS_A_CONTEXT", "no context is current", "nodeParams")
def nowhere(_w: World, i: Invocation) -> Invocation:
    pooled = i.process.ok.cuMemAllocAsync(ROOM, 0)
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(nodeParams=memset(pooled))


@memsets.also("memory of a context, and no context is current")
def popped(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxPopCurrent()


@memsets.also("what was made of the graph before does as it did")
def as_before(_w: World, i: Invocation) -> Invocation:
    a, of, place = i.process, graph(i.process), filled(i.process, 0, ROOM)
    node = a.ok.cuGraphAddMemsetNode(of, None, 0, memset(place, 7), 0)
    made = executable(a, of)
    a.ok.cuGraphMemsetNodeSetParams(node, memset(place, 9))
    a.ok.cuGraphLaunch(made, 0)
    a.ok.cuStreamSynchronize(0)
    assert content(a, place) == bytes([7] * 4)
    run(i, of)
    assert content(a, place) == bytes([9] * 4)
    return i


def valid_memcpy(w: World) -> Invocation:
    a = w.process()
    return a.call(
        "cuGraphMemcpyNodeSetParams", hNode=of_memcpy(a), nodeParams=copy(filled(a, 2, ROOM), filled(a, 3, ROOM))
    )


memcpys = Entry("cuGraphMemcpyNodeSetParams", valid_memcpy, partial(tells, "cuGraphMemcpyNodeGetParams"))
for index in (22, 23, 24):
    memcpys.breaks(
        "SOMETHING_IS_COPIED",
        f"{index}",
        nodeParams=lambda i, index=index: tuple(0 if n == index else one for n, one in enumerate(i.args["nodeParams"])),
    )
memcpys.breaks("MEMORY_IS_USABLE", nodeParams=lambda i: copy(NOWHERE, filled(i.process, 0, ROOM)))


def valid_host(w: World) -> Invocation:
    a = w.process()
    return a.call("cuGraphHostNodeSetParams", hNode=of_host(a), nodeParams=(a.c_function("abs"), 8))


hosts = Entry("cuGraphHostNodeSetParams", valid_host, partial(tells, "cuGraphHostNodeGetParams"))
hosts.breaks("FUNCTION_IS_GIVEN", nodeParams=(0, 8))


def valid_event(call: str, make: Any, w: World) -> Invocation:
    """Return a call with a new event."""
    a = w.process()
    return a.call(call, hNode=make(a), event=a.ok.cuEventCreate(0))


records, waits = (
    Entry(f"{call}SetEvent", partial(valid_event, f"{call}SetEvent", make), partial(tells, f"{call}GetEvent"))
    for call, make in (("cuGraphEventRecordNode", of_record), ("cuGraphEventWaitNode", of_wait))
)
for entry in (records, waits):
    refuse_event(entry)
for entry in (memsets, memcpys, hosts):
    entry.breaks("PARAMETERS_ARE_GIVEN", nodeParams=None)
for entry in (memsets, memcpys, hosts, records, waits):
    entry.without("not_initialized")  # to such a process the node is garbage, which the driver follows
    refuse_node(entry, "hNode")
    entry.breaks("NODE_IS_OF_ITS_KIND", hNode=lambda i: of_nothing(i.process))
    entry.also("without a current context")(lambda _w, i: i.process.ok.cuCtxPopCurrent() and None)

test_graph_memset_node_set_params = memsets.test()
test_graph_memcpy_node_set_params = memcpys.test()
test_graph_host_node_set_params = hosts.test()
test_graph_event_record_node_set_event = records.test()
test_graph_event_wait_node_set_event = waits.test()
