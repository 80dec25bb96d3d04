"""Programs that break one rule each of HIP's calls on virtual memory, pools and interprocess handles."""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Any

from conformance.cases.hip.sharing import reserved, unmapped
from conformance.cases.hip.side import ALL, PROP, SIZE
from conformance.cases.hip.using import new_pool
from conformance.cases.hip.varied import G, managed, pooled

if TYPE_CHECKING:
    from conformance.cases.hip.side import Side

DEVICE = (1, 0)


def opened(w: Side, *, gone: bool = False, freed: bool = False, number: int = 0) -> int:
    """Open memory of another process, which is gone, or has freed it, or used a device of that number."""
    other = w.machine.spawn()
    ptr = w.get("Malloc", SIZE, on=other)
    handle = w.get("IpcGetMemHandle", ptr, on=other)
    if number:
        handle = handle[:-12] + struct.pack("<I", number) + handle[-8:]
    if freed:
        w.get("Free", ptr, on=other)
    if gone:
        other.exit()
    return w("IpcOpenMemHandle", handle, 1)


def mapping(w: Side, size: int = G, offset: int = 0, flags: int = 0, **other: int) -> int:
    """Map a handle, with one argument that differs."""
    return w(
        "MemMap", other.get("ptr", 0) or reserved(w, 2 * G), size, offset, other.get("handle", 0) or w.handle(), flags
    )


def exported_handle(w: Side, kind: int = 1, flags: int = 0, handles: int = 1) -> int:
    """Export a handle, with one argument that differs."""
    handle = w.get("MemCreate", G, PROP(handles=handles), 0)
    code, descriptor = w.all("MemExportToShareableHandle", handle, kind, flags)
    if not code:
        os.close(descriptor)
    return int(code)


def granularity(w: Side, prop: Any = None, option: int = 0) -> int:
    """Ask for a granularity, with one argument that differs."""
    return w("MemGetAllocationGranularity", prop, option)


def foreign_pool(w: Side) -> int:
    """Return the default pool of the second device."""
    return int(w.get("DeviceGetDefaultMemPool", 1))


