"""Changes of nodes in executable graphs.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.cases.driver.array.fixtures import array
from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.graph.changing_steps import (
    ROWS,
    elsewhere,
    entry_of,
    of_graph,
    of_rows,
    pair,
    refuse_context,
    runs,
    waiting,
)
from conformance.cases.driver.graph.fixtures import (
    ARRAY,
    DEVICE,
    ROOM,
    UNIFIED,
    between,
    copy,
    executable,
    graph,
    launch,
    memset,
    node,
    of_memset,
    refuse_event,
    refuse_graph,
    refusing,
)
from conformance.cases.driver.graph.making_executable import abroad, captured_elsewhere, event_gone, of_launcher
from conformance.cases.driver.graph.memory import allocating
from conformance.cases.driver.graph.test_enabled import calling, copying, embedding, filling, recording
from conformance.cases.driver.graph.test_kernel_attribute import COOPERATIVE, TOO_MANY, together, value, with_attribute
from conformance.cases.driver.graph.test_kernel_node import refuse_launch
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.cases.driver.module.fixtures import function, launcher
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream
from conformance.cases.driver.va.fixtures import NOWHERE, content
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.world import Invocation, Process, World

LAUNCHED_BY_DEVICES = ENUMS["CUgraphInstantiate_flags"]["CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH"]

memsets = entry_of(
    "cuGraphExecMemsetNodeSetParams", filling, lambda a: {"memsetParams": memset(filled(a, 0, ROOM), 9), "ctx": 0}
)
refuse_context(memsets)
memsets.breaks("PARAMETERS_ARE_GIVEN", memsetParams=None)
memsets.breaks("ELEMENTS_ARE_VALUES", memsetParams=lambda i: memset(filled(i.process, 0, ROOM), elementSize=3))
memsets.breaks("SOMETHING_IS_SET", memsetParams=lambda i: memset(filled(i.process, 0, ROOM), width=0))
memsets.breaks("MEMORY_IS_USABLE", memsetParams=memset(NOWHERE))
memsets.breaks("SHAPE_STAYS", memsetParams=lambda i: memset(filled(i.process, 0, ROOM), pitch=64, height=2))


@memsets.world("MEMORY_STAYS", "of another context", "memsetParams")
def memory_of_another_context(_w: World, i: Invocation) -> Invocation:
    return i.evolve(memsetParams=memset(elsewhere(i.process)))


memsets.world("MEMORY_STAYS", "of a captured memset of another context", "memsetParams")(captured_elsewhere)
memsets.also("memory of a pool", memsetParams=lambda i: memset(i.process.ok.cuMemAllocAsync(ROOM, 0)))
memsets.also("managed memory", memsetParams=lambda i: memset(i.process.ok.cuMemAllocManaged(ROOM, 1)))
memsets.also("another width", memsetParams=lambda i: memset(filled(i.process, 0, ROOM), width=32), then=runs)
memsets.also(
    "other elements", memsetParams=lambda i: memset(filled(i.process, 0, ROOM), elementSize=4, width=4), then=runs
)


for label, members, fits in (
    ("the same rows", {}, True),
    ("wider rows", {"width": 32}, False),
    ("more rows", {"height": 3}, False),
    ("one row", {"height": 1}, False),
    ("rows elsewhere", {"pitch": 128}, False),
):

    @memsets.also(label, rule="" if fits else "SHAPE_STAYS")
    def of_some_rows(_w: World, i: Invocation, members: dict[str, int] = members) -> Invocation:
        a, of = i.process, graph(i.process)
        made = of_rows(a, of)
        params = memset(filled(a, 0, ROOM), 9, **(ROWS | members))
        return i.evolve(hGraphExec=executable(a, of), hNode=made, memsetParams=params)


@memsets.also("the node stays as it was")
def stays(_w: World, i: Invocation) -> Invocation:
    a, of, place = i.process, graph(i.process), filled(i.process, 0, ROOM)
    first = of_memset(a, place, 7, of)
    made = executable(a, of)
    a.ok.cuGraphExecMemsetNodeSetParams(made, first, memset(place, 9), 0)
    for launched, filling_with in ((made, 9), (executable(a, of), 7)):
        a.ok.cuGraphLaunch(launched, 0)
        a.ok.cuCtxSynchronize()
        assert content(a, place) == bytes([filling_with] * 4)
    return i


@memsets.also("a launch under way")
def under_way(w: World, i: Invocation) -> Invocation:
    a, of, place, working = i.process, graph(i.process), filled(i.process, 0, ROOM), stream(i.process, NON_BLOCKING)
    first = of_memset(a, place, 7, of)
    made = executable(a, of)
    unblock = block(w, a, working)
    a.ok.cuGraphLaunch(made, working)
    a.ok.cuGraphExecMemsetNodeSetParams(made, first, memset(place, 9), 0)
    unblock()
    a.ok.cuStreamSynchronize(working)
    assert content(a, place) == bytes([7] * 4)
    return i


@memsets.also("changed edges")
def changed_edges(_w: World, i: Invocation) -> Invocation:
    a, of, place = i.process, graph(i.process), filled(i.process, 0, ROOM)
    first, second = of_memset(a, place, 7, of), of_memset(a, place, 8, of)
    a.ok.cuGraphAddDependencies(of, (first,), (second,), None, 1)
    made = executable(a, of)
    a.ok.cuGraphRemoveDependencies(of, (first,), (second,), None, 1)
    a.ok.cuGraphAddDependencies(of, (second,), (first,), None, 1)
    return i.evolve(hGraphExec=made, hNode=first)


memcpys = entry_of(
    "cuGraphExecMemcpyNodeSetParams",
    copying,
    lambda a: {"copyParams": copy(filled(a, 2, ROOM), filled(a, 3, ROOM)), "ctx": 0},
)
refuse_context(memcpys)
memcpys.breaks("PARAMETERS_ARE_GIVEN", copyParams=None)
memcpys.breaks(
    "SOMETHING_IS_COPIED", copyParams=lambda i: copy(filled(i.process, 2, ROOM), filled(i.process, 3, ROOM), 0)
)
memcpys.breaks("MEMORY_IS_USABLE", copyParams=lambda i: copy(NOWHERE, filled(i.process, 0, ROOM)))
memcpys.breaks("SHAPE_STAYS", copyParams=lambda i: (*i.args["copyParams"][:-2], 2, 1))
memcpys.breaks(
    "MEMORY_STAYS", copyParams=lambda i: copy(i.process.ok.cuMemAllocAsync(ROOM, 0), filled(i.process, 3, ROOM))
)
memcpys.breaks(
    "MEMORY_STAYS",
    "to another type",
    copyParams=lambda i: between((UNIFIED, filled(i.process, 2, ROOM)), (DEVICE, filled(i.process, 3, ROOM)), 16),
)
memcpys.breaks(
    "MEMORY_STAYS",
    "from another context",
    copyParams=lambda i: copy(filled(i.process, 2, ROOM), elsewhere(i.process)),
)


@memcpys.world("MEMORY_STAYS", "from a pool in a graph that devices can launch", "copyParams")
def from_a_pool(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    first, second, third = (filled(a, value, ROOM) for value in (1, 2, 3))
    node = a.ok.cuGraphAddMemcpyNode(of, None, 0, copy(first, second), a.ok.cuCtxGetCurrent())
    return i.evolve(
        hGraphExec=a.ok.cuGraphInstantiate(of, LAUNCHED_BY_DEVICES),
        hNode=node,
        copyParams=copy(a.ok.cuMemAllocAsync(ROOM, 0), third),
        ctx=a.ok.cuCtxGetCurrent(),
    )


memcpys.breaks(
    "MEMORY_STAYS",
    "to an array",
    copyParams=lambda i: between((ARRAY, array(i.process, ROOM)), (DEVICE, filled(i.process, 3, ROOM)), 16),
)


@memcpys.world("MEMORY_STAYS", "to another device", "copyParams")
def to_another_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)
    other = i.process.ok.cuMemAlloc(ROOM)
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(copyParams=copy(other, filled(i.process, 3, ROOM)))


memcpys.also("to another context", copyParams=lambda i: copy(elsewhere(i.process), filled(i.process, 3, ROOM)))
memcpys.also("managed memory", copyParams=lambda i: copy(*(i.process.ok.cuMemAllocManaged(ROOM, 1) for _ in range(2))))
memcpys.also("page-locked memory", copyParams=lambda i: copy(*(i.process.ok.cuMemHostAlloc(ROOM, 0) for _ in range(2))))
memcpys.also(
    "more bytes", copyParams=lambda i: copy(filled(i.process, 2, ROOM), filled(i.process, 3, ROOM), 32), then=runs
)


def launched_by_devices(i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    made = a.ok.cuGraphAddMemcpyNode(of, None, 0, copy(filled(a, 2, ROOM), filled(a, 3, ROOM)), 0)
    return i.evolve(hGraphExec=a.ok.cuGraphInstantiate(of, LAUNCHED_BY_DEVICES), hNode=made)


@memcpys.also("from another context, in a graph that devices can launch")
def from_anywhere(_w: World, i: Invocation) -> Invocation:
    made = launched_by_devices(i)
    return made.evolve(copyParams=copy(filled(i.process, 2, ROOM), elsewhere(i.process)))


@memcpys.world("SHAPE_STAYS", "in a graph that devices can launch", "hGraphExec", "hNode", "copyParams")
def of_another_shape(_w: World, i: Invocation) -> Invocation:
    made = launched_by_devices(i)
    return made.evolve(copyParams=(*i.args["copyParams"][:-2], 2, 1))


hosts = entry_of("cuGraphExecHostNodeSetParams", calling, lambda a: {"nodeParams": (a.c_function("abs"), 8)})
hosts.breaks("PARAMETERS_ARE_GIVEN", nodeParams=None)
hosts.breaks("FUNCTION_IS_GIVEN", nodeParams=(0, 8))


def compiled(a: Process) -> dict[str, Any]:
    return {"nodeParams": launch(function(a, b"exact"), gridDimX=2)}


kernels = entry_of("cuGraphExecKernelNodeSetParams", of_kernel, compiled)
refuse_launch(kernels)


@kernels.world("CONTEXT_STAYS", "", "nodeParams")
def of_another_context(_w: World, i: Invocation) -> Invocation:
    a = i.process
    a.ok.cuCtxCreate(None, 0, a.device)
    other = function(a)
    a.ok.cuCtxPopCurrent()
    return i.evolve(nodeParams=launch(other))


@kernels.world("LAUNCHERS_STAY", "", "nodeParams")
def launching(_w: World, i: Invocation) -> Invocation:
    return i.evolve(nodeParams=launch(launcher(i.process)))


@kernels.world("LAUNCHERS_STAY", "where one of another context was", "hGraphExec", "hNode", "nodeParams")
def launching_abroad(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    abroad(a, of, of_launcher)
    made = of_kernel(a, of)
    return i.evolve(hGraphExec=executable(a, of), hNode=made, nodeParams=launch(launcher(a)))


for label, first, flags in (
    ("where one was", of_launcher, 0),
    ("for launches by devices", of_kernel, 4),
    ("for one that launches none", of_launcher, 4),
):

    @kernels.also(f"a kernel that launches graphs, {label}")
    def launching_again(_w: World, i: Invocation, first: Any = first, flags: int = flags) -> Invocation:
        a, of = i.process, graph(i.process)
        made = first(a, of)
        return i.evolve(hGraphExec=a.ok.cuGraphInstantiate(of, flags), hNode=made, nodeParams=launch(launcher(a)))


@kernels.also("a kernel that launches graphs, where another node did")
def launching_elsewhere(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    of_launcher(a, of)
    made = of_kernel(a, of)
    return i.evolve(hGraphExec=executable(a, of), hNode=made, nodeParams=launch(launcher(a)))


@kernels.also("a kernel that launches graphs, where none does any more")
def launching_as_before(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    made = of_launcher(a, of)
    held = executable(a, of)
    a.ok.cuGraphExecKernelNodeSetParams(held, made, launch(function(a)))
    return i.evolve(hGraphExec=held, hNode=made, nodeParams=launch(launcher(a)))


@kernels.world("GRID_RUNS_AT_ONCE", "", "hGraphExec", "hNode", "nodeParams")
def not_at_once(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    made = together(a, of)
    large = launch(function(a), gridDimX=TOO_MANY)
    return i.evolve(hGraphExec=executable(a, of), hNode=made, nodeParams=large)


def abroad_event(a: Process) -> int:
    """Return an event of a context that is not current."""
    a.ok.cuCtxCreate(None, 0, a.device)
    event: int = a.ok.cuEventCreate(0)
    a.ok.cuCtxPopCurrent()
    return event


records = entry_of("cuGraphExecEventRecordNodeSetEvent", recording, lambda a: {"event": a.ok.cuEventCreate(0)})
waits = entry_of("cuGraphExecEventWaitNodeSetEvent", waiting, lambda a: {"event": a.ok.cuEventCreate(0)})
for entry, label in ((records, "a record"), (waits, "a wait")):
    refuse_event(entry)
    entry.breaks("EVENT_KEEPS_THE_CONTEXT", event=lambda i: abroad_event(i.process))
    entry.world("EVENTS_ARE_LIVE", "", "hGraphExec", "hNode")(partial(event_gone, label=label))


children = entry_of("cuGraphExecChildGraphNodeSetParams", embedding, lambda a: {"childGraph": graph(a)})
refuse_graph(children, "childGraph")
children.breaks("NODES_ARE_AS_MANY", childGraph=of_graph(node))
children.breaks("CHILD_HAS_NO_MEMORY", childGraph=lambda i: allocating(i.process)[0])


@children.world("CHILD_HAS_NO_MEMORY", "a free that was refused", "childGraph")
def refused_free(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    assert a.c.cuGraphAddMemFreeNode(of, None, 0, NOWHERE)[0] == Result.INVALID_VALUE
    return i.evolve(childGraph=of)


def embedded(i: Invocation, *inside: Any) -> Invocation:
    """Return the call about a child node with some nodes."""
    a, of, inner = i.process, graph(i.process), graph(i.process)
    for make in inside:
        make(a, inner)
    child = a.ok.cuGraphAddChildGraphNode(of, None, 0, inner)
    return i.evolve(hGraphExec=executable(a, of), hNode=child)


def instead(old: Any, new: Any) -> Callable[[World, Invocation], Invocation]:
    """Return what makes the call about a child that has some nodes, with a graph that has others."""
    return lambda _w, i: embedded(i, old).evolve(childGraph=of_graph(new)(i))


PLACES = ("hGraphExec", "hNode", "childGraph")
children.world("KINDS_STAY", "", *PLACES)(instead(filling, node))
children.world("EDGES_STAY", "", *PLACES)(instead(pair, lambda a, of: (node(a, of), node(a, of))))
children.world("REFUSALS_STAY", "", *PLACES)(instead(node, refusing))
children.world("PARAMETERS_FIT", "rows", *PLACES)(instead(filling, of_rows))
children.world("PARAMETERS_FIT", "a kernel that launches graphs", *PLACES)(instead(of_kernel, of_launcher))
children.also("a kernel that launches graphs, where one did")(instead(of_launcher, of_launcher))


@children.also("a node that was refused before")
def refused_before(_w: World, i: Invocation) -> Invocation:
    made = embedded(i, refusing)
    own = i.process.ok.cuGraphChildGraphNodeGetGraph(made.args["hNode"])
    return made.evolve(childGraph=i.process.ok.cuGraphClone(own))


@children.also("other memory")
def other_memory(_w: World, i: Invocation) -> Invocation:
    def managed(a: Process, of: int) -> int:
        return of_memset(a, a.ok.cuMemAllocManaged(ROOM, 1), of=of)

    return embedded(i, filling).evolve(childGraph=of_graph(managed)(i))


@children.world("PARAMETERS_FIT", "another context", "hGraphExec", "hNode", "childGraph")
def another_context(_w: World, i: Invocation) -> Invocation:
    a, broken = i.process, embedded(i, of_kernel)
    a.ok.cuCtxCreate(None, 0, a.device)
    other = of_graph(of_kernel)(i)
    a.ok.cuCtxPopCurrent()
    return broken.evolve(childGraph=other)


@children.world("COOPERATION_STAYS", "", "hGraphExec", "hNode", "childGraph")
def cooperation(_w: World, i: Invocation) -> Invocation:
    def cooperative(a: Process, of: int) -> int:
        return with_attribute(a, COOPERATIVE, value(1), of)

    return embedded(i, of_kernel).evolve(childGraph=of_graph(cooperative)(i))


@children.also("it does what the other graph does")
def other_values(_w: World, i: Invocation) -> Invocation:
    a, of, inner, other = i.process, *(graph(i.process) for _ in range(3))
    place = filled(a, 0, ROOM)
    of_memset(a, place, 7, inner)
    of_memset(a, place, 9, other)
    child = a.ok.cuGraphAddChildGraphNode(of, None, 0, inner)
    made = executable(a, of)
    a.ok.cuGraphExecChildGraphNodeSetParams(made, child, other)
    a.ok.cuGraphLaunch(made, 0)
    a.ok.cuCtxSynchronize()
    assert content(a, place) == bytes([9] * 4)
    return i


test_graph_exec_memset_node_set_params = memsets.test()
test_graph_exec_memcpy_node_set_params = memcpys.test()
test_graph_exec_host_node_set_params = hosts.test()
test_graph_exec_kernel_node_set_params = kernels.test()
test_graph_exec_event_record_node_set_event = records.test()
test_graph_exec_event_wait_node_set_event = waits.test()
test_graph_exec_child_graph_node_set_params = children.test()
