"""Arguments that depend on each other, such as nodes and their graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.drawing import images, tensors
from conformance.drawing.nodes import NO_DATA, PLAIN, PROGRAMMATIC
from fakecuda.model.graph import graph as kinds_of_nodes
from fakecuda.model.graph.executables import Executable
from fakecuda.model.graph.graph import KERNEL, Graph, Node
from fakecuda.rules.driver.linker.link_add import TYPES
from fakecuda.spec.both import CALLS
from fakecuda.spec.node_params import unpack

if TYPE_CHECKING:
    from collections.abc import Collection
    from random import Random

    from fakecuda.reach.process import Process

DEPENDENT = ("dependencies", "from_", "to")
DATA = ("edgeData", "dependencyData")
KINDS = {
    "Kernel": kinds_of_nodes.KERNEL,
    "Memcpy": kinds_of_nodes.MEMCPY,
    "Memset": kinds_of_nodes.MEMSET,
    "Host": kinds_of_nodes.HOST,
    "ChildGraph": kinds_of_nodes.CHILD,
    "EventWait": kinds_of_nodes.WAIT_EVENT,
    "EventRecord": kinds_of_nodes.EVENT_RECORD,
    "MemAlloc": kinds_of_nodes.MEM_ALLOC,
    "MemFree": kinds_of_nodes.MEM_FREE,
    "BatchMemOp": kinds_of_nodes.BATCH_MEM_OP,
}
"""Types of nodes, by words in call names."""
SELDOM = 12
"""One call in this many has nodes of any graph."""


def together(
    random: Random,
    call: str,
    state: Process,
    given: tuple[Any, ...],
    named: Collection[Any],
    *,
    wrong: bool = False,
) -> tuple[Any, ...]:
    """Return matching arguments of a call, sometimes mismatched ones.

    Args:
        random: Draws.
        call: The call.
        state: Its process.
        given: Its arguments.
        named: The handles of nodes that a program has names for; others are none to a card.
        wrong: Whether the call is to fail.
    """
    names = [param.name for param in CALLS[call].inputs]
    found = dict(zip(names, given, strict=True))
    if "hNode" in found or "hOriginalNode" in found:
        _node(random, call, state, found, named)
    if "numDependencies" in found and ("hGraph" in found or "hStream" in found):
        _edges(random, state, found, named, wrong=wrong)
    if call.startswith("cuTensorMapEncode"):
        tensors.fit(random, found, wrong=wrong)
    if call.startswith("cuLinkAdd"):
        images.chosen_input(random, found, wrong=wrong)
    if call == "cuMemAddressFree" and random.randrange(2):
        unmapped = [one for one in state.reservations if state.memory.at(one.start) is None]
        for range_ in unmapped[-1:]:
            found["ptr"], found["size"] = range_.start, range_.size
    if call == "cuStreamBatchMemOp" and found["paramArray"]:
        found["count"] = len(found["paramArray"])
    if call == "cuMemMapArrayAsync" and found["mapInfoList"] and found["count"]:
        found["count"] = len(found["mapInfoList"])
    images.chosen_options(random, found, wrong=wrong)
    if call.startswith("cuLinkAdd") and not 0 <= found["type"] < TYPES:
        found["numOptions"] = 0
    return tuple(found.values())


def _node(random: Random, call: str, state: Process, found: dict[str, Any], named: Collection[Any]) -> None:
    """Give a call a node of its type, from the graph of an executable graph if given."""
    if not random.randrange(SELDOM):
        return
    name = "hNode" if "hNode" in found else "hOriginalNode"
    nodes = [one for one in state.graphs.values() if isinstance(one, Node) and one.handle in named]
    kinds = {kind for word, kind in KINDS.items() if f"{word}Node" in call}
    if isinstance(params := found.get("nodeParams"), bytes):
        kinds = {unpack(params)[0]}
    if isinstance(executable := state.graphs.get(found.get("hGraphExec", 0)), Executable):
        made = [one for one in state.graphs.values() if isinstance(one, Executable)]
        suited = [one for one in made if any(not kinds or step.kind in kinds for step in one.body.steps)]
        if suited and executable not in suited:
            executable = random.choice(suited)
            found["hGraphExec"] = executable.handle
        own = {step.node for step in executable.body.steps}
        nodes = [one for one in nodes if one in own]
    if clone := state.graphs.get(found.get("hClonedGraph", 0)):
        origins = {one.origin for one in clone.nodes} if isinstance(clone, Graph) else set()
        nodes = [one for one in nodes if one in origins]
    fitting = [one.handle for one in nodes if not kinds or one.kind in kinds]
    if fitting:
        found[name] = random.choice(fitting)


def _graph_of(state: Process, found: dict[str, Any]) -> Graph | None:
    """Return the graph of a call: the given graph, or the stream's captured graph."""
    graph = state.graphs.get(found.get("hGraph", 0))
    if graph is None and state.captures is not None and "hStream" in found:
        stream = state.streams.get(found["hStream"])
        capture = state.captures.of.get(stream) if stream is not None else None
        return capture.graph if capture is not None else None
    return graph if isinstance(graph, Graph) else None


def _edges(random: Random, state: Process, found: dict[str, Any], named: Collection[Any], *, wrong: bool) -> None:
    """Give a call nodes of its graph, and sometimes edge data."""
    graph = _graph_of(state, found)
    own = list(graph.nodes) if graph is not None else []
    every = [one for one in state.graphs.values() if isinstance(one, Node)]
    nodes = [one for one in (own if random.randrange(SELDOM) else every) if one.handle in named]
    count = found["numDependencies"] if "to" in found else random.randint(0, 2)
    chosen: list[Node] = []
    for name in (one for one in DEPENDENT if one in found):
        chosen = [random.choice(nodes) for _ in range(count)] if nodes and count else []
        found[name] = tuple(node.handle for node in chosen) or None
    if "to" in found and graph is not None and not wrong and count and random.randrange(2):
        _linked(random, found, [one for one in own if one.handle in named], removes=random.randrange(2) == 1)
    if "to" not in found or not nodes:
        found["numDependencies"] = count if nodes else 0
    data = next((one for one in DATA if one in found), "")
    if data and found["numDependencies"] and not random.randrange(3):
        kernels = chosen and all(node.kind == KERNEL for node in chosen)
        fitting = (PLAIN, *PROGRAMMATIC) if kernels else (PLAIN,)
        rows = NO_DATA if wrong and random.randrange(2) else fitting
        found[data] = tuple(random.choice(rows) for _ in range(found["numDependencies"]))
    if wrong and not random.randrange(6):
        name = random.choice([one for one in DEPENDENT if one in found])
        found[name] = random.choice((None, (0,) * max(1, found["numDependencies"])))


def _linked(random: Random, found: dict[str, Any], own: list[Node], *, removes: bool) -> None:
    """Set a call's edge: an existing edge of its graph, or a new one."""
    edges = [(one, after) for after in own for one in after.after if one in own]
    if removes and edges:
        first, last = random.choice(edges)
    elif len(own) > 1:
        first, last = random.sample(own, 2)
        first, last = sorted((first, last), key=lambda node: node.number)
    else:
        return
    found["from_"], found["to"], found["numDependencies"] = (first.handle,), (last.handle,), 1
