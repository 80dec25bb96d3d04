"""Kernel nodes, without parameters because arguments are host addresses.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.anywhere import anywhere
from conformance.cases.driver.execution.test_launch_kernel import of_a_cluster, too_long
from conformance.cases.driver.graph.fixtures import executable, graph, launch, refuse_node, refuse_place
from conformance.cases.driver.graph.test_kernel_attribute import TOO_MANY, together
from conformance.cases.driver.graph.test_node import of_kernel, of_nothing
from conformance.cases.driver.library.fixtures import kernel, without_library
from conformance.cases.driver.module.fixtures import GARBAGE, HUGE, function, launcher, module, no_room, without_module
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

SIZES = ("gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ")


KNOWN = {"func": ("FUNCTION_IS_KNOWN",) * 2, "kern": ("KERNEL_IS_KNOWN", "KERNEL_IS_LOADED")}
"""By member: the rule that garbage breaks, and a kernel of an unloaded library."""


def given(**members: Any) -> Callable[[Invocation], Plain]:
    """Return a function to the parameters of a kernel node, with other members."""

    def made(i: Invocation) -> Plain:
        values = {name: one(i) if callable(one) else one for name, one in members.items()}
        return launch(**({"func": function(i.process)} | values))

    return made


def of_another_context(a: Process) -> int:
    """Return a function of a context that is not current."""
    a.ok.cuCtxCreate(None, 0, a.device)
    found = function(a)
    a.ok.cuCtxPopCurrent()
    return found


def refuse_function_as_kernel(entry: Entry) -> None:
    """Add the cases of a CUfunction passed as `kern`."""
    entry.also("a function in place of a kernel", nodeParams=given(func=0, kern=lambda i: function(i.process)))
    entry.breaks("FUNCTION_IS_OF_THE_CONTEXT", nodeParams=given(func=0, kern=lambda i: of_another_context(i.process)))


def refuse_launch(entry: Entry) -> None:
    """Add the cases of a call with an invalid launch."""
    entry.breaks("PARAMETERS_ARE_GIVEN", nodeParams=None)
    entry.breaks("SOMETHING_IS_RUN", nodeParams=given(func=0))
    for size in SIZES:
        rule = "GRID_FITS" if size.startswith("grid") else "BLOCK_FITS"
        entry.breaks(rule, f"{size} is 0", nodeParams=given(**{size: 0}))
    entry.breaks("BLOCK_FITS", nodeParams=given(blockDimX=1025))
    entry.breaks(
        "BLOCK_IS_THE_COMPILED_ONE", nodeParams=given(func=lambda i: function(i.process, b"exact"), blockDimX=64)
    )
    entry.breaks("SHARED_MEMORY_IS_THERE", nodeParams=given(sharedMemBytes=49153))
    entry.breaks("CLUSTER_FITS", nodeParams=given(func=of_a_cluster))
    entry.breaks("ARGUMENTS_ARE_GIVEN", nodeParams=given(func=lambda i: function(i.process, b"store")))
    entry.breaks("BUFFER_FITS", nodeParams=given(func=lambda i: function(i.process, b"store"), extra=too_long))
    entry.answering("BUFFER_FITS", code=Result.INVALID_VALUE)
    no_room(entry, nodeParams=given(func=0, kern=lambda i: kernel(i.process, image=HUGE)))
    entry.breaks("FUNCTION_IS_LOADED", nodeParams=given(func=lambda i: without_module(i.process)))
    entry.breaks("FUNCTION_IS_NO_KERNEL", nodeParams=given(func=lambda i: module(i.process)))
    entry.model_only("FUNCTION_IS_NO_KERNEL", code=Result.INVALID_HANDLE)  # a driver follows a module's handle
    for member in ("func", "kern"):
        garbage: dict[str, Any] = {"func": 0} | {member: GARBAGE}
        gone: dict[str, Any] = {"func": 0} | {member: lambda i: without_library(i.process)}
        known, loaded = KNOWN[member]
        entry.undefined(known, "garbage", code=Result.INVALID_HANDLE, nodeParams=given(**garbage))
        entry.undefined(loaded, "of a library", code=Result.INVALID_HANDLE, nodeParams=given(**gone))
    entry.without("no_context", "destroyed_context")  # a function has a context of its own

    @entry.world("CONTEXT_IS_CURRENT", "a kernel in no context", "nodeParams")
    def in_no_context(_w: World, i: Invocation) -> Invocation:
        found = kernel(i.process)
        i.process.ok.cuCtxPopCurrent()
        return i.evolve(nodeParams=launch(0, kern=found))

    @entry.world("CONTEXT_IS_ALIVE", "a kernel in a destroyed context", "nodeParams")
    def destroyed(_w: World, i: Invocation) -> Invocation:
        found = kernel(i.process)
        i.process.thread("other").c.cuCtxDestroy(i.process.context)
        return i.evolve(nodeParams=launch(0, kern=found))

    @entry.world("CONTEXT_IS_LIVE", "a destroyed context that is given", "nodeParams")
    def given_destroyed(_w: World, i: Invocation) -> Invocation:
        found, gone = kernel(i.process), i.process.ok.cuCtxCreate(None, 0, i.process.device)
        i.process.ok.cuCtxDestroy(gone)
        i.process.ok.cuCtxSetCurrent(i.process.context)
        return i.evolve(nodeParams=launch(0, kern=found, ctx=gone))

    wrong: dict[str, Any] = {"func": 0, "kern": lambda i: kernel(i.process), "ctx": GARBAGE}
    entry.undefined("CONTEXT_IS_KNOWN", code=Result.INVALID_CONTEXT, nodeParams=given(**wrong))

    @entry.undefined("CONTEXT_OF_CODE_LIVES", "", "nodeParams", code=Result.CONTEXT_IS_DESTROYED)
    def without_context(_w: World, i: Invocation) -> Invocation:
        a = i.process
        context = a.ok.cuCtxCreate(None, 0, a.device)
        found = function(a)
        a.ok.cuCtxDestroy(context)
        a.ok.cuCtxSetCurrent(a.context)
        return i.evolve(nodeParams=launch(found))

    entry.also("a kernel", nodeParams=given(func=0, kern=lambda i: kernel(i.process)))
    entry.breaks("FUNCTION_IS_NO_KERNEL", "a kernel", nodeParams=given(func=lambda i: kernel(i.process)))

    @entry.undefined("A_CONTEXT_IS_CURRENT", "", "nodeParams", code=Result.INVALID_CONTEXT)
    def function_in_no_context(_w: World, i: Invocation) -> Invocation:
        found = function(i.process)
        i.process.ok.cuCtxPopCurrent()
        return i.evolve(nodeParams=launch(found))

    refuse_function_as_kernel(entry)
    entry.also("a function and a kernel", nodeParams=given(kern=lambda i: kernel(i.process)))
    entry.also("a cluster of its own", nodeParams=given(func=of_a_cluster, gridDimX=2))
    if entry.call != "cuGraphExecKernelNodeSetParams":
        entry.also("a kernel that launches graphs", nodeParams=given(func=lambda i: launcher(i.process)))


def added(w: World) -> Invocation:
    a = w.process()
    return a.call(
        "cuGraphAddKernelNode", hGraph=graph(a), dependencies=None, numDependencies=0, nodeParams=launch(function(a))
    )


def runs(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the graph can be launched."""
    i.process.ok.cuGraphLaunch(executable(i.process, i.args["hGraph"]), 0)
    i.process.ok.cuCtxSynchronize()


