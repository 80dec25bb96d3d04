"""The number of cards and their handles, in bus order. NVML ignores CUDA_VISIBLE_DEVICES."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fakecuda.model.memory.visible import dashed
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.nvml.arguments import ARGUMENTS_ARE_GIVEN, given, initialised, versioned
from fakecuda.rules.nvml.identity import serial_of, uuid_of
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from fakecuda.model.call import Call

BUS_ID = re.compile(r"(?:([0-9a-f]{4}|[0-9a-f]{8}):)?([0-9a-f]{2}):([0-9a-f]{2})(?:\.0)?", re.IGNORECASE)
ASCII, BINARY = 1, 2
"""nvmlUUIDType_t."""
UUID = 1, 52
"""The version of nvmlUUID_v1_t, and its size in bytes."""

INDEX_IS_IN_RANGE = Rule(
    "`index` is less than the number of cards",
    Nvml.INVALID_ARGUMENT,
    manual("nvmlDeviceGetHandleByIndex_v2", "NVML_ERROR_INVALID_ARGUMENT if index is invalid or device is NULL"),
    fix="pass an index below the count that nvmlDeviceGetCount_v2 returns",
)
UUID_IS_FOUND = Rule(
    "a card or a MIG instance of the machine has the UUID `uuid`",
    Nvml.NOT_FOUND,
    manual("nvmlDeviceGetHandleByUUID", "NVML_ERROR_NOT_FOUND if uuid does not match a valid device on the system"),
    fix="pass a UUID that nvmlDeviceGetUUID returned, such as GPU- and five groups of digits",
)
BUS_ID_IS_WRITTEN = Rule(
    "`pciBusId` has the form [domain:]bus:device[.0]",
    Nvml.INVALID_ARGUMENT,
    observed(
        "nvmlDeviceGetHandleByPciBusId_v2",
        "NVML answers INVALID_ARGUMENT to other texts, and to a PCI function other than 0",
    ),
    fix="write the bus id in hexadecimal as domain:bus:device.0, such as 00000000:3B:00.0",
)
BUS_ID_IS_FOUND = Rule(
    "a card of the machine has the bus id `pciBusId`",
    Nvml.NOT_FOUND,
    manual("nvmlDeviceGetHandleByPciBusId_v2", "NVML_ERROR_NOT_FOUND if pciBusId does not match a valid device"),
    fix="pass a bus id that nvmlDeviceGetPciInfo_v3 returned",
)
UUID_TYPE_IS_KNOWN = Rule(
    "`type` of the UUID is NVML_UUID_TYPE_ASCII or NVML_UUID_TYPE_BINARY",
    Nvml.INVALID_ARGUMENT,
    manual("nvmlDeviceGetHandleByUUID", "NVML_ERROR_INVALID_ARGUMENT if uuid is invalid or device is null"),
    fix="set type to NVML_UUID_TYPE_ASCII or NVML_UUID_TYPE_BINARY",
)
SERIAL_IS_FOUND = Rule(
    "a card of the machine has the serial number `serial`",
    Nvml.NOT_FOUND,
    manual("nvmlDeviceGetHandleBySerial", "NVML_ERROR_NOT_FOUND if serial does not match a valid device on the system"),
    fix="pass a serial number that nvmlDeviceGetSerial returned",
)


@guard
def _texted(call: Call, text: bytes | None) -> str:
    """Return the text by which a call looks for a card."""
    initialised(call)
    if text is None:
        raise ARGUMENTS_ARE_GIVEN.broken()
    given(call)
    return text.decode(errors="replace")


@NVML.op("nvmlDeviceGetCount_v2")
@NVML.op("nvmlDeviceGetCount")
def device_get_count(call: Call) -> int:
    """Return the number of cards. A card with MIG instances counts once."""
    initialised(call)
    given(call)
    return len(call.machine.cards)


@NVML.op("nvmlDeviceGetHandleByIndex_v2")
@NVML.op("nvmlDeviceGetHandleByIndex")
def device_get_handle_by_index(call: Call, index: int) -> int:
    """Return the handle of a card by its index in bus order."""
    initialised(call)
    given(call)
    cards = call.machine.cards
    if index >= len(cards):
        raise INDEX_IS_IN_RANGE.broken(index=index)
    return cards[index].handle


@guard
def _of_uuid(call: Call, uuid: str) -> int:
    """Return the handle of the card or MIG instance with a UUID, prefix optional."""
    for card in call.machine.cards:
        for one in (card, *card.instances):
            if uuid in {uuid_of(one), uuid_of(one).partition("-")[2]}:
                return one.handle
    raise UUID_IS_FOUND.broken(uuid=uuid)


@NVML.op("nvmlDeviceGetHandleByUUID")
def device_get_handle_by_uuid(call: Call, uuid: bytes | None) -> int:
    """Return the handle of the card or MIG instance with a UUID, ``GPU-…`` or ``MIG-…``."""
    return _of_uuid(call, _texted(call, uuid))


@NVML.op("nvmlDeviceGetHandleByUUIDV")
def device_get_handle_by_uuid_v(call: Call, uuid: tuple[int, int, tuple[bytes, tuple[int, ...]]] | None) -> int:
    """Return the handle of the card or MIG instance with the UUID in a nvmlUUID_t."""
    # CHECK
    initialised(call)
    if uuid is None:
        raise ARGUMENTS_ARE_GIVEN.broken()
    given(call)
    version, kind, (text, numbers) = uuid
    versioned(version, UUID)
    if kind not in {ASCII, BINARY}:
        raise UUID_TYPE_IS_KNOWN.broken(type=kind)
    # EFFECT
    return _of_uuid(call, text.decode(errors="replace") if kind == ASCII else f"GPU-{dashed(bytes(numbers))}")


@NVML.op("nvmlDeviceGetHandleBySerial")
def device_get_handle_by_serial(call: Call, serial: bytes | None) -> int:
    """Return the handle of the card with a serial number."""
    # CHECK
    wanted = _texted(call, serial)
    # EFFECT
    for card in call.machine.cards:
        if serial_of(card) == wanted:
            return card.handle
    raise SERIAL_IS_FOUND.broken(serial=wanted)


@NVML.op("nvmlDeviceGetHandleByPciBusId_v2")
@NVML.op("nvmlDeviceGetHandleByPciBusId")
def device_get_handle_by_pci_bus_id(call: Call, bus_id: bytes | None) -> int:
    """Return the handle of the card with a PCI bus id: ``00000000:1B:00.0``, in upper or lower case.

    The default domain is 0.
    """
    # CHECK
    text = _texted(call, bus_id)
    place = BUS_ID.fullmatch(text)
    if place is None:
        raise BUS_ID_IS_WRITTEN.broken(bus_id=text)
    # EFFECT
    wanted = [int(part or "0", 16) for part in place.groups()[:3]]
    for card in call.machine.cards:
        if [int(part, 16) for part in re.split("[:.]", card.devices[0].profile.pci)[:3]] == wanted:
            return card.handle
    raise BUS_ID_IS_FOUND.broken(bus_id=text)
