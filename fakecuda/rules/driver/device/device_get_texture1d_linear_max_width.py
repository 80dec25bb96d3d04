"""cuDeviceGetTexture1DLinearMaxWidth: how many elements a texture of one dimension can have whose memory is linear."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.codes import Result
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, ready
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.driver.texture.resource import element_of, longest

if TYPE_CHECKING:
    from fakecuda.model.call import Call

ELEMENT_IS_A_TEXTURE_S = Rule(
    "the format and the channels are those of an element that textures of memory have",
    Result.INVALID_VALUE,
    manual("cuDeviceGetTexture1DLinearMaxWidth", "CUDA_ERROR_INVALID_VALUE"),
)


@DRIVER.op("cuDeviceGetTexture1DLinearMaxWidth")
def device_get_texture1d_linear_max_width(call: Call, form: int, channels: int, dev: int) -> int:
    """Return the most elements: as many as cuTexObjectCreate takes.

    Args:
        call: The call.
        form: CUarray_format.
        channels: Components of an element.
        dev: The device.
    """
    # CHECK
    ready(call)
    device_of(call, dev)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    element = element_of(form, channels)
    if not element:
        raise ELEMENT_IS_A_TEXTURE_S.broken(format=form, channels=channels)
    # EFFECT
    return longest(element)
