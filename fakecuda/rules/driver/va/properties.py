"""Rules of the CUmemAllocationProp of cuMemCreate: type, location and flags."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from fakecuda.model.memory.va import AllocFlags, Location, Prop
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device

PINNED = ENUMS["CUmemAllocationType"]["CU_MEM_ALLOCATION_TYPE_PINNED"]
LOCATION = {name.removeprefix("CU_MEM_LOCATION_TYPE_"): value for name, value in ENUMS["CUmemLocationType"].items()}
DEVICE = LOCATION["DEVICE"]
HOST = LOCATION["HOST"]
HOST_NUMA = LOCATION["HOST_NUMA"]
HOSTS = frozenset({HOST, HOST_NUMA})
LOCATIONS = HOSTS | {DEVICE}
READ_WRITE = ENUMS["CUmemAccess_flags"]["CU_MEM_ACCESS_FLAGS_PROT_READWRITE"]
POSIX = ENUMS["CUmemAllocationHandleType"]["CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR"]
FABRIC = ENUMS["CUmemAllocationHandleType"]["CU_MEM_HANDLE_TYPE_FABRIC"]
WINDOWS = 2 | 4
"""Handle types of Windows; the driver ignores bits that cuda.h does not name."""
COMPRESSIONS = frozenset(ENUMS["CUmemAllocationCompType"].values())
TILE_POOL, DECOMPRESSION = 1, 2
"""CU_MEM_CREATE_USAGE_TILE_POOL and _HW_DECOMPRESS."""
NO_CAPABILITIES = (0, 0, 0)

TYPE_IS_PINNED = Rule(
    "`prop.type` is CU_MEM_ALLOCATION_TYPE_PINNED",
    Result.INVALID_VALUE,
    observed("cuMemCreate", "the driver answers INVALID_VALUE to every other allocation type"),
    fix="set type in the CUmemAllocationProp to CU_MEM_ALLOCATION_TYPE_PINNED",
)
LOCATION_IS_KNOWN = Rule(
    "`prop.location` is a device, the host or a host NUMA node",
    Result.INVALID_VALUE,
    manual(
        "cuMemCreate", "Specifying CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT … will result in CUDA_ERROR_INVALID_VALUE"
    ),
    fix="set location.type to CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_HOST_NUMA or CU_MEM_LOCATION_TYPE_HOST",
)
HANDLE_TYPES_ARE_SUPPORTED = Rule(
    "`prop.requestedHandleTypes` has no Windows handle type, as the operating system is Linux",
    Result.INVALID_VALUE,
    observed("cuMemCreate", "the driver answers INVALID_VALUE to on Linux the Windows handle types"),
    fix="request CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR or CU_MEM_HANDLE_TYPE_FABRIC on Linux",
)
HOST_HAS_NO_HANDLE_TYPES = Rule(
    "`prop.requestedHandleTypes` is 0 if `prop.location.type` is CU_MEM_LOCATION_TYPE_HOST",
    Result.INVALID_VALUE,
    manual(
        "cuMemCreate",
        "HOST allocations are not IPC capable and … must be 0, any other value will result in CUDA_ERROR_INVALID_VALUE",
    ),
    fix="set requestedHandleTypes to 0, or location.type to CU_MEM_LOCATION_TYPE_HOST_NUMA",
)
COMPRESSION_IS_KNOWN = Rule(
    "`prop.allocFlags.compressionType` is COMP_NONE or COMP_GENERIC",
    Result.INVALID_VALUE,
    observed("cuMemCreate", "the driver answers INVALID_VALUE to other compression types"),
    fix="set compressionType to CU_MEM_ALLOCATION_COMP_NONE or CU_MEM_ALLOCATION_COMP_GENERIC",
)
HOST_HAS_NO_CAPABILITIES = Rule(
    "`prop.allocFlags` of host memory asks for neither compression nor GPUDirect RDMA",
    Result.INVALID_VALUE,
    observed("cuMemCreate", "the driver answers INVALID_VALUE to a compression type or GPUDirect RDMA for host memory"),
    fix="set compressionType and gpuDirectRDMACapable to 0 for host memory",
)
TILE_POOL_IS_PLAIN = Rule(
    "memory with CU_MEM_CREATE_USAGE_TILE_POOL has no handle types, no compression and no GPUDirect RDMA",
    Result.INVALID_VALUE,
    observed(
        "cuMemCreate",
        "the driver answers INVALID_VALUE to CU_MEM_CREATE_USAGE_TILE_POOL with handle types, "
        "compression or GPUDirect RDMA",
    ),
    fix="set requestedHandleTypes, compressionType and gpuDirectRDMACapable to 0 with CU_MEM_CREATE_USAGE_TILE_POOL",
)
DECOMPRESSION_IS_NOT_COMPRESSED = Rule(
    "memory with CU_MEM_CREATE_USAGE_HW_DECOMPRESS has no compression type",
    Result.INVALID_VALUE,
    observed(
        "cuMemCreate", "the driver answers INVALID_VALUE to CU_MEM_CREATE_USAGE_HW_DECOMPRESS with a compression type"
    ),
    fix="set compressionType to CU_MEM_ALLOCATION_COMP_NONE with CU_MEM_CREATE_USAGE_HW_DECOMPRESS",
)
NODE_IS_THERE = Rule(
    "`prop.location.id` is a NUMA node of this host if the location is a host NUMA node",
    Result.INVALID_VALUE,
    manual("cuMemCreate", "On systems where NUMA is not available … must be set to 0"),
    fix="set location.id to a NUMA node of the host; node 0 always exists",
)
DEVICE_IS_THERE = Rule(
    "`prop.location.id` is a device that the process sees if the location is a device",
    Result.INVALID_DEVICE,
    manual("cuMemCreate", "CUDA_ERROR_INVALID_DEVICE"),
    fix="set location.id to a number below the count that cuDeviceGetCount returns in this process",
)

RawProp = tuple[int, int, tuple[int, int], int, tuple[int, int, int]]


@guard
@lru_cache(maxsize=64)  # programs query the same few again and again
def properties(prop: RawProp, nodes: frozenset[int]) -> Prop:
    """Return the properties by name; they make sense together, on a host with these NUMA nodes."""
    kind, handle_types, location, metadata, flags = prop
    if kind != PINNED:
        raise TYPE_IS_PINNED.broken(type=kind)
    if location[0] not in LOCATIONS:
        raise LOCATION_IS_KNOWN.broken(location=location)
    if handle_types & WINDOWS:
        raise HANDLE_TYPES_ARE_SUPPORTED.broken(handle_types=handle_types)
    if location[0] == HOST and handle_types:
        raise HOST_HAS_NO_HANDLE_TYPES.broken(handle_types=handle_types)
    if location[0] == HOST_NUMA and location[1] not in nodes:
        raise NODE_IS_THERE.broken(node=location[1])
    # What the driver keeps: the host is its first node, compression unless memory is for RDMA, no unknown bits.
    place = Location(HOST_NUMA, 0) if location[0] == HOST else Location(*location)
    return Prop(
        kind,
        handle_types & (POSIX | FABRIC),
        place,
        metadata,
        AllocFlags(0 if flags[1] else flags[0], int(bool(flags[1])), 0),
    )


@guard
def capable(prop: RawProp) -> bool:
    """Check the requested capabilities; return whether memory is a tile pool."""
    _, handle_types, location, _, (compression, rdma, usage) = prop
    if compression not in COMPRESSIONS:
        raise COMPRESSION_IS_KNOWN.broken(compression=compression)
    if location[0] in HOSTS and (compression or rdma):
        raise HOST_HAS_NO_CAPABILITIES.broken(location=location, compression=compression, rdma=rdma)
    tiles = bool(usage & TILE_POOL)
    if tiles and (handle_types or compression or rdma):
        raise TILE_POOL_IS_PLAIN.broken(handle_types=handle_types, compression=compression, rdma=rdma)
    if usage & DECOMPRESSION and compression:
        raise DECOMPRESSION_IS_NOT_COMPRESSED.broken(compression=compression, usage=usage)
    return tiles


@guard
def home(call: Call, prop: Prop) -> Device:
    """Return the device or host of memory with these properties."""
    kind, number = prop.location
    if kind != DEVICE:
        return call.machine.host
    devices = call.process.devices
    if not 0 <= number < len(devices):
        raise DEVICE_IS_THERE.broken(device=number)
    return devices[number]
