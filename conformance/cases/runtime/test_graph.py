"""Graphs in the runtime API: valid calls, refusals, and launches.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.runtime.fixtures import (
    BYTES,
    DEFAULT,
    DEVICE_TO_DEVICE,
    FLOATS,
    HOST_TO_DEVICE,
    PAGE,
    array,
    box,
    event,
    graph,
    managed,
    memory,
    node,
    pinned,
    stream,
)
from conformance.kit.case import Entry, suite
from fakecuda.spec.both import CALLS

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

    Arguments = Callable[[Process], tuple[Plain, ...]]

AUTO_FREE, UPLOAD, DEVICE, PRIORITY = 1, 2, 4, 8
"""cudaGraphInstantiateFlags."""
ADDING: dict[str, Arguments] = {
    "cudaGraphAddChildGraphNode": lambda a: (graph(a),),
    "cudaGraphAddEmptyNode": lambda _: (),
    "cudaGraphAddEventRecordNode": lambda a: (event(a),),
    "cudaGraphAddEventWaitNode": lambda a: (event(a),),
    "cudaGraphAddHostNode": lambda a: ((a.c_function("abs"), 0),),
    "cudaGraphAddMemAllocNode": lambda a: (allocation(a),),
    "cudaGraphAddMemcpyNode": lambda a: (box(a),),
    "cudaGraphAddMemcpyNode1D": lambda a: (memory(a), memory(a), 16, DEVICE_TO_DEVICE),
    "cudaGraphAddMemsetNode": lambda a: (memset(a),),
}
"""Arguments of calls that add a node, after graph and dependencies."""


def memset(a: Process, **changed: int) -> tuple[int, ...]:
    """Return a cudaMemsetParams of new memory; ``changed`` sets other members."""
    members = {"dst": memory(a), "pitch": 0, "value": 7, "elementSize": 1, "width": 16, "height": 1}
    return tuple((members | changed).values())


def allocation(a: Process, size: int = PAGE, **changed: Any) -> tuple[Any, ...]:
    """Return a cudaMemAllocNodeParams; ``changed`` sets members of its properties."""
    props = {"allocType": 1, "handleTypes": 0, "location": (1, a.device), "win32": 0, "maxSize": 0, "usage": 0}
    return (tuple((props | changed).values()), 0, 0, size, 0)


def allocating(a: Process) -> tuple[int, int, int]:
    """Return a new graph, its allocation node, and the address."""
    of = graph(a)
    made, told = a.ok.cudaGraphAddMemAllocNode(of, None, 0, allocation(a))
    return of, made, told[-1]


def freeing(a: Process) -> int:
    """Return a new node that frees graph memory."""
    of, _, place = allocating(a)
    made: int = a.ok.cudaGraphAddMemFreeNode(of, None, 0, place)
    return made


def between_arrays(a: Process, of: tuple[int, ...]) -> tuple[Plain, ...]:
    """Return a cudaMemcpy3DParms between arrays of different elements."""
    source, target = array(a, channels=FLOATS), array(a, channels=of)
    return box(
        a,
        srcArray=source,
        srcPtr=(0, 0, 0, 0),
        srcPos=(1, 0, 0),
        dstArray=target,
        dstPtr=(0, 0, 0, 0),
        extent=(4, 2, 1),
    )


def added(a: Process, call: str) -> int:
    """Return a new node of a new graph."""
    made: int = getattr(a.ok, call)(graph(a), None, 0, *ADDING[call](a))
    return made


def executable(a: Process, of: int | None = None) -> int:
    """Return a new executable graph, by default of an empty graph."""
    made: int = a.ok.cudaGraphInstantiate(graph(a) if of is None else of, 0)
    return made


def two(a: Process) -> tuple[int, int, int]:
    """Return a graph and two nodes of it."""
    of = graph(a)
    return of, node(a, of), node(a, of)


def connected(a: Process) -> tuple[int, int, int]:
    """Return a graph and two nodes, the second dependent on the first."""
    of, one, other = two(a)
    a.ok.cudaGraphAddDependencies(of, (one,), (other,), None, 1)
    return of, one, other


def edge(ends: tuple[int, int, int]) -> tuple[Plain, ...]:
    """Return the arguments for an edge."""
    of, one, other = ends
    return of, (one,), (other,), None, 1


def cloned(a: Process) -> tuple[int, int]:
    """Return a node and a clone of its graph."""
    of = graph(a)
    original = node(a, of)
    return original, a.ok.cudaGraphClone(of)


SIMPLE: dict[str, Arguments] = {
    "cudaGraphAddDependencies": lambda a: edge(two(a)),
    "cudaGraphChildGraphNodeGetGraph": lambda a: (added(a, "cudaGraphAddChildGraphNode"),),
    "cudaGraphClone": lambda a: (graph(a),),
    "cudaGraphAddMemFreeNode": lambda a: (graph(a), None, 0, allocating(a)[2]),
    "cudaGraphConditionalHandleCreate": lambda a: (graph(a), 1, 1),
    "cudaGraphCreate": lambda _: (0,),
    "cudaGraphDestroy": lambda a: (graph(a),),
    "cudaGraphDestroyNode": lambda a: (node(a, graph(a)),),
    "cudaGraphEventRecordNodeGetEvent": lambda a: (added(a, "cudaGraphAddEventRecordNode"),),
    "cudaGraphEventRecordNodeSetEvent": lambda a: (added(a, "cudaGraphAddEventRecordNode"), event(a)),
    "cudaGraphEventWaitNodeGetEvent": lambda a: (added(a, "cudaGraphAddEventWaitNode"),),
    "cudaGraphEventWaitNodeSetEvent": lambda a: (added(a, "cudaGraphAddEventWaitNode"), event(a)),
    "cudaGraphExecDestroy": lambda a: (executable(a),),
    "cudaGraphHostNodeGetParams": lambda a: (added(a, "cudaGraphAddHostNode"),),
    "cudaGraphHostNodeSetParams": lambda a: (added(a, "cudaGraphAddHostNode"), (a.c_function("labs"), 0)),
    "cudaGraphInstantiate": lambda a: (graph(a), 0),
    "cudaGraphInstantiateWithFlags": lambda a: (graph(a), 0),
    "cudaGraphLaunch": lambda a: (executable(a), stream(a)),
    "cudaGraphMemAllocNodeGetParams": lambda a: (allocating(a)[1],),
    "cudaGraphMemFreeNodeGetParams": lambda a: (freeing(a),),
    "cudaGraphMemcpyNodeGetParams": lambda a: (added(a, "cudaGraphAddMemcpyNode"),),
    "cudaGraphMemcpyNodeSetParams": lambda a: (added(a, "cudaGraphAddMemcpyNode"), box(a)),
    "cudaGraphMemcpyNodeSetParams1D": lambda a: (
        *(added(a, "cudaGraphAddMemcpyNode1D"), memory(a), memory(a)),
        *(32, DEVICE_TO_DEVICE),
    ),
    "cudaGraphMemsetNodeGetParams": lambda a: (added(a, "cudaGraphAddMemsetNode"),),
    "cudaGraphMemsetNodeSetParams": lambda a: (added(a, "cudaGraphAddMemsetNode"), memset(a, value=9)),
    "cudaGraphNodeFindInClone": cloned,
    "cudaGraphNodeGetType": lambda a: (added(a, "cudaGraphAddHostNode"),),
    "cudaGraphRemoveDependencies": lambda a: edge(connected(a)),
    "cudaGraphUpload": lambda a: (executable(a), stream(a)),
}
REFUSED: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "cudaGraphAddChildGraphNode": (("GRAPH_IS_GIVEN", {"childGraph": 0}),),
    "cudaGraphAddDependencies": (
        ("ENDS_ARE_GIVEN", {"from_": None}),
        ("ENDS_DIFFER", {"to": lambda i: i.args["from_"]}),
        ("ENDS_ARE_OF_THE_GRAPH", {"graph": lambda i: graph(i.process)}),
    ),
    "cudaGraphAddEventRecordNode": (("graph.params.EVENT_IS_GIVEN", {"event": 0}),),
    "cudaGraphAddEventWaitNode": (("graph.params.EVENT_IS_GIVEN", {"event": 0}),),
    "cudaGraphAddHostNode": (
        ("PARAMETERS_ARE_GIVEN", {"pNodeParams": None}),
        ("FUNCTION_IS_GIVEN", {"pNodeParams": (0, 0)}),
    ),
    "cudaGraphAddMemAllocNode": (
        ("PARAMETERS_ARE_GIVEN", {"nodeParams": None}),
        ("TYPE_IS_PINNED_OR_MANAGED", {"nodeParams": lambda i: allocation(i.process, allocType=0)}),
        ("HANDLE_TYPES_ARE_NONE", {"nodeParams": lambda i: allocation(i.process, handleTypes=1)}),
        ("LOCATION_IS_A_DEVICE", {"nodeParams": lambda i: allocation(i.process, location=(2, 0))}),
        ("graph.memory.DEVICE_IS_THERE", {"nodeParams": lambda i: allocation(i.process, location=(1, 99))}),
        ("SOMETHING_IS_ALLOCATED", {"nodeParams": lambda i: allocation(i.process, 0)}),
    ),
    "cudaGraphAddMemFreeNode": (
        ("MEMORY_IS_OF_A_GRAPH", {"dptr": 0}),
        ("MEMORY_IS_OF_A_GRAPH", {"dptr": lambda i: memory(i.process)}),
    ),
    "cudaGraphConditionalHandleCreate": (("graph.graph_conditional_handle_create.FLAGS_ARE_KNOWN", {"flags": 2}),),
    "cudaGraphMemAllocNodeGetParams": (("NODE_IS_OF_ITS_KIND", {"node": lambda i: node(i.process, graph(i.process))}),),
    "cudaGraphMemFreeNodeGetParams": (("NODE_IS_OF_ITS_KIND", {"node": lambda i: node(i.process, graph(i.process))}),),
    "cudaGraphAddMemcpyNode": (
        ("DESCRIPTION_IS_GIVEN", {"pCopyParams": None}),
        ("KIND_IS_KNOWN", {"pCopyParams": lambda i: box(i.process, kind=5)}),
        ("SOMETHING_IS_COPIED", {"pCopyParams": lambda i: box(i.process, extent=(16, 0, 1))}),
        ("MEMORY_IS_USABLE", {"pCopyParams": lambda i: box(i.process, extent=(16, 2, 9))}),
        ("ROWS_FIT_IN_A_SLICE", {"pCopyParams": lambda i: box(i.process, extent=(16, 5, 2))}),
        ("runtime.copy.PITCH_SPANS_THE_ROW", {"pCopyParams": lambda i: box(i.process, extent=(1024, 2, 2))}),
        ("ONE_OBJECT_IS_NAMED", {"pCopyParams": lambda i: box(i.process, srcPtr=(0, 0, 0, 0))}),
        ("ELEMENTS_ARE_ALIKE", {"pCopyParams": lambda i: between_arrays(i.process, BYTES)}),
    ),
    "cudaGraphAddMemcpyNode1D": (
        ("KIND_IS_KNOWN", {"kind": 5}),
        ("SOMETHING_IS_COPIED", {"count": 0}),
        ("MEMORY_IS_USABLE", {"dst": 0}),
        ("MEMORY_IS_USABLE", {"src": 0}),
        ("MEMORY_IS_USABLE", {"count": 1 << 30}),
    ),
    "cudaGraphAddMemsetNode": (
        ("PARAMETERS_ARE_GIVEN", {"pMemsetParams": None}),
        ("ELEMENTS_ARE_VALUES", {"pMemsetParams": lambda i: memset(i.process, elementSize=3)}),
        ("SOMETHING_IS_SET", {"pMemsetParams": lambda i: memset(i.process, width=0)}),
        ("MEMORY_IS_USABLE", {"pMemsetParams": lambda i: memset(i.process, dst=0)}),
    ),
    "cudaGraphChildGraphNodeGetGraph": (
        ("NODE_IS_OF_ITS_KIND", {"node": lambda i: node(i.process, graph(i.process))}),
    ),
    "cudaGraphCreate": (("graph.graph_create.FLAGS_ARE_ZERO", {"flags": 1}),),
    "cudaGraphEventRecordNodeSetEvent": (("graph.params.EVENT_IS_GIVEN", {"event": 0}),),
    "cudaGraphEventWaitNodeSetEvent": (("graph.params.EVENT_IS_GIVEN", {"event": 0}),),
    "cudaGraphHostNodeSetParams": (
        ("PARAMETERS_ARE_GIVEN", {"pNodeParams": None}),
        ("FUNCTION_IS_GIVEN", {"pNodeParams": (0, 0)}),
    ),
    "cudaGraphInstantiate": (
        ("graph.executable.FLAGS_ARE_KNOWN", {"flags": 16}),
        ("FLAGS_GO_TOGETHER", {"flags": DEVICE | AUTO_FREE}),
        ("DEVICES_CAN_LAUNCH", {"flags": DEVICE}),
    ),
    "cudaGraphInstantiateWithFlags": (
        ("graph.executable.FLAGS_ARE_KNOWN", {"flags": 16}),
        ("FLAGS_GO_TOGETHER", {"flags": DEVICE | AUTO_FREE}),
        ("DEVICES_CAN_LAUNCH", {"flags": DEVICE}),
    ),
    "cudaGraphMemcpyNodeSetParams": (
        ("DESCRIPTION_IS_GIVEN", {"pNodeParams": None}),
        ("KIND_IS_KNOWN", {"pNodeParams": lambda i: box(i.process, kind=5)}),
        ("SOMETHING_IS_COPIED", {"pNodeParams": lambda i: box(i.process, extent=(16, 0, 1))}),
        ("ROWS_FIT_IN_A_SLICE", {"pNodeParams": lambda i: box(i.process, extent=(16, 5, 2))}),
        ("runtime.copy.PITCH_SPANS_THE_ROW", {"pNodeParams": lambda i: box(i.process, extent=(1024, 2, 2))}),
        ("ONE_OBJECT_IS_NAMED", {"pNodeParams": lambda i: box(i.process, srcPtr=(0, 0, 0, 0))}),
        ("ELEMENTS_ARE_ALIKE", {"pNodeParams": lambda i: between_arrays(i.process, BYTES)}),
    ),
    "cudaGraphMemcpyNodeSetParams1D": (
        ("KIND_IS_KNOWN", {"kind": 5}),
        ("SOMETHING_IS_COPIED", {"count": 0}),
        ("MEMORY_IS_USABLE", {"dst": 0}),
    ),
    "cudaGraphMemsetNodeSetParams": (
        ("PARAMETERS_ARE_GIVEN", {"pNodeParams": None}),
        ("ELEMENTS_ARE_VALUES", {"pNodeParams": lambda i: memset(i.process, elementSize=3)}),
    ),
    "cudaGraphNodeFindInClone": (("CLONE_HAS_THE_NODE", {"clonedGraph": lambda i: graph(i.process)}),),
    "cudaGraphRemoveDependencies": (
        ("EDGE_IS_THERE", {"from_": lambda i: i.args["to"], "to": lambda i: i.args["from_"]}),
        ("ENDS_ARE_GIVEN", {"to": None}),
    ),
}
"""Rules that an invalid argument breaks, with its value, by call."""
GIVEN = {"graph": "GRAPH_IS_GIVEN", "node": "NODE_IS_GIVEN", "graphExec": "EXECUTABLE_IS_GIVEN"}
"""Rules that a null handle breaks, by argument."""
GIVEN |= {"originalGraph": "GRAPH_IS_GIVEN", "originalNode": "NODE_IS_GIVEN"}


def refuse(one: Entry) -> None:
    """Add the refusals of a call: null handles and results, and the table's."""
    for param in CALLS[one.call].params:
        if param.role == "out":
            one.null(param.name, "RESULT_IS_GIVEN")
        elif param.name in GIVEN and not param.pointer:
            one.breaks(GIVEN[param.name], param.name, **{param.name: 0})
    for number, (rule, changed) in enumerate(REFUSED.get(one.call, ())):
        one.breaks(rule, f"{number} {'-'.join(changed)}", **changed)


