"""Peer access: each device of a process has one table of peers. Copies need no access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.rules.core import Rule, guard, hip_tests, source
from fakecuda.rules.hip.active import DEVICE_IS_THERE, active, answering, context_on, device_at, entered, reachable
from fakecuda.rules.registry import HIP
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device

P2P = ENUMS["CUdevice_P2PAttribute"]
PERFORMANCE_RANK = 0
ATTRIBUTES = {
    PERFORMANCE_RANK: P2P["CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK"],
    1: P2P["CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED"],
    2: P2P["CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED"],
    3: P2P["CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED"],
}
"""The driver's number of each hipDeviceP2PAttr."""

FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    hip_tests(
        "hipDeviceEnablePeerAccess",
        "HIP answers hipErrorInvalidValue to any other flags, even if the peer is the current device",
    ),
    fix="pass 0 for the flags of hipDeviceEnablePeerAccess",
)
PEER_IS_REACHABLE = Rule(
    "hipDeviceCanAccessPeer returns 1 for the current device and `peerDeviceId`, and the two devices differ",
    Result.INVALID_DEVICE,
    hip_tests(
        "hipDeviceEnablePeerAccess", "HIP answers hipErrorInvalidDevice to a missing device; the source of clr agrees"
    ),
    fix="call hipDeviceCanAccessPeer first, and copy through the host if the device cannot access the peer",
)
PEER_IS_NOT_ENABLED = Rule(
    "access of the current device to `peerDeviceId` is not enabled yet",
    Result.PEER_ACCESS_ALREADY_ENABLED,
    hip_tests(
        "hipDeviceEnablePeerAccess", "a second hipDeviceEnablePeerAccess answers hipErrorPeerAccessAlreadyEnabled"
    ),
    fix="call hipDeviceEnablePeerAccess once for each peer of a device",
)
PEER_IS_ENABLED = Rule(
    "access of the current device to `peerDeviceId` is enabled",
    Result.PEER_ACCESS_NOT_ENABLED,
    hip_tests(
        "hipDeviceDisablePeerAccess",
        "hipDeviceDisablePeerAccess answers hipErrorPeerAccessNotEnabled if "
        "access was never enabled, and if it is called twice",
    ),
    fix="call hipDeviceEnablePeerAccess on this device first, and disable it once",
)
DEVICES_DIFFER = Rule(
    "`srcDevice` and `dstDevice` differ",
    Result.INVALID_DEVICE,
    source("hipDeviceGetP2PAttribute", "clr answers hipErrorInvalidDevice if both arguments are the same device"),
    fix="skip the call if both devices are the same: a device needs no link to itself",
)
ATTRIBUTE_IS_KNOWN = Rule(
    "`attr` is a hipDeviceP2PAttr",
    Result.INVALID_VALUE,
    source("hipDeviceGetP2PAttribute", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass a hipDeviceP2PAttr, such as hipDevP2PAttrAccessSupported",
)


DEVICES_CAN_BE_LINKED = Rule(
    "`device1` and `device2` differ, and neither is negative",
    Result.INVALID_VALUE,
    source("hipExtGetLinkTypeAndHopCount", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass the numbers of two different devices; device numbers begin with 0",
)
DEVICES_ARE_LINKED = Rule(
    "hipDeviceCanAccessPeer returns 1 for `device1` and `device2`; peer access need not be enabled",
    Result.INVALID_HANDLE,
    source("hipExtGetLinkTypeAndHopCount", "clr answers hipErrorInvalidHandle if this rule is broken"),
    fix="call hipDeviceCanAccessPeer first, and skip the call if it returns 0",
)


@HIP.op("hipDeviceCanAccessPeer")
def can_access_peer(call: Call, device: int, peer: int) -> int:
    """Return 1 if a device can access the memory of a peer device, and 0 if both are the same device."""
    answering(call)
    if device == peer:
        return 0
    return int(reachable(call, device_at(call, device), device_at(call, peer)))


@guard
def peer_at(call: Call, number: int) -> Device:
    """Return the peer device with an ordinal, which the thread's device can access."""
    devices = call.process.devices
    if not 0 <= number < len(devices) or not reachable(call, devices[call.thread.device], devices[number]):
        raise PEER_IS_REACHABLE.broken(peer=number, device=call.thread.device)
    return devices[number]


@HIP.op("hipDeviceEnablePeerAccess", several="both devices come into use, and access is enabled")
def enable_peer_access(call: Call, peer: int, flags: int) -> None:
    """Let the thread's device access all memory of a peer device, in this direction only."""
    # CHECK
    entered(call)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    device = peer_at(call, peer)
    context, other = active(call), context_on(call, device)
    if other in context.peers:
        raise PEER_IS_NOT_ENABLED.broken(context=context, peer=peer)
    # EFFECT
    context.connect(other, history.here())


@HIP.op("hipDeviceDisablePeerAccess")
def disable_peer_access(call: Call, peer: int) -> None:
    """Disable the thread's device's access to a peer device."""
    # CHECK
    entered(call)
    device = peer_at(call, peer)
    context = active(call)
    # A peer without a context has never been enabled, and gets none.
    other = context_on(call, device) if call.process.primary(device.ordinal).active else None
    if other is None or other not in context.peers:
        raise PEER_IS_ENABLED.broken(context=context, peer=peer)
    # EFFECT
    context.disconnect(other)


@HIP.op("hipCtxEnablePeerAccess")
def ctx_enable_peer_access(call: Call, _peer: int, _flags: int) -> None:
    """Do nothing, and succeed for any arguments."""
    entered(call)


@HIP.op("hipCtxDisablePeerAccess")
def ctx_disable_peer_access(call: Call, _peer: int) -> None:
    """Do nothing, and succeed for any arguments."""
    entered(call)


@HIP.op("hipDeviceGetP2PAttribute")
def get_p2p_attribute(call: Call, attribute: int, src: int, dst: int) -> int:
    """Return an attribute of the link between two devices. Its rank is its hsa_amd_link_info_type_t."""
    answering(call)
    if src == dst:
        raise DEVICES_DIFFER.broken(device=src)
    if max(src, dst) >= len(call.process.devices):
        raise DEVICE_IS_THERE.broken(device=max(src, dst))
    if attribute not in ATTRIBUTES:
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attribute)
    pair = device_at(call, src).ordinal, device_at(call, dst).ordinal
    link = call.machine.profile.peers.get(pair)
    if link and attribute == PERFORMANCE_RANK:
        return call.machine.profile.hip.link_type
    return link.attributes.get(ATTRIBUTES[attribute], 0) if link else 0


@HIP.op("hipExtGetLinkTypeAndHopCount")
def get_link_type_and_hop_count(call: Call, one: int, other: int) -> tuple[int, int]:
    """Return the hsa_amd_link_info_type_t of the links between two devices, and the number of hops."""
    answering(call)
    if one == other or one < 0 or other < 0:
        raise DEVICES_CAN_BE_LINKED.broken(device1=one, device2=other)
    if not reachable(call, device_at(call, one), device_at(call, other)):
        raise DEVICES_ARE_LINKED.broken(device1=one, device2=other)
    hip = call.machine.profile.hip
    return hip.link_type, hip.hops
