"""Fixtures of graphs, and common refusals of graphs, nodes and executable graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.anywhere import anywhere
from conformance.cases.driver.context.fixtures import GARBAGE
from conformance.cases.driver.event.fixtures import destroyed as ended_event
from conformance.cases.driver.event.fixtures import without_context
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.case import Entry
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process

ROOM = 4096
"""Bytes of an allocation."""
ASKING = {
    "cuGraphAddChildGraphNode",
    "cuGraphAddKernelNode",
    "cuGraphAddMemcpyNode",
    "cuGraphAddMemsetNode",
    "cuGraphAddNode",
}
"""Calls that add a node and check cuInit first."""
HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 3, 4
"""CUmemorytype."""


def graph(a: Process) -> int:
    """Return a new graph."""
    made: int = a.ok.cuGraphCreate(0)
    return made


def node(a: Process, of: int, *after: int) -> int:
    """Return a new empty node after other nodes."""
    made: int = a.ok.cuGraphAddEmptyNode(of, after or None, len(after))
    return made


def executable(a: Process, of: int | None = None) -> int:
    """Return a new executable graph, by default of an empty graph."""
    made: int = a.ok.cuGraphInstantiate(graph(a) if of is None else of, 0)
    return made


def destroyed(a: Process) -> int:
    """Return a destroyed graph."""
    gone = graph(a)
    a.ok.cuGraphDestroy(gone)
    return gone


def destroyed_node(a: Process) -> int:
    """Return a destroyed node."""
    gone = node(a, graph(a))
    a.ok.cuGraphDestroyNode(gone)
    return gone


def destroyed_executable(a: Process) -> int:
    """Return a destroyed executable graph."""
    gone = executable(a)
    a.ok.cuGraphExecDestroy(gone)
    return gone


def memset(dst: int, value: int = 7, width: int = 16, **members: int) -> tuple[int, ...]:
    """Return a CUDA_MEMSET_NODE_PARAMS for a row of bytes, with other members."""
    named = {"dst": dst, "pitch": 0, "value": value, "elementSize": 1, "width": width, "height": 1}
    return tuple((named | members).values())


def copy(dst: int, src: int, size: int = 16) -> tuple[int, ...]:
    """Return a CUDA_MEMCPY3D for a row between device addresses."""
    return between((DEVICE, dst), (DEVICE, src), size)


def between(dst: tuple[int, int], src: tuple[int, int], size: int) -> tuple[int, ...]:
    """Return a CUDA_MEMCPY3D for a row between two places with their CUmemorytype."""

    def side(kind: int, place: int) -> tuple[int, ...]:
        return (kind, *(place if kind in kinds else 0 for kinds in ((HOST,), (DEVICE, UNIFIED), (ARRAY,))))

    return (0, 0, 0, 0, *side(*src), 0, 0, 0, 0, 0, 0, 0, *side(*dst), 0, 0, 0, size, 1, 1)


def launch(func: int, **members: int) -> tuple[int, ...]:
    """Return a CUDA_KERNEL_NODE_PARAMS for one thread, with other members."""
    sizes = dict.fromkeys([f"{of}Dim{side}" for of in ("grid", "block") for side in "XYZ"], 1)
    rest = dict.fromkeys(("sharedMemBytes", "kernelParams", "extra", "kern", "ctx"), 0)
    return tuple(({"func": func} | sizes | rest | members).values())


def of_memset(a: Process, dst: int, value: int = 7, of: int | None = None, after: tuple[int, ...] = ()) -> int:
    """Return a new memset node of 16 bytes, by default in a new graph."""
    of = graph(a) if of is None else of
    made: int = a.ok.cuGraphAddMemsetNode(of, after or None, len(after), memset(dst, value), 0)
    return made


def refuse_graph(entry: Entry, argument: str) -> None:
    """Add the cases of a call with a graph that is null, garbage or destroyed."""
    entry.breaks("GRAPH_IS_GIVEN", argument, **{argument: 0})
    _unknown(entry, "GRAPH_IS_KNOWN", argument, destroyed)


def refuse_node(entry: Entry, argument: str) -> None:
    """Add the cases of a call with a node that is null, garbage or destroyed."""
    entry.breaks("NODE_IS_GIVEN", argument, **{argument: 0})
    _unknown(entry, "NODE_IS_KNOWN", argument, destroyed_node)


def refuse_executable(entry: Entry, argument: str) -> None:
    """Add the cases of a call with an executable graph that is null, garbage or destroyed."""
    entry.breaks("EXECUTABLE_IS_GIVEN", argument, **{argument: 0})
    _unknown(entry, "EXECUTABLE_IS_KNOWN", argument, destroyed_executable)


def refuse_event(entry: Entry) -> None:
    """Add the cases of a call with a node's event that is null, garbage or destroyed."""
    entry.breaks("graph.params.EVENT_IS_GIVEN", event=0)
    entry.undefined("EVENT_IS_KNOWN", code=400, event=GARBAGE)
    entry.undefined("EVENT_IS_LIVE", code=709, event=lambda i: ended_event(i.process))
    entry.undefined("EVENT_HAS_A_CONTEXT", code=709, event=lambda i: without_context(i.process))


