"""The host processors and memory nodes near a card. A simulated host has one node of each, near every card."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, observed
from fakecuda.rules.nvml.arguments import ARGUMENTS_ARE_GIVEN, initialised, require_card_and_results
from fakecuda.rules.nvml.topology import ARRAY_IS_COUNTED
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.nvml import Card

WORD = 64
"""The number of bits of an unsigned long."""
SCOPES = 0, 1
"""nvmlAffinityScope_t: the NUMA node and the socket."""
HOST_NODE = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID"]

ROOM_IS_GIVEN = Rule(
    "the array size is not 0",
    Nvml.INVALID_ARGUMENT,
    observed("nvmlDeviceGetCpuAffinity", "NVML answers INVALID_ARGUMENT to a size of 0"),
    fix="pass an array with one word for every 64 processors or nodes, and its number of words",
)
SCOPE_IS_KNOWN = Rule(
    "`scope` is NVML_AFFINITY_SCOPE_NODE or NVML_AFFINITY_SCOPE_SOCKET",
    Nvml.INVALID_ARGUMENT,
    observed("nvmlDeviceGetMemoryAffinity", "NVML answers INVALID_ARGUMENT to scopes from 2 on"),
    fix="pass NVML_AFFINITY_SCOPE_NODE or NVML_AFFINITY_SCOPE_SOCKET",
)


def _words(bits: int, size: int) -> tuple[int, ...]:
    """Return 64-bit words with the lowest bits set."""
    return tuple(bits >> WORD * place & (1 << WORD) - 1 for place in range(size))


@guard
def _card(call: Call, device: int, size: int) -> Card:
    card = require_card_and_results(call, device)
    if not size:
        raise ROOM_IS_GIVEN.broken()
    return card


@guard
def _scoped(call: Call, device: int, size: int, scope: int) -> Card:
    card = _card(call, device, size)
    if scope not in SCOPES:
        raise SCOPE_IS_KNOWN.broken(scope=scope)
    return card


@NVML.op("nvmlDeviceGetCpuAffinity")
def device_get_cpu_affinity(call: Call, device: int, size: int) -> tuple[int, ...]:
    """Return the processors near a card as bits: all processors of the system."""
    _card(call, device, size)
    return _words((1 << (os.cpu_count() or 1)) - 1, size)


@NVML.op("nvmlDeviceGetCpuAffinityWithinScope")
def device_get_cpu_affinity_within_scope(call: Call, device: int, size: int, scope: int) -> tuple[int, ...]:
    """Return the processors near a card, within a NUMA node or a socket."""
    _scoped(call, device, size, scope)
    return _words((1 << (os.cpu_count() or 1)) - 1, size)


@NVML.op("nvmlDeviceGetMemoryAffinity")
def device_get_memory_affinity(call: Call, device: int, size: int, scope: int) -> tuple[int, ...]:
    """Return the NUMA nodes near a card as bits: the node that the driver's device attribute names."""
    card = _scoped(call, device, size, scope)
    return _words(1 << card.seen[0].profile.attributes.get(HOST_NODE, 0), size)


@NVML.op("nvmlSystemGetTopologyGpuSet")
def system_get_topology_gpu_set(call: Call, processor: int, count: int | None) -> tuple[int, tuple[int, ...] | None]:
    """Return the cards near a processor, up to the array's size. Every card is near every processor of this system.

    The count is left as it is where there is an array.
    """
    # CHECK
    initialised(call)
    if count is None:
        raise ARGUMENTS_ARE_GIVEN.broken()
    if bool(count) == bool(call.nulls):
        raise ARRAY_IS_COUNTED.broken(count=count)
    # EFFECT
    near = tuple(card.handle for card in call.machine.cards) if processor < (os.cpu_count() or 1) else ()
    return (count, near[:count]) if count else (len(near), None)
