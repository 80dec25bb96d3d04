"""Tables of legal and illegal argument values of the driver's calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.kit.world import GRANULE, POSIX, access, pinned
from fakecuda.spec.driver import ENUMS
from fakecuda.spec.stream_values import DOMAIN, DOMAIN_MAP, POLICY, PRIORITY, WINDOW

if TYPE_CHECKING:
    from collections.abc import Sequence

Values = tuple["Sequence[Any]", "Sequence[Any]"]
"""The legal and the illegal values of a parameter."""

PAGE = 4096
LATE = "c"
"""The process that calls cuInit late or never."""
NOWHERE = 0x3FF0_0000_0000
"""An address that no driver returns."""
ATTRIBUTE = ENUMS["CUpointer_attribute"]
MEMORY_TYPE, BUFFER_ID = ATTRIBUTE["CU_POINTER_ATTRIBUTE_MEMORY_TYPE"], ATTRIBUTE["CU_POINTER_ATTRIBUTE_BUFFER_ID"]
SYNC_MEMOPS = ATTRIBUTE["CU_POINTER_ATTRIBUTE_SYNC_MEMOPS"]
DEFAULT_STREAMS = (0, 1, 2)
STREAM_ATTRIBUTES = (WINDOW, POLICY, PRIORITY, DOMAIN_MAP, DOMAIN)
NOR = 3
"""A wait condition that is soon true, because no program writes -1."""
PROPERTIES = (pinned(), pinned(handle_types=POSIX), (1, 0, (2, 0), 0, (0, 0, 0)))
IMPROPER = (
    (0, 0, (1, 0), 0, (0, 0, 0)),
    (1, 99, (1, 0), 0, (0, 0, 0)),
    (1, 0, (9, 0), 0, (0, 0, 0)),
    (1, 0, (1, 99), 0, (0, 0, 0)),
    (1, 0, (0, 0), 0, (0, 0, 0)),
    (1, 0, (1, 0), 0, (9, 0, 0)),
    (1, 0, (1, 0), 0, (0, 0, 1)),
    (1, 0, (1, 0), 0, (0, 1, 0)),
    (1, 0, (3, 99), 0, (0, 0, 0)),
    (1, POSIX, (2, 0), 0, (0, 0, 0)),
    (1, 8, (1, 0), 0, (0, 0, 0)),
)
"""Valid (above) and invalid CUmemAllocationProp structs."""
LOCATIONS = ((1, 0), (1, 1), (2, 0), (3, 0), (4, 0))
NO_LOCATIONS = ((0, 0), (1, 99), (3, 99), (3, 99), (6, 0), (6, 0), (9, 0))
"""CUmemLocation structs: where pages can be (above), and where not."""

BLOCK = 32 << 20
"""The block size of pools, whose reservations are multiples of it."""
POOLS = (
    (1, 0, (1, 0), 0, 0, 0, 0),
    (1, 0, (1, 1), 0, 0, 0, 0),
    (1, POSIX, (1, 0), 0, 0, 0, 0),
    (1, 0, (1, 0), 0, BLOCK, 0, 0),
    (1, 0, (2, 0), 0, 0, 0, 0),
    (2, 0, (0, 0), 0, 0, 0, 0),
)
NO_POOLS = (
    (0, 0, (1, 0), 0, 0, 0, 0),
    (1, 0, (0, 0), 0, 0, 0, 0),
    (1, 0, (1, 99), 0, 0, 0, 0),
    (1, 0, (3, 99), 0, 0, 0, 0),
    (1, 2, (1, 0), 0, 0, 0, 0),
    (1, 8, (1, 0), 0, 0, 0, 0),
    (1, POSIX, (2, 0), 0, 0, 0, 0),
    (1, 0, (1, 0), PAGE, 0, 0, 0),
    (1, 0, (1, 0), 0, 0, 0, 1),
    (2, POSIX, (0, 0), 0, 0, 0, 0),
    (2, 0, (0, 0), 0, BLOCK, 0, 0),
    (2, 0, (0, 0), 0, 0, 2, 0),
)
"""Valid (above) and invalid CUmemPoolProps structs."""
PLACES = ((1, 0), (1, 1), (1, 0), (2, 0), (3, 0))
NO_PLACES = ((0, 0), (1, 99), (3, 99), (99, 0))
"""Valid (above) and invalid locations of pools."""

ATTRIBUTES = (1, (0, 0), (0, 0), 0)
"""A CUmemcpyAttributes."""

CHOICES: dict[tuple[str, str], Values] = {
    ("cuInit", "Flags"): ((0,), (1,)),
    ("cuGetErrorName", "error"): ((0, 1, 700), (12345,)),
    ("cuGetErrorString", "error"): ((0, 1, 700), (12345,)),
    ("cuGetProcAddress", "symbol"): ((b"cuMemAlloc", b"cuInit"), (b"cuNone",)),
    ("cuGetProcAddress", "cudaVersion"): ((13000, 2000), (99999,)),
    ("cuGetProcAddress", "flags"): ((0, 1, 2), (4,)),
    ("cuFlushGPUDirectRDMAWrites", "scope"): ((100, 200), (0,)),
    ("cuDevicePrimaryCtxSetFlags", "flags"): ((0, 4), (3,)),
    ("cuCtxSetFlags", "flags"): ((0, 1, 4, 16), (3, 256)),
    ("cuCtxSetLimit", "limit"): ((0, 4, 5), (3, 7, 99)),
    ("cuCtxSetLimit", "value"): ((64, 128), (1 << 20,)),
    ("cuCtxAttach", "flags"): ((0,), (1,)),
    ("cuDeviceGetP2PAtomicCapabilities", "operations"): (((0,), (0, 12)), (None, (99,))),
    ("cuDeviceGetP2PAtomicCapabilities", "count"): ((1,), (0,)),
    ("cuDeviceGetHostAtomicCapabilities", "operations"): (((0,), (0, 12)), (None, (99,))),
    ("cuDeviceGetHostAtomicCapabilities", "count"): ((1,), (0,)),
    ("cuMemAllocPitch", "WidthInBytes"): ((1, 512, 1000), (0, 1 << 62, 1 << 62)),
    ("cuMemAllocPitch", "Height"): ((7, 8), (0,)),
    ("cuMemAllocPitch", "ElementSizeBytes"): ((4, 8, 16), (0, 5)),
    ("cuMemAllocHost", "bytesize"): ((1, PAGE), (0, 1 << 46)),
    ("cuMemHostAlloc", "bytesize"): ((1, PAGE), (0, 1 << 46)),
    ("cuMemHostAlloc", "Flags"): ((0, 1, 2, 4, 7), (8,)),
    ("cuMemAllocManaged", "bytesize"): ((1, PAGE), (0,)),
    ("cuMemAllocManaged", "flags"): ((1, 2), (0, 3)),
    ("cuMemHostGetDevicePointer", "Flags"): ((0,), (1,)),
    ("cuMemHostRegister", "bytesize"): ((PAGE, 100), (0,)),
    ("cuMemHostRegister", "Flags"): ((0, 8, 8, 1), (4, 16)),
    ("cuMemGetHandleForAddressRange", "size"): ((PAGE,), (0, 100)),
    ("cuMemGetHandleForAddressRange", "handleType"): ((1,), (0, 99)),
    ("cuMemGetHandleForAddressRange", "flags"): ((0,), (1, 2)),
    ("cuPointerGetAttributes", "numAttributes"): ((1, 2), (0,)),
    ("cuPointerGetAttributes", "attributes"): (((MEMORY_TYPE, BUFFER_ID),), (None, (99, MEMORY_TYPE))),
    ("cuPointerSetAttribute", "value"): ((0, 1), (None,)),
    ("cuPointerSetAttribute", "attribute"): ((SYNC_MEMOPS,), (MEMORY_TYPE, 99)),
    ("cuMemAdvise", "count"): ((1, PAGE), (0, 1 << 40)),
    ("cuMemAdvise", "advice"): ((1, 2, 3, 4, 5, 6), (0, 7)),
    ("cuMemAdvise", "location"): (LOCATIONS, NO_LOCATIONS),
    ("cuMemPrefetchAsync", "count"): ((1, PAGE), (0, 1 << 40)),
    ("cuMemPrefetchAsync", "location"): (LOCATIONS, NO_LOCATIONS),
    ("cuMemPrefetchAsync", "flags"): ((0,), (1,)),
    ("cuMemRangeGetAttribute", "dataSize"): ((4,), (0, 8)),
    ("cuMemRangeGetAttribute", "attribute"): ((1, 2, 3, 4, 5, 7), (0, 9)),
    ("cuMemRangeGetAttribute", "count"): ((1, PAGE), (0, 1 << 40)),
    ("cuMemRangeGetAttributes", "dataSizes"): (((4, 4), (4, 8)), (None, (4, 0))),
    ("cuMemRangeGetAttributes", "attributes"): (((1, 3), (2, 3), (4, 3)), (None, (0, 3))),
    ("cuMemRangeGetAttributes", "numAttributes"): ((1, 2), (0,)),
    ("cuMemRangeGetAttributes", "count"): ((1, PAGE), (0, 1 << 40)),
    ("cuMemcpy", "ByteCount"): ((0, 1, 16), (1 << 40,)),
    ("cuMemcpyPeer", "ByteCount"): ((0, 1, 16), (1 << 40,)),
    ("cuMemcpyPeerAsync", "ByteCount"): ((0, 1, 16), (1 << 40,)),
    ("cuMemcpyAsync", "ByteCount"): ((0, 1, 16), (0, 16)),
    ("cuMemcpyDtoDAsync", "ByteCount"): ((0, 1, 16), (1 << 40,)),
    ("cuMemcpyDtoHAsync", "dstHost"): ((None,), (None,)),
    ("cuMemcpyDtoHAsync", "ByteCount"): ((0, 1), (1,)),
    ("cuMemcpyHtoDAsync", "srcHost"): ((None,), (None,)),
    ("cuMemcpyHtoDAsync", "ByteCount"): ((0, 1), (1,)),
    ("cuMemsetD16", "N"): ((0, 4), (1 << 40,)),
    ("cuMemsetD16Async", "N"): ((0, 4), (1 << 40,)),
    ("cuMemsetD32Async", "N"): ((0, 2), (1 << 40,)),
    ("cuMemsetD8Async", "uc"): ((0, 7), (7,)),
    ("cuMemsetD8Async", "N"): ((0, 4), (1 << 40,)),
    ("cuMemsetD2D8", "uc"): ((0, 7), (7,)),
    ("cuMemsetD2D8Async", "uc"): ((0, 7), (7,)),
    **{
        (f"cuMemsetD2D{bits}{how}", name): values
        for bits in (8, 16, 32)
        for how in ("", "Async")
        for name, values in {
            "dstPitch": ((16, 64), (0, 17, 17, 17)),
            "Width": ((1, 2, 4), (0, 1 << 40)),
            "Height": ((1, 2, 3), (0, 1 << 40)),
        }.items()
    },
    ("cuMemsetD32", "N"): ((0, 2), (1 << 40,)),
    ("cuCtxCreate", "ctxCreateParams"): ((None, None, None, (0, 1, 0)), ((0, 1, 0),)),
    ("cuCtxCreate", "flags"): ((0,), (3,)),
    ("cuDeviceGet", "ordinal"): ((0, 1), (-1, 99)),
    ("cuDeviceGetName", "len"): ((64, 256, 5), (0, -1)),
    ("cuStreamAddCallback", "userData"): ((0,), (0,)),
    ("cuMemcpyBatchAsync", "sizes"): (((8, 16),), ((1 << 40, 8), (0, 8))),
    ("cuMemcpyBatchAsync", "attrs"): (((ATTRIBUTES,),), (((0, *ATTRIBUTES[1:]),), ((*ATTRIBUTES[:3], 2),))),
    ("cuMemcpyBatchAsync", "attrsIdxs"): (((0,),), ((1,),)),
    ("cuMemcpyBatchAsync", "numAttrs"): ((1,), (0,)),
    ("cuMemcpyBatchAsync", "count"): ((2,), (0,)),
    ("cuCtxCreate", "dev"): ((0, 1), (-1, 99)),
    ("cuCtxDestroy", "ctx"): ((0,), (0,)),
    ("cuCtxDetach", "ctx"): ((0,), (0,)),
    ("cuDeviceGetByPCIBusId", "pciBusId"): ((b"0000:ff:1f.7",), (b"x", None)),
    ("cuDeviceGetPCIBusId", "len"): ((20,), (3,)),
    ("cuMemcpyDtoH", "dstHost"): ((None,), (None,)),
    ("cuMemcpyDtoH", "ByteCount"): ((0, 1), (1,)),
    ("cuMemcpyHtoD", "srcHost"): ((None,), (None,)),
    ("cuMemcpyHtoD", "ByteCount"): ((0, 1), (1,)),
    ("cuIpcOpenMemHandle", "Flags"): ((1,), (0, 2)),
    ("cuCtxEnablePeerAccess", "Flags"): ((0,), (1,)),
    ("cuMemAlloc", "bytesize"): ((1, PAGE, GRANULE, 3 * GRANULE), (0, 1 << 60)),
    ("cuMemcpyDtoD", "ByteCount"): ((0, 1, 16), (1 << 40,)),
    ("cuMemsetD8", "uc"): ((0, 7), (7,)),
    ("cuMemsetD8", "N"): ((0, 4), (1 << 40,)),
    ("cuMemAddressReserve", "size"): ((GRANULE, 2 * GRANULE, 4 * GRANULE), (0, 1, 1 << 60)),
    ("cuMemAddressReserve", "alignment"): ((0, GRANULE), (3,)),
    ("cuMemAddressReserve", "addr"): ((0,), (1,)),
    ("cuMemAddressReserve", "flags"): ((0,), (1,)),
    ("cuMemAddressFree", "size"): ((GRANULE, 2 * GRANULE), (0,)),
    ("cuMemCreate", "size"): ((GRANULE, GRANULE, 2 * GRANULE), (0, 1, 1 << 50)),
    ("cuMemCreate", "prop"): ((*PROPERTIES, pinned(1), pinned(1, POSIX)), (None, *IMPROPER)),
    ("cuMemCreate", "flags"): ((0,), (1,)),
    ("cuMemMap", "size"): ((GRANULE, GRANULE, 2 * GRANULE), (0, 3 * GRANULE)),
    ("cuMemMap", "offset"): ((0,), (GRANULE,)),
    ("cuMemMap", "flags"): ((0,), (1,)),
    ("cuMemMapArrayAsync", "count"): ((1,), (0,)),
    ("cuMemUnmap", "size"): ((GRANULE, GRANULE, 2 * GRANULE), (0, 1)),
    ("cuMemSetAccess", "size"): ((GRANULE, GRANULE, 2 * GRANULE), (0, 8 * GRANULE)),
    ("cuMemSetAccess", "desc"): (
        ((access(),), (access(1),), (access(0, 1),), (access(0, 0),)),
        (None, (access(99),), (access(flags=2),), (((2, 0), 3),), (((2, 0), 3),)),
    ),
    ("cuMemSetAccess", "count"): ((1,), (0,)),
    ("cuMemGetAccess", "location"): (((1, 0), (1, 1)), (None, (1, 99))),
    ("cuMemGetAllocationGranularity", "prop"): (PROPERTIES, (None, *IMPROPER)),
    ("cuMemGetAllocationGranularity", "option"): ((0, 1), (99,)),
    ("cuMemExportToShareableHandle", "handleType"): ((1,), (2, 99)),
    ("cuMemExportToShareableHandle", "flags"): ((0,), (1,)),
    ("cuMemImportFromShareableHandle", "shHandleType"): ((1,), (99,)),
    ("cuEventCreate", "Flags"): ((0, 0, 2, 6), (4, 8)),
    ("cuMemAllocAsync", "bytesize"): ((1, PAGE, GRANULE, BLOCK), (0, 1 << 60)),
    ("cuMemAllocFromPoolAsync", "bytesize"): ((1, PAGE, GRANULE, BLOCK), (0, 1 << 60)),
    ("cuMemPoolCreate", "poolProps"): (POOLS, (None, *NO_POOLS)),
    ("cuMemPoolTrimTo", "minBytesToKeep"): ((0, 1, BLOCK), (1 << 60,)),
    ("cuMemPoolSetAttribute", "attr"): ((1, 2, 3, 4, 6, 8), (0, 5, 7, 99)),
    ("cuMemPoolSetAttribute", "value"): ((0,), (1,)),
    ("cuMemPoolGetAttribute", "attr"): ((1, 2, 3, 4, 5, 6, 7, 8), (0, 99)),
    ("cuMemPoolSetAccess", "map"): (
        ((access(),), (access(1),)),
        (
            None,
            *((access(*wrong),) for wrong in ((99,), (0, 2), (0, 1), (0, 0))),
            (((2, 0), 3),),
            (((2, 0), 0),),
            (((0, 0), 3),),
        ),
    ),
    ("cuMemPoolSetAccess", "count"): ((1,), (0,)),
    ("cuMemPoolGetAccess", "location"): (((1, 0), (1, 1), (2, 0)), (None, (1, 99), (0, 0))),
    ("cuMemPoolExportToShareableHandle", "handleType"): ((1,), (2, 99)),
    ("cuMemPoolExportToShareableHandle", "flags"): ((0,), (1,)),
    ("cuMemPoolImportFromShareableHandle", "handleType"): ((1,), (2, 99)),
    ("cuMemPoolImportFromShareableHandle", "flags"): ((0,), (1,)),
    ("cuMemGetDefaultMemPool", "location"): (PLACES, (None, *NO_PLACES)),
    ("cuMemGetDefaultMemPool", "type"): ((1, 2), (0, 99)),
    ("cuMemGetMemPool", "location"): (PLACES, (None, *NO_PLACES)),
    ("cuMemGetMemPool", "type"): ((1, 2), (0, 99)),
    ("cuMemSetMemPool", "location"): (PLACES, (None, *NO_PLACES)),
    ("cuMemSetMemPool", "type"): ((1, 1, 1, 2), (0, 99)),
    ("cuEventRecordWithFlags", "flags"): ((0, 0, 1), (2,)),
    ("cuStreamAttachMemAsync", "length"): ((0, 0, PAGE), (1,)),
    ("cuStreamAttachMemAsync", "flags"): ((1, 1, 2, 4), (3,)),
    ("cuStreamGetAttribute", "attr"): (STREAM_ATTRIBUTES, (0, 2, 99)),
    ("cuStreamSetAttribute", "attr"): (STREAM_ATTRIBUTES[1:2], (0, 99)),
    ("cuStreamSetAttribute", "value"): (((1,), (2,), (3,)), ((0,),)),
    ("cuStreamCreate", "Flags"): ((0, 1), (2,)),
    ("cuStreamCreateWithPriority", "flags"): ((0, 1), (2,)),
    ("cuStreamCreateWithPriority", "priority"): ((0, -1, -1000, 1000), (0,)),
    ("cuStreamWaitEvent", "Flags"): ((0,), (1, 2)),
    ("cuStreamWaitValue32", "value"): ((0,), (0,)),
    ("cuStreamWaitValue32", "flags"): ((NOR,), (4, 1 << 30, 1 << 30)),
    ("cuStreamWaitValue64", "value"): ((0,), (0,)),
    ("cuStreamWaitValue64", "flags"): ((NOR,), (4, 1 << 30)),
    ("cuStreamWriteValue32", "value"): ((0, 7), (7,)),
    ("cuStreamWriteValue32", "flags"): ((0,), (1, 1, 2)),
    ("cuStreamWriteValue64", "value"): ((0, 1 << 40), (7,)),
    ("cuStreamWriteValue64", "flags"): ((0,), (1, 2)),
    ("cuStreamBatchMemOp", "count"): ((1,), (1,)),
    ("cuStreamBatchMemOp", "paramArray"): ((((6, 0),), ((6, 1),)), (((6, 2),), ((6, 2),), ((99,),), ((3, 0),))),
    ("cuStreamBatchMemOp", "flags"): ((0,), (1,)),
}
"""Legal and illegal values by call and parameter, if the type is not enough."""
BY_TYPE: dict[str, Values] = {
    "CUdevice": ((0, 1), (-1, 99)),
    "unsigned short": ((0, 7), (7,)),
    "unsigned int": ((0, 7), (7,)),
}
POOLED = {"cuMemFreeAsync", "cuMemPoolExportPointer"}
"""Calls that receive addresses of pool memory."""
NEEDS_RESULTS = {
    *("cuGetErrorName", "cuGetErrorString", "cuGetProcAddress", "cudaGetErrorName", "cudaGetErrorString"),
    *("cudaGetDriverEntryPoint", "cudaGetDriverEntryPointByVersion", "cudaIpcGetMemHandle", "cudaStreamGetDevice"),
}
"""Calls that crash on a null result pointer."""
KEEPS_DEAD_CONTEXTS = {"cuCtxGetId", "cuCtxGetApiVersion", "cuCtxGetDevice_v2", "cuCtxSynchronize_v2"}
"""Calls that accept a destroyed context."""
RANGES = {"cuMemAdvise", "cuMemPrefetchAsync", "cuMemRangeGetAttribute", "cuMemRangeGetAttributes"}
"""Calls that take an address of managed memory."""
TRUSTED = {"cuMemcpy", "cuMemcpyAsync", "cuMemcpyPeer", "cuMemcpyPeerAsync"}
"""Calls that treat an address as a host address if no device has it."""
