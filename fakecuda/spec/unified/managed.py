"""What calls on ranges of managed memory need: the memory, and a place of the machine where pages can lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from fakecuda.api import ENUMS
from fakecuda.codes import Result
from fakecuda.model.memory import Managed
from fakecuda.model.pool import MANAGED, Pooled
from fakecuda.model.va import Location
from fakecuda.rule import Rule, guard, manual
from fakecuda.spec.va.properties import DEVICE, HOST, HOST_NUMA, LOCATION, NODES

if TYPE_CHECKING:
    from fakecuda.model.advice import Advice
    from fakecuda.model.context import Device
    from fakecuda.model.process import Thread

CURRENT_NODE = LOCATION["HOST_NUMA_CURRENT"]
DOMAIN = LOCATION["DEVICE_LOCALITY_DOMAIN"]
CONCURRENT = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS"]

RANGE_IS_NOT_EMPTY = Rule(
    "the range is not empty", Result.INVALID_VALUE, manual("cuMemAdvise", "Size in bytes of the memory range")
)
LOCATION_IS_NO_DOMAIN = Rule(
    "the location is no locality domain of a device",
    Result.NOT_SUPPORTED,
    manual(
        "cuMemPrefetchAsync", "Prefetching to CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN locations is not supported"
    ),
)
LOCATION_IS_KNOWN = Rule(
    "the location is a device, the host, a NUMA node of it or the current one",
    Result.INVALID_VALUE,
    manual("cuMemPrefetchAsync", "CUDA_ERROR_INVALID_VALUE"),
)
NODE_IS_THERE = Rule(
    "the NUMA node is one of the host's",
    Result.INVALID_VALUE,
    manual("cuMemPrefetchAsync", "a valid host NUMA node id"),
)
DEVICE_IS_THERE = Rule(
    "the location names a device of the machine",
    Result.INVALID_DEVICE,
    manual("cuMemAdvise", "must be a valid device ordinal"),
)
ACCESS_IS_CONCURRENT = Rule(
    "the device can access managed memory while the host does",
    Result.INVALID_DEVICE,
    manual("cuMemPrefetchAsync", "must have non-zero value for the device attribute"),
)
RANGE_IS_MANAGED = Rule(
    "the range lies in one managed allocation, of a pool or not",
    Result.INVALID_VALUE,
    manual(
        "cuMemPrefetchAsync",
        "The memory range must refer to managed memory allocated via cuMemAllocManaged, via cuMemAllocFromPool",
    ),
)


def is_managed(item: object) -> TypeGuard[Managed | Pooled]:
    """Return whether memory is managed: from cuMemAllocManaged, or from a pool of such memory."""
    return isinstance(item, Managed) or (isinstance(item, Pooled) and item.pool.props.type == MANAGED)


@guard
def advice_at(call: Thread, ptr: int, count: int) -> Advice:
    """Return what is known of the pages of the managed memory that a range lies in."""
    item = call.process.memory.at(ptr)
    if not is_managed(item) or ptr + count > item.end:
        raise RANGE_IS_MANAGED.broken(pointer=ptr, size=count, found=item or call.process.freed.get(ptr))
    return item.block.advice


@guard
def concurrent(device: Device) -> None:
    """Check that a device can access managed memory while the host does."""
    if not device.profile.attributes.get(CONCURRENT):
        raise ACCESS_IS_CONCURRENT.broken(device=device)


@guard
def device_at(call: Thread, ordinal: int) -> Device:
    """Return the device of a location; it can access managed memory while the host does."""
    devices = call.process.devices
    if not 0 <= ordinal < len(devices):
        raise DEVICE_IS_THERE.broken(device=ordinal)
    concurrent(devices[ordinal])
    return devices[ordinal]


@guard
def place_of(call: Thread, location: tuple[int, int]) -> Location:
    """Return where on the machine a location is: on a device, on the host, or on a NUMA node of it."""
    kind, number = location
    if kind == DOMAIN:
        raise LOCATION_IS_NO_DOMAIN.broken(location=location)
    if kind == DEVICE:
        device_at(call, number)
    elif kind == HOST_NUMA:
        if number not in NODES:
            raise NODE_IS_THERE.broken(node=number)
    elif kind == HOST:
        return Location(HOST, 0)
    elif kind == CURRENT_NODE:
        return Location(HOST_NUMA, min(NODES))
    else:
        raise LOCATION_IS_KNOWN.broken(location=location)
    return Location(kind, number)
