"""Modes of a card, which an administrator sets. In the model programs can only read them."""

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
    """Return the compute mode of the card."""
    return require_card_and_results(call, device).seen[0].profile.attributes.get(COMPUTE_MODE, 0)


@NVML.op("nvmlDeviceGetEccMode")
def device_get_ecc_mode(call: Call, device: int) -> tuple[int, int]:
    """Return the current and the pending ECC mode of the card."""
    enabled = require_card_and_results(call, device).seen[0].profile.attributes.get(ECC, 0)
    return enabled, enabled


@NVML.op("nvmlDeviceGetPersistenceMode")
def device_get_persistence_mode(call: Call, device: int) -> int:
    """Return persistence mode 1: the driver stays loaded without users, as on servers."""
    require_card_and_results(call, device)
    return 1


@NVML.op("nvmlDeviceGetUtilizationRates")
def device_get_utilization_rates(call: Call, device: int) -> tuple[int, int]:
    """Return a utilization of 0 % for the card and its memory, because nothing runs on a simulated card."""
    require_card_and_results(call, device)
    return 0, 0
