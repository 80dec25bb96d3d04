"""Questions about two devices that one device leaves open: crashes of copies and waits, and what is current after a reset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.peer.fixtures import peer_of, peered
from conformance.cases.driver.pool.fixtures import memory, pool
from conformance.cases.driver.stream.fixtures import word
from conformance.cases.runtime.fixtures import fresh, using
from conformance.kit.world import POSIX, location
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import Process, Thread, World

INTERPROCESS = 6
"""cuEventCreate's flags of an event that can be shared."""


def situation(a: Process | Thread) -> None:
    """Ask what is current, what the runtime says of it, and which primary contexts are active."""
    a.c.cuCtxGetCurrent()
    a.c.cuCtxGetDevice()
    a.c.cudaGetDevice()
    a.c.cuDevicePrimaryCtxGetState(0)
    a.c.cuDevicePrimaryCtxGetState(1)


def initialises(a: Process, device: int) -> None:
    """Initialise a device, and look around before and after."""
    situation(a)
    a.c.cudaInitDevice(device, 0, 0)
    situation(a)
    a.c.cudaFree(0)
    situation(a)


@question()
def what_initialising_a_device_makes_current(w: World) -> None:
    """Whether it is the device's primary context: after none, a live one, a reset one, a destroyed one."""
    w.needs_devices(2)
    for device in (0, 1):
        initialises(fresh(w), device)
        a = using(w, 1)
        initialises(a, device)
        a = using(w, 1)
        a.c.cudaDeviceReset()
        initialises(a, device)
        a = using(w, 1)
        a.c.cuDevicePrimaryCtxReset(1)
        initialises(a, device)
        a = using(w, 1)
        other = a.ok.cuCtxCreate(None, 0, 1)
        a.c.cuCtxDestroy(other)
        initialises(a, device)
        a = using(w, 1)
        a.c.cuCtxSetCurrent(a.ok.cuCtxCreate(None, 0, 1))
        initialises(a, device)


@question()
def what_a_reset_leaves_current(w: World) -> None:
    """Which device a thread has after it, and which the calls after it use."""
    w.needs_devices(2)
    for call in ("cudaGetDevice", "cudaDeviceSynchronize", "cudaGetDeviceFlags", "cudaStreamCreate", "cudaMemGetInfo"):
        a = using(w, 1)
        a.c.cudaDeviceReset()
        getattr(a.c, call)()
        situation(a)
    a = using(w, 1)
    a.c.cudaDeviceReset()
    a.c.cudaSetDevice(99)
    situation(a)
    a.c.cudaDeviceReset()
    situation(a)
    a.c.cuCtxPopCurrent()
    situation(a)


def waits(w: World, *, recorded: bool, peers: bool, call: str) -> None:
    """Have a stream of device 1 wait for a shared event of device 0, in processes of their own."""
    a = peered(w)
    context = peer_of(a)
    if peers:
        a.ok.cuCtxEnablePeerAccess(context, 0)
    shared = a.ok.cuEventCreate(INTERPROCESS)
    if recorded:
        a.ok.cuEventRecord(shared, 0)
    a.ok.cuCtxPushCurrent(context)
    if call == "cuCtxWaitEvent":
        a.c.cuCtxWaitEvent(context, shared)
    else:
        getattr(a.c, call)(0, shared, 0)
    a.c.cuCtxSynchronize()


@question()
def waits_for_a_shared_event_of_another_device(w: World) -> None:
    """Whether they end the process, as they do in another context of its device."""
    for call in ("cuStreamWaitEvent", "cudaStreamWaitEvent"):
        for recorded in (True, False):
            for peers in (True, False):
                waits(w, recorded=recorded, peers=peers, call=call)


@question()
def waits_in_a_context_for_a_shared_event_of_another_device(w: World) -> None:
    """The same of cuCtxWaitEvent."""
    for recorded in (True, False):
        waits(w, recorded=recorded, peers=False, call="cuCtxWaitEvent")


