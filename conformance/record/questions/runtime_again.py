"""More questions about the runtime API: what its first answers left open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures import (
    PAGE,
    box,
    destroyed,
    event,
    fresh,
    managed,
    memory,
    pinned,
    pool,
    rows,
    stream,
    using,
)
from conformance.kit.program import FORKED, INSIDE
from conformance.record.questions.fixtures import question
from conformance.record.questions.runtime import situation

if TYPE_CHECKING:
    from conformance.kit.world import Process, World


@question()
def which_calls_with_objects_make_a_context(w: World) -> None:
    """A call with an object of the process, from a thread to which nothing is current, and what is there then."""
    a = using(w)
    one, other, working, given = event(a), event(a), stream(a), pool(a)
    a.ok.cudaEventRecord(one, working)
    a.ok.cudaEventRecord(other, working)
    a.ok.cudaStreamSynchronize(working)
    calls: tuple[tuple[str, tuple[object, ...]], ...] = (
        ("cudaEventQuery", (one,)),
        ("cudaEventSynchronize", (one,)),
        ("cudaEventElapsedTime", (one, other)),
        ("cudaEventDestroy", (0,)),
        ("cudaEventRecord", (one, working)),
        ("cudaStreamGetDevice", (working,)),
        ("cudaStreamGetDevice", (0,)),
        ("cudaStreamQuery", (working,)),
        ("cudaMallocAsync", (0, working)),
        ("cudaMallocAsync", (0, 0)),
        ("cudaMallocFromPoolAsync", (0, given, working)),
        ("cudaFreeAsync", (0, working)),
        ("cudaMemcpyAsync", (0, 0, 0, 4, working)),
        ("cudaMemcpyPeer", (0, 0, 0, 0, 0)),
        ("cudaMemcpy2D", (0, 0, 0, 0, 0, 0, 4)),
        ("cudaMallocManaged", (0, 1)),
        ("cudaMemPoolTrimTo", (given, 0)),
        ("cudaMemGetDefaultMemPool", ((1, 0), 1)),
        ("cudaIpcCloseMemHandle", (0,)),
        ("cudaHostUnregister", (0,)),
        ("cudaMemPrefetchAsync", (0, 0, (1, 0), 0, working)),
    )
    for call, arguments in calls:
        thread = a.thread(w.thread_name())
        getattr(thread.c, call)(*arguments)
        thread.c.cuCtxGetCurrent()


@question()
def nothing_with_bad_arguments(w: World) -> None:
    """What is looked at where nothing is allocated."""
    a = using(w)
    for flags in (0, 1, 2, 3, 4):
        a.c.cudaMallocManaged(0, flags)
    for flags in (0, 64, 256):
        a.c.cudaHostAlloc(0, flags)
    for null in ("", "devPtr"):
        a.c.cudaMallocAsync(0, 0, null=null)
        a.c.cudaMallocManaged(0, 1, null=null)
        a.c.cudaMalloc(0, null=null)
    a.c.cudaMalloc3D((0, 0, 0), null="pitchedDevPtr")
    a.c.cudaMallocPitch(0, 0, null="devPtr")
    destroyed(a)
    for size in (0, PAGE):
        a.c.cudaMalloc(size)
        a.c.cudaMallocHost(size)
        a.c.cudaMallocManaged(size, 1)
        a.c.cudaMallocAsync(size, 0)
        a.c.cudaMallocPitch(size, size)
    situation(a)


@question()
def forks_of_processes_without_the_runtime(w: World) -> None:
    """What forks of a process answer that has initialised the driver alone, and of one that uses the runtime."""
    a = fresh(w)
    a.ok.cuInit(0)
    b = using(w)
    made, waiting = event(b), stream(b)
    for parent in (a, b):
        c = parent.thread(FORKED).c
        for call, arguments in (
            ("cudaGetDeviceCount", ()),
            ("cudaGetDevice", ()),
            ("cudaGetDeviceProperties", (0,)),
            ("cudaDeviceGetAttribute", (75, 0)),
            ("cudaDeviceGetAttribute", (75, 99)),
            ("cudaDeviceGetAttribute", (9999, 0)),
            ("cudaDeviceGetPCIBusId", (20, 0)),
            ("cudaDeviceGetPCIBusId", (20, 99)),
            ("cudaDeviceGetP2PAttribute", (1, 0, 0)),
            ("cudaDeviceCanAccessPeer", (0, 0)),
            ("cudaRuntimeGetVersion", ()),
            ("cudaDriverGetVersion", ()),
            ("cudaSetDeviceFlags", (3,)),
            ("cudaInitDevice", (0, 3, 1)),
            ("cudaMalloc", (0,)),
            ("cudaFree", (0,)),
            ("cudaMemcpy", (0, 0, 0, 4)),
            ("cudaMallocManaged", (0, 1)),
            ("cudaHostAlloc", (0, 64)),
            ("cudaGetDriverEntryPoint", (b"cuMemAlloc", 0)),
            ("cudaChooseDevice", (None,)),
            ("cudaPeekAtLastError", ()),
            ("cudaEventQuery", (made,)),
            ("cudaEventSynchronize", (made,)),
            ("cudaEventElapsedTime", (made, made)),
            ("cudaEventQuery", (0,)),
            ("cudaStreamQuery", (waiting,)),
        ):
            if parent is b or (made not in arguments and waiting not in arguments):
                getattr(c, call)(*arguments)
    b.c.cudaGetLastError()


@question()
def calls_inside_functions_of_the_host(w: World) -> None:
    """What else is refused there, and whether it is a last error."""
    a = using(w)
    made, waiting = event(a), stream(a)
    c = a.thread(INSIDE).c
    for call, arguments in (
        ("cudaGetDeviceCount", ()),
        ("cudaGetDevice", ()),
        ("cudaGetDeviceProperties", (0,)),
        ("cudaGetDeviceFlags", ()),
        ("cudaSetDevice", (0,)),
        ("cudaSetDevice", (99,)),
        ("cudaSetDeviceFlags", (0,)),
        ("cudaDeviceCanAccessPeer", (0, 0)),
        ("cudaRuntimeGetVersion", ()),
        ("cudaDriverGetVersion", ()),
        ("cudaGetErrorName", (1,)),
        ("cudaEventQuery", (made,)),
        ("cudaEventDestroy", (made,)),
        ("cudaStreamGetDevice", (waiting,)),
        ("cudaMalloc", (0,)),
        ("cudaGetDriverEntryPoint", (b"cuMemAlloc", 0)),
        ("cudaPeekAtLastError", ()),
        ("cudaGetLastError", ()),
        ("cudaGetLastError", ()),
    ):
        getattr(c, call)(*arguments)
    a.c.cudaGetLastError()


@question()
def slices_of_one_row(w: World) -> None:
    """Whether a pitch counts where there is one row, or one slice; contexts that are not the device's own."""
    a = using(w)
    given = rows(a)
    for extent in ((16, 1, 1), (16, 1, 2), (16, 2, 1), (16, 2, 2)):
        for pitched in ((given[0], 8, 64, 4), (given[0], 0, 64, 4), (given[0], 512, 64, 0), (given[0], 512, 64, 1)):
            a.c.cudaMemcpy3D(box(a, srcPtr=pitched, extent=extent))
            a.c.cudaMemcpy3D(box(a, srcPtr=pitched, extent=extent, kind=5))
    for array in (0, 1):
        a.c.cudaMemcpy3D(box(a, srcArray=array, srcPtr=(0, 0, 0, 0), extent=(0, 1, 1)))
    a.c.cudaMemcpy3D(None)


