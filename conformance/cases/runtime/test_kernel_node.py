"""Kernel nodes in the runtime API.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.graph.test_kernel_attribute import value
from conformance.cases.driver.module.fixtures import GARBAGE
from conformance.cases.runtime.fixtures import graph, node
from conformance.cases.runtime.fixtures_of_programs import KERNELS_OF_PARTS, LACKED
from conformance.cases.runtime.test_graph import current, executable
from conformance.cases.runtime.test_library import kernel, without_library
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Error, Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World


def loaded(a: Process, name: bytes) -> int:
    """Return a kernel that is loaded in the current context."""
    found = kernel(a, name)
    a.ok.cudaFuncSetCacheConfig(found, 0)
    return found


def launch(a: Process, name: bytes = b"empty", **changed: Any) -> tuple[Plain, ...]:
    """Return a cudaKernelNodeParams of a new kernel; ``changed`` sets other members."""
    members: dict[str, Any] = {
        "func": changed["func"] if "func" in changed else loaded(a, name),
        "gridDim": (2, 1, 1),
        "blockDim": (32, 1, 1),
        "sharedMemBytes": 0,
        "kernelParams": 0,
        "extra": 0,
    }
    return tuple((members | changed).values())


def running(a: Process) -> tuple[int, int]:
    """Return a graph and its kernel node."""
    of = graph(a)
    return of, a.ok.cudaGraphAddKernelNode(of, None, 0, launch(a))


def held(a: Process) -> tuple[int, int]:
    """Return an executable graph, and its graph's kernel node."""
    of, one = running(a)
    return executable(a, of), one


adds = Entry.of("cudaGraphAddKernelNode", lambda a: (graph(a), None, 0, launch(a)))
tells = Entry.of("cudaGraphKernelNodeGetParams", lambda a: running(a)[1:], answers=int(Error.INVALID_DEVICE_FUNCTION))
sets = Entry.of("cudaGraphKernelNodeSetParams", lambda a: (running(a)[1], launch(a, sharedMemBytes=64)))
changes = Entry.of("cudaGraphExecKernelNodeSetParams", lambda a: (*held(a), launch(a, sharedMemBytes=64)))


def other(**changed: Any) -> dict[str, Any]:
    """Return an argument: a launch with other members."""

    def make(i: Invocation) -> tuple[Plain, ...]:
        given = {name: value(i.process) if callable(value) else value for name, value in changed.items()}
        name = given.pop("name", b"empty")
        return launch(i.process, name, **given)

    return {"pNodeParams": make}


def refuse(one: Entry) -> None:
    """Add the cases of a refused launch."""
    if one is changes:
        one.undefined("PARAMETERS_ARE_READ", code=Result.INVALID_VALUE, pNodeParams=None)
    else:
        one.breaks("PARAMETERS_ARE_GIVEN", pNodeParams=None)
    one.breaks("runtime.library.FUNCTION_IS_GIVEN", **other(func=0))
    one.breaks("KERNEL_IS_COMPILED", **other(func=LACKED))
    for rule, func in KERNELS_OF_PARTS.items():
        if rule:
            one.breaks(rule, **other(func=func))
    one.breaks("GRID_FITS", **other(gridDim=(0, 1, 1)))
    one.breaks("BLOCK_FITS", **other(blockDim=(1025, 1, 1)))
    one.breaks("BLOCK_IS_THE_COMPILED_ONE", **other(name=b"exact"))
    one.breaks("SHARED_MEMORY_IS_THERE", **other(sharedMemBytes=49153))
    one.breaks("ARGUMENTS_ARE_GIVEN", **other(name=b"store"))
    one.undefined("KERNEL_IS_KNOWN", code=Result.INVALID_HANDLE, **other(func=GARBAGE))
    one.undefined("KERNEL_IS_LOADED", code=Result.INVALID_HANDLE, **other(func=without_library))


for one in (adds, sets, changes):
    refuse(one)
for one in (adds, sets, changes):
    one.also("in a thread without a context", then=current)(lambda w, i: i.on_thread(w.thread_name()))
