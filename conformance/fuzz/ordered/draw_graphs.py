"""Random graphs, and the values and bytes that they share with steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, evolve

from conformance.fuzz.ordered.program import (
    DEVICE_FLAG,
    FIRST,
    HOST_FLAG,
    NON_BLOCKING,
    PITCH,
    SECOND_FLAG,
    Actor,
    Graph,
    Node,
    captured,
)
from conformance.fuzz.ordered.uses import WORD

if TYPE_CHECKING:
    from random import Random

RANGES = ((0, 64), (0, 32), (32, 32), (16, 32), (0, 8), (31, 2), (63, 1))
"""Offsets and sizes in bytes."""
ROWS = ((0, 8, 16, 4), (8, 8, 16, 4), (4, 8, 16, 4), (0, 16, 32, 2), (16, 16, 32, 2))
"""Offset, row size, pitch and number of rows."""
BOXES = tuple(one for one in ROWS if one[2] == PITCH)
KERNELS = 0.3
"""The probability that a memset node is a kernel."""
CONDITIONS = ("geq", "eq", "and")
GRAPHS = ("free", "free", "captured", "memory", "child", "events", "events", "conditions", "conditions")


def value_args(random: Random, what: str, actor: Actor) -> tuple[Any, ...]:
    """Return the arguments of a write of a value, a wait for one, a batch of two of these, a memset there, or a copy of it."""
    if what == "batch":
        return (tuple(value_args(random, random.choice(("write", "await")), actor) for _ in range(2)),)
    flag = random.choice((DEVICE_FLAG, DEVICE_FLAG, HOST_FLAG, SECOND_FLAG))
    if actor.process:
        flag = DEVICE_FLAG
    if what == "reset":
        return flag, random.choice((0, 0, 1))
    if what == "copy":
        return "b", 0, flag, 0, WORD
    number = random.choice((1, 1, 2, 3))
    return (flag, number) if what == "write" else (flag, number, random.choice(CONDITIONS))


def ordering_nodes(graphs: tuple[Graph, ...]) -> list[tuple[int, str, str]]:
    """Return event nodes of graphs: the graph, the kind, and memory of the graph."""
    return [
        (number, node.what, other.args[0])
        for number, graph in enumerate(graphs)
        for node in graph.nodes
        for other in graph.nodes
        if node.what in {"record", "wait"} and other.what in {"fill", "kernel"}
    ]


@define(eq=False)
class Graphs:
    """Graphs that are drawn.

    Args:
        random: What draws.
        palette: Which memory the program uses.
    """

    random: Random
    palette: tuple[str, ...]
    _rare: str = "call"

    def graph(self) -> Graph:
        """Return a graph."""
        kind = self.random.choice(GRAPHS)
        if kind == "captured":
            return self._captured()
        if kind == "conditions":
            return self._conditions()
        if kind == "memory":
            used = self.random.choice(((0,), (0,), ()))
            ends = self.random.choice(((0, 1), (0, 1), (0,)))
            return Graph((Node("allocate", ()), Node("fill", ("own", 0, 64), used), Node("release", (), ends)))
        nodes: list[Node] = []
        self._rare = self.random.choice(("call", "write", "await"))
        for number in range(self.random.choice((2, 3))):
            after = tuple(one for one in range(number) if self.random.random() < 0.5)
            nodes.append(self._node(kind, after))
        if kind == "child":
            inner = tuple(
                self._node("free", (0,) if number and self.random.random() < 0.5 else ()) for number in range(2)
            )
            nodes[self.random.randrange(len(nodes))] = Node("child", (inner,), ())
            nodes = [
                Node(node.what, node.args, node.after if node.what != "child" else tuple(range(number))[:1])
                for number, node in enumerate(nodes)
            ]
        return Graph(tuple(nodes))

    def _node(self, kind: str, after: tuple[int, ...]) -> Node:
        buffers = [one for one in self.palette if one in {"a", "b"}] or ["a"]
        what = "fill"
        if kind == "events":
            what = self.random.choice(("fill", "fill", "record", "wait", self._rare))
            if what == self._rare:
                self._rare = "fill"
        elif self.random.random() < 0.3:
            what = self.random.choice(("copy", "rows"))
        if what in {"record", "wait"}:
            return Node(what, ("x0",), after)
        if what in {"write", "await"}:
            return Node(what, value_args(self.random, what, Actor(FIRST, NON_BLOCKING)), after)
        if what == "call":
            return Node(what, (), after)
        if what == "rows":
            return Node(what, (self.random.choice(buffers), *self.random.choice(ROWS)), after)
        first, count = self.random.choice(RANGES)
        if what == "copy":
            pair = self.random.choice(
                (("a", "b"), ("b", "a"), ("r", "a"), ("a", "r"))[: 4 if "r" in self.palette else 2]
            )
            return Node(what, (pair[0], first, pair[1], first, count), after)
        what = "kernel" if self.random.random() < KERNELS else what
        return Node(what, (self.random.choice(buffers), first, count), after)

    def _conditions(self) -> Graph:
        """Return a graph with a conditional node, maybe with a kernel that sets it."""
        kind, value = self.random.choice(
            (("if", 0), ("if", 1), ("while", 1), ("while", 1), ("switch", 1), ("switch", 2))
        )
        nodes = [self._node("free", ())]
        setter = kind != "while" and self.random.random() < 0.4
        if setter:
            nodes.append(Node("set", (self.random.choice((0, 1)),), self._some(1)))
        bodies = [self._body(kind) for _ in range(1 if kind == "while" else 2)]
        after = (*self._some(1), 1) if setter else self._some(1)
        nodes.append(Node("choose", (kind, value, tuple(bodies)), after))
        if self.random.random() < 0.6:
            nodes.append(self._node("free", self._some(len(nodes))))
        return Graph(tuple(nodes))

    def _body(self, kind: str) -> tuple[Node, ...]:
        """Return the nodes of a body; a loop's body ends with a kernel that may end it."""
        nodes = [self._node("free", self._some(number)) for number in range(self.random.choice((1, 2)))]
        if kind == "while":
            if self.random.random() < 0.4:  # what a turn does last meets what the next one does first
                nodes.append(evolve(nodes[0], after=(0,)))
            nodes.append(Node("turn", (self.random.choice((1, 2, 2)),), self._some(len(nodes))))
        return tuple(nodes)

    def _some(self, count: int) -> tuple[int, ...]:
        """Return some of the first numbers."""
        return tuple(number for number in range(count) if self.random.random() < 0.5)

    def _captured(self) -> Graph:
        def fill(stream: int) -> tuple[Any, ...]:
            return ("fill", stream, (self.random.choice(("a", "b")), *self.random.choice(RANGES)))

        capture: list[tuple[Any, ...]] = [fill(0)] if self.random.random() < 0.7 else []
        capture += [("fork", 0), fill(1)]
        if self.random.random() < 0.6:
            capture.append(fill(0))
        if self.random.random() < 0.4:
            capture.append(fill(1))
        capture.append(("fork", 1))
        if self.random.random() < 0.4:
            capture.append(fill(0))
        return Graph(captured(tuple(capture)), tuple(capture))
