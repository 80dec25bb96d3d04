"""cuDeviceGetMemPool: the current memory pool of a device.

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
    return w.process(context=False).call("cuDeviceGetMemPool", dev=0)


entry = Entry("cuDeviceGetMemPool", valid)
entry.breaks("DEVICE_CAN_HAVE_A_POOL", dev=99)
entry.breaks("DEVICE_CAN_HAVE_A_POOL", "negative device", dev=-1)
entry.null("pool", "RESULT_IS_GIVEN")


@entry.after("the default pool at first")
def default(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    assert (i.process.ok.cuDeviceGetDefaultMemPool(0),) == results


@entry.also("the pool that was set")
def as_set(_w: World, i: Invocation) -> None:
    i.process.ok.cuDeviceSetMemPool(0, i.process.ok.cuDeviceGetDefaultMemPool(0))


test_device_get_mem_pool = entry.test()


def test_pools_are_supported() -> None:
    with described(without_pools()) as c:
        assert c.cuDeviceGetMemPool(0) == (Result.NOT_SUPPORTED, None)
