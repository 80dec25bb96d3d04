"""Fixtures of the runtime API: a process with only this API, and its objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Process, World

PAGE = 4096
POSIX = 1
HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEFAULT = range(5)
"""cudaMemcpyKind."""
HERE = (1, 0)
"""The cudaMemLocation of the first device."""
POOL = (1, POSIX, HERE, 0, 0, 0)
"""A cudaMemPoolProps: pinned, shareable memory of the first device."""
EXTENT = (16, 2, 2)
BYTES, FLOATS = (8, 0, 0, 0, 1), (32, 32, 0, 0, 2)
"""cudaChannelFormatDesc structs: one unsigned byte, and two floats."""
INTERPROCESS = 6
"""cudaEventInterprocess with cudaEventDisableTiming, which it needs."""
ATTRIBUTES = (1, (0, 0), (0, 0), 0)
"""A cudaMemcpyAttributes."""


def fresh(w: World, device: int = 0) -> Process:
    """Return a process without calls."""
    w.needs_cudart()
    return w.process(device, context=False, init=False)


def using(w: World, device: int = 0) -> Process:
    """Return a process whose main thread uses a device only by the runtime API."""
    w.needs_cudart()
    return w.runtime_process(device)


def destroyed(a: Process) -> None:
    """Leave a process's main thread with a destroyed driver context."""
    made = a.ok.cuCtxCreate(None, 0, 0)
    a.thread("destroying").ok.cuCtxDestroy(made)


def peered(w: World) -> Process:
    """Return a process on one of two peers, with active primary contexts on both."""
    w.needs_devices(2)
    a = using(w, 1)
    a.ok.cudaSetDevice(0)
    w.needs(a.ok.cudaDeviceCanAccessPeer(0, 1), "peer access")
    return a


def memory(a: Process, size: int = PAGE) -> int:
    """Return the address of new memory of the device."""
    pointer: int = a.ok.cudaMalloc(size)
    return pointer


def pinned(a: Process) -> int:
    """Return the address of new page-locked memory."""
    pointer: int = a.ok.cudaHostAlloc(PAGE, 0)
    return pointer


def registered(a: Process) -> int:
    """Return the address of registered host memory."""
    pointer = a.host_memory(PAGE)
    a.ok.cudaHostRegister(pointer, PAGE, 0)
    return pointer


def managed(a: Process) -> int:
    """Return the address of new managed memory."""
    pointer: int = a.ok.cudaMallocManaged(PAGE, 1)
    return pointer


def stream(a: Process) -> int:
    """Return a new stream that does not block on the default one."""
    made: int = a.ok.cudaStreamCreateWithFlags(1)
    return made


def event(a: Process, flags: int = 0) -> int:
    """Return a new event."""
    made: int = a.ok.cudaEventCreateWithFlags(flags)
    return made


def recorded(a: Process) -> int:
    """Return a recorded event with timing."""
    made = event(a)
    a.ok.cudaEventRecord(made, 0)
    a.ok.cudaEventSynchronize(made)
    return made


def pool(a: Process) -> int:
    """Return a new pool."""
    made: int = a.ok.cudaMemPoolCreate(POOL)
    return made


def pooled(a: Process) -> int:
    """Return the address of new pool memory in the default stream."""
    pointer: int = a.ok.cudaMallocFromPoolAsync(PAGE, pool(a), 0)
    return pointer


def graph(a: Process) -> int:
    """Return a new graph."""
    made: int = a.ok.cudaGraphCreate(0)
    return made


def node(a: Process, of: int) -> int:
    """Return a new empty node."""
    made: int = a.ok.cudaGraphAddEmptyNode(of, None, 0)
    return made


def array(a: Process, width: int = 64, height: int = 16, channels: tuple[int, ...] = BYTES) -> int:
    """Return a new array, by default of bytes."""
    made: int = a.ok.cudaMallocArray(channels, width, height, 0)
    return made


def rows(a: Process) -> tuple[int, ...]:
    """Return the cudaPitchedPtr of new memory for slices of rows."""
    made: tuple[int, ...] = a.ok.cudaMalloc3D((64, 4, 2))
    return made


def box(a: Process, **changed: Plain) -> tuple[Plain, ...]:
    """Return a cudaMemcpy3DParms between slices; ``changed`` sets other members."""
    members = {
        "srcArray": 0,
        "srcPos": (0, 0, 0),
        "srcPtr": rows(a),
        "dstArray": 0,
        "dstPos": (0, 0, 0),
        "dstPtr": rows(a),
        "extent": EXTENT,
        "kind": DEVICE_TO_DEVICE,
    }
    return tuple({**members, **changed}.values())


def between(a: Process, **changed: Plain) -> tuple[Plain, ...]:
    """Return a cudaMemcpy3DPeerParms on the first device; see :func:`box`."""
    members = {
        "srcArray": 0,
        "srcPos": (0, 0, 0),
        "srcPtr": rows(a),
        "srcDevice": 0,
        "dstArray": 0,
        "dstPos": (0, 0, 0),
        "dstPtr": rows(a),
        "dstDevice": 0,
        "extent": EXTENT,
    }
    return tuple({**members, **changed}.values())
