"""Programs that break one rule each of HIP's calls on memory: a valid call with one thing wrong."""

from __future__ import annotations

from typing import Any

from conformance.cases.hip.side import ALL, PROP, SIZE
from conformance.cases.hip.varied import (
    DEVICE,
    HOST,
    G,
    batch,
    batch3d,
    flat,
    managed,
    operation,
    parms,
    peer,
    pooled,
    prefetches,
    rows,
    set3d,
    slices,
    solid,
)

INVALID = ALL
"""A stream that is none."""

FLAT = ("DrvMemcpy2DUnaligned",), ("MemcpyParam2D",), ("MemcpyParam2DAsync", 0)
"""Calls that take a description of two dimensions, and the stream."""
SOLID = ("DrvMemcpy3D",), ("DrvMemcpy3DAsync", 0)
"""The same of three."""

BREAKING: dict[str, tuple[Any, ...]] = {
    "fill.POINTER_IS_IN_MEMORY": (
        lambda w: w("MemsetD16", 0, 7, 4),
        lambda w: w("MemsetD32Async", w.host, 7, 4, w.stream()),
        lambda w: w("MemsetD16Async", w.freed(), 7, 4, w.stream()),
        lambda w: w("MemsetD32", w.host, 7, 4),
        lambda w: w("Memset3DAsync", (w.host, 100, 100, 4), 7, (100, 4, 3), w.stream()),
    ),
    "fill.SIZE_FITS": (lambda w: w("MemsetD16", w.ptr, 7, SIZE), lambda w: set3d(w, extent=(100, 4, 99))),
    "fill.HEIGHT_FITS": (
        lambda w: set3d(w, extent=(100, 5, 1)),
        lambda w: set3d(w, (w.ptr, 0, 100, 4), (100, 4, 3)),
    ),
    "fill.PITCH_SPANS_THE_ROW": (lambda w: set3d(w, (w.ptr, 99, 100, 4)), lambda w: set3d(w, (slices(w)[0], 0, 0, 4))),
    "fill.ROWS_LIE_IN_MEMORY": (lambda w: set3d(w, (w.ptr, 1000, 100, 4), (100, 4, 3)),),
    "stream.STREAM_IS_LIVE": (
        lambda w: w("MemsetD16Async", w.ptr, 7, 4, INVALID),
        lambda w: solid(w, "DrvMemcpy3DAsync", INVALID),
        lambda w: parms(w, "Memcpy3DAsync", INVALID),
        lambda w: w("MemPrefetchAsync", managed(w), SIZE, 0, INVALID),
    ),
    "shape.MEMORY_TYPE_IS_KNOWN": (lambda w: flat(w, s_kind=3), lambda w: solid(w, d_kind=0)),
    "shape.ARRAY_IS_GIVEN": (lambda w: flat(w, s_kind=10), lambda w: solid(w, d_kind=10)),
    "shape.ARRAY_IS_KNOWN": (
        lambda w: flat(w, s_kind=10, s_array=64),
        lambda w: parms(w, s_array=64, src=(0, 100, 100, 4)),
    ),
    "shape.ADDRESS_IS_GIVEN": (
        *(lambda w, more=more: flat(w, *more, s_host=0) for more in FLAT),
        *(lambda w, more=more: flat(w, *more, d_device=0) for more in FLAT),
        lambda w: w("Memcpy2D", 0, 128, w.ptr, 128, 64, 2, 3),
    ),
    "shape.PITCH_SPANS_THE_ROW": (
        *(lambda w, more=more: flat(w, *more, s_pitch=99) for more in FLAT),
        *(lambda w, more=more: solid(w, *more, d_pitch=99) for more in SOLID),
    ),
    "shape.HEIGHT_SPANS_THE_SLICE": (*(lambda w, more=more: solid(w, *more, s_rows=3) for more in SOLID),),
    "shape.MEMORY_IS_KNOWN": (
        *(lambda w, more=more: flat(w, *more, d_device=w.host) for more in FLAT),
        lambda w: w("Memcpy2D", w.ptr, 128, w.host, 128, 64, 2, 3),
    ),
    "shape.SPAN_FITS": (
        *(lambda w, more=more: flat(w, *more, dy=1) for more in FLAT),
        *(lambda w, more=more: solid(w, *more, sz=1) for more in SOLID),
    ),
    "shape.END_FITS": (lambda w: flat(w, d_device=rows(w)[0] + 1600),),
    "copy.PITCH_SPANS_THE_ROW": (lambda w: w("Memcpy2D", 0, 63, 0, 128, 64, 2, 3),),
    "copy.DIRECTION_FITS": (
        lambda w: w("Memcpy", w.host, w.host, 8, 1),
        lambda w: w("MemcpyHtoD", w.host, w.host, 8),
        lambda w: parms(w, src=(w.host, 100, 100, 4)),
    ),
    "copy.KIND_IS_KNOWN": (
        lambda w: w("Memcpy", w.host, w.ptr, 8, 5),
        lambda w: w("MemcpyAsync", w.host, w.ptr, 0, 5, 0),
        lambda w: parms(w, kind=5),
    ),
    "copy.POINTERS_ARE_GIVEN": (lambda w: w("Memcpy", 0, w.ptr, 8, 5),),
    "copy.DEVICE_IS_THERE": (lambda w: w("MemcpyPeer", w.ptr, 2, w.ptr, 0, 0),),
    "volume.DESCRIPTION_IS_GIVEN": (lambda w: w("DrvMemcpy3D", None), lambda w: w("Memcpy3D", None)),
    "volume.DESCRIPTION_IS_READ": (lambda w: w("MemcpyParam2D", None), lambda w: w("MemcpyParam2DAsync", None, 0)),
    "volume.EACH_SIDE_IS_ONE": (
        lambda w: parms(w, s_array=64),
        lambda w: parms(w, src=(0, 100, 100, 4)),
        lambda w: parms(w, dst=(0, 100, 100, 4)),
    ),
    "volume.PITCH_SPANS_XSIZE": (
        lambda w: parms(w, dst=(w.host, 99, 100, 4)),
        lambda w: parms(w, src=(w.ptr, 99, 100, 4)),
    ),
    "volume.PITCH_IS_SMALL": (lambda w: parms(w, dst=(w.host, (1 << 31) - 1, 100, 4)),),
    "volume.PITCH_SPANS_THE_ROW": (lambda w: parms(w, d_at=(1, 0, 0)), lambda w: parms(w, s_at=(413, 0, 0))),
    "volume.EXTENT_FITS": (
        lambda w: parms(w, s_at=(0, 4, 0)),
        lambda w: parms(w, src=(w.ptr, 100, 100, 4), extent=(100, 4, 11)),
    ),
    "active.RESULTS_ARE_GIVEN": (
        lambda w: w("Malloc3D", (1, 1, 1), null=0),
        lambda w: w("MallocPitch", 1, 1, null=1),
    ),
    "memory.MEMORY_SUFFICES": (
        lambda w: w("Malloc3D", (1, ALL, 1)),
        lambda w: w("Malloc3D", (1 << 40, 1, 1)),
        lambda w: w("HostMalloc", 1 << 60, 0),
    ),
    "memory.WIDTH_CAN_BE_PADDED": (
        lambda w: w("MallocPitch", ALL, 1),
        lambda w: w("MemAllocPitch", ALL, 1, 4),
        lambda w: w("Malloc3D", (ALL, 1, 1)),
    ),
    "memory.AREA_IS_POSITIVE": (lambda w: w("MemAllocPitch", 0, 1, 4), lambda w: w("MemAllocPitch", 1, 0, 3)),
    "memory.ELEMENT_SIZE_IS_KNOWN": (lambda w: w("MemAllocPitch", 1, 1, 3),),
    "memory.POINTER_IS_A_BASE": (
        lambda w: w("Free", w.host),
        lambda w: w("HostFree", w.freed()),
        lambda w: w("FreeHost", w.host),
    ),
    "memory.HOST_FLAGS_AGREE": (lambda w: w("HostMalloc", SIZE, 0xC0000000),),
    "memory.ALLOC_FLAGS_ARE_KNOWN": (lambda w: w("HostAlloc", 0, 8),),
    "memory.POINTER_IS_GIVEN": (lambda w: w("HostUnregister", 0),),
    "memory.DEVICES_REACH_IT": (lambda w: w("HostGetDevicePointer", w.host, 0),),
    "memory.POINTER_IS_PAGE_LOCKED": (lambda w: w("HostGetFlags", w.ptr),),
    "va.RANGE_IS_GIVEN": (
        lambda w: w("MemAdvise", 0, SIZE, 1, 0),
        lambda w: w("MemAdvise", managed(w), 0, 3, 0),
        lambda w: w("MemPrefetchAsync", managed(w), 0, 9, INVALID),
    ),
    "managed.RANGE_FITS": (
        lambda w: w("MemAdvise", managed(w), 2 * SIZE + 1, 1, 9),
        lambda w: w("MemPrefetchAsync", managed(w) + SIZE, SIZE + 1, 9, 0),
    ),
    "managed.DEVICE_IS_THERE": (
        lambda w: w("MemAdvise", managed(w), SIZE, 3, 2),
        lambda w: w("MemAdvise", managed(w), SIZE, 5, -2),
        lambda w: w("MemPrefetchAsync", managed(w), SIZE, 2, 0),
    ),
    "managed.ADVICE_IS_KNOWN": (lambda w: w("MemAdvise", managed(w), SIZE, -1, 0),),
    "managed.RANGE_IS_MANAGED": (
        lambda w: w("MemAdvise", w.ptr, SIZE, 1, 0),
        lambda w: w("MemAdvise", 4096, SIZE, 1, 0),
        lambda w: w("MemRangeGetAttribute", 4, 1, w.ptr, SIZE),
        lambda w: w("MemRangeGetAttribute", 4, 1, managed(w), 2 * SIZE + 1),
        lambda w: w("MemRangeGetAttributes", (4,), (1,), 1, managed(w), 2 * SIZE + 1),
    ),
    "managed.DEVICE_REACHES_IT": (lambda w: w("MemPrefetchAsync", w.host, SIZE, 0, 0),),
    "managed.DATA_IS_GIVEN": (
        lambda w: w("MemRangeGetAttribute", 4, 1, managed(w), SIZE, null=0),
        lambda w: w("MemRangeGetAttribute", 0, 1, managed(w), SIZE),
        lambda w: w("MemRangeGetAttribute", 4, 1, 0, SIZE),
        lambda w: w("MemRangeGetAttribute", 4, 1, managed(w), 0),
        lambda w: w("MemRangeGetAttributes", None, (1,), 1, managed(w), SIZE),
        lambda w: w("MemRangeGetAttributes", (4,), None, 1, managed(w), SIZE),
        lambda w: w("MemRangeGetAttributes", (4,), (1,), 0, managed(w), SIZE),
        lambda w: w("MemRangeGetAttributes", (4,), (1,), 1, managed(w), SIZE, null=0),
    ),
    "managed.ATTRIBUTE_IS_KNOWN": (
        lambda w: w("MemRangeGetAttribute", 4, 5, managed(w), SIZE),
        lambda w: w("MemRangeGetAttributes", (4,), (5,), 1, managed(w), SIZE),
    ),
    "managed.SIZE_IS_THE_ATTRIBUTES": (
        lambda w: w("MemRangeGetAttribute", 8, 1, managed(w), SIZE),
        lambda w: w("MemRangeGetAttribute", 10, 3, managed(w), SIZE),
        lambda w: w("MemRangeGetAttributes", (8,), (1,), 1, managed(w), SIZE),
    ),
    "managed.MEMORY_IS_HIPS": (lambda w: w("MemRangeGetAttributes", (4,), (1,), 1, w.ptr, SIZE),),
    "stream.STREAM_TO_USE_IS_LIVE": (
        lambda w: w("FreeAsync", pooled(w), INVALID),
        lambda w: w("MallocAsync", 0, INVALID),
    ),
    "pool.LOCATION_TO_OPEN_IS_A_DEVICE": (lambda w: w("MemPoolSetAccess", w.pool, (((2, 9), 9),), 1),),
    "active.DEVICE_IS_THERE": (lambda w: w("MemPoolSetAccess", w.pool, (((1, 2), 9),), 1),),
    "pool.FLAGS_ARE_KNOWN": (lambda w: w("MemPoolSetAccess", w.pool, (((1, 1), 9),), 1),),
    "pool_sharing.IMPORT_FLAGS_ARE_ZERO": (lambda w: w("MemPoolImportFromShareableHandle", 1 << 30, 1, 1),),
    "pool_sharing.HANDLE_IS_A_POOL": (lambda w: w("MemPoolImportFromShareableHandle", 1 << 30, 1, 0),),
    "pool_sharing.POINTER_IS_GIVEN": (lambda w: w("MemPoolExportPointer", 0),),
    "pool_sharing.POINTER_IS_IN_MEMORY": (lambda w: w("MemPoolExportPointer", w.host),),
    "pool_sharing.POINTER_IS_OF_A_POOL": (
        lambda w: w("MemPoolExportPointer", w.ptr),
        lambda w: w("MemPoolExportPointer", pooled(w)),
    ),
    "pool_sharing.DATA_NAMES_MEMORY": (lambda w: w("MemPoolImportPointer", w.pool, bytes(64)),),
    "va.INFOS_ARE_GIVEN": (lambda w: w("MemMapArrayAsync", None, 1, 0), lambda w: w("MemMapArrayAsync", w.host, 0, 0)),
}
"""By the ids of rules below ``hip``, programs of which the last call breaks that one, on HIP as of both years."""
NEW: dict[str, tuple[Any, ...]] = {
    "memory.HOST_FLAGS_AGREE": (lambda w: w("HostMalloc", SIZE, 0x90000000),),
    "active.RESULTS_ARE_GIVEN": (lambda w: w("MemGetMemPool", DEVICE, 1, null=0),),
    "fill.SIZE_FITS": (
        lambda w: w("MemsetD2D8", w.ptr, 512, 7, 512, 9),
        lambda w: w("MemsetD2D16Async", w.ptr, 512, 7, 512, 9, w.stream()),
    ),
    "fill.ROWS_LIE_IN_MEMORY": (
        lambda w: w("MemsetD2D32", w.ptr, 512, 7, 129, 8),
        lambda w: w("MemsetD2D16", w.ptr, 512, 7, 2, 9),
        lambda w: w("MemsetD2D8Async", w.ptr, 512, 7, 2, 9, w.stream()),
        lambda w: w("MemsetD2D32Async", w.ptr, 512, 7, 2, 9, w.stream()),
    ),
    "volume.DESCRIPTION_IS_GIVEN": (lambda w: w("Memcpy3DPeer", None),),
    "copy.DEVICE_IS_THERE": (lambda w: peer(w, s_device=2), lambda w: peer(w, "Memcpy3DPeerAsync", 0, d_device=-1)),
    "stream.STREAM_IS_LIVE": (lambda w: peer(w, "Memcpy3DPeerAsync", INVALID),),
    "shape.MEMORY_IS_KNOWN": (lambda w: peer(w, src=(w.host, 100, 100, 4)),),
    "stream.STREAM_TO_USE_IS_LIVE": (
        lambda w: batch(w, stream=INVALID, count=0),
        lambda w: batch3d(w, operation(w), stream=INVALID),
        lambda w: w("FreeAsync", 0, INVALID),
    ),
    "batch.ARRAYS_ARE_GIVEN": (
        *(lambda w, name=name: batch(w, **{name: None}) for name in ("dsts", "srcs", "sizes")),
        lambda w: batch(w, count=0),
    ),
    "batch.ATTRIBUTES_ARE_GIVEN": (lambda w: batch(w, attrs=None), lambda w: batch(w, indices=None)),
    "batch.INDICES_MAKE_SENSE": (
        lambda w: batch(w, indices=(1, 0)),
        lambda w: batch(w, indices=(0, 0)),
        lambda w: batch(w, indices=(0, 2)),
        lambda w: batch(w, attrs=((1, DEVICE, DEVICE, 0),) * 3, indices=(0, 1, 1), attr_count=3),
    ),
    "batch.ORDER_IS_KNOWN": (lambda w: batch(w, attrs=((0, DEVICE, DEVICE, 0),) * 2),),
    "batch.BYTES_ARE_COPIED": (lambda w: batch(w, sizes=(SIZE, 0)),),
    "copy.POINTERS_ARE_GIVEN": (lambda w: batch(w, srcs=(w.host, 0)), lambda w: batch(w, dsts=(0, w.ptr))),
    "copy.SIZES_SUFFICE": (lambda w: batch(w, sizes=(SIZE, SIZE + 1)),),
    "batch.OPERATIONS_ARE_GIVEN": (batch3d, lambda w: batch3d(w, operation(w), flags=1)),
    "batch.PLACE_OF_THE_FAILURE_IS_GIVEN": (lambda w: batch3d(w, operation(w), null=0),),
    "batch.OPERAND_IS_KNOWN": (lambda w: batch3d(w, operation(w, kind=0)),),
    "shape.ARRAY_IS_KNOWN": (lambda w: batch3d(w, operation(w, kind=2)),),
    "shape.ARRAY_IS_GIVEN": (lambda w: batch3d(w, operation(w, 0, kind=2)),),
    "volume.EACH_SIDE_IS_ONE": (lambda w: batch3d(w, operation(w), operation(w, 0)),),
    "volume.PITCH_IS_SMALL": (lambda w: batch3d(w, operation(w, row=1 << 31)),),
    "volume.PITCH_SPANS_THE_ROW": (lambda w: batch3d(w, operation(w, row=63)),),
    "volume.EXTENT_FITS": (lambda w: batch3d(w, operation(w, extent=(64, 2, 33))),),
    "shape.HEIGHT_SPANS_THE_SLICE": (lambda w: batch3d(w, operation(w, height=1, extent=(64, 2, 2))),),
    "managed.LOCATION_IS_KNOWN": (lambda w: w("MemAdvise_v2", managed(w), SIZE, 3, (5, 0)),),
    "managed.DEVICE_IS_THERE": (
        lambda w: w("MemAdvise_v2", managed(w), SIZE, 3, (1, 2)),
        lambda w: w("MemPrefetchAsync_v2", managed(w), SIZE, (0, 2), 0, 0),
    ),
    "va.RANGE_IS_GIVEN": (
        lambda w: w("MemAdvise", 0, SIZE, 3, 2),
        lambda w: w("MemAdvise_v2", 0, SIZE, 1, DEVICE),
        lambda w: w("MemPrefetchAsync_v2", managed(w), 0, DEVICE, 0, 0),
    ),
    "managed.RANGE_FITS": (
        lambda w: w("MemAdvise_v2", managed(w), 2 * SIZE + 1, 1, DEVICE),
        lambda w: w("MemPrefetchAsync_v2", managed(w) + SIZE, SIZE + 1, DEVICE, 0, 0),
    ),
    "managed.ADVICE_IS_KNOWN": (lambda w: w("MemAdvise_v2", managed(w), SIZE, -1, DEVICE),),
    "managed.RANGE_IS_MANAGED": (lambda w: w("MemAdvise_v2", w.ptr, SIZE, 1, DEVICE),),
    "managed.DEVICE_REACHES_IT": (lambda w: w("MemPrefetchAsync_v2", w.host, SIZE, DEVICE, 0, 0),),
    "managed.FLAGS_ARE_ZERO": (lambda w: w("MemPrefetchAsync_v2", 0, SIZE, DEVICE, 1, 0),),
    "managed.ARGUMENTS_ARE_GIVEN": (
        *(lambda w, name=name: prefetches(w, **{name: None}) for name in ("pointers", "sizes", "locations", "indices")),
        lambda w: prefetches(w, count=0),
        lambda w: prefetches(w, location_count=0),
        lambda w: prefetches(w, location_count=3),
        lambda w: prefetches(w, flags=1),
        lambda w: prefetches(w, stream=0),
    ),
    "managed.INDICES_INCREASE": (
        lambda w: prefetches(w, indices=(1, 2)),
        lambda w: prefetches(w, indices=(0, 2)),
        lambda w: prefetches(w, indices=(0, 0)),
    ),
    "managed.RANGES_ARE_ALLOCATED": (
        lambda w: prefetches(w, sizes=(SIZE, 0)),
        lambda w: prefetches(w, pointers=(managed(w), w.host)),
        lambda w: prefetches(w, sizes=(SIZE, 2 * SIZE + 1)),
    ),
    "managed.DEVICE_OF_A_BATCH_IS_THERE": (lambda w: prefetches(w, locations=(DEVICE, (1, 2))),),
    "managed.MEMORY_IS_SHARED": (lambda w: prefetches(w, pointers=(managed(w), w.ptr)),),
    "pool.POOL_IS_GIVEN": (lambda w: w("MemSetMemPool", DEVICE, 1, 0),),
    "pool.OWNER_KEEPS_ACCESS": (lambda w: w("MemPoolSetAccess", w.pool, (((1, 0), 0),), 1),),
    "active.LOCATION_IS_A_DEVICE": (
        lambda w: w("MemGetDefaultMemPool", None, 1),
        lambda w: w("MemGetMemPool", HOST, 1),
        lambda w: w("MemSetMemPool", (1, 2), 1, w.pool),
    ),
    "pool_of_location.TYPE_HAS_A_POOL": (
        lambda w: w("MemGetMemPool", DEVICE, 0),
        lambda w: w("MemGetDefaultMemPool", DEVICE, 0),
        lambda w: w("MemSetMemPool", DEVICE, 0, w.pool),
    ),
    "pool_of_location.POOL_IS_VALID": (lambda w: w("MemSetMemPool", DEVICE, 1, 64),),
    "pool_of_location.POOL_MATCHES": (
        lambda w: w("MemSetMemPool", DEVICE, 2, w.pool),
        lambda w: w("MemSetMemPool", (1, 1), 1, w.pool),
    ),
    "pool.OWNER_KEEPS_WRITING": (lambda w: w("MemPoolSetAccess", w.pool, (((1, 0), 1),), 1),),
    "pointer.RANGE_IS_ASKED_FOR": (
        lambda w: w("MemGetHandleForAddressRange", 0, SIZE, 1, 0),
        lambda w: w("MemGetHandleForAddressRange", w.ptr, 0, 1, 0),
        lambda w: w("MemGetHandleForAddressRange", w.ptr, SIZE, 2, 0),
        lambda w: w("MemGetHandleForAddressRange", w.ptr, SIZE, 1, 1),
    ),
    "pointer.HANDLE_IS_GIVEN": (lambda w: w("MemGetHandleForAddressRange", w.ptr, SIZE, 1, 0, null=0),),
    "pointer.RANGE_IS_A_DEVICE_S": (
        lambda w: w("MemGetHandleForAddressRange", w.host, SIZE, 1, 0),
        lambda w: w("MemGetHandleForAddressRange", w.ptr, SIZE + 1, 1, 0),
        lambda w: w("MemGetHandleForAddressRange", w.mapped(), G + 1, 1, 0),
    ),
    "handle.DEVICE_IS_THERE": (lambda w: w("MemCreate", G, PROP(id=2), 0),),
    "handle.NODE_IS_THERE": (lambda w: w("MemSetAccess", w.mapped(), G, (((3, 1), 3),), 1),),
}
"""The same on HIP as of 2026 alone."""
OLD: dict[str, tuple[Any, ...]] = {
    "device.LIST_IS_IMPLEMENTED": (lambda w: w("SetValidDevices", None, 0), lambda w: w("SetValidDevices", (0,), 1)),
    "copy.STREAM_OF_ROWS_IS_LIVE": (lambda w: w("Memcpy2DAsync", w.host, 64, w.ptr, 64, 0, 0, 2, INVALID),),
    "managed.DEVICE_IS_THERE": (lambda w: w("MemAdvise", 0, SIZE, 3, 2),),
    "pool.POINTER_IS_A_BASE": (lambda w: w("FreeAsync", 0, INVALID),),
    "memory.SIZE_CAN_BE_TOLD": (lambda w: w("MemPtrGetInfo", 0),),
    "pool.OWNER_KEEPS_ACCESS": (lambda w: w("MemPoolSetAccess", w.pool, (((1, 1), 0),), 1),),
    "pool.PROPERTIES_MAKE_SENSE": (lambda w: w("MemPoolCreate", (2, 0, (1, 0), 0, 0)),),
    "volume.PITCH_SPANS_THE_ROW": (lambda w: parms(w, src=(w.ptr, 0, 0, 0)),),
    "entry_point.SYMBOL_IS_READ": (lambda w: w("GetProcAddress", None, 600, 0),),
    "handle.MEMORY_IS_MAPPED": (lambda w: w("MemRetainAllocationHandle", w.ptr),),
    "active.RESULT_IS_GIVEN": (lambda w: w("MemGetAddressRange", w.ptr, null=0),),
    "va.RESERVATION_IS_FOLLOWED": (lambda w: w("MemAddressFree", G, G),),
}
"""The same on HIP as of 2024 alone."""