BREAKING: dict[str, tuple[Any, ...]] = {
    "handle.ARGUMENTS_MAKE_SENSE": (
        granularity,
        lambda w: granularity(w, PROP(kind=0)),
        lambda w: granularity(w, PROP(where=0)),
        lambda w: granularity(w, PROP(id=-1)),
        lambda w: granularity(w, PROP(id=2)),
        lambda w: granularity(w, PROP(), 2),
    ),
    "handle.FLAGS_ARE_ZERO": (lambda w: exported_handle(w, flags=1),),
    "handle.TYPE_WAS_REQUESTED": (
        lambda w: exported_handle(w, handles=0),
        lambda w: exported_handle(w, kind=0),
        lambda w: exported_handle(w, kind=2),
    ),
    "handle.HANDLE_IS_HELD": (lambda w: w("MemRelease", 64),),
    "handle.HANDLE_TYPE_IS_SUPPORTED": (lambda w: w("MemCreate", G, PROP(handles=2), 0),),
    "handle.MEMORY_SUFFICES": (lambda w: w("MemCreate", 1 << 50, PROP(), 0), lambda w: w("MemCreate", ALL, PROP(), 0)),
    "handle.HANDLE_IS_GIVEN": (lambda w: w("MemMap", reserved(w), G, 0, 0, 0),),
    "va.ADDRESSES_SUFFICE": (lambda w: w("MemAddressReserve", 1 << 50, 0, 0, 0),),
    "va.FLAGS_ARE_ZERO": (lambda w: w("MemAddressReserve", 1, 3, 0, 1),),
    "va.SIZE_IS_ALIGNED": (
        lambda w: w("MemAddressReserve", 0, 0, 0, 0),
        lambda w: w("MemAddressReserve", G + 1, 0, 0, 0),
        lambda w: w("MemAddressReserve", G, 3, 0, 0),
    ),
    "va.NOTHING_IS_MAPPED": (lambda w: w("MemAddressFree", w.mapped(), 1),),
    "va.RANGE_IS_GIVEN": (
        lambda w: w("MemMap", 0, G, 1, 0, 1),
        lambda w: w("MemMap", reserved(w), 0, 0, w.handle(), 0),
        lambda w: w("MemUnmap", 0, G),
    ),
    "va.OFFSET_IS_ZERO": (lambda w: mapping(w, offset=G), lambda w: mapping(w, flags=1)),
    "va.PIECE_IS_ALLOCATED": (lambda w: mapping(w, size=2 * G),),
    "active.LOCATION_IS_A_DEVICE": (
        lambda w: w("MemPoolGetAccess", w.pool, None),
        lambda w: w("MemPoolGetAccess", w.pool, (2, 0)),
        lambda w: w("MemPoolGetAccess", w.pool, (1, 2)),
    ),
    "pool.MEMORY_SUFFICES": (
        lambda w: w("MallocAsync", ALL, 0),
        lambda w: w("MallocFromPoolAsync", 1 << 40, w.pool, 0),
    ),
    "pool.POOL_IS_KNOWN": (lambda w: w("MemPoolTrimTo", 64, 0),),
    "pool.POOL_IS_THE_DEVICE_S": (lambda w: w("DeviceSetMemPool", 0, foreign_pool(w)),),
    "pool.DEVICE_HAS_A_POOL": (lambda w: w("DeviceSetMemPool", 2, 0),),
    "pool.POINTER_IS_A_BASE": (
        lambda w: w("FreeAsync", w.host, 0),
        lambda w: w("FreeAsync", pooled(w) + 8, 0),
    ),
    "pool_sharing.POOL_EXPORTS": (
        lambda w: w("MemPoolExportToShareableHandle", new_pool(w, 0), 1, 0),
        lambda w: w("MemPoolExportToShareableHandle", new_pool(w), 0, 0),
        lambda w: w("MemPoolExportToShareableHandle", new_pool(w), 1, 1),
    ),
    "ipc.POINTER_IS_ALLOCATED": (
        lambda w: w("IpcGetMemHandle", w.ptr + SIZE),
        lambda w: w("IpcGetMemHandle", w.mapped()),
        lambda w: w("IpcGetMemHandle", w.host),
        lambda w: w("IpcGetMemHandle", managed(w)),
    ),
    "ipc.FLAGS_ARE_LAZY": (lambda w: w("IpcOpenMemHandle", bytes(64), 0),),
    "ipc.HANDLE_ATTACHES": (
        lambda w: w("IpcOpenMemHandle", bytes([1]) * 48 + bytes(16), 1),
        lambda w: opened(w, gone=True),
    ),
    "ipc.POINTER_IS_A_MAPPING": (
        lambda w: w("IpcCloseMemHandle", w.ptr),
        lambda w: w("IpcCloseMemHandle", w.host),
        lambda w: w("IpcCloseMemHandle", w.mapped()),
    ),
    "ipc.EVENT_IS_GIVEN": (lambda w: w("IpcGetEventHandle", 0),),
    "ipc.EVENT_IS_INTERPROCESS": (lambda w: w("IpcGetEventHandle", w.event(2)),),
    "ipc.EVENT_IS_KNOWN": (lambda w: w("IpcOpenEventHandle", bytes(64)),),
    "memory.MANAGED_MAKES_SENSE": (
        lambda w: w("MallocManaged", 0, 1),
        lambda w: w("MallocManaged", SIZE, 0),
        lambda w: w("MallocManaged", SIZE, 4),
    ),
}
"""By the ids of rules below ``hip``, programs of which the last call breaks that one, on HIP as of both years."""
NEW: dict[str, tuple[Any, ...]] = {
    "va.PIECE_IS_ALIGNED": (lambda w: mapping(w, size=SIZE - 1),),
    "va.RANGE_IS_A_RESERVATION": (
        lambda w: w("MemAddressFree", w.host, G),
        lambda w: w("MemAddressFree", w.ptr, G),
    ),
    "va.RANGE_IS_FREE": (
        lambda w: mapping(w, ptr=w.host),
        lambda w: mapping(w, ptr=w.mapped()),
        lambda w: mapping(w, ptr=reserved(w) + SIZE),
    ),
    "va.MAPPINGS_ARE_WHOLE": (
        lambda w: w("MemUnmap", w.mapped(), G - SIZE),
        lambda w: w("MemUnmap", unmapped(w), G),
    ),
    "ipc.OWNER_IS_SEEN": (lambda w: opened(w, number=2),),
}
"""The same on HIP as of 2026 alone."""
UNDEFINED: dict[str, tuple[Any, ...]] = {
    "ipc.EXPORTER_HAS_IT": (lambda w: opened(w, freed=True),),
    "memory.POINTER_IS_THE_FIRST": (lambda w: w("Free", w.ptr + 8),),
    "reach.ACCESS_IS_GIVEN": (lambda w: w("Memcpy", w.mapped(), w.host, SIZE, 1),),
}
"""The same of which clr makes something all the same: a strict machine alone says so."""
