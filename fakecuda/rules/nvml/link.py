"""NVLink: the links of a card to the switches. The links exist if the profile joins its peers by links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.nvml.arguments import given, initialised, require_card_and_results
from fakecuda.rules.nvml.identity import UNKNOWN, capability
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.nvml import Card
    from fakecuda.profiles import Peer

MOST_LINKS = 18
"""NVML_NVLINK_MAX_LINKS."""
MULTICAST = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED"]
NATIVE = ENUMS["CUdevice_P2PAttribute"]["CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED"]
SWITCH = 2
"""NVML_NVLINK_DEVICE_TYPE_SWITCH."""
CAPABILITIES = range(6)
"""nvmlNvLinkCapability_t."""
HOPPER = 9, 0
"""The first compute capability with a bandwidth mode."""
NO_PLACE = b"FFFFFFF:FF:FF.0", UNKNOWN, 0xFF, 0xFF, UNKNOWN, 0, b"FFFFFFFF:FF:FF.0"
"""A nvmlPciInfo_t for an unknown PCI address."""

LINK_IS_IN_RANGE = Rule(
    "`link` is less than NVML_NVLINK_MAX_LINKS",
    Nvml.INVALID_ARGUMENT,
    manual("nvmlDeviceGetNvLinkState", "NVML_ERROR_INVALID_ARGUMENT if device or link is invalid or isActive is NULL"),
    fix="pass a link below NVML_NVLINK_MAX_LINKS",
)
LINKS_ARE_THERE = Rule(
    "the card has an NVLink with the number `link`",
    Nvml.NOT_SUPPORTED,
    manual("nvmlDeviceGetNvLinkState", "NVML_ERROR_NOT_SUPPORTED if the device doesn't support this feature"),
    fix="treat NVML_ERROR_NOT_SUPPORTED as the end of the card's links; a PCIe card has none",
)
CAPABILITY_IS_KNOWN = Rule(
    "`capability` is a nvmlNvLinkCapability_t",
    Nvml.INVALID_ARGUMENT,
    manual("nvmlDeviceGetNvLinkCapability", "NVML_ERROR_INVALID_ARGUMENT if device, link, or capability is invalid"),
    fix="pass a nvmlNvLinkCapability_t, such as NVML_NVLINK_CAP_P2P_SUPPORTED",
)
BANDWIDTH_HAS_MODES = Rule(
    "the machine's first card has compute capability 9.0 or higher",
    Nvml.NOT_SUPPORTED,
    manual("nvmlSystemGetNvlinkBwMode", "NVML_ERROR_NOT_SUPPORTED if GPU is not Hopper or newer architecture"),
    fix="treat NVML_ERROR_NOT_SUPPORTED as full bandwidth, or run on a Hopper card or a newer one",
)
COUNTERS_ARE_SUPPORTED = Rule(
    "the driver still has utilization counters of links; no simulated driver has",
    Nvml.NOT_SUPPORTED,
    observed("nvmlDeviceGetNvLinkUtilizationCounter", "NVML answers NOT_SUPPORTED before it checks any argument"),
    fix="read NVML_FI_DEV_NVLINK_THROUGHPUT_* with nvmlDeviceGetFieldValues",
)


def linked(peer: Peer | None) -> bool:
    """Return whether a link is NVLink, which has native atomics, unlike PCIe."""
    return peer is not None and peer.can_access and bool(peer.attributes.get(NATIVE))


def links_of(call: Call, card: Card) -> int:
    """Return the number of active links of a card: all or none.

    They are where a peer is reached by them, or where the card takes part in multicast, which needs the switches.
    """
    peers = call.machine.profile.peers
    number = card.seen[0].ordinal
    by_link = any(linked(peer) for (source, _), peer in peers.items() if source == number)
    return card.facts.links if by_link or card.seen[0].profile.attributes.get(MULTICAST) else 0


@guard
def _link(call: Call, device: int, link: int) -> Card:
    """Return the card of a link number, which must exist."""
    card = require_card_and_results(call, device)
    if link >= MOST_LINKS:
        raise LINK_IS_IN_RANGE.broken(link=link)
    if link >= links_of(call, card):
        raise LINKS_ARE_THERE.broken(link=link, device=device)
    return card


@NVML.op("nvmlDeviceGetNvLinkState")
def device_get_nv_link_state(call: Call, device: int, link: int) -> int:
    """Return 1: every existing link is active."""
    _link(call, device, link)
    return 1


@NVML.op("nvmlDeviceGetNvLinkVersion")
def device_get_nv_link_version(call: Call, device: int, link: int) -> int:
    """Return the version of the links' NVLink generation."""
    return _link(call, device, link).facts.link_version


@NVML.op("nvmlDeviceGetNvLinkCapability")
def device_get_nv_link_capability(call: Call, device: int, link: int, capability: int) -> int:
    """Return 1: every link has every capability."""
    _link(call, device, link)
    if capability not in CAPABILITIES:
        raise CAPABILITY_IS_KNOWN.broken(capability=capability)
    return 1


@NVML.op("nvmlDeviceGetNvLinkRemoteDeviceType")
def device_get_nv_link_remote_device_type(call: Call, device: int, link: int) -> int:
    """Return the PCI address at the other end of a link: a switch."""
    _link(call, device, link)
    return SWITCH


@NVML.op("nvmlDeviceGetNvLinkRemotePciInfo")
def device_get_nv_link_remote_pci_info_v1(call: Call, device: int, link: int) -> tuple[Any, ...]:
    """Return the PCI address at the other end of a link, in an older struct."""
    _link(call, device, link)
    return NO_PLACE[:5]


@NVML.op("nvmlDeviceGetNvLinkRemotePciInfo_v2")
def device_get_nv_link_remote_pci_info(call: Call, device: int, link: int) -> tuple[Any, ...]:
    """Report that the remote device type is unknown, as in a virtual machine that does not see the switches."""
    _link(call, device, link)
    return NO_PLACE


@NVML.op("nvmlSystemGetNvlinkBwMode")
def system_get_nvlink_bw_mode(call: Call) -> int:
    """Return 0: links have their full bandwidth."""
    initialised(call)
    given(call)
    if capability(call.machine.cards[0]) < HOPPER:
        raise BANDWIDTH_HAS_MODES.broken()
    return 0


@NVML.op("nvmlDeviceGetNvLinkUtilizationControl")
@NVML.op("nvmlDeviceGetNvLinkUtilizationCounter")
def device_get_nv_link_utilization(call: Call, device: int, *_: int) -> None:
    """Refuse queries of utilization counters."""
    initialised(call)
    raise COUNTERS_ARE_SUPPORTED.broken(device=device)
