"""cuDeviceGetHostAtomicCapabilities: atomic operations between device and host.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.context.fixtures import described
from conformance.cases.driver.peer.fixtures import ADD, CAS, ask_operations
from conformance.kit.case import Entry
from fakecuda.profiles import load
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process(context=False)
    return a.call("cuDeviceGetHostAtomicCapabilities", operations=(ADD, CAS), count=2, dev=0)


entry = Entry("cuDeviceGetHostAtomicCapabilities", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
ask_operations(entry)


@entry.also("the arguments are looked at before the driver's state", code=Result.INVALID_VALUE)
def before_init(w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i.evolve(count=0), process=w.process(context=False, init=False))


test_device_get_host_atomic_capabilities = entry.test()


def test_the_device_says() -> None:
    """The answers have the order of the queried operations."""
    profile = load("h200")
    device = attrs.evolve(profile.devices[0], host_atomics={ADD: 5, CAS: 2})
    with described(attrs.evolve(profile, devices=(device,))) as c:
        assert c.cuDeviceGetHostAtomicCapabilities((CAS, ADD), 2, 0) == (0, (2, 5))
