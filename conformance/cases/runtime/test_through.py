"""Runtime calls that make one driver call: valid calls, and some refusals.

https://docs.nvidia.com/cuda/cuda-runtime-api/index.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.cases.runtime.fixtures import (
    ATTRIBUTES,
    HERE,
    INTERPROCESS,
    PAGE,
    POSIX,
    event,
    managed,
    memory,
    peered,
    pinned,
    pool,
    recorded,
    registered,
    stream,
    using,
)
from conformance.kit.case import Entry, suite

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

    Arguments = Callable[[Process], tuple[Plain, ...]]

PINNED = 1
RESERVED, RESERVED_HIGH = 2, 3
"""cudaGraphMemAttributeType."""
SYNC_POLICY = 3
RELAXED = 2
"""cudaStreamCaptureMode."""
MISSING = 99
"""A number that is no enumerator and no device."""


def shared_memory(a: Process) -> int:
    """Return the address of new memory of an exported pool."""
    giving = pool(a)
    a.ok.cudaMemPoolExportToShareableHandle(giving, POSIX, 0)
    made: int = a.ok.cudaMallocFromPoolAsync(PAGE, giving, 0)
    return made


def unregistered(a: Process) -> int:
    """Return the address of host memory whose registration has ended."""
    address = registered(a)
    a.ok.cudaHostUnregister(address)
    return int(address)


def using_memory(a: Process) -> int:
    """Return a device with graph memory of a launched graph."""
    captured = stream(a)
    a.ok.cudaStreamBeginCapture(captured, RELAXED)
    a.ok.cudaFreeAsync(a.ok.cudaMallocAsync(PAGE, captured), captured)
    made = a.ok.cudaGraphInstantiate(a.ok.cudaStreamEndCapture(captured), 0)
    a.ok.cudaGraphLaunch(made, 0)
    a.ok.cudaDeviceSynchronize()
    return 0


SIMPLE: dict[str, Arguments] = {
    "cudaCtxResetPersistingL2Cache": lambda _: (),
    "cudaDeviceFlushGPUDirectRDMAWrites": lambda _: (0, 100),
    "cudaDeviceGetAttribute": lambda _: (75, 0),
    "cudaDeviceGetByPCIBusId": lambda a: (a.ok.cudaDeviceGetPCIBusId(20, 0),),
    "cudaDeviceGetCacheConfig": lambda _: (),
    "cudaDeviceGetDefaultMemPool": lambda _: (0,),
    "cudaDeviceGetGraphMemAttribute": lambda a: (using_memory(a), RESERVED_HIGH),
    "cudaDeviceGetHostAtomicCapabilities": lambda _: ((0,), 1, 0),
    "cudaDeviceGetLimit": lambda _: (0,),
    "cudaDeviceGetMemPool": lambda _: (0,),
    "cudaDeviceGetPCIBusId": lambda _: (20, 0),
    "cudaDeviceGetSharedMemConfig": lambda _: (),
    "cudaDeviceGetStreamPriorityRange": lambda _: (),
    "cudaDeviceGraphMemTrim": lambda a: (using_memory(a),),
    "cudaDeviceSetCacheConfig": lambda _: (1,),
    "cudaDeviceSetGraphMemAttribute": lambda a: (using_memory(a), RESERVED_HIGH, 0),
    "cudaDeviceSetLimit": lambda _: (0, 2048),
    "cudaDeviceSetMemPool": lambda a: (0, pool(a)),
    "cudaDeviceSetSharedMemConfig": lambda _: (1,),
    "cudaDeviceSynchronize": lambda _: (),
    "cudaEventCreate": lambda _: (),
    "cudaEventCreateWithFlags": lambda _: (2,),
    "cudaEventDestroy": lambda a: (event(a),),
    "cudaEventQuery": lambda a: (recorded(a),),
    "cudaEventRecord": lambda a: (event(a), 0),
    "cudaEventRecordWithFlags": lambda a: (event(a), stream(a), 0),
    "cudaEventSynchronize": lambda a: (event(a),),
    "cudaHostGetDevicePointer": lambda a: (pinned(a), 0),
    "cudaHostGetFlags": lambda a: (pinned(a),),
    "cudaHostRegister": lambda a: (a.host_memory(PAGE), PAGE, 0),
    "cudaHostUnregister": lambda a: (registered(a),),
    "cudaLaunchHostFunc": lambda a: (stream(a), a.c_function("abs"), 0),
    "cudaMemAdvise": lambda a: (managed(a), PAGE, 5, HERE),
    "cudaMemGetDefaultMemPool": lambda _: (HERE, PINNED),
    "cudaMemGetInfo": lambda _: (),
    "cudaMemGetMemPool": lambda _: (HERE, PINNED),
    "cudaMemPoolDestroy": lambda a: (pool(a),),
    "cudaMemPoolExportPointer": lambda a: (shared_memory(a),),
    "cudaMemPoolExportToShareableHandle": lambda a: (pool(a), POSIX, 0),
    "cudaMemPoolGetAttribute": lambda a: (pool(a), 4),
    "cudaMemPoolSetAttribute": lambda a: (pool(a), 4, PAGE),
    "cudaMemPoolTrimTo": lambda a: (pool(a), 0),
    "cudaMemPrefetchAsync": lambda a: (managed(a), PAGE, HERE, 0, 0),
    "cudaMemRangeGetAttribute": lambda a: (4, 1, managed(a), PAGE),
    "cudaMemRangeGetAttributes": lambda a: ((4, 4), (1, 2), 2, managed(a), PAGE),
    "cudaMemSetMemPool": lambda a: (HERE, PINNED, pool(a)),
    "cudaMemcpyBatchAsync": lambda a: ((memory(a),), (memory(a),), (16,), 1, (ATTRIBUTES,), (0,), 1, stream(a)),
    "cudaProfilerStart": lambda _: (),
    "cudaStreamAddCallback": lambda a: (stream(a), a.c_function("abs"), 0, 0),
    "cudaStreamAttachMemAsync": lambda a: (stream(a), managed(a), 0, 1),
    "cudaStreamCopyAttributes": lambda a: (stream(a), stream(a)),
    "cudaStreamCreate": lambda _: (),
    "cudaStreamCreateWithFlags": lambda _: (1,),
    "cudaStreamCreateWithPriority": lambda _: (1, -1),
    "cudaStreamDestroy": lambda a: (stream(a),),
    "cudaStreamGetAttribute": lambda a: (stream(a), SYNC_POLICY),
    "cudaStreamGetFlags": lambda a: (stream(a),),
    "cudaStreamGetId": lambda a: (stream(a),),
    "cudaStreamGetPriority": lambda a: (stream(a),),
    "cudaStreamQuery": lambda a: (stream(a),),
    "cudaStreamSetAttribute": lambda a: (stream(a), SYNC_POLICY, (2,)),
    "cudaStreamSynchronize": lambda a: (stream(a),),
    "cudaStreamWaitEvent": lambda a: (stream(a), event(a), 0),
}
"""Arguments of a valid call, by the call."""
PEERED: dict[str, Arguments] = {
    "cudaDeviceGetP2PAtomicCapabilities": lambda _: ((0,), 1, 0, 1),
    "cudaDeviceGetP2PAttribute": lambda _: (2, 0, 1),
}
REFUSED: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "cudaDeviceGetAttribute": (("ATTRIBUTE_IS_KNOWN", {"attr": 9999}), ("DEVICE_IS_VALID", {"device": MISSING})),
    "cudaDeviceGetByPCIBusId": (
        ("BUS_ID_HAS_A_FORM", {"pciBusId": b"x"}),
        ("BUS_ID_IS_KNOWN", {"pciBusId": b"0000:ff:1f.7"}),
    ),
    "cudaDeviceGetDefaultMemPool": (("runtime.active.DEVICE_IS_THERE", {"device": MISSING}),),
    "cudaDeviceGetGraphMemAttribute": (
        ("ATTRIBUTE_IS_KNOWN", {"attr": MISSING}),
        ("DEVICE_IS_VALID", {"device": MISSING}),
    ),
    "cudaDeviceGetHostAtomicCapabilities": (
        ("OPERATIONS_ARE_GIVEN", {"operations": None}),
        ("DEVICE_IS_VALID", {"device": MISSING}),
    ),
    "cudaDeviceGetLimit": (("LIMIT_IS_KNOWN", {"limit": -1}), ("LIMIT_IS_SUPPORTED", {"limit": 3})),
    "cudaDeviceGetMemPool": (("DEVICE_CAN_HAVE_A_POOL", {"device": MISSING}),),
    "cudaDeviceGetP2PAttribute": (
        ("ATTRIBUTE_IS_KNOWN", {"attr": MISSING}),
        ("DEVICE_IS_VALID", {"srcDevice": MISSING}),
    ),
    "cudaDeviceGetPCIBusId": (("DEVICE_IS_VALID", {"device": MISSING}),),
    "cudaDeviceGraphMemTrim": (("DEVICE_IS_VALID", {"device": MISSING}),),
    "cudaDeviceSetGraphMemAttribute": (
        ("ATTRIBUTE_IS_KNOWN", {"attr": MISSING}),
        ("ATTRIBUTE_IS_A_MARK", {"attr": RESERVED}),
        ("MARK_IS_RESET", {"value": 1}),
        ("DEVICE_IS_VALID", {"device": MISSING}),
    ),
    "cudaDeviceSetLimit": (("LIMIT_IS_KNOWN", {"limit": -1}),),
    "cudaDeviceSetMemPool": (("DEVICE_CAN_HAVE_A_POOL", {"device": MISSING}),),
    "cudaEventCreateWithFlags": (("FLAGS_ARE_KNOWN", {"flags": 8}),),
    "cudaEventRecordWithFlags": (("FLAGS_ARE_KNOWN", {"flags": 2}),),
    "cudaHostGetDevicePointer": (
        ("POINTER_IS_PAGE_LOCKED", {"pHost": 0}),
        ("memory.mem_host_get_device_pointer.FLAGS_ARE_ZERO", {"flags": 1}),
    ),
    "cudaHostGetFlags": (("POINTER_IS_OF_THE_HOST", {"pHost": 0}),),
    "cudaHostRegister": (("SIZE_IS_POSITIVE", {"size": 0}), ("FLAGS_ARE_KNOWN", {"flags": 64})),
    "cudaHostUnregister": (
        ("POINTER_IS_GIVEN", {"ptr": 0}),
        ("MEMORY_IS_REGISTERED", {"ptr": lambda i: unregistered(i.process)}),
        ("memory.mem_host_unregister.POINTER_IS_A_BASE", {"ptr": lambda i: i.args["ptr"] + 4}),
    ),
    "cudaMemAdvise": (("RANGE_IS_NOT_EMPTY", {"count": 0}), ("ADVICE_IS_KNOWN", {"advice": MISSING})),
    "cudaMemGetDefaultMemPool": (("LOCATION_IS_GIVEN", {"location": None}),),
    "cudaMemPoolExportToShareableHandle": (("pool.mem_pool_export_to_shareable_handle.FLAGS_ARE_ZERO", {"flags": 1}),),
    "cudaMemPoolGetAttribute": (("ATTRIBUTE_IS_KNOWN", {"attr": MISSING}),),
    "cudaMemPrefetchAsync": (
        ("RANGE_IS_NOT_EMPTY", {"count": 0}),
        ("unified.mem_prefetch_async.FLAGS_ARE_ZERO", {"flags": 1}),
    ),
    "cudaMemRangeGetAttribute": (
        ("ATTRIBUTE_IS_KNOWN", {"attribute": MISSING}),
        ("SIZE_IS_THE_ATTRIBUTES", {"dataSize": 0}),
    ),
    "cudaStreamAttachMemAsync": (("FLAGS_ARE_KNOWN", {"flags": 3}),),
    "cudaStreamCreateWithFlags": (("FLAGS_ARE_KNOWN", {"flags": 2}),),
    "cudaStreamCreateWithPriority": (("FLAGS_ARE_KNOWN", {"flags": 2}),),
    "cudaStreamGetAttribute": (("ATTRIBUTE_IS_A_STREAM_S", {"attr": MISSING}),),
    "cudaStreamWaitEvent": (("FLAGS_ARE_KNOWN", {"flags": 2}), ("EVENT_IS_GIVEN", {"event": 0})),
}
"""Rules that an invalid argument breaks, with its value, by call."""


BARE = frozenset({"cudaCtxResetPersistingL2Cache", "cudaMemRangeGetAttribute", "cudaMemRangeGetAttributes"})
"""Calls that do not make a context current."""


def copied(copy: str, rest: tuple[int, ...], w: World, i: Invocation) -> Invocation:
    """Query the null stream during a copy from one device to another."""
    w.needs_devices(2)
    a, here = i.process, memory(i.process)
    a.ok.cudaSetDevice(1)
    there = memory(a)
    a.ok.cudaSetDevice(0)
    w.model.scheduler.manual = True  # work waits until a call waits for it
    a.ok.cudaMemsetAsync(here, 0, PAGE, 0)
    getattr(a.ok, copy)(there, 1, here, 0, PAGE, *rest)
    return i.evolve(stream=0)


def entries() -> list[Entry]:
    """Return the entries of all these calls."""
    made = [Entry.of(call, arguments) for call, arguments in SIMPLE.items()]
    made += [Entry.of(call, arguments, start=peered) for call, arguments in PEERED.items()]
    for one in made:
        for number, (rule, changed) in enumerate(REFUSED.get(one.call, ())):
            one.also(f"refused-{number}-{'-'.join(changed)}", rule=rule, **changed)
    for one in made:
        if one.call in BARE:
            one.also("in a thread without a context", rule="CONTEXT_IS_CURRENT")(
                lambda w, i: i.on_thread(w.thread_name())
            )
    for one in made:
        if one.call in {"cudaEventQuery", "cudaEventSynchronize"}:
            one.answers_inside()
        if one.call in {"cudaEventCreate", "cudaEventCreateWithFlags"}:
            one.null("event", "RESULT_IS_GIVEN")
        if one.call == "cudaDeviceGetP2PAttribute":
            for number in range(1, 5):
                one.also(f"{number}", attr=number)
                one.also(f"{number} back", attr=number, srcDevice=1, dstDevice=0)
        if one.call == "cudaStreamQuery":
            for copy, rest in {"cudaMemcpyPeer": (), "cudaMemcpyPeerAsync": (0,)}.items():
                one.also(f"behind {copy}", rule="WORK_IS_DONE")(partial(copied, copy, rest))
    return made


def shared(call: str, make: Callable[[Process, Process, World], tuple[Plain, ...]]) -> Entry:
    """Return the entry of a call that takes another process's shared object."""

    def valid(w: World) -> Invocation:
        a = using(w)
        return a.given(call, *make(a, using(w), w))

    return Entry(call, valid)


