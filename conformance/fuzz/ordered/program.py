"""Programs of few steps: who calls, in which stream, and what. A program is plain data, so its text repeats it."""

from __future__ import annotations

from typing import Any

from attrs import frozen

NON_BLOCKING, BLOCKING, LEGACY, PER_THREAD = "non-blocking", "blocking", "legacy", "per-thread"
"""The kinds of streams."""
FIRST, SECOND, OTHER = range(3)
"""The contexts: two of process a on one device, and one of process b."""
ARRAYS = ("r", "t", "q")
"""Arrays: two of one dimension, and one of rows of :data:`PITCH` bytes. ``t`` is a level of a mipmapped array.

Other memory: ``a`` and ``b`` are allocations, ``c`` is one of the second context, ``h`` is page-locked, ``w`` is registered,
``u`` is managed, ``m`` and ``n`` are mappings of one handle, ``v`` is a module's variable, and ``d`` is an allocation of
process b, which has an IPC mapping of ``a``. Names of pool memory are ``s`` and a number.
"""
HOSTED = ("h", "u")
"""Memory that the host accesses."""
OF_HOST = ("h", "w")
"""Host memory that the driver knows."""
LOOKS = ("look", "touch")
"""Steps without a call: the host reads or writes a byte."""
PLAIN = "plain"
"""Host memory that is not page-locked. Copies write its first bytes, and read them at the call if they go to a device."""
HOST_POOL = "host pool"
"""Memory of a host pool that grants the device no access. Copies write its first bytes."""
PITCH = 16
"""Bytes of a row of the array with rows."""
ONE_MEMORY = {"n": "m"}
"""A mapping, and another mapping of the same memory."""
SIZE = 64
"""Bytes of a buffer."""
DEVICE_FLAG, HOST_FLAG, SECOND_FLAG = "f", "g", "e"
"""The places of values that streams wait for: device memory, page-locked memory, and device memory again."""


@frozen
class Actor:
    """A host thread with a context, and the stream that it uses.

    Attributes:
        context: ``FIRST``, ``SECOND`` or ``OTHER``.
        kind: The kind of its stream.
        thread: Which thread of the context it is.
    """

    context: int
    kind: str
    thread: int = 0

    @property
    def process(self) -> int:
        """The process: 0 for a, 1 for b."""
        return int(self.context == OTHER)


@frozen
class Step:
    """A call.

    Attributes:
        what: What is called; :mod:`conformance.fuzz.ordered.manual` has the names.
        actor: Which actor calls.
        args: What it passes.
    """

    what: str
    actor: int
    args: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"{self.actor}.{self.what}({', '.join(map(repr, self.args))})"


@frozen
class Node:
    """A node of a graph.

    Attributes:
        what: What it does: a step without a stream, ``child``, ``choose`` (a conditional node), ``set`` (a kernel that
            sets the condition) or ``turn`` (a kernel that ends a loop after its turns).
        args: The arguments of that. For a child, its nodes. For a conditional node its kind, the value that launches assign,
            and the nodes of each body; for the kernels a value or the number of turns.
        after: The indices of earlier nodes that an edge leads from.
    """

    what: str
    args: tuple[Any, ...]
    after: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.what}({', '.join(map(str, self.args))}) after {list(self.after)}"


@frozen
class Graph:
    """An executable graph.

    Attributes:
        nodes: Its nodes, the earlier ones first.
        capture: How two captured streams made it. Empty if calls added its nodes.
    """

    nodes: tuple[Node, ...]
    capture: tuple[tuple[Any, ...], ...] = ()

    def __str__(self) -> str:
        how = f", captured by {self.capture}" if self.capture else ""
        return f"graph of {'; '.join(map(str, self.nodes))}{how}"


@frozen
class Program:
    """A program: its steps are made one after the other, by any actor.

    Attributes:
        actors: Who calls.
        steps: The calls.
        graphs: Executable graphs that exist before the first step.
        manual: Whether streams do their work only when a call waits for it.
        from_ptx: Whether kernels run from their PTX, and not as Python functions.
        strict: Whether race detection takes only the orders that the manual promises.
        synchronous: Whether calls without a stream wait for their work in the second context.
    """

    actors: tuple[Actor, ...]
    steps: tuple[Step, ...]
    graphs: tuple[Graph, ...] = ()
    manual: bool = False
    from_ptx: bool = False
    strict: bool = False
    synchronous: bool = False

    def __str__(self) -> str:
        lines = [f"actor {number}: {actor}" for number, actor in enumerate(self.actors)]
        lines += [f"graph {number}: {graph}" for number, graph in enumerate(self.graphs)]
        lines += [f"{number}: {step}" for number, step in enumerate(self.steps)]
        how = "with manual completion" if self.manual else "with eager completion"
        how += ", kernels from PTX" if self.from_ptx else ""
        how += ", a synchronous second context" if self.synchronous else ""
        return "\n".join([*lines, f"{how}, by the manual's word" if self.strict else how])


def chosen(nodes: tuple[Node, ...], place: int) -> tuple[tuple[Node, ...], ...]:
    """Return the bodies that a conditional node runs, one after the other.

    Args:
        nodes: The nodes of the graph.
        place: The place of the conditional node among them.
    """
    kind, value, bodies = nodes[place].args
    for one in nodes[place].after:
        if nodes[one].what == "set":
            (value,) = nodes[one].args
    if kind == "switch":
        return tuple(bodies[value : value + 1])
    if kind == "if":
        return tuple(bodies[not value : 1 + (not value)])
    (turns,) = bodies[0][-1].args
    return (bodies[0],) * turns if value else ()


def captured(capture: tuple[tuple[Any, ...], ...]) -> tuple[Node, ...]:
    """Return the nodes that a capture makes.

    Args:
        capture: What happens, in order: ``("fill", stream, args)`` gives work to one of two streams,
            ``("fork", stream)`` has the other stream wait for an event of a stream.
    """
    nodes: list[Node] = []
    last: dict[int, tuple[int, ...]] = {0: ()}
    for what, stream, *args in capture:
        if what == "fork":
            other = 1 - stream
            last[other] = tuple(sorted({*last.get(other, ()), *last[stream]}))
        else:
            nodes.append(Node("fill", args[0], last[stream]))
            last[stream] = (len(nodes) - 1,)
    return tuple(nodes)
