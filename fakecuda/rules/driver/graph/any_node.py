"""Calls for nodes of any type: a CUgraphNodeParams has the type and its parameters.

The rules are those of the calls for that type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.graph import executables, graph
from fakecuda.model.graph.graph import (
    BATCH_MEM_OP,
    CHILD,
    CONDITIONAL,
    EMPTY,
    EVENT_RECORD,
    HOST,
    KERNEL,
    MEM_ALLOC,
    MEM_FREE,
    MEMCPY,
    MEMSET,
    WAIT_EVENT,
)
from fakecuda.model.history import here
from fakecuda.rules.core import Broken, Rule, guard, manual, undefined
from fakecuda.rules.driver.core.initialized import require_driver_up, require_initialized
from fakecuda.rules.driver.graph.add_node import (
    CHILD_IS_NO_PARENT,
    DEPENDENCIES_DIFFER,
    differing,
    placeable,
    placed_anywhere,
)
from fakecuda.rules.driver.graph.alike import KEPT, alike, child_pairs
from fakecuda.rules.driver.graph.batch_mem_op import batch
from fakecuda.rules.driver.graph.conditional import branching, homed
from fakecuda.rules.driver.graph.edges import data_of
from fakecuda.rules.driver.graph.enabled import own_executable_of, step_of
from fakecuda.rules.driver.graph.executable_set import some_context, without_memory_nodes
from fakecuda.rules.driver.graph.handle import executable_of, graph_of, node_of
from fakecuda.rules.driver.graph.kernel_node import attributed, launched
from fakecuda.rules.driver.graph.memory import ADDRESSES_SUFFICE, freeing, given, wanted
from fakecuda.rules.driver.graph.node import of_kind
from fakecuda.rules.driver.graph.params import (
    PARAMETERS_ARE_GIVEN,
    at_home,
    copied,
    event_named,
    filled,
    function_given,
    working,
)
from fakecuda.rules.driver.graph.without_memory import (
    embeddable,
    growing,
    independent,
    only,
    without_conditionals,
)
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.node_params import LAYOUTS, TYPES, unpack

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.graph.executables import Executable, Step
    from fakecuda.model.graph.graph import Graph
    from fakecuda.rules.driver.graph.add_node import Dependencies
    from fakecuda.rules.driver.graph.edges import Data

    Numbers = tuple[Any, ...]

CLONED, MOVED = 0, 1
"""CUgraphChildGraphNodeOwnership: a child gets a clone of a graph, or the graph.

For any other number, the child gets a clone of a graph that it could take over.
"""
CONTEXTS = {MEMCPY: 2, MEMSET: 6}
"""The index of the context in the parameters, by node types."""
ANYWHERE = {HOST, EMPTY, WAIT_EVENT, EVENT_RECORD, BATCH_MEM_OP, CONDITIONAL}
"""Types whose nodes a fork or a host function can add and change, without cuInit."""
FIRST = {KERNEL, CHILD}
"""Types whose parameters are checked before the graph."""
NAMES = {value: name.removeprefix("CU_GRAPH_NODE_TYPE_") for name, value in TYPES.items() if "RESERVED" not in name}

TYPE_IS_KNOWN = Rule(
    "`nodeParams.type` is a CUgraphNodeType",
    Result.INVALID_VALUE,
    manual("cuGraphAddNode", "The node type should be specified in the `typename` field"),
    fix="set type to a CUgraphNodeType",
)
UNUSED_BYTES_ARE_ZERO = Rule(
    "all bytes of `nodeParams` that its `type` does not use are 0",
    Result.INVALID_VALUE,
    manual("cuGraphAddNode", "must be set to zero"),
    fix="zero the struct, then set only the member for the type",
)
TYPE_IS_MODELLED = Rule(
    "fakecuda models this: not external semaphore nodes, nor updates of memory and conditional nodes",
    Result.NOT_SUPPORTED,
    manual("cuGraphAddNode", "CUDA_ERROR_NOT_SUPPORTED"),
    fix="run this test on a real GPU, or add a node of another type",
)
CONTEXT_IS_THERE = Rule(
    "the context in `nodeParams` is valid, or the calling thread has a current context if `nodeParams` has none",
    Result.INVALID_CONTEXT,
    manual("cuGraphAddNode", "CUDA_ERROR_INVALID_CONTEXT"),
    fix="make a context current, or set one in the parameters",
)
PARAMETERS_SUIT_THE_TYPE = Rule(
    "`nodeParams` satisfies the rules of the call for its node type, such as cuGraphAddKernelNode",
    Result.INVALID_VALUE,
    manual("cuGraphAddNode", "CUDA_ERROR_INVALID_VALUE"),
    fix="do what the rule named in the finding requires",
)
CHILD_IS_CLONED = Rule(
    "`nodeParams.graph.ownership` of cuGraphNodeSetParams is not CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE",
    Result.INVALID_VALUE,
    undefined(
        "cuGraphNodeSetParams",
        "the manual says nothing about a child node that takes another graph over; driver 580 destroys the graph of the node",
    ),
    fix="pass CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE, or add a child node with cuGraphAddNode",
)


def _copy(call: Call, values: Numbers) -> object:
    context = working(call, values[2])
    return copied(call, values[3:], context, given=bool(values[2]))


def _memset(call: Call, values: Numbers, *, new: bool = False) -> object:
    """Return a memset; memory without a context needs one that is given, and the current one is enough if the node is not new."""
    *params, ctx = values
    what = filled(call, tuple(params), working(call, ctx))
    at_home(call, what, ctx or (not new and call.thread.stack))
    return what


@guard
def allocated(call: Call, target: Graph, *values: Any) -> tuple[Any, ...]:
    """Return the size, place, properties and access of an allocation node's memory."""
    place, count, size, address = values[8:]
    found = wanted(call, ((*values[:2], values[2:4], *values[4:8]), place, count, size, address))
    growing(target)
    return found


