"""Questions about what has ended: events and streams of contexts that are gone, before and after a reset, in which order it is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.peer.fixtures import peered
from conformance.cases.driver.pool.fixtures import memory as pooled
from conformance.cases.driver.pool.fixtures import pool
from conformance.cases.driver.stream.fixtures import word
from conformance.cases.runtime.fixtures import event as runtime_event
from conformance.cases.runtime.fixtures import using
from conformance.kit.world import POSIX
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.world import Process, World

LIVE, ENDED = "live", "its context was destroyed"
SHARED = 6
"""cuEventCreate's flags of an event that can be shared."""


def made(a: Process, state: str, flags: int = 0) -> tuple[int, int]:
    """Return an event, with flags, and a stream of a context that is not the process's, in a state."""
    context = a.ok.cuCtxCreate(None, 0, 0)
    pair = a.ok.cuEventCreate(flags), a.ok.cuStreamCreate(0)
    a.ok.cuCtxPopCurrent()
    if state == ENDED:
        a.ok.cuCtxDestroy(context)
    return pair


def leave(a: Process, current: str) -> None:
    """Leave the main thread of a process with its context, with none, or with one that another thread has destroyed."""
    if current == "none":
        a.ok.cuCtxPopCurrent()
    if current == "destroyed":
        other = a.ok.cuCtxCreate(None, 0, 0)
        a.thread("destroying").ok.cuCtxDestroy(other)


def _pairs(w: World, current: str) -> None:
    a = w.process()
    own = a.ok.cuEventCreate(0), a.ok.cuStreamCreate(0)
    live, first, second = made(a, LIVE), made(a, ENDED), made(a, ENDED)
    leave(a, current)
    for event, on in (
        (live[0], live[1]),
        (live[0], own[1]),
        (live[0], 0),
        (own[0], first[1]),
        (live[0], first[1]),
        (first[0], 0),
        (first[0], own[1]),
        (first[0], live[1]),
        (first[0], first[1]),
        (first[0], second[1]),
    ):
        a.c.cuEventRecord(event, on)
        a.c.cuEventRecordWithFlags(event, on, 0)
        a.c.cuStreamWaitEvent(on, event, 0)
        a.c.cudaEventRecord(event, on)
        a.c.cudaStreamWaitEvent(on, event, 0)


@question()
def pairs_of_what_has_ended(w: World) -> None:
    """What records and waits say first of an event and a stream, of which one or both are no more."""
    _pairs(w, "its own")


@question()
def pairs_of_what_has_ended_and_none_is_current(w: World) -> None:
    """Likewise, with nothing current."""
    _pairs(w, "none")


@question()
def pairs_of_what_has_ended_where_the_current_context_has_too(w: World) -> None:
    """Likewise, with a context current that another thread has destroyed."""
    _pairs(w, "destroyed")


def submit(a: Process, current: str, *states: str) -> None:
    """Submit work of each kind to streams in states, while something is current.

    Args:
        a: A process with a context.
        current: As of :func:`leave`.
        states: Of streams of other contexts.
    """
    place, other = word(a), word(a)
    host, managed = a.ok.cuMemAllocHost(PAGE), a.ok.cuMemAllocManaged(PAGE, 1)
    of_pool, source = a.ok.cuMemAllocAsync(PAGE, 0), a.ok.cuDeviceGetDefaultMemPool(0)
    a.ok.cuCtxSynchronize()
    function, streams = a.c_function("abs"), [made(a, state)[1] for state in states]
    leave(a, current)
    for one in streams:
        a.c.cuMemAllocAsync(PAGE, one)
        a.c.cuMemAllocAsync(0, one)
        a.c.cuMemAllocFromPoolAsync(PAGE, source, one)
        a.c.cuMemFreeAsync(of_pool, one)
        a.c.cuMemcpyDtoDAsync(place, other, 16, one)
        a.c.cuMemcpyHtoDAsync(place, host, 16, one)
        a.c.cuMemcpyAsync(place, other, 16, one)
        a.c.cuMemsetD8Async(place, 1, 16, one)
        a.c.cuMemsetD2D8Async(place, 16, 1, 4, 4, one)
        a.c.cuStreamWriteValue32(one, place, 1, 0)
        a.c.cuStreamWaitValue32(one, place, 0, 1)
        a.c.cuLaunchHostFunc(one, function, 0)
        a.c.cuMemcpyBatchAsync((place,), (other,), (16,), 1, ((1, (0, 0), (0, 0), 0),), (0,), 1, one)
        a.c.cuStreamAttachMemAsync(one, managed, 0, 1)
        a.c.cuMemPrefetchAsync(managed, PAGE, (1, 0), 0, one)


