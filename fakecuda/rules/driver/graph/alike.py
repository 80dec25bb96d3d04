"""Changes of an executable graph: what the parameters of its steps may change to.

Steps are paired with nodes from the leaves on, which no node depends on: leaf by leaf, and dependency by dependency.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from fakecuda.model.graph.executables import DEVICE
from fakecuda.model.graph.graph import BATCH_MEM_OP, EVENT_RECORD, KERNEL, MEMCPY, MEMSET, WAIT_EVENT, Captured
from fakecuda.model.memory.foreseen import foreseeing
from fakecuda.model.memory.memory import Import
from fakecuda.rules.core import Broken, Rule, guard, manual, observed
from fakecuda.rules.driver.stream.stream_wait_value import FLUSH
from fakecuda.spec import mem_ops
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.graph.executables import Body, Executable, Step
    from fakecuda.model.graph.graph import Graph, Node
    from fakecuda.model.work.batch import Batch
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.launch import Launch
    from fakecuda.rules.driver.graph.params import InContext

    Pairs = list[tuple[Step, Node]]

ONE = (1, 1)
"""The height and depth of a one-row copy."""
SOURCE, TARGET = 4, 15
"""The index of each end in a CUDA_MEMCPY3D: memory type, addresses, array."""
ARRAY, HOST_MEMORY = 3, 1
"""Values of CUmemorytype."""

NODES_ARE_AS_MANY = Rule(
    "the new graph, and each graph inside it, has the same number of nodes as the graph it replaces in the executable "
    "graph",
    Result.GRAPH_EXEC_UPDATE_FAILURE,
    manual("cuGraphExecUpdate", "The count of nodes directly in `hGraphExec` and `hGraph` differ"),
    fix="instantiate the graph again",
)
KINDS_STAY = Rule(
    "each node has the same type as the node that it replaces in the executable graph",
    Result.GRAPH_EXEC_UPDATE_FAILURE,
    manual("cuGraphExecUpdate", "CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED if the type of a node changed"),
    fix="add nodes in the same order, or instantiate the graph again",
)
EDGES_STAY = Rule(
    "each node has the same dependencies and edge data as the node that it replaces in the executable graph",
    Result.GRAPH_EXEC_UPDATE_FAILURE,
    manual("cuGraphExecUpdate", "has a dependency that does not match with the corresponding dependency"),
    fix="add edges between the same nodes, or instantiate the graph again",
)
REFUSALS_STAY = Rule(
    "no node of the graph was refused or destroyed after the graph that it replaces was made of it or of its original",
    Result.GRAPH_EXEC_UPDATE_FAILURE,
    observed(
        "cuGraphExecChildGraphNodeSetParams",
        "the driver answers GRAPH_EXEC_UPDATE_FAILURE once either graph has refused a node, or a node of it was destroyed; "
        "a node that was gone before a graph was cloned or instantiated does no harm to what was made of it",
    ),
    fix="update the whole graph with cuGraphExecUpdate, which ignores nodes that are gone",
)
SHAPE_STAYS = Rule(
    "one-row memsets and copies keep one row; 2D memsets change only address and value; 2D and 3D copies do not change",
    Result.INVALID_VALUE,
    manual("cuGraphExecMemsetNodeSetParams", "for 2d memsets, all dimension changes are rejected"),
    fix="keep the dimensions, or instantiate the graph again",
)
MEMORY_STAYS = Rule(
    "each side keeps its CUmemorytype, its context (a target its device), and whether it is of a pool or a mapping",
    Result.INVALID_VALUE,
    observed(
        "cuGraphExecMemcpyNodeSetParams",
        "the driver answers INVALID_VALUE if memory of a pool or a mapping replaces other memory, if the new source has "
        "another context, if an end changes its CUmemorytype, and if the new target was opened by IPC in another context "
        "than the source's; device, managed, page-locked and pageable memory of one type can replace each other; a memset "
        "can change from memory with a context to memory without one",
    ),
    fix="pass memory of the same type and context; replace pool memory or a mapping only by pool memory or a mapping",
)
CONTEXT_STAYS = Rule(
    "the new function belongs to the same context as the old function of the node",
    Result.INVALID_VALUE,
    manual("cuGraphExecKernelNodeSetParams", "The owning context of the function cannot change"),
    fix="pass a function of the same context",
)
LAUNCHERS_STAY = Rule(
    "a new kernel calls cudaGraphLaunch only in a graph for device launch, or one made with such a kernel of the same "
    "context",
    Result.INVALID_VALUE,
    manual(
        "cuGraphExecKernelNodeSetParams",
        "a node whose function originally did not use device-side cudaGraphLaunch() cannot be updated to a function which uses",
    ),
    fix="instantiate the graph with a kernel of that context that launches graphs, or for device launch",
)
OPERATIONS_STAY = Rule(
    "the new parameters keep `ctx`, `count`, operation types, flush flags, and all of each barrier and remote-write "
    "flush",
    Result.INVALID_VALUE,
    manual("cuGraphExecBatchMemOpNodeSetParams", "Other fields, such as the context, count or type of operations"),
    fix="change only addresses, values and conditions, and instantiate the graph again for other operations",
)

EVENTS_ARE_LIVE = Rule(
    "neither the event of the node in the executable graph nor the new event of the node has been destroyed",
    Result.INVALID_VALUE,
    observed(
        "cuGraphExecEventRecordNodeSetEvent",
        "the driver answers INVALID_VALUE if the event that is replaced was destroyed",
    ),
    fix="destroy the event after you replace it, or instantiate the graph again",
)
COOPERATION_STAYS = Rule(
    "each cooperative kernel node replaces a cooperative node, and each other kernel node replaces a non-cooperative "
    "node",
    Result.GRAPH_EXEC_UPDATE_FAILURE,
    manual("cuGraphExecUpdate", "A cooperative node cannot be updated to a non-cooperative node, and vice-versa"),
    fix="instantiate the graph again",
)
PARAMETERS_FIT = Rule(
    "each node's new parameters satisfy the rules of the call that sets them for its type in an executable graph",
    Result.GRAPH_EXEC_UPDATE_FAILURE,
    manual("cuGraphExecUpdate", "if any parameters to a node changed in a way that is not supported"),
    fix="keep memory, contexts and dimensions, or instantiate the graph again",
)


@guard
def pairs(body: Body, graph: Graph) -> Pairs:
    """Pair the steps of an executable graph with a graph's nodes, children included."""
    if len(body.steps) != len(graph.nodes):
        raise NODES_ARE_AS_MANY.broken(graph=graph, steps=len(body.steps))
    steps: dict[Node, Step] = {}
    waiting = list(zip(body.leaves, graph.leaves, strict=False))
    for step, node in waiting:
        if steps.get(node, step) is not step:
            raise EDGES_STAY.broken(node=node, dependency=None)
        if node in steps:
            continue
        if step.kind != node.kind:
            raise KINDS_STAY.broken(node=node, was=step.kind)
        if [data for _, data in step.after] != list(node.after.values()):
            raise EDGES_STAY.broken(node=node, dependency=next(reversed(node.after), None))
        steps[node] = step
        waiting += zip((body.steps[number] for number, _ in step.after), node.after, strict=True)
    if set(steps.values()) < set(body.steps):
        raise EDGES_STAY.broken(node=next((node for node in graph.nodes if node not in steps), None), dependency=None)
    found = [(step, node) for node, step in steps.items()]
    for step, node in list(found):
        for part, embedded in zip(step.embedded(), node.embedded(), strict=False):
            found += pairs(part, embedded)
    return found


