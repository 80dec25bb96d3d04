"""Conditions and conditional nodes for cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.spec.node_params import CHILD, CONDITIONAL, pack

if TYPE_CHECKING:
    from conformance.kit.world import Process

IF, WHILE, SWITCH = range(3)
"""CUgraphConditionalNodeType."""
ASSIGNS = 1
"""CU_GRAPH_COND_ASSIGN_DEFAULT."""
MOVED = 1
"""CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE."""


def condition(a: Process, of: int, default: int = 0, flags: int = ASSIGNS) -> int:
    """Return a new condition of a graph, in the current context."""
    made: int = a.ok.cuGraphConditionalHandleCreate(of, a.ok.cuCtxGetCurrent(), default, flags)
    return made


def following(a: Process, handle: int, kind: int = IF, size: int = 1, ctx: int | None = None) -> bytes:
    """Return parameters of a node with a condition, in the current or another context."""
    return pack(CONDITIONAL, (handle, kind, size, 0, a.ok.cuCtxGetCurrent() if ctx is None else ctx))


def conditional(a: Process, of: int, kind: int = IF, size: int = 1, default: int = 0) -> tuple[int, ...]:
    """Return the body graphs of a new conditional node."""
    _, graphs = a.ok.cuGraphAddNode(of, None, None, 0, following(a, condition(a, of, default), kind, size))
    return tuple(graphs)


def branching(a: Process, kind: int = IF, size: int = 1, default: int = 0) -> int:
    """Return a new graph with a conditional node."""
    of: int = a.ok.cuGraphCreate(0)
    conditional(a, of, kind, size, default)
    return of


def taken_over(a: Process, inner: int) -> int:
    """Return a new graph with a child node that owns a graph."""
    of: int = a.ok.cuGraphCreate(0)
    a.ok.cuGraphAddNode(of, None, None, 0, pack(CHILD, (inner, MOVED)))
    return of


def owned(a: Process) -> int:
    """Return a new graph that a child node owns."""
    inner: int = a.ok.cuGraphCreate(0)
    taken_over(a, inner)
    return inner


def embedded(a: Process) -> int:
    """Return the cloned graph of a child node."""
    child = a.ok.cuGraphAddChildGraphNode(a.ok.cuGraphCreate(0), None, 0, a.ok.cuGraphCreate(0))
    made: int = a.ok.cuGraphChildGraphNodeGetGraph(child)
    return made


def body(a: Process) -> int:
    """Return the body graph of a conditional node."""
    (made,) = conditional(a, a.ok.cuGraphCreate(0))
    return made