@question()
def a_context_of_the_driver_beneath(w: World) -> None:
    """What the runtime does with a context that the driver API made: memory, streams, flags, peers, its end."""
    a = fresh(w)
    a.ok.cuInit(0)
    made = a.ok.cuCtxCreate(None, 0, 0)
    pointer, waiting = memory(a), stream(a)
    a.c.cudaPointerGetAttributes(pointer)
    a.c.cudaSetDeviceFlags(256)
    a.c.cudaSetDeviceFlags(4)
    a.c.cudaDeviceEnablePeerAccess(0, 1)
    a.c.cudaDeviceDisablePeerAccess(99)
    a.c.cudaInitDevice(0, 4, 1)
    situation(a)
    a.c.cudaSetDevice(0)
    situation(a)
    a.c.cudaFree(pointer)
    a.c.cudaStreamQuery(waiting)
    a.c.cudaStreamDestroy(waiting)
    a.c.cudaDeviceReset()
    a.c.cuCtxSetCurrent(made)
    a.c.cuCtxDestroy(made)
    situation(a)
    a.c.cudaMalloc(PAGE)
    situation(a)
    a.c.cudaHostGetFlags(pinned(a))
    a.c.cudaStreamAttachMemAsync(0, managed(a), 0, 1)


@question()
def interprocess_events_of_another_context(w: World) -> None:
    """Whether an event that can be shared is used where another context than its own is current, also after a fork."""
    for forks in (False, True):
        for resets in (False, True):
            a = w.process()
            first = a.ok.cuEventCreate(6)
            second = a.ok.cuCtxCreate(None, 0, 0)
            shared, waiting = a.ok.cuEventCreate(6), stream_of_driver(a)
            a.ok.cuEventRecord(shared, 0)
            if forks:
                a.thread(FORKED).c.cuEventRecord(first, 2)
            if resets:
                a.c.cudaDeviceReset()
            a.c.cuIpcGetEventHandle(first)
            a.c.cuStreamWaitEvent(waiting, first, 0)
            a.ok.cuCtxPopCurrent()
            a.c.cuIpcGetEventHandle(shared)
            a.c.cuStreamWaitEvent(waiting, shared, 0)
            a.c.cudaSetDevice(0)
            a.c.cuIpcGetEventHandle(first)
            a.c.cuIpcGetEventHandle(shared)
            a.c.cuStreamWaitEvent(waiting, shared, 0)
            a.c.cuStreamWaitEvent(waiting, first, 0)
            a.c.cuCtxDestroy(second)


