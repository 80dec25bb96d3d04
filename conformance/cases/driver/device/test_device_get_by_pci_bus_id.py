"""cuDeviceGetByPCIBusId: the device at a bus id.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process(context=False)
    return a.call("cuDeviceGetByPCIBusId", pciBusId=a.c.cuDeviceGetPCIBusId(13, 0)[1])


def bus_id(i: Invocation) -> bytes:
    text = i.args["pciBusId"]
    assert isinstance(text, bytes)
    return text


entry = Entry("cuDeviceGetByPCIBusId", valid)
entry.breaks("BUS_ID_IS_GIVEN", pciBusId=None)
entry.breaks("BUS_ID_HAS_A_FORM", pciBusId=b"")
entry.breaks("BUS_ID_HAS_A_FORM", pciBusId=b"junk")
entry.breaks("BUS_ID_HAS_A_FORM", pciBusId=lambda i: bus_id(i)[5:-2])
entry.breaks("BUS_ID_IS_KNOWN", pciBusId=b"0000:ff:1f.7")
entry.null("dev", "RESULT_IS_GIVEN")
entry.also("without the function", pciBusId=lambda i: bus_id(i)[:-2])
entry.also("without the domain", pciBusId=lambda i: bus_id(i)[5:])
entry.also("in capitals", pciBusId=lambda i: bus_id(i).upper())
entry.also("eight digits of domain", pciBusId=lambda i: b"0000" + bus_id(i))
entry.also("what follows is ignored", pciBusId=lambda i: bus_id(i) + b"x")


@entry.also("the way back from cuDeviceGetPCIBusId")
def way_back(_w: World, i: Invocation) -> None:
    c = i.process.c
    for dev in range(c.cuDeviceGetCount()[1]):
        assert c.cuDeviceGetByPCIBusId(c.cuDeviceGetPCIBusId(13, dev)[1]) == (Result.SUCCESS, dev)


test_device_get_by_pci_bus_id = entry.test()