@guard
def refusals_kept(body: Body, graph: Graph, found: Pairs) -> None:
    """Check that no node of a graph is gone that was there, or was not yet refused, when a body was made; children included."""
    inner = [pair for step, node in found for pair in zip(step.embedded(), node.embedded(), strict=False)]
    for part, one in [(body, graph), *inner]:
        if part.gone != one.gone:
            raise REFUSALS_STAY.broken(graph=one)


@guard
def child_pairs(body: Body, graph: Graph) -> Pairs:
    """Return the pairs of a child that another graph is set for, whose nodes that are gone count, too."""
    found = pairs(body, graph)
    refusals_kept(body, graph, found)
    return found


@guard
def alike(call: Call, executable: Executable, found: Pairs) -> None:
    """Check that the steps of an executable graph accept the parameters of nodes."""
    for step, node in found:
        if step.kind == KERNEL and step.params.cooperative != node.params.cooperative:
            raise COOPERATION_STAYS.broken(node=node)
        if step.kind in KEPT:
            try:
                KEPT[step.kind](call, executable, step, node.params)
            except Broken as broken:
                raise PARAMETERS_FIT.broken(of=broken.rule, node=node, **broken.facts) from broken


@guard
def context_kept(_: Call, step: Step, launch: Launch) -> None:
    """Check that a step's new kernel is in the same context."""
    if launch.function.module.context is not step.params.function.module.context:
        raise CONTEXT_STAYS.broken(function=launch.function)


@guard
def launching_kept(executable: Executable, launch: Launch) -> None:
    """Check that the executable graph allows a new kernel that launches graphs."""
    function = launch.function
    if function.entry.launches and not executable.flags & DEVICE and function.module.context is not executable.launcher:
        raise LAUNCHERS_STAY.broken(function=function)


@guard
def memory_kept(call: Call, step: Step, what: InContext) -> None:
    """Check that a memset or memcpy step accepts other memory.

    Args:
        call: The call.
        step: The step.
        what: What it is to do in which context.
    """
    shape_kept(step, what)
    alike_memory = _fills_alike if step.kind == MEMSET else _copies_alike
    if not alike_memory(call, step.params, what):
        raise MEMORY_STAYS.broken(was=step.params[0], params=what[0])


