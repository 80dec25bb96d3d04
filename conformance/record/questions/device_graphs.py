"""Questions about graphs for launches by devices: what they may hold, and what may be changed of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.array.fixtures import array
from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.graph.fixtures import ARRAY, HOST, ROOM, UNIFIED, between, copy, graph, launch
from conformance.cases.driver.graph.fixtures import DEVICE as DEVICE_MEMORY
from conformance.cases.driver.graph.test_enabled import copying, filling
from conformance.cases.driver.graph.test_executable import DEVICE, of_launcher
from conformance.cases.driver.graph.test_kernel_attribute import COOPERATIVE, value, with_attribute
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.cases.driver.module.fixtures import function, launcher
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import Process, World


def asked(a: Process, of: int) -> None:
    """Ask whether a graph can be made executable, for devices and for the host."""
    for flags in (DEVICE, 0):
        a.c.cuGraphInstantiateWithParams(of, (flags, 0, 0, 0))


@question()
def copies(w: World) -> None:
    """Copies between memory of all kinds."""
    a = w.process()
    room = filled(a, 0, ROOM)
    kinds = {
        "device": (DEVICE_MEMORY, room),
        "pinned": (HOST, a.ok.cuMemAllocHost(ROOM)),
        "pinned, unified": (UNIFIED, a.ok.cuMemAllocHost(ROOM)),
        "managed": (UNIFIED, a.ok.cuMemAllocManaged(ROOM, 1)),
        "of a pool": (DEVICE_MEMORY, a.ok.cuMemAllocAsync(ROOM, 0)),
        "an array": (ARRAY, array(a, ROOM)),
    }
    a.ok.cuCtxSynchronize()
    for one in kinds.values():
        for other in kinds.values():
            of = graph(a)
            if a.c.cuGraphAddMemcpyNode(of, None, 0, between(one, other, ROOM), 0)[0] == 0:
                asked(a, of)


@question()
def memory_of_other_contexts(w: World) -> None:
    """Copies and memsets of memory of another context of the device."""
    a = w.process()
    own = filled(a, 0, ROOM)
    a.ok.cuCtxCreate(None, 0, a.device)
    other = filled(a, 0, ROOM)
    a.ok.cuCtxPopCurrent()
    for dst, src in ((own, other), (other, own), (other, other)):
        of = graph(a)
        a.c.cuGraphAddMemcpyNode(of, None, 0, copy(dst, src), 0)
        asked(a, of)
    of = graph(a)
    a.c.cuGraphAddMemsetNode(of, None, 0, (other, 0, 7, 1, ROOM, 1), 0)
    asked(a, of)


@question()
def kernels(w: World) -> None:
    """Cooperative kernels, those that launch graphs, and children."""
    a = w.process()
    of = graph(a)
    with_attribute(a, COOPERATIVE, value(1), of)
    asked(a, of)
    for make in (of_launcher, filling, copying):
        inner = graph(a)
        make(a, inner)
        outer = graph(a)
        a.c.cuGraphAddChildGraphNode(outer, None, 0, inner)
        asked(a, outer)
    empty = graph(a)
    a.c.cuGraphAddChildGraphNode(empty, None, 0, graph(a))
    asked(a, empty)


@question()
def changes(w: World) -> None:
    """What may be changed of a graph that devices can launch, and of one whose kernels launch graphs."""
    a = w.process()
    for flags, make in ((DEVICE, of_kernel), (DEVICE, of_launcher), (0, of_launcher)):
        of = graph(a)
        node = make(a, of)
        fill = filling(a, of)
        held = a.ok.cuGraphInstantiate(of, flags)
        a.c.cuGraphExecGetFlags(held)
        for enabled in (0, 1):
            a.c.cuGraphNodeSetEnabled(held, node, enabled)
            a.c.cuGraphNodeGetEnabled(held, node)
            a.c.cuGraphNodeSetEnabled(held, fill, enabled)
        for found in (function(a), launcher(a), launcher(a, b"caller"), launcher(a, b"empty"), launcher(a)):
            a.c.cuGraphExecKernelNodeSetParams(held, node, launch(found))
        a.c.cuGraphUpload(held, 0)
        a.c.cuGraphLaunch(held, 0)
        a.c.cuGraphUpload(held, 0)
        a.c.cuCtxSynchronize()
        a.c.cuGraphExecDestroy(held)


@question()
def updates(w: World) -> None:
    """Updates that bring kernels which launch graphs, or take them away."""
    a = w.process()

    def of(*makers: Any) -> int:
        made = graph(a)
        for make in makers:
            make(a, made)
        return made

    shapes = (
        (of_kernel,),
        (of_launcher,),
        (of_kernel, of_launcher),
        (of_launcher, of_launcher),
        (of_kernel, of_kernel),
    )
    for flags in (0, DEVICE):
        for one in shapes:
            for other in shapes:
                if len(one) == len(other):
                    a.c.cuGraphExecUpdate(a.ok.cuGraphInstantiate(of(*one), flags), of(*other))


@question()
def ends(w: World) -> None:
    """The end of graphs for devices whose context is not there any more."""
    for flags, make in ((DEVICE, of_kernel), (0, of_launcher)):
        a = w.process()
        context = a.ok.cuCtxCreate(None, 0, a.device)
        of = graph(a)
        make(a, of)
        held = a.ok.cuGraphInstantiate(of, flags)
        a.ok.cuGraphLaunch(held, 0)
        a.ok.cuCtxPopCurrent()
        a.c.cuGraphLaunch(held, 0)
        a.c.cuGraphExecDestroy(held)
        other = a.ok.cuGraphInstantiate(of, 0)
        a.c.cuGraphExecDestroy(other)
        a.c.cuCtxDestroy(context)


@question()
def launches_of_launchers(w: World) -> None:
    """Kernels that launch graphs outside of any: in captures, by themselves, with what else is wrong."""
    a = w.process()
    working = a.ok.cuStreamCreate(1)
    f = launcher(a)
    for grid, block, shared in ((1, 1, 0), (0, 1, 0), (1, 2000, 0), (1, 1, 1 << 20)):
        a.c.cuLaunchKernel(f, grid, 1, 1, block, 1, 1, shared, working, 0, 0)
        a.c.cuLaunchCooperativeKernel(f, grid, 1, 1, block, 1, 1, shared, working, 0)
        a.c.cuLaunchKernelEx((grid, 1, 1, block, 1, 1, shared, working, ()), f, 0, 0)
    a.c.cuStreamBeginCapture(working, 2)
    a.c.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, working, 0, 0)
    a.c.cuLaunchCooperativeKernel(f, 1, 1, 1, 1, 1, 1, 0, working, 0)
    of = a.ok.cuStreamEndCapture(working)
    for flags in (0, DEVICE):
        a.c.cuGraphInstantiate(of, flags)
    for attribute in (0, 1, 4, 15):
        a.c.cuFuncGetAttribute(attribute, f)
    a.c.cuOccupancyMaxActiveBlocksPerMultiprocessor(f, 32, 0)
    a.c.cuFuncIsLoaded(f)
