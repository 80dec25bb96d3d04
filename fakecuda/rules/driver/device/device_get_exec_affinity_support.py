"""cuDeviceGetExecAffinitySupport: whether contexts can use part of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuDeviceGetExecAffinitySupport")
def device_get_exec_affinity_support(call: Call, kind: int, dev: int) -> int:
    """Return 1 when the device supports the CUexecAffinityType ``kind``, 0 otherwise and for unknown values."""
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    # EFFECT
    return int(kind in device_of(call, dev).profile.exec_affinities)
