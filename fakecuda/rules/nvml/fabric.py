"""The NVLink fabric: whether a card has joined it, and its cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.rules.nvml.arguments import require_card_and_results, versioned
from fakecuda.rules.nvml.link import links_of
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.nvml import Card

NOT_SUPPORTED, COMPLETED = 0, 3
"""nvmlGpuFabricState_t."""
NO_CLUSTER = bytes(16)
V2, V3 = (2, 36), (3, 40)
"""Versions of nvmlGpuFabricInfoV_t, with their sizes in bytes."""


def cluster_of(call: Call, card: Card) -> tuple[bytes, int, int, int]:
    """Return a card's cluster UUID, join status, clique and state.

    A cluster, one clique of it, is there where fabric handles work: over NVSwitch alone a card joins none by that name.
    """
    if not links_of(call, card):
        return NO_CLUSTER, int(Nvml.SUCCESS), 0, NOT_SUPPORTED
    if not call.machine.profile.fabric:
        return NO_CLUSTER, int(Nvml.SUCCESS), 0, COMPLETED
    first = call.machine.cards[0].devices[0].profile.uuid
    return bytes(255 - byte for byte in first), int(Nvml.SUCCESS), 1, COMPLETED


@NVML.op("nvmlDeviceGetGpuFabricInfo")
def device_get_gpu_fabric_info(call: Call, device: int) -> tuple[Any, ...]:
    """Return a nvmlGpuFabricInfo_t: cluster, status, clique and state."""
    cluster, answer, clique, state = cluster_of(call, require_card_and_results(call, device))
    return tuple(cluster), answer, clique, state


@NVML.op("nvmlDeviceGetGpuFabricInfoV")
def device_get_gpu_fabric_info_v(call: Call, device: int, version: int | None) -> tuple[Any, ...]:
    """Return a nvmlGpuFabricInfo_v2_t or _v3_t: cluster, status, clique, state and health."""
    # CHECK
    card = require_card_and_results(call, device)
    number = versioned(version, V2, V3)
    # EFFECT
    cluster, answer, clique, state = cluster_of(call, card)
    # The mask and the summary of the health are not known.
    return tuple(cluster), answer, clique, state, *([0] * (number - 1))
