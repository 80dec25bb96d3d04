"""cuDeviceGetByPCIBusId: the device with a PCI bus id."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual, observed
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

WITH_DOMAIN = re.compile(rb"([0-9a-fA-F]{1,8}):([0-9a-fA-F]{1,8}):([0-9a-fA-F]{1,8})(?:\.([0-9a-fA-F]))?")
WITHOUT_DOMAIN = re.compile(rb"()([0-9a-fA-F]{1,8}):([0-9a-fA-F]{1,8})\.([0-9a-fA-F])")

BUS_ID_IS_GIVEN = Rule(
    "`pciBusId` is not null",
    Result.INVALID_VALUE,
    manual("cuDeviceGetByPCIBusId", "String in one of the following forms"),
    fix="pass the bus id as a string, as cuDeviceGetPCIBusId returns it",
)
BUS_ID_HAS_A_FORM = Rule(
    "`pciBusId` has the form domain:bus:device.function, domain:bus:device or bus:device.function",
    Result.INVALID_VALUE,
    observed(
        "cuDeviceGetByPCIBusId",
        "the driver answers INVALID_VALUE to any other text, and ignores characters after one of these forms",
    ),
    fix="write the bus id in hexadecimal as domain:bus:device.function, such as 0000:3b:00.0",
)
BUS_ID_IS_KNOWN = Rule(
    "`pciBusId` is the bus id of a device that the process sees",
    Result.INVALID_DEVICE,
    manual("cuDeviceGetByPCIBusId", "Returns in *device a device handle given a PCI bus ID string"),
    fix="pass the bus id of a device that the process sees; CUDA_VISIBLE_DEVICES hides other devices",
)


@DRIVER.op("cuDeviceGetByPCIBusId")
def device_get_by_pci_bus_id(call: Call, bus_id: bytes | None) -> int:
    """Return the device of a bus id domain:bus:device.function, domain:bus:device or bus:device.function."""
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if bus_id is None:
        raise BUS_ID_IS_GIVEN.broken()
    wanted = _parse(bus_id)
    if wanted is None:
        raise BUS_ID_HAS_A_FORM.broken(bus_id=bus_id)
    for number, device in enumerate(call.process.devices):
        if _parse(device.profile.pci.encode()) == wanted:
            return number
    raise BUS_ID_IS_KNOWN.broken(bus_id=bus_id)


@lru_cache
def _parse(text: bytes) -> tuple[int, ...] | None:
    """Return domain, bus, device and function; None if the text has another form."""
    match = WITH_DOMAIN.match(text) or WITHOUT_DOMAIN.match(text)
    return tuple(int(part or b"0", 16) for part in match.groups()) if match else None
