"""cuDeviceComputeCapability: the compute capability of a device.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE__DEPRECATED.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

PARTS = [ENUMS["CUdevice_attribute"][f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{part}"] for part in ("MAJOR", "MINOR")]


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuDeviceComputeCapability", dev=0)


entry = Entry("cuDeviceComputeCapability", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
entry.null("major", "RESULT_IS_GIVEN")
entry.null("minor", "RESULT_IS_GIVEN")


@entry.after("two attributes of the device")
def attributes(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    assert list(results) == [i.process.ok.cuDeviceGetAttribute(part, 0) for part in PARTS]


test_device_compute_capability = entry.test()
