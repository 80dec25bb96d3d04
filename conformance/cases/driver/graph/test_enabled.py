"""cuGraphNodeSetEnabled, cuGraphNodeGetEnabled: nodes of executable graphs.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.graph.fixtures import (
    ROOM,
    copy,
    executable,
    graph,
    node,
    of_memset,
    of_the_maker_alone,
    refuse_executable,
    refuse_node,
)
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World


def filling(a: Process, of: int) -> int:
    return of_memset(a, filled(a, 0, ROOM), of=of)


def copying(a: Process, of: int) -> int:
    made: int = a.ok.cuGraphAddMemcpyNode(of, None, 0, copy(filled(a, 0, ROOM), filled(a, 1, ROOM)), 0)
    return made


def calling(a: Process, of: int) -> int:
    made: int = a.ok.cuGraphAddHostNode(of, None, 0, (a.c_function("abs"), 0))
    return made


def recording(a: Process, of: int) -> int:
    made: int = a.ok.cuGraphAddEventRecordNode(of, None, 0, a.ok.cuEventCreate(0))
    return made


def embedding(a: Process, of: int) -> int:
    made: int = a.ok.cuGraphAddChildGraphNode(of, None, 0, graph(a))
    return made


KINDS = {"an empty node": node, "a host node": calling, "an event": recording, "a child": embedding}
"""Functions that make nodes which cannot be disabled."""


def of_node(make: Callable[[Process, int], int], i: Invocation) -> Invocation:
    """Return the call about a new node of an executable graph."""
    a, of = i.process, graph(i.process)
    made = make(a, of)
    return i.evolve(hGraphExec=executable(a, of), hNode=made)


def entry_of(call: str, **given: Any) -> Entry:
    """Return the entry of either call."""

    def valid(w: World) -> Invocation:
        a = w.process()
        return of_node(filling, a.call(call, hGraphExec=0, hNode=0, **given))

    entry = Entry(call, valid)
    refuse_executable(entry, "hGraphExec")
    refuse_node(entry, "hNode")
    entry.breaks("NODE_IS_OF_THE_EXECUTABLE", hNode=lambda i: filling(i.process, graph(i.process)))
    for name, make in KINDS.items():
        entry.world("NODE_CAN_BE_DISABLED", name, "hGraphExec", "hNode")(lambda _w, i, make=make: of_node(make, i))
    entry.also("a copy")(lambda _w, i: of_node(copying, i))
    entry.also("a kernel")(lambda _w, i: of_node(of_kernel, i))
    entry.also("without a current context")(lambda _w, i: i.process.ok.cuCtxPopCurrent() and None)

    @entry.also("a node added later", rule="NODE_IS_OF_THE_EXECUTABLE")
    def added_later(_w: World, i: Invocation) -> Invocation:
        of = graph(i.process)
        made = executable(i.process, of)
        return i.evolve(hGraphExec=made, hNode=filling(i.process, of))

    @entry.also("a node of a child")
    def inner(_w: World, i: Invocation) -> Invocation:
        a, of, embedded = i.process, graph(i.process), graph(i.process)
        original = filling(a, embedded)
        child = a.ok.cuGraphAddChildGraphNode(of, None, 0, embedded)
        found = a.ok.cuGraphNodeFindInClone(original, a.ok.cuGraphChildGraphNodeGetGraph(child))
        return i.evolve(hGraphExec=executable(a, of), hNode=found)

    of_the_maker_alone(entry)
    entry.without("not_initialized")  # to such a process the node is garbage, which the driver follows
    return entry


def tells(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the node reports its setting."""
    enabled = i.process.ok.cuGraphNodeGetEnabled(i.args["hGraphExec"], i.args["hNode"])
    assert enabled == bool(i.args["isEnabled"])


sets = entry_of("cuGraphNodeSetEnabled", isEnabled=0)
sets.then = tells
for value in (1, 2):
    sets.also(f"{value}", isEnabled=value, then=tells)


@sets.also("a launch leaves it out")
def left_out(_w: World, i: Invocation) -> Invocation:
    a, of, place = i.process, graph(i.process), filled(i.process, 0, ROOM)
    first = of_memset(a, place, 7, of)
    made = executable(a, of)
    for enabled, value in ((0, 0), (1, 7)):
        a.ok.cuGraphNodeSetEnabled(made, first, enabled)
        a.ok.cuGraphLaunch(made, 0)
        a.ok.cuCtxSynchronize()
        assert content(a, place) == bytes([value] * 4)
    return i


tells_of = entry_of("cuGraphNodeGetEnabled")
tells_of.null("isEnabled", "RESULT_IS_GIVEN")


@tells_of.also("one that was disabled")
def disabled(_w: World, i: Invocation) -> None:
    i.process.ok.cuGraphNodeSetEnabled(i.args["hGraphExec"], i.args["hNode"], 0)


test_graph_node_set_enabled = sets.test()
test_graph_node_get_enabled = tells_of.test()
