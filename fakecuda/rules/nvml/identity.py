"""The identity of a card: name, UUID, bus id, boards and compute capability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.memory.visible import dashed, identifier
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.nvml.arguments import fitting, given, given_out, initialised, require_card_and_results, versioned
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.nvml import Card

ATTRIBUTE = ENUMS["CUdevice_attribute"]
MAJOR = ATTRIBUTE["CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR"]
MINOR = ATTRIBUTE["CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR"]
CHIP = ATTRIBUTE["CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID"]
BOARD = ATTRIBUTE["CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID"]
ARCHITECTURES = {(7, 0): 5, (7, 5): 6, (8, 0): 7, (8, 6): 7, (8, 7): 7, (8, 9): 8, (9, 0): 9, (10, 0): 10, (12, 0): 10}
"""NVML_DEVICE_ARCH by compute capability."""
UNKNOWN = 0xFFFFFFFF
NUMA_CONFIG = ATTRIBUTE["CU_DEVICE_ATTRIBUTE_NUMA_CONFIG"]
NUMA_ID = ATTRIBUTE["CU_DEVICE_ATTRIBUTE_NUMA_ID"]
CLASS_3D = 0x03, 0x02
"""The PCI device class of cards without a display."""
PCI_EXT = 1, 64
"""The version of nvmlPciInfoExt_v1_t, and its size in bytes."""

PDI = 1, 16
"""The version of nvmlPdi_v1_t, and its size in bytes."""

CARD_IS_WHOLE = Rule(
    "`device` is a whole card, not a MIG instance",
    Nvml.INVALID_ARGUMENT,
    manual("nvmlDeviceGetMigMode", "NVML_ERROR_INVALID_ARGUMENT If device, currentMode or pendingMode are invalid"),
    fix="pass the card's handle; for an instance, nvmlDeviceGetDeviceHandleFromMigDeviceHandle returns it",
)
NODE_IS_THERE = Rule(
    "the card's memory is a host NUMA node",
    Nvml.NOT_SUPPORTED,
    manual("nvmlDeviceGetNumaNodeId", "NVML_ERROR_NOT_SUPPORTED"),
    fix="treat NVML_ERROR_NOT_SUPPORTED as memory that is not a host NUMA node",
)
BOTH_CARDS_ARE_GIVEN = Rule(
    "neither `device1` nor `device2` is null",
    Nvml.NOT_SUPPORTED,
    observed("nvmlDeviceOnSameBoard", "NVML answers NOT_SUPPORTED to a null handle"),
    fix="pass the handles of two cards",
)
SERIAL_IS_THERE = Rule(
    "the card has a serial number",
    Nvml.NOT_SUPPORTED,
    manual("nvmlDeviceGetSerial", "NVML_ERROR_NOT_SUPPORTED if the device does not support this feature"),
    fix="use nvmlDeviceGetUUID to tell cards apart; not every card has a serial number",
)


def name_of(card: Card) -> str:
    """Return a card's name as cuDeviceGetName does, without the MIG profile."""
    name = card.seen[0].profile.name
    return name.partition(" MIG ")[0] if card.instance is None else name


def uuid_of(card: Card) -> str:
    """Return a UUID as nvidia-smi prints it; a split card's is derived."""
    first = card.seen[0]
    if card.instance is not None or not card.split:
        return identifier(first)
    return f"GPU-{dashed(bytes(255 - byte for byte in first.profile.uuid))}"


def serial_of(card: Card) -> str:
    """Return a 13-digit serial number derived from the UUID; empty if cards have none."""
    number = int.from_bytes(card.devices[0].profile.uuid[:6], "big") % 10**10
    return f"165{number:010}" if card.facts.serial else ""


@NVML.op("nvmlDeviceGetName")
def device_get_name(call: Call, device: int, length: int) -> bytes:
    """Return the card's name."""
    return fitting(name_of(require_card_and_results(call, device)), length)


@NVML.op("nvmlDeviceGetUUID")
def device_get_uuid(call: Call, device: int, length: int) -> bytes:
    """Return the card's UUID, such as ``GPU-`` or ``MIG-`` and groups of hex digits."""
    return fitting(uuid_of(require_card_and_results(call, device)), length)


@NVML.op("nvmlDeviceGetSerial")
def device_get_serial(call: Call, device: int, length: int) -> bytes:
    """Return the card's serial number."""
    serial = serial_of(require_card_and_results(call, device))
    if not serial:
        raise SERIAL_IS_THERE.broken(device=device)
    return fitting(serial, length)


@guard
def whole(call: Call, device: int) -> Card:
    """Return the card of a handle that must not be a MIG instance."""
    card = require_card_and_results(call, device)
    if card.instance is not None:
        raise CARD_IS_WHOLE.broken(device=device)
    return card


