"""Confidential computing: simulated cards support it, and it is off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.nvml.arguments import given, initialised, versioned
from fakecuda.rules.nvml.identity import capability
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from fakecuda.model.call import Call

HOPPER = 9, 0
NO_CPU, CAPABLE_GPUS = 0, 1
"""NVML_CC_SYSTEM_CPU_CAPS_NONE and NVML_CC_SYSTEM_GPUS_CC_CAPABLE."""
OFF = (0, 0, 0)
"""Environment, feature and developer tools mode without confidential computing."""
SETTINGS, THRESHOLD = (1, 20), (1, 16)
"""Versions of nvmlSystemConfComputeSettings_t and of the key rotation threshold, with their sizes in bytes."""
ADVANTAGE = 60
"""The attacker's advantage before keys rotate, as an H100 and an H200 answered."""

CARDS_ARE_HOPPER = Rule(
    "the machine's first card has compute capability 9.0 or higher",
    Nvml.NOT_SUPPORTED,
    manual("nvmlSystemGetConfComputeState", "NVML_ERROR_NOT_SUPPORTED if this query is not supported by the device"),
    fix="treat NVML_ERROR_NOT_SUPPORTED as no confidential computing, or run on a Hopper card or a newer one",
)


@guard
def _hopper(call: Call) -> None:
    if capability(call.machine.cards[0]) < HOPPER:
        raise CARDS_ARE_HOPPER.broken()


@NVML.op("nvmlSystemGetConfComputeState")
def system_get_conf_compute_state(call: Call) -> tuple[int, int, int]:
    """Return environment, feature and developer tools mode: all off."""
    initialised(call)
    given(call)
    _hopper(call)
    return OFF


@NVML.op("nvmlSystemGetConfComputeCapabilities")
def system_get_conf_compute_capabilities(call: Call) -> tuple[int, int]:
    """Return the capabilities: none of the CPU, and the cards' own."""
    initialised(call)
    given(call)
    _hopper(call)
    return NO_CPU, CAPABLE_GPUS


@NVML.op("nvmlSystemGetConfComputeGpusReadyState")
def system_get_conf_compute_gpus_ready_state(call: Call) -> int:
    """Return 0: without confidential computing the ready state is not set."""
    initialised(call)
    given(call)
    _hopper(call)
    return 0


@NVML.op("nvmlSystemGetConfComputeSettings")
def system_get_conf_compute_settings(call: Call, version: int | None) -> tuple[int, ...]:
    """Return environment, feature, developer tools mode and multi-GPU mode: all off."""
    initialised(call)
    versioned(version, SETTINGS)
    _hopper(call)
    return (*OFF, 0)


@NVML.op("nvmlSystemGetConfComputeKeyRotationThresholdInfo")
def system_get_conf_compute_key_rotation_threshold_info(call: Call, version: int | None) -> tuple[int]:
    """Return the attacker's advantage before keys rotate."""
    initialised(call)
    versioned(version, THRESHOLD)
    _hopper(call)
    return (ADVANTAGE,)
