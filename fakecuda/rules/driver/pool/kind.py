"""The kinds of memory pools: allocation types and locations."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from fakecuda.model.memory.pool import MANAGED
from fakecuda.rules.core import Rule, Source, guard, manual, observed
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.pool import owner, pooling
from fakecuda.rules.driver.va.properties import DEVICE, HOST, HOST_NUMA, LOCATION, PINNED
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.model.memory.pool import Kind

NONE = ENUMS["CUmemLocationType"]["CU_MEM_LOCATION_TYPE_NONE"]
CURRENT_NODE = LOCATION["HOST_NUMA_CURRENT"]
LOCATIONS = {PINNED: {DEVICE, HOST, HOST_NUMA}, MANAGED: {NONE, DEVICE, HOST, HOST_NUMA, CURRENT_NODE}}
"""Valid location types by allocation type; no device has locality domains."""
CURRENT = frozenset({NONE, DEVICE, HOST, HOST_NUMA})
"""Location types for which a process has current and default pools."""
_ATTRIBUTE = ENUMS["CUdevice_attribute"]
HOST_POOLS = {
    HOST: _ATTRIBUTE["CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED"],
    HOST_NUMA: _ATTRIBUTE["CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED"],
}
CONCURRENT = _ATTRIBUTE["CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS"]
WIDE = 13000
"""The first driver version with managed pools, and host pools without a NUMA node."""
TELLING = 12090
"""The first driver version with queries of NUMA pools. Older ones have pools too."""

LOCATION_IS_GIVEN = Rule(
    "`location` is not null",
    Result.INVALID_VALUE,
    manual("cuMemGetMemPool", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass the address of a CUmemLocation for the pool's location",
)
LOCATION_HAS_A_POOL = Rule(
    "`location` is a device, the host, a host NUMA node or CU_MEM_LOCATION_TYPE_NONE",
    Result.NOT_SUPPORTED,
    observed("cuMemGetMemPool", "the driver answers NOT_SUPPORTED to every other location type, also to unknown types"),
    fix="set location.type to a device, the host, a host NUMA node or CU_MEM_LOCATION_TYPE_NONE",
)
TYPE_IS_KNOWN = Rule(
    "the allocation type is pinned, or managed with a driver of CUDA 13.0 or later",
    Result.INVALID_VALUE,
    manual("cuMemGetMemPool", "In all other cases, the call returns CUDA_ERROR_INVALID_VALUE"),
    fix="pass CU_MEM_ALLOCATION_TYPE_PINNED, or CU_MEM_ALLOCATION_TYPE_MANAGED with a driver of CUDA 13.0 or later",
)
LOCATION_IS_KNOWN = Rule(
    "the location of a pinned pool is a device, a host NUMA node, or with a driver of CUDA 13.0 or later the host",
    Result.INVALID_VALUE,
    manual("cuMemGetMemPool", "In all other cases, the call returns CUDA_ERROR_INVALID_VALUE"),
    fix="set location to a device or CU_MEM_LOCATION_TYPE_HOST_NUMA; CU_MEM_LOCATION_TYPE_HOST needs CUDA 13.0",
)
NODE_IS_THERE = Rule(
    "a location that is a host NUMA node has the `id` of a NUMA node of this host",
    Result.INVALID_VALUE,
    manual("cuMemPoolCreate", "must specify the NUMA ID of the host memory node"),
    fix="set location.id to a NUMA node of the host; node 0 always exists",
)
DEVICES_SHARE_MANAGED_MEMORY = Rule(
    "every device supports concurrent managed access if the allocation type is managed",
    Result.NOT_SUPPORTED,
    Source(
        "source",
        "cuMemGetMemPool",
        "on WSL2 the call answers NOT_SUPPORTED, while cuMemPoolCreate creates a managed pool, against its manual "
        "(NVIDIA/cuda-python#1617)",
    ),
    fix="call cuMemPoolCreate for a managed pool if CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS is 0, not this call",
)


@guard
def require_pool_location(call: Call, location: tuple[int, int] | None, kind: int) -> tuple[Kind, Device]:
    """Return the kind of the pool at a location, and the device of its memory."""
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    found = given(call, location, kind)
    if found[1] == DEVICE:
        owner(call, found[2])
    return found, supported(call, found)


@guard
def given(call: Call, location: tuple[int, int] | None, kind: int) -> Kind:
    """Return the kind of pools at a location that the caller passes."""
    if location is None:
        raise LOCATION_IS_GIVEN.broken()
    if location[0] not in CURRENT:
        raise LOCATION_HAS_A_POOL.broken(location=location)
    return kind_of(location, kind, call.machine.profile.driver_version, call.machine.profile.nodes)


@guard
@lru_cache(maxsize=64)  # programs query the same few again and again
def kind_of(location: tuple[int, int], kind: int, driver: int, nodes: frozenset[int]) -> Kind:
    """Return the kind of a pool; whether the device is there is not checked.

    Args:
        location: Its type and id.
        kind: The allocation type.
        driver: The driver's version.
        nodes: The NUMA nodes of the host.
    """
    if kind not in LOCATIONS or (kind == MANAGED and driver < WIDE):
        raise TYPE_IS_KNOWN.broken(type=kind)
    where, number = location
    if where not in LOCATIONS[kind] or (where == HOST and driver < WIDE):
        raise LOCATION_IS_KNOWN.broken(location=location)
    if where == HOST_NUMA and number not in nodes:
        raise NODE_IS_THERE.broken(node=number)
    return kind, where, number if where in {DEVICE, HOST_NUMA} else 0


@guard
def supported(call: Call, kind: Kind) -> Device:
    """Return the device or host of a kind's default pool, which must be possible."""
    devices = call.process.devices
    if kind[0] == MANAGED and not all(each.profile.attributes.get(CONCURRENT) for each in devices):
        raise DEVICES_SHARE_MANAGED_MEMORY.broken(devices=devices)
    return home(call, kind)


@guard
def home(call: Call, kind: Kind) -> Device:
    """Return the device that pools of a kind use, or the host."""
    device = call.process.devices[kind[2]] if kind[1] == DEVICE else call.machine.host
    if kind[0] != MANAGED and kind[1] == DEVICE:
        pooling(device)
    return device


def uses_pools_of_the_host(call: Call, device: Device, kind: Kind) -> bool:
    """Return whether a device can use memory of host pools."""
    older = call.machine.profile.driver_version < TELLING
    return older or bool(device.profile.attributes.get(HOST_POOLS[kind[1]]))