@guard
def child(call: Call, handle: int, ownership: int) -> Graph:
    """Return the graph of a new child graph node."""
    found = independent(graph_of(call, handle))
    if ownership == CLONED:
        return embeddable(found)
    without_conditionals(found)
    only(found)
    return found


SUITS: dict[int, Callable[[Call, Numbers], Any]] = {
    KERNEL: launched,
    MEMCPY: _copy,
    MEMSET: _memset,
    HOST: lambda _, values: function_given((values[0], values[1])),
    CHILD: lambda call, values: child(call, *values),
    EMPTY: lambda _call, _values: None,
    WAIT_EVENT: lambda call, values: event_named(call, values[0]),
    EVENT_RECORD: lambda call, values: event_named(call, values[0]),
    BATCH_MEM_OP: batch,
}
"""Checks of a node's parameters, by type; each returns the checked parameters."""
OF_A_STEP: Callable[[Call, Numbers], Any] = lambda call, values: graph_of(call, values[0])  # noqa: E731 - as those above
"""The check of a child in an executable graph, which accepts any graph."""
SUITS_THERE: dict[int, Callable[[Call, Graph, Numbers], Any]] = {
    MEMSET: lambda call, _, values: _memset(call, values, new=True),
    MEM_ALLOC: lambda call, target, values: allocated(call, target, *values),
    MEM_FREE: lambda call, target, values: freeing(call, target, values[0]),
}
"""Checks of a new node's parameters, by types that differ from :data:`SUITS`."""
KEEPS: dict[int, Callable[[Any, Any], Any]] = {KERNEL: lambda what, was: attributed(what.like(was))}
"""By type, a function that returns new parameters with what the node keeps."""
KEPT_FOR_GOOD = {MEM_ALLOC, MEM_FREE, CONDITIONAL}
"""Types of nodes whose parameters cannot change."""


@guard
def modelled(what: str, holds: bool) -> None:  # noqa: FBT001 - whether it is
    """Check that a feature is modelled; otherwise name it in the error."""
    if not holds:
        raise TYPE_IS_MODELLED.broken(not_modelled=what)


@guard
def described(params: bytes | None) -> tuple[int, Numbers]:
    """Return the node type of a CUgraphNodeParams, and the values of its member."""
    if params is None:
        raise PARAMETERS_ARE_GIVEN.broken()
    kind, values, clean = unpack(params)
    if kind not in NAMES:
        raise TYPE_IS_KNOWN.broken(kind=kind)
    if not clean or (kind == MEMCPY and any(values[:2])):
        raise UNUSED_BYTES_ARE_ZERO.broken(kind=NAMES[kind])
    return kind, values


@guard
def supported(kind: int) -> None:
    """Check that nodes of a type are modelled."""
    modelled(f"nodes of type {NAMES[kind]}", kind in LAYOUTS)


@guard
def changeable(kind: int) -> None:
    """Check that changing nodes of a type is modelled."""
    supported(kind)
    modelled(f"other parameters of nodes of type {NAMES[kind]}", kind not in KEPT_FOR_GOOD)


@guard
def suited(call: Call, kind: int, values: Numbers, target: Graph | None = None, *, stepping: bool = False) -> Any:
    """Check the parameters of a node, or a step, of any type, and return them."""
    try:
        if target is not None and kind in SUITS_THERE:
            return SUITS_THERE[kind](call, target, values)
        if stepping and kind == CHILD:
            return OF_A_STEP(call, values)
        return SUITS[kind](call, values)
    except Broken as broken:
        if broken.code == Result.INVALID_CONTEXT:
            raise CONTEXT_IS_THERE.broken(of=broken.rule.id, **broken.facts) from broken
        raise Broken(PARAMETERS_SUIT_THE_TYPE, {"of": broken.rule.id, **broken.facts}, broken.code) from broken


