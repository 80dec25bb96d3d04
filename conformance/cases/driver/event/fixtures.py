"""Fixtures of events, and common refusals of calls with events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import GARBAGE
from conformance.cases.driver.stream import fixtures as streams
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.case import Entry
    from conformance.kit.world import Invocation, Process, World

FLAG = {name.removeprefix("CU_EVENT_"): value for name, value in ENUMS["CUevent_flags"].items()}
"""Flags of events by their short names."""
UNTIMED = FLAG["DISABLE_TIMING"]
SHARED = FLAG["INTERPROCESS"] | UNTIMED


def recorded(a: Process, flags: int = 0) -> int:
    """Return a new event that was recorded, with finished work."""
    event: int = a.ok.cuEventCreate(flags)
    a.ok.cuEventRecord(event, 0)
    a.ok.cuEventSynchronize(event)
    return event


def destroyed(a: Process, flags: int = 0) -> int:
    """Return a destroyed event."""
    event: int = a.ok.cuEventCreate(flags)
    a.ok.cuEventDestroy(event)
    return event


def elsewhere(a: Process, flags: int = 0, device: int = 0) -> tuple[int, int]:
    """Return an event of a new context that is not current, and the context."""
    context: int = a.ok.cuCtxCreate(None, 0, device)
    event: int = a.ok.cuEventCreate(flags)
    a.ok.cuCtxPopCurrent()
    return event, context


def without_context(a: Process, flags: int = 0) -> int:
    """Return an event whose context was destroyed."""
    event, context = elsewhere(a, flags)
    a.ok.cuCtxDestroy(context)
    return event


def exported(b: Process) -> tuple[int, bytes]:
    """Return a new event, and its handle."""
    event: int = b.ok.cuEventCreate(SHARED)
    return event, b.ok.cuIpcGetEventHandle(event)


def opened(importer: Process, exporter: Process) -> tuple[int, int]:
    """Return the importer's and the exporter's handle of a shared event."""
    event, handle = exported(exporter)
    return importer.ok.cuIpcOpenEventHandle(handle), event


def refuse(entry: Entry, event: str = "hEvent") -> None:
    """Add the cases of a call with an event that is null, destroyed or contextless.

    Args:
        entry: The entry.
        event: The argument's C name.
    """
    entry.breaks("EVENT_IS_GIVEN", event, **{event: 0})
    entry.undefined("EVENT_IS_KNOWN", event, code=Result.INVALID_HANDLE, **{event: GARBAGE})
    entry.undefined("EVENT_IS_LIVE", event, code=Result.CONTEXT_IS_DESTROYED, **{event: lambda i: destroyed(i.process)})
    entry.undefined(
        "EVENT_HAS_A_CONTEXT", event, code=Result.CONTEXT_IS_DESTROYED, **{event: lambda i: without_context(i.process)}
    )


def exporter_destroyed(w: World, i: Invocation) -> Invocation:
    """Give the call an event whose exporter has destroyed it."""
    b = w.process()
    ours, theirs = opened(i.process, b)
    b.ok.cuEventDestroy(theirs)
    return i.evolve(hEvent=ours)


def accept_opened(entry: Entry) -> None:
    """Add the cases of a call with an imported event, live or destroyed."""

    @entry.also("an event of another process")
    def of_another_process(w: World, i: Invocation) -> Invocation:
        return i.evolve(hEvent=opened(i.process, w.process())[0])

    entry.also("the exporter's event is destroyed")(exporter_destroyed)
    entry.undefined("EXPORTED_EVENT_IS_LIVE", code=Result.SUCCESS)(exporter_destroyed)

    @entry.also("the exporter was killed")
    def exporter_killed(w: World, i: Invocation) -> Invocation:
        b = w.process()
        ours, _ = opened(i.process, b)
        b.kill()
        return i.evolve(hEvent=ours)


def captures(entry: Entry) -> None:
    """Add the cases of a call that records an event in a stream of each kind."""

    def record(a: Process, event: int, stream: int) -> None:
        flags = (0,) if entry.call.endswith("WithFlags") else ()
        getattr(a.ok, entry.call)(event, stream, *flags)

    def idle(a: Process) -> int:
        return streams.stream(a, streams.NON_BLOCKING)

    entry.also("a created stream", hStream=lambda i: streams.stream(i.process))
    entry.also("a stream that does not block", hStream=lambda i: idle(i.process))

    @entry.also("later work does not change what it captured")
    def captured(w: World, i: Invocation) -> None:
        a, event, working = i.process, i.args["hEvent"], idle(i.process)
        record(a, event, working)
        a.ok.cuEventSynchronize(event)
        streams.block(w, a, working)
        a.ok.cuEventQuery(event)

    @entry.also("again in a stream that is done")
    def again(w: World, i: Invocation) -> None:
        a, event, blocked, done = i.process, i.args["hEvent"], idle(i.process), idle(i.process)
        streams.block(w, a, blocked)
        record(a, event, blocked)
        assert a.c.cuEventQuery(event) == (Result.NOT_READY,)
        record(a, event, done)
        a.ok.cuEventSynchronize(event)
        a.ok.cuEventQuery(event)

    @entry.world("EVENT_IS_THE_STREAM_S", "a stream of another context")
    def stream_elsewhere(_w: World, i: Invocation) -> Invocation:
        return i.evolve(hStream=streams.elsewhere(i.process)[0])

    @entry.also("stream and event of another context")
    def both_elsewhere(_w: World, i: Invocation) -> Invocation:
        return of_another_context(i)

    @entry.also("stream and event of another context while none is current")
    def none_current(_w: World, i: Invocation) -> Invocation:
        there = of_another_context(i)
        i.process.ok.cuCtxPopCurrent()
        return there


def of_another_context(i: Invocation) -> Invocation:
    """Return a call with an event and a stream of a context that is not current."""
    a = i.process
    stream, context = streams.elsewhere(a)
    a.ok.cuCtxPushCurrent(context)
    event = a.ok.cuEventCreate(0)
    a.ok.cuCtxPopCurrent()
    return i.evolve(hEvent=event, hStream=stream)
