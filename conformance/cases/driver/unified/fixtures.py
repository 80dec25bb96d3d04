"""Fixtures of managed ranges: locations, attributes, and common refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from conformance.cases.driver.memory.fixtures import ATTACH_GLOBAL, PAGE
from conformance.cases.driver.pool.fixtures import MANAGED, pool
from conformance.cases.driver.pool.fixtures import NONE as NOWHERE_YET
from conformance.cases.driver.pool.fixtures import memory as of_a_pool
from conformance.cases.driver.va.fixtures import HOST, HOST_NUMA, HOST_NUMA_CURRENT, NOWHERE, freed, half_mapped
from conformance.kit.world import DEVICE, location
from fakecuda.profiles import load
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.case import Entry
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process
    from fakecuda.profiles import DeviceProfile

PAGES = 4
"""The number of pages of a case's managed memory."""
SIZE = PAGES * PAGE
DOMAIN = 6
"""A CUmemLocationType: a part of a device's memory."""
CPU, NONE = -1, -2
"""CU_DEVICE_CPU and CU_DEVICE_INVALID."""
LARGEST = (1 << 64) - 1
"""The largest count."""
WIDTH = 4
"""Bytes of an integer attribute."""
READ_MOSTLY, UNSET_READ_MOSTLY, PREFERRED, UNSET_PREFERRED, ACCESSED, UNSET_ACCESSED = range(1, 7)
"""CUmem_advise."""
ATTRIBUTE = {name.removeprefix("CU_MEM_RANGE_ATTRIBUTE_"): n for name, n in ENUMS["CUmem_range_attribute"].items()}
CONCURRENT, PAGEABLE = (
    ENUMS["CUdevice_attribute"][f"CU_DEVICE_ATTRIBUTE_{name}"]
    for name in ("CONCURRENT_MANAGED_ACCESS", "PAGEABLE_MEMORY_ACCESS")
)
GPU = location()
PLACES = {
    "the host": (HOST, 0),
    "the host, whose id is ignored": (HOST, 99),
    "a NUMA node": (HOST_NUMA, 0),
    "the current NUMA node": (HOST_NUMA_CURRENT, 0),
    "the current NUMA node, whose id is ignored": (HOST_NUMA_CURRENT, 99),
}
"""Locations other than devices."""


def managed(a: Process, size: int = SIZE) -> int:
    """Return the address of new managed memory of whole pages of its own."""
    address: int = a.ok.cuMemAllocManaged(size + PAGE, ATTACH_GLOBAL)
    return address + -address % PAGE


def pooled(a: Process) -> int:
    """Return memory of a managed pool without a preferred location."""
    return of_a_pool(a, pool(a, kind=MANAGED, location=(NOWHERE_YET, 0)), SIZE)


def asked(a: Process, name: str, ptr: int, count: int = SIZE, room: int = 1) -> Plain:
    """Return an attribute of a range by name; ACCESSED_BY as an array."""
    return a.ok.cuMemRangeGetAttribute(WIDTH * room, ATTRIBUTE[name], ptr, count)


def refuse_ranges(entry: Entry) -> None:
    """Add the cases of a call with ranges outside managed memory."""
    entry.breaks("RANGE_IS_NOT_EMPTY", count=0)
    entry.breaks("RANGE_IS_MANAGED", "nowhere", devPtr=NOWHERE)
    entry.breaks("RANGE_IS_MANAGED", "null", devPtr=0)
    entry.breaks("RANGE_IS_MANAGED", "freed", devPtr=lambda i: freed(i.process))
    entry.breaks("RANGE_IS_MANAGED", "past the end", count=1 << 30)
    entry.breaks("RANGE_IS_MANAGED", "past the end by a byte", count=lambda i: _rest(i) + 1)
    entry.also("up to the end", count=_rest)
    entry.breaks("RANGE_IS_MANAGED", "of a pool", devPtr=lambda i: of_a_pool(i.process, size=SIZE))
    entry.breaks("RANGE_IS_MANAGED", "linear", devPtr=lambda i: i.process.ok.cuMemAlloc(SIZE))
    entry.breaks("RANGE_IS_MANAGED", "mapped", devPtr=lambda i: half_mapped(i.process))
    entry.breaks("RANGE_IS_MANAGED", "page-locked", devPtr=lambda i: i.process.ok.cuMemAllocHost(SIZE))
    entry.breaks("RANGE_IS_MANAGED", "the host's own", devPtr=lambda i: i.process.host_memory(SIZE))


def wrapped(entry: Entry) -> None:
    """Add the cases of a call with a range beyond the last address."""
    past = "RANGE_IS_MANAGED"
    entry.breaks(past, "past the end, of a managed pool", devPtr=lambda i: pooled(i.process) + SIZE - PAGE)
    entry.also("a range that wraps", count=LARGEST, then=None)


def _rest(i: Invocation) -> int:
    """Return the bytes from the range's start to the end of its memory."""
    start, size = i.process.ok.cuMemGetAddressRange(i.args["devPtr"])
    rest: int = start + size - i.args["devPtr"]
    return rest


def refuse_places(entry: Entry, device: str) -> None:
    """Add the cases of a call with locations without pages, by rule."""
    for name, kind in {"none": 0, "invisible": 5, "a domain": DOMAIN, "beyond the last": 7, "negative": -1}.items():
        entry.breaks("LOCATION_IS_KNOWN", name, location=(kind, 0))
    entry.breaks("NODE_IS_THERE", location=(HOST_NUMA, 99))
    entry.breaks("NODE_IS_THERE", "negative", location=(HOST_NUMA, -1))
    refuse_devices(entry, device)


def refuse_devices(entry: Entry, rule: str) -> None:
    """Add the cases of a call with invalid devices, by rule."""
    entry.breaks(rule, location=(DEVICE, 99))
    entry.breaks(rule, "the CPU", location=(DEVICE, CPU))


def without(attribute: int, *ordinals: int) -> dict[str, Any]:
    """Return a profile's devices, some without an attribute's feature."""
    return with_(attribute, 0, *ordinals)


def with_(attribute: int, value: int, *ordinals: int) -> dict[str, Any]:
    """Return a profile's devices, some with another value of an attribute."""

    def changed(ordinal: int, device: DeviceProfile) -> DeviceProfile:
        values = device.attributes | ({attribute: value} if ordinal in ordinals else {})
        return attrs.evolve(device, attributes=values)

    return {"devices": tuple(changed(*pair) for pair in enumerate(load("h200-x2").devices))}