@question()
def work_for_streams_of_contexts_that_have_ended(w: World) -> None:
    """What each call that submits work answers, the process's own context being current."""
    submit(w.process(), "its own", ENDED)


@question()
def work_for_streams_while_none_is_current(w: World) -> None:
    """Likewise, with nothing current."""
    submit(w.process(), "none", LIVE, ENDED)


@question()
def work_for_streams_while_the_current_context_has_ended(w: World) -> None:
    """Which of the two is said: of the stream, or of a current context that another thread has destroyed."""
    submit(w.process(), "destroyed", LIVE, ENDED)


@question()
def events_whose_memory_is_used_again(w: World) -> None:
    """What calls with an event of a destroyed context answer after nothing, and after new contexts, events and streams."""
    later: tuple[Callable[[Process], Any], ...] = (
        lambda _a: None,
        lambda a: a.ok.cuCtxCreate(None, 0, 0),
        lambda a: [(a.ok.cuEventCreate(0), a.ok.cuStreamCreate(0)) for _round in range(4)],
    )
    for act in later:
        a = w.process()
        gone, other = made(a, ENDED, SHARED)[0], made(a, ENDED, SHARED)[0]
        act(a)
        a.c.cuIpcGetEventHandle(gone)
        a.c.cuEventQuery(gone)
        a.c.cuEventSynchronize(gone)
        a.c.cuEventElapsedTime(gone, other)
        a.c.cuEventElapsedTime(other, gone)
        a.c.cuEventRecord(other, 0)


@question()
def plain_events_whose_memory_is_used_again(w: World) -> None:
    """Likewise, of events that cannot be shared."""
    for later in (0, 1, 4):
        a = w.process()
        gone, other = made(a, ENDED)[0], made(a, ENDED)[0]
        for _round in range(later):
            made(a, LIVE)
        a.c.cuEventQuery(gone)
        a.c.cuEventQuery(other)
        a.c.cuEventSynchronize(gone)
        a.c.cuEventElapsedTime(gone, other)
        a.c.cuEventElapsedTime(other, gone)
        a.c.cuEventRecord(other, 0)
        a.c.cuIpcGetEventHandle(gone)


def _after_reset(w: World, reset: str, again: Callable[[Process], Any], *, recorded: bool) -> None:
    for export in (False, True):
        a = using(w)
        a.ok.cudaFree(0)
        old, other = runtime_event(a, SHARED), runtime_event(a, SHARED)
        if recorded:
            a.ok.cudaEventRecord(old, 0)
            a.ok.cudaEventSynchronize(old)
        getattr(a.c, reset)(*((0,) if reset == "cuDevicePrimaryCtxReset" else ()))
        again(a)
        if export:
            a.c.cuIpcGetEventHandle(old)
            a.c.cudaIpcGetEventHandle(old)
            a.c.cudaPeekAtLastError()
            continue
        for name, rest in WITH_EVENTS:
            getattr(a.c, name)(old, *rest)
        a.c.cudaEventDestroy(old)
        a.c.cuEventDestroy(other)
        a.c.cudaPeekAtLastError()


WITH_EVENTS: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("cudaEventQuery", ()),
    ("cuEventQuery", ()),
    ("cudaEventSynchronize", ()),
    ("cuEventSynchronize", ()),
    ("cuEventRecord", (0,)),
    ("cudaEventRecord", (0,)),
    ("cudaEventRecordWithFlags", (0, 0)),
    ("cudaEventRecord", (2,)),
)


@question()
def events_after_a_reset(w: World) -> None:
    """What each call with an event answers that was made before cudaDeviceReset, at once."""
    _after_reset(w, "cudaDeviceReset", lambda _a: None, recorded=False)


@question()
def events_after_a_reset_that_were_recorded(w: World) -> None:
    """Likewise, of an event that was recorded."""
    _after_reset(w, "cudaDeviceReset", lambda _a: None, recorded=True)


@question()
def events_after_a_reset_and_a_new_beginning(w: World) -> None:
    """Likewise, after the device was used again."""
    _after_reset(w, "cudaDeviceReset", lambda a: a.c.cudaFree(0), recorded=False)