def mapped(a: Process, b: Process, _w: World) -> tuple[Plain, ...]:
    """Return mapped memory of another process."""
    return (a.ok.cudaIpcOpenMemHandle(b.ok.cudaIpcGetMemHandle(memory(b)), 1),)


def imported(a: Process, b: Process, w: World) -> tuple[int, int]:
    """Return an imported pool, and the exporter's pool."""
    theirs = pool(b)
    descriptor = b.ok.cudaMemPoolExportToShareableHandle(theirs, POSIX, 0)
    mine = a.ok.cudaMemPoolImportFromShareableHandle(descriptor, POSIX, 0)
    w.close_descriptor(descriptor)
    return mine, theirs


def pointer(a: Process, b: Process, w: World) -> tuple[Plain, ...]:
    """Return an imported pool, and export data of its memory."""
    mine, theirs = imported(a, b, w)
    return mine, b.ok.cudaMemPoolExportPointer(b.ok.cudaMallocFromPoolAsync(PAGE, theirs, 0))


open_memory = shared("cudaIpcOpenMemHandle", lambda _a, b, _w: (b.ok.cudaIpcGetMemHandle(memory(b)), 1))
open_memory.also("unknown flags", flags=2, rule="FLAGS_ARE_LAZY")
open_memory.also("of nothing", handle=bytes(64), rule="HANDLE_IS_KNOWN")
open_memory.also(
    "its own", handle=lambda i: i.process.ok.cudaIpcGetMemHandle(memory(i.process)), rule="HANDLE_IS_ANOTHER_PROCESS_S"
)
close = shared("cudaIpcCloseMemHandle", mapped)
close.also("its own memory", devPtr=lambda i: memory(i.process), rule="POINTER_IS_A_MAPPING")
open_event = shared("cudaIpcOpenEventHandle", lambda _a, b, _w: (b.ok.cudaIpcGetEventHandle(event(b, INTERPROCESS)),))
import_pool = shared(
    "cudaMemPoolImportFromShareableHandle",
    lambda _a, b, _w: (b.ok.cudaMemPoolExportToShareableHandle(pool(b), POSIX, 0), POSIX, 0),
)
import_pointer = shared("cudaMemPoolImportPointer", pointer)

stop = Entry.of("cudaProfilerStop")
stop.answers_inside()

test_through = suite(*entries(), stop, open_memory, close, open_event, import_pool, import_pointer)
