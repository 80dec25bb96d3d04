"""cuDeviceGetAttribute: an attribute of a device.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuDeviceGetAttribute", attrib=1, dev=0)


entry = Entry("cuDeviceGetAttribute", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
entry.breaks("ATTRIBUTE_IS_KNOWN", attrib=0)
entry.breaks("ATTRIBUTE_IS_KNOWN", attrib=-1)
entry.breaks("ATTRIBUTE_IS_KNOWN", attrib=9999)
entry.null("pi", "RESULT_IS_GIVEN")
for name in (
    "WARP_SIZE",
    "MULTIPROCESSOR_COUNT",
    "COMPUTE_CAPABILITY_MAJOR",
    "UNIFIED_ADDRESSING",
    "COMPUTE_MODE",
    "VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED",
    "HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED",
):
    entry.also(name, attrib=ENUMS["CUdevice_attribute"][f"CU_DEVICE_ATTRIBUTE_{name}"])


@entry.also("every attribute that has a name")
def every(_w: World, i: Invocation) -> None:
    for number in sorted(set(ENUMS["CUdevice_attribute"].values())):
        i.process.c.cuDeviceGetAttribute(number, 0)


test_device_get_attribute = entry.test()
