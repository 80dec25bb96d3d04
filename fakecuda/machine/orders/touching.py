"""The objects that a step of an order touches.

The objects that its call names, and the objects that its effects read, write and end.
A call touches its process, including the Python objects of the program. So threads of one process never commute.
Between processes, and between calls and the work of streams, only shared things count: bytes, memory that may end,
events, and the progress of a stream. Some calls touch everything, because their influence is unknown: calls that fail,
calls that ask about the whole machine, and calls that pass things from one process to another.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fakecuda.machine.orders.step import ALL, PYTHON
from fakecuda.model.work.event import Event
from fakecuda.model.work.stream import LEGACY, NON_BLOCKING, After, Stream
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.machine.orders.step import Step
    from fakecuda.model.effect import Act
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.stream import Work

WIDE = re.compile("^nvml|Ipc|Import|Export|Shareable|Fabric|Multicast|MemGetInfo|ComputeMode")
"""Matches calls about the whole machine, and calls that pass objects to processes."""
SMALL = 1 << 12
"""The lower bound of handles and addresses."""
ANSWERS = frozenset({Result.SUCCESS, Result.NOT_READY})
QUEUED = ("queued",)
"""A mark for a step that has queued work, until its call has returned."""
QUEUEING = frozenset(
    {
        "stream_scheduler.submit",
        "stream_scheduler.send",
        "stream_scheduler.call",
        "event.Event.precede",
        "event.Event.record",
    }
)
"""Effects of calls that queue something behind a stream's work and do not ask about its progress."""
WORK = "stream_scheduler.do"
"""The effect that executes a stream's next work."""
FAILS = frozenset({"stream_scheduler.fail", "stream_scheduler.lose"})
"""Effects that end work without executing it."""
COUNTED = (
    "stream_scheduler.",
    "clock.",
    "happens_before.",
    "stream.",
    "event.",
    "transfer.",
    "timed.",
    "pool_effects.seen",
)
"""Effects that touch only their streams, events and bytes."""


def call(step: Step, process: Process, name: str, args: tuple[Any, ...]) -> None:
    """Note the objects in the arguments of a call, before the call."""
    step.writes((PYTHON, process))
    if WIDE.search(name):
        step.writes(ALL)
    for value in args:
        _named(step, process, value)


def _named(step: Step, process: Process, value: object) -> None:
    if isinstance(value, tuple):
        for one in value:
            _named(step, process, one)
    elif isinstance(value, bytes):
        share = process.machine.exchange.shares.get(value)
        if share is not None:
            step.ranges.append((("life", share.extent), 0, share.extent.size, False))
    elif isinstance(value, int) and value > SMALL:
        stream, event, item = process.streams.get(value), process.events.get(value), process.memory.at(value)
        if stream is not None:
            step.reads(("asked", stream))
        if event is not None:
            step.reads(("asked", event.exported or event))
            step.reads(("recorded", event.exported or event))
        if item is not None:
            _lives(step, item)


def answered(step: Step, code: int | None) -> None:
    """Note a call's answer.

    A call that queued something has not asked about the progress of the stream.
    """
    if code not in ANSWERS:
        step.writes(ALL)
    if step.touched.pop(QUEUED, None) is not None:
        for key in [key for key in step.touched if key[0] == "asked"]:
            del step.touched[key]
    for _, thing in [key for key in step.touched if key[0] == "asked"]:
        step.reads(("head" if isinstance(thing, Stream) else "done", thing))


def work(step: Step, done: Work) -> None:
    """Note the objects that a stream's next work may touch."""
    stream = done.stream
    step.writes(("head", stream))
    if stream.handle == LEGACY:
        step.writes(("default", stream.context))
    elif not stream.flags & NON_BLOCKING:
        step.reads(("default", stream.context))
    if isinstance(done.ready, After):
        for other in done.ready.work:
            step.reads(("head", other.stream))
    elif done.ready is not None:
        step.writes(ALL)
    if done.hosted:
        step.writes((PYTHON, stream.context.process))
    for item in done.needs.memory:
        _lives(step, item)


def _lives(step: Step, item: Any, *, ends: bool = False) -> None:
    """Note that a step needs live memory, or ends it."""
    start, end = 0, item.extent.size
    if hasattr(item, "start"):  # a process's part of the extent; otherwise the item is the whole extent
        start, end = item.start - item.origin, item.end - item.origin
    step.ranges.append((("life", item.extent), start, end, ends))


def act(step: Step, acting: Act, *, called: bool) -> None:
    """Note the objects that an effect touches, before the effect acts.

    Args:
        step: The step.
        acting: The effect.
        called: Whether the effect is a call's. A call touches its process anyway. Otherwise it is the work of a stream.
    """
    name = acting.effect.name
    for pieces, writes in ((acting.read, False), (acting.written, True)):
        for extent, start, size in pieces:
            step.ranges.append((("bytes", extent), start, start + size, writes))
            step.ranges.append((("life", extent), start, start + size, False))
    if name == WORK:
        work(step, acting.values[0])
    elif name in FAILS:
        step.writes(ALL)
    elif name in QUEUEING and called:
        step.writes(QUEUED)
    if name.startswith("event.Event."):
        event: Event = acting.values[0]
        event = event.exported or event
        if name.endswith("record"):
            step.writes(("recorded", event))
        if name.endswith(("record", "take_time")):
            step.writes(("done", event))
    elif not name.startswith(COUNTED):
        _other(step, acting, called=called)


def _other(step: Step, acting: Act, *, called: bool) -> None:
    """Note further objects of an effect, which may end its arguments' memory."""
    if not called:
        step.writes(ALL)
    for value in (*acting.values, *acting.ended):
        for one in value if isinstance(value, list | tuple) else (value,):
            if getattr(one, "extent", None) is not None:
                _lives(step, one, ends=True)
            if isinstance(one, Event | Stream):
                step.writes(("head" if isinstance(one, Stream) else "done", one))
