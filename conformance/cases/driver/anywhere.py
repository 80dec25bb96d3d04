"""Cases of calls in forks of a process and in host functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from conformance.kit.program import FORKED, INSIDE

if TYPE_CHECKING:
    from conformance.kit.case import Entry
    from conformance.kit.world import Invocation, World


def forked(_w: World, i: Invocation) -> Invocation:
    """Make the call in a fork."""
    return evolve(i, thread=FORKED)


def inside(_w: World, i: Invocation) -> Invocation:
    """Make the call in a host function that a stream calls."""
    return evolve(i, thread=INSIDE)


def anywhere(entry: Entry, rule: str = "") -> None:
    """Add the cases of a call in a fork and in a host function."""
    entry.without("forked", "inside_function")
    entry.also("in a fork", rule=rule)(forked)
    entry.also("in a function of the host", rule=rule)(inside)