adds.breaks("GRAPH_IS_GIVEN", graph=0)
adds.null("pGraphNode", "RESULT_IS_GIVEN")
adds.breaks("DEPENDENCIES_ARE_GIVEN", numDependencies=1)
tells.null("pNodeParams", "RESULT_IS_GIVEN")
for one in (tells, sets, changes):
    one.breaks("NODE_IS_GIVEN", node=0)
    one.breaks("NODE_IS_OF_ITS_KIND", node=lambda i: node(i.process, graph(i.process)))
changes.breaks("EXECUTABLE_IS_GIVEN", hGraphExec=0)
changes.breaks("NODE_IS_OF_THE_EXECUTABLE", node=lambda i: running(i.process)[1])


def has_another_grid(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the driver reports the new launch."""
    assert i.process.ok.cuGraphKernelNodeGetParams(i.args["node"])[1:7] == (3, 1, 1, 32, 1, 1)


sets.also("another grid", then=has_another_grid, **other(gridDim=(3, 1, 1)))


@tells.also("of a node whose kernel was changed", rule="FUNCTION_IS_REGISTERED")
def changed(_w: World, i: Invocation) -> None:
    i.process.ok.cudaGraphKernelNodeSetParams(i.args["node"], launch(i.process, sharedMemBytes=64))


@adds.also("behind a node")
def behind(_w: World, i: Invocation) -> Invocation:
    return i.evolve(pDependencies=(node(i.process, i.args["graph"]),), numDependencies=1)


COOPERATIVE, CLUSTER, PRIORITY = 2, 4, 8
"""cudaKernelNodeAttrID, cudaLaunchAttributeCooperative and its like."""


def together(a: Process) -> int:
    """Return a cooperative kernel node."""
    one = running(a)[1]
    a.ok.cudaGraphKernelNodeSetAttribute(one, COOPERATIVE, value(1))
    return one


def is_as_given(w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the node reports its attribute, and that a context is current."""
    i.c.cudaGraphKernelNodeGetAttribute(i.args["hNode"], i.args["attr"])
    current(w, i, results)


asks = Entry.of("cudaGraphKernelNodeGetAttribute", lambda a: (together(a), COOPERATIVE))
gives = Entry.of("cudaGraphKernelNodeSetAttribute", lambda a: (running(a)[1], COOPERATIVE, value(1)), then=is_as_given)
copies = Entry.of("cudaGraphKernelNodeCopyAttributes", lambda a: (running(a)[1], together(a)))
asks.null("value_out", "PLACE_IS_GIVEN")
gives.undefined("VALUE_IS_GIVEN", code=Result.INVALID_VALUE, value=None)
gives.breaks("CLUSTER_FITS", attr=CLUSTER, value=value(3, 1, 1))
gives.also("a priority", attr=PRIORITY, value=value(-1), then=is_as_given)
for one, argument in ((asks, "hNode"), (gives, "hNode"), (copies, "hDst"), (copies, "hSrc")):
    one.breaks("NODE_IS_GIVEN", argument, **{argument: 0})
    one.breaks("NODE_IS_OF_ITS_KIND", argument, **{argument: lambda i: node(i.process, graph(i.process))})
for one in (asks, gives, copies):
    one.also("in a thread without a context", then=current)(lambda w, i: i.on_thread(w.thread_name()))
for one in (asks, gives):
    for attribute in (0, 3, 99):
        one.breaks("ATTRIBUTE_IS_KNOWN", f"{attribute}", attr=attribute)


@copies.after("the one has what the other had")
def has_it(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    assert i.process.ok.cudaGraphKernelNodeGetAttribute(i.args["hDst"], COOPERATIVE) == value(1)


@copies.world("NODES_SHARE_A_CONTEXT", "", "hSrc")
def of_another_context(_w: World, i: Invocation) -> Invocation:
    a = i.process
    a.ok.cuCtxCreate(None, 0, a.device)
    other = together(a)
    a.ok.cuCtxPopCurrent()
    return i.evolve(hSrc=other)


test_kernel_node = suite(adds, tells, sets, changes, asks, gives, copies)
