"""Branches of a graph: nodes without a path between them, and their memory uses.

A device may run such nodes at once. Here they run one after the other, so only this record shows that they share bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from fakecuda.model.graph.graph import EVENT_RECORD
from fakecuda.model.work.accesses import BESIDE, bytes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fakecuda.model.graph.executables import Body, Step
    from fakecuda.model.graph.graph import Node
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.accesses import Use


@frozen
class Position:
    """The position of a step among all steps of an executable graph. Each set of steps is a number with a bit per step.

    Attributes:
        bit: The step's own bit.
        before: The steps that come before it on some path.
        around: The steps of its body, with those of embedded bodies.
    """

    bit: int
    before: int
    around: int


@frozen
class Touch:
    """A range of memory that a node uses.

    Attributes:
        start: The offset of its first byte.
        end: The offset after its last byte.
        does: What the node does, a key of ``BESIDE`` or another word.
        bit: The bit of the node's step.
        node: The node.
        address: The address of the first byte that the node uses so.
    """

    start: int
    end: int
    does: str
    bit: int
    node: Node
    address: int


@frozen
class Shape:
    """The order of a body's steps, which is fixed for an executable graph.

    Attributes:
        kinds: The kinds of its steps, with those of embedded bodies.
        positions: The positions of its steps. None if its edges order all of them.
        records: Its steps that record events.
        row: Its steps branch by branch. Empty before the first launch with lanes.
    """

    kinds: frozenset[int]
    positions: Mapping[Step, Position] | None
    records: tuple[Step, ...]
    row: list[Step] = field(factory=list)


class Branches:
    """The memory that one launch of a graph has used so far.

    Args:
        positions: The positions of its steps.
    """

    __slots__ = ("_positions", "_seen", "_step", "_used")

    def __init__(self, positions: Mapping[Step, Position]) -> None:
        self._positions = positions
        self._used: dict[Any, list[Touch]] = {}
        self._seen = 0
        self._step: Step | None = None

    def enter(self, step: Step) -> None:
        """Note that a step begins; if it runs again, a loop iteration has ended."""
        position = self._positions[step]
        if self._seen & position.bit:
            self._seen &= ~position.around
            for place, touches in self._used.items():
                self._used[place] = [one for one in touches if not one.bit & position.around]
        self._seen |= position.bit
        self._step = step

    def conflict(self, process: Process, uses: Iterable[Use]) -> tuple[Touch, Touch] | None:
        """Note a memory use of the current step, and return a conflicting use.

        Returns:
            The use of another node that no path orders with this one, and the use that it conflicts with. None without
            a conflict.
        """
        step = self._step
        assert step is not None
        position = self._positions[step]
        memory = process.graph_memory
        for does, (address, size), pieces, rows in uses:
            planned = None if memory is None else memory.planned.at(address)
            # Nodes may share the physical memory of a graph, in the order in which they run here.
            parts: Any = pieces if planned is None else [(planned, address - planned.start, size)]
            for what, start, length in bytes_of(parts, rows):
                touch = Touch(start, start + length, does, position.bit, step.node, address)
                if other := self._note(what, touch, position.before):
                    return other, touch
        return None

    def _note(self, what: Any, touch: Touch, before: int) -> Touch | None:
        """Keep a memory use; return an earlier use that conflicts with it."""
        kept = []
        for other in self._used.get(what, ()):
            if other.start < touch.end and touch.start < other.end and other.bit != touch.bit:
                beside = BESIDE.get(touch.does, ())
                if not before & other.bit and other.does not in beside:
                    return other
                if not beside and touch.start <= other.start and other.end <= touch.end:
                    continue  # what conflicts with it conflicts with the new one, too
            kept.append(other)
        self._used[what] = [*kept, touch]
        return None


def shape_of(body: Body) -> Shape:
    """Return the shape of a body, which is computed once."""
    shape = body.shape
    if shape is None:
        found: dict[Step, Position] = {}
        _place(body, 0, found)
        is_chain = all(position.before == position.bit - 1 for position in found.values())
        kinds = frozenset(step.kind for step in body.every())
        records = tuple(step for step in found if step.kind == EVENT_RECORD)
        shape = body.shape = Shape(kinds, None if is_chain else found, records)
    return shape


def row_of(body: Body) -> list[Step]:
    """Return a body's steps branch by branch: behind a step the first one that it leads to, as nodes were added."""
    shape = shape_of(body)
    row, positions = shape.row, shape.positions or {}
    left = {} if row else {positions[step].bit: step for step in _added(body)}
    done = 0
    while left:
        able = [bit for bit, step in left.items() if not positions[step].before & ~done]
        last = positions[row[-1]].bit if row else 0
        bit = next((one for one in able if positions[left[one]].before & last), able[0])
        row.append(left.pop(bit))
        done |= bit
    return row


def _added(body: Body) -> Iterator[Step]:
    """Yield the steps in the order in which nodes were added, each followed by the steps of its embedded bodies."""
    for step in body.steps:
        yield step
        for part in step.embedded():
            yield from _added(part)


def branches_of(shape: Shape) -> Branches | None:
    """Return a record for a launch of a body; None if edges order all of its steps."""
    return None if shape.positions is None else Branches(shape.positions)


def _place(body: Body, above: int, found: dict[Step, Position]) -> int:
    """Find the positions of a body's steps.

    Args:
        body: The body.
        above: The steps that come before all of its steps.
        found: Takes the positions.

    Returns:
        The steps, with those of embedded bodies.
    """
    numbers = {step: number for number, step in enumerate(body.steps)}
    reached = [above] * len(body.steps)
    whole = 0
    for step in body.order:
        before = above
        for number, _ in step.after:
            before |= reached[number]
        bit = 1 << len(found)
        found[step] = Position(bit, before, 0)
        inside = bit
        for part in step.embedded():
            inside |= _place(part, before | bit, found)
        reached[numbers[step]] = before | inside
        whole |= inside
    for step in body.order:
        position = found[step]
        found[step] = Position(position.bit, position.before, whole)
    return whole
