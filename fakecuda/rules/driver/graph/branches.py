"""Findings about nodes of one graph that use the same bytes without an order: see docs/races.md."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from fakecuda.model.graph import graph_launches, lanes
from fakecuda.model.graph.branches import branches_of, row_of, shape_of
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
from fakecuda.model.work.accesses import ALLOCATES, POLLS, UPDATES
from fakecuda.rules.core import TOGETHER, Broken, Rule, guard, undefined
from fakecuda.rules.driver.copy.memset import use_of_rows
from fakecuda.rules.driver.copy.plan import uses_of
from fakecuda.rules.driver.graph.params import plan_of, rows_of
from fakecuda.rules.driver.stream import race, value_races
from fakecuda.rules.driver.stream.order import piece_of, used
from fakecuda.rules.driver.stream.stream_batch_mem_op import steps
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fakecuda.model.call import Call
    from fakecuda.model.graph.branches import Branches
    from fakecuda.model.graph.executables import Executable, Step
    from fakecuda.model.graph.lanes import Lanes
    from fakecuda.model.work.accesses import Use
    from fakecuda.model.work.batch import Batch
    from fakecuda.model.work.stream import Stream

FORESEEN = frozenset((EMPTY, MEMSET, MEMCPY, KERNEL, CHILD, EVENT_RECORD))
"""Kinds of nodes that change neither the order of later nodes nor memory objects."""
ORDERING = frozenset((EVENT_RECORD, WAIT_EVENT, BATCH_MEM_OP, HOST))
"""Kinds of nodes that order work of other streams, or wait for such work."""
FREES = "frees"
"""The use of memory by a free node."""

BRANCHES_ARE_ORDERED = Rule(
    "a path of edges connects two nodes of a graph that use the same bytes, if one of them writes or frees them",
    Result.SUCCESS,
    undefined(
        "cuGraphAddDependencies",
        "the manual says nothing about nodes without a path between them: a device may run them at the "
        "same time or in any order",
    ),
    fix="add an edge with cuGraphAddDependencies; in a capture, let the later stream wait for an event of the earlier one",
)

TOGETHER.append(BRANCHES_ARE_ORDERED)


@guard
def foreseen(call: Call, stream: Stream, executable: Executable) -> tuple[Call, Branches | None]:
    """Check a graph's memsets and copies for races before its launch acts.

    A launch finds by itself what kernels use, and what depends on its conditions, waits and allocations.

    Args:
        call: The call. One through C goes on in any case.
        stream: The stream.
        executable: The graph.

    Returns:
        The call for the launch, which does not repeat these findings, and the record for the nodes that it has to judge.
    """
    races, body = call.machine.races, executable.body
    if races is None:
        return call, None
    shape = shape_of(body)
    record = branches_of(shape)
    is_alone = len(races.streams) == (stream in races.streams)
    if call.native or (is_alone and record is None) or not shape.kinds <= FORESEEN:
        return call, record
    graph_launches.follow_launch_in_order(executable, stream)
    order = None if is_alone else races.step(stream)
    if order is not None and not races.sure(stream, order):
        order = None
    call = call.after(executable)
    for step in body.chosen():
        uses = _uses(call, stream, step)
        if record is not None:
            record.enter(step)
            checked(call, record, uses)
        if order is not None:
            race.foreseen(call, stream, uses, order)
    return call, branches_of(shape) if KERNEL in shape.kinds else None


def lanes_of(call: Call, stream: Stream, executable: Executable) -> Lanes | None:
    """Return the lanes of a launch, if its graph has branches and nodes that wait, or order other work."""
    races = call.machine.races
    shape = shape_of(executable.body)
    positions = shape.positions
    if positions is None or CONDITIONAL in shape.kinds or shape.kinds.isdisjoint(ORDERING):
        return None
    if len(positions) > lanes.MOST or (races is not None and len(races.streams) > lanes.MOST_STREAMS):
        return None
    return lanes.Lanes(races, stream, positions, shape.records)


def in_lanes(executable: Executable) -> Iterator[Step]:
    """Yield the steps of a launch that has lanes, branch by branch."""
    chosen = set(executable.body.chosen())
    return (step for step in row_of(executable.body) if step in chosen)


@guard
@orders.makes(orders.NODE)
def given(call: Call, stream: Stream, step: Step, branches: Branches) -> None:
    """Check the memory that a node uses for races, before its stream gets the work.

    The memory of a kernel is known when its function has run.
    """
    branches.enter(step)
    checked(call, branches, _uses(call, stream, step))


def checked(call: Call, branches: Branches, uses: Iterable[Use]) -> None:
    """Check a node's memory uses for races."""
    found = branches.conflict(call.process, uses)
    if found is None:
        return
    earlier, later = found
    call.undefined(
        BRANCHES_ARE_ORDERED,
        node=earlier.node,
        other=later.node,
        memory=call.process.memory.at(later.address),
        earlier=f"{earlier.node} {earlier.does} {earlier.address:#x}",
        later=f"{later.node} {later.does} {later.address:#x}",
        missing="a path of edges between the two nodes",
    )


def _uses(call: Call, stream: Stream, step: Step) -> tuple[Use, ...]:
    """Return the memory uses of a node, if they are known before it runs."""
    what = step.params
    if step.kind in {MEM_ALLOC, MEM_FREE}:
        return ((ALLOCATES if step.kind == MEM_ALLOC else FREES, (what.start, what.size), [], None),)
    if step.kind == BATCH_MEM_OP:
        return _uses_of_batch(call, what)
    if step.kind not in {MEMSET, MEMCPY}:
        return ()
    context = what[1] or stream.context
    try:
        if step.kind == MEMCPY:
            return uses_of(plan_of(call, what, context))
        dst, pitch, _, size, width, height = what[0]
        return (use_of_rows(rows_of(call, what, context), dst, pitch, size, width, height),)
    except Broken:  # the launch finds out that the memory is gone
        return ()


def _uses_of_batch(call: Call, what: Batch) -> tuple[Use, ...]:
    """Return which values a batch memory operation node writes and waits for."""
    found: list[Use] = []
    with suppress(Broken):  # the launch finds out that the memory is gone
        for _, ready, place, _ in steps(call, what.context, what.operations):
            for item in used(call, [place])[:1]:
                found += value_races.use_of_value(place, piece_of(item, place), POLLS if ready else UPDATES)
    return tuple(found)
