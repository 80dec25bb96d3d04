"""Questions about the runtime API: what it does between the driver's calls, and what it looks at first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures import (
    EXTENT,
    PAGE,
    between,
    box,
    event,
    fresh,
    managed,
    memory,
    pinned,
    pool,
    registered,
    rows,
    stream,
    using,
)
from conformance.record.questions.fixtures import WHILE, question

if TYPE_CHECKING:
    from conformance.kit.world import Process, World

VAST = (1 << 64) - 1


def situation(a: Process) -> None:
    """Ask what is current and what the runtime says of it."""
    for call in ("cuCtxGetCurrent", "cuCtxGetDevice", "cuCtxGetFlags", "cudaGetDevice", "cudaGetDeviceFlags"):
        getattr(a.c, call)()
    a.c.cuDevicePrimaryCtxGetState(0)
    a.c.cudaPeekAtLastError()


@question()
def flags_of_devices(w: World) -> None:
    """Of cudaGetDeviceFlags before any context, after one is made, after they are set, with a context of the driver."""
    a = fresh(w)
    situation(a)
    a.c.cudaFree(0)
    situation(a)
    for flags in (4, 0, 1, 2, 8, 3, 16, 24, 128, 256, 5, 7):
        a.c.cudaSetDeviceFlags(flags)
        situation(a)
    b = fresh(w)
    b.c.cuInit(0)
    b.c.cuCtxCreate(None, 2, 0)
    situation(b)
    b.c.cudaSetDeviceFlags(4)
    situation(b)
    c = fresh(w)
    for flags in (4, 3):
        c.c.cudaSetDeviceFlags(flags)
        situation(c)
    c.c.cudaSetDevice(0)
    situation(c)


@question()
def which_calls_make_a_context(w: World) -> None:
    """One call in a new process, and what is there then."""
    calls: tuple[tuple[str, tuple[object, ...]], ...] = (
        ("cudaGetDeviceCount", ()),
        ("cudaGetDevice", ()),
        ("cudaGetDeviceProperties", (0,)),
        ("cudaDeviceGetAttribute", (75, 0)),
        ("cudaDeviceGetDefaultMemPool", (0,)),
        ("cudaMemPoolCreate", ((1, 0, (1, 0), 0, 0, 0),)),
        ("cudaRuntimeGetVersion", ()),
        ("cudaDriverGetVersion", ()),
        ("cudaInitDevice", (0, 0, 0)),
        ("cudaSetDevice", (0,)),
        ("cudaSetDevice", (99,)),
        ("cudaFree", (0,)),
        ("cudaFreeHost", (0,)),
        ("cudaMalloc", (0,)),
        ("cudaMalloc", (1 << 60,)),
        ("cudaHostAlloc", (0, 0)),
        ("cudaEventCreate", ()),
        ("cudaEventQuery", (0,)),
        ("cudaStreamQuery", (0,)),
        ("cudaPointerGetAttributes", (0,)),
        ("cudaDeviceSynchronize", ()),
        ("cudaDeviceReset", ()),
        ("cudaDeviceGetLimit", (0,)),
        ("cudaDeviceGetStreamPriorityRange", ()),
        ("cudaGetDriverEntryPoint", (b"cuMemAlloc", 0)),
        ("cudaGetLastError", ()),
        ("cudaMemcpy", (0, 0, 0, 4)),
        ("cudaMemset", (0, 0, 0)),
        ("cudaMemGetInfo", ()),
    )
    for call, arguments in calls:
        a = fresh(w)
        getattr(a.c, call)(*arguments)
        situation(a)
        a.kill()


@question()
def what_addresses_are(w: World) -> None:
    """Of cudaPointerGetAttributes of memory of every kind, also of another device and of none."""
    a = using(w)
    pointer, freed = memory(a), memory(a)
    a.ok.cudaFree(freed)
    for place in (pointer, pointer + 5, pinned(a), managed(a), registered(a), a.host_memory(PAGE), freed, 0, 1):
        a.c.cudaPointerGetAttributes(place)
    a.c.cudaGetLastError()
    situation(a)


@question()
def memory_of_another_device(w: World) -> None:
    """Of cudaPointerGetAttributes and a copy, before access is enabled and after."""
    w.needs_devices(2)
    a = using(w, 1)
    there = memory(a)
    a.ok.cudaSetDevice(0)
    here = memory(a)
    for enable in (False, True):
        if enable:
            a.c.cudaDeviceEnablePeerAccess(1, 0)
        a.c.cudaPointerGetAttributes(there)
        a.c.cudaMemcpy(here, there, 16, 3)
        a.c.cudaMemcpy(here, there, 16, 4)
        a.c.cudaMemset(there, 1, 16)
        a.c.cudaMemcpyPeer(here, 0, there, 1, 16)
        a.c.cudaFree(0)
        a.c.cudaGetLastError()
    for peer, flags in ((0, 0), (1, 0), (1, 1), (99, 0), (0, 1), (99, 1), (-1, 0)):
        a.c.cudaDeviceEnablePeerAccess(peer, flags)
        a.c.cudaDeviceCanAccessPeer(0, peer)
        a.c.cudaDeviceDisablePeerAccess(peer)
    a.c.cudaFree(there)
    a.c.cudaGetLastError()


@question()
def a_peer_whose_context_is_not_made(w: World) -> None:
    """Whether enabling access makes it, and whether a refused call does."""
    w.needs_devices(2)
    for peer, flags in ((1, 1), (1, 0)):
        a = using(w)
        a.c.cudaDeviceEnablePeerAccess(peer, flags)
        a.c.cuDevicePrimaryCtxGetState(1)
        a.c.cudaDeviceDisablePeerAccess(peer)


@question()
def limits_and_nulls(w: World) -> None:
    """Limits that are none, results that are null, sizes that are too large."""
    a = using(w)
    for limit in (-1, 0, 1, 2, 3, 4, 5, 6, 7, 99):
        a.c.cudaDeviceGetLimit(limit)
        a.c.cudaDeviceSetLimit(limit, 64)
    one, other = event(a), event(a)
    a.c.cudaEventElapsedTime(one, other)
    a.c.cudaEventElapsedTime(one, other, null="ms")
    a.c.cudaEventRecord(one, 0)
    a.c.cudaEventElapsedTime(one, one, null="ms")
    for width, height in ((1, VAST), (VAST, 1), (VAST, VAST), (0, 5), (5, 0), (1 << 40, 1 << 40), (1 << 31, 1)):
        a.c.cudaMallocPitch(width, height)
    for extent in ((16, 2, 0), (0, 2, 2), (16, 0, 2), (VAST, 1, 1), (1, VAST, 1), (1, 1, VAST)):
        a.c.cudaMalloc3D(extent)
    for call, arguments, null in (
        ("cudaMalloc", (PAGE,), "devPtr"),
        ("cudaMalloc", (0,), "devPtr"),
        ("cudaMallocPitch", (16, 4), "devPtr"),
        ("cudaMallocPitch", (16, 4), "pitch"),
        ("cudaMallocHost", (PAGE,), "ptr"),
        ("cudaMallocManaged", (PAGE, 1), "devPtr"),
        ("cudaMallocAsync", (PAGE, 0), "devPtr"),
        ("cudaEventCreate", (), "event"),
        ("cudaStreamCreate", (), "pStream"),
        ("cudaGetDeviceCount", (), "count"),
        ("cudaDeviceGetAttribute", (75, 0), "value"),
        ("cudaMemGetInfo", (), "free"),
        ("cudaMemGetInfo", (), "total"),
        ("cudaRuntimeGetVersion", (), "runtimeVersion"),
        ("cudaDriverGetVersion", (), "driverVersion"),
        ("cudaPointerGetAttributes", (0,), "attributes"),
        ("cudaIpcGetMemHandle", (memory(a),), "handle"),
        ("cudaGetDriverEntryPoint", (b"cuMemAlloc", 0), "driverStatus"),
    ):
        getattr(a.c, call)(*arguments, null=null)
    a.c.cudaHostAlloc(0, 64)
    a.c.cudaMallocHost(0)
    a.c.cudaMallocManaged(0, 1)
    a.c.cudaMallocAsync(0, 0)
    a.c.cudaGetLastError()


@question()
def sets_of_slices(w: World) -> None:
    """What a cudaPitchedPtr may say of its rows."""
    a = using(w)
    pointer, pitch, width, height = rows(a)
    for one in (
        (pointer, pitch, width, 1),
        (pointer, pitch, width, 0),
        (pointer, pitch, 0, height),
        (pointer, 8, width, height),
        (pointer, 0, width, height),
        (0, pitch, width, height),
    ):
        for extent in (EXTENT, (16, 2, 1), (16, 1, 1), (16, 1, 2), (0, 2, 2), (16, 0, 2), (16, 2, 0)):
            a.c.cudaMemset3D(one, 7, extent)
    a.c.cudaGetLastError()


@question()
def copies_of_slices(w: World) -> None:
    """Kinds that do not fit, pitches that are too small, no source at all, and nothing to copy."""
    a = using(w)
    given = rows(a)
    null = (0, 0, 0, 0)
    changes: tuple[dict[str, object], ...] = (
        {},
        {"srcPtr": null},
        {"dstPtr": null},
        {"srcPtr": (given[0], 0, 64, 4)},
        {"srcPtr": (given[0], 8, 64, 4)},
        {"srcPtr": (given[0], given[1], 64, 1)},
        {"srcPtr": (given[0], given[1], 64, 0)},
        {"srcPos": (500, 0, 0)},
        {"srcPos": (0, 3, 0)},
        {"dstPos": (0, 0, 1)},
    )
    for changed in changes:
        for extent in (EXTENT, (16, 2, 1), (0, 2, 2)):
            for kind in (3, 4, 1, 0, 5):
                a.c.cudaMemcpy3D(box(a, **{**changed, "extent": extent, "kind": kind}))
            a.c.cudaMemcpy3DPeer(between(a, **{**changed, "extent": extent}))
    for devices in ({"srcDevice": 99}, {"dstDevice": 99}, {"srcDevice": -1}):
        a.c.cudaMemcpy3DPeer(between(a, **devices))
        a.c.cudaMemcpy3DPeer(between(a, **devices, extent=(0, 0, 0)))
    a.c.cudaGetLastError()


@question()
def copies_of_nothing(w: World) -> None:
    """No bytes, no rows, of a kind that is none, to and from nowhere; kinds that do not fit the addresses."""
    a = using(w)
    here, there, host, plain = memory(a), memory(a), pinned(a), a.host_memory(PAGE)
    for kind in (0, 1, 2, 3, 4, 5, -1):
        for count in (0, 16):
            for dst, src in ((here, there), (host, there), (here, host), (host, plain), (here, plain), (plain, there)):
                if kind == 0 and count and {dst, src} & {here, there}:
                    continue  # the host would write there by itself
                a.c.cudaMemcpy(dst, src, count, kind)
        a.c.cudaMemcpy(0, 0, 0, kind)
        a.c.cudaMemcpyAsync(here, there, 0, kind, 0)
        for pitch, width, height in ((8, 16, 0), (8, 16, 1), (8, 16, 2), (8, 0, 2), (0, 0, 0)):
            a.c.cudaMemcpy2D(here, pitch, there, 64, width, height, kind or 3)
    a.c.cudaMemset(0, 0, 0)
    a.c.cudaMemset2D(here, 8, 1, 16, 2)
    a.c.cudaMemset2D(here, 8, 1, 16, 1)
    a.c.cudaMemset2D(here, 8, 1, 16, 0)
    a.c.cudaGetLastError()


@question()
def functions_of_the_driver(w: World) -> None:
    """Of cudaGetDriverEntryPoint: flags, names, versions, and whether it initialises the driver."""
    a = fresh(w)
    a.c.cudaGetDriverEntryPoint(b"cuMemAlloc", 0)
    a.c.cuDeviceGetCount()
    for flags in (0, 1, 2, 3, 4):
        for symbol in (b"cuMemAlloc", b"cuNothing", b"cudaMalloc", b""):
            a.c.cudaGetDriverEntryPoint(symbol, flags)
    for version in (0, 2000, 12000, 13000, 13010, 14000, 99000):
        for symbol in (b"cuMemAlloc", b"cuMemPrefetchAsync", b"cuNothing"):
            a.c.cudaGetDriverEntryPointByVersion(symbol, version, 0)
    a.c.cudaGetLastError()


@question()
def resets(w: World) -> None:
    """Of cudaDeviceReset with memory, pools, streams, another thread, and a context of the driver; what is left after it."""
    a = using(w)
    pointer, made, working = memory(a), pool(a), stream(a)
    held = a.ok.cudaMallocFromPoolAsync(PAGE, made, working)
    other = a.thread(w.thread_name())
    other.c.cudaSetDevice(0)
    a.c.cudaSetDevice(99)
    a.c.cudaDeviceReset()
    situation(a)
    a.c.cudaGetLastError()
    a.c.cudaPointerGetAttributes(pointer)
    a.c.cudaFree(pointer)
    a.c.cudaMemPoolGetAttribute(made, 5)
    a.c.cudaPointerGetAttributes(held)
    other.c.cudaGetDevice()
    other.c.cudaMalloc(PAGE)
    b = using(w)
    mine = memory(b)
    b.c.cuCtxCreate(None, 0, 0)
    b.c.cudaDeviceReset()
    situation(b)
    b.c.cudaFree(mine)
    b.c.cuCtxPopCurrent()
    situation(b)
    b.c.cudaDeviceReset()
    situation(b)


@question()
def references_to_the_primary_context(w: World) -> None:
    """Who holds it: releases and resets by the driver API between calls of the runtime."""
    a = using(w)
    pointer = memory(a)
    a.c.cuDevicePrimaryCtxRelease(0)
    situation(a)
    a.c.cudaFree(pointer)
    a.c.cudaMalloc(PAGE)
    situation(a)
    b = using(w)
    memory(b)
    b.c.cuDevicePrimaryCtxReset(0)
    situation(b)
    b.c.cudaMalloc(PAGE)
    situation(b)
    c = fresh(w)
    c.c.cuInit(0)
    primary = c.c.cuDevicePrimaryCtxRetain(0)[1]
    c.c.cuCtxSetCurrent(primary)
    c.c.cudaMalloc(PAGE)
    c.c.cuDevicePrimaryCtxRelease(0)
    situation(c)
    c.c.cuDevicePrimaryCtxRelease(0)
    situation(c)


@question()
def last_errors(w: World) -> None:
    """What is a last error: work that is not done, a success, another thread's, the driver's."""
    a = using(w)
    working = stream(a)
    a.ok.cudaLaunchHostFunc(working, a.c_function("usleep"), WHILE)
    a.c.cudaStreamQuery(working)
    a.c.cudaPeekAtLastError()
    a.c.cudaGetLastError()
    a.c.cudaGetLastError()
    a.c.cudaStreamSynchronize(working)
    other = a.thread(w.thread_name())
    a.c.cudaSetDevice(99)
    other.c.cudaGetLastError()
    other.c.cudaFree(5)
    a.c.cudaPeekAtLastError()
    a.c.cuMemAlloc(0)
    a.c.cudaGetLastError()
    a.c.cudaGetErrorName(99999)
    a.c.cudaGetLastError()
    a.c.cudaRuntimeGetVersion(null="runtimeVersion")
    a.c.cudaGetLastError()
    a.c.cudaDriverGetVersion(null="driverVersion")
    a.c.cudaGetLastError()


@question()
def devices_that_are_chosen(w: World) -> None:
    """Of cudaChooseDevice with one device's own properties, with less, with what no device has, and with null."""
    a = using(w)
    own = a.ok.cudaGetDeviceProperties(0)
    empty = tuple(
        tuple(0 for _ in value) if isinstance(value, tuple) else b"" if isinstance(value, bytes) else 0 for value in own
    )
    a.c.cudaChooseDevice(own)
    a.c.cudaChooseDevice(empty)
    a.c.cudaChooseDevice((*empty[:4], 1 << 60, *empty[5:]))
    a.c.cudaChooseDevice(None)
    a.c.cudaChooseDevice(own, null="device")
    for flags in ((0, 3, 0), (0, 3, 1), (0, 0, 2), (99, 0, 0), (0, 256, 1), (0, 8, 1)):
        a.c.cudaInitDevice(*flags)


@question()
def handles_of_other_processes(w: World) -> None:
    """IPC by the runtime: flags, the process's own handle, closed twice, freed by the exporter's driver call."""
    a, b = using(w), using(w)
    pointer = memory(a)
    handle = a.ok.cudaIpcGetMemHandle(pointer)
    for flags in (0, 1, 2):
        code, mine = b.c.cudaIpcOpenMemHandle(handle, flags)
        if not code:
            b.c.cudaPointerGetAttributes(mine)
            b.c.cudaIpcOpenMemHandle(handle, flags)
            b.c.cudaIpcCloseMemHandle(mine)
            b.c.cudaIpcCloseMemHandle(mine)
            b.c.cudaIpcCloseMemHandle(mine)
            b.c.cudaFree(mine)
    a.c.cudaIpcOpenMemHandle(handle, 1)
    a.c.cudaIpcCloseMemHandle(pointer)
    a.c.cudaIpcGetMemHandle(pointer + 8)
    a.c.cudaIpcGetMemHandle(managed(a))
    a.c.cudaIpcGetMemHandle(pinned(a))
    b.c.cudaIpcOpenMemHandle(bytes(64), 1)
    b.c.cuIpcOpenMemHandle(handle, 1)
    b.c.cudaGetLastError()
