"""cuDeviceGetPCIBusId: the PCI bus id of a device.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuDeviceGetPCIBusId", len=13, dev=0)


entry = Entry("cuDeviceGetPCIBusId", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
entry.breaks("LENGTH_SUFFICES", len=12)
entry.breaks("LENGTH_SUFFICES", len=0)
entry.breaks("LENGTH_SUFFICES", len=-1)
entry.null("pciBusId", "RESULT_IS_GIVEN")
entry.also("more room than it takes", len=64)


@entry.also("domain, bus, device and function in hexadecimal")
def form(_w: World, i: Invocation) -> None:
    _, text = i.process.c.cuDeviceGetPCIBusId(13, 0)
    assert re.fullmatch(rb"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]", text, re.IGNORECASE)


test_device_get_pci_bus_id = entry.test()
