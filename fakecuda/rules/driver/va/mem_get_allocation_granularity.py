"""cuMemGetAllocationGranularity: the granularity of sizes and addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.va.mem_create import PROPERTIES_ARE_GIVEN
from fakecuda.rules.driver.va.supported import supported
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.rules.driver.va.properties import RawProp

MINIMUM, RECOMMENDED = 0, 1

OPTION_IS_KNOWN = Rule(
    "`option` is CU_MEM_ALLOC_GRANULARITY_MINIMUM or CU_MEM_ALLOC_GRANULARITY_RECOMMENDED",
    Result.INVALID_VALUE,
    manual("cuMemGetAllocationGranularity", "Determines which granularity to return"),
    fix="pass CU_MEM_ALLOC_GRANULARITY_MINIMUM or CU_MEM_ALLOC_GRANULARITY_RECOMMENDED",
)


@DRIVER.op("cuMemGetAllocationGranularity")
def mem_get_allocation_granularity(call: Call, prop: RawProp | None, option: int) -> int:
    """Return the minimum (option 0) or recommended (1) granularity of device memory in bytes."""
    # CHECK
    supported(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if prop is None:
        raise PROPERTIES_ARE_GIVEN.broken()
    if option not in {MINIMUM, RECOMMENDED}:
        raise OPTION_IS_KNOWN.broken(option=option)
    # EFFECT
    profile = call.machine.profile
    return profile.recommended if option == RECOMMENDED else profile.granularity