@question()
def events_after_a_reset_and_new_events(w: World) -> None:
    """Likewise, after new events were made."""
    _after_reset(w, "cudaDeviceReset", lambda a: [runtime_event(a, SHARED) for _round in range(4)], recorded=False)


@question()
def events_after_a_reset_by_the_driver(w: World) -> None:
    """Likewise, after cuDevicePrimaryCtxReset."""
    _after_reset(w, "cuDevicePrimaryCtxReset", lambda _a: None, recorded=False)


@question()
def events_after_a_reset_beside_a_context(w: World) -> None:
    """What a handle of an event answers after a reset of the device, where a context of the driver API is beside it."""
    for home in ("primary", "beside"):
        a = using(w)
        a.ok.cudaFree(0)
        primary, beside = a.ok.cuCtxGetCurrent(), a.ok.cuCtxCreate(None, 0, 0)
        a.ok.cuCtxSetCurrent(primary if home == "primary" else beside)
        old = a.ok.cuEventCreate(SHARED)
        a.ok.cuCtxSetCurrent(primary)
        a.c.cudaDeviceReset()
        a.c.cuCtxSetCurrent(beside)
        a.c.cuEventQuery(old)
        a.c.cuIpcGetEventHandle(old)
        a.c.cudaIpcGetEventHandle(old)


@question()
def streams_and_memory_after_a_reset(w: World) -> None:
    """What calls with a stream, memory and a pool answer that were made before cudaDeviceReset, and after a new beginning."""
    for again in (False, True):
        a = using(w)
        working, memory, given = a.ok.cudaStreamCreate(), a.ok.cudaMalloc(PAGE), pool(a)
        fresh, of_pool = runtime_event(a), pooled(a, given)
        a.c.cudaDeviceReset()
        if again:
            a.c.cudaFree(0)
        a.c.cudaMemset(memory, 1, 4)
        a.c.cudaIpcGetMemHandle(memory)
        a.c.cudaFree(memory)
        a.c.cudaMemPoolTrimTo(given, 0)
        a.c.cudaMallocAsync(PAGE, working)
        a.c.cudaEventRecord(fresh, working)
        a.c.cudaStreamWaitEvent(working, fresh, 0)
        a.c.cudaPeekAtLastError()
        a.c.cudaFreeAsync(of_pool, 0)


@question()
def events_of_one_device_after_its_reset_on_another(w: World) -> None:
    """What calls with an event of the first device answer after its reset, while the second one is current."""
    peered(w)
    for name, rest in (
        ("cudaIpcGetEventHandle", ()),
        *WITH_EVENTS,
        ("cudaEventDestroy", ()),
        ("cuIpcGetEventHandle", ()),
    ):
        a = using(w, 1)
        a.ok.cudaSetDevice(0)
        a.ok.cudaFree(0)
        old = runtime_event(a, SHARED)
        a.c.cudaDeviceReset()
        a.ok.cudaSetDevice(1)
        getattr(a.c, name)(old, *rest)
        a.c.cudaPeekAtLastError()


@question()
def memory_of_pools_after_its_context(w: World) -> None:
    """What the calls with memory of a pool answer after the end of the context in which it was allocated, while another is there."""
    for handles in (0, POSIX):
        a = w.process()
        given = pool(a, handle_types=handles)
        a.ok.cuCtxCreate(None, 0, 0)
        ptr = pooled(a, given)
        a.ok.cuCtxSynchronize()
        a.c.cuMemGetHandleForAddressRange(ptr, PAGE, 1, 0)
        a.ok.cuCtxDestroy(a.ok.cuCtxGetCurrent())
        a.c.cuCtxSetCurrent(a.context)
        a.c.cuMemGetHandleForAddressRange(ptr, PAGE, 1, 0)
        a.c.cuMemGetHandleForAddressRange(ptr, 2 << 20, 1, 0)
        for attribute in (1, 2, 9, 11, 12, 13, 16, 17):
            a.c.cuPointerGetAttribute(attribute, ptr)
        a.c.cuMemGetAddressRange(ptr)
        a.c.cuMemGetAccess((1, 0), ptr)
        a.c.cuMemsetD8(ptr, 1, 16)
        a.c.cuMemcpyDtoH(bytearray(4), ptr, 4)
        a.c.cuMemPoolExportPointer(ptr)
        a.c.cuMemFreeAsync(ptr, 0)
        a.c.cuCtxSynchronize()
        a.c.cuMemPoolDestroy(given)