@guard
def shape_kept(step: Step, what: InContext) -> None:
    """Check that a memset or memcpy step accepts another size."""
    was, told = step.params[0], what[0]
    if not _shaped(step.kind, was, told):
        raise SHAPE_STAYS.broken(was=was, params=told)


@guard
def copy_kept(call: Call, executable: Executable, step: Step, what: InContext) -> None:
    """Check that a memcpy step accepts other memory; device launch allows any context."""
    if not executable.flags & DEVICE:
        memory_kept(call, step, what)
        return
    shape_kept(step, what)
    was, told = ([(one.kind, one.context is None) for one in _ends(call, one)] for one in (step.params, what))
    if was != told:
        raise MEMORY_STAYS.broken(was=step.params[0], params=what[0])


@guard
def operations_kept(_: Call, step: Step, what: Batch) -> None:
    """Check that a batch memory operation step changes only values."""
    was: Batch = step.params
    if what.context is not was.context or list(map(_fixed, what.operations)) != list(map(_fixed, was.operations)):
        raise OPERATIONS_STAY.broken(was=was, operations=what.operations)


@guard
def event_kept(_: Call, step: Step, event: Event) -> None:
    """Check that the event of a step and the one that replaces it are live."""
    for one in (step.params, event):
        if one.destroyed:
            raise EVENTS_ARE_LIVE.broken(event=one)


@guard
def kernel_kept(call: Call, executable: Executable, step: Step, launch: Launch) -> None:
    """Check that a kernel step accepts another kernel."""
    context_kept(call, step, launch)
    launching_kept(executable, launch)


def _of_any(kept: Callable[[Call, Step, Any], None]) -> Callable[[Call, Executable, Step, Any], None]:
    """Adapt a check that does not need the executable graph."""
    return lambda call, _, step, what: kept(call, step, what)


KEPT: dict[int, Callable[[Call, Executable, Step, Any], None]] = {
    KERNEL: kernel_kept,
    MEMSET: _of_any(memory_kept),
    MEMCPY: copy_kept,
    BATCH_MEM_OP: _of_any(operations_kept),
    EVENT_RECORD: _of_any(event_kept),
    WAIT_EVENT: _of_any(event_kept),
}
"""Checks of a step's new parameters, by node kinds with restrictions."""


def _fixed(operation: tuple[int, ...]) -> tuple[int, ...]:
    """Return the part of a memory operation that cannot change."""
    kind, *values = operation
    if kind in mem_ops.WRITES:
        return (kind,)
    return (kind, values[2] & FLUSH) if kind in mem_ops.WAITS else operation


def _shaped(kind: int, was: tuple[int, ...], told: tuple[int, ...]) -> bool:
    if was == told:
        return True
    if kind == MEMCPY:
        return was[-2:] == told[-2:] == ONE
    height, new = was[-1], told[-1]
    return new == 1 if height == 1 else (was[1], *was[3:]) == (told[1], *told[3:])


def _fills_alike(call: Call, was: InContext, told: InContext) -> bool:
    """Return whether a memset step can use other memory: both have the same context.

    That of a captured memset is its stream's.
    """
    memory = foreseeing(call, known=True).process.memory
    one, other = (
        context if type(what) is Captured else getattr(memory.at(params[0]), "context", None) or context
        for what in (was, told)
        for params, context in [what]
    )
    return one is other


class End(NamedTuple):
    """The fixed part of one end of a memcpy.

    Attributes:
        kind: Its CUmemorytype.
        context: The context that its memory belongs to. None for pools and mappings.
    """

    kind: int
    context: Context | None


def _copies_alike(call: Call, was: InContext, told: InContext) -> bool:
    """Return whether a memcpy step accepts new ends.

    Each end keeps its CUmemorytype, and stays memory of a context or of none. The source and arrays keep their context; a
    target that was opened by IPC has the source's.
    """
    (source, target), (new_source, new_target) = _ends(call, was), _ends(call, told)
    if target.context and new_target.context and target.kind == new_target.kind != ARRAY:
        opened = isinstance(call.process.memory.at(told[0][TARGET + 2]), Import)
        reached = not opened or new_target.context is new_source.context
        return source == new_source and reached and target.context.device is new_target.context.device
    return (source, target) == (new_source, new_target)


def _ends(call: Call, what: InContext) -> list[End]:
    """Return the source and the target of a memcpy."""
    params, context = what
    return [_end(call, params[start : start + 4], context) for start in (SOURCE, TARGET)]


def _end(call: Call, side: tuple[int, ...], context: Context | None) -> End:
    """Return one end of a memcpy; pageable host memory belongs to the node's context."""
    of, host, place, array = side
    item: object = foreseeing(call, known=True).process.memory.at(host if of == HOST_MEMORY else place)
    if of == ARRAY:
        item = call.process.arrays.get(array)
    return End(of, context if item is None else getattr(item, "context", None))