adds = Entry("cuGraphAddKernelNode", added, runs)
refuse_place(adds)
refuse_launch(adds)


@adds.also("a kernel in a context that is given")
def in_a_context(_w: World, i: Invocation) -> Invocation:
    a = i.process
    found = kernel(a)
    context = a.ok.cuCtxPopCurrent()
    return i.evolve(nodeParams=launch(0, kern=found, ctx=context))


def told(w: World) -> Invocation:
    a = w.process()
    return a.call("cuGraphKernelNodeGetParams", hNode=of_kernel(a))


tells = Entry("cuGraphKernelNodeGetParams", told)
refuse_node(tells, "hNode")
anywhere(tells)
tells.without("not_initialized")  # to such a process the node is garbage, which the driver follows
tells.null("nodeParams", "RESULT_IS_GIVEN")
tells.breaks("NODE_IS_OF_ITS_KIND", hNode=lambda i: of_nothing(i.process))


@tells.also("of a kernel")
def of_a_kernel(_w: World, i: Invocation) -> Invocation:
    a = i.process
    params = launch(0, kern=kernel(a), gridDimX=3, blockDimY=2, sharedMemBytes=64)
    return i.evolve(hNode=a.ok.cuGraphAddKernelNode(graph(a), None, 0, params))


def tells_it(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the node reports its parameters."""
    said = i.process.ok.cuGraphKernelNodeGetParams(i.args["hNode"])
    assert tuple(said[:8]) == i.args["nodeParams"][:8]


def changed(w: World) -> Invocation:
    a = w.process()
    return a.call(
        "cuGraphKernelNodeSetParams", hNode=of_kernel(a), nodeParams=launch(function(a, b"exact"), gridDimX=2)
    )


sets = Entry("cuGraphKernelNodeSetParams", changed, tells_it)


@sets.world("GRID_RUNS_AT_ONCE", "", "hNode", "nodeParams")
def not_at_once(_w: World, i: Invocation) -> Invocation:
    return i.evolve(hNode=together(i.process), nodeParams=launch(function(i.process), gridDimX=TOO_MANY))


refuse_launch(sets)
refuse_node(sets, "hNode")
sets.without("not_initialized")  # to such a process the node is garbage, which the driver follows
sets.breaks("NODE_IS_OF_ITS_KIND", hNode=lambda i: of_nothing(i.process))

test_graph_add_kernel_node = adds.test()
test_graph_kernel_node_get_params = tells.test()
test_graph_kernel_node_set_params = sets.test()
