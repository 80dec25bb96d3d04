"""Questions about conditional nodes, children that take their graph over, nodes of memory, and launches with attributes in captures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.execution.launch_config import attribute
from conformance.cases.driver.graph.conditionals import (
    ASSIGNS,
    IF,
    MOVED,
    SWITCH,
    WHILE,
    branching,
    condition,
    conditional,
    following,
    owned,
)
from conformance.cases.driver.graph.fixtures import ROOM, executable, graph, node, of_memset
from conformance.cases.driver.graph.memory import allocating, freeing
from conformance.cases.driver.graph.test_any_node import allocation_of, batching
from conformance.cases.driver.graph.test_enabled import calling, copying, recording
from conformance.cases.driver.graph.test_executable import abroad
from conformance.cases.driver.graph.test_executable_set import waiting
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.cases.driver.module.fixtures import GARBAGE, function
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, stream
from conformance.cases.driver.va.fixtures import content
from conformance.cases.runtime.fixtures import using
from conformance.cases.runtime.test_any_node import GIVEN
from conformance.cases.runtime.test_any_node import of_kernel as launching
from conformance.cases.runtime.test_any_node import params as cuda_params
from conformance.record.questions.fixtures import question
from fakecuda.spec.node_params import CHILD, CONDITIONAL, EMPTY, MEM_FREE, MEMSET, pack

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.world import Process, World

RELAXED = 2
SHAPES = (
    *((IF, 0), (IF, 1), (IF, 2), (IF, 3), (WHILE, 0), (WHILE, 1), (WHILE, 2)),
    *((SWITCH, 0), (SWITCH, 1), (SWITCH, 5), (3, 1), (-1, 1)),
)
"""Types of conditionals and how many graphs they are to have."""


def apart(w: World, *asks: Callable[[Process], object]) -> None:
    """Ask each in a process of its own, which a driver may end."""
    for ask in asks:
        a = w.process()
        ask(a)
        a.kill()


def elsewhere(a: Process) -> int:
    """Return another context, which is not current."""
    made: int = a.ok.cuCtxCreate(None, 0, a.device)
    a.ok.cuCtxPopCurrent()
    return made


def added(a: Process, of: int, params: bytes) -> Any:
    """Add a node of any type, whatever comes of it."""
    return a.c.cuGraphAddNode(of, None, None, 0, params)


@question()
def conditions_of_a_graph(w: World) -> None:
    """Flags, contexts, and what is wrong at once."""
    a = w.process()
    own = a.ok.cuCtxGetCurrent()
    for flags in range(4):
        a.c.cuGraphConditionalHandleCreate(graph(a), own, 1, flags)
    for flags in (0, ASSIGNS, 2):
        a.c.cuGraphConditionalHandleCreate(graph(a), elsewhere(a), 1, flags)
    a.c.cuGraphConditionalHandleCreate(0, own, 1, 2)
    a.c.cuGraphConditionalHandleCreate(0, own, 1, 2, null="pHandle_out")
    a.c.cuGraphConditionalHandleCreate(graph(a), own, 1, 2, null="pHandle_out")
    a.ok.cuCtxPopCurrent()
    a.c.cuGraphConditionalHandleCreate(graph(a), own, 1, ASSIGNS)
    apart(
        w,
        lambda a: a.c.cuGraphConditionalHandleCreate(graph(a), 0, 1, ASSIGNS),
        lambda a: a.c.cuGraphConditionalHandleCreate(graph(a), 0, 1, 2),
        lambda a: a.c.cuGraphConditionalHandleCreate(0, 0, 1, 2),
        lambda a: (a.ok.cuCtxPopCurrent(), a.c.cuGraphConditionalHandleCreate(graph(a), 0, 1, ASSIGNS)),
    )


@question()
def conditionals_of_each_shape(w: World) -> None:
    """Types and sizes; and what their graphs do when the graph is launched with each default."""
    a = w.process()
    for kind, size in SHAPES:
        of = graph(a)
        added(a, of, following(a, condition(a, of), kind, size))
    for kind, size in ((IF, 1), (IF, 2), (SWITCH, 3), (WHILE, 1)):
        for default in (0,) if kind == WHILE else (0, 1, 2, 3, 0xFFFFFFFF):
            of, place = graph(a), filled(a, 0, ROOM)
            for number, inner in enumerate(conditional(a, of, kind, size, default)):
                of_memset(a, place + 16 * number, 7, inner)
            a.c.cuGraphLaunch(executable(a, of), 0)
            a.c.cuStreamSynchronize(0)
            content(a, place, 48)


@question()
def conditions_that_nobody_assigns(w: World) -> None:
    """A launch without a default, and without a kernel."""
    a = w.process()
    of, place = graph(a), filled(a, 0, ROOM)
    _, graphs = a.ok.cuGraphAddNode(of, None, None, 0, following(a, condition(a, of, 1, 0)))
    of_memset(a, place, 7, graphs[0])
    made = executable(a, of)
    for _ in range(2):
        a.c.cuGraphLaunch(made, 0)
        a.c.cuStreamSynchronize(0)
        content(a, place, 16)


@question()
def wrong_conditions_of_nodes(w: World) -> None:
    """Of no graph, of another, of the graph around it, of a child, twice, after its node; in other contexts."""
    a = w.process()
    of, other, inner = graph(a), graph(a), graph(a)
    child = a.ok.cuGraphChildGraphNodeGetGraph(a.ok.cuGraphAddChildGraphNode(of, None, 0, inner))
    for handle in (0, condition(a, other), condition(a, child)):
        added(a, of, following(a, handle))
    added(a, child, following(a, condition(a, of)))
    handle = condition(a, of)
    made = added(a, of, following(a, handle))
    added(a, of, following(a, handle))
    a.c.cuGraphDestroyNode(made[1])
    added(a, of, following(a, handle))
    added(a, of, following(a, condition(a, of), ctx=elsewhere(a)))
    for given in ((0, 3), (condition(a, of), 3), (0, IF)):  # what is looked at first
        for into in (0, of):
            added(a, into, following(a, *given, 0))
    gone = condition(a, other)
    a.ok.cuGraphDestroy(other)
    added(a, of, following(a, gone))

    def in_context(ctx: int, kind: int) -> Callable[[Process], object]:
        return lambda a: added(a, of := graph(a), following(a, condition(a, of), kind, ctx=ctx))

    apart(
        w,
        *(in_context(ctx, kind) for ctx in (0, GARBAGE) for kind in (IF, 3)),
        *(lambda a, handle=handle: added(a, graph(a), following(a, handle)) for handle in (1, GARBAGE)),
    )


@question()
def conditions_without_nodes(w: World) -> None:
    """Whether a graph with one is made executable, and what is told of it."""
    a = w.process()
    of = graph(a)
    condition(a, of)
    a.c.cuGraphInstantiate(of, 0)
    a.c.cuGraphInstantiateWithParams(of, (0, 0, 0, 0))
    a.c.cuGraphClone(of)
    a.c.cuGraphAddChildGraphNode(graph(a), None, 0, of)
    outer = graph(a)
    child = a.ok.cuGraphAddChildGraphNode(outer, None, 0, graph(a))
    condition(a, a.ok.cuGraphChildGraphNodeGetGraph(child))
    a.c.cuGraphInstantiate(outer, 0)


@question()
def what_conditionals_may_hold(w: World) -> None:
    """Nodes of each type in a graph of a conditional: whether they are added, and made executable."""
    a = w.process()
    makers: dict[str, Any] = {
        "host": calling,
        "record": recording,
        "wait": waiting,
        "batch": batching,
        "kernel": of_kernel,
        "copy": copying,
        "empty": node,
        "abroad": abroad,
        "alloc": lambda a, of: added(a, of, allocation_of(a)),
        "free": lambda a, of: added(a, of, pack(MEM_FREE, (allocating(a)[1],))),
        "managed": lambda a, of: of_memset(a, a.ok.cuMemAllocManaged(ROOM, 1), of=of),
        "pinned": lambda a, of: of_memset(a, a.ok.cuMemAllocHost(ROOM), of=of),
        "conditional": conditional,
    }
    for make in makers.values():
        for nested in (False, True):
            of = graph(a)
            (inner,) = conditional(a, of, default=1)
            if nested:
                child = a.ok.cuGraphAddChildGraphNode(inner, None, 0, graph(a))
                inner = a.ok.cuGraphChildGraphNodeGetGraph(child)
            try:
                make(a, inner)
            except AssertionError:
                continue
            code, made = a.c.cuGraphInstantiate(of, 0)
            a.c.cuGraphInstantiateWithParams(of, (0, 0, 0, 0))
            if not code:
                a.c.cuGraphLaunch(made, 0)
                a.c.cuStreamSynchronize(0)


@question()
def what_else_is_done_with_conditionals(w: World) -> None:
    """Clones, children, ends, parameters, captures, and graphs of conditionals as if they were their own."""
    a = w.process()
    of = branching(a)
    a.c.cuGraphClone(of)
    a.c.cuGraphAddChildGraphNode(graph(a), None, 0, of)
    for ownership in (0, MOVED):
        added(a, graph(a), pack(CHILD, (of, ownership)))
    handle = condition(a, of)
    made, graphs = a.ok.cuGraphAddNode(of, None, None, 0, following(a, handle))
    a.c.cuGraphNodeGetType(made)
    a.c.cuGraphChildGraphNodeGetGraph(made)
    a.c.cuGraphNodeSetParams(made, following(a, handle))
    a.c.cuGraphNodeSetParams(made, following(a, handle, WHILE))
    held = executable(a, of)
    a.c.cuGraphExecNodeSetParams(held, made, following(a, handle))
    a.c.cuGraphNodeSetEnabled(held, made, 0)
    a.c.cuGraphInstantiate(graphs[0], 0)
    a.c.cuGraphClone(graphs[0])
    a.c.cuGraphAddChildGraphNode(graph(a), None, 0, graphs[0])
    a.c.cuGraphExecUpdate(executable(a), graphs[0])
    a.c.cuGraphDestroy(graphs[0])
    working = stream(a, NON_BLOCKING)
    a.c.cuStreamBeginCaptureToGraph(working, graphs[0], None, None, 0, RELAXED)
    a.c.cuLaunchHostFunc(working, a.c_function("abs"), 0)
    a.c.cuMemAllocAsync(ROOM, working)
    a.c.cuStreamEndCapture(working)
    a.c.cuGraphInstantiate(of, 4)
    a.c.cuGraphDestroyNode(made)
    a.c.cuGraphAddEmptyNode(graphs[0], None, 0)
    a.c.cuGraphDestroy(of)


@question()
def updates_of_conditionals(w: World) -> None:
    """Other types, sizes, defaults, flags and contexts, and what is in their graphs."""
    a = w.process()
    place = filled(a, 0, ROOM)

    def made(kind: int = IF, size: int = 1, default: int = 0, flags: int = ASSIGNS, value: int = 7) -> int:
        of = graph(a)
        params = following(a, condition(a, of, default, flags), kind, size)
        for inner in a.ok.cuGraphAddNode(of, None, None, 0, params)[1]:
            of_memset(a, place, value, inner)
        return of

    for other in (
        {"default": 1, "value": 9},
        {"kind": WHILE},
        {"kind": SWITCH},
        {"size": 2},
        {"flags": 0},
        {"default": 1},
    ):
        held = executable(a, made())
        a.c.cuGraphExecUpdate(held, made(**other))
        a.c.cuGraphLaunch(held, 0)
        a.c.cuStreamSynchronize(0)
        content(a, place, 16)
    empty = graph(a)
    conditional(a, empty)
    a.c.cuGraphExecUpdate(executable(a, made()), empty)


@question()
def graphs_that_children_take_over(w: World) -> None:
    """What the manual says cannot be done with them, and by which codes; and what else."""
    a = w.process()
    for ownership in (-1, 0, MOVED, 2):
        added(a, graph(a), pack(CHILD, (graph(a), ownership)))
        added(a, graph(a), pack(CHILD, (allocating(a)[0], ownership)))
    inner = owned(a)
    a.c.cuGraphInstantiate(inner, 0)
    a.c.cuGraphInstantiateWithParams(inner, (0, 0, 0, 0))
    a.c.cuGraphDestroy(inner)
    a.c.cuGraphClone(inner)
    a.c.cuGraphAddChildGraphNode(graph(a), None, 0, inner)
    for ownership in (0, MOVED):
        added(a, graph(a), pack(CHILD, (inner, ownership)))
    a.c.cuGraphExecUpdate(executable(a), inner)
    added(a, inner, allocation_of(a))
    a.c.cuGraphAddMemFreeNode(inner, None, 0, allocating(a)[1])
    working = stream(a, NON_BLOCKING)
    a.c.cuStreamBeginCaptureToGraph(working, inner, None, None, 0, RELAXED)
    a.c.cuMemAllocAsync(ROOM, working)
    a.c.cuStreamEndCapture(working)
    node(a, inner)
    child = a.ok.cuGraphAddChildGraphNode(graph(a), None, 0, graph(a))
    added(a, graph(a), pack(CHILD, (a.ok.cuGraphChildGraphNodeGetGraph(child), MOVED)))
    used = graph(a)
    executable(a, used)
    added(a, graph(a), pack(CHILD, (used, MOVED)))
    outer = graph(a)
    added(a, outer, pack(CHILD, (allocating(a)[0], MOVED)))
    a.c.cuGraphClone(outer)
    a.c.cuGraphInstantiate(outer, 0)
    a.c.cuGraphInstantiate(outer, 0)
    a.c.cuGraphDestroyNode(a.ok.cuGraphGetNodes(outer, 1)[0][0])


@question()
def nodes_of_memory_of_any_type(w: World) -> None:
    """Orders of checks, a free that is refused, and other parameters."""
    a = w.process()
    of, memory = allocating(a)
    added(a, 0, allocation_of(a))
    added(a, of, allocation_of(a, 0))
    added(a, 0, allocation_of(a, 0))
    a.c.cuGraphAddNode(of, None, None, 1, allocation_of(a, 0))
    bare = graph(a)
    added(a, bare, pack(MEM_FREE, (0,)))
    a.c.cuGraphClone(bare)
    added(a, graph(a), pack(MEM_FREE, (memory,)))
    made = freeing(a, allocating(a)[1])
    a.c.cuGraphNodeSetParams(made, pack(MEM_FREE, (memory,)))
    allocated = added(a, graph(a), allocation_of(a))[1]
    a.c.cuGraphNodeSetParams(allocated, allocation_of(a))
    a.ok.cuCtxPopCurrent()
    added(a, graph(a), allocation_of(a))


@question()
def launches_with_attributes_in_a_capture(w: World) -> None:
    """Each attribute, whether it is the node's, and when one is refused that does not suit the grid."""
    a = w.process()
    rows: dict[str, Any] = {
        "CLUSTER_DIMENSION": ((2, 1, 1), (3, 1, 1)),
        "COOPERATIVE": ((1,), (0,)),
        "PRIORITY": ((-1,), (-99,)),
        "CLUSTER_SCHEDULING_POLICY_PREFERENCE": ((1,), (9,)),
        "MEM_SYNC_DOMAIN": ((1,), (99,)),
        "PREFERRED_SHARED_MEMORY_CARVEOUT": ((50,), (101,)),
        "PROGRAMMATIC_STREAM_SERIALIZATION": ((1,), (0,)),
        "NVLINK_UTIL_CENTRIC_SCHEDULING": ((1,),),
        "SYNCHRONIZATION_POLICY": ((1,),),
    }
    for name, values in rows.items():
        for value in values:
            working = stream(a, NON_BLOCKING)
            a.ok.cuStreamBeginCapture(working, RELAXED)
            row = attribute(name, *value)
            for _ in range(2):
                a.c.cuLaunchKernelEx((4, *[1] * 5, 0, working, (row,)), function(a), 0, 0)
            code, of = a.c.cuStreamEndCapture(working)
            if not code:
                for made in a.ok.cuGraphGetNodes(of, 2)[0]:
                    a.c.cuGraphKernelNodeGetAttribute(made, row[0])
                a.c.cuGraphGetEdges(of, 1)
                a.c.cuGraphInstantiate(of, 0)
    working = stream(a, NON_BLOCKING)
    a.ok.cuStreamBeginCapture(working, RELAXED)
    a.c.cuLaunchKernelEx((200000, *[1] * 5, 0, working, (attribute("COOPERATIVE", 1),)), function(a), 0, 0)
    a.c.cuStreamEndCapture(working)


