"""Rules of every call with a CUdevice: the process sees the device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device

DEVICE_IS_VALID = Rule(
    "each device argument is the number of a device that the process sees",
    Result.INVALID_DEVICE,
    manual("cuDeviceGet", "a device handle given an ordinal in the range [0, cuDeviceGetCount()-1]"),
    fix="pass a number below the count that cuDeviceGetCount returns in this process",
)


@guard
def device_of(call: Call, dev: int) -> Device:
    """Return the device with an ordinal."""
    devices = call.process.devices
    if not 0 <= dev < len(devices):
        raise DEVICE_IS_VALID.broken(device=dev)
    return devices[dev]
