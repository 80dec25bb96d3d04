"""cuDeviceGetP2PAttribute: an attribute of the link between two devices.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PEER__ACCESS.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.context.fixtures import described
from conformance.kit.case import Entry
from fakecuda.profiles import load
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

ATTRIBUTE = {name.removeprefix("CU_DEVICE_P2P_ATTRIBUTE_"): n for name, n in ENUMS["CUdevice_P2PAttribute"].items()}


def valid(w: World) -> Invocation:
    w.needs_devices(2)
    a = w.process(context=False)
    return a.call("cuDeviceGetP2PAttribute", attrib=ATTRIBUTE["ACCESS_SUPPORTED"], srcDevice=0, dstDevice=1)


entry = Entry("cuDeviceGetP2PAttribute", valid)
entry.breaks("DEVICE_IS_VALID", "source", srcDevice=99)
entry.breaks("DEVICE_IS_VALID", "negative source", srcDevice=-1)
entry.breaks("DEVICE_IS_VALID", "destination", dstDevice=99)
entry.breaks("DEVICE_IS_VALID", "negative destination", dstDevice=-1)
entry.breaks("DEVICES_DIFFER", srcDevice=1)
entry.breaks("ATTRIBUTE_IS_KNOWN", attrib=0)
entry.breaks("ATTRIBUTE_IS_KNOWN", "unknown attribute", attrib=99)
entry.breaks("ATTRIBUTE_IS_KNOWN", "negative attribute", attrib=-1)
entry.null("value", "RESULT_IS_GIVEN")
entry.also("the other way", srcDevice=1, dstDevice=0)
for name, number in ATTRIBUTE.items():
    entry.also(name, attrib=number)


@entry.also("access is what cuDeviceCanAccessPeer says")
def access(_w: World, i: Invocation) -> None:
    ok = i.process.ok
    assert ok.cuDeviceGetP2PAttribute(ATTRIBUTE["ACCESS_SUPPORTED"], 0, 1) == ok.cuDeviceCanAccessPeer(0, 1)


test_device_get_p2p_attribute = entry.test()


def test_no_link() -> None:
    with described(attrs.evolve(load("h200-x2"), peers={})) as c:
        assert c.cuDeviceGetP2PAttribute(ATTRIBUTE["ACCESS_SUPPORTED"], 0, 1) == (0, 0)


def test_what_an_older_driver_knows() -> None:
    """Drivers before CUDA 13.0 do not know partial atomic operations."""
    with described(load("driver-12.4")) as c:
        assert c.cuDeviceGetP2PAttribute(ATTRIBUTE["NATIVE_ATOMIC_SUPPORTED"], 0, 1) == (0, 1)
        assert c.cuDeviceGetP2PAttribute(ATTRIBUTE["ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED"], 0, 1) == (1, None)
