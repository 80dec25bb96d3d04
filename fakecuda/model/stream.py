"""Streams: queues of work, and when work is done.

Work is done as soon as nothing that it waits for is left, usually in the call that submits it; then nothing is queued at
all. It stays queued while what is before it in its stream does: a wait for a value that nobody has written yet, for an
event of such work, for a function of the host that still runs. On a machine whose completion is manual it stays until
somebody waits for it. Work of a default stream and of the streams that block on it keeps its order across them.
"""

from __future__ import annotations

import time
from collections import deque
from itertools import count
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.errors import FakeCudaError
from fakecuda.model import history

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fakecuda.model.context import Context
    from fakecuda.model.machine import Machine

LEGACY, PER_THREAD = 1, 2
"""CU_STREAM_LEGACY and CU_STREAM_PER_THREAD."""
NON_BLOCKING = 1
"""CU_STREAM_NON_BLOCKING."""
PATIENCE = 60.0
"""Seconds that a call waits for work before it says that nothing comes."""
GLANCE = 0.001
"""Seconds between two looks at what work waits for: the host can write memory without a call."""

_numbers = count(1)


@define(eq=False)
class Stream:
    """A stream of a context.

    Attributes:
        handle: The CUstream; of the default streams LEGACY and PER_THREAD.
        context: Its context.
        flags: CUstream_flags.
        priority: Its priority, lower is more urgent.
        identity: What cuStreamGetId returns; 0 before a default stream was asked for it.
        attributes: Attributes that were set, by CUstreamAttrID.
        work: What is not done yet, oldest first.
        follows: Up to which place in other streams their work comes before its later work, because of events.
        destroyed: Whether cuStreamDestroy ended it; one that went with its context was not destroyed.
        created: The stack that created it.
        ended: The stack that ended it.
    """

    handle: int
    context: Context
    flags: int
    priority: int
    identity: int = 0
    attributes: dict[int, Any] = field(factory=dict)
    work: deque[Work] = field(factory=deque, repr=False)
    follows: dict[Stream, int] = field(factory=dict, repr=False)
    destroyed: bool = False
    created: history.Stack = field(default=history.NOWHERE, repr=False)
    ended: history.Stack = field(default=history.NOWHERE, repr=False)

    def __repr__(self) -> str:
        state = "destroyed " if self.destroyed else ""
        kind = {LEGACY: "legacy default ", PER_THREAD: "per-thread default "}.get(self.handle, "")
        return f"{state}{kind}stream {self.handle:#x} of {self.context}"

    def history(self) -> list[str]:
        """Return where it was created and where it ended, a line each."""
        return history.story(self.created, self.ended, ("created", "ended"))


@define(eq=False)
class Work:
    """Something that a stream will do.

    Attributes:
        stream: The stream.
        act: Does it.
        ready: Whether it can be done now; None for always.
        number: Its place among all work.
        done: Whether nobody need wait for it: it was done, or its context ended.
    """

    stream: Stream
    act: Callable[[], None] = field(repr=False)
    ready: Callable[[], bool] | None = field(default=None, repr=False)
    number: int = field(factory=lambda: next(_numbers))
    done: bool = False


def tick() -> int:
    """Return the next place among all work."""
    return next(_numbers)


def submit(stream: Stream, act: Callable[[], None], ready: Callable[[], bool] | None = None) -> Work | None:
    """Have a stream do something; return the work, or None when it is done already.

    Args:
        stream: The stream.
        act: Does it; called with the machine's lock held.
        ready: Whether it can be done; None for always.
    """
    machine = stream.context.process.machine
    if not machine.pending and not machine.manual and (ready is None or ready()):
        act()
        return None
    work = Work(stream, act, ready)
    stream.work.append(work)
    machine.pending[stream] = None
    if not machine.manual:
        advance(machine)
    return None if work.done else work


def advance(machine: Machine) -> None:
    """Do all work of a machine that can be done."""
    before = -1
    while machine.pending and before != (before := sum(len(stream.work) for stream in machine.pending)):
        for stream in list(machine.pending):
            _advance(machine, stream)


def _advance(machine: Machine, stream: Stream) -> None:
    """Do the work of one stream as far as that goes."""
    while stream.work and _can(stream.work[0]):
        work = stream.work[0]
        work.act()
        work.done = True
        stream.work.popleft()
    if not stream.work:
        machine.pending.pop(stream, None)


def _can(work: Work) -> bool:
    """Return whether nothing is before a stream's oldest work, and what it waits for is there."""
    gates = work.stream.context.gates
    if gates:
        gates[:] = [gate for gate in gates if not gate[1].done]
        if any(number < work.number for number, _ in gates):
            return False
    return all(other.work[0].number > work.number for other in before(work.stream)) and (
        work.ready is None or work.ready()
    )


def close_gate(context: Context, work: Work) -> None:
    """Have all later work of a context wait for some work."""
    context.gates.append((next(_numbers), work))


def before(stream: Stream) -> Iterable[Stream]:
    """Yield the streams with work whose older work comes before that of a stream, for one of them is the legacy stream."""
    if stream.flags & NON_BLOCKING:
        return
    for other in stream.context.process.machine.pending:
        legacy = LEGACY in (stream.handle, other.handle)
        if other is not stream and legacy and other.context is stream.context and not other.flags & NON_BLOCKING:
            yield other


def unfinished(stream: Stream) -> list[Stream]:
    """Return a stream and those whose work comes before its own, as far as they have any left."""
    return [other for other in (stream, *before(stream)) if other.work]


def drop_work(context: Context) -> None:
    """Forget the work of a context that ends."""
    machine = context.process.machine
    for stream in [stream for stream in machine.pending if stream.context is context]:
        for work in stream.work:
            work.done = True
        stream.work.clear()
        del machine.pending[stream]


def wait(machine: Machine, done: Callable[[], bool], streams: Callable[[], Iterable[Stream]]) -> None:
    """Return when something is so that work brings about; other threads' calls go on meanwhile.

    Args:
        machine: The machine; the caller holds its lock.
        done: Whether it is so.
        streams: Yields those whose work brings it about; their work comes first where completion is manual.

    Raises:
        FakeCudaError: It does not come.
    """
    started = time.monotonic()
    while not done():
        for stream in list(streams()):
            _advance(machine, stream)
        if not done():
            advance(machine)
        if done():
            return
        if time.monotonic() - started > PATIENCE:
            msg = (
                f"a call has waited {PATIENCE:.0f} s for work of {', '.join(map(str, machine.pending))}: for a value that "
                "nobody writes, an event of such work, or a function of the host that does not return"
            )
            raise FakeCudaError(msg)
        machine.progress.wait(GLANCE)


def finish(context: Context, stream: Stream | None = None) -> None:
    """Wait for the work of a stream and what comes before it, or of a whole context."""
    machine = context.process.machine
    if not machine.pending:
        return

    def awaited() -> list[Stream]:
        if stream is None:
            return [other for other in machine.pending if other.context is context]
        return unfinished(stream)

    wait(machine, lambda: not awaited(), awaited)
