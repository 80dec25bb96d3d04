"""cuDeviceGetUuid: the UUID of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuDeviceGetUuid")
def device_get_uuid(call: Call, dev: int) -> bytes:
    """Return the 16 bytes of the device's UUID."""
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    return call.process.card_of(device_of(call, dev)).profile.uuid
