"""Executable graphs, listings and user objects in the runtime API.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__GRAPH.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from conformance.cases.runtime.fixtures import BYTES, DEVICE_TO_DEVICE, box, event, graph, managed, memory, node
from conformance.cases.runtime.test_graph import (
    ADDING,
    AUTO_FREE,
    DEVICE,
    UPLOAD,
    between_arrays,
    connected,
    current,
    executable,
    memset,
)
from conformance.kit.case import Entry, suite
from conformance.kit.program import INSIDE
from fakecuda.spec.both import CALLS
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

    Arguments = Callable[[Process], tuple[Plain, ...]]

MOVE = 1
"""cudaGraphUserObjectMove."""


def made(a: Process, call: str) -> tuple[int, int]:
    """Return an executable graph, and the node of its graph."""
    of = graph(a)
    one: int = getattr(a.ok, call)(of, None, 0, *ADDING[call](a))
    return executable(a, of), one


def thing(a: Process, count: int = 1) -> int:
    """Return a new user object with a number of references."""
    created: int = a.ok.cudaUserObjectCreate(0, a.c_function("abs"), count, 1)
    return created


def holding(a: Process) -> tuple[int, int]:
    """Return a graph that retains a user object twice, and the object."""
    of, held = graph(a), thing(a)
    a.ok.cudaGraphRetainUserObject(of, held, 2, 0)
    return of, held


def updated(a: Process) -> tuple[int, int]:
    """Return an executable graph, and a graph with as many nodes."""
    first, second = graph(a), graph(a)
    node(a, first)
    node(a, second)
    return executable(a, first), second


SIMPLE: dict[str, Arguments] = {
    "cudaGraphDebugDotPrint": lambda a: (connected(a)[0], b"/dev/null", 1),
    "cudaGraphExecChildGraphNodeSetParams": lambda a: (*made(a, "cudaGraphAddChildGraphNode"), graph(a)),
    "cudaGraphExecEventRecordNodeSetEvent": lambda a: (*made(a, "cudaGraphAddEventRecordNode"), event(a)),
    "cudaGraphExecEventWaitNodeSetEvent": lambda a: (*made(a, "cudaGraphAddEventWaitNode"), event(a)),
    "cudaGraphExecGetFlags": lambda a: (a.ok.cudaGraphInstantiate(graph(a), AUTO_FREE),),
    "cudaGraphExecHostNodeSetParams": lambda a: (*made(a, "cudaGraphAddHostNode"), (a.c_function("labs"), 0)),
    "cudaGraphExecMemcpyNodeSetParams": lambda a: (*made(a, "cudaGraphAddMemcpyNode1D"), box(a, extent=(16, 1, 1))),
    "cudaGraphExecMemcpyNodeSetParams1D": lambda a: (
        *made(a, "cudaGraphAddMemcpyNode1D"),
        *(memory(a), memory(a), 32, DEVICE_TO_DEVICE),
    ),
    "cudaGraphExecMemsetNodeSetParams": lambda a: (*made(a, "cudaGraphAddMemsetNode"), memset(a, value=9)),
    "cudaGraphExecUpdate": updated,
    "cudaGraphGetEdges": lambda a: (connected(a)[0], 2),
    "cudaGraphGetNodes": lambda a: (connected(a)[0], 2),
    "cudaGraphGetRootNodes": lambda a: (connected(a)[0], 2),
    "cudaGraphInstantiateWithParams": lambda a: (graph(a), (0, 0, 0, 0)),
    "cudaGraphNodeGetDependencies": lambda a: (connected(a)[2], 2),
    "cudaGraphNodeGetDependentNodes": lambda a: (connected(a)[1], 2),
    "cudaGraphNodeGetEnabled": lambda a: made(a, "cudaGraphAddMemsetNode"),
    "cudaGraphNodeSetEnabled": lambda a: (*made(a, "cudaGraphAddMemsetNode"), 0),
    "cudaGraphReleaseUserObject": lambda a: (*holding(a), 1),
    "cudaGraphRetainUserObject": lambda a: (graph(a), thing(a), 1, MOVE),
    "cudaUserObjectCreate": lambda a: (0, a.c_function("abs"), 1, 1),
    "cudaUserObjectRelease": lambda a: (thing(a), 1),
    "cudaUserObjectRetain": lambda a: (thing(a), 1),
}
REFUSED: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "cudaGraphDebugDotPrint": (
        ("PATH_IS_GIVEN", {"path": None}),
        ("FILE_CAN_BE_WRITTEN", {"path": b"/nowhere/at/all"}),
    ),
    "cudaGraphExecEventRecordNodeSetEvent": (("graph.params.EVENT_IS_GIVEN", {"event": 0}),),
    "cudaGraphExecEventWaitNodeSetEvent": (("graph.params.EVENT_IS_GIVEN", {"event": 0}),),
    "cudaGraphExecHostNodeSetParams": (
        ("PARAMETERS_ARE_GIVEN", {"pNodeParams": None}),
        ("FUNCTION_IS_GIVEN", {"pNodeParams": (0, 0)}),
    ),
    "cudaGraphExecMemcpyNodeSetParams": (
        ("DESCRIPTION_IS_GIVEN", {"pNodeParams": None}),
        ("runtime.copy.KIND_IS_KNOWN", {"pNodeParams": lambda i: box(i.process, kind=5)}),
        ("SOMETHING_IS_COPIED", {"pNodeParams": lambda i: box(i.process, extent=(16, 0, 1))}),
        ("ROWS_FIT_IN_A_SLICE", {"pNodeParams": lambda i: box(i.process, extent=(16, 5, 2))}),
        ("runtime.copy.PITCH_SPANS_THE_ROW", {"pNodeParams": lambda i: box(i.process, extent=(1024, 2, 2))}),
        ("ONE_OBJECT_IS_NAMED", {"pNodeParams": lambda i: box(i.process, srcPtr=(0, 0, 0, 0))}),
        ("ELEMENTS_ARE_ALIKE", {"pNodeParams": lambda i: between_arrays(i.process, BYTES)}),
        ("SHAPE_STAYS", {"pNodeParams": lambda i: box(i.process)}),
    ),
    "cudaGraphExecMemcpyNodeSetParams1D": (
        ("runtime.copy.KIND_IS_KNOWN", {"kind": 5}),
        ("SOMETHING_IS_COPIED", {"count": 0}),
        ("MEMORY_IS_USABLE", {"dst": 0}),
        ("MEMORY_STAYS", {"src": lambda i: i.process.ok.cudaMallocAsync(4096, 0)}),
    ),
    "cudaGraphExecMemsetNodeSetParams": (
        ("PARAMETERS_ARE_GIVEN", {"pNodeParams": None}),
        ("ELEMENTS_ARE_VALUES", {"pNodeParams": lambda i: memset(i.process, elementSize=3)}),
        ("SHAPE_STAYS", {"pNodeParams": lambda i: memset(i.process, pitch=64, height=2)}),
    ),
    "cudaGraphExecUpdate": (("NODES_ARE_AS_MANY", {"hGraph": lambda i: graph(i.process)}),),
    "cudaGraphInstantiateWithParams": (
        ("PARAMETERS_ARE_GIVEN", {"instantiateParams": None}),
        ("graph.executable.FLAGS_ARE_KNOWN", {"instantiateParams": (16, 0, 0, 0)}),
        ("FLAGS_GO_TOGETHER", {"instantiateParams": (DEVICE | AUTO_FREE, 0, 0, 0)}),
        ("DEVICES_CAN_LAUNCH", {"instantiateParams": (DEVICE, 0, 0, 0)}),
    ),
    "cudaGraphReleaseUserObject": (("COUNT_IS_POSITIVE", {"count": 0}),),
    "cudaGraphRetainUserObject": (("COUNT_IS_POSITIVE", {"count": 0}), ("FLAGS_ARE_KNOWN", {"flags": 2})),
    "cudaUserObjectCreate": (
        ("DESTRUCTOR_IS_GIVEN", {"destroy": 0}),
        ("NOBODY_WAITS", {"flags": 0}),
        ("COUNT_IS_POSITIVE", {"initialRefcount": 0}),
    ),
    "cudaUserObjectRelease": (("COUNT_IS_POSITIVE", {"count": 0}),),
    "cudaUserObjectRetain": (("COUNT_IS_AN_INT", {"count": 1 << 31}),),
}
"""Rules that an invalid argument breaks, with its value, by call."""
GIVEN = {"graphExec": "EXECUTABLE_IS_GIVEN", "hGraphExec": "EXECUTABLE_IS_GIVEN", "object": "OBJECT_IS_GIVEN"}
"""Rules that a null handle breaks, by argument."""
GIVEN |= dict.fromkeys(("node", "hNode"), "NODE_IS_GIVEN") | dict.fromkeys(
    ("graph", "hGraph", "childGraph"), "GRAPH_IS_GIVEN"
)


def refuse(one: Entry) -> None:
    """Add the refusals of a call: null handles and results, and the table's."""
    params = CALLS[one.call].params
    listed = any(param.array and param.role == "out" for param in params)
    for param in params:
        counts = param.role == "inout" and param.kind == "word"
        if counts or (param.role == "out" and not listed and one.call != "cudaGraphInstantiateWithParams"):
            one.null(param.name, None if one.call == "cudaGraphExecUpdate" else "RESULT_IS_GIVEN")
        elif param.name in GIVEN and not param.pointer:
            one.breaks(GIVEN[param.name], param.name, **{param.name: 0})
    for number, (rule, changed) in enumerate(REFUSED.get(one.call, ())):
        one.breaks(rule, f"{number} {'-'.join(changed)}", **changed)
    if listed:
        one.null(" ".join(param.name for param in params if param.array), None, "nothing-listed")
        nothing: dict[str, Any] = {params[-1].name: 0}
        one.breaks("THERE_IS_ROOM", **nothing)
        for room in (1, 5):
            given: dict[str, Any] = {params[-1].name: room}
            one.also(f"room for {room}", **given)


