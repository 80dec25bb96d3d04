"""cuGraphDestroy, cuGraphDestroyNode: destroy a graph or a node with its edges.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.graph.conditionals import conditional
from conformance.cases.driver.graph.fixtures import executable, graph, node, refuse_graph, refuse_node
from conformance.cases.driver.graph.memory import allocating
from conformance.cases.driver.graph.test_kernel_attribute import updatable
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.cases.driver.stream.captured_calls import captured_into
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuGraphDestroy", hGraph=graph(a))


entry = Entry("cuGraphDestroy", valid)
refuse_graph(entry, "hGraph")


@entry.also("with nodes and edges")
def full(_w: World, i: Invocation) -> None:
    first = node(i.process, i.args["hGraph"])
    node(i.process, i.args["hGraph"], first)


@entry.also("what was made of it lives on")
def executable_lives(_w: World, i: Invocation) -> Invocation:
    other, made = graph(i.process), executable(i.process, i.args["hGraph"])
    assert i.run() == (0,)
    i.process.ok.cuGraphLaunch(made, 0)
    return i.evolve(hGraph=other)


@entry.world("GRAPH_IS_EMBEDDED_NOWHERE")
def embedded(_w: World, i: Invocation) -> Invocation:
    a = i.process
    inner = graph(a)
    node(a, inner)
    child = a.ok.cuGraphAddChildGraphNode(i.args["hGraph"], None, 0, inner)
    return i.evolve(hGraph=a.ok.cuGraphChildGraphNodeGetGraph(child))


@entry.also("with a kernel")
def with_a_kernel(_w: World, i: Invocation) -> None:
    of_kernel(i.process, i.args["hGraph"])


@entry.also("with a child")
def parent(_w: World, i: Invocation) -> None:
    a = i.process
    inner = graph(a)
    a.ok.cuGraphAddChildGraphNode(i.args["hGraph"], None, 0, inner)
    a.ok.cuGraphDestroy(inner)


@entry.undefined("BODIES_LIVE", code=Result.INVALID_VALUE)
def broken_capture(_w: World, i: Invocation) -> None:
    a = i.process
    (body,) = conditional(a, i.args["hGraph"])
    captured = captured_into(a, body)
    assert a.c.cuStreamQuery(captured) == (Result.STREAM_CAPTURE_UNSUPPORTED,)
    assert a.c.cuStreamEndCapture(captured)[0] == Result.STREAM_CAPTURE_INVALIDATED


@entry.undefined("CONTEXTS_OUTLIVE_UPDATABLE", "", "hGraph", code=0)
def without_its_context(_w: World, i: Invocation) -> Invocation:
    a, of, context = i.process, graph(i.process), i.process.ok.cuCtxCreate(None, 0, i.process.device)
    updatable(a, of)
    a.ok.cuCtxDestroy(context)
    a.ok.cuCtxSetCurrent(a.context)
    return i.evolve(hGraph=of)


test_graph_destroy = entry.test()


def one(w: World) -> Invocation:
    a = w.process()
    return a.call("cuGraphDestroyNode", hNode=node(a, graph(a)))


nodes = Entry("cuGraphDestroyNode", one)
refuse_node(nodes, "hNode")


@nodes.also("between two others")
def between(_w: World, i: Invocation) -> None:
    a = i.process
    of = graph(a)
    first = node(a, of)
    middle = node(a, of, first)
    last = node(a, of, middle)
    assert i.evolve(hNode=middle).run() == (0,)
    a.ok.cuGraphAddDependencies(of, (last,), (first,), None, 1)
    assert a.c.cuGraphAddDependencies(of, (last,), (first,), None, 1) == (Result.INVALID_VALUE,)
    executable(a, of)


@nodes.also("with the graph that is embedded in it")
def with_child(_w: World, i: Invocation) -> Invocation:
    a = i.process
    return i.evolve(hNode=a.ok.cuGraphAddChildGraphNode(graph(a), None, 0, graph(a)))


@nodes.world("GRAPH_HAS_NO_MEMORY", "", "hNode")
def with_memory(_w: World, i: Invocation) -> Invocation:
    return i.evolve(hNode=node(i.process, allocating(i.process)[0]))


@nodes.world("GRAPH_HAS_NO_MEMORY", "that is captured into", "hNode")
def with_memory_and_captured_into(_w: World, i: Invocation) -> Invocation:
    a, (of, _) = i.process, allocating(i.process)
    captured_into(a, of)
    return i.evolve(hNode=a.ok.cuGraphGetNodes(of, 1)[0][0])


nodes.breaks("NODE_STAYS_UPDATABLE", hNode=lambda i: updatable(i.process))
test_graph_destroy_node = nodes.test()
