"""cuDeviceGetAttribute: an attribute of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.model.os.process import Process

BOARD = 85
"""CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID."""

ATTRIBUTE_IS_KNOWN = Rule(
    "the attribute is a CUdevice_attribute that this driver version supports",
    Result.INVALID_VALUE,
    manual("cuDeviceGetAttribute", "Returns in *pi the integer value of the attribute attrib on device dev"),
    fix="pass a CUdevice_attribute; check cuDriverGetVersion before you use a newer one",
)


def board_of(process: Process, device: Device) -> int:
    """Return a device's board number: the first visible device on the same board."""
    board = device.profile.attributes.get(BOARD)
    return next(place for place, one in enumerate(process.devices) if one.profile.attributes.get(BOARD) == board)


@DRIVER.op("cuDeviceGetAttribute")
def device_get_attribute(call: Call, attrib: int, dev: int) -> int:
    """Return the value of a device attribute, from the profile.

    Board groups are numbered as the process numbers devices.
    """
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    require_initialized(call)
    device = device_of(call, dev)
    value = device.profile.attributes.get(attrib)
    if value is None:
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attrib)
    # EFFECT
    return value if attrib != BOARD else board_of(call.process, device)
