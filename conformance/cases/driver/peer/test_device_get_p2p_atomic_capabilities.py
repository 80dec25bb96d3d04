"""cuDeviceGetP2PAtomicCapabilities: atomic operations between two devices.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.context.fixtures import described
from conformance.cases.driver.peer.fixtures import ADD, CAS, ask_operations
from conformance.kit.case import Entry
from fakecuda.profiles import Peer, load

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    w.needs_devices(2)
    a = w.process(context=False)
    return a.call("cuDeviceGetP2PAtomicCapabilities", operations=(ADD, CAS), count=2, srcDevice=0, dstDevice=1)


entry = Entry("cuDeviceGetP2PAtomicCapabilities", valid)
entry.breaks("DEVICE_IS_VALID", "source", srcDevice=99)
entry.breaks("DEVICE_IS_VALID", "negative source", srcDevice=-1)
entry.breaks("DEVICE_IS_VALID", "destination", dstDevice=99)
entry.breaks("DEVICE_IS_VALID", "negative destination", dstDevice=-1)
entry.breaks("DEVICES_DIFFER", srcDevice=1)
ask_operations(entry)
entry.also("the other way", srcDevice=1, dstDevice=0)

test_device_get_p2p_atomic_capabilities = entry.test()


def test_each_direction_has_its_own() -> None:
    """Each direction has its own capabilities, none if it is not described."""
    profile = load("h200-x2")
    link = Peer(can_access=True, attributes={}, atomics={ADD: 5, CAS: 2})
    with described(attrs.evolve(profile, peers={(0, 1): link})) as c:
        assert c.cuDeviceGetP2PAtomicCapabilities((CAS, ADD, CAS), 3, 0, 1) == (0, (2, 5, 2))
        assert c.cuDeviceGetP2PAtomicCapabilities((CAS, ADD), 1, 0, 1) == (0, (2,))
        assert c.cuDeviceGetP2PAtomicCapabilities((ADD,), 1, 1, 0) == (0, (0,))
