"""Shared parts of swept programs, and the results of a sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fakecuda import Machine, Sweep
    from fakecuda.reach.bindings.c import CLevel

GRANULE = 2 << 20
PINNED = (1, 0, (1, 0), 0, (0, 0, 0))


class CallError(Exception):
    """A call of the driver has failed."""


def done(answer: tuple[Any, ...]) -> Any:
    """Return the result of a call that must succeed."""
    code, *results = answer
    if code:
        raise CallError(code)
    return results[0] if results else None


def started(machine: Machine) -> CLevel:
    """Return the calls of a process that has a driver."""
    c = machine.here.c
    done(c.cuInit(0))
    return c


def kinds(found: Sweep) -> dict[tuple[str, int, str], list[str]]:
    """Return the kinds of what is wrong, by call, number and code."""
    return {(one.call, one.nth, one.code.name): [text.split("  ")[0] for text in one.noticed] for one in found.found}