entries = {call: Entry.of(call, make) for call, make in SIMPLE.items()}
for one in entries.values():
    refuse(one)
    one.also("in a thread without a context", then=current)(lambda w, i: i.on_thread(w.thread_name()))

for call in ("cudaGraphGetEdges", "cudaGraphNodeGetDependencies", "cudaGraphNodeGetDependentNodes"):
    entries[call].null("edgeData", None, "null-edgeData")
entries["cudaGraphGetEdges"].null("from_", "ENDS_COME_TOGETHER")
entries["cudaGraphGetEdges"].null("from_ to", "DATA_COME_WITH_NODES")
entries["cudaGraphNodeGetDependencies"].null("pDependencies", "DATA_COME_WITH_NODES")
entries["cudaGraphNodeGetDependentNodes"].null("pDependentNodes", "DATA_COME_WITH_NODES")
entries["cudaGraphInstantiateWithParams"].null("pGraphExec", "RESULT_IS_GIVEN")
entries["cudaGraphInstantiateWithParams"].also("with an upload", instantiateParams=(UPLOAD, 0, 0, 0))
for call in ("cudaGraphNodeGetEnabled", "cudaGraphNodeSetEnabled"):
    entries[call].without("inside_function")
    entries[call].world("CALLER_HAS_THE_EXECUTABLE")(lambda _, i: i.on_thread(INSIDE))
    entries[call].breaks("NODE_IS_OF_THE_EXECUTABLE", hNode=lambda i: made(i.process, "cudaGraphAddMemsetNode")[1])