@question()
def nodes_of_any_type_by_the_runtime(w: World) -> None:
    """Types, bytes that are not zero, functions of each type, and conditions."""
    a = using(w)
    for make, _ in GIVEN.values():
        of = a.ok.cudaGraphCreate(0)
        a.c.cudaGraphAddNode(of, None, None, 0, make(a))
        a.c.cudaGraphAddNode(of, None, None, 0, make(a)[:-1] + b"\1")
    for kind in (8, 9, 12, 16, 17, 99):
        a.c.cudaGraphAddNode(a.ok.cudaGraphCreate(0), None, None, 0, kind.to_bytes(4, "little").ljust(256, b"\0"))
    for func in (function(a), 0):
        a.c.cudaGraphAddNode(a.ok.cudaGraphCreate(0), None, None, 0, launching(func))
    a.c.cudaGraphAddNode(0, None, None, 0, None)
    a.c.cudaGraphAddNode(0, None, None, 0, cuda_params(EMPTY))
    a.c.cudaGraphAddNode(0, None, None, 0, cuda_params(MEMSET, *[0] * 7))
    for flags in range(3):
        of = a.ok.cudaGraphCreate(0)
        code, handle = a.c.cudaGraphConditionalHandleCreate(of, 1, flags)
        if not code:
            a.c.cudaGraphAddNode(of, None, None, 0, cuda_params(CONDITIONAL, handle, SWITCH, 3, 0, 0))
            a.c.cudaGraphInstantiate(of, 0)
    a.c.cudaGraphConditionalHandleCreate(0, 1, 2)
    a.c.cudaGraphConditionalHandleCreate_v2(a.ok.cudaGraphCreate(0), 0, 1, 1)
    for mode in (0, 1, 2, 3, 0):
        a.c.cudaThreadExchangeStreamCaptureMode(mode)