def current(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Query the current context, which the call may have set."""
    i.c.cuCtxGetCurrent()


def launches(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the graph can be launched."""
    a = i.process
    a.ok.cudaGraphLaunch(executable(a, i.args["graph"]), 0)
    a.ok.cudaStreamSynchronize(0)


def adding(call: str) -> Entry:
    """Return the entry of a call that adds a node to a new graph."""
    one = Entry.of(call, lambda a: (graph(a), None, 0, *ADDING[call](a)), then=launches)
    one.breaks("DEPENDENCIES_ARE_GIVEN", numDependencies=1)

    @one.world("graph.add_node.DEPENDENCIES_ARE_OF_THE_GRAPH", "", "pDependencies", "numDependencies")
    def of_another(_w: World, i: Invocation) -> Invocation:
        return i.evolve(pDependencies=(node(i.process, graph(i.process)),), numDependencies=1)

    @one.world("DEPENDENCIES_DIFFER", "", "pDependencies", "numDependencies")
    def twice(_w: World, i: Invocation) -> Invocation:
        same = node(i.process, i.args["graph"])
        return i.evolve(pDependencies=(same, same), numDependencies=2)

    @one.also("behind a node", then=launches)
    def behind(_w: World, i: Invocation) -> Invocation:
        return i.evolve(pDependencies=(node(i.process, i.args["graph"]),), numDependencies=1)

    return one


entries = {call: adding(call) for call in ADDING} | {call: Entry.of(call, make) for call, make in SIMPLE.items()}
for one in entries.values():
    refuse(one)
    rule = "CONTEXT_IS_NAMED" if one.call == "cudaGraphConditionalHandleCreate" else ""
    one.also("in a thread without a context", then=current, rule=rule)(lambda w, i: i.on_thread(w.thread_name()))

copying = entries["cudaGraphAddMemcpyNode1D"]
copying.also("of the kind that the addresses tell", kind=DEFAULT)
copying.also("from memory of the host", src=lambda i: pinned(i.process), kind=HOST_TO_DEVICE)
copying.also(
    "from memory of the host by the wrong kind", src=lambda i: i.process.host_memory(PAGE), rule="MEMORY_IS_USABLE"
)
copying.also("to managed memory", dst=lambda i: managed(i.process))
for call in ("cudaGraphInstantiate", "cudaGraphInstantiateWithFlags"):
    entries[call].also("with an automatic free and priorities", flags=AUTO_FREE | PRIORITY)
    entries[call].also("with an upload", flags=UPLOAD, rule="graph.executable.FLAGS_ARE_KNOWN")


@entries["cudaGraphMemcpyNodeGetParams"].also("of a copy from the host")
def from_the_host(_w: World, i: Invocation) -> Invocation:
    a = i.process
    return i.evolve(node=a.ok.cudaGraphAddMemcpyNode1D(graph(a), None, 0, memory(a), pinned(a), 16, HOST_TO_DEVICE))


@entries["cudaGraphMemcpyNodeGetParams"].also("of a copy between arrays")
def of_arrays(_w: World, i: Invocation) -> Invocation:
    a = i.process
    return i.evolve(node=a.ok.cudaGraphAddMemcpyNode(graph(a), None, 0, between_arrays(a, FLOATS)))


@entries["cudaGraphMemcpyNodeGetParams"].also("of a copy of the default kind")
def of_the_default_kind(_w: World, i: Invocation) -> Invocation:
    a = i.process
    return i.evolve(node=a.ok.cudaGraphAddMemcpyNode1D(graph(a), None, 0, memory(a), memory(a), 16, DEFAULT))


test_graph = suite(*entries.values())
