"""cuDeviceTotalMem: the memory of a device.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuDeviceTotalMem", dev=0)


entry = Entry("cuDeviceTotalMem", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
entry.null("bytes", "RESULT_IS_GIVEN")


@entry.also("what cuMemGetInfo calls the total")
def total(_w: World, i: Invocation) -> None:
    assert i.process.c.cuDeviceTotalMem(0)[1] == i.process.c.cuMemGetInfo()[2]


@entry.also("allocations do not lessen it")
def allocated(_w: World, i: Invocation) -> None:
    before = i.process.c.cuDeviceTotalMem(0)
    i.process.c.cuMemAlloc(64 << 20)
    assert i.process.c.cuDeviceTotalMem(0) == before


test_device_total_mem = entry.test()
