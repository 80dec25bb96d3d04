"""Conditions of graphs, and nodes that do some of their graphs, or none, as a condition has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.effect import effect

if TYPE_CHECKING:
    from fakecuda.model.context import Context
    from fakecuda.model.graph import Body, Graph, Node
    from fakecuda.model.history import Stack

IF, WHILE, SWITCH = range(3)
"""CUgraphConditionalNodeType."""


@define(eq=False)
class Condition(history.Lifetime):
    """A condition of a graph: a number that a launch begins with.

    Attributes:
        handle: The CUgraphConditionalHandle.
        graph: The graph that it was made for.
        context: The context of those who may set it, and of its node.
        default: The number that launches assign.
        assigned: Whether they do.
        node: The node that follows it; None before there is one.
    """

    handle: int
    graph: Graph = field(repr=False)
    context: Context
    default: int
    assigned: bool
    node: Node | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"condition {self.handle:#x} of {self.graph}"


@define(eq=False)
class Branches:
    """What a conditional node has.

    Attributes:
        condition: The condition.
        kind: How it follows that, CUgraphConditionalNodeType.
        context: The context that it runs in.
        size: How many graphs it has.
        bodies: The graphs.
    """

    condition: Condition
    kind: int
    context: Context
    size: int
    bodies: tuple[Graph, ...] = field(default=(), repr=False)


@define(eq=False)
class Choice:
    """What an executable graph has of a conditional node.

    Attributes:
        condition: The condition.
        kind: How it follows that, CUgraphConditionalNodeType.
        default: The number that launches assign.
        assigned: Whether they do.
        bodies: What it does of each graph.
    """

    condition: Condition
    kind: int
    default: int
    assigned: bool
    bodies: tuple[Body, ...] = field(repr=False)

    def chosen(self) -> tuple[Body, ...]:
        """Return what is done where the condition has its default: one of them, or none."""
        place = self.default if self.kind == SWITCH else int(not self.default)
        return self.bodies[place : place + 1]

    @effect()
    def follow(self, condition: Condition) -> None:
        """Have later launches follow a condition, with what it has for a default."""
        self.condition, self.default, self.assigned = condition, condition.default, condition.assigned


@effect(makes="Condition")
def create(graph: Graph, context: Context, default: int, assigned: bool, stack: Stack) -> Condition:  # noqa: FBT001 - as Condition has it
    """Return a new condition of a graph; arguments as its attributes."""
    process = graph.process
    made = Condition(process.machine.territory.new_handle(), graph, context, default, assigned, created=stack)
    process.graphs[made.handle] = made
    graph.conditions[made] = None
    return made
