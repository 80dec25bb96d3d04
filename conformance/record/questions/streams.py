"""Questions about streams: what waits for their work, and what they are where no context is current."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.stream.fixtures import (
    ATTRIBUTE,
    LEGACY,
    NON_BLOCKING,
    PER_THREAD,
    block,
    elsewhere,
    stream,
    word,
)
from conformance.cases.driver.stream.mem_ops import EQ, FLUSH, OPERATION
from conformance.cases.driver.va.fixtures import half_mapped
from conformance.kit.case import ENTRIES
from conformance.kit.program import FORKED, INSIDE
from conformance.kit.world import GRANULE, access
from conformance.record.questions.fixtures import WHILE, busy, question, waits

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.world import Process, World

DEFAULTS = (0, LEGACY, PER_THREAD)
UNSAID = ("cuDriverGetVersion", "cuGetErrorName", "cuGetErrorString", "cuGetProcAddress", "cuInit")
"""Calls of which no rule says that a function of the host may not make them."""


def calls_with(a: Process) -> list[tuple[str, tuple[Any, ...]]]:
    """Return each call with a created stream of a process, but for those that end it, with what else they need."""
    one, other, event, place = stream(a), stream(a), a.ok.cuEventCreate(0), word(a)
    pinned, managed, pooled = (
        a.ok.cuMemAllocHost(PAGE),
        a.ok.cuMemAllocManaged(PAGE, 1),
        a.ok.cuMemAllocAsync(PAGE, one),
    )
    pool = a.ok.cuDeviceGetDefaultMemPool(0)
    a.ok.cuCtxSynchronize()
    function = a.c_function("abs")
    asked = ("Query", "Synchronize", "GetFlags", "GetPriority", "GetId", "GetDevice", "GetCtx", "IsCapturing")
    return [
        *((f"cuStream{call}", (one,)) for call in asked),
        ("cuStreamWaitEvent", (one, event, 0)),
        ("cuStreamGetAttribute", (one, ATTRIBUTE["PRIORITY"])),
        ("cuStreamSetAttribute", (one, ATTRIBUTE["SYNCHRONIZATION_POLICY"], (2,))),
        ("cuStreamCopyAttributes", (one, other)),
        ("cuStreamWaitValue32", (one, place, 0, EQ)),
        ("cuStreamWriteValue32", (one, place, 0, 0)),
        ("cuStreamWaitValue64", (one, place, 0, EQ)),
        ("cuStreamWriteValue64", (one, place, 0, 0)),
        ("cuStreamBatchMemOp", (one, 1, ((OPERATION["BARRIER"], 0),), 0)),
        ("cuLaunchHostFunc", (one, function, 0)),
        ("cuStreamAddCallback", (one, function, 0, 0)),
        ("cuStreamAttachMemAsync", (one, managed, 0, 1)),
        ("cuEventRecord", (event, one)),
        ("cuMemsetD8Async", (place, 7, 16, one)),
        ("cuMemsetD2D8Async", (place, 16, 7, 4, 4, one)),
        ("cuMemcpyAsync", (place, pinned, 16, one)),
        ("cuMemcpyDtoDAsync", (place, place + 64, 16, one)),
        ("cuMemcpyHtoDAsync", (place, pinned, 16, one)),
        ("cuMemcpyDtoHAsync", (pinned, place, 16, one)),
        ("cuMemcpyBatchAsync", ((place,), (place + 64,), (16,), 1, ((1, (0, 0), (0, 0), 0),), (0,), 1, one)),
        ("cuMemPrefetchAsync", (managed, PAGE, (1, 0), 0, one)),
        ("cuMemFreeAsync", (pooled, one)),
        ("cuMemAllocAsync", (PAGE, one)),
        ("cuMemAllocFromPoolAsync", (PAGE, pool, one)),
    ]


@question()
def on_a_thread_that_never_had_a_context(w: World) -> None:
    """Each call with a created stream on a thread on which no context was ever current."""
    a = w.process()
    for call, inputs in calls_with(a):
        getattr(a.thread(w.thread_name()).c, call)(*inputs)
    a.c.cuCtxSynchronize()


@question()
def before_the_driver_is_initialised(w: World) -> None:
    """Each call with a stream of another process, where cuInit was never called: a call that crashes ends its process."""
    for call, inputs in calls_with(w.process()):
        getattr(w.process(context=False, init=False).c, call)(*inputs)


@question()
def waiting_for_an_external_event(w: World) -> None:
    """Whether CU_EVENT_WAIT_EXTERNAL is refused before an event that can be shared is looked at, and before no event."""
    a = w.process()
    here, there = a.ok.cuEventCreate(6), elsewhere(a)[1]
    a.ok.cuCtxPushCurrent(there)
    shared = a.ok.cuEventCreate(6)
    a.ok.cuCtxPopCurrent()
    for event in (here, shared, 0):
        for one in (*DEFAULTS, stream(a)):
            a.c.cuStreamWaitEvent(one, event, 1)


@question()
def without_a_current_context(w: World) -> None:
    """Each call with a created stream while no context is current."""
    a = w.process()
    calls = calls_with(a)
    a.ok.cuCtxPopCurrent()
    for call, inputs in calls:
        getattr(a.c, call)(*inputs)
    one = calls[0][1][0]
    a.c.cuStreamDestroy(one)


@question()
def default_streams_without_a_current_context(w: World) -> None:
    """Each query of the default streams while no context is current."""
    a = w.process()
    a.ok.cuCtxPopCurrent()
    for one in DEFAULTS:
        for call in ("Query", "Synchronize", "GetFlags", "GetPriority", "GetId", "GetDevice", "GetCtx", "IsCapturing"):
            getattr(a.c, f"cuStream{call}")(one)
        a.c.cuStreamGetAttribute(one, ATTRIBUTE["PRIORITY"])
        a.c.cuMemAllocAsync(PAGE, one)


@question()
def what_default_streams_are(w: World) -> None:
    """Flags, priorities, devices and attributes of default streams, on two threads and with two contexts."""
    a = w.process()
    second = a.thread(w.thread_name())
    second.ok.cuCtxPushCurrent(a.context)
    for door in (a.c, second.c):
        for one in (*DEFAULTS, stream(a), stream(a, NON_BLOCKING)):
            for call in ("GetFlags", "GetPriority", "GetDevice", "GetCtx", "GetId"):
                getattr(door, f"cuStream{call}")(one)
            for attribute in ATTRIBUTE.values():
                door.cuStreamGetAttribute(one, attribute)


@question()
def attributes_that_are_set_on_default_streams(w: World) -> None:
    """Whether the default streams share what is set on one of them, and what a copy of attributes takes along."""
    a = w.process()
    values: dict[str, tuple[Any, ...]] = {
        "SYNCHRONIZATION_POLICY": (2,),
        "PRIORITY": (-1,),
        "MEM_SYNC_DOMAIN_MAP": (2, 3),
        "MEM_SYNC_DOMAIN": (1,),
        "ACCESS_POLICY_WINDOW": (word(a), 4096, 0.5, 2, 1),
    }
    for one in (*DEFAULTS, stream(a)):
        for name, value in values.items():
            a.c.cuStreamSetAttribute(one, ATTRIBUTE[name], value)
        for other in (*DEFAULTS, one):
            for name in values:
                a.c.cuStreamGetAttribute(other, ATTRIBUTE[name])
    made, source = stream(a), stream(a)
    for name, value in values.items():
        a.c.cuStreamSetAttribute(source, ATTRIBUTE[name], value)
    for target, origin in ((made, source), (LEGACY, source), (stream(a, NON_BLOCKING), PER_THREAD), (source, source)):
        a.c.cuStreamCopyAttributes(target, origin)
        for name in values:
            a.c.cuStreamGetAttribute(target, ATTRIBUTE[name])


@question()
def priorities_are_clamped(w: World) -> None:
    """What priority a stream has that was set to each, and created with each."""
    a = w.process()
    a.c.cuCtxGetStreamPriorityRange()
    for priority in (-1000, -6, -5, -4, -1, 0, 1, 1000):
        one = stream(a)
        a.c.cuStreamSetAttribute(one, ATTRIBUTE["PRIORITY"], (priority,))
        a.c.cuStreamGetPriority(one)
        a.c.cuStreamGetAttribute(one, ATTRIBUTE["PRIORITY"])
        a.c.cuStreamGetPriority(a.ok.cuStreamCreateWithPriority(0, priority))


@question()
def queries_while_another_stream_waits(w: World) -> None:
    """Whether each kind of stream is done while each other kind is not."""
    for waiting in ("blocking", "non-blocking", "legacy", "per thread"):
        a = w.process()
        made = {
            "blocking": stream(a),
            "non-blocking": stream(a, NON_BLOCKING),
            "legacy": LEGACY,
            "per thread": PER_THREAD,
        }
        unblock = block(w, a, made[waiting])
        for one in (0, *made.values()):
            a.c.cuStreamQuery(one)
        unblock()
        for one in (0, *made.values()):
            a.c.cuStreamQuery(one)
        w.last.clear()


def _frees(a: Process) -> list[Callable[[], Any]]:
    """Return calls that may wait for all work; what they need is there before."""
    linear, pinned, managed, plain = (
        a.ok.cuMemAlloc(PAGE),
        a.ok.cuMemAllocHost(PAGE),
        a.ok.cuMemAllocManaged(PAGE, 1),
        a.host_memory(PAGE),
    )
    a.ok.cuMemHostRegister(plain, PAGE, 0)
    mapped, pooled = half_mapped(a), a.ok.cuMemAllocAsync(PAGE, 0)
    event, one = a.ok.cuEventCreate(0), stream(a, NON_BLOCKING)
    a.ok.cuCtxSynchronize()
    return [
        lambda: a.c.cuMemFree(linear),
        lambda: a.c.cuMemFree(managed),
        lambda: a.c.cuMemFree(pooled),
        lambda: a.c.cuMemFreeHost(pinned),
        lambda: a.c.cuMemHostUnregister(plain),
        lambda: a.c.cuMemUnmap(mapped, GRANULE),
        lambda: a.c.cuMemSetAccess(mapped, GRANULE, (access(flags=1),), 1),
        lambda: a.c.cuMemAlloc(PAGE),
        lambda: a.c.cuMemAlloc(64 << 20),
        lambda: a.c.cuMemAllocHost(PAGE),
        lambda: a.c.cuMemAllocManaged(PAGE, 1),
        lambda: a.c.cuMemHostRegister(a.host_memory(PAGE), PAGE, 0),
        lambda: a.c.cuEventDestroy(event),
        lambda: a.c.cuStreamDestroy(one),
        lambda: a.c.cuMemPoolTrimTo(a.ok.cuDeviceGetDefaultMemPool(0), 0),
        lambda: a.c.cuCtxSetLimit(0, 2048),
        a.c.cuCtxSynchronize,
        a.c.cuMemGetInfo,
    ]


@question()
def what_waits_for_work(w: World) -> None:
    """Whether frees, unmappings and the like wait until the work of a blocking stream is done."""
    a = w.process()
    for make in _frees(a):
        waits(a, make)


@question()
def what_waits_for_work_of_a_stream_that_does_not_block(w: World) -> None:
    """Likewise, of a stream that does not block on the default one."""
    a = w.process()
    for make in _frees(a):
        waits(a, make, NON_BLOCKING)


@question()
def what_waits_for_work_of_another_context(w: World) -> None:
    """Whether a free waits for the work of a context that is not current."""
    a = w.process()
    working, context = elsewhere(a)
    linear, pinned = a.ok.cuMemAlloc(PAGE), a.ok.cuMemAllocHost(PAGE)
    function = a.c_function("usleep")
    calls: list[Callable[[], Any]] = [
        lambda: a.c.cuMemFree(linear),
        lambda: a.c.cuMemFreeHost(pinned),
        a.c.cuCtxSynchronize,
    ]
    for make in calls:
        a.ok.cuLaunchHostFunc(working, function, WHILE)
        make()
        a.c.cuStreamQuery(working)
        a.c.cuStreamSynchronize(working)
    a.c.cuCtxDestroy(context)


@question()
def a_context_that_is_destroyed_at_work(w: World) -> None:
    """Whether cuCtxDestroy waits: work whose end another context's memory shows."""
    a = w.process()
    place = a.ok.cuMemHostAlloc(PAGE, 1)
    a.ok.cuMemsetD8(place, 0, PAGE)
    working, context = elsewhere(a)
    a.ok.cuLaunchHostFunc(working, a.c_function("usleep"), WHILE)
    a.ok.cuStreamWriteValue32(working, place, 7, 0)
    a.c.cuCtxDestroy(context)
    a.c.cuMemcpyDtoH(bytearray(4), place, 4)