@question()
def pools_of_another_device_without_a_context(w: World) -> None:
    """Which copies between contexts end the process that name none for a side in a pool of the other device."""
    for handles in (0, POSIX):
        for owner in (0, 1):
            for named in (False, True):
                for source in (False, True):
                    a = peered(w)
                    contexts = (a.context, peer_of(a))
                    a.ok.cuCtxPushCurrent(contexts[1 - owner])
                    far = memory(a, pool(a, handle_types=handles, location=location(owner)))
                    into = word(a)
                    a.c.cuCtxSynchronize()
                    there = contexts[owner] if named else 0
                    if source:
                        a.c.cuMemcpyPeer(into, there, far, 0, 4)
                    else:
                        a.c.cuMemcpyPeer(far, 0, into, there, 4)
                    a.c.cuCtxSynchronize()


@question()
def memory_that_was_just_made(w: World) -> None:
    """Whether cudaFree takes what cudaMalloc gave, beside a process with contexts on both devices."""
    b = peered(w)
    peer_of(b)
    for _ in range(12):
        a = fresh(w)
        ptr = a.ok.cudaMalloc(4096)
        a.c.cudaMallocHost(4096)
        a.c.cudaFree(ptr)


USES: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("cudaDeviceSynchronize", ()),
    ("cudaFree", (0,)),
    ("cudaMalloc", (16,)),
    ("cudaStreamSynchronize", (0,)),
    ("cudaMemGetInfo", ()),
    ("cudaGetDeviceFlags", ()),
    ("cudaSetDeviceFlags", (4,)),
    ("cudaDeviceReset", ()),
    ("cudaInitDevice", (0, 4, 0)),
    ("cudaDeviceGetLimit", (0,)),
    ("cudaDeviceGetLimit", (99,)),
    ("cudaDeviceDisablePeerAccess", (0,)),
    ("cudaDeviceEnablePeerAccess", (0, 64)),
    ("cudaEventCreate", ()),
    ("cudaStreamGetDevice", (0,)),
)


@question()
def which_device_is_used_where_nothing_is_current(w: World) -> None:
    """After cudaSetDevice and the removal of its context from the thread's stack."""
    w.needs_devices(2)
    for call, args in USES:
        a = using(w, 1)
        a.c.cuCtxSetCurrent(0)
        a.c.cudaGetDevice()
        getattr(a.c, call)(*args)
        situation(a)
    a = using(w, 1)
    a.c.cuCtxPopCurrent()
    a.c.cudaGetDevice()
    a.c.cudaDeviceSynchronize()
    situation(a)


@question()
def a_thread_that_resets_the_device_of_another(w: World) -> None:
    """What is current in one thread while another one uses the other device and resets it."""
    w.needs_devices(2)
    for dropped in (True, False):
        a = using(w, 1)
        if dropped:
            a.c.cuCtxSetCurrent(0)
        a.c.cudaDeviceSynchronize()
        situation(a)
        other = a.thread("second")
        other.c.cudaSetDevice(99)
        other.c.cudaDeviceEnablePeerAccess(0, 64)
        situation(other)
        other.c.cudaDeviceGetLimit(99)
        situation(a)
        other.c.cudaDeviceReset()
        situation(a)
        other.c.cudaInitDevice(0, 4, 0)
        situation(a)
        situation(other)


@question()
def what_is_chosen_after_the_first_device_was_used(w: World) -> None:
    """Whether the use of a device where nothing was current is a choice, for cudaGetDevice and for flags."""
    w.needs_devices(2)
    for drop in ("cuCtxSetCurrent", "cuCtxPopCurrent"):
        args = (0,) if drop == "cuCtxSetCurrent" else ()
        a = using(w, 1)
        a.c.cudaSetDeviceFlags(4)
        getattr(a.c, drop)(*args)
        a.c.cudaGetDeviceFlags()
        a.c.cudaGetDevice()
        a.c.cudaDeviceSynchronize()
        getattr(a.c, drop)(*args)
        a.c.cudaGetDevice()
        a.c.cudaGetDeviceFlags()
        a.c.cudaStreamGetDevice(0)
        situation(a)
    a = using(w, 1)
    a.c.cuCtxSetCurrent(0)
    a.c.cudaGetDevice()
    a.c.cudaSetDevice(99)
    a.c.cudaGetDevice()
    other = a.ok.cuCtxCreate(None, 0, 0)
    a.c.cudaGetDevice()
    a.c.cuCtxDestroy(other)
    a.c.cudaGetDevice()
    a.c.cudaMalloc(16)
    situation(a)
