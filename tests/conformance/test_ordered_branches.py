"""Nodes beside each other that record one event: programs whose interleavings and whose first report are known."""

from __future__ import annotations

from conformance.fuzz.ordered.loop import compared
from conformance.fuzz.ordered.program import FIRST, NON_BLOCKING, Actor, Graph, Node, Program, Step
from conformance.fuzz.ordered.run import ran
from tests.each import each

FILL = ("b", 0, 8)
FILLS, RECORDS, WAITS = Node("fill", FILL), Node("record", ("x0",)), Node("wait", ("x0",))
AWAITS = Node("await", ("f", 1, "eq"))
LAUNCHED, AWAITED, FILLED = Step("launch", 0, (0,)), Step("wait", 1, ("x0",)), Step("fill", 1, FILL)
BEFORE = (Step("fill", 1, FILL), Step("record", 1, ("x0",)))


def behind(node: Node, *after: int) -> Node:
    """Return a node behind others."""
    return Node(node.what, node.args, after)


PROGRAMS = {
    "one behind the other": ((FILLS, behind(RECORDS, 0), behind(RECORDS, 1)), (LAUNCHED, AWAITED, FILLED), None),
    "the last one made is behind": ((RECORDS, FILLS, behind(RECORDS, 1)), (LAUNCHED, AWAITED, FILLED), (0, 2)),
    "the last one made is beside": ((FILLS, behind(RECORDS, 0), RECORDS), (LAUNCHED, AWAITED, FILLED), (0, 2)),
    "both are behind": ((FILLS, behind(RECORDS, 0), behind(RECORDS, 0)), (LAUNCHED, AWAITED, FILLED), None),
    "the host waits": (
        (FILLS, behind(RECORDS, 0), RECORDS),
        (LAUNCHED, Step("event_sync", 1, ("x0",)), FILLED),
        (0, 2),
    ),
    "a later record alone": (
        (FILLS, behind(RECORDS, 0)),
        (LAUNCHED, Step("record", 2, ("x0",)), AWAITED, FILLED),
        (0, 3),
    ),
    "an earlier record alone": (
        (FILLS, behind(RECORDS, 0)),
        (Step("record", 2, ("x0",)), LAUNCHED, AWAITED, FILLED),
        None,
    ),
    "a wait behind": ((RECORDS, behind(WAITS, 0), behind(FILLS, 1)), (*BEFORE, LAUNCHED), (0, 2)),
    "a wait before": ((WAITS, behind(RECORDS, 0), behind(FILLS, 0)), (*BEFORE, LAUNCHED), None),
    "a wait beside": ((WAITS, RECORDS, behind(FILLS, 0)), (*BEFORE, LAUNCHED), (0, 2)),
    "a wait that may not end": (
        (AWAITS, behind(RECORDS, 0), RECORDS),
        (LAUNCHED, Step("event_sync", 1, ("x0",))),
        None,
    ),
    "an unknown order": (
        (FILLS, AWAITS, behind(RECORDS, 0, 1), RECORDS),
        (LAUNCHED, AWAITED, FILLED),
        None,
    ),
}
"""For each program: nodes of the graph, steps, and the first reported pair."""


@each("name", PROGRAMS)
def test_records_of_branches(name: str) -> None:
    """Each record that may be the last one counts."""
    nodes, steps, reported = PROGRAMS[name]
    actors = (Actor(FIRST, NON_BLOCKING),) * 3
    for manual in (False, True):
        program = Program(actors, steps, (Graph(nodes),), manual)
        assert not compared(program).difference
        report = ran(program).report
        assert (report and (report.earlier, report.step)) == reported
