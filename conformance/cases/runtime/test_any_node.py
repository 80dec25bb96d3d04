"""Nodes of any type in the runtime API: valid calls by type, and refusals.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.cases.runtime.fixtures import box, event, graph, memory, node
from conformance.cases.runtime.test_graph import added, allocating, allocation, current, executable, memset
from conformance.cases.runtime.test_kernel_node import loaded, running
from conformance.kit.case import Entry, suite
from fakecuda.spec.node_params import (
    BATCH_MEM_OP,
    CHILD,
    CONDITIONAL,
    EMPTY,
    EVENT_RECORD,
    HOST,
    KERNEL,
    MEM_ALLOC,
    MEM_FREE,
    MEMCPY,
    MEMSET,
    RUNTIME_LAYOUTS,
    WAIT_EVENT,
    pack,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

    Given = Callable[[Process], bytes]

pytestmark = pytest.mark.filterwarnings("ignore::fakecuda.NotModelledWarning")
SWITCH, SEMAPHORES = 2, 8
"""cudaGraphCondTypeSwitch and cudaGraphNodeTypeExtSemaphoreSignal."""


def params(kind: int, *values: Any, clean: bool = True) -> bytes:
    """Return a cudaGraphNodeParams."""
    return pack(kind, values, clean, RUNTIME_LAYOUTS)


def flat(a: Process, **changed: Any) -> tuple[Any, ...]:
    """Return the numbers of a cudaMemcpy3DParms."""
    found: list[Any] = []
    for one in box(a, **changed):
        found += one if isinstance(one, tuple) else [one]
    return tuple(found)


def of_kernel(func: int) -> bytes:
    """Return a kernel of one thread."""
    return params(KERNEL, func, *[1] * 6, 0, 0, 0, 0, 0)


def of_memory(a: Process) -> bytes:
    """Return an allocation."""
    (*props, location, win32, most, usage), *rest = allocation(a)
    return params(MEM_ALLOC, *props, *location, win32, most, usage, 0, *rest)


def of_memset(a: Process) -> bytes:
    """Return a memset of a row."""
    return params(MEMSET, *memset(a), 0)


GIVEN: dict[str, tuple[Given, Callable[[Process], int]]] = {
    "a memset": (of_memset, lambda a: added(a, "cudaGraphAddMemsetNode")),
    "a copy": (lambda a: params(MEMCPY, 0, 0, 0, *flat(a)), lambda a: added(a, "cudaGraphAddMemcpyNode")),
    "a function": (
        lambda a: params(HOST, a.c_function("abs"), 0, 0, 0),
        lambda a: added(a, "cudaGraphAddHostNode"),
    ),
    "an event": (lambda a: params(EVENT_RECORD, event(a), 0), lambda a: added(a, "cudaGraphAddEventRecordNode")),
    "a wait": (lambda a: params(WAIT_EVENT, event(a), 0), lambda a: added(a, "cudaGraphAddEventWaitNode")),
    "nothing": (lambda _: params(EMPTY), lambda a: node(a, graph(a))),
    "a kernel": (lambda a: of_kernel(loaded(a, b"empty")), lambda a: running(a)[1]),
}
"""By kind: parameters, and a function that makes such a node of a new graph."""


adds = Entry.of("cudaGraphAddNode", lambda a: (graph(a), None, None, 0, of_memset(a)))


def refuse(one: Entry) -> None:
    """Add the cases of invalid parameters."""
    one.breaks("PARAMETERS_ARE_GIVEN", nodeParams=None)
    one.breaks("TYPE_IS_KNOWN", nodeParams=params(99))
    one.breaks("TYPE_IS_KNOWN", "a batch", nodeParams=params(BATCH_MEM_OP))
    one.breaks("UNUSED_BYTES_ARE_ZERO", nodeParams=lambda i: of_memset(i.process)[:-1] + b"\1")
    one.also("in a thread without a context", then=current)(lambda w, i: i.on_thread(w.thread_name()))


refuse(adds)
adds.breaks("TYPE_IS_MODELLED", nodeParams=params(SEMAPHORES))
adds.model_only("TYPE_IS_MODELLED", code=801)  # a driver has such nodes
adds.null("pGraphNode", "RESULT_IS_GIVEN")
adds.breaks("GRAPH_IS_GIVEN", graph=0)
adds.breaks("DEPENDENCIES_ARE_GIVEN", numDependencies=1)
adds.breaks("PARAMETERS_SUIT_THE_TYPE", nodeParams=lambda i: params(MEMSET, *memset(i.process, width=0), 0))
adds.breaks("PARAMETERS_SUIT_THE_TYPE", "no kernel", nodeParams=of_kernel(0))
adds.breaks(
    "PARAMETERS_SUIT_THE_TYPE",
    "an unknown kind",
    nodeParams=lambda i: params(MEMCPY, 0, 0, 0, *flat(i.process, kind=5)),
)
adds.answering("PARAMETERS_SUIT_THE_TYPE-no-kernel", code=98)
adds.answering("PARAMETERS_SUIT_THE_TYPE-an-unknown-kind", code=21)
for label, (make, _) in GIVEN.items():
    adds.also(label, nodeParams=lambda i, make=make: make(i.process))
adds.also("a child", nodeParams=lambda i: params(CHILD, graph(i.process), 0))
adds.also("memory", nodeParams=lambda i: of_memory(i.process))
adds.also("a free", nodeParams=lambda i: params(MEM_FREE, allocating(i.process)[2]))
adds.breaks("CONDITION_IS_OF_THE_GRAPH", nodeParams=params(CONDITIONAL, 0, SWITCH, 3, 0, 0))


def has_graphs(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the body graphs accept nodes, and that the graph can be launched."""
    a, (_, graphs) = i.process, results
    assert isinstance(graphs, tuple)
    for one in graphs:
        node(a, one)
    a.ok.cudaGraphLaunch(executable(a, i.args["graph"]), 0)