@question()
def an_import_that_is_closed_at_work(w: World) -> None:
    """Whether cuIpcCloseMemHandle waits."""
    a, b = w.process(), w.process()
    mine = a.ok.cuIpcOpenMemHandle(b.ok.cuIpcGetMemHandle(b.ok.cuMemAlloc(PAGE)), 1)
    waits(a, lambda: a.c.cuIpcCloseMemHandle(mine))


@question()
def a_primary_context_that_is_reset_at_work(w: World) -> None:
    """Whether a reset and a last release wait."""
    for end in ("cuDevicePrimaryCtxReset", "cuDevicePrimaryCtxRelease"):
        a = w.process()
        place = a.ok.cuMemHostAlloc(PAGE, 1)
        a.ok.cuMemsetD8(place, 0, PAGE)
        a.ok.cuCtxPushCurrent(a.ok.cuDevicePrimaryCtxRetain(0))
        working = busy(a)
        a.ok.cuStreamWriteValue32(working, place, 7, 0)
        a.ok.cuCtxPopCurrent()
        getattr(a.c, end)(0)
        a.c.cuMemcpyDtoH(bytearray(4), place, 4)


@question()
def calls_inside_a_function_of_the_host(w: World) -> None:
    """The calls of which no rule says whether such a function may make them."""
    for call in UNSAID:
        attrs.evolve(ENTRIES[call].valid(w), process=w.process(), thread=INSIDE).run()


