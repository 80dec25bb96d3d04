"""Parameters of nodes of any type, valid and invalid, and checks of the nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.graph.changing_steps import waiting
from conformance.cases.driver.graph.conditionals import condition, following
from conformance.cases.driver.graph.fixtures import ROOM, copy, executable, graph, launch, memset, node
from conformance.cases.driver.graph.test_batch_mem_op import laid
from conformance.cases.driver.graph.test_enabled import calling, copying, embedding, filling, recording
from conformance.cases.driver.graph.test_memory import allocation
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.cases.driver.module.fixtures import function
from conformance.cases.driver.stream.mem_ops import OPERATION
from conformance.cases.driver.va.fixtures import NOWHERE
from fakecuda.spec.node_params import (
    BATCH_MEM_OP,
    CHILD,
    CONDITIONAL,
    EMPTY,
    EVENT_RECORD,
    HOST,
    KERNEL,
    MEM_ALLOC,
    MEMCPY,
    MEMSET,
    WAIT_EVENT,
    pack,
    unpack,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

    Given = Callable[[Process], bytes]

CLONED = 0
"""CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE."""


BARRIER = (OPERATION["BARRIER"], 0)


def batching(a: Process, of: int) -> int:
    made: int = a.ok.cuGraphAddBatchMemOpNode(of, None, 0, laid(a, BARRIER))
    return made


def of_memset(a: Process) -> bytes:
    return pack(MEMSET, (*memset(filled(a, 0, ROOM), 9), 0))


GIVEN: dict[str, tuple[Given, Callable[[Process, int], int]]] = {
    "a memset": (of_memset, filling),
    "a copy": (lambda a: pack(MEMCPY, (0, 0, 0, *copy(filled(a, 0, ROOM), filled(a, 1, ROOM)))), copying),
    "a function": (lambda a: pack(HOST, (a.c_function("abs"), 5)), calling),
    "a kernel": (lambda a: pack(KERNEL, launch(function(a))), of_kernel),
    "an event": (lambda a: pack(EVENT_RECORD, (a.ok.cuEventCreate(0),)), recording),
    "a wait": (lambda a: pack(WAIT_EVENT, (a.ok.cuEventCreate(0),)), waiting),
    "a child": (lambda a: pack(CHILD, (graph(a), 0)), embedding),
    "nothing": (lambda _: pack(EMPTY, ()), node),
    "a batch": (lambda a: pack(BATCH_MEM_OP, laid(a, BARRIER)), batching),
}
"""By kind: parameters, and a function that makes such a node of a graph."""
WRONG: dict[str, Given] = {
    "a memset of nothing": lambda a: pack(MEMSET, (*memset(filled(a, 0, ROOM), width=0), 0)),
    "a memset of nowhere": lambda _: pack(MEMSET, (*memset(NOWHERE), 0)),
    "a copy of nothing": lambda a: pack(MEMCPY, (0, 0, 0, *copy(filled(a, 0, ROOM), filled(a, 1, ROOM), 0))),
    "no function": lambda _: pack(HOST, (0, 5)),
    "no kernel": lambda _: pack(KERNEL, launch(0)),
    "no event": lambda _: pack(EVENT_RECORD, (0,)),
    "nothing to wait for": lambda _: pack(WAIT_EVENT, (0,)),
    "no operation of a batch": lambda a: pack(BATCH_MEM_OP, laid(a, (0,))),
    "no child": lambda _: pack(CHILD, (0, 0)),
}
"""Parameters that the calls for one type refuse."""


def allocation_of(a: Process, size: int = ROOM) -> bytes:
    """Return parameters of an allocation node on the process's device."""
    (*props, location, win32, most, usage, rdma), *rest = allocation(a, size)
    return pack(MEM_ALLOC, (*props, *location, win32, most, usage, rdma, *rest))


def is_of_its_kind(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the node has the requested type."""
    assert i.process.ok.cuGraphNodeGetType(results[0]) == i.args["nodeParams"][0]


def has_graphs(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the node has body graphs that accept nodes and cannot be destroyed."""
    a, (made, graphs) = i.process, results
    assert a.ok.cuGraphNodeGetType(made) == CONDITIONAL
    assert isinstance(graphs, tuple)
    for inner in graphs:
        filling(a, inner)
        assert a.c.cuGraphDestroy(inner) == (1,)
    assert a.c.cuGraphLaunch(executable(a, i.args["hGraph"]), 0) == (0,)
    a.ok.cuGraphDestroyNode(made)


def is_cloned(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the child node has a clone, and the program keeps its graph."""
    a, (made, _) = i.process, results
    inner = unpack(i.args["nodeParams"])[1][0]
    assert a.ok.cuGraphChildGraphNodeGetGraph(made) != inner
    a.ok.cuGraphDestroy(inner)


def is_taken(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the child node owns the graph, which nobody else can destroy."""
    a, (made, _) = i.process, results
    inner = unpack(i.args["nodeParams"])[1][0]
    assert a.ok.cuGraphChildGraphNodeGetGraph(made) == inner
    assert a.c.cuGraphDestroy(inner) == (1,)


def elsewhere(a: Process) -> int:
    """Return a new context that is not current."""
    made: int = a.ok.cuCtxCreate(None, 0, a.device)
    a.ok.cuCtxPopCurrent()
    return made


def given_of(make: Callable[[Process, int], bytes]) -> Callable[[Invocation], bytes]:
    """Return a function from process and graph to parameters."""
    return lambda i: make(i.process, i.args["hGraph"])


def with_conditional(kind: int, size: int) -> Callable[[Invocation], bytes]:
    """Return a function to parameters of a conditional node with a new condition."""
    return given_of(lambda a, of: following(a, condition(a, of), kind, size))


def embedding_again(
    params: Callable[[Invocation, int], int], owner: int = CLONED
) -> Callable[[World, Invocation], Invocation]:
    """Return a function to a call that gives a child node a clone of another graph.

    ``params`` gets the graph of the node, and returns the graph to clone.
    """

    def act(_w: World, i: Invocation) -> Invocation:
        a, of = i.process, graph(i.process)
        made = embedding(a, of)
        return i.evolve(hNode=made, nodeParams=pack(CHILD, (params(i, of), owner)))

    return act


def has_another(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the node has a graph with one node, and that its parent can be instantiated."""
    a = i.process
    of = a.ok.cuGraphChildGraphNodeGetGraph(i.args["hNode"])
    assert len(a.ok.cuGraphGetNodes(of, 1)[0]) == 1
    a.ok.cuGraphAddEmptyNode(of, None, 0)


def rows(a: Process, of: int) -> int:
    made: int = a.ok.cuGraphAddMemsetNode(of, None, 0, memset(filled(a, 0, ROOM), pitch=64, height=2), 0)
    return made
