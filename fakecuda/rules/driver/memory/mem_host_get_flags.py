"""cuMemHostGetFlags: the flags of page-locked memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.memory import Managed, Pinned, Registered
from fakecuda.model.memory.memory_effects import DEVICE_MAP, PORTABLE
from fakecuda.model.memory.va import Mapping
from fakecuda.rules.core import Rule, manual, observed
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

POINTER_IS_OF_THE_HOST = Rule(
    "the pointer lies in a mapping of cuMemMap, or in page-locked, registered or managed memory, and not in a pool's "
    "memory",
    Result.INVALID_VALUE,
    manual(
        "cuMemHostGetFlags",
        "will fail if the pointer does not reside in an allocation performed by cuMemAllocHost() or cuMemHostAlloc()",
    ),
    fix="pass an address in memory of cuMemHostAlloc, cuMemHostRegister or cuMemAllocManaged",
)
MAPPING_IS_OF_THE_DEVICE = Rule(
    "if the pointer lies in a mapping of cuMemMap, cuMemSetAccess has given the current device access to it",
    Result.INVALID_VALUE,
    observed(
        "cuMemHostGetFlags", "the driver answers INVALID_VALUE for a mapping to which the current device has no access"
    ),
    fix="call cuMemSetAccess for the current device before cuMemHostGetFlags",
)


@DRIVER.op("cuMemHostGetFlags")
def mem_host_get_flags(call: Call, p: int) -> int:
    """Return the flags of the memory that holds ``p``; CU_MEMHOSTALLOC_DEVICEMAP is always among them."""
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    context = current(call)
    item = call.process.memory.at(p)
    if not isinstance(item, Pinned | Registered | Managed | Mapping):
        raise POINTER_IS_OF_THE_HOST.broken(pointer=p, found=item or call.process.freed.get(p))
    if isinstance(item, Mapping):
        if not item.access.get(context.device.ordinal):
            raise MAPPING_IS_OF_THE_DEVICE.broken(mapping=item, device=context.device)
        return PORTABLE | DEVICE_MAP
    if isinstance(item, Managed):
        return DEVICE_MAP
    return item.flags if item.context is context or context.narrow is None else item.flags & PORTABLE
