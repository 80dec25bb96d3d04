"""cuDeviceGetName: the name of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, undefined
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

LENGTH_IS_NOT_ZERO = Rule(
    "`len` is not 0",
    Result.INVALID_VALUE,
    undefined(
        "cuDeviceGetName",
        "the manual says nothing about length 0; driver 580 writes before the buffer (segmentation fault)",
    ),
    fix="pass the size of the buffer, at least 1",
)


@DRIVER.op("cuDeviceGetName")
def device_get_name(call: Call, length: int, dev: int) -> bytes:
    """Return the device's name, cut to ``length`` bytes including its NUL."""
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    device = device_of(call, dev)
    if not length:
        call.undefined(LENGTH_IS_NOT_ZERO)
        raise LENGTH_IS_NOT_ZERO.broken()
    # EFFECT
    name = device.profile.name.encode()
    # A negative length is a huge one to the driver.
    return name[: length - 1] if length > 0 else name
