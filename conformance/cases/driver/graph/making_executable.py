"""Cases of instantiation: several contexts, destroyed ones, and conditionals."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from conformance.cases.driver.array.fixtures import array
from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.graph.conditionals import MOVED, WHILE, body, branching, condition, conditional, owned
from conformance.cases.driver.graph.fixtures import (
    ARRAY,
    HOST,
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
)
from conformance.cases.driver.graph.fixtures import DEVICE as DEVICE_MEMORY
from conformance.cases.driver.graph.test_enabled import calling, copying, filling
from conformance.cases.driver.graph.test_kernel_attribute import CLUSTER, COOPERATIVE, updatable, value, with_attribute
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.cases.driver.module.fixtures import function, launcher, module
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, stream
from conformance.kit.world import Process
from fakecuda.spec.codes import Result
from fakecuda.spec.launch_config import UPDATABLE
from fakecuda.spec.node_params import CHILD, pack

if TYPE_CHECKING:
    from conformance.kit.case import Entry
    from conformance.kit.world import Invocation, World

RELAXED = 2
RESIZE = 16
"""CU_CTX_LMEM_RESIZE_TO_MAX."""
AUTO_FREE, UPLOAD, DEVICE, PRIORITY = 1, 2, 4, 8
"""CUgraphInstantiate_flags."""


def copying_from_host(a: Process, of: int) -> None:
    """Add a copy from the host to a device."""
    rows = between((DEVICE_MEMORY, filled(a, 0, ROOM)), (HOST, a.ok.cuMemAllocHost(ROOM)), 16)
    a.ok.cuGraphAddMemcpyNode(of, None, 0, rows, a.context)


def copying_wherever(a: Process, of: int) -> None:
    """Add a copy within a device between addresses that the driver looks up."""
    rows = between((UNIFIED, filled(a, 0, ROOM)), (UNIFIED, filled(a, 1, ROOM)), 16)
    a.ok.cuGraphAddMemcpyNode(of, None, 0, rows, a.context)


def copying_managed(a: Process, of: int) -> None:
    """Add a copy from managed memory to the host."""
    rows = between((HOST, a.ok.cuMemAllocHost(ROOM)), (UNIFIED, a.ok.cuMemAllocManaged(ROOM, 1)), 16)
    a.ok.cuGraphAddMemcpyNode(of, None, 0, rows, a.context)


def orphan(
    a: Process, make: Callable[[Process, int], object], then: Callable[[Process, int], int] | None = None
) -> int:
    """Return a graph, or its executable graph, with a node of a destroyed context."""
    of, context = graph(a), a.ok.cuCtxCreate(None, 0, a.device)
    make(a, of)
    made = then(a, of) if then else of
    a.ok.cuCtxDestroy(context)
    a.ok.cuCtxSetCurrent(a.context)
    return made


def outliving(a: Process, make: Callable[[Process, int], object]) -> int:
    """Return an executable graph with a node of a destroyed context."""
    return orphan(a, make, executable)


HOMED: dict[str, Callable[[Process, int], object]] = {
    "a kernel": of_kernel,
    "a memset": lambda a, of: of_memset(a, filled(a, 1, ROOM), of=of),
    "a copy": lambda a, of: a.ok.cuGraphAddMemcpyNode(of, None, 0, copy(filled(a, 0, ROOM), filled(a, 0, ROOM)), 0),
}
"""Functions that add nodes with a context."""
ENDING: dict[str, Callable[[Process, int], object]] = {
    **HOMED,
    "operations": lambda a, of: a.ok.cuGraphAddBatchMemOpNode(of, None, 0, (a.ok.cuCtxGetCurrent(), 0, 0, 0)),
}
"""Functions that add nodes with a context, or memory operation nodes."""


def with_event(add: Callable[[Process, int, int], object], a: Process, of: int) -> object:
    """Add a node of a new event."""
    return add(a, of, a.ok.cuEventCreate(0))


OF_EVENT: dict[str, Callable[[Process, int, int], object]] = {
    "a record": lambda a, of, event: a.ok.cuGraphAddEventRecordNode(of, None, 0, event),
    "a wait": lambda a, of, event: a.ok.cuGraphAddEventWaitNode(of, None, 0, event),
}
"""Functions that add nodes of an event."""
OF_EVENTS: dict[str, Callable[[Process, int], object]] = {
    label: partial(with_event, add) for label, add in OF_EVENT.items()
}
"""Functions that add event nodes, whose contexts instantiation checks."""


def event_gone(_: World, i: Invocation, label: str) -> Invocation:
    """Replace the event of an executable graph that was destroyed."""
    a, of, event = i.process, graph(i.process), i.process.ok.cuEventCreate(0)
    made = OF_EVENT[label](a, of, event)
    held = executable(a, of)
    a.ok.cuEventDestroy(event)
    return i.evolve(hGraphExec=held, hNode=made)


def captured_elsewhere(_: World, i: Invocation) -> Invocation:
    """Change a memset that a stream of another context has captured."""
    a, place, own = i.process, filled(i.process, 0, ROOM), i.process.ok.cuCtxGetCurrent()
    a.ok.cuCtxCreate(None, 0, 0)
    other = stream(a, NON_BLOCKING)
    a.ok.cuCtxSetCurrent(own)
    a.ok.cuStreamBeginCapture(other, RELAXED)
    a.ok.cuMemsetD8Async(place, 7, 16, other)
    of = a.ok.cuStreamEndCapture(other)
    ((made,), _) = a.ok.cuGraphGetNodes(of, 1)
    return i.evolve(hGraphExec=executable(a, of), hNode=made, memsetParams=memset(place, 9))


def abroad(a: Process, into: int, make: Callable[[Process, int], object] = of_kernel) -> None:
    """Add a kernel, or another node, of another context."""
    a.ok.cuCtxCreate(None, 0, a.device)
    make(a, into)
    a.ok.cuCtxPopCurrent()


def of_launcher(a: Process, into: int, name: bytes = b"launcher") -> int:
    """Add a kernel that launches graphs, or another kernel of its code."""
    made: int = a.ok.cuGraphAddKernelNode(into, None, 0, launch(launcher(a, name)))
    return made


def to_array(a: Process, into: int) -> int:
    """Add a copy to an array."""
    params = between((ARRAY, array(a, ROOM)), (DEVICE_MEMORY, filled(a, 1, ROOM)), ROOM)
    made: int = a.ok.cuGraphAddMemcpyNode(into, None, 0, params, 0)
    return made


def in_child(a: Process, into: int) -> None:
    """Add a child node with a kernel of another context."""
    inner = graph(a)
    abroad(a, inner)
    a.ok.cuGraphAddChildGraphNode(into, None, 0, inner)


Maker = Callable[[Process, int], object]
MAKERS: dict[str, Maker] = {"kernel": of_kernel, "fill": filling, "copy": copying, "launcher": of_launcher}


def refuse_contexts(of: Entry, touched: str, flagged: Callable[[Invocation, int], Invocation]) -> None:
    """Add the cases of an instantiation with nodes of several contexts.

    Args:
        of: The call's entry.
        touched: The argument that has the flags.
        flagged: Returns it with CUgraphInstantiate_flags.
    """

    def mixed(flags: int, *makers: Maker) -> Callable[[World, Invocation], Invocation]:
        def made(_w: World, i: Invocation) -> Invocation:
            for make in makers:
                make(i.process, i.args["hGraph"])
            return flagged(i, flags)

        return made

    for first, one in MAKERS.items():
        for second, other in MAKERS.items():
            both = mixed(DEVICE, one, partial(abroad, make=other))
            if second == "copy":
                of.also(f"a {first} and a copy of another context, for devices")(both)
            else:
                of.world("NODES_SHARE_A_CONTEXT", f"a {first} and a {second} of another context", touched)(both)
        of.also(f"a {first} of another context, for devices")(mixed(DEVICE, partial(abroad, make=one)))
    of.world("NODES_SHARE_A_CONTEXT", "a child of another context", touched)(mixed(DEVICE, of_kernel, in_child))
    of.world("DEVICES_CAN_LAUNCH", "before another context", touched)(mixed(DEVICE, of_kernel, node, abroad))
    of.world("NODES_SHARE_A_CONTEXT", "before what devices cannot do", touched)(mixed(DEVICE, of_kernel, abroad, node))
    of.world("COPIES_ARE_OF_MEMORY", "", touched)(mixed(DEVICE, of_kernel, to_array))
    of.world("COPIES_ARE_OF_MEMORY", "before another context", touched)(mixed(DEVICE, of_kernel, to_array, abroad))
    foreign = partial(abroad, make=of_launcher)
    of.world("LAUNCHERS_SHARE_A_CONTEXT", "", touched)(mixed(0, of_launcher, foreign))
    of.world("LAUNCHERS_SHARE_A_CONTEXT", "behind others", touched)(
        mixed(0, foreign, node, of_kernel, abroad, of_launcher)
    )
    of.also("kernels of two contexts one of which launches graphs")(mixed(0, of_launcher, abroad))
    of.also("kernels of two contexts one of which launches graphs, the other way round")(mixed(0, of_kernel, foreign))


def refuse_conditionals(of: Entry) -> None:
    """Add the cases of an instantiation with conditions and conditional nodes."""

    @of.world("CONDITIONS_HAVE_NODES")
    def of_none(_w: World, i: Invocation) -> None:
        condition(i.process, i.args["hGraph"])

    @of.also("whose child has a condition of no node", rule="CONDITIONS_HAVE_NODES")
    def of_a_child(_w: World, i: Invocation) -> None:
        a = i.process
        child = a.ok.cuGraphAddChildGraphNode(i.args["hGraph"], None, 0, graph(a))
        condition(a, a.ok.cuGraphChildGraphNodeGetGraph(child))

    @of.also("whose conditional was destroyed", rule="CONDITIONS_HAVE_NODES")
    def of_a_node_that_ended(_w: World, i: Invocation) -> None:
        a = i.process
        conditional(a, i.args["hGraph"])
        a.ok.cuGraphDestroyNode(a.ok.cuGraphGetNodes(i.args["hGraph"], 1)[0][0])

    @of.world("GRAPHS_DO_DEVICE_WORK")
    def calling_the_host(_w: World, i: Invocation) -> None:
        (inner,) = conditional(i.process, i.args["hGraph"])
        calling(i.process, inner)

    @of.also("whose conditional allocates", rule="GRAPHS_DO_DEVICE_WORK")
    def allocating_inside(_w: World, i: Invocation) -> None:
        a = i.process
        (inner,) = conditional(a, i.args["hGraph"])
        begun = stream(a, NON_BLOCKING)
        a.ok.cuStreamBeginCaptureToGraph(begun, inner, None, None, 0, RELAXED)
        a.ok.cuMemAllocAsync(ROOM, begun)
        a.ok.cuStreamEndCapture(begun)

    @of.world("KERNELS_SHARE_THE_CONTEXT")
    def of_another_context(_w: World, i: Invocation) -> None:
        (inner,) = conditional(i.process, i.args["hGraph"])
        abroad(i.process, inner)

    @of.also("whose conditionals have what they can")
    def nested(_w: World, i: Invocation) -> None:
        a = i.process
        first, second = conditional(a, i.args["hGraph"], size=2)
        of_kernel(a, first)
        a.ok.cuGraphAddChildGraphNode(first, None, 0, graph(a))
        (inner,) = conditional(a, second, WHILE)
        of_memset(a, filled(a, 0, ROOM), of=inner)
        node(a, inner)

    @of.also("whose conditional's nodes have no order", rule="NODES_HAVE_AN_ORDER")
    def circle_inside(_w: World, i: Invocation) -> None:
        a = i.process
        (inner,) = conditional(a, i.args["hGraph"])
        one = node(a, inner)
        a.ok.cuGraphAddDependencies(inner, (node(a, inner, one),), (one,), None, 1)

    for label, make in (("taken over", owned), ("of a conditional", body)):
        of.breaks("GRAPH_IS_ITS_OWN", label, hGraph=lambda i, make=make: make(i.process))

    @of.world("ONE_IS_EXECUTABLE", "of a conditional", "hGraph")
    def again(_w: World, i: Invocation) -> Invocation:
        of = branching(i.process)
        executable(i.process, of)
        return i.evolve(hGraph=of)


def refuse_updatable(of: Entry) -> None:
    """Break the rule on graphs with device-updatable nodes."""

    @of.world("UPDATABLE_IS_EXECUTABLE_ONCE", "", "hGraph")
    def twice(_w: World, i: Invocation) -> None:
        updatable(i.process, i.args["hGraph"])
        executable(i.process, i.args["hGraph"])

    @of.world("UPDATABLE_IS_EXECUTABLE_ONCE", "in a conditional")
    def twice_inside(_w: World, i: Invocation) -> None:
        (inner,) = conditional(i.process, i.args["hGraph"])
        updatable(i.process, inner)
        executable(i.process, i.args["hGraph"])

    @of.undefined("MOVED_GRAPH_IS_NOT_EXECUTABLE", "", code=Result.INVALID_VALUE)
    def moved(_w: World, i: Invocation) -> None:
        a, inner = i.process, graph(i.process)
        updatable(a, inner)
        executable(a, inner)
        a.ok.cuGraphAddNode(i.args["hGraph"], None, None, 0, pack(CHILD, (inner, MOVED)))

    @of.also("made executable before a node became device-updatable")
    def before(_w: World, i: Invocation) -> None:
        a, made = i.process, of_kernel(i.process, i.args["hGraph"])
        executable(a, i.args["hGraph"])
        a.ok.cuGraphKernelNodeSetAttribute(made, UPDATABLE, value(1))

    @of.also("whose child has a device-updatable node")
    def in_a_child(_w: World, i: Invocation) -> None:
        a, inner = i.process, graph(i.process)
        updatable(a, inner)
        a.ok.cuGraphAddChildGraphNode(i.args["hGraph"], None, 0, inner)
        executable(a, i.args["hGraph"])


def with_attributes(of: Entry) -> None:
    """Add the case of an instantiation of kernels with attributes."""

    @of.also("a cluster that fits, and a cooperative launch")
    def fitting(_w: World, i: Invocation) -> None:
        a = i.process
        made = a.ok.cuGraphAddKernelNode(i.args["hGraph"], None, 0, launch(function(a), gridDimX=4))
        a.ok.cuGraphKernelNodeSetAttribute(made, CLUSTER, value(2, 1, 1))
        with_attribute(a, COOPERATIVE, value(1), i.args["hGraph"])


def refuse_orphans(of: Entry) -> None:
    """Break the rules on contexts and events that were destroyed, and on code that was unloaded."""
    for label, make in (ENDING | OF_EVENTS).items():

        @of.undefined("CONTEXTS_OUTLIVE_GRAPHS", label, "hGraph", code=Result.INVALID_VALUE)
        def orphaned(_w: World, i: Invocation, make: Callable[[Process, int], object] = make) -> Invocation:
            return i.evolve(hGraph=orphan(i.process, make))

    for label, add in OF_EVENT.items():

        @of.undefined("EVENTS_OUTLIVE_GRAPHS", label, "hGraph", code=Result.INVALID_VALUE)
        def eventless(_w: World, i: Invocation, add: Callable[[Process, int, int], object] = add) -> Invocation:
            a, made, event = i.process, graph(i.process), i.process.ok.cuEventCreate(0)
            add(a, made, event)
            a.ok.cuEventDestroy(event)
            return i.evolve(hGraph=made)

    @of.undefined("CODE_OUTLIVES_GRAPHS", "", "hGraph", code=Result.INVALID_VALUE)
    def code_gone(_w: World, i: Invocation) -> Invocation:
        a, made, code = i.process, graph(i.process), module(i.process)
        a.ok.cuGraphAddKernelNode(made, None, 0, launch(a.ok.cuModuleGetFunction(code, b"empty")))
        a.ok.cuModuleUnload(code)
        return i.evolve(hGraph=made)
