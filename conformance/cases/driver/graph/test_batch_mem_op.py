"""Batch memory operation nodes: values that a graph waits for and writes.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from conformance.cases.driver.anywhere import anywhere
from conformance.cases.driver.context.fixtures import GARBAGE
from conformance.cases.driver.copy.test_memcpy_peer import destroyed
from conformance.cases.driver.graph.fixtures import (
    executable,
    graph,
    node,
    of_the_maker_alone,
    refuse_executable,
    refuse_node,
    refuse_place,
)
from conformance.cases.driver.stream.captured_calls import captured
from conformance.cases.driver.stream.fixtures import word
from conformance.cases.driver.stream.mem_ops import NOR, OPERATION, devices
from conformance.cases.driver.stream.test_stream_batch_mem_op import wait, write
from conformance.cases.driver.va.fixtures import NOWHERE, content, on_model
from conformance.kit.case import Entry
from fakecuda.spec import mem_ops
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

    Operation = tuple[int, ...]

WAIT_FLAGS = "stream.stream_wait_value.FLAGS_ARE_KNOWN"
WRITE_FLAGS = "stream.stream_write_value.FLAGS_ARE_KNOWN"
MOST = 255


def batched(a: Process, *operations: Operation) -> int:
    """Return a node of a new graph that waits for values and writes values."""
    begun = captured(a)
    a.ok.cuStreamBatchMemOp(begun, len(operations), operations, 0)
    made: int = a.ok.cuGraphGetNodes(a.ok.cuStreamEndCapture(begun), 1)[0][0]
    return made


def params(a: Process, *operations: Operation) -> tuple[int, ...]:
    """Return a CUDA_BATCH_MEM_OP_NODE_PARAMS with a node's array, in this context."""
    told: tuple[int, ...] = a.ok.cuGraphBatchMemOpNodeGetParams(batched(a, *operations))
    return told


def laid(a: Process, *operations: Operation) -> tuple[int, ...]:
    """Return such parameters with a copy of the array in page-locked memory."""
    whole = b"".join(map(mem_ops.pack, operations))
    place = a.ok.cuMemAllocHost(len(whole))
    a.ok.cuMemcpyHtoD(place, whole, len(whole))
    return a.context, len(operations), place, 0


def valid(w: World) -> Invocation:
    a = w.process()
    told = params(a, write(word(a), 7))
    return a.call("cuGraphAddBatchMemOpNode", hGraph=graph(a), dependencies=None, numDependencies=0, nodeParams=told)