def stream_of_driver(a: Process) -> int:
    """Return a new stream of the current context."""
    made: int = a.ok.cuStreamCreate(1)
    return made


@question()
def flags_that_a_device_is_initialised_with(w: World) -> None:
    """Whether cudaInitDevice sets the flags of a context that is active, and what a reset leaves of references."""
    a = using(w)
    for flags in ((4, 1), (8, 1), (2, 0), (1, 1), (256, 0), (0, 1)):
        a.c.cudaInitDevice(0, *flags)
        a.c.cudaGetDeviceFlags()
    b = using(w)
    b.c.cuDevicePrimaryCtxRetain(0)
    b.c.cudaDeviceReset()
    situation(b)
    b.c.cuDevicePrimaryCtxRelease(0)
    b.c.cuDevicePrimaryCtxRelease(0)
    b.c.cudaMalloc(PAGE)
    b.c.cuDevicePrimaryCtxReset(0)
    b.c.cudaMalloc(PAGE)
    b.c.cuDevicePrimaryCtxRelease(0)
    situation(b)
    b.c.cuDevicePrimaryCtxRelease(0)
    c = using(w)
    c.c.cuDevicePrimaryCtxRelease(0)
    c.c.cudaDeviceReset()
    situation(c)
    c.c.cuDevicePrimaryCtxRelease(0)


@question()
def prefetches_of_nothing(w: World) -> None:
    """Which of a null pointer and a device that is none is looked at first."""
    a = using(w)
    made, waiting = managed(a), stream(a)
    for ptr in (0, 1, made, memory(a)):
        for place in ((1, 99), (1, 0), (2, 0), (3, 99)):
            a.c.cuMemPrefetchAsync(ptr, PAGE, place, 0, waiting)
            a.c.cudaMemPrefetchAsync(ptr, PAGE, place, 0, waiting)
            a.c.cuMemAdvise(ptr, PAGE, 3, place)
            a.c.cudaMemAdvise(ptr, PAGE, 3, place)
