"""cuDeviceGetPCIBusId: the PCI bus id of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

LENGTH_SUFFICES = Rule(
    "`len` is large enough for the string and its NUL",
    Result.INVALID_VALUE,
    manual(
        "cuDeviceGetPCIBusId", "pciBusId should be large enough to store 13 characters including the NULL-terminator"
    ),
    fix="pass a buffer of at least 13 bytes, and its length",
)


@DRIVER.op("cuDeviceGetPCIBusId")
def device_get_pci_bus_id(call: Call, length: int, dev: int) -> bytes:
    """Return the bus id of a device, such as ``0000:3b:00.0``."""
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    device = device_of(call, dev)
    text = device.profile.pci.encode()
    if length <= len(text):
        raise LENGTH_SUFFICES.broken(length=length)
    # EFFECT
    return text