def launched(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that a launch writes the value, and not before."""
    a, memory = i.process, word(i.process)
    of = graph(a)
    a.ok.cuGraphAddBatchMemOpNode(of, None, 0, params(a, write(memory, 7), wait(memory, 7)))
    assert content(a, memory) == bytes(4)
    a.ok.cuGraphLaunch(executable(a, of), 0)
    a.ok.cuStreamSynchronize(0)
    assert content(a, memory) == bytes([7, 0, 0, 0])


def refuse_batch(entry: Entry) -> None:
    """Add the cases of a call with invalid operations."""
    entry.breaks("PARAMETERS_ARE_GIVEN", nodeParams=None)
    entry.undefined("CONTEXT_IS_KNOWN", code=201, nodeParams=lambda i: (GARBAGE, *i.args["nodeParams"][1:]))
    entry.breaks("CONTEXT_IS_LIVE", nodeParams=lambda i: (destroyed(i.process), *i.args["nodeParams"][1:]))
    entry.breaks("FLAGS_ARE_ZERO", nodeParams=lambda i: (*i.args["nodeParams"][:3], 1))
    entry.breaks(
        "OPERATIONS_ARE_FEW", nodeParams=lambda i: (i.args["nodeParams"][0], MOST + 1, *i.args["nodeParams"][2:])
    )
    entry.undefined("ARRAY_IS_GIVEN", code=1, nodeParams=lambda i: (*i.args["nodeParams"][:2], 0, 0))

    entry.breaks("CONTEXT_IS_GIVEN", nodeParams=lambda i: (0, *i.args["nodeParams"][1:]))
    for rule, case, operation in (
        ("OPERATION_IS_KNOWN", "", (0,)),
        ("ADDRESS_IS_ALIGNED", "write", write(2)),
        ("ADDRESS_IS_ALIGNED", "wait", wait(6, 0)),
        ("OPERATION_S_FLAGS_ARE_KNOWN", "", (OPERATION["BARRIER"], 2)),
        ("FLUSH_IS_SUPPORTED", "", (OPERATION["FLUSH_REMOTE_WRITES"], 0)),
        ("REDUCTION_IS_SUPPORTED", "", (OPERATION["ATOMIC_REDUCTION"], 0, 0, 14, 0, 1)),
        (WAIT_FLAGS, "wait", wait(0, 0, 4)),
        (WRITE_FLAGS, "write", write(0, 0, 2)),
    ):
        entry.breaks(rule, case, nodeParams=partial(lambda operation, i: laid(i.process, operation), operation))


def evolving(entry: Entry) -> None:
    """Add the cases of parameters with memory of each kind."""
    entry.also("managed memory", nodeParams=lambda i: params(i.process, write(i.process.ok.cuMemAllocManaged(64, 1))))
    entry.also("memory that is nowhere", nodeParams=lambda i: params(i.process, write(NOWHERE)))


adds = Entry("cuGraphAddBatchMemOpNode", valid, launched)
refuse_place(adds)
refuse_batch(adds)
anywhere(adds)
evolving(adds)
adds.also("no operations", nodeParams=lambda i: (i.process.context, 0, 0, 0))
test_graph_add_batch_mem_op_node = adds.test()


def told(w: World) -> Invocation:
    a = w.process()
    return a.call("cuGraphBatchMemOpNodeGetParams", hNode=batched(a, write(word(a), 7)))


def is_told(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the parameters make an equal node."""
    (found,) = results
    assert found[1] == 1
    i.process.ok.cuGraphAddBatchMemOpNode(graph(i.process), None, 0, found)


tells = Entry("cuGraphBatchMemOpNodeGetParams", told, is_told)
refuse_node(tells, "hNode")
anywhere(tells)
tells.without("not_initialized")  # to such a process the node is garbage, which the driver follows
tells.null("nodeParams_out", "RESULT_IS_GIVEN")
tells.breaks("NODE_IS_OF_ITS_KIND", hNode=lambda i: node(i.process, graph(i.process)))
test_graph_batch_mem_op_node_get_params = tells.test()


def set_(w: World) -> Invocation:
    a = w.process()
    memory = word(a)
    return a.call(
        "cuGraphBatchMemOpNodeSetParams", hNode=batched(a, write(memory, 7)), nodeParams=params(a, write(memory, 9))
    )


sets = Entry("cuGraphBatchMemOpNodeSetParams", set_)
refuse_node(sets, "hNode")
sets.without("not_initialized")  # to such a process the node is garbage, which the driver follows
sets.breaks("NODE_IS_OF_ITS_KIND", hNode=lambda i: node(i.process, graph(i.process)))
refuse_batch(sets)
anywhere(sets)
evolving(sets)
sets.also("other operations", nodeParams=lambda i: params(i.process, wait(word(i.process)), (OPERATION["BARRIER"], 0)))
test_graph_batch_mem_op_node_set_params = sets.test()


def changed(w: World) -> Invocation:
    a = w.process()
    of = graph(a)
    made = a.ok.cuGraphAddBatchMemOpNode(of, None, 0, params(a, write(word(a), 7), wait(word(a), 0)))
    return a.call(
        "cuGraphExecBatchMemOpNodeSetParams",
        hGraphExec=executable(a, of),
        hNode=made,
        nodeParams=params(a, write(word(a), 9), wait(word(a), 0)),
    )


def writes(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the next launch writes the other value elsewhere."""
    a, memory = i.process, word(i.process)
    assert i.evolve(nodeParams=params(a, write(memory, 5), wait(memory, 5))).run() == (0,)
    a.ok.cuGraphLaunch(i.args["hGraphExec"], 0)
    a.ok.cuCtxSynchronize()
    assert content(a, memory) == bytes([5, 0, 0, 0])


changes = Entry("cuGraphExecBatchMemOpNodeSetParams", changed, writes)
refuse_executable(changes, "hGraphExec")
refuse_node(changes, "hNode")
changes.without("not_initialized")  # to such a process the executable graph is garbage, which the driver follows
changes.breaks("NODE_IS_OF_THE_EXECUTABLE", hNode=lambda i: batched(i.process, write(word(i.process))))
changes.breaks("NODE_IS_OF_ITS_KIND", hNode=lambda i: node(i.process, graph(i.process)))
refuse_batch(changes)
of_the_maker_alone(changes)


def staying(case: str, make: Callable[[Process], Any]) -> None:
    """Add a case of operations that cannot replace the node's."""
    changes.breaks("OPERATIONS_STAY", case, nodeParams=lambda i: make(i.process))


staying("fewer", lambda a: params(a, write(word(a))))
staying("of other types", lambda a: params(a, wait(word(a)), write(word(a))))
staying("wider", lambda a: params(a, write(word(a), width=64), wait(word(a))))
staying("in another context", lambda a: (a.ok.cuCtxCreate(None, 0, 0), *params(a, write(word(a)), wait(word(a)))[1:]))
changes.also(
    "another condition", nodeParams=lambda i: params(i.process, write(word(i.process)), wait(word(i.process), 0, 1))
)
test_graph_exec_batch_mem_op_node_set_params = changes.test()

SUPPORTED: dict[str, tuple[str, Result, Operation, dict[str, int]]] = {
    "width": ("WIDTH_IS_SUPPORTED", Result.NOT_SUPPORTED, wait(0, width=64), {"CAN_USE_64_BIT_STREAM_MEM_OPS": 0}),
    "nor": ("NOR_IS_SUPPORTED", Result.NOT_SUPPORTED, wait(0, 0, NOR), {"CAN_USE_STREAM_WAIT_VALUE_NOR": 0}),
    "reduction": (
        "REDUCTION_IS_KNOWN",
        Result.INVALID_VALUE,
        (OPERATION["ATOMIC_REDUCTION"], 0, 1, 14, 0, 1),
        {"ATOMIC_REDUCTION_SUPPORTED": 1},
    ),
}


@pytest.mark.parametrize("name", SUPPORTED)
@pytest.mark.parametrize("entry", [adds, sets, changes], ids=lambda entry: entry.call)
def test_operations_are_supported(entry: Entry, name: str) -> None:
    rule, code, operation, attributes = SUPPORTED[name]

    def act(_w: World, i: Invocation) -> Invocation:
        return i.evolve(nodeParams=laid(i.process, operation))

    on_model(entry, rule, code, act, **devices(**attributes))
