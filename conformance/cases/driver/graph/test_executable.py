"""Executable graphs: what is made of a graph, and launched as often as one likes.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.cases.driver.array.fixtures import array
from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.graph.conditionals import (
    WHILE,
    body,
    branching,
    condition,
    conditional,
    owned,
)
from conformance.cases.driver.graph.fixtures import (
    ARRAY,
    HOST,
    ROOM,
    between,
    copy,
    executable,
    graph,
    launch,
    node,
    of_memset,
    refuse_executable,
    refuse_graph,
)
from conformance.cases.driver.graph.fixtures import DEVICE as DEVICE_MEMORY
from conformance.cases.driver.graph.memory import allocating
from conformance.cases.driver.graph.test_enabled import calling, copying, filling
from conformance.cases.driver.graph.test_kernel_attribute import CLUSTER, COOPERATIVE, value, with_attribute
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.cases.driver.module.fixtures import GARBAGE, function, launcher
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream, without_context
from conformance.cases.driver.stream.fixtures import destroyed as destroyed_stream
from conformance.cases.driver.stream.fixtures import refuse as refuse_stream
from conformance.kit.case import Entry
from conformance.kit.world import Process
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
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


def orphan(
    a: Process, make: Callable[[Process, int], object], then: Callable[[Process, int], int] | None = None
) -> int:
    """Return a graph, or what is made of it, with a node that was made in a context that is destroyed."""
    of, context = graph(a), a.ok.cuCtxCreate(None, 0, a.device)
    make(a, of)
    made = then(a, of) if then else of
    a.ok.cuCtxDestroy(context)
    a.ok.cuCtxSetCurrent(a.context)
    return made


def outliving(a: Process, make: Callable[[Process, int], object]) -> int:
    """Return an executable graph with a node that was made in a context that is destroyed."""
    return orphan(a, make, executable)


HOMED: dict[str, Callable[[Process, int], object]] = {
    "a kernel": of_kernel,
    "a memset": lambda a, of: of_memset(a, filled(a, 1, ROOM), of=of),
    "a copy": lambda a, of: a.ok.cuGraphAddMemcpyNode(of, None, 0, copy(filled(a, 0, ROOM), filled(a, 0, ROOM)), 0),
}
"""What adds nodes that have a context."""
ENDING: dict[str, Callable[[Process, int], object]] = {
    **HOMED,
    "operations": lambda a, of: a.ok.cuGraphAddBatchMemOpNode(of, None, 0, (a.ok.cuCtxGetCurrent(), 0, 0, 0)),
}
"""The same, and nodes of operations on memory."""
OF_EVENTS: dict[str, Callable[[Process, int], object]] = {
    "a record": lambda a, of: a.ok.cuGraphAddEventRecordNode(of, None, 0, a.ok.cuEventCreate(0)),
    "a wait": lambda a, of: a.ok.cuGraphAddEventWaitNode(of, None, 0, a.ok.cuEventCreate(0)),
}
"""What adds nodes of events, whose contexts matter to instantiation."""


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuGraphInstantiate", hGraph=graph(a), flags=0)


entry = Entry("cuGraphInstantiate", valid)
refuse_graph(entry, "hGraph")
entry.null("phGraphExec", "RESULT_IS_GIVEN")
for wrong in (16, UPLOAD):
    entry.breaks("FLAGS_ARE_KNOWN", f"{wrong}", flags=wrong)
entry.breaks("FLAGS_GO_TOGETHER", flags=DEVICE | AUTO_FREE)
entry.also("with an automatic free and priorities", flags=AUTO_FREE | PRIORITY)
entry.breaks("DEVICES_CAN_LAUNCH", "an empty graph", flags=DEVICE)


@entry.also("the flags of the context afterwards")
def flags_of_the_context(_w: World, i: Invocation) -> None:
    a = i.process
    adds: tuple[tuple[Callable[[Process, int], object], int], ...] = (
        (filling, 0),
        (calling, 0),
        (of_kernel, RESIZE),
        (conditional, RESIZE),
        (copying, RESIZE),
        (copying_from_host, 0),
    )
    for add, flags in adds:
        a.ok.cuCtxSetFlags(0)
        of = graph(a)
        add(a, of)
        assert a.ok.cuCtxGetFlags() == 0
        executable(a, of)
        assert a.ok.cuCtxGetFlags() == flags


@entry.world("DEVICES_CAN_LAUNCH", "an empty node", "flags")
def empty_node(_w: World, i: Invocation) -> Invocation:
    node(i.process, i.args["hGraph"])
    return i.evolve(flags=DEVICE)


@entry.also("for launches by devices")
def by_devices(_w: World, i: Invocation) -> Invocation:
    of_memset(i.process, filled(i.process, 0, ROOM), of=i.args["hGraph"])
    return i.evolve(flags=DEVICE)


@entry.world("NODES_HAVE_AN_ORDER")
def cycle(_w: World, i: Invocation) -> None:
    first = node(i.process, i.args["hGraph"])
    second = node(i.process, i.args["hGraph"], first)
    i.process.ok.cuGraphAddDependencies(i.args["hGraph"], (second,), (first,), None, 1)


@entry.also("of a child whose nodes have no order", rule="NODES_HAVE_AN_ORDER")
def inner_cycle(_w: World, i: Invocation) -> None:
    a, inner = i.process, graph(i.process)
    first = node(a, inner)
    second = node(a, inner, first)
    a.ok.cuGraphAddDependencies(inner, (second,), (first,), None, 1)
    a.ok.cuGraphAddChildGraphNode(i.args["hGraph"], None, 0, inner)


@entry.world("MEMORY_IS_USABLE")
def freed(_w: World, i: Invocation) -> None:
    place = filled(i.process, 0, ROOM)
    of_memset(i.process, place, of=i.args["hGraph"])
    i.process.ok.cuMemFree(place)


@entry.also("of a copy whose memory was freed")
def freed_source(_w: World, i: Invocation) -> None:
    a, source = i.process, filled(i.process, 0, ROOM)
    a.ok.cuGraphAddMemcpyNode(i.args["hGraph"], None, 0, copy(filled(a, 0, ROOM), source), 0)
    a.ok.cuMemFree(source)


@entry.world("ONE_IS_EXECUTABLE", "", "hGraph")
def of_memory(_w: World, i: Invocation) -> Invocation:
    of, _ = allocating(i.process)
    executable(i.process, of)
    return i.evolve(hGraph=of)


@entry.also("made executable before memory was refused")
def early(_w: World, i: Invocation) -> None:
    executable(i.process, i.args["hGraph"])
    refused = ((1, 0, (1, 0), 0, 0, 0, 0), 0, 0, 1 << 60, 0)
    assert i.c.cuGraphAddMemAllocNode(i.args["hGraph"], None, 0, refused)[0] == Result.OUT_OF_MEMORY


@entry.world("ONE_IS_EXECUTABLE", "made executable since memory was refused")
def since(w: World, i: Invocation) -> None:
    early(w, i)
    executable(i.process, i.args["hGraph"])


@entry.also("whose executable graph has ended")
def ended_before(_w: World, i: Invocation) -> Invocation:
    of, _ = allocating(i.process)
    i.process.ok.cuGraphExecDestroy(executable(i.process, of))
    return i.evolve(hGraph=of)


def abroad(a: Process, into: int, make: Callable[[Process, int], object] = of_kernel) -> None:
    """Add a kernel, or something else, of another context."""
    a.ok.cuCtxCreate(None, 0, a.device)
    make(a, into)
    a.ok.cuCtxPopCurrent()


def of_launcher(a: Process, into: int, name: bytes = b"launcher") -> int:
    """Add a kernel that launches graphs, or another one of such code."""
    made: int = a.ok.cuGraphAddKernelNode(into, None, 0, launch(launcher(a, name)))
    return made


def to_array(a: Process, into: int) -> int:
    """Add a copy to an array."""
    params = between((ARRAY, array(a, ROOM)), (DEVICE_MEMORY, filled(a, 1, ROOM)), ROOM)
    made: int = a.ok.cuGraphAddMemcpyNode(into, None, 0, params, 0)
    return made


def in_child(a: Process, into: int) -> None:
    """Add a child that has a kernel of another context."""
    inner = graph(a)
    abroad(a, inner)
    a.ok.cuGraphAddChildGraphNode(into, None, 0, inner)


Maker = Callable[[Process, int], object]
MAKERS: dict[str, Maker] = {"kernel": of_kernel, "fill": filling, "copy": copying, "launcher": of_launcher}


def refuse_contexts(of: Entry, touched: str, flagged: Callable[[Invocation, int], Invocation]) -> None:
    """Add the cases of a call that makes a graph executable whose nodes are of several contexts.

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
    """Add the cases of a call that makes a graph executable, with conditions and conditionals."""

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


