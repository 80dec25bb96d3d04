"""cuDeviceGet: the handle of a device.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuDeviceGet", ordinal=0)


entry = Entry("cuDeviceGet", valid)
entry.breaks("DEVICE_IS_VALID", ordinal=99)
entry.breaks("DEVICE_IS_VALID", "negative device", ordinal=-1)
entry.null("device", "RESULT_IS_GIVEN")


@entry.world("DEVICE_IS_VALID")
def just_beyond(_w: World, i: Invocation) -> Invocation:
    _, count = i.process.c.cuDeviceGetCount()
    return i.process.call("cuDeviceGet", ordinal=count)


@entry.also("the last device")
def last(_w: World, i: Invocation) -> Invocation:
    _, count = i.process.c.cuDeviceGetCount()
    return i.process.call("cuDeviceGet", ordinal=count - 1)


@entry.also("a device is its ordinal")
def handle(_w: World, i: Invocation) -> None:
    assert i.process.c.cuDeviceGet(0) == (Result.SUCCESS, 0)


test_device_get = entry.test()
