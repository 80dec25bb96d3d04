"""Calls of HIP on memory that are valid but for one argument, or for one member of a struct."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.hip.side import SIZE

if TYPE_CHECKING:
    from conformance.cases.hip.side import Side

G = 2 << 20
DEVICE, HOST = (1, 0), (2, 0)
"""Locations."""


def rows(w: Side) -> tuple[int, int]:
    """Return new memory for four rows of 100 bytes, and its pitch."""
    _, ptr, pitch = w.all("MallocPitch", 100, 4)
    return int(ptr), int(pitch)


def slices(w: Side, width: int = 100, height: int = 4, depth: int = 3) -> tuple[int, int, int, int]:
    """Return new memory for slices of rows: a hipPitchedPtr."""
    place: tuple[int, int, int, int] = w.get("Malloc3D", (width, height, depth))
    return place


def set3d(w: Side, place: Any = None, extent: Any = (100, 4, 3)) -> int:
    """Set slices of rows, with one argument that differs."""
    return w("Memset3D", slices(w) if place is None else place, 7, extent)


def flat(w: Side, call: str = "MemcpyParam2D", *rest: int, **other: int) -> int:
    """Copy four rows from the host to a device by a hip_Memcpy2D, with one member that differs."""
    dst, pitch = rows(w)
    members: dict[str, Any] = {
        "sx": 0,
        "sy": 0,
        "s_kind": 1,
        "s_host": w.host,
        "s_device": 0,
        "s_array": 0,
        "s_pitch": 100,
        "dx": 0,
        "dy": 0,
        "d_kind": 2,
        "d_host": 0,
        "d_device": dst,
        "d_array": 0,
        "d_pitch": pitch,
        "width": 100,
        "height": 4,
    }
    return w(call, tuple((members | other).values()), *rest)


def solid(w: Side, call: str = "DrvMemcpy3D", *rest: int, **other: Any) -> int:
    """Copy slices of rows from a device to the host by a HIP_MEMCPY3D, with one member that differs."""
    src = slices(w)
    members: dict[str, Any] = {
        "sx": 0,
        "sy": 0,
        "sz": 0,
        "s_lod": 0,
        "s_kind": 2,
        "s_host": 0,
        "s_device": src[0],
        "s_array": 0,
        "s_pitch": src[1],
        "s_rows": 4,
        "dx": 0,
        "dy": 0,
        "dz": 0,
        "d_lod": 0,
        "d_kind": 1,
        "d_host": w.host,
        "d_device": 0,
        "d_array": 0,
        "d_pitch": 100,
        "d_rows": 4,
        "width": 100,
        "height": 4,
        "depth": 3,
    }
    return w(call, tuple((members | other).values()), *rest)


def parms(w: Side, call: str = "Memcpy3D", *rest: int, **other: Any) -> int:
    """Copy slices of rows from a device to the host by a hipMemcpy3DParms, with one member that differs."""
    members: dict[str, Any] = {
        "s_array": 0,
        "s_at": (0, 0, 0),
        "src": slices(w),
        "d_array": 0,
        "d_at": (0, 0, 0),
        "dst": (w.host, 100, 100, 4),
        "extent": (100, 4, 3),
        "kind": 2,
    }
    return w(call, tuple((members | other).values()), *rest)


def peer(w: Side, call: str = "Memcpy3DPeer", *rest: int, **other: Any) -> int:
    """Copy slices of rows between devices by a hipMemcpy3DPeerParms, with one member that differs."""
    src = slices(w)
    w.get("SetDevice", 1)
    dst = slices(w)
    w.get("SetDevice", 0)
    members: dict[str, Any] = {
        "s_array": 0,
        "s_at": (0, 0, 0),
        "src": src,
        "s_device": 0,
        "d_array": 0,
        "d_at": (0, 0, 0),
        "dst": dst,
        "d_device": 1,
        "extent": (100, 4, 3),
    }
    return w(call, tuple((members | other).values()), *rest)


def batch(w: Side, **other: Any) -> int:
    """Make two copies in one call, with one argument that differs."""
    args: dict[str, Any] = {
        "dsts": (w.ptr, w.ptr),
        "srcs": (w.host, w.ptr),
        "sizes": (SIZE, SIZE),
        "count": 2,
        "attrs": ((1, DEVICE, DEVICE, 0),) * 2,
        "indices": (0, 1),
        "attr_count": 2,
        "stream": 0,
    }
    return w("MemcpyBatchAsync", *(args | other).values())


def operation(
    w: Side,
    src: int | None = None,
    kind: int = 1,
    extent: tuple[int, int, int] = (64, 2, 2),
    row: int = 0,
    height: int = 0,
) -> tuple[Any, ...]:
    """Return a hipMemcpy3DBatchOp from a device to another place of it, with one member that differs."""
    return (
        (kind, ((w.ptr if src is None else src, row, height, (0, 0)),)),
        (1, ((w.ptr, 0, 0, (0, 0)),)),
        extent,
        1,
        0,
    )


def batch3d(w: Side, *operations: Any, flags: int = 0, stream: int = 0, null: int | None = None) -> int:
    """Make copies of slices in one call, with one argument that differs."""
    return w("Memcpy3DBatchAsync", len(operations), operations or None, flags, stream, null=null)


def managed(w: Side, size: int = 2 * SIZE) -> int:
    """Return new managed memory."""
    return int(w.get("MallocManaged", size, 1))


def prefetches(w: Side, **other: Any) -> int:
    """Prefetch two ranges in one call, with one argument that differs."""
    args: dict[str, Any] = {
        "pointers": (managed(w), managed(w)),
        "sizes": (SIZE, SIZE),
        "count": 2,
        "locations": (DEVICE, HOST),
        "indices": (0, 1),
        "location_count": 2,
        "flags": 0,
        "stream": w.stream(),
    }
    return w("MemPrefetchBatchAsync", *(args | other).values())


def pooled(w: Side) -> int:
    """Return new memory of the default pool, which was not exported."""
    return int(w.get("MallocAsync", SIZE, 0))
