"""Questions about what goes wrong while a stream is at work: memory that is gone when the work comes to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.memory.fixtures import PAGE, READ_ONLY, registered
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream, word
from conformance.cases.driver.va.fixtures import half_mapped
from conformance.kit.world import GRANULE, access
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.world import Process, World


def after(w: World, a: Process, end: Callable[[int], Any]) -> None:
    """Have a stream come to memory that is gone by then, and ask what is said of it."""
    place, waiting, event = half_mapped(a), stream(a, NON_BLOCKING), a.ok.cuEventCreate(0)
    source = word(a)
    unblock = block(w, a, waiting)
    a.ok.cuMemcpyDtoDAsync(place, source, 64, waiting)
    a.ok.cuEventRecord(event, waiting)
    end(place)
    unblock()
    w.last.clear()
    a.c.cuStreamSynchronize(waiting)
    a.c.cuStreamQuery(waiting)
    a.c.cuEventQuery(event)
    a.c.cuCtxSynchronize()
    a.c.cuMemAlloc(PAGE)


@question(alone=True)
def memory_that_is_unmapped(w: World) -> None:
    """A copy meets memory that was unmapped; what the context, a second one and another process answer then."""
    a, b = w.process(), w.process()
    second = a.ok.cuCtxCreate(None, 0, 0)
    a.ok.cuCtxPopCurrent()
    after(w, a, lambda place: a.c.cuMemUnmap(place, GRANULE))
    for call in ("cuCtxSynchronize", "cuMemGetInfo", "cuCtxGetFlags", "cuCtxGetDevice", "cuCtxGetStreamPriorityRange"):
        getattr(a.c, call)()
    a.c.cuMemAllocHost(PAGE)
    a.c.cuStreamCreate(0)
    a.c.cuEventCreate(0)
    a.c.cuMemAllocAsync(PAGE, 0)
    a.c.cuMemPoolCreate((1, 0, (1, 0), 0, 0, 0, 0))
    a.c.cuMemCreate(GRANULE, (1, 0, (1, 0), 0, (0, 0, 0)), 0)
    a.c.cuMemAddressReserve(GRANULE, 0, 0, 0)
    a.c.cuDeviceGetCount()
    a.c.cuCtxPushCurrent(second)
    for call in ("cuCtxSynchronize", "cuMemGetInfo"):
        getattr(a.c, call)()
    a.c.cuMemAlloc(PAGE)
    a.c.cuStreamQuery(0)
    code, third = a.c.cuCtxCreate(None, 0, 0)
    a.c.cuMemAlloc(PAGE)
    if not code:
        a.c.cuCtxDestroy(third)
    a.c.cuDevicePrimaryCtxRetain(0)
    b.c.cuCtxSynchronize()
    b.c.cuMemAlloc(PAGE)


@question(alone=True)
def access_that_is_taken(w: World) -> None:
    """A copy meets memory of which access was taken."""
    a = w.process()
    after(w, a, lambda place: a.c.cuMemSetAccess(place, GRANULE, (access(flags=0),), 1))


@question(alone=True)
def access_that_is_to_read(w: World) -> None:
    """A copy meets memory that may be read alone by then."""
    a = w.process()
    after(w, a, lambda place: a.c.cuMemSetAccess(place, GRANULE, (access(flags=1),), 1))


@question(alone=True)
def an_import_that_is_closed(w: World) -> None:
    """A copy meets an IPC mapping that was closed, if the close does not wait for it."""
    a, b = w.process(), w.process()
    mine = a.ok.cuIpcOpenMemHandle(b.ok.cuIpcGetMemHandle(b.ok.cuMemAlloc(PAGE)), 1)
    working, source = stream(a, NON_BLOCKING), word(a)
    a.ok.cuLaunchHostFunc(working, a.c_function("usleep"), 200_000)
    a.ok.cuMemcpyDtoDAsync(mine, source, 64, working)
    a.c.cuIpcCloseMemHandle(mine)
    a.c.cuStreamQuery(working)
    a.c.cuStreamSynchronize(working)
    a.c.cuCtxSynchronize()


@question(alone=True)
def registered_memory_that_is_given_back(w: World) -> None:
    """A copy meets memory of the host that was unregistered, if that does not wait for it."""
    a = w.process()
    plain, source, working = a.host_memory(PAGE), word(a), stream(a, NON_BLOCKING)
    a.ok.cuMemHostRegister(plain, PAGE, 0)
    a.ok.cuLaunchHostFunc(working, a.c_function("usleep"), 200_000)
    a.ok.cuMemcpyDtoHAsync(plain, source, 64, working)
    a.c.cuMemHostUnregister(plain)
    a.c.cuStreamQuery(working)
    a.c.cuStreamSynchronize(working)
    a.c.cuCtxSynchronize()


def told(a: Process) -> None:
    """Ask what the current context answers, a second one, a new one, and one that is made when these have gone."""
    a.c.cuCtxSynchronize()
    a.c.cuMemAlloc(PAGE)
    _, first = a.c.cuCtxPopCurrent()
    _, second = a.c.cuCtxPopCurrent()
    a.c.cuCtxPushCurrent(second)
    a.c.cuCtxSynchronize()
    a.c.cuMemAlloc(PAGE)
    code, third = a.c.cuCtxCreate(None, 0, 0)
    for context in (first, second, *(() if code else (third,))):
        a.c.cuCtxDestroy(context)
    a.c.cuCtxCreate(None, 0, 0)
    a.c.cuMemAlloc(PAGE)


def two_contexts(w: World) -> Process:
    """Return a process with two contexts, the one beside the other on its stack."""
    a = w.process()
    a.ok.cuCtxCreate(None, 0, 0)
    return a


def meets(w: World, end: Callable[[Process, int], Any], work: Callable[[Process, int, int, int], Any]) -> None:
    """Have work of a stream come to mapped memory of which something has gone by then, and ask what is said of it."""
    a = two_contexts(w)
    place, waiting, other = half_mapped(a), stream(a, NON_BLOCKING), word(a)
    unblock = block(w, a, waiting)
    work(a, place, other, waiting)
    end(a, place)
    unblock()
    w.last.clear()
    told(a)


def _write(a: Process, place: int, _other: int, waiting: int) -> None:
    a.ok.cuStreamWriteValue32(waiting, place, 1, 0)


@question(alone=True)
def a_value_written_to_memory_that_is_unmapped(w: World) -> None:
    """Whether it is the code that a copy gives."""
    meets(w, lambda a, place: a.c.cuMemUnmap(place, GRANULE), _write)


@question(alone=True)
def a_value_written_where_access_was_taken(w: World) -> None:
    """Likewise."""
    meets(w, lambda a, place: a.c.cuMemSetAccess(place, GRANULE, (access(flags=0),), 1), _write)


@question(alone=True)
def a_value_written_where_access_is_to_read(w: World) -> None:
    """Likewise."""
    meets(w, lambda a, place: a.c.cuMemSetAccess(place, GRANULE, (access(flags=1),), 1), _write)


@question(alone=True)
def a_value_that_is_awaited_where_access_was_taken(w: World) -> None:
    """Likewise, of a wait."""
    meets(
        w,
        lambda a, place: a.c.cuMemSetAccess(place, GRANULE, (access(flags=0),), 1),
        lambda a, place, _, waiting: a.ok.cuStreamWaitValue32(waiting, place, 0, 0),
    )


@question(alone=True)
def a_memset_where_access_is_to_read(w: World) -> None:
    """Whether a memset fails as a copy does."""
    meets(
        w,
        lambda a, place: a.c.cuMemSetAccess(place, GRANULE, (access(flags=1),), 1),
        lambda a, place, _, waiting: a.ok.cuMemsetD8Async(place, 1, 64, waiting),
    )


@question(alone=True)
def a_copy_from_where_access_is_to_read(w: World) -> None:
    """What reads alone goes on."""
    meets(
        w,
        lambda a, place: a.c.cuMemSetAccess(place, GRANULE, (access(flags=1),), 1),
        lambda a, place, other, waiting: a.ok.cuMemcpyDtoDAsync(other, place, 64, waiting),
    )


@question(alone=True)
def a_value_written_to_memory_that_may_be_read_alone(w: World) -> None:
    """Which contexts answer that it failed, and whether a new one can be made."""
    a = two_contexts(w)
    a.c.cuStreamWriteValue32(0, half_mapped(a, 1), 1, 0)
    told(a)


@question(alone=True)
def a_value_written_to_memory_that_is_registered_to_read(w: World) -> None:
    """Whether that fails too."""
    a = two_contexts(w)
    a.c.cuStreamWriteValue32(0, registered(a, flags=READ_ONLY), 1, 0)
    told(a)


@question(alone=True)
def memory_of_a_context_that_is_destroyed(w: World) -> None:
    """What a copy of one context meets in memory of another that was destroyed."""
    a = two_contexts(w)
    place = a.ok.cuMemAlloc(PAGE)
    context = a.ok.cuCtxPopCurrent()
    waiting, source = stream(a, NON_BLOCKING), word(a)
    unblock = block(w, a, waiting)
    a.ok.cuMemcpyDtoDAsync(place, source, 64, waiting)
    a.c.cuCtxDestroy(context)
    unblock()
    w.last.clear()
    a.c.cuStreamSynchronize(waiting)
    a.c.cuMemAlloc(PAGE)


@question(alone=True)
def a_primary_context_that_is_reset_after_a_fault(w: World) -> None:
    """Whether a process that has met a fault can begin anew with its primary context."""
    a = w.process(context=False)
    a.ok.cuCtxPushCurrent(a.ok.cuDevicePrimaryCtxRetain(0))
    after(w, a, lambda place: a.c.cuMemUnmap(place, GRANULE))
    a.c.cuDevicePrimaryCtxReset(0)
    a.c.cuCtxSynchronize()
    a.c.cuDevicePrimaryCtxRetain(0)
    a.c.cuMemAlloc(PAGE)


def memsets(w: World, *sizes: int) -> None:
    """Have memsets of some lengths, each in a process of its own, come to memory that may be read alone by then."""
    for size in sizes:
        a = w.process()
        place, waiting = half_mapped(a), stream(a, NON_BLOCKING)
        unblock = block(w, a, waiting)
        a.ok.cuMemsetD8Async(place, 1, size, waiting)
        a.c.cuMemSetAccess(place, GRANULE, (access(flags=1),), 1)
        unblock()
        w.last.clear()
        a.c.cuCtxSynchronize()


@question(alone=True)
def memsets_of_each_length_where_access_is_to_read(w: World) -> None:
    """From which length on a memset fails as a copy does."""
    memsets(w, 65, 128, 1024, 4096, 65536, 1 << 20)


@question(alone=True)
def memsets_of_lengths_between_where_access_is_to_read(w: World) -> None:
    """Likewise, of more than a page."""
    memsets(w, 4097, 8192, 16384, 32768, 65535)


@question(alone=True)
def a_context_that_is_destroyed_beside_work(w: World) -> None:
    """Whether the end of a context waits for work of another one that uses none of its memory."""
    a = two_contexts(w)
    context = a.ok.cuCtxPopCurrent()
    waiting = stream(a, NON_BLOCKING)
    unblock = block(w, a, waiting)
    a.c.cuCtxDestroy(context)
    a.c.cuStreamQuery(waiting)
    unblock()
    w.last.clear()
    a.c.cuStreamSynchronize(waiting)