@question()
def batches_of_memory_operations(w: World) -> None:
    """Operations and flags of a batch that no case has: a reduction, a flush, a barrier's kinds, none at all."""
    a = w.process()
    place = word(a)
    flush = OPERATION["FLUSH_REMOTE_WRITES"]
    for operations in (
        ((flush, 0),),
        ((flush, 1),),
        ((OPERATION["BARRIER"], 0),),
        ((OPERATION["BARRIER"], 1),),
        ((OPERATION["ATOMIC_REDUCTION"], 0, 3, 0, place, 1),),
        ((9,),),
        ((OPERATION["WAIT_VALUE_32"], place, 0, EQ | FLUSH),),
    ):
        a.c.cuStreamBatchMemOp(stream(a), 1, operations, 0)
    a.c.cuStreamBatchMemOp(0, 0, ((flush, 0),), 0)
    a.c.cuStreamBatchMemOp(0, 0, None, 0)
    a.c.cuStreamBatchMemOp(0, 0, None, 1)


GETTERS = ("GetFlags", "GetPriority", "GetDevice", "GetCtx", "GetId", "IsCapturing", "Query")
"""Calls that ask something of a stream, without cuStream."""


def _elsewhere(w: World, name: str) -> None:
    """Make each call with a created stream or an event by another kind of thread, of which all that it needs is there."""
    a = w.process()
    door, one, place = a.thread(name).c, stream(a, NON_BLOCKING), word(a)
    event, recorded, managed = a.ok.cuEventCreate(0), a.ok.cuEventCreate(0), a.ok.cuMemAllocManaged(PAGE, 1)
    a.ok.cuEventRecord(recorded, one)
    a.ok.cuCtxSynchronize()
    for call in GETTERS:
        getattr(door, f"cuStream{call}")(one)
    door.cuStreamGetAttribute(one, ATTRIBUTE["PRIORITY"])
    door.cuStreamCopyAttributes(one, one)
    for call in ("Query", "Synchronize"):
        getattr(door, f"cuEvent{call}")(recorded)
    door.cuEventElapsedTime(recorded, recorded)
    door.cuStreamWaitEvent(one, recorded, 0)
    door.cuEventRecord(event, one)
    door.cuEventRecordWithFlags(event, one, 0)
    door.cuStreamWriteValue32(one, place, 7, 0)
    door.cuStreamWaitValue32(one, place, 7, EQ)
    door.cuMemsetD8Async(place + 16, 9, 16, one)
    door.cuMemcpyDtoDAsync(place + 64, place, 16, one)
    door.cuStreamAttachMemAsync(one, managed, 0, 1)
    door.cuMemPrefetchAsync(managed, PAGE, (1, 0), 0, one)
    door.cuMemAllocAsync(PAGE, one)
    door.cuEventDestroy(event)
    a.c.cuStreamQuery(one)
    a.c.cuCtxSynchronize()
    a.c.cuMemcpyDtoH(bytearray(80), place, 80)


