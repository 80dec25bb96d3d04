"""Readings of a program's calls where the manual is open, and seen results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import field, frozen

from conformance.fuzz.ordered.program import LEGACY, PER_THREAD

if TYPE_CHECKING:
    from conformance.fuzz.ordered.program import Program

    Stream = tuple[str, int, int]
    """A stream: its kind, its context, and its number in the context."""

DONE, NOT_READY, REFUSED = "done", "not ready", "refused"
"""Results of calls."""


@frozen
class Reading:
    """How a program's calls are read where the manual leaves it open; docs/races.md says so for each.

    Attributes:
        frees_wait: A free of memory that is not from a pool, the last close of an IPC mapping, a load of a module, and
            a change of the stack size wait for the context, as a card does. The manual says "may perform implicit synchronization".
        host_polls: The host sees a value that a stream has written to memory that the host can read, and comes after
            the work before that. It may have polled it.
        earlier_writers: A wait for a value that was over when its call returned was ended by a write that was called before it.
            The manual lets a write that is called later run first.
        fills_end: A stream that waited for a value comes after the last fill of its place by each stream, whatever the stream
            filled it with.
        contexts_order: A copy without a stream between memory of a device is work of the default streams of all contexts
            whose allocations it uses, as on a card. The manual says so of cudaMemcpyPeer alone.
        default_waits: A wait for the legacy default stream is one for the streams that block on it, too.
        managed_waits: A copy in a stream that names managed memory as the host's waits. The manual says nothing about it.
        uploads_order: A launch comes after uploads of its executable graph. The manual names no such order.
        plain_waits: A copy in a stream to host memory that its device cannot access waits, and a copy from memory that is
            not page-locked without a stream is done when the call returns. The manual says "might be synchronous" and "may not have completed".
    """

    frees_wait: bool = True
    host_polls: bool = True
    earlier_writers: bool = True
    fills_end: bool = True
    contexts_order: bool = True
    default_waits: bool = True
    managed_waits: bool = True
    uploads_order: bool = True
    plain_waits: bool = True


DEFAULT = Reading()
"""What a card does, and what is the default of race detection."""
STRICT = Reading(frees_wait=False, contexts_order=False, managed_waits=False, uploads_order=False, plain_waits=False)
"""What the manual promises. It lets the host poll a value, and orders the rest by the clauses that docs/races.md quotes."""


@frozen
class Seen:
    """The observations of a step in a run.

    Attributes:
        answer: ``DONE``, ``NOT_READY`` or ``REFUSED``.
        values: For each stream, how many of its writes of values and waits for values are not over after the step.
        functions: For each stream, how many of its host functions have not been called after the step.
        busy: Whether some stream had work before the step, so that kernels did not run at once.
    """

    answer: str = DONE
    values: dict[Stream, int] = field(factory=dict)
    functions: dict[Stream, int] = field(factory=dict)
    busy: bool = False


def stream_of(program: Program, number: int) -> Stream:
    """Return the stream of an actor."""
    actor = program.actors[number]
    if actor.kind == LEGACY:
        return LEGACY, actor.context, 0
    if actor.kind == PER_THREAD:
        return PER_THREAD, actor.context, actor.thread
    return actor.kind, actor.context, number
