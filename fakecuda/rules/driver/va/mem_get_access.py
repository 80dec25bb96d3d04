"""cuMemGetAccess: a location's access to a mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.va import Mapping
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.va.properties import DEVICE, HOST_NUMA, HOSTS
from fakecuda.rules.driver.va.supported import supported
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

LOCATION_IS_GIVEN = Rule(
    "`location` is not null",
    Result.INVALID_VALUE,
    manual("cuMemGetAccess", "Location in which to check the flags for"),
    fix="pass cuMemGetAccess the address of a CUmemLocation",
)
POINTER_IS_GIVEN = Rule(
    "`ptr` is not null",
    Result.INVALID_VALUE,
    manual("cuMemGetAccess", "Address in which to check the access flags for"),
    fix="pass cuMemGetAccess an address in a mapping",
)
LOCATION_IS_KNOWN = Rule(
    "`location` is a device that the process sees, the host or a host NUMA node",
    Result.INVALID_DEVICE,
    manual("cuMemGetAccess", "CUDA_ERROR_INVALID_DEVICE"),
    fix="set location to a device number below the count that cuDeviceGetCount returns, or to the host",
)
POINTER_IS_MAPPED = Rule(
    "`ptr` lies in memory that CUDA allocated, mapped, imported or registered in this process",
    Result.INVALID_VALUE,
    manual("cuMemGetAccess", "Address in which to check the access flags for"),
    fix="call cuMemMap on the address first, and cuMemGetAccess before cuMemUnmap",
)


@DRIVER.op("cuMemGetAccess")
def mem_get_access(call: Call, location: tuple[int, int] | None, ptr: int) -> int:
    """Return the access flags of a location ((type, id)) for the mapping that holds ``ptr``."""
    # CHECK
    process = supported(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if location is None:
        raise LOCATION_IS_GIVEN.broken()
    if not ptr:
        raise POINTER_IS_GIVEN.broken()
    kind, device = location
    if kind not in HOSTS and not (kind == DEVICE and 0 <= device < len(process.devices)):
        raise LOCATION_IS_KNOWN.broken(location=location)
    item = process.memory.at(ptr)
    if item is None:
        raise POINTER_IS_MAPPED.broken(pointer=ptr, found=process.freed.get(ptr))
    # EFFECT
    if not isinstance(item, Mapping):
        return 0
    if kind == HOST_NUMA:
        return item.host_access or 0
    if kind == DEVICE:
        return item.access.get(process.devices[device].ordinal, 0)
    # Where the host itself has none the driver reports that of the first device, whatever is current.
    return item.host_access or item.access.get(process.devices[0].ordinal, 0)
