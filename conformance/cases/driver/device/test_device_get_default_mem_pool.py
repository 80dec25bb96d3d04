"""cuDeviceGetDefaultMemPool: the default memory pool of a device.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import described
from conformance.cases.driver.device.fixtures import without_pools
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuDeviceGetDefaultMemPool", dev=0)


entry = Entry("cuDeviceGetDefaultMemPool", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
entry.null("pool_out", "RESULT_IS_GIVEN")


@entry.after("the same each time")
def again(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    assert (i.process.ok.cuDeviceGetDefaultMemPool(0),) == results


@entry.also("each device has one")
def another(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    first, second = (i.process.ok.cuDeviceGetDefaultMemPool(dev) for dev in (0, 1))
    assert first != second
    return i.evolve(dev=1)


test_device_get_default_mem_pool = entry.test()


def test_pools_are_supported() -> None:
    with described(without_pools()) as c:
        assert c.cuDeviceGetDefaultMemPool(0) == (Result.NOT_SUPPORTED, None)
