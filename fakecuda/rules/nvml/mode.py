"""Modes of a card: what an administrator sets, and programs only read here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.nvml.arguments import require_card_and_results
from fakecuda.rules.registry import NVML
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call

ATTRIBUTE = ENUMS["CUdevice_attribute"]
COMPUTE_MODE = ATTRIBUTE["CU_DEVICE_ATTRIBUTE_COMPUTE_MODE"]
ECC = ATTRIBUTE["CU_DEVICE_ATTRIBUTE_ECC_ENABLED"]


@NVML.op("nvmlDeviceGetComputeMode")
def device_get_compute_mode(call: Call, device: int) -> int:
    """Return the compute mode, with the numbers of the driver's attribute."""
    return require_card_and_results(call, device).seen[0].profile.attributes.get(COMPUTE_MODE, 0)


@NVML.op("nvmlDeviceGetEccMode")
def device_get_ecc_mode(call: Call, device: int) -> tuple[int, int]:
    """Return whether memory is checked for errors, and whether it will be after the next start."""
    enabled = require_card_and_results(call, device).seen[0].profile.attributes.get(ECC, 0)
    return enabled, enabled


@NVML.op("nvmlDeviceGetPersistenceMode")
def device_get_persistence_mode(call: Call, device: int) -> int:
    """Return 1: the driver stays loaded without a user of the card, as on servers."""
    require_card_and_results(call, device)
    return 1


@NVML.op("nvmlDeviceGetUtilizationRates")
def device_get_utilization_rates(call: Call, device: int) -> tuple[int, int]:
    """Return 0 and 0, percents of the last second in which the card and its memory were busy: nothing runs on a simulated card."""
    require_card_and_results(call, device)
    return 0, 0
