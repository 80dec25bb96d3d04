"""cuDeviceGetProperties: the device properties of CUDA 1.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE__DEPRECATED.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry
from fakecuda.rules.driver.device.device_get_properties import PROPERTIES

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuDeviceGetProperties", dev=0)


entry = Entry("cuDeviceGetProperties", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
entry.null("prop", "RESULT_IS_GIVEN")


@entry.after("attributes of the device")
def attributes(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    ((threads, block, grid, *rest),) = results
    assert [threads, *block, *grid, *rest] == [i.process.ok.cuDeviceGetAttribute(number, 0) for number in PROPERTIES]


test_device_get_properties = entry.test()