@question(alone=True)
def calls_with_a_created_stream_inside_a_function_of_the_host(w: World) -> None:
    """Which calls such a function may make with a stream or an event: no context is asked for."""
    _elsewhere(w, INSIDE)


@question(alone=True)
def calls_with_a_created_stream_in_a_fork(w: World) -> None:
    """Which calls a forked child may make with a stream or an event, and whether their work is done."""
    _elsewhere(w, FORKED)


@question()
def what_each_limit_waits_for(w: World) -> None:
    """Whether cuCtxSetLimit waits for work, for each limit, for the value that it has and for another one."""
    a = w.process()
    for limit in range(8):
        _, value = a.c.cuCtxGetLimit(limit)
        if value is not None:
            for wanted in (value, value + 1024):
                waits(a, partial(a.c.cuCtxSetLimit, limit, wanted), NON_BLOCKING)


@question()
def imports_that_are_closed_at_work(w: World) -> None:
    """Whether a close waits that is not the last one, and for the work of another context than the current one."""
    a, b = w.process(), w.process()
    handle = b.ok.cuIpcGetMemHandle(b.ok.cuMemAlloc(PAGE))
    for _ in range(2):
        mine = a.ok.cuIpcOpenMemHandle(handle, 1)
    for _ in range(2):
        waits(a, lambda: a.c.cuIpcCloseMemHandle(mine), NON_BLOCKING)
    mine = a.ok.cuIpcOpenMemHandle(handle, 1)
    working, context = elsewhere(a)
    a.ok.cuLaunchHostFunc(working, a.c_function("usleep"), WHILE)
    a.c.cuIpcCloseMemHandle(mine)
    a.c.cuStreamQuery(working)
    a.c.cuCtxDestroy(context)


