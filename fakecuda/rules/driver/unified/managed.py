"""Rules of calls on ranges of managed memory: the memory, and a location."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from fakecuda.model.graph.graph_memory import GraphPool
from fakecuda.model.memory.memory import Managed
from fakecuda.model.memory.pool import MANAGED, Pooled
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.va.properties import DEVICE, HOST, HOST_NUMA, LOCATION
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.model.memory.advice import Advice

CURRENT_NODE = LOCATION["HOST_NUMA_CURRENT"]
PLACES = frozenset({DEVICE, HOST, HOST_NUMA, CURRENT_NODE})
"""Location types that pages can have."""
END = 1 << 64
"""The end of the address space."""
CONCURRENT = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS"]

RANGE_IS_NOT_EMPTY = Rule(
    "no range has a size of 0",
    Result.INVALID_VALUE,
    manual("cuMemAdvise", "Size in bytes of the memory range"),
    fix="skip the call if the range has 0 bytes",
)
LOCATION_IS_KNOWN = Rule(
    "each location is a device, the host, a host NUMA node or CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT",
    Result.INVALID_VALUE,
    manual("cuMemPrefetchAsync", "CUDA_ERROR_INVALID_VALUE"),
    fix="set location.type to a device, the host, or a host NUMA node (CU_MEM_LOCATION_TYPE_HOST_NUMA)",
)
NODE_IS_THERE = Rule(
    "a location that is a host NUMA node has the `id` of a NUMA node of this host",
    Result.INVALID_VALUE,
    manual("cuMemPrefetchAsync", "a valid host NUMA node id"),
    fix="set location.id to a NUMA node of the host; node 0 always exists",
)
ACCESS_IS_CONCURRENT = Rule(
    "each device in a location, and the device of the stream, supports concurrent managed access",
    Result.INVALID_DEVICE,
    manual("cuMemPrefetchAsync", "must have non-zero value for the device attribute"),
    fix="skip prefetches and advice for devices whose CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS is 0",
)
RANGE_IS_MANAGED = Rule(
    "each range lies in one managed allocation or variable, or, for advice, in pageable memory that a device "
    "can access",
    Result.INVALID_VALUE,
    manual(
        "cuMemPrefetchAsync",
        "The memory range must refer to managed memory allocated via cuMemAllocManaged, via cuMemAllocFromPool",
    ),
    fix="pass a range inside one allocation of cuMemAllocManaged",
)


def is_managed(item: object) -> TypeGuard[Managed | Pooled]:
    """Return whether memory is from cuMemAllocManaged or a managed pool."""
    if isinstance(item, Pooled):
        return item.pool.props.type == MANAGED and not isinstance(item.pool, GraphPool)
    return isinstance(item, Managed)


@guard
def advice_at(call: Call, ptr: int, count: int) -> tuple[Advice, int]:
    """Return the advice on a range's managed memory, and the end of the range."""
    item, end = call.process.memory.at(ptr), (ptr + count) % END
    if not is_managed(item) or end > item.end:
        raise RANGE_IS_MANAGED.broken(pointer=ptr, size=count, found=item or call.process.freed.get(ptr))
    return item.block.advice, end


@guard
def concurrent(device: Device) -> None:
    """Check that a device supports concurrent managed access."""
    if not device.profile.attributes.get(CONCURRENT):
        raise ACCESS_IS_CONCURRENT.broken(device=device)


@guard
def known_place(location: tuple[int, int]) -> None:
    """Check that pages can be at a location of this type."""
    if location[0] not in PLACES:
        raise LOCATION_IS_KNOWN.broken(location=location)


@guard
def node_at(call: Call, node: int) -> None:
    """Check that the host has a NUMA node."""
    if node not in call.machine.profile.nodes:
        raise NODE_IS_THERE.broken(node=node)
