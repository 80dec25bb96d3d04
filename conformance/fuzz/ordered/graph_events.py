"""Events that nodes of a launch record or wait for.

Nodes beside each other run in any order: each of them may be the last one to record an event, and a node that waits for the
event may come before or after a node beside it that records it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.fuzz.ordered.executor import Operation, closed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.fuzz.ordered.program import Node


def order_events(
    operations: list[Operation], events: Sequence[tuple[Node, Operation]], records: dict[str, int]
) -> None:
    """Order nodes that wait for events, and later waits for events that nodes record.

    Args:
        operations: All operations; takes one for each event that several nodes may record last.
        events: The nodes that record events or wait for them, with their operations, which come after the nodes before them.
        records: The last record of each event before the launch; takes those of the launch.
    """
    before = {one.bit: closed(operations, one.bit) for _, one in events}
    own: dict[str, list[int]] = {}
    for node, one in events:
        if node.what == "record":
            own.setdefault(node.args[0], []).append(one.bit)
    for node, one in events:
        recorded = own.get(node.args[0], [])
        if node.what == "wait" and not any(bit & before[one.bit] for bit in recorded):
            beside = (bit for bit in recorded if not before[bit] & one.bit)
            one.either = (records.get(node.args[0], 0), *beside)
    for name, recorded in own.items():
        last = [bit for bit in recorded if not any(bit & before[other] for other in recorded if other != bit)]
        records[name] = last[0]
        if len(last) > 1:
            either = Operation(1 << len(operations), events[0][1].step, 0, either=tuple(last))
            operations.append(either)
            records[name] = either.bit
