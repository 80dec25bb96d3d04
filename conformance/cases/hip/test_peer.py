"""Peer access of HIP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

import fakecuda
from conformance.cases.hip.both import both
from conformance.cases.hip.fixtures import NEW, elsewhere, entries, stream
from conformance.cases.hip.test_context import context
from conformance.kit.case import suite
from fakecuda.profiles import load

if TYPE_CHECKING:
    from conformance.cases.hip.both import Calls
    from conformance.kit.world import Invocation, Process, World


def enabled(a: Process) -> tuple[int]:
    """Enable access to the second device, and have it disabled at the end."""
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
    every[call].breaks("PEER_IS_REACHABLE", "negative", peerDeviceId=-1)
for number in (-1, 2):
    for name in ("deviceId", "peerDeviceId"):
        every["hipDeviceCanAccessPeer"].breaks("active.DEVICE_IS_THERE", f"{name} {number}", **{name: number})
every["hipDeviceCanAccessPeer"].also("itself", peerDeviceId=0)
every["hipDeviceCanAccessPeer"].also("the second one itself", deviceId=1, peerDeviceId=1)
for flags in (1, (1 << 32) - 1):
    every["hipDeviceEnablePeerAccess"].breaks("peer.FLAGS_ARE_ZERO", f"{flags}", flags=flags)


@every["hipDeviceDisablePeerAccess"].world("PEER_IS_ENABLED")
def disabled(_w: World, i: Invocation) -> None:
    i.process.ok.hipDeviceDisablePeerAccess(1)


@every["hipDeviceDisablePeerAccess"].world("PEER_IS_ENABLED", "never")
def never(w: World, i: Invocation) -> Invocation:
    a = w.process_of(i.call)
    elsewhere(a, stream)
    return a.given(i.call, 1)


@both("DeviceEnablePeerAccess", "disabled again, in each direction")
def pairs(c: Calls) -> None:
    c.DeviceDisablePeerAccess(1)
    for one, other in ((1, 0), (0, 1)):
        c.SetDevice(one)
        c.DeviceEnablePeerAccess(other, 0)
        c.DeviceDisablePeerAccess(other)


@every["hipDeviceEnablePeerAccess"].world("PEER_IS_NOT_ENABLED")
def again(_w: World, i: Invocation) -> None:
    enabled(i.process)


every["hipDeviceGetP2PAttribute"].breaks("DEVICES_DIFFER", dstDevice=0)
every["hipDeviceGetP2PAttribute"].breaks("peer.ATTRIBUTE_IS_KNOWN", attr=9)

for number in range(4):
    every["hipDeviceGetP2PAttribute"].also(f"{number}", attr=number)
    every["hipDeviceGetP2PAttribute"].also(f"{number} back", attr=number, srcDevice=1, dstDevice=0)

link = every["hipExtGetLinkTypeAndHopCount"]
link.breaks("DEVICES_CAN_BE_LINKED", device2=0)
link.breaks("DEVICES_CAN_BE_LINKED", "negative", device1=-1)
link.breaks("active.DEVICE_IS_THERE", device2=2)

test_peer = suite(*every.values())


def test_devices_without_a_link() -> None:
    """The call refuses two devices without a link."""
    alone = attrs.evolve(load(NEW), peers={})
    with fakecuda.Machine(alone) as machine:
        assert machine.spawn().c.hipExtGetLinkTypeAndHopCount(0, 1) == (400, None, None)
