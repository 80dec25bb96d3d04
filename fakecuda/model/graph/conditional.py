"""Conditions of graphs, and the conditional nodes that read them.

A conditional node runs one of its graphs or none.
"""

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
    from fakecuda.model.graph.executables import Body
    from fakecuda.model.graph.graph import Graph, Node
    from fakecuda.model.history import Stack

IF, WHILE, SWITCH = range(3)
"""CUgraphConditionalNodeType."""
TURNS = 1 << 16
"""The maximum iterations of a while node."""


@define(eq=False)
class Condition(history.Lifetime):
    """A condition of a graph: a number that kernels set and a conditional node reads.

    Attributes:
        handle: The CUgraphConditionalHandle: its number among the conditions of the outermost graph and all graphs in
            it.
        graph: The graph that it was made for.
        context: The context of the kernels that may set it, and of its node.
        default: The value that launches assign.
        assigned: Whether launches assign it.
        node: The node that reads it. None before such a node is added.
        value: Its value. None if a kernel of the present launch is to set it and has not yet.
    """

    handle: int
    graph: Graph = field(repr=False)
    context: Context
    default: int
    assigned: bool
    node: Node | None = field(default=None, repr=False)
    value: int | None = 0

    def set(self, value: int) -> None:
        """Set the value, as a kernel does."""
        self.value = value

    @effect()
    def assign(self, value: int | None) -> None:
        """Set the value at the beginning of a launch; None if it is unknown."""
        self.value = value

    def __repr__(self) -> str:
        return f"condition {self.handle} of {self.graph}"


Conditions = Mapping[int, Condition]
"""Conditions by handle."""
NO_CONDITIONS: Conditions = MappingProxyType({})


@define(eq=False)
class Branches:
    """The parameters of a conditional node.

    Attributes:
        condition: The condition.
        kind: Its CUgraphConditionalNodeType.
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
    """A conditional node of an executable graph.

    Attributes:
        condition: The condition.
        kind: Its CUgraphConditionalNodeType.
        default: The value that launches assign.
        assigned: Whether launches assign it.
        bodies: The steps of each of its graphs.
    """

    condition: Condition
    kind: int
    default: int
    assigned: bool
    bodies: tuple[Body, ...] = field(repr=False)

    def of(self, value: int) -> tuple[Body, ...]:
        """Return the bodies that run for a value of the condition.

        Empty if none runs.
        """
        place = value if self.kind == SWITCH else int(not value)
        return self.bodies[place : place + 1]

    def chosen(self) -> Iterator[Body]:
        """Yield the bodies that run, by the value of the condition at that time.

        For a loop, one for each iteration.

        Raises:
            FakeCudaError: The value of the condition is unknown, or the loop does not end.
        """
        if self.condition.value is None:
            msg = (
                f"{self.condition.node} reads {self.condition}, but no kernel of this launch has set it: call "
                "fakecuda.set_condition() in a kernel before this node, or create the condition with "
                "CU_GRAPH_COND_ASSIGN_DEFAULT"
            )
            raise FakeCudaError(msg)
        if self.kind != WHILE:
            yield from self.of(self.condition.value)
            return
        for _ in range(TURNS):
            if not self.condition.value:
                return
            yield self.bodies[0]
        msg = (
            f"the while loop of {self.condition.node} has run {TURNS} times, because no kernel has set "
            f"{self.condition} to 0: set it to 0 in a kernel of the loop"
        )
        raise FakeCudaError(msg)

    @effect()
    def begin(self, *, waits: bool) -> None:
        """Begin a launch: assign the default value, or make the value unknown if a kernel is to set it.

        A condition that nothing gives a value reads as 0, as on a device whose earlier launches have ended.

        Args:
            waits: Whether a kernel of the launch may set the condition.
        """
        left = None if waits else 0
        self.condition.assign(self.default if self.assigned else left)

    def kept(self) -> Choice:
        """Return a copy of the present state, for a launch that runs later."""
        return evolve(self, bodies=tuple(body.kept() for body in self.bodies))

    @effect()
    def follow(self, condition: Condition) -> None:
        """Make a condition readable for later launches, with its default."""
        self.condition, self.default, self.assigned = condition, condition.default, condition.assigned


@effect(makes="Condition")
def create(graph: Graph, context: Context, default: int, assigned: bool, stack: Stack) -> Condition:  # noqa: FBT001 - as Condition has it
    """Create a condition of a graph; the arguments are its attributes."""
    own = graph.around()[-1].conditions
    made = Condition(len(own) + 1, graph, context, default, assigned, created=stack)
    own[made.handle] = made
    return made
