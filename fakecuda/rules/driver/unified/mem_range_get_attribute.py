"""cuMemRangeGetAttribute: advice and state of a range of managed memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.unified.managed import RANGE_IS_NOT_EMPTY
from fakecuda.rules.driver.unified.range_attributes import fitting, states_of, value_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemRangeGetAttribute")
def mem_range_get_attribute(
    call: Call, data_size: int, attribute: int, dev_ptr: int, count: int
) -> int | tuple[int, ...]:
    """Return an attribute that all pages of a range have in common.

    Args:
        call: The call.
        data_size: Bytes of the result.
        attribute: CUmem_range_attribute.
        dev_ptr: The range's first address.
        count: Its bytes.

    Returns:
        An int; of ACCESSED_BY as many as the data has room for, CU_DEVICE_INVALID behind the last.
    """
    # CHECK
    current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    fitting(call, attribute, data_size)
    if not count:
        raise RANGE_IS_NOT_EMPTY.broken(pointer=dev_ptr)
    states = states_of(call, dev_ptr, count)
    # EFFECT
    return value_of(call, attribute, data_size, states)
