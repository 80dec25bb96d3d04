"""Arguments of valid calls of HIP on rows, slices, batches and managed memory, by the call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.hip.side import SIZE
from conformance.cases.hip.varied import DEVICE, managed, operation, rows, slices

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.cases.hip.side import Side

EXTENT = (100, 4, 3)


def flat(w: Side) -> tuple[int, ...]:
    """Return a hip_Memcpy2D from the host to a device."""
    ptr, pitch = rows(w)
    return 0, 0, 1, w.host, 0, 0, 100, 0, 0, 2, 0, ptr, 0, pitch, 100, 4


def solid(w: Side) -> tuple[int, ...]:
    """Return a HIP_MEMCPY3D from a device to the host."""
    ptr, pitch, *_ = slices(w)
    return 0, 0, 0, 0, 2, 0, ptr, 0, pitch, 4, 0, 0, 0, 0, 1, w.host, 0, 0, 100, 4, *EXTENT


def parms(w: Side) -> tuple[Any, ...]:
    """Return a hipMemcpy3DParms from a device to the host."""
    return 0, (0, 0, 0), slices(w), 0, (0, 0, 0), (w.host, 100, 100, 4), EXTENT, 2


def peer(w: Side) -> tuple[Any, ...]:
    """Return a hipMemcpy3DPeerParms from the first device to itself."""
    return 0, (0, 0, 0), slices(w), 0, 0, (0, 0, 0), slices(w), 0, EXTENT


MEMORY: dict[str, Callable[[Side], tuple[Any, ...]]] = {
    "hipDrvMemcpy2DUnaligned": lambda w: (flat(w),),
    "hipDrvMemcpy3D": lambda w: (solid(w),),
    "hipDrvMemcpy3DAsync": lambda w: (solid(w), w.stream()),
    "hipMalloc3D": lambda _: (EXTENT,),
    "hipMemAdvise": lambda w: (managed(w), SIZE, 3, 0),
    "hipMemAdvise_v2": lambda w: (managed(w), SIZE, 3, DEVICE),
    "hipMemGetDefaultMemPool": lambda _: (DEVICE, 1),
    "hipMemGetHandleForAddressRange": lambda w: (w.ptr, SIZE, 1, 0),
    "hipMemGetMemPool": lambda _: (DEVICE, 1),
    "hipMemPrefetchAsync": lambda w: (managed(w), SIZE, 0, w.stream()),
    "hipMemPrefetchAsync_v2": lambda w: (managed(w), SIZE, DEVICE, 0, w.stream()),
    "hipMemPrefetchBatchAsync": lambda w: ((managed(w),), (SIZE,), 1, (DEVICE,), (0,), 1, 0, w.stream()),
    "hipMemRangeGetAttribute": lambda w: (4, 1, managed(w), SIZE),
    "hipMemRangeGetAttributes": lambda w: ((4,), (1,), 1, managed(w), SIZE),
    "hipMemSetMemPool": lambda w: (DEVICE, 1, w.pool),
    "hipMemcpy3D": lambda w: (parms(w),),
    "hipMemcpy3DAsync": lambda w: (parms(w), w.stream()),
    "hipMemcpy3DBatchAsync": lambda w: (1, (operation(w),), 0, w.stream()),
    "hipMemcpy3DPeer": lambda w: (peer(w),),
    "hipMemcpy3DPeerAsync": lambda w: (peer(w), w.stream()),
    "hipMemcpyBatchAsync": lambda w: ((w.ptr,), (w.host,), (SIZE,), 1, None, None, 0, w.stream()),
    "hipMemcpyParam2D": lambda w: (flat(w),),
    "hipMemcpyParam2DAsync": lambda w: (flat(w), w.stream()),
    "hipMemset3D": lambda w: (slices(w), 7, EXTENT),
    "hipMemset3DAsync": lambda w: (slices(w), 7, EXTENT, w.stream()),
    "hipMemsetD16": lambda w: (w.ptr, 7, 4),
    "hipMemsetD16Async": lambda w: (w.ptr, 7, 4, w.stream()),
    "hipMemsetD2D16": lambda w: (w.ptr, 64, 7, 16, 4),
    "hipMemsetD2D16Async": lambda w: (w.ptr, 64, 7, 16, 4, w.stream()),
    "hipMemsetD2D32": lambda w: (w.ptr, 64, 7, 8, 4),
    "hipMemsetD2D32Async": lambda w: (w.ptr, 64, 7, 8, 4, w.stream()),
    "hipMemsetD2D8": lambda w: (w.ptr, 64, 7, 16, 4),
    "hipMemsetD2D8Async": lambda w: (w.ptr, 64, 7, 16, 4, w.stream()),
    "hipMemsetD32": lambda w: (w.ptr, 7, 4),
    "hipMemsetD32Async": lambda w: (w.ptr, 7, 4, w.stream()),
}
"""Arguments of a valid call, made when they are needed."""
