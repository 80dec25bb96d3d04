"""Discards, against every interleaving: what they must not overlap with, and what stays behind them."""

from __future__ import annotations

from conformance.fuzz.ordered.loop import compared
from conformance.fuzz.ordered.program import NON_BLOCKING, SECOND, Actor
from tests.conformance.test_ordered import ONE, program
from tests.each import each

DISCARD = ("discard", "u", 0, 64)
DISCARDS = {
    "beside a copy to the memory": (program((0, "copy", "u", 0, "a", 0, 8), (1, *DISCARD)), True),
    "beside another discard": (program((0, *DISCARD), (1, *DISCARD)), False),
    "beside a copy of what another one discards": (
        program((0, *DISCARD), (0, "copy", "a", 0, "u", 0, 64), (1, *DISCARD)),
        True,
    ),
    "beside a write and a discard": (program((0, *DISCARD[:2], 31, 2), (0, "fill", "u", 63, 1), (1, *DISCARD)), True),
    "behind a discard, beside a copy before that": (
        program((0, "copy", "a", 0, "u", 0, 8), (0, *DISCARD), (1, *DISCARD)),
        True,
    ),
    "behind a discard, beside a write before that": (
        program((0, "fill", "u", 8, 8), (0, *DISCARD), (1, "discard", "u", 0, 32)),
        True,
    ),
    "before a write that comes after one of two": (
        program((0, "discard", "u", 0, 32), (1, *DISCARD), (1, "fill", "u", 0, 8)),
        True,
    ),
    "before a read that comes after one of two": (
        program((0, "discard", "u", 0, 32), (1, "discard", "u", 16, 32), (1, "copy", "a", 0, "u", 16, 8)),
        True,
    ),
    "before a write that comes after both": (
        program((0, *DISCARD), (1, *DISCARD), (0, "record", "x0"), (1, "wait", "x0"), (1, "fill", "u", 0, 8)),
        False,
    ),
    "twice, beside a copy after the first": (
        program((0, *DISCARD), (0, "copy", "a", 0, "u", 0, 8), (0, *DISCARD), (1, *DISCARD)),
        True,
    ),
    "twice, beside a write in between": (
        program((0, *DISCARD), (1, *DISCARD), (0, "fill", "u", 0, 8), (0, *DISCARD)),
        True,
    ),
    "twice, beside a write that comes before the second": (
        program((0, *DISCARD), (0, "fill", "u", 0, 8), (0, *DISCARD), (1, *DISCARD)),
        True,
    ),
    "beside a write of all that was discarded before": (
        program((0, *DISCARD), (0, "fill", "u", 0, 64), (1, *DISCARD)),
        True,
    ),
    "twice, around a write": (
        program((1, "fill", "b", 0, 8), (0, *DISCARD), (0, "fill", "u", 8, 8), (0, *DISCARD)),
        False,
    ),
    "twice, beside a read that comes after the first": (
        program((0, *DISCARD), (0, "record", "x0"), (1, "wait", "x0"), (1, "copy", "a", 0, "u", 1, 8), (0, *DISCARD)),
        True,
    ),
    "twice in turns": (program((0, *DISCARD), (1, *DISCARD), (0, *DISCARD), (1, *DISCARD)), False),
    "twice in turns, with the second waiting": (
        program((0, *DISCARD), (0, "record", "x0"), (1, "wait", "x0"), (1, *DISCARD), (0, *DISCARD)),
        False,
    ),
    "before the memory is freed": (
        program((0, *DISCARD), (0, "end", "u"), actors=(Actor(SECOND, NON_BLOCKING), ONE)),
        True,
    ),
    "beside a prefetch": (program((0, "prefetch", "u", 0, 64), (1, *DISCARD)), False),
    "beside the host": (program((0, *DISCARD), (1, "look", "u", 0, 1)), True),
    "that also prefetches": (program((0, "fill", "u", 0, 8), (1, "discard", "u", 0, 8)), True),
}


@each("name", DISCARDS)
def test_discards(name: str) -> None:
    """Reads and writes must not overlap with a discard, whatever else discards the memory. Other discards may."""
    one, reported = DISCARDS[name]
    assert not compared(one).difference
    assert compared(one).reported is reported
