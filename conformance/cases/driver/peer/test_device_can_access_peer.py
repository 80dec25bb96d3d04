"""cuDeviceCanAccessPeer: whether one device can access another's memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.context.fixtures import described
from conformance.kit.case import Entry
from fakecuda.profiles import load

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuDeviceCanAccessPeer", dev=0, peerDev=0)


entry = Entry("cuDeviceCanAccessPeer", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
entry.breaks("DEVICE_IS_VALID", "peer", peerDev=99)
entry.breaks("DEVICE_IS_VALID", "negative peer", peerDev=-1)
entry.null("canAccessPeer", "RESULT_IS_GIVEN")


@entry.also("one device is no peer of itself")
def itself(_w: World, i: Invocation) -> None:
    assert i.process.ok.cuDeviceCanAccessPeer(0, 0) == 0


@entry.also("another device")
def another(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(peerDev=1)


@entry.also("it says what enabling will answer")
def enabled(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    a = i.process
    peer = a.ok.cuCtxCreate(None, 0, 1)
    a.ok.cuCtxCreate(None, 0, 0)
    assert a.ok.cuDeviceCanAccessPeer(0, 1) == (a.c.cuCtxEnablePeerAccess(peer, 0)[0] == 0)


test_device_can_access_peer = entry.test()


def test_no_access() -> None:
    with described(attrs.evolve(load("h200-x2"), peers={})) as c:
        assert c.cuDeviceCanAccessPeer(0, 1) == (0, 0)
