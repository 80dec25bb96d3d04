"""Topology: the connections between cards, and peer capabilities as the driver reports them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, observed
from fakecuda.rules.nvml.arguments import ARGUMENTS_ARE_GIVEN, card_of, found, given, initialised
from fakecuda.rules.nvml.identity import bus_of
from fakecuda.rules.nvml.link import linked, links_of
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.nvml import Card
    from fakecuda.profiles import Peer

HOSTBRIDGE, NODE, SYSTEM = 30, 40, 50
"""nvmlGpuTopologyLevel_t."""
LEVELS = 0xFFFFFFFF
"""A mask: the library reads a level as an unsigned number."""
OK, NOT_SUPPORTED = 0, 5
"""nvmlGpuP2PStatus_t."""
NVLINK, ATOMICS, PCI = 2, 3, 4
"""nvmlGpuP2PCapsIndex_t; any other number asks for access."""
HOST_NODE = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID"]

CARDS_ARE_TWO = Rule(
    "`device1` and `device2` are different cards",
    Nvml.NOT_SUPPORTED,
    observed("nvmlDeviceGetTopologyCommonAncestor", "NVML answers NOT_SUPPORTED if both handles are the same card"),
    fix="pass the handles of two different cards",
)
ARRAY_IS_COUNTED = Rule(
    "the array is null if, and only if, the count is 0",
    Nvml.INVALID_ARGUMENT,
    observed(
        "nvmlDeviceGetTopologyNearestGpus",
        "NVML answers INVALID_ARGUMENT to an array with a count of 0, and to a null array with another count",
    ),
    fix="call the function with a count of 0 and no array to get the number, then with an array of that length",
)


def peer_of(call: Call, one: Card, other: Card) -> Peer | None:
    """Return the link from one card to another; None if the profile has no link."""
    return call.machine.profile.peers.get((one.seen[0].ordinal, other.seen[0].ordinal))


def level_of(one: Card, other: Card) -> int:
    """Return the topology level between two cards: host bridge, node or system."""
    profiles = [card.seen[0].profile for card in (one, other)]
    if len({profile.attributes.get(HOST_NODE, 0) for profile in profiles}) > 1:
        return SYSTEM
    return HOSTBRIDGE if len({bus_of(profile.pci)[0] for profile in profiles}) == 1 else NODE


@NVML.op("nvmlDeviceGetTopologyCommonAncestor")
def device_get_topology_common_ancestor(call: Call, device1: int, device2: int) -> int:
    """Return the topology level between two cards."""
    # CHECK
    initialised(call)
    one, other = card_of(call, device1), card_of(call, device2)
    given(call)
    if one.index == other.index:
        raise CARDS_ARE_TWO.broken(device=device1)
    # EFFECT
    return level_of(one, other)


@NVML.op("nvmlDeviceGetTopologyNearestGpus")
def device_get_topology_nearest_gpus(
    call: Call, device: int, level: int, count: int | None
) -> tuple[int, tuple[int, ...] | None]:
    """Return the number of cards at a topology level or nearer, and their handles up to the array's size."""
    # CHECK
    card = found(call, device)
    if count is None:
        raise ARGUMENTS_ARE_GIVEN.broken()
    if bool(count) == bool(call.nulls):
        raise ARRAY_IS_COUNTED.broken(count=count)
    # EFFECT
    near = [
        other.handle
        for other in call.machine.cards
        if other.index != card.index and level_of(card, other) <= level & LEVELS
    ]
    near = near[:count] if count else near
    return len(near), tuple(near) if count else None


@guard
def _pair(call: Call, device1: int, device2: int) -> tuple[Card, Card]:
    initialised(call)
    one, other = card_of(call, device1), card_of(call, device2)
    given(call)
    return one, other


@NVML.op("nvmlDeviceGetP2PStatus")
def device_get_p2p_status(call: Call, device1: int, device2: int, index: int) -> int:
    """Return the status of a peer capability between two cards, as the driver reports it."""
    # CHECK
    one, other = _pair(call, device1, device2)
    # EFFECT
    peer = peer_of(call, one, other)
    access = one.index == other.index or (peer is not None and peer.can_access)
    by_link = linked(peer) or (one.index == other.index and links_of(call, one) > 0)
    able = {NVLINK: by_link, ATOMICS: by_link, PCI: access and not by_link}
    return OK if able.get(index, access) else NOT_SUPPORTED
