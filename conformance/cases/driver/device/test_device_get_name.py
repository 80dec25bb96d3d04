"""cuDeviceGetName: the name of a device.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuDeviceGetName", len=64, dev=0)


entry = Entry("cuDeviceGetName", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
entry.undefined("LENGTH_IS_NOT_ZERO", code=Result.INVALID_VALUE, len=0)
entry.null("name", "RESULT_IS_GIVEN")
entry.also("room for the NUL alone", len=1)
entry.also("a name is shortened to the room there is", len=5)
entry.also("a negative length is a huge one", len=-1)


@entry.also("the shortened name begins the whole one")
def shortened(_w: World, i: Invocation) -> None:
    _, whole = i.process.c.cuDeviceGetName(64, 0)
    assert i.process.c.cuDeviceGetName(5, 0) == (Result.SUCCESS, whole[:4])


test_device_get_name = entry.test()
