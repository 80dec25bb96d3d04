"""Executable graphs: instantiation, upload and launch.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.graph.changing_steps import of_rows
from conformance.cases.driver.graph.conditionals import (
    conditional,
)
from conformance.cases.driver.graph.fixtures import (
    ROOM,
    copy,
    executable,
    graph,
    node,
    of_memset,
    refuse_executable,
    refuse_graph,
)
from conformance.cases.driver.graph.making_executable import (
    AUTO_FREE,
    DEVICE,
    ENDING,
    OF_EVENTS,
    PRIORITY,
    RESIZE,
    UPLOAD,
    Maker,
    copying_from_host,
    copying_managed,
    copying_wherever,
    of_launcher,
    outliving,
    refuse_conditionals,
    refuse_contexts,
    refuse_orphans,
    refuse_updatable,
    with_attributes,
)
from conformance.cases.driver.graph.memory import allocating
from conformance.cases.driver.graph.test_enabled import calling, copying, filling
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.cases.driver.module.fixtures import GARBAGE
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream, without_context
from conformance.cases.driver.stream.fixtures import destroyed as destroyed_stream
from conformance.cases.driver.stream.fixtures import refuse as refuse_stream
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.world import Invocation, Process, World


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
        (copying_managed, RESIZE),
        (copying_wherever, RESIZE),
        (of_rows, RESIZE),
    )
    for add, flags in adds:
        a.ok.cuCtxSetFlags(0)
        of = graph(a)
        add(a, of)
        assert a.ok.cuCtxGetFlags() == 0
        executable(a, of)
        assert a.ok.cuCtxGetFlags() == flags
    a.ok.cuCtxSetFlags(0)
    of = graph(a)
    filling(a, of)
    a.ok.cuGraphInstantiate(of, DEVICE)
    assert a.ok.cuCtxGetFlags() == RESIZE


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


with_attributes(entry)
refuse_conditionals(entry)
refuse_updatable(entry)
refuse_contexts(entry, "flags", lambda i, flags: i.evolve(flags=flags))


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
    """Pop the current context; the stream's context is sufficient."""
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
refuse_updatable(described)


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


for label, make in (ENDING | OF_EVENTS).items():

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
    """Pop the current context, and pass a stream of it."""
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


for label, make in (ENDING | OF_EVENTS).items():

    @uploads.undefined("CONTEXTS_OUTLIVE_EXECUTABLES", label, "hGraphExec", code=Result.INVALID_VALUE)
    def outlived_there(_w: World, i: Invocation, make: Callable[[Process, int], object] = make) -> Invocation:
        return i.evolve(hGraphExec=outliving(i.process, make))


test_graph_upload = uploads.test()
