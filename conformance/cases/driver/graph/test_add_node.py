"""Calls that add nodes to a graph, with dependencies.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.cases.driver.context.fixtures import GARBAGE, ended
from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.copy.test_memcpy_peer import destroyed
from conformance.cases.driver.graph.conditionals import body, branching, embedded, owned
from conformance.cases.driver.graph.fixtures import (
    ROOM,
    copy,
    executable,
    graph,
    memset,
    node,
    refuse_event,
    refuse_graph,
    refuse_place,
)
from conformance.cases.driver.graph.memory import allocating, freed_elsewhere
from conformance.cases.driver.va.fixtures import NOWHERE, content, freed, half_mapped
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE, access, pinned
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

NEW = 7


def run(a: Process, of: Any) -> None:
    """Launch a graph, and wait for it."""
    a.ok.cuGraphLaunch(executable(a, of), 0)
    a.ok.cuStreamSynchronize(0)


def call_of(a: Process, call: str, **args: Any) -> Invocation:
    """Return a call that adds a node to a new graph."""
    return a.call(call, hGraph=graph(a), dependencies=None, numDependencies=0, **args)


empties = Entry("cuGraphAddEmptyNode", lambda w: call_of(w.process(), "cuGraphAddEmptyNode"))
refuse_place(empties)


def unusable(entry: Entry, name: str, change: Any) -> None:
    """Add the cases of a memory address that the node cannot use."""
    places: dict[str, Any] = {
        "null": 0,
        "nowhere": NOWHERE,
        "freed": lambda i: freed(i.process),
        "without access": lambda i: half_mapped(i.process, 0),
        "past the mapping": lambda i: half_mapped(i.process) + GRANULE - 8,
    }
    for label, place in places.items():
        entry.breaks("MEMORY_IS_USABLE", f"{name} {label}", **change(place))


def valid_memset(w: World) -> Invocation:
    a = w.process()
    return call_of(a, "cuGraphAddMemsetNode", memsetParams=memset(filled(a, 0, ROOM), NEW), ctx=a.context)


def was_set(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that a launch sets only the bytes of the node."""
    run(i.process, i.args["hGraph"])
    assert content(i.process, i.args["memsetParams"][0], 20) == bytes([NEW] * 16 + [0] * 4)


def described(**members: Any) -> dict[str, Any]:
    """Return an argument: the valid memset with other members."""
    places = ("dst", "pitch", "value", "elementSize", "width", "height")

    def make(i: Invocation) -> tuple[Any, ...]:
        named = dict(zip(places, i.args["memsetParams"], strict=True))
        return tuple((named | {k: v(i) if callable(v) else v for k, v in members.items()}).values())

    return {"memsetParams": make}


memsets = Entry("cuGraphAddMemsetNode", valid_memset, was_set)
refuse_place(memsets)
memsets.breaks("PARAMETERS_ARE_GIVEN", memsetParams=None)
for size in (0, 3, 8):
    memsets.breaks("ELEMENTS_ARE_VALUES", f"{size}", **described(elementSize=size))
memsets.breaks("SOMETHING_IS_SET", "no columns", **described(width=0))
memsets.breaks("SOMETHING_IS_SET", "no rows", **described(height=0))
memsets.breaks("MEMORY_IS_USABLE", "pitch spans the row", **described(height=2, pitch=8))
memsets.breaks("MEMORY_IS_USABLE", "pitch is aligned", **described(height=2, pitch=18, elementSize=4, width=4))
memsets.breaks(
    "MEMORY_IS_USABLE",
    "pointer is aligned",
    **described(elementSize=4, width=2, dst=lambda i: i.args["memsetParams"][0] + 1),
)
memsets.breaks("MEMORY_IS_USABLE", "past the end", **described(width=1 << 30))
unusable(memsets, "dst", lambda value: described(dst=value))
memsets.breaks("MEMORY_HAS_A_CONTEXT", ctx=0, **described(dst=lambda i: i.process.ok.cuMemAllocAsync(ROOM, 0)))
memsets.breaks("MEMORY_HAS_A_CONTEXT", "of a mapping", ctx=0, **described(dst=lambda i: half_mapped(i.process)))
memsets.also("memory of a graph", **described(dst=lambda i: allocating(i.process)[1]))
memsets.also("memory of a graph that another graph frees", **described(dst=lambda i: freed_elsewhere(i.process)))
memsets.breaks(
    "MEMORY_IS_USABLE",
    "memory of a graph that frees it",
    **described(dst=lambda i: allocating(i.process, frees=True)[1]),
)
memsets.also("memory of a pool", **described(dst=lambda i: i.process.ok.cuMemAllocAsync(ROOM, 0)))
memsets.also("of values of four bytes", **described(elementSize=4, width=4))
memsets.also("of rows", **described(height=2, pitch=64))


