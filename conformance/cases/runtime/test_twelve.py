"""Call forms of libcudart.so.12 only.

https://docs.nvidia.com/cuda/archive/12.9.1/cuda-runtime-api/index.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.cases.runtime.fixtures import PAGE, graph, managed, memory, node, stream
from conformance.cases.runtime.test_any_node import SEMAPHORES, params
from conformance.cases.runtime.test_capture import SET, captured, of_the_legacy_stream
from conformance.cases.runtime.test_executable import refuse as refuse_listing
from conformance.cases.runtime.test_graph import connected, current, edge, two
from conformance.kit.case import Entry, suite
from fakecuda.spec.node_params import EMPTY

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, Process, World

pytestmark = pytest.mark.filterwarnings("ignore::fakecuda.NotModelledWarning")
READ_MOSTLY, PREFERRED = 1, 3
HOST, NOWHERE = -1, 99


def without_data(ends: tuple[int, int, int]) -> tuple[object, ...]:
    """Return the arguments for an edge without data."""
    *arguments, _, count = edge(ends)
    return *arguments, count


properties = Entry.of("cudaGetDeviceProperties_v2", lambda _: (0,))
properties.breaks("DEVICE_IS_THERE", device=NOWHERE)
properties.null("prop", "RESULTS_ARE_GIVEN")
choose = Entry.of("cudaChooseDevice_v1", lambda a: (a.ok.cudaGetDeviceProperties_v2(0),))
choose.breaks("PROPERTIES_ARE_GIVEN", prop=None)
choose.null("device", "RESULTS_ARE_GIVEN")
for one in (properties, choose):
    one.answers_inside()

adds = Entry.of("cudaGraphAddDependencies_v1", lambda a: without_data(two(a)))
removes = Entry.of("cudaGraphRemoveDependencies_v1", lambda a: without_data(connected(a)))
removes.breaks("EDGE_IS_THERE", from_=lambda i: i.args["to"], to=lambda i: i.args["from_"])
for one in (adds, removes):
    one.breaks("GRAPH_IS_GIVEN", graph=0)
    one.breaks("ENDS_ARE_GIVEN", to=None)

nodes = Entry.of("cudaGraphAddNode_v1", lambda a: (graph(a), None, 0, params(EMPTY)))
nodes.breaks("GRAPH_IS_GIVEN", graph=0)
nodes.breaks("DEPENDENCIES_ARE_GIVEN", numDependencies=1)
nodes.breaks("graph.params.PARAMETERS_ARE_GIVEN", nodeParams=None)
nodes.null("pGraphNode", "RESULT_IS_GIVEN")
nodes.breaks("TYPE_IS_MODELLED", nodeParams=params(SEMAPHORES))
nodes.model_only("TYPE_IS_MODELLED", code=801)  # a driver has such nodes


@nodes.also("behind a node")
def behind(_w: World, i: Invocation) -> Invocation:
    return i.evolve(pDependencies=(node(i.process, i.args["graph"]),), numDependencies=1)


edges = Entry.of("cudaGraphGetEdges_v1", lambda a: (connected(a)[0], 2))
before = Entry.of("cudaGraphNodeGetDependencies_v1", lambda a: (connected(a)[2], 2))
after = Entry.of("cudaGraphNodeGetDependentNodes_v1", lambda a: (connected(a)[1], 2))
for one in (edges, before, after):
    refuse_listing(one)
edges.null("from_", "ENDS_COME_TOGETHER")

advise = Entry.of("cudaMemAdvise_v1", lambda a: (managed(a), PAGE, PREFERRED, 0))
advise.breaks("ADVICE_IS_KNOWN", advice=NOWHERE)
advise.breaks("RANGE_IS_NOT_EMPTY", count=0)
advise.breaks("DEVICE_IS_VALID", device=NOWHERE)
advise.also("the host", device=HOST)
advise.also("a device that the advice does not look at", device=NOWHERE, advice=READ_MOSTLY)
prefetch = Entry.of("cudaMemPrefetchAsync_v1", lambda a: (managed(a), PAGE, 0, stream(a)))
prefetch.breaks("RANGE_IS_NOT_EMPTY", count=0)
prefetch.breaks("RANGE_IS_MANAGED", devPtr=lambda i: memory(i.process))
prefetch.also("to the host", dstDevice=HOST)

told = Entry.of("cudaStreamGetCaptureInfo_v1", lambda a: (stream(a),))
told_more = Entry.of("cudaStreamGetCaptureInfo_v2", lambda a: (stream(a),))
for one in (told, told_more):
    one.null("captureStatus_out", "RESULT_IS_GIVEN")
    one.null("id_out", None)
    one.also("of a captured one", stream=lambda i: captured(i.process))
    one.also("of the legacy stream, which waits for one that is captured", rule="LEGACY_STREAM_IS_FREE")(
        of_the_legacy_stream
    )


def behind_a_node(a: Process) -> tuple[object, ...]:
    """Return a captured stream, and a node for its next dependencies."""
    begun = captured(a)
    _, _, into, *_ = a.ok.cudaStreamGetCaptureInfo_v2(begun)
    return begun, (node(a, into),), 1, SET


updates = Entry.of("cudaStreamUpdateCaptureDependencies_v1", behind_a_node)
updates.breaks("FLAGS_ARE_KNOWN", flags=9)
updates.breaks("STREAM_IS_CAPTURED", stream=lambda i: stream(i.process))

entries = (adds, removes, nodes, edges, before, after, advise, prefetch, told, told_more, updates)
for one in entries:
    one.also("in a thread without a context", then=current)(lambda w, i: i.on_thread(w.thread_name()))

test_twelve = suite(properties, choose, *entries)
