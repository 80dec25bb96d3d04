"""Drawn programs that have shown a mistake of the detector, as small as they became."""

from __future__ import annotations

import attrs

from conformance.fuzz.ordered.loop import compared
from conformance.fuzz.ordered.program import BLOCKING, FIRST, LEGACY, PER_THREAD, Actor, Graph, Node
from tests.conformance.test_ordered import ONE, TWO, program
from tests.each import each

LAUNCHED = Graph((Node("wait", ("x0",)), Node("fill", ("b", 0, 32)), Node("write", ("g", 1), (0,))))
"""One of its branches writes a value that the host can see, and the other one fills memory."""
READ = ("copy", "b", 0, "g", 0, 4)
AGAIN = {
    "a copy twice from page-locked memory, beside a wait": (
        attrs.evolve(program((0, *READ), (1, "await", "e", 2, "eq"), (0, *READ)), strict=True),
        False,
    ),
    "a copy from plain memory behind a wait": (
        attrs.evolve(
            program(
                *((0, "fill", "a", 0, 8), (0, "write", "f", 2), (1, "await", "f", 2, "eq"), (1, "put_now", "a", 0, 32)),
                actors=(ONE, Actor(FIRST, BLOCKING)),
                manual=True,
            ),
            strict=True,
        ),
        False,
    ),
    "a value that is written again beside a copy of it": (
        program(
            (1, "write", "f", 1), (1, "copy", "b", 0, "f", 0, 4), (0, "await", "f", 1, "geq"), (0, "write", "f", 2)
        ),
        True,
    ),
    "a value that the host sees, and a node beside it": (
        attrs.evolve(
            program(
                *((0, "fill", "b", 31, 2), (0, "record", "x0"), (1, "launch", 0)),
                actors=(Actor(FIRST, BLOCKING), Actor(FIRST, PER_THREAD)),
            ),
            graphs=(LAUNCHED,),
        ),
        True,
    ),
    "a value that the host sees, and later work": (
        attrs.evolve(
            program((0, "fill", "b", 63, 1), (0, "record", "x0"), (1, "launch", 0), (1, "fill", "b", 63, 1)),
            graphs=(LAUNCHED,),
        ),
        False,
    ),
    "an attribute that is set behind a later wait": (
        program(
            *((2, "fill_now", "a", 48, 8), (0, "fill", "a", 0, 32), (0, "record", "x1"), (0, "context_wait", "x1")),
            *((1, "say", "a"), (1, "copy", "b", 0, "a", 16, 32)),  # its source is read during the call
            actors=(ONE, TWO, Actor(FIRST, LEGACY)),
        ),
        True,
    ),
    "an attribute that is set behind an earlier wait": (
        program(
            *((0, "fill", "a", 0, 8), (0, "record", "x1"), (2, "wait", "x1"), (2, "fill_now", "a", 16, 8)),
            *((1, "say", "a"), (1, "fill", "a", 0, 8)),
            actors=(ONE, TWO, Actor(FIRST, LEGACY)),
        ),
        False,
    ),
    "a wait in a thread's own stream, and work in another thread's": (
        program(
            *((0, "fill", "a", 0, 8), (1, "write", "g", 1), (1, "await", "g", 1, "eq"), (1, "fill", "a", 0, 8)),
            actors=(Actor(FIRST, PER_THREAD, 1), Actor(FIRST, PER_THREAD)),
            manual=True,
        ),
        False,
    ),
    "a wait of a branch in a thread's own stream": (
        attrs.evolve(
            program((0, "launch", 0), (0, "fill", "b", 0, 8), (0, "sync"), actors=(Actor(FIRST, PER_THREAD), TWO)),
            graphs=(Graph((Node("await", ("f", 1, "eq")), Node("fill", ("a", 0, 8)))),),
        ),
        False,
    ),
}
"""For each mistake a program, and whether it has a report."""


@each("name", AGAIN)
def test_programs_that_differed(name: str) -> None:
    """The first report agrees with all interleavings."""
    one, reported = AGAIN[name]
    again = compared(one)
    assert not again.difference
    assert again.reported is reported
