"""cuMemRetainAllocationHandle: the allocation handle of a mapped address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import mapping
from fakecuda.model.memory.va import Mapping
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.va.supported import supported
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

POINTER_IS_MAPPED = Rule(
    "`addr` lies in memory that cuMemMap mapped",
    Result.INVALID_VALUE,
    manual("cuMemRetainAllocationHandle", "If the address requested is not mapped, the function will fail"),
    fix="pass an address that cuMemMap has mapped; memory of cuMemAlloc has no allocation handle",
)


@DRIVER.op("cuMemRetainAllocationHandle")
def mem_retain_allocation_handle(call: Call, addr: int) -> int:
    """Return the allocation handle of a mapped address, with one more reference."""
    # CHECK
    process = supported(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    found = process.memory.at(addr)
    if not isinstance(found, Mapping):
        raise POINTER_IS_MAPPED.broken(pointer=addr, found=found or process.freed.get(addr))
    # EFFECT
    mapping.retain(found.handle)
    return found.handle.value
