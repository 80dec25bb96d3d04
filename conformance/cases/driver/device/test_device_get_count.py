"""cuDeviceGetCount: the number of devices.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuDeviceGetCount")


entry = Entry("cuDeviceGetCount", valid)
entry.null("count", "RESULT_IS_GIVEN")


@entry.also("every process sees as many")
def processes(w: World, i: Invocation) -> None:
    assert w.process(context=False).c.cuDeviceGetCount() == i.process.c.cuDeviceGetCount()


@entry.also("contexts do not count")
def contexts(w: World, i: Invocation) -> None:
    assert w.process().c.cuDeviceGetCount() == i.process.c.cuDeviceGetCount()


test_device_get_count = entry.test()
