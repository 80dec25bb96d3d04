"""MIG: each instance of a card has its own handle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.nvml.arguments import require_card_and_results
from fakecuda.rules.nvml.identity import capability, whole
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.nvml import Card

MULTIPROCESSORS = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT"]
MOST_INSTANCES = 7
"""The maximum MIG instances of a card: it has seven compute slices.

See https://docs.nvidia.com/datacenter/tesla/mig-user-guide/.
"""

CARD_CAN_BE_SPLIT = Rule(
    "the card supports MIG",
    Nvml.NOT_SUPPORTED,
    manual("nvmlDeviceGetMigMode", "NVML_ERROR_NOT_SUPPORTED If device doesn't support MIG mode"),
    fix="treat NVML_ERROR_NOT_SUPPORTED as no MIG, or run on a card of compute capability 8.0, 9.0 or 10.0",
)
INSTANCE_IS_FOUND = Rule(
    "the card has a MIG instance with the index `index`",
    Nvml.NOT_FOUND,
    manual("nvmlDeviceGetMigDeviceHandleByIndex", "NVML_ERROR_NOT_FOUND if no valid MIG device was found at index"),
    fix="try each index below the count of nvmlDeviceGetMaxMigDeviceCount, and skip indices that are not found",
)
ATTRIBUTES_ARE_AN_INSTANCE_S = Rule(
    "`device` is a MIG instance, not a whole card",
    Nvml.NOT_SUPPORTED,
    observed("nvmlDeviceGetAttributes_v2", "NVML answers NOT_SUPPORTED to the handle of a whole card"),
    fix="pass a handle of nvmlDeviceGetMigDeviceHandleByIndex; whole cards have no such attributes",
)
HANDLE_IS_AN_INSTANCE = Rule(
    "the device handle is a MIG instance, not a whole card",
    Nvml.INVALID_ARGUMENT,
    manual("nvmlDeviceGetGpuInstanceId", "NVML_ERROR_INVALID_ARGUMENT if device or id reference is invalid"),
    fix="pass a handle of nvmlDeviceGetMigDeviceHandleByIndex, not the card's own",
)


def splittable(card: Card) -> bool:
    """Return whether a card supports MIG: compute capability 8.0, 9.0 or 10.0."""
    return capability(card) in {(8, 0), (9, 0), (10, 0)}


@guard
def _instance(call: Call, device: int) -> Card:
    card = require_card_and_results(call, device)
    if card.instance is None:
        raise HANDLE_IS_AN_INSTANCE.broken(device=device)
    return card


@NVML.op("nvmlDeviceGetMigMode")
def device_get_mig_mode(call: Call, device: int) -> tuple[int, int]:
    """Return the current and the pending MIG mode of the card."""
    card = whole(call, device)
    if not splittable(card):
        raise CARD_CAN_BE_SPLIT.broken(device=device)
    return int(card.split), int(card.split)


@NVML.op("nvmlDeviceIsMigDeviceHandle")
def device_is_mig_device_handle(call: Call, device: int) -> int:
    """Return whether a handle is a MIG instance."""
    return int(require_card_and_results(call, device).instance is not None)


@NVML.op("nvmlDeviceGetMaxMigDeviceCount")
def device_get_max_mig_device_count(call: Call, device: int) -> int:
    """Return the maximum number of MIG instances of the card; 0 without MIG mode."""
    return MOST_INSTANCES if whole(call, device).split else 0


@NVML.op("nvmlDeviceGetMigDeviceHandleByIndex")
def device_get_mig_device_handle_by_index(call: Call, device: int, index: int) -> int:
    """Return the handle of a MIG instance by its index."""
    card = whole(call, device)
    if index >= len(card.instances):
        raise INSTANCE_IS_FOUND.broken(index=index)
    return card.instances[index].handle


@NVML.op("nvmlDeviceGetDeviceHandleFromMigDeviceHandle")
def device_get_device_handle_from_mig_device_handle(call: Call, device: int) -> int:
    """Return the handle of the card of a MIG instance."""
    return call.machine.cards[_instance(call, device).index].handle


@NVML.op("nvmlDeviceGetGpuInstanceId")
def device_get_gpu_instance_id(call: Call, device: int) -> int:
    """Return the GPU instance id, from 1."""
    return _instance(call, device).place + 1


@NVML.op("nvmlDeviceGetComputeInstanceId")
def device_get_compute_instance_id(call: Call, device: int) -> int:
    """Return the compute instance id 0: a GPU instance has one compute instance."""
    _instance(call, device)
    return 0


@NVML.op("nvmlDeviceGetAttributes_v2")
@NVML.op("nvmlDeviceGetAttributes")
def device_get_attributes(call: Call, device: int) -> tuple[int, ...]:
    """Return the multiprocessors, engines, slices and memory of a MIG instance."""
    card = require_card_and_results(call, device)
    if card.instance is None:
        raise ATTRIBUTES_ARE_AN_INSTANCE_S.broken(device=device)
    profile, slices = card.seen[0].profile, MOST_INSTANCES // len(card.devices)
    return (
        profile.attributes.get(MULTIPROCESSORS, 0),
        slices,
        slices,
        0,
        0,
        0,
        slices,
        slices,
        profile.total_memory >> 20,
    )
