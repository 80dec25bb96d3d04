"""Descriptors of arrays, and the levels of mipmapped arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import array
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.array.handle import array_of, mipmapped_of
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.array import Shape

LEVEL_IS_THERE = Rule(
    "`level` is less than the number of levels of the mipmapped array",
    Result.INVALID_VALUE,
    manual("cuMipmappedArrayGetLevel", "If level is greater than the maximum number of levels in this mipmapped array"),
    fix="pass a level that is less than the number of levels of the mipmapped array",
)


@DRIVER.op("cuArrayGetDescriptor")
def array_get_descriptor(call: Call, handle: int) -> tuple[int, int, int, int]:
    """Return width, height, format and channels of an array; the depth of a 3D array is left out."""
    # CHECK
    shape = array_of(call, handle).shape
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    return shape.width, shape.height, shape.format, shape.channels


@DRIVER.op("cuArray3DGetDescriptor")
def array3d_get_descriptor(call: Call, handle: int) -> Shape:
    """Return width, height, depth, format, channels and flags of an array."""
    # CHECK
    shape = array_of(call, handle).shape
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    return shape


@DRIVER.op("cuMipmappedArrayGetLevel")
def mipmapped_array_get_level(call: Call, handle: int, level: int) -> int:
    """Return a level of a mipmapped array, as an array that ends with the mipmapped array."""
    # CHECK
    mipmapped = mipmapped_of(call, handle)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if level >= mipmapped.count:
        raise LEVEL_IS_THERE.broken(level=level, levels=mipmapped.count)
    # EFFECT
    return array.level(mipmapped, level).handle