entries["cudaGraphExecMemcpyNodeSetParams1D"].also("to managed memory", dst=lambda i: managed(i.process))
entries["cudaGraphExecMemcpyNodeSetParams1D"].also("from managed memory", src=lambda i: managed(i.process))


@entries["cudaGraphExecUpdate"].world("KINDS_STAY", "", "hGraphExec", "hGraph")
def of_another_kind(_w: World, i: Invocation) -> Invocation:
    held, _ = made(i.process, "cudaGraphAddMemsetNode")
    other = graph(i.process)
    node(i.process, other)
    return i.evolve(hGraphExec=held, hGraph=other)


for call, each in entries.items():
    if "UserObject" in call:
        each.answers_inside()
for call in (
    "cudaUserObjectRelease",
    "cudaUserObjectRetain",
    "cudaGraphReleaseUserObject",
    "cudaGraphRetainUserObject",
):
    entries[call].undefined("OBJECT_IS_KNOWN", code=Result.INVALID_VALUE, object=0x1234_5678_9000)
entries["cudaUserObjectRelease"].undefined("REFERENCES_ARE_THE_CALLER_S", code=Result.SUCCESS, count=2)


@entries["cudaGraphGetNodes"].also("how many there are, and which")
def all_of_them(_w: World, i: Invocation) -> Invocation:
    counted = attrs.evolve(i, null="nodes").run()
    return i.evolve(numNodes=counted[-1])


test_executable = suite(*entries.values())
