"""Conditions of graphs, and conditional nodes: what a launch does of their graphs a condition says.

Kernels that set conditions are not modelled: a condition has the default that a launch assigns. A launch says so where
there is none, where a kernel is given the condition, and where a loop would never end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.errors import FakeCudaError
from fakecuda.model.conditional import IF, SWITCH, WHILE, Branches, Condition
from fakecuda.model.graph import CHILD, CONDITIONAL, EMPTY, KERNEL, MEMCPY, MEMSET
from fakecuda.rules.core import Rule, guard, manual, undefined
from fakecuda.rules.driver.context.handle import live_context_of

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.conditional import Choice
    from fakecuda.model.context import Context
    from fakecuda.model.graph import Executable, Graph, Node, Step

MOST = 1 << 12
"""The most graphs of a switch that are modelled."""
SIZES = {IF: range(1, 3), WHILE: range(1, 2), SWITCH: range(1, 1 << 32)}
"""How many graphs a conditional has, by its type."""
INSIDE = {KERNEL, MEMCPY, MEMSET, CHILD, EMPTY, CONDITIONAL}
"""Types of nodes that graphs of conditionals have."""

CONTEXT_IS_NAMED = Rule(
    "the context of a condition, or of a conditional node, is not null",
    Result.INVALID_VALUE,
    undefined("cuGraphConditionalHandleCreate", "silent about a null context"),
)
CONDITION_IS_OF_THE_GRAPH = Rule(
    "a conditional node follows a condition of its graph, or of one that this is embedded in",
    Result.INVALID_VALUE,
    manual(
        "cuGraphConditionalHandleCreate",
        "The conditional handle must be associated with a conditional node in this graph or one of its children",
    ),
)
CONDITION_IS_FREE = Rule(
    "no other node follows the condition",
    Result.INVALID_VALUE,
    undefined("cuGraphConditionalHandleCreate", "silent about a handle that two nodes have"),
)
GRAPHS_ARE_AS_MANY = Rule(
    "an if has one graph or two, a while one, and a switch some",
    Result.INVALID_VALUE,
    manual("cuGraphAddNode", "CUDA_ERROR_INVALID_VALUE"),
)
GRAPHS_ARE_FEW = Rule(
    "a switch has no more graphs than are modelled",
    Result.NOT_SUPPORTED,
    manual("cuGraphAddNode", "CUDA_ERROR_NOT_SUPPORTED"),
)
CONTEXT_IS_THE_CONDITION_S = Rule(
    "a conditional node runs in the context of its condition",
    Result.INVALID_VALUE,
    manual("cuGraphAddNode", "CUDA_ERROR_INVALID_VALUE"),
)
CONDITIONS_HAVE_NODES = Rule(
    "a node follows each condition of a graph that is made executable",
    Result.INVALID_VALUE,
    manual(
        "cuGraphConditionalHandleCreate",
        "Handles not associated with a conditional node may cause graph instantiation to fail",
    ),
)
GRAPHS_DO_DEVICE_WORK = Rule(
    "graphs of conditionals, and what is embedded in them, have kernels, copies, memsets, conditionals and nodes that do nothing",
    Result.INVALID_VALUE,
    manual("cuGraphInstantiate", "CUDA_ERROR_INVALID_VALUE"),
)
KERNELS_SHARE_THE_CONTEXT = Rule(
    "kernels in graphs of a conditional are of its context",
    Result.INVALID_VALUE,
    manual("cuGraphInstantiate", "CUDA_ERROR_INVALID_VALUE"),
)


@guard
def homed(call: Call, handle: int) -> Context:
    """Return the context of a condition, or of a conditional node."""
    if not handle:
        call.undefined(CONTEXT_IS_NAMED)
        raise CONTEXT_IS_NAMED.broken()
    return live_context_of(call, handle)


@guard
def branching(call: Call, target: Graph, handle: int, kind: int, size: int, ctx: int) -> Branches:
    """Return what a new conditional node of a graph has.

    Args:
        call: The call.
        target: The graph.
        handle: The condition.
        kind: CUgraphConditionalNodeType.
        size: How many graphs it gets.
        ctx: The context that it runs in.
    """
    condition = call.process.graphs.get(handle)
    if not isinstance(condition, Condition) or condition.graph not in target.around():
        raise CONDITION_IS_OF_THE_GRAPH.broken(condition=condition or handle, graph=target)
    if size not in SIZES.get(kind, ()):
        raise GRAPHS_ARE_AS_MANY.broken(type=kind, size=size)
    context = homed(call, ctx)
    if context is not condition.context:
        raise CONTEXT_IS_THE_CONDITION_S.broken(context=context, condition=condition)
    if condition.node is not None:
        call.undefined(CONDITION_IS_FREE, condition=condition, node=condition.node)
        raise CONDITION_IS_FREE.broken(condition=condition, node=condition.node)
    if size > MOST:
        raise GRAPHS_ARE_FEW.broken(size=size, not_modelled=f"a switch of {size} graphs")
    return Branches(condition, kind, context, size)


@guard
def followed(of: Graph) -> None:
    """Check that a graph with conditions, and with conditionals, can be made executable."""
    nodes = [node for node in of.every() if node.kind == CONDITIONAL]
    for graph in (of, *(graph for node in of.every() for graph in node.embedded())):
        for condition in graph.conditions:
            if condition.node is None:
                raise CONDITIONS_HAVE_NODES.broken(condition=condition)
    for node in nodes:
        for inner in (inner for graph in node.embedded() for inner in graph.every()):
            _fits(node, inner)


@guard
def _fits(outer: Node, node: Node) -> None:
    """Check that a conditional can have a node in its graphs."""
    if node.kind not in INSIDE:
        raise GRAPHS_DO_DEVICE_WORK.broken(node=node, conditional=outer)
    if node.kind == KERNEL and node.params.function.module.context is not outer.params.context:
        raise KERNELS_SHARE_THE_CONTEXT.broken(node=node, conditional=outer)


def guided(executable: Executable) -> list[Step]:
    """Return the steps of a launch, which does of conditionals what the defaults of their conditions choose.

    Raises:
        FakeCudaError: A kernel would have to set a condition.
    """
    steps = list(executable.body.chosen())
    for step in steps:
        if step.kind == CONDITIONAL:
            why = _set_by_kernels(executable, step.params)
            if why:
                msg = f"{step.params.condition} {why}: kernels that set conditions are not modelled"
                raise FakeCudaError(msg)
    return steps


def _set_by_kernels(executable: Executable, choice: Choice) -> str:
    """Return why a condition may have another value than its default, or an empty text."""
    if not choice.assigned:
        return "has no default that launches assign (CU_GRAPH_COND_ASSIGN_DEFAULT)"
    if choice.kind == WHILE and choice.default:
        return f"begins with {choice.default}, and the loop of {choice.condition.node} would never end"
    handle = choice.condition.handle.to_bytes(8, "little")
    kernels = (step.params for step in executable.body.every() if step.kind == KERNEL and step.enabled)
    given = next((one for one in kernels if handle in one.args), None)
    return "" if given is None else f"is given to kernel {given.function.entry.name}"