@NVML.op("nvmlDeviceGetIndex")
def device_get_index(call: Call, device: int) -> int:
    """Return the card's index in bus order."""
    card = require_card_and_results(call, device)
    return card.place if card.instance else card.index


@NVML.op("nvmlDeviceGetMinorNumber")
def device_get_minor_number(call: Call, device: int) -> int:
    """Return the number of the card's device file, ``/dev/nvidia0``: its index."""
    return require_card_and_results(call, device).index


@NVML.op("nvmlDeviceGetCudaComputeCapability")
def device_get_cuda_compute_capability(call: Call, device: int) -> tuple[int, int]:
    """Return the card's compute capability, major and minor."""
    return capability(require_card_and_results(call, device))


def capability(card: Card) -> tuple[int, int]:
    """Return a card's compute capability from the driver's attributes."""
    attributes = card.seen[0].profile.attributes
    return attributes[MAJOR], attributes[MINOR]


@NVML.op("nvmlDeviceGetArchitecture")
def device_get_architecture(call: Call, device: int) -> int:
    """Return the architecture number, by the compute capability."""
    return ARCHITECTURES.get(capability(require_card_and_results(call, device)), UNKNOWN)


def bus_of(pci: str) -> tuple[int, int, int]:
    """Return domain, bus and device number from a PCI bus id."""
    domain, bus, rest = pci.split(":")
    return int(domain, 16), int(bus, 16), int(rest.partition(".")[0], 16)


def pci_of(card: Card) -> tuple[Any, ...]:
    """Return a nvmlPciInfo_t: bus id texts and numbers, chip and board ids."""
    profile = card.devices[0].profile
    domain, bus, device = bus_of(profile.pci)
    chip, board = (profile.attributes.get(number, 0) & UNKNOWN for number in (CHIP, BOARD))
    short, text = (f"{domain:0{width}X}:{bus:02X}:{device:02X}.0".encode() for width in (4, 8))
    return short, domain, bus, device, chip, board, text


@NVML.op("nvmlDeviceGetPciInfo_v3")
def device_get_pci_info(call: Call, device: int) -> tuple[Any, ...]:
    """Return the PCI address of the card; see :func:`pci_of`."""
    return pci_of(require_card_and_results(call, device))


@NVML.op("nvmlDeviceGetPciInfo_v2")
def device_get_pci_info_v2(call: Call, device: int) -> tuple[Any, ...]:
    """Return the PCI address of the card in an older struct, with one bus id text."""
    return pci_of(require_card_and_results(call, device))[:6]


@NVML.op("nvmlDeviceGetPciInfo")
def device_get_pci_info_v1(call: Call, device: int) -> tuple[Any, ...]:
    """Return the PCI address of the card in an older struct, without the subsystem id."""
    return pci_of(require_card_and_results(call, device))[:5]


@NVML.op("nvmlDeviceGetPciInfoExt")
def device_get_pci_info_ext(call: Call, device: int, version: int | None) -> tuple[Any, ...]:
    """Return the PCI address of the card, with its PCI device class."""
    card = require_card_and_results(call, device)
    versioned(version, PCI_EXT)
    _, domain, bus, number, chip, board, text = pci_of(card)
    return domain, bus, number, chip, board, *CLASS_3D, text


@NVML.op("nvmlDeviceGetPdi")
def device_get_pdi(call: Call, device: int, version: int | None) -> tuple[int]:
    """Return a number that is unique to the card. In the model this number is derived from the UUID."""
    card = require_card_and_results(call, device)
    versioned(version, PDI)
    return (int.from_bytes(card.devices[0].profile.uuid[8:], "big"),)


@NVML.op("nvmlDeviceGetBoardId")
def device_get_board_id(call: Call, device: int) -> int:
    """Return the board id. In the model each card has its own, derived from its bus address."""
    domain, bus, number = bus_of(require_card_and_results(call, device).devices[0].profile.pci)
    return domain << 16 | bus << 8 | number


@NVML.op("nvmlDeviceOnSameBoard")
def device_on_same_board(call: Call, device1: int, device2: int) -> int:
    """Return 1 if both handles are the same card, else 0. In the model each card has its own board."""
    # CHECK
    initialised(call)
    if not (device1 and device2):
        raise BOTH_CARDS_ARE_GIVEN.broken()
    one, other = given_out(call, device1), given_out(call, device2)
    given(call)
    # EFFECT
    return int(one.index == other.index)


@NVML.op("nvmlDeviceGetNumaNodeId")
def device_get_numa_node_id(call: Call, device: int) -> int:
    """Return the card's own NUMA node, if any."""
    profile = require_card_and_results(call, device).devices[0].profile
    if not profile.attributes.get(NUMA_CONFIG):
        raise NODE_IS_THERE.broken(device=device)
    return profile.attributes[NUMA_ID]