def _unknown(entry: Entry, rule: str, argument: str, gone: Any) -> None:
    entry.undefined(rule, f"{argument} garbage", code=Result.INVALID_VALUE, **{argument: GARBAGE})
    entry.undefined(rule, f"{argument} destroyed", code=Result.INVALID_VALUE, **{argument: lambda i: gone(i.process)})


def refuse_place(entry: Entry) -> None:
    """Add the cases of a call that adds a node to a graph."""
    refuse_graph(entry, "hGraph")
    entry.null("phGraphNode", "RESULT_IS_GIVEN")
    entry.breaks("DEPENDENCIES_ARE_GIVEN", numDependencies=1)
    if entry.call not in ASKING:
        entry.without("not_initialized")  # to such a process the graph is garbage, which the driver follows

    def given(*made: Any) -> dict[str, Any]:
        return {"dependencies": lambda i: tuple(one(i) for one in made), "numDependencies": len(made)}

    entry.breaks("DEPENDENCIES_ARE_OF_THE_GRAPH", **given(lambda i: node(i.process, graph(i.process))))
    entry.breaks("DEPENDENCIES_ARE_OF_THE_GRAPH", "null", **given(lambda _: 0))

    @entry.world("DEPENDENCIES_DIFFER", "", "dependencies", "numDependencies")
    def twice(_w: Any, i: Invocation) -> Invocation:
        one = node(i.process, i.args["hGraph"])
        return i.evolve(dependencies=(one, one), numDependencies=2)

    @entry.also("behind two nodes")
    def behind(_w: Any, i: Invocation) -> Invocation:
        first, second = (node(i.process, i.args["hGraph"]) for _ in range(2))
        return i.evolve(dependencies=(first, second), numDependencies=2)

    if entry.call != "cuGraphAddKernelNode":
        entry.also("without a current context")(lambda _w, i: i.process.ok.cuCtxPopCurrent() and None)


def of_the_maker_alone(entry: Entry) -> None:
    """Add the cases of a call on an executable graph in a fork and a host function."""
    anywhere(entry, "CALLER_HAS_THE_EXECUTABLE")


def refuse_a_node(a: Process, of: int, call: str = "cuGraphAddEmptyNode", *params: Plain) -> None:
    """Have a graph refuse a node with a repeated dependency."""
    (first, *_), _ = a.ok.cuGraphGetNodes(of, 1)
    assert getattr(a.c, call)(of, (first, first), 2, *params)[0] == Result.INVALID_VALUE


def refusing(a: Process, of: int) -> None:
    """Add a node, and have the graph refuse another one."""
    node(a, of)
    refuse_a_node(a, of)