@question()
def what_is_looked_at_before_a_value(w: World) -> None:
    """Whether null values crash with attributes that are none, without a context, and batches of nothing that is there."""
    calls: tuple[Callable[[Process], Any], ...] = (
        lambda a: a.c.cuStreamSetAttribute(0, 99, None),
        lambda a: a.c.cuStreamGetAttribute(0, 99, null="value_out"),
        lambda a: a.c.cuStreamBatchMemOp(0, 256, None, 0),
        lambda a: a.c.cuStreamBatchMemOp(0, 1, None, 1),
        lambda a: a.c.cuStreamAttachMemAsync(0, 0, 0, 0),
        lambda a: a.c.cuStreamAttachMemAsync(0, word(a), 0, 0),
    )
    for make in calls:
        make(w.process())
    for make in (
        lambda a: a.c.cuStreamSetAttribute(0, ATTRIBUTE["PRIORITY"], None),
        lambda a: a.c.cuStreamGetAttribute(0, ATTRIBUTE["PRIORITY"], null="value_out"),
        lambda a: a.c.cuStreamBatchMemOp(0, 0, None, 0),
        lambda a: a.c.cuStreamBatchMemOp(0, 1, None, 0),
    ):
        a = w.process()
        a.ok.cuCtxPopCurrent()
        make(a)


@question()
def windows_of_other_properties(w: World) -> None:
    """Which access properties a window takes, for hits and for misses."""
    a = w.process()
    one, place = stream(a), word(a)
    for hit, miss in ((0, 3), (3, 3), (-1, 0), (0, -1), (2, 2), (1, 1), (99, 0)):
        a.c.cuStreamSetAttribute(one, ATTRIBUTE["ACCESS_POLICY_WINDOW"], (place, 64, 1.0, hit, miss))
        a.c.cuStreamGetAttribute(one, ATTRIBUTE["ACCESS_POLICY_WINDOW"])