def with_attributes(of: Entry) -> None:
    """Add the case of a call that makes a graph executable, with kernels that have attributes."""

    @of.also("a cluster that fits, and a cooperative launch")
    def fitting(_w: World, i: Invocation) -> None:
        a = i.process
        made = a.ok.cuGraphAddKernelNode(i.args["hGraph"], None, 0, launch(function(a), gridDimX=4))
        a.ok.cuGraphKernelNodeSetAttribute(made, CLUSTER, value(2, 1, 1))
        with_attribute(a, COOPERATIVE, value(1), i.args["hGraph"])


with_attributes(entry)
refuse_conditionals(entry)
refuse_contexts(entry, "flags", lambda i, flags: i.evolve(flags=flags))


def refuse_orphans(of: Entry) -> None:
    """Break the rule on contexts that were destroyed."""
    for label, make in (ENDING | OF_EVENTS).items():

        @of.undefined("CONTEXTS_OUTLIVE_GRAPHS", label, "hGraph", code=Result.INVALID_VALUE)
        def orphaned(_w: World, i: Invocation, make: Callable[[Process, int], object] = make) -> Invocation:
            return i.evolve(hGraph=orphan(i.process, make))


refuse_orphans(entry)
test_graph_instantiate = entry.test()


def instantiated(w: World) -> Invocation:
    a = w.process()
    return a.call("cuGraphInstantiateWithParams", hGraph=graph(a), instantiateParams=(0, 0, 0, 0))


