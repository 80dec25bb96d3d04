"""cuDeviceGetUuid: the UUID of a device.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuDeviceGetUuid", dev=0)


entry = Entry("cuDeviceGetUuid", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
entry.null("uuid", "RESULT_IS_GIVEN")


@entry.also("16 octets, the same in every process")
def identity(w: World, i: Invocation) -> None:
    code, uuid = i.process.c.cuDeviceGetUuid(0)
    assert len(uuid) == 16
    assert w.process(context=False).c.cuDeviceGetUuid(0) == (code, uuid)


@entry.also("two devices have two")
def distinct(_w: World, i: Invocation) -> None:
    _, count = i.process.c.cuDeviceGetCount()
    assert len({i.process.c.cuDeviceGetUuid(dev)[1] for dev in range(count)}) == count


test_device_get_uuid = entry.test()