def conditional(i: Invocation) -> bytes:
    """Return a switch node with a new condition."""
    handle = i.process.ok.cudaGraphConditionalHandleCreate(i.args["graph"], 1, 1)
    return params(CONDITIONAL, handle, SWITCH, 3, 0, 0)


adds.also("a switch", nodeParams=conditional, then=has_graphs)


@adds.also("behind a node")
def behind(_w: World, i: Invocation) -> Invocation:
    return i.evolve(pDependencies=(node(i.process, i.args["graph"]),), dependencyData=((0, 0, 0),), numDependencies=1)


sets = Entry.of("cudaGraphNodeSetParams", lambda a: (added(a, "cudaGraphAddMemsetNode"), of_memset(a)))
refuse(sets)
sets.breaks("NODE_IS_GIVEN", node=0)
sets.breaks("NODE_IS_OF_ITS_KIND", nodeParams=params(EMPTY))
sets.breaks("PARAMETERS_SUIT_THE_TYPE", nodeParams=lambda i: params(MEMSET, *memset(i.process, width=0), 0))
for label, (make, build) in GIVEN.items():

    @sets.also(label)
    def setting(_w: World, i: Invocation, make: Given = make, build: Any = build) -> Invocation:
        return i.evolve(node=build(i.process), nodeParams=make(i.process))


@sets.world("TYPE_IS_MODELLED", "", "node", "nodeParams")
def of_a_free(_w: World, i: Invocation) -> Invocation:
    a = i.process
    given = params(MEM_FREE, allocating(a)[2])
    return i.evolve(node=a.ok.cudaGraphAddNode(graph(a), None, None, 0, given)[0], nodeParams=given)


def in_a_graph(a: Process) -> tuple[int, int, bytes]:
    """Return an executable graph, its graph's memset node, and another memset."""
    of = graph(a)
    made = a.ok.cudaGraphAddMemsetNode(of, None, 0, memset(a))
    return executable(a, of), made, of_memset(a)


executes = Entry.of("cudaGraphExecNodeSetParams", in_a_graph)
refuse(executes)
executes.breaks("NODE_IS_GIVEN", node=0)
executes.breaks("EXECUTABLE_IS_GIVEN", graphExec=0)
executes.breaks("NODE_IS_OF_ITS_KIND", nodeParams=params(EMPTY))
executes.breaks(
    "PARAMETERS_SUIT_THE_TYPE", nodeParams=lambda i: params(MEMSET, *memset(i.process, pitch=64, height=2), 0)
)
executes.also(
    "another value", nodeParams=lambda i: params(MEMSET, *memset(i.process, dst=memory(i.process), value=9), 0)
)


@executes.world("TYPE_IS_MODELLED", "", "graphExec", "node", "nodeParams")
def of_a_conditional(_w: World, i: Invocation) -> Invocation:
    a, of = i.process, graph(i.process)
    given = params(CONDITIONAL, a.ok.cudaGraphConditionalHandleCreate(of, 1, 1), SWITCH, 3, 0, 0)
    made, _ = a.ok.cudaGraphAddNode(of, None, None, 0, given)
    return i.evolve(graphExec=executable(a, of), node=made, nodeParams=given)


conditions = Entry.of("cudaGraphConditionalHandleCreate_v2", lambda a: (graph(a), 0, 1, 1))
conditions.null("pHandle_out", "RESULT_IS_GIVEN")
conditions.breaks("GRAPH_IS_GIVEN", graph=0)
conditions.breaks("graph.graph_conditional_handle_create.FLAGS_ARE_KNOWN", flags=2)
conditions.breaks("TYPE_IS_MODELLED", ctx=1)
conditions.model_only("TYPE_IS_MODELLED", code=801)  # a library of 13.1 follows it
conditions.also("in a thread without a context", then=current)(lambda w, i: i.on_thread(w.thread_name()))
test_any_node = suite(adds, sets, executes, conditions)
