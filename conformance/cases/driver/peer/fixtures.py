"""What worlds with peers are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.kit.world import Process, World


def peered(w: World) -> Process:
    """Return a process on device 0 of a machine with a second device that it can access."""
    w.needs_devices(2)
    a = w.process()
    w.needs(a.ok.cuDeviceCanAccessPeer(0, 1), "peer access")
    return a


def peer_of(a: Process, device: int = 1) -> int:
    """Return a new context of the process on a device; it is not current."""
    context: int = a.ok.cuCtxCreate(None, 0, device)
    a.ok.cuCtxPopCurrent()
    return context


def alloc_in(a: Process, context: int, size: int = 4096) -> int:
    """Return the address of new memory of a context that is not current."""
    a.ok.cuCtxPushCurrent(context)
    ptr: int = a.ok.cuMemAlloc(size)
    a.ok.cuCtxPopCurrent()
    return ptr
