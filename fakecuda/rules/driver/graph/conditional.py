"""Conditional handles and conditional nodes: the value of the handle decides which body graphs a launch runs.

A condition is the default that a launch assigns, until a kernel with its handle sets it by
``fakecuda.set_condition``.
A launch reads it when it reaches the node. A condition that nothing gives a value is undefined in each launch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.model.graph.conditional import IF, SWITCH, WHILE, Branches, Condition
from fakecuda.model.graph.graph import CHILD, CONDITIONAL, EMPTY, KERNEL, MEMCPY, MEMSET
from fakecuda.model.os.system import OWN
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.context.current import failed
from fakecuda.rules.driver.context.handle import live_context_of
from fakecuda.rules.driver.graph.add_node import placeable
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.graph.conditional import Choice
    from fakecuda.model.graph.executables import Body, Executable, Step
    from fakecuda.model.graph.graph import Graph, Node

MOST = 1 << 12
"""The maximum number of modelled body graphs of a switch."""
SIZES = {IF: range(1, 3), WHILE: range(1, 2), SWITCH: range(1, 1 << 32)}
"""The number of body graphs of a conditional, by its type."""
INSIDE = {KERNEL, MEMCPY, MEMSET, CHILD, EMPTY, CONDITIONAL}
"""Types of nodes that body graphs may contain."""

CONTEXT_IS_NAMED = Rule(
    "the context of the conditional handle or node is not null",
    Result.INVALID_CONTEXT,
    observed(
        "cuGraphConditionalHandleCreate",
        "the driver answers INVALID_CONTEXT to a null context, whatever context is current",
    ),
    fix="pass the context in which the conditional runs",
)
CONDITION_IS_OF_THE_GRAPH = Rule(
    "`conditional.handle` was created for the graph that gets the node, or for another graph inside the same "
    "outermost graph",
    Result.INVALID_VALUE,
    manual(
        "cuGraphConditionalHandleCreate",
        "The conditional handle must be associated with a conditional node in this graph or one of its children",
    ),
    fix="pass a handle that cuGraphConditionalHandleCreate created for this graph, or for a graph around it or inside "
    "it",
)
CONDITION_IS_FREE = Rule(
    "no other node uses `conditional.handle`",
    Result.INVALID_VALUE,
    observed(
        "cuGraphAddNode",
        "the driver answers INVALID_VALUE to a second node with the same conditional handle, until "
        "the first node is destroyed",
    ),
    fix="call cuGraphConditionalHandleCreate for each conditional node",
)
GRAPHS_ARE_AS_MANY = Rule(
    "`conditional.size` fits `conditional.type`: 1 or 2 for an if, 1 for a while, at least 1 for a switch",
    Result.INVALID_VALUE,
    manual("cuGraphAddNode", "CUDA_ERROR_INVALID_VALUE"),
    fix="set size to 1 or 2 for an if, to 1 for a while, and to at least 1 for a switch",
)
GRAPHS_ARE_FEW = Rule(
    "`conditional.size` of a switch is at most 4096, the limit of fakecuda",
    Result.NOT_SUPPORTED,
    manual("cuGraphAddNode", "CUDA_ERROR_NOT_SUPPORTED"),
    fix="set size to at most 4096",
)
CONTEXT_IS_THE_CONDITION_S = Rule(
    "`conditional.ctx` is the context that `conditional.handle` was created with",
    Result.INVALID_VALUE,
    manual("cuGraphAddNode", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass the context that you passed to cuGraphConditionalHandleCreate",
)
CONDITIONS_HAVE_NODES = Rule(
    "each conditional handle that was created for the graph has a conditional node",
    Result.INVALID_VALUE,
    manual(
        "cuGraphConditionalHandleCreate",
        "Handles not associated with a conditional node may cause graph instantiation to fail",
    ),
    fix="add a conditional node for each handle of cuGraphConditionalHandleCreate",
)
GRAPHS_DO_DEVICE_WORK = Rule(
    "conditional bodies have only kernel, memcpy, memset, empty, child and conditional nodes",
    Result.INVALID_VALUE,
    manual("cuGraphInstantiate", "CUDA_ERROR_INVALID_VALUE"),
    fix="move all other types of nodes out of the conditional body",
)
KERNELS_SHARE_THE_CONTEXT = Rule(
    "kernels in a conditional body belong to the context of the conditional node",
    Result.INVALID_VALUE,
    manual("cuGraphInstantiate", "CUDA_ERROR_INVALID_VALUE"),
    fix="use kernels of the same context as the conditional node",
)
CONDITION_HAS_A_VALUE = Rule(
    "each launch gives a value to each condition that it may read, by its default or by a kernel with its handle",
    Result.SUCCESS,
    undefined(
        "cuGraphConditionalHandleCreate",
        "the manual says nothing about a value that is not assigned; by the CUDA Programming Guide it is undefined at "
        "the start of each execution. Driver 580 mostly reads 0; at times a launch before the last one has ended makes "
        "the context fail with LAUNCH_FAILED",
    ),
    fix="pass CU_GRAPH_COND_ASSIGN_DEFAULT to cuGraphConditionalHandleCreate, or the handle to a kernel before the node",
)


@guard
def sound(call: Call, handle: int) -> Context:
    """Return the context of a condition or conditional node, in which no work has failed."""
    if not handle:
        raise CONTEXT_IS_NAMED.broken()
    context = live_context_of(call, handle)
    if context.lost:
        failed(context)
    return context


@guard
def homed(call: Call, kind: int, size: int, ctx: int) -> Context:
    """Return the context of a new conditional node with a valid number of body graphs.

    Args:
        call: The call.
        kind: CUgraphConditionalNodeType.
        size: How many graphs it gets.
        ctx: The context.
    """
    placeable(call)
    if size not in SIZES.get(kind, ()):
        raise GRAPHS_ARE_AS_MANY.broken(type=kind, size=size)
    return sound(call, ctx)


@guard
def branching(target: Graph, handle: int, kind: int, size: int, context: Context) -> Branches:
    """Return the parameters of a new conditional node.

    Args:
        target: The graph.
        handle: The condition.
        kind: CUgraphConditionalNodeType.
        size: How many graphs it gets.
        context: The context that it runs in.
    """
    condition = target.around()[-1].conditions.get(handle)
    if condition is None:
        raise CONDITION_IS_OF_THE_GRAPH.broken(condition=handle, graph=target)
    if context is not condition.context:
        raise CONTEXT_IS_THE_CONDITION_S.broken(context=context, condition=condition)
    if condition.node is not None:
        raise CONDITION_IS_FREE.broken(condition=condition, node=condition.node)
    if size > MOST:
        raise GRAPHS_ARE_FEW.broken(size=size, not_modelled=f"a switch of {size} graphs")
    return Branches(condition, kind, context, size)


@guard
def followed(of: Graph) -> None:
    """Check that a graph with conditional handles and nodes can be instantiated."""
    nodes = [node for node in of.every() if node.kind == CONDITIONAL]
    for condition in of.conditioned():
        if condition.node is None:
            raise CONDITIONS_HAVE_NODES.broken(condition=condition)
    for node in nodes:
        for inner in (inner for graph in node.embedded() for inner in graph.every()):
            _fits(node, inner)


@guard
def _fits(outer: Node, node: Node) -> None:
    """Check that a body graph may contain a node."""
    if node.kind not in INSIDE:
        raise GRAPHS_DO_DEVICE_WORK.broken(node=node, conditional=outer)
    if node.kind == KERNEL and node.params.function.module.context is not outer.params.context:
        raise KERNELS_SHARE_THE_CONTEXT.broken(node=node, conditional=outer)


def guided(call: Call, executable: Executable) -> None:
    """Check that a launch can evaluate the conditions of an executable graph.

    Raises:
        FakeCudaError: One is not.
    """
    steps = [step for step in executable.body.every() if step.enabled]
    for step in steps:
        why = _why_not(call, executable, step.params) if step.kind == CONDITIONAL else ""
        if why:
            msg = f"{step.params.condition} {why}"
            raise FakeCudaError(msg)


def _why_not(call: Call, executable: Executable, choice: Choice) -> str:
    """Return why a launch cannot evaluate a condition; empty if it can."""
    if is_set(choice.condition, executable):
        copies = call.process.system is not OWN and any(
            step.kind == MEMCPY for body in choice.bodies for step in body.every()
        )
        return (
            (
                "is set by a kernel and controls memcpy nodes, which is not modelled for an OS process that has "
                "attached to another process's machine: launch the graph in the OS process that made the machine"
            )
            if copies
            else ""
        )
    if choice.kind == WHILE and choice.assigned and choice.default:
        return (
            f"begins with {choice.default}, and no kernel gets its handle, so the loop of {choice.condition.node} "
            "would never end: pass the handle to a kernel of the loop"
        )
    return ""


@guard
def valued(call: Call, executable: Executable) -> list[Condition]:
    """Return the conditions that a launch leaves to kernels; check that each of the others has a value."""
    by_kernels = [one for one in executable.conditions().values() if is_set(one, executable)]
    for step in reached(executable):
        if step.kind == CONDITIONAL and not step.params.assigned and step.params.condition not in by_kernels:
            call.undefined(CONDITION_HAS_A_VALUE, condition=step.params.condition, executable=executable)
    return by_kernels


def is_set(condition: Condition, executable: Executable) -> bool:
    """Return whether a kernel's arguments may contain a condition's handle."""
    handle = condition.handle.to_bytes(8, "little")
    kernels = (step for step in executable.body.every() if step.kind == KERNEL and step.enabled)
    values = (value for step in kernels for value in step.params.args)
    return any(value[start : start + 8] == handle for value in values for start in range(0, len(value), 8))


def reached(executable: Executable, body: Body | None = None) -> Iterator[Step]:
    """Yield the steps that a launch may reach; defaults decide unset conditionals.

    Args:
        executable: The executable graph.
        body: The part of it; None for all.
    """
    for step in (body or executable.body).order:
        if step.enabled:
            yield step
        bodies = step.embedded()
        if step.kind == CONDITIONAL and not is_set(step.params.condition, executable):
            bodies = step.params.of(step.params.default if step.params.assigned else 0)
        for one in bodies:
            yield from reached(executable, one)