described = Entry("cuGraphInstantiateWithParams", instantiated)
refuse_graph(described, "hGraph")
described.null("phGraphExec", "RESULT_IS_GIVEN")
described.breaks("PARAMETERS_ARE_GIVEN", instantiateParams=None)
described.breaks("FLAGS_ARE_KNOWN", instantiateParams=(16, 0, 0, 0))
described.breaks("FLAGS_GO_TOGETHER", instantiateParams=(DEVICE | AUTO_FREE, 0, 0, 0))
described.breaks("DEVICES_CAN_LAUNCH", "an empty graph", instantiateParams=(DEVICE, 0, 0, 0))
for given in (AUTO_FREE, UPLOAD, PRIORITY):
    described.also(f"{given}", instantiateParams=(given, 0, 0, 0))
for used in (0, UPLOAD):
    described.also(
        f"a stream, {used}", instantiateParams=lambda i, used=used: (used, stream(i.process, NON_BLOCKING), 0, 0)
    )


@described.also("an upload without a context")
def popped(_w: World, i: Invocation) -> Invocation:
    """The stream's context is enough."""
    uploading = stream(i.process, NON_BLOCKING)
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(instantiateParams=(UPLOAD, uploading, 0, 0))


described.undefined("STREAM_IS_KNOWN", code=Result.INVALID_HANDLE, instantiateParams=(UPLOAD, GARBAGE, 0, 0))
for rule, gone_stream in (("STREAM_IS_LIVE", destroyed_stream), ("STREAM_HAS_A_CONTEXT", without_context)):
    described.undefined(
        rule,
        code=Result.INVALID_CONTEXT,
        instantiateParams=lambda i, gone_stream=gone_stream: (UPLOAD, gone_stream(i.process), 0, 0),
    )
described.also("what is told besides", instantiateParams=(0, 0, GARBAGE, 7))


@described.world("DEVICES_CAN_LAUNCH", "an empty node", "instantiateParams")
def empty_node_of_devices(_w: World, i: Invocation) -> Invocation:
    of = i.args["hGraph"]
    told = node(i.process, of)
    broken = i.evolve(instantiateParams=(DEVICE, 0, 0, 0))
    assert broken.run() in {
        (1, None, None),
        (1, None, (DEVICE, 0, told, 3)),
    }  # what a driver tells of a failure is not read
    return broken


@described.world("NODES_HAVE_AN_ORDER")
def circle(_w: World, i: Invocation) -> None:
    cycle(_w, i)


@described.also("a kernel for launches by devices")
def kernel_by_devices(_w: World, i: Invocation) -> Invocation:
    of_kernel(i.process, i.args["hGraph"])
    return i.evolve(instantiateParams=(DEVICE, 0, 0, 0))


