"""cuMemAdvise: advise how a range of memory will be used.

Advice changes where pages lie and how fast they are reached, never what they hold; what can be asked is the advice itself,
of managed memory alone. Of memory that the system allocated nothing can be asked, so that nothing is kept of it. Advice
about a NUMA node of the host has no effect: neither the range nor a context is looked at then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.machine import HOST as HOST_ORDINAL
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.va import Location
from fakecuda.model.os.process import NOT_INITIALIZED
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.rules.driver.unified.managed import (
    RANGE_IS_MANAGED,
    RANGE_IS_NOT_EMPTY,
    concurrent,
    is_managed,
    known_place,
    node_at,
)
from fakecuda.rules.driver.va.properties import DEVICE, HOST, HOST_NUMA
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.memory.advice import State

ADVICE = {name.removeprefix("CU_MEM_ADVISE_"): value for name, value in ENUMS["CUmem_advise"].items()}
SET_PREFERRED = ADVICE["SET_PREFERRED_LOCATION"]
ACCESS = frozenset({ADVICE["SET_ACCESSED_BY"], ADVICE["UNSET_ACCESSED_BY"]})
PROCESSORS = frozenset({DEVICE, HOST})
"""Location types for which advice has an effect."""
LOCATED = ACCESS | {SET_PREFERRED}
"""Advice that uses its location."""
PAGEABLE = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS"]

ADVICE_IS_KNOWN = Rule(
    "`advice` is a CUmem_advise",
    Result.INVALID_VALUE,
    manual("cuMemAdvise", "The advice parameter can take the following values"),
    fix="pass a CUmem_advise, such as CU_MEM_ADVISE_SET_READ_MOSTLY",
)
ACCESSOR_IS_KNOWN = Rule(
    "the location is a device or the host if `advice` sets or unsets CU_MEM_ADVISE_SET_ACCESSED_BY",
    Result.INVALID_VALUE,
    manual("cuMemAdvise", "All other location types are invalid"),
    fix=(
        "set location.type to CU_MEM_LOCATION_TYPE_DEVICE or CU_MEM_LOCATION_TYPE_HOST for "
        "CU_MEM_ADVISE_SET_ACCESSED_BY"
    ),
)
DEVICE_IS_KNOWN = Rule(
    "if `advice` uses `location` and `location` is a device, the process sees this device and has called cuInit",
    Result.INVALID_VALUE,
    observed(
        "cuMemAdvise",
        "the driver answers INVALID_VALUE, not INVALID_DEVICE, to a missing device; before cuInit "
        "every device counts as missing",
    ),
    fix="call cuInit(0) first, and pass a device number below the count that cuDeviceGetCount returns",
)
PAGEABLE_RANGE_IS_THE_HOSTS = Rule(
    "the whole range is pageable host memory if its start does not lie in memory from CUDA",
    Result.INVALID_VALUE,
    manual("cuMemAdvise", "Specifying an invalid … pageable memory range results in an error being returned"),
    fix="pass a range of cuMemAllocManaged, or memory of malloc or mmap that is still mapped",
)
DEVICE_ACCESSES_PAGEABLE_MEMORY = Rule(
    "the device in `location` can access pageable memory if the range is pageable host memory",
    Result.INVALID_DEVICE,
    manual("cuMemAdvise", "must be a valid device that has a"),
    fix="use cuMemAllocManaged if CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS is 0",
)
RANGE_IS_OF_NO_POOL = Rule(
    "the range does not lie in memory of a managed pool",
    Result.NOT_SUPPORTED,
    observed(
        "cuMemAdvise",
        "the driver answers NOT_SUPPORTED to memory of a managed pool, although cuMemPrefetchAsync accepts it",
    ),
    fix="use memory of cuMemAllocManaged; memory of a managed pool can only be prefetched",
)


@DRIVER.op("cuMemAdvise")
def mem_advise(call: Call, dev_ptr: int, count: int, advice: int, location: tuple[int, int]) -> None:
    """Give advice on the pages of a range.

    Args:
        call: The call.
        dev_ptr: The range's first address.
        count: Its bytes; the advice is for whole pages.
        advice: CUmem_advise.
        location: What the advice is about: CUmemLocation, (type, id); not every advice looks at it.
    """
    # CHECK
    require_driver_up(call)
    if advice not in ADVICE.values():
        raise ADVICE_IS_KNOWN.broken(advice=advice)
    known_place(location)
    kind, number = location
    if kind not in PROCESSORS:
        if advice in ACCESS:
            raise ACCESSOR_IS_KNOWN.broken(location=location)
        if advice == SET_PREFERRED and kind == HOST_NUMA:
            node_at(call, number)
        return
    if advice in LOCATED and kind == DEVICE:
        device_at(call, number)
    current(call)
    if not count:
        raise RANGE_IS_NOT_EMPTY.broken(pointer=dev_ptr)
    if pageable(call, dev_ptr, count, location if advice in LOCATED else None):
        return
    item = call.process.memory.at(dev_ptr)
    if isinstance(item, Pooled) and is_managed(item):
        raise RANGE_IS_OF_NO_POOL.broken(memory=item)
    if not is_managed(item) or dev_ptr + count > item.end:
        raise RANGE_IS_MANAGED.broken(pointer=dev_ptr, size=count, found=item or call.process.freed.get(dev_ptr))
    # EFFECT
    item.block.advice.change(dev_ptr, dev_ptr + count, change_of(advice, location))


def change_of(advice: int, location: tuple[int, int]) -> Callable[[State], State]:
    """Return the change that advice makes to the state of pages."""
    kind, number = location
    if advice in ACCESS:
        ordinal = number if kind == DEVICE else HOST_ORDINAL
        add = advice == ADVICE["SET_ACCESSED_BY"]
        return lambda state: state._replace(
            accessed_by=_ordered({*state.accessed_by, ordinal} if add else {*state.accessed_by} - {ordinal})
        )
    if advice == SET_PREFERRED:
        place = Location(kind, number if kind == DEVICE else 0)
        return lambda state: state._replace(preferred=place)
    if advice == ADVICE["UNSET_PREFERRED_LOCATION"]:
        return lambda state: state._replace(preferred=None)
    return lambda state: state._replace(read_mostly=advice == ADVICE["SET_READ_MOSTLY"])


def _ordered(ordinals: set[int]) -> tuple[int, ...]:
    """Return who accesses pages, in the driver's order: devices, then the host."""
    return tuple(sorted(ordinals, key=lambda ordinal: (ordinal == HOST_ORDINAL, ordinal)))


@guard
def device_at(call: Call, ordinal: int) -> None:
    """Check that an advised device exists and supports concurrent managed access."""
    devices = call.process.devices if call.process.state != NOT_INITIALIZED else ()
    if not 0 <= ordinal < len(devices):
        raise DEVICE_IS_KNOWN.broken(device=ordinal)
    concurrent(devices[ordinal])


@guard
def pageable(call: Call, ptr: int, count: int, location: tuple[int, int] | None) -> bool:
    """Return whether a range is pageable system memory that devices can access.

    Args:
        call: The call.
        ptr: The range's first address.
        count: Its bytes.
        location: What the advice is about, or None.
    """
    devices = call.process.devices
    if call.process.memory.at(ptr) is not None:
        return False
    if not any(device.profile.attributes.get(PAGEABLE) for device in devices):
        return False
    if not call.process.system.access_of(ptr, count) or call.process.memory.first(ptr, ptr + count) is not None:
        raise PAGEABLE_RANGE_IS_THE_HOSTS.broken(pointer=ptr, size=count)
    if location and location[0] == DEVICE and not devices[location[1]].profile.attributes.get(PAGEABLE):
        raise DEVICE_ACCESSES_PAGEABLE_MEMORY.broken(device=devices[location[1]])
    return True