@DRIVER.op(
    "cuGraphAddNode",
    acts_before=(PARAMETERS_SUIT_THE_TYPE, DEPENDENCIES_DIFFER, ADDRESSES_SUFFICE),
    several="memory gets its address before the node is added",
)
def graph_add_node(
    call: Call, handle: int, dependencies: Dependencies, data: Data, count: int, params: bytes | None
) -> tuple[int, tuple[int, ...] | None]:
    """Add a node of any type; return it with the address of its memory, its body graphs, or None.

    Args:
        call: The call.
        handle: The graph.
        dependencies: The nodes that it depends on.
        data: What the edges from these are like; None for nothing that is said of them.
        count: Their number.
        params: What it does, a CUgraphNodeParams.
    """
    # CHECK
    kind, values = described(params)
    if kind not in LAYOUTS:
        placed_anywhere(call, handle, dependencies, count)
    supported(kind)
    if kind not in ANYWHERE:
        require_initialized(call)
    if kind == CHILD:
        placeable(call)
    what: Any = suited(call, kind, values) if kind in FIRST else None
    home = homed(call, values[1], values[2], values[4]) if kind == CONDITIONAL else None
    target, after = placed_anywhere(call, handle, dependencies, count)
    rows = data_of([(node.kind, kind) for node in after], data)
    moves = kind == CHILD and values[1] == MOVED
    if home is not None:
        what = branching(target, values[0], values[1], values[2], home)
    elif kind not in FIRST:
        what = suited(call, kind, values, target)
    if kind != MEM_ALLOC:
        differing(after, kind)
    if kind == CHILD and what in target.around():
        call.undefined(CHILD_IS_NO_PARENT, graph=target, child=what)
        raise CHILD_IS_NO_PARENT.broken(graph=target, child=what)
    # EFFECT
    if kind == MEM_ALLOC:
        what = given(target, after, *what)
    made = graph.add_node(target, kind, what, after, here(), rows, moves=moves)
    if kind == MEM_ALLOC:
        return made.handle, (what.start,)
    return made.handle, tuple(one.handle for one in what.bodies) if kind == CONDITIONAL else None


@DRIVER.op("cuGraphNodeSetParams")
def graph_node_set_params(call: Call, handle: int, params: bytes | None) -> None:
    """Set the parameters of a node of any type.

    Args:
        call: The call.
        handle: The node.
        params: With what, a CUgraphNodeParams.
    """
    # CHECK
    require_driver_up(call)
    node = node_of(call, handle)
    kind, values = described(params)
    of_kind(node, kind)
    changeable(kind)
    if kind not in ANYWHERE:
        require_initialized(call)
    what = suited(call, kind, (values[0], CLONED) if kind == CHILD else values)
    if kind == CHILD and values[1] == MOVED:
        call.undefined(CHILD_IS_CLONED, node=node)
        raise CHILD_IS_CLONED.broken(node=node)
    what = going_on(kind, what, node.params)
    # EFFECT
    if kind == CHILD:
        graph.embed(node, what, here())
    else:
        node.change(what)


@DRIVER.op("cuGraphExecNodeSetParams")
def graph_exec_node_set_params(call: Call, executable: int, handle: int, params: bytes | None) -> None:
    """Set the parameters of a node of any type in an executable graph.

    Args:
        call: The call.
        executable: The executable graph.
        handle: The node of the original graph.
        params: With what, a CUgraphNodeParams.
    """
    # CHECK
    require_driver_up(call)
    executable_of(call, executable)
    node = node_of(call, handle)
    held = own_executable_of(call, executable)
    kind, values = described(params)
    of_kind(node, kind)
    changeable(kind)
    if kind == EMPTY:  # which has no parameters, of whatever graph it is
        return
    step = step_of(held, node)
    if kind in {MEMCPY, MEMSET}:
        some_context(call, values[CONTEXTS[kind]])
    what = suited(call, kind, values, stepping=True)
    if kind == CHILD:
        without_memory_nodes(what)
    what = going_on(kind, what, step.params)
    if kind in KEPT:
        kept(call, held, step, what)
    found = child_pairs(step.params, what) if kind == CHILD else []
    alike(call, held, found)
    # EFFECT
    if kind == CHILD:
        executables.take_over(step.params, what, found, here())
    else:
        step.change(what)


@guard
def going_on(kind: int, what: Any, was: Any) -> Any:
    """Return the new parameters of a node or step, with what it keeps of the old ones."""
    try:
        return KEEPS[kind](what, was) if kind in KEEPS else what
    except Broken as broken:
        raise Broken(PARAMETERS_SUIT_THE_TYPE, {"of": broken.rule.id, **broken.facts}, broken.code) from broken


@guard
def kept(call: Call, executable: Executable, step: Step, what: Any) -> None:
    """Check that a step of an executable graph accepts other parameters."""
    try:
        KEPT[step.kind](call, executable, step, what)
    except Broken as broken:
        raise Broken(PARAMETERS_SUIT_THE_TYPE, {"of": broken.rule.id, **broken.facts}, broken.code) from broken
