"""Fixes for calls that wait forever, with the lines of the program to change.

A call waits for streams. Each stream waits for a root: a value in memory, or a host function that has not returned. The
fix names the line that queued the root, the line of the call that waits, and a write that can never run because it stands
behind such a root.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from fakecuda.model import history
from fakecuda.model.work.stream import After, Work
from fakecuda.model.work.stream_scheduler import before

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fakecuda.model.history import Stack
    from fakecuda.model.machine import Machine
    from fakecuda.model.work.blocked import Held
    from fakecuda.model.work.stream import Stream
    from fakecuda.model.work.value import Value
    from fakecuda.model.work.waiting import Wait

    Later = Callable[[], Iterable[str]]
    Bytes = tuple[object, int, int]
    """Memory, an offset in it, and a size."""

MOST = 3
"""The maximum number of fixes in a report."""
NEVER = "change {} of the wait{}: {}"
BEHIND = "queue the write{} before the {}{}, or in a stream that does not wait for it"
VALUE = (
    "write the value before the wait{}; or from another stream before the call that waits{}; or from a thread or process "
    "that does not wait: use {}, a copy or a kernel"
)
FUNCTION = (
    "let the host function return that was queued{}{}: it must not take a lock that the waiting thread{} holds, and it must "
    "not make a call that waits"
)
OTHER = "do what the call{} waits for before that call, or in a thread or process that does not wait"
WAIT_TIMEOUT = "end the wait{} from another thread or process, or give the machine a longer time limit than wait_timeout={} seconds"


def value_of(work: Work) -> Value | None:
    """Return the value that work waits for, or None."""
    ready = work.ready
    return None if ready is None or ready.memory is None else cast("Value", ready)


def behind(streams: Iterable[Stream], work: Work) -> Iterator[tuple[Work, Work]]:
    """Yield queued work that would write the value that some work waits for.

    Each comes with the root that it stands behind: the wait itself if possible.

    Args:
        streams: The streams with work.
        work: The work that waits.
    """
    value = value_of(work)
    assert value is not None
    extent, offset, size = value.piece
    wanted = extent.memory, extent.offset + offset, size
    for stream in streams:
        for other in stream.work:
            if any(_overlap(wanted, place) for place in _written(other)) and (found := _roots(other)):
                yield other, work if work in found else found[0]


def kind(root: Work) -> str:
    """Return the kind of a root in words."""
    return "host function" if root.running else "wait"


def fixes(machine: Machine, streams: list[Stream], waits: list[Wait], held: Iterable[Held]) -> Later:
    """Return the fixes, a line for each root that the streams wait for.

    The lines of the program are looked up later, without the machine's lock.

    Args:
        machine: The machine.
        streams: The streams with work of the calls' test.
        waits: The calls.
        held: The threads that are blocked.
    """
    roots = _all_roots(streams)
    first = [_of_function(machine, work, waits, held) for work in roots if work.running]
    found = [*first, *(_of_value(streams, work, waits) for work in roots if not work.running)]
    return partial(_lines, found or [(OTHER, (_stack(waits),))])


def fixes_of_unended(machine: Machine, streams: list[Stream], waits: list[Wait]) -> Later:
    """Return fixes for calls that exceeded the wait timeout; see :func:`fixes`."""
    roots = [root for root in _all_roots(streams) if not root.running]
    found = [fix for fix in (_of_value(streams, work, waits) for work in roots) if fix[0] in {NEVER, BEHIND}]
    return partial(_lines, found or [(WAIT_TIMEOUT, (_stack(waits), f"{machine.scheduler.wait_timeout:g}"))])


def _all_roots(streams: Iterable[Stream]) -> list[Work]:
    return list(dict.fromkeys(root for stream in streams for root in _roots(stream.work[0])))


def _lines(found: list[tuple[str, tuple[Stack | str, ...]]]) -> list[str]:
    """Return the lines of fixes without duplicates; a stack becomes its place."""
    texts = [text.format(*(one if isinstance(one, str) else _at(one) for one in values)) for text, values in found]
    return [f"  fix        {text}" for text in dict.fromkeys(texts)][:MOST]


def _at(stack: Stack) -> str:
    """Return a place in words, with a space before it; empty if unknown."""
    return "".join(f" at {line}" for line in history.places(stack)[:1])


def _stack(waits: Iterable[Wait]) -> Stack:
    return next((one.stack for one in waits), history.NOWHERE)


def _waiting(waits: list[Wait], stream: Stream) -> Stack:
    """Return the stack of the call that waits for a stream."""
    return _stack([*(one for one in waits if one.what in (stream, stream.context)), *waits])


def _of_value(streams: list[Stream], work: Work, waits: list[Wait]) -> tuple[str, tuple[Stack | str, ...]]:
    value = value_of(work)
    assert value is not None
    if why := value.endless:
        return NEVER, ("the value or the mask" if value.is_masked else "the value or the flags", work.queued, why)
    for write, root in behind(streams, work):
        return BEHIND, (write.queued, kind(root), root.queued)
    return VALUE, (work.queued, _waiting(waits, work.stream), value.write)


def _of_function(
    machine: Machine, work: Work, waits: list[Wait], held: Iterable[Held]
) -> tuple[str, tuple[Stack | str, ...]]:
    """Return the fix for a running host function, with its current line if known."""
    worker = work.stream.context.worker
    assert worker is not None
    own = machine.scheduler.census.waiting.get(worker.thread.native_id or 0)
    stands = own.stack if own else next((one.stack for one in held if one.who == worker.name), history.NOWHERE)
    other = _waiting([one for one in waits if one is not own], work.stream)
    return FUNCTION.format("{}", ", and is now{}" if stands else "{}", "{}"), (work.queued, stands, other)


def _roots(work: Work) -> list[Work]:
    """Return the values and host functions at the root of waits, oldest first."""
    found, seen, left = list[Work](), set[Work](), [work]
    while left:
        one = left.pop()
        if one in seen:
            continue
        seen.add(one)
        stream = one.stream
        if one.running or (value_of(one) is not None and not cast("Value", one.ready)()):
            found.append(one)
        if isinstance(one.ready, After):
            left += [other for other in one.ready.work if not other.done]
        earlier = [*(other for other in stream.work if other.running or other.ready is not None)]
        earlier += [other.work[0] for other in before(stream)]
        left += [other for other in earlier if other.number < one.number]
        left += [gate for number, gate in stream.context.gates if number < one.number and not gate.done]
    return sorted(found, key=lambda one: one.number)


def _written(work: Work) -> Iterator[Bytes]:
    """Yield the memory that work writes, as far as its call has declared it."""
    memory = work.stream.context.process.memory
    for start, size in work.needs.written:
        for item in memory.within(start, start + size):
            first = max(start, item.start)
            extent = item.extent
            yield extent.memory, extent.offset + first - item.origin, min(start + size, item.end) - first


def _overlap(one: Bytes, other: Bytes) -> bool:
    return one[0] is other[0] and one[1] < other[1] + other[2] and other[1] < one[1] + one[2]
