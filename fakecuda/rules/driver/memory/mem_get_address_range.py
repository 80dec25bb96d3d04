"""cuMemGetAddressRange: the allocation that holds a pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.os.process import DEINITIALIZED
from fakecuda.rules.core import Rule, manual, observed
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.range import accessible
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

BOTH = 2

POINTER_IS_IN_AN_ALLOCATION = Rule(
    "`dptr` lies in memory that CUDA allocated, mapped, imported or registered in this process",
    Result.NOT_FOUND,
    manual("cuMemGetAddressRange", "the allocation that contains the input pointer dptr … CUDA_ERROR_NOT_FOUND"),
    fix="pass an address in memory that CUDA allocated in this process and that has not been freed",
)
MEMORY_IS_ACCESSIBLE = Rule(
    "the current context has access to the memory at `dptr`, by enabled peer access, cuMemSetAccess or its pool if "
    "needed",
    Result.NOT_FOUND,
    observed(
        "cuMemGetAddressRange",
        "the driver answers NOT_FOUND for a mapping without cuMemSetAccess for the current device, and for memory of "
        "another device without peer access",
    ),
    fix="call cuMemSetAccess or cuCtxEnablePeerAccess for the current device first, or query in the owner's context",
)


@DRIVER.op("cuMemGetAddressRange")
def mem_get_address_range(call: Call, dptr: int) -> tuple[int, int]:
    """Return base and size in bytes of the allocation that holds ``dptr``; either result may be null."""
    # CHECK
    if call.process.state == DEINITIALIZED:
        require_driver_up(call)
    if call.nulls and len(call.nulls) == BOTH:
        return 0, 0  # without result pointers, nothing is checked
    context = current(call)
    item = call.process.memory.at(dptr)
    if item is None:
        raise POINTER_IS_IN_AN_ALLOCATION.broken(pointer=dptr)
    if not accessible(item, context):
        raise MEMORY_IS_ACCESSIBLE.broken(memory=item, context=context)
    # EFFECT
    return item.start, item.end - item.start
