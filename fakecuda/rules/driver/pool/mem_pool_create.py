"""cuMemPoolCreate: create a memory pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import pool_lifetime
from fakecuda.model.memory.chunk import GRANULE
from fakecuda.model.memory.pool import MANAGED, PoolProps
from fakecuda.model.memory.va import Location
from fakecuda.rules.core import Rule, Source, guard, manual, observed
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.pool.kind import LOCATIONS, WIDE, home, kind_of
from fakecuda.rules.driver.va.properties import DEVICE, FABRIC, HOST, POSIX
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.pool import Kind

USAGES = 12080
"""The first driver version that knows each usage of pools."""
RDMA = 13040
"""The first driver version whose pools have a flag for GPUDirect RDMA."""
HANDLE_TYPES = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES"]

RawProps = tuple[int, int, tuple[int, int], int, int, int, int]

PROPERTIES_ARE_GIVEN = Rule(
    "`poolProps` is not null",
    Result.INVALID_VALUE,
    manual("cuMemPoolCreate", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass a CUmemPoolProps with allocType and location",
)
LOCATION_IS_OF_MANAGED_MEMORY = Rule(
    "a managed pool's location is CU_MEM_LOCATION_TYPE_NONE or _HOST_NUMA_CURRENT, a device, the host or a "
    "host NUMA node",
    Result.NOT_SUPPORTED,
    observed(
        "cuMemPoolCreate",
        "the driver answers NOT_SUPPORTED to every other location type of a managed pool, also to unknown types",
    ),
    fix="set location.type of a managed pool to CU_MEM_LOCATION_TYPE_NONE, a device or the host",
)
DEVICE_IS_THERE = Rule(
    "`poolProps.location.id` is a device that the process sees if the location is a device",
    Result.INVALID_VALUE,
    manual("cuMemPoolCreate", "CUDA_ERROR_INVALID_VALUE"),
    fix="set location.id in the CUmemPoolProps to a number below the count that cuDeviceGetCount returns",
)
MANAGED_HAS_NO_HANDLE_TYPES = Rule(
    "`poolProps.handleTypes` of a managed pool is 0",
    Result.INVALID_VALUE,
    manual("cuMemPoolCreate", "must also be set to CU_MEM_HANDLE_TYPE_NONE since IPC is not supported"),
    fix="set handleTypes to CU_MEM_HANDLE_TYPE_NONE; managed pools cannot be shared",
)
HOST_HAS_NO_HANDLE_TYPES = Rule(
    "`poolProps.handleTypes` is 0 if `poolProps.location.type` is CU_MEM_LOCATION_TYPE_HOST",
    Result.INVALID_VALUE,
    manual(
        "cuMemPoolCreate",
        "are not IPC capable and CUmemPoolProps.handleTypes must be 0, any other values will result in "
        "CUDA_ERROR_INVALID_VALUE",
    ),
    fix="set handleTypes to CU_MEM_HANDLE_TYPE_NONE, or location.type to CU_MEM_LOCATION_TYPE_HOST_NUMA",
)
HANDLE_TYPES_ARE_SUPPORTED = Rule(
    "pools at `poolProps.location` support every type in `poolProps.handleTypes`",
    Result.INVALID_VALUE,
    manual("cuMemPoolCreate", "CUDA_ERROR_INVALID_VALUE"),
    fix="request only types among the bits of CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES",
)
MANAGED_HAS_NO_LIMIT = Rule(
    "`poolProps.maxSize` of a managed pool is 0",
    Result.INVALID_VALUE,
    manual("cuMemPoolCreate", "must be set to zero for managed memory pools"),
    fix="set maxSize to 0 for a managed pool",
)
MANAGED_HAS_NO_USAGE = Rule(
    "`poolProps.usage` of a managed pool is 0",
    Result.INVALID_VALUE,
    manual("cuMemPoolCreate", "should be zero as decompress for managed memory is not supported"),
    fix="set usage to 0 for a managed pool",
)
USAGE_IS_KNOWN = Rule(
    "`poolProps.usage` is 0 with a driver before CUDA 12.8",
    Result.INVALID_VALUE,
    Source(
        "source",
        "cuMemPoolCreate",
        "rmm sets no usage for drivers before CUDA 12.8, because they then create no pool (rapidsai/rmm#1872); the "
        "code is the code for other invalid properties",
    ),
    fix="set usage to 0 if cuDriverGetVersion returns less than 12080",
)
RDMA_IS_KNOWN = Rule(
    "the pool properties request GPUDirect RDMA only with a driver of CUDA 13.4 or later",
    Result.INVALID_VALUE,
    observed("cuMemPoolCreate", "for earlier drivers this byte is reserved, and they answer INVALID_VALUE"),
    fix="set gpuDirectRDMACapable to 0 if cuDriverGetVersion returns less than 13040",
)


@guard
def _exportable(call: Call, kind: Kind, handle_types: int) -> None:
    """Check that pools of a kind support some handle types."""
    if kind[0] == MANAGED and handle_types:
        raise MANAGED_HAS_NO_HANDLE_TYPES.broken(handle_types=handle_types)
    if kind[1] == HOST and handle_types:
        raise HOST_HAS_NO_HANDLE_TYPES.broken(handle_types=handle_types)
    known = POSIX | FABRIC
    if kind[1] == DEVICE:
        known = call.process.devices[kind[2]].profile.attributes.get(HANDLE_TYPES, 0)
    if handle_types & ~known:
        raise HANDLE_TYPES_ARE_SUPPORTED.broken(handle_types=handle_types)


@DRIVER.op("cuMemPoolCreate")
def mem_pool_create(call: Call, props: RawProps | None) -> int:
    """Create a pool without memory. The pool's device, or the host, can access memory of the pool.

    Args:
        call: The call.
        props: CUmemPoolProps: allocation type, handle types, location, security attributes, which are Windows's affair,
            maximum size in bytes or 0, usage, and whether GPUDirect RDMA is intended, which makes no difference here.
    """
    # CHECK
    process = require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if props is None:
        raise PROPERTIES_ARE_GIVEN.broken()
    allocation_type, handle_types, location, _, max_size, usage, rdma = props
    driver = call.machine.profile.driver_version
    if allocation_type == MANAGED and driver >= WIDE and location[0] not in LOCATIONS[MANAGED]:
        raise LOCATION_IS_OF_MANAGED_MEMORY.broken(location=location)
    kind = kind_of(location, allocation_type, driver, call.machine.profile.nodes)
    if kind[1] == DEVICE and not 0 <= kind[2] < len(call.process.devices):
        raise DEVICE_IS_THERE.broken(device=kind[2])
    _exportable(call, kind, handle_types)
    if kind[0] == MANAGED and max_size:
        raise MANAGED_HAS_NO_LIMIT.broken(max_size=max_size)
    if kind[0] == MANAGED and usage:
        raise MANAGED_HAS_NO_USAGE.broken(usage=usage)
    if usage and driver < USAGES:
        raise USAGE_IS_KNOWN.broken(usage=usage)
    if rdma and driver < RDMA:
        raise RDMA_IS_KNOWN.broken(rdma=rdma)
    device = home(call, kind)
    # EFFECT
    limit = -(-max_size // GRANULE) * GRANULE
    wanted = PoolProps(kind[0], handle_types, Location(*kind[1:]), limit, usage)
    return pool_lifetime.create_pool(process, wanted, device, history.here()).handle
