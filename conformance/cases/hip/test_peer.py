"""Peer access of HIP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.fixtures import entries
from conformance.cases.hip.test_context import context
from conformance.kit.case import suite

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, Process, World


def enabled(a: Process) -> tuple[int]:
    """Enable access to the second device, to be disabled."""
    a.ok.hipDeviceEnablePeerAccess(1, 0)
    return (1,)


every = entries(
    {
        "hipCtxDisablePeerAccess": lambda a: (context(a),),
        "hipCtxEnablePeerAccess": lambda a: (context(a), 0),
        "hipDeviceCanAccessPeer": lambda _: (0, 1),
        "hipDeviceDisablePeerAccess": enabled,
        "hipDeviceEnablePeerAccess": lambda _: (1, 0),
        "hipDeviceGetP2PAttribute": lambda _: (2, 0, 1),
        "hipExtGetLinkTypeAndHopCount": lambda _: (0, 1),
    }
)
for call in ("hipDeviceDisablePeerAccess", "hipDeviceEnablePeerAccess"):
    every[call].breaks("PEER_IS_REACHABLE", peerDeviceId=0)
    every[call].breaks("PEER_IS_REACHABLE", "not there", peerDeviceId=2)
every["hipDeviceEnablePeerAccess"].breaks("peer.FLAGS_ARE_ZERO", flags=1)


@every["hipDeviceDisablePeerAccess"].world("PEER_IS_ENABLED")
def disabled(_w: World, i: Invocation) -> None:
    i.process.ok.hipDeviceDisablePeerAccess(1)


@every["hipDeviceEnablePeerAccess"].world("PEER_IS_NOT_ENABLED")
def again(_w: World, i: Invocation) -> None:
    enabled(i.process)


every["hipDeviceGetP2PAttribute"].breaks("DEVICES_DIFFER", dstDevice=0)
every["hipDeviceGetP2PAttribute"].breaks("peer.ATTRIBUTE_IS_KNOWN", attr=9)

link = every["hipExtGetLinkTypeAndHopCount"]
link.breaks("DEVICES_CAN_BE_LINKED", device2=0)
link.breaks("DEVICES_CAN_BE_LINKED", "negative", device1=-1)
link.breaks("active.DEVICE_IS_THERE", device2=2)

test_peer = suite(*every.values())