@memsets.also("memory of another device")
def on_another_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)
    other = filled(i.process, 0, ROOM)
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(memsetParams=memset(other, NEW))


def valid_memcpy(w: World) -> Invocation:
    a = w.process()
    return call_of(a, "cuGraphAddMemcpyNode", copyParams=copy(filled(a, 0, ROOM), filled(a, NEW, ROOM)), ctx=a.context)


def was_copied(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that a launch copies only the bytes of the node."""
    run(i.process, i.args["hGraph"])
    assert content(i.process, i.args["copyParams"][17], 20) == bytes([NEW] * 16 + [0] * 4)


def at(place: int, value: Any) -> dict[str, Any]:
    """Return an argument: the valid copy with another member."""

    def make(i: Invocation) -> tuple[Any, ...]:
        members = list(i.args["copyParams"])
        members[place] = value(i) if callable(value) else value
        return tuple(members)

    return {"copyParams": make}


memcpys = Entry("cuGraphAddMemcpyNode", valid_memcpy, was_copied)
refuse_place(memcpys)
memcpys.breaks("PARAMETERS_ARE_GIVEN", copyParams=None)
for name, index in (("bytes", 22), ("rows", 23), ("slices", 24)):
    memcpys.breaks("SOMETHING_IS_COPIED", f"no {name}", **at(index, 0))
for side, kind, address in (("dst", 15, 17), ("src", 4, 6)):
    memcpys.breaks("MEMORY_IS_USABLE", f"{side} of no kind", **at(kind, 5))
    memcpys.breaks("MEMORY_IS_USABLE", f"{side} a null array", **at(kind, 3))
    unusable(memcpys, side, partial(at, address))
memcpys.also(
    "a mapping without access and no context", ctx=0, then=ended, **at(17, lambda i: i.process.mapped(grant=False)[0])
)


def valid_host(w: World) -> Invocation:
    a = w.process()
    return call_of(a, "cuGraphAddHostNode", nodeParams=(a.c_function("sem_post"), a.ok.cuMemAllocHost(ROOM)))


def was_called(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that a launch calls the function once."""
    before = content(i.process, i.args["nodeParams"][1])[0]
    run(i.process, i.args["hGraph"])
    assert content(i.process, i.args["nodeParams"][1])[0] == before + 1


hosts = Entry("cuGraphAddHostNode", valid_host, was_called)
refuse_place(hosts)
hosts.breaks("PARAMETERS_ARE_GIVEN", nodeParams=None)
hosts.breaks("FUNCTION_IS_GIVEN", nodeParams=lambda i: (0, i.args["nodeParams"][1]))


def valid_child(w: World) -> Invocation:
    a = w.process()
    inner = graph(a)
    node(a, inner)
    return call_of(a, "cuGraphAddChildGraphNode", childGraph=inner)


def is_a_clone(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the child is a clone, so that the graph can be destroyed."""
    i.process.ok.cuGraphDestroy(i.args["childGraph"])
    run(i.process, i.args["hGraph"])


children = Entry("cuGraphAddChildGraphNode", valid_child, is_a_clone)
refuse_place(children)
refuse_graph(children, "childGraph")


children.breaks("GRAPH_HAS_NO_MEMORY", childGraph=lambda i: allocating(i.process)[0])
children.breaks("GRAPH_HAS_NO_CONDITIONALS", childGraph=lambda i: branching(i.process))
for label, make in (("of a child", embedded), ("taken over", owned), ("of a conditional", body)):
    children.breaks("GRAPH_IS_ITS_OWN", label, childGraph=lambda i, make=make: make(i.process))


@children.undefined("CHILD_IS_NO_PARENT", "itself", "childGraph", code=1)
def itself(_w: World, i: Invocation) -> Invocation:
    return i.evolve(childGraph=i.args["hGraph"])


@children.undefined("CHILD_IS_NO_PARENT", "its parent", "childGraph", "hGraph", code=1)
def parent(_w: World, i: Invocation) -> Invocation:
    a, outer = i.process, i.args["hGraph"]
    child = a.ok.cuGraphAddChildGraphNode(outer, None, 0, graph(a))
    return i.evolve(childGraph=outer, hGraph=a.ok.cuGraphChildGraphNodeGetGraph(child))


def valid_event(call: str, w: World) -> Invocation:
    """Return a call for a new event."""
    a = w.process()
    return call_of(a, call, event=a.ok.cuEventCreate(0))


def launches(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the event is complete after a launch."""
    run(i.process, i.args["hGraph"])
    i.process.ok.cuEventQuery(i.args["event"])


records, waits = (
    Entry(call, partial(valid_event, call), launches)
    for call in ("cuGraphAddEventRecordNode", "cuGraphAddEventWaitNode")
)
for entry in (records, waits):
    refuse_place(entry)
    refuse_event(entry)

for entry in (memsets, memcpys):
    entry.undefined("CONTEXT_IS_KNOWN", code=201, ctx=GARBAGE)
    entry.breaks("CONTEXT_IS_LIVE", ctx=lambda i: destroyed(i.process))

    entry.also("in the current context", ctx=0)

    @entry.also("in no context")
    def none_is_current(_w: World, i: Invocation) -> Invocation:
        i.process.ok.cuCtxPopCurrent()
        return i.evolve(ctx=0)

    @entry.world("MEMORY_IS_USABLE", "no context at all", "ctx")
    def there_is_none(_w: World, i: Invocation) -> Invocation:
        i.process.ok.cuCtxDestroy(i.args["ctx"])
        return i.evolve(ctx=0)


test_graph_add_empty_node = empties.test()


@memsets.also("beside memory of a graph")
def beside_memory_of_a_graph(_w: World, i: Invocation) -> None:
    allocating(i.process)


test_graph_add_memset_node = memsets.test()


def mapped_on_another_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    a, place = i.process, i.process.ok.cuMemAddressReserve(GRANULE, 0, 0, 0)
    a.ok.cuMemMap(place, GRANULE, 0, a.ok.cuMemCreate(GRANULE, pinned(1), 0), 0)
    a.ok.cuMemSetAccess(place, GRANULE, (access(1),), 1)
    return i.evolve(copyParams=copy(i.args["copyParams"][17], place))


memcpys.world("MEMORY_IS_USABLE", "that another device alone can access", "copyParams")(mapped_on_another_device)


@memcpys.also("in no context, of memory that another device alone can access")
def looks_at_no_access(w: World, i: Invocation) -> Invocation:
    """Add the node without a context; access depends on the context at the launch."""
    given = mapped_on_another_device(w, i).evolve(ctx=0)
    assert given.run()[0] == Result.SUCCESS
    i.process.ok.cuCtxPopCurrent()
    return given


test_graph_add_memcpy_node = memcpys.test()
test_graph_add_host_node = hosts.test()
test_graph_add_child_graph_node = children.test()
test_graph_add_event_record_node = records.test()
test_graph_add_event_wait_node = waits.test()
