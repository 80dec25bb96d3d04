"""cuDeviceGetTexture1DLinearMaxWidth: the maximum width of a 1D linear texture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.array.array_create import known_element
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.driver.texture.resource import longest
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

PLANES = {
    **dict.fromkeys((166, 167), 2),
    **dict.fromkeys((159, 161, 162, 163, 164, 176, 178, 179, 180, 181), 3),
    **dict.fromkeys((165, 168, 177), 4),
    169: 1,
}
"""Channels of multi-planar formats, and of formats whose pixels share components."""
SIZES = {177: 8}
"""Bytes of an element, by the formats in PLANES with more than 4 bytes."""

ELEMENT_IS_AN_ARRAY_S = Rule(
    "the format is a CUarray_format of one plane, with 1, 2 or 4 channels or the number that the format prescribes",
    Result.INVALID_VALUE,
    manual("cuDeviceGetTexture1DLinearMaxWidth", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass a format together with a number of channels that arrays of it can have",
)


def bytes_of(form: int, channels: int) -> int:
    """Return the bytes of an element; 0 if no array has this format and channel count.

    Args:
        form: CUarray_format.
        channels: Components of an element.
    """
    element = known_element(form, channels)
    if element:
        return element.size
    return SIZES.get(form, 4) if PLANES.get(form) == channels else 0


@DRIVER.op("cuDeviceGetTexture1DLinearMaxWidth")
def device_get_texture1d_linear_max_width(call: Call, form: int, channels: int, dev: int) -> int:
    """Return the maximum number of elements of a 1D linear texture, also for formats that cuTexObjectCreate refuses.

    Args:
        call: The call.
        form: CUarray_format.
        channels: Components of an element.
        dev: The device.
    """
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    size = bytes_of(form, channels)
    if not size:
        raise ELEMENT_IS_AN_ARRAY_S.broken(format=form, channels=channels)
    device_of(call, dev)
    # EFFECT
    return longest(size)
