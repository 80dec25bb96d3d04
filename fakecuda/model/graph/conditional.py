"""Conditions of graphs, and nodes that do some of their graphs, or none, as a condition has it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from attrs import define, evolve, field

from fakecuda.errors import FakeCudaError
from fakecuda.model import history
from fakecuda.model.effect import effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.context import Context
    from fakecuda.model.graph.graph import Body, Graph, Node
    from fakecuda.model.history import Stack

IF, WHILE, SWITCH = range(3)
"""CUgraphConditionalNodeType."""
TURNS = 1 << 16
"""How often the graph of a loop is launched at most."""


@define(eq=False)
class Condition(history.Lifetime):
    """A condition of a graph: a number that a launch begins with.

    Attributes:
        handle: The CUgraphConditionalHandle: which of its graph's it is, those of graphs around and inside that counted in.
        graph: The graph that it was made for.
        context: The context of those who may set it, and of its node.
        default: The number that launches assign.
        assigned: Whether they do.
        node: The node that follows it; None before there is one.
        value: The number that it has: 0 before launches and kernels say one; None where a kernel of an earlier launch has, and
            this one has not.
        was_set: Whether a kernel has ever set it.
    """

    handle: int
    graph: Graph = field(repr=False)
    context: Context
    default: int
    assigned: bool
    node: Node | None = field(default=None, repr=False)
    value: int | None = 0
    was_set: bool = False

    def set(self, value: int) -> None:
        """Give it a number, as a kernel does."""
        self.value, self.was_set = value, True

    @effect()
    def assign(self, value: int | None) -> None:
        """Give it a number, or none."""
        self.value = value

    def __repr__(self) -> str:
        return f"condition {self.handle} of {self.graph}"


Conditions = Mapping[int, Condition]
"""Conditions by their handles."""
NO_CONDITIONS: Conditions = MappingProxyType({})


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

    def of(self, value: int) -> tuple[Body, ...]:
        """Return what is done where the condition has a number: one of them, or none."""
        place = value if self.kind == SWITCH else int(not value)
        return self.bodies[place : place + 1]

    def chosen(self) -> Iterator[Body]:
        """Yield what is done, as the condition is when a launch comes to it, and of a loop after each turn.

        Raises:
            FakeCudaError: Nobody has said how the condition is, or the loop does not end.
        """
        if self.condition.value is None:
            msg = f"a launch has come to {self.condition.node}, and nobody has said what {self.condition} is"
            raise FakeCudaError(msg)
        if self.kind != WHILE:
            yield from self.of(self.condition.value)
            return
        for _ in range(TURNS):
            if not self.condition.value:
                return
            yield self.bodies[0]
        msg = f"the loop of {self.condition.node} has run {TURNS} times: no kernel sets {self.condition} to 0"
        raise FakeCudaError(msg)

    def kept(self) -> Choice:
        """Return it as it is now, for a launch that comes to it later."""
        return evolve(self, bodies=tuple(body.kept() for body in self.bodies))

    @effect()
    def follow(self, condition: Condition) -> None:
        """Have later launches follow a condition, with what it has for a default."""
        self.condition, self.default, self.assigned = condition, condition.default, condition.assigned


@effect(makes="Condition")
def create(graph: Graph, context: Context, default: int, assigned: bool, stack: Stack) -> Condition:  # noqa: FBT001 - as Condition has it
    """Return a new condition of a graph; arguments as its attributes."""
    own = graph.around()[-1].conditions
    made = Condition(len(own) + 1, graph, context, default, assigned, created=stack)
    own[made.handle] = made
    return made
