"""cuMemRangeGetAttributes: several attributes of a range of managed memory at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.unified.managed import RANGE_IS_NOT_EMPTY
from fakecuda.rules.driver.unified.range_attributes import fitting, states_of, value_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

COUNT_IS_POSITIVE = Rule(
    "`numAttributes` is not 0",
    Result.INVALID_VALUE,
    manual("cuMemRangeGetAttributes", "numAttributes and the number of attributes in this array should match"),
    fix="query at least one attribute, or skip cuMemRangeGetAttributes",
)
ARRAYS_ARE_GIVEN = Rule(
    "`attributes` and `dataSizes` are not null",
    Result.INVALID_VALUE,
    manual("cuMemRangeGetAttributes", "The dataSizes array will also be interpreted to have numAttributes entries"),
    fix="pass attributes and dataSizes, each with numAttributes entries",
)


@DRIVER.op("cuMemRangeGetAttributes")
def mem_range_get_attributes(
    call: Call,
    data_sizes: tuple[int, ...] | None,
    attributes: tuple[int, ...] | None,
    num_attributes: int,
    dev_ptr: int,
    count: int,
) -> tuple[int | tuple[int, ...], ...]:
    """Return attributes that all pages of a range have in common.

    Args:
        call: The call.
        data_sizes: Bytes of each result; None if the array is null.
        attributes: CUmem_range_attribute values; None if the array is null.
        num_attributes: The number of attributes.
        dev_ptr: The range's first address.
        count: Its bytes.

    Returns:
        For each attribute what cuMemRangeGetAttribute returns.
    """
    # CHECK
    current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not num_attributes:
        raise COUNT_IS_POSITIVE.broken()
    if data_sizes is None or attributes is None:
        raise ARRAYS_ARE_GIVEN.broken(sizes=data_sizes, attributes=attributes)
    asked = tuple(zip(attributes[:num_attributes], data_sizes, strict=False))
    for attribute, size in asked:
        fitting(call, attribute, size)
    if not count:
        raise RANGE_IS_NOT_EMPTY.broken(pointer=dev_ptr)
    states = states_of(call, dev_ptr, count)
    # EFFECT
    return tuple([value_of(call, attribute, size, states) for attribute, size in asked])