@described.world("MEMORY_IS_USABLE")
def gone_before(_w: World, i: Invocation) -> None:
    freed(_w, i)


with_attributes(described)
refuse_conditionals(described)


@described.world("ONE_IS_EXECUTABLE", "", "hGraph")
def described_twice(_w: World, i: Invocation) -> Invocation:
    return of_memory(_w, i)


refuse_contexts(described, "instantiateParams", lambda i, flags: i.evolve(instantiateParams=(flags, 0, 0, 0)))
refuse_orphans(described)
test_graph_instantiate_with_params = described.test()


def ended(w: World) -> Invocation:
    a = w.process()
    return a.call("cuGraphExecDestroy", hGraphExec=executable(a))


ends = Entry("cuGraphExecDestroy", ended)
refuse_executable(ends, "hGraphExec")


for label, make in ENDING.items():

    @ends.undefined("CONTEXTS_OUTLIVE_EXECUTABLES", label, "hGraphExec", code=Result.INVALID_VALUE)
    def outlived(_w: World, i: Invocation, make: Callable[[Process, int], object] = make) -> Invocation:
        return i.evolve(hGraphExec=outliving(i.process, make))


@ends.also("of an empty node behind the end of another context")
def untouched(_w: World, i: Invocation) -> Invocation:
    return i.evolve(hGraphExec=outliving(i.process, node))


@ends.also("while it is launched")
def launched(w: World, i: Invocation) -> Invocation:
    a, working = i.process, stream(i.process, NON_BLOCKING)
    made = executable(a)
    block(w, a, working)
    a.ok.cuGraphLaunch(made, working)
    return i.evolve(hGraphExec=made)


for label, made, given in (
    ("for launches by devices", of_kernel, DEVICE),
    ("with a kernel that launches graphs", of_launcher, 0),
):

    @ends.also(label)
    def of_devices(_w: World, i: Invocation, made: Maker = made, given: int = given) -> Invocation:
        of = graph(i.process)
        made(i.process, of)
        return i.evolve(hGraphExec=i.process.ok.cuGraphInstantiate(of, given))

    @ends.also(f"{label}, after its launch")
    def of_devices_launched(_w: World, i: Invocation, of_it: Any = of_devices) -> Invocation:
        of = of_it(_w, i).args["hGraphExec"]
        i.process.ok.cuGraphLaunch(of, 0)
        return i.evolve(hGraphExec=of)


test_graph_exec_destroy = ends.test()


def told(w: World) -> Invocation:
    a = w.process()
    return a.call("cuGraphExecGetFlags", hGraphExec=executable(a))


flags = Entry("cuGraphExecGetFlags", told)
refuse_executable(flags, "hGraphExec")
flags.null("flags", "RESULT_IS_GIVEN")
for given in (AUTO_FREE, PRIORITY, AUTO_FREE | PRIORITY):
    flags.also(f"{given}", hGraphExec=lambda i, given=given: i.process.ok.cuGraphInstantiate(graph(i.process), given))
flags.also("without a current context")(lambda _w, i: i.process.ok.cuCtxPopCurrent() and None)


@flags.also("for launches by devices")
def told_of_devices(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    of_memset(a, filled(a, 0, ROOM), of=of)
    return i.evolve(hGraphExec=a.ok.cuGraphInstantiate(of, DEVICE))


test_graph_exec_get_flags = flags.test()


def of_the_stream(_w: World, i: Invocation) -> Invocation:
    """Have no context current, and a stream of one given."""
    working = stream(i.process)
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(hStream=working)


def uploaded(w: World) -> Invocation:
    a = w.process()
    return a.call("cuGraphUpload", hGraphExec=executable(a), hStream=0)


uploads = Entry("cuGraphUpload", uploaded)
refuse_executable(uploads, "hGraphExec")
refuse_stream(uploads)
uploads.also("no context beside the stream's")(of_the_stream)


for label, make in ENDING.items():

    @uploads.undefined("CONTEXTS_OUTLIVE_EXECUTABLES", label, "hGraphExec", code=Result.INVALID_VALUE)
    def outlived_there(_w: World, i: Invocation, make: Callable[[Process, int], object] = make) -> Invocation:
        return i.evolve(hGraphExec=outliving(i.process, make))


test_graph_upload = uploads.test()
