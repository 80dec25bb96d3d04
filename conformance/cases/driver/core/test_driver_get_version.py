"""cuDriverGetVersion: the CUDA version that the driver supports.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VERSION.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.core.fixtures import in_a_fork
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(init=False).call("cuDriverGetVersion")


entry = Entry("cuDriverGetVersion", valid)
entry.null("driverVersion", "RESULT_IS_GIVEN")


@entry.also("1000 * major + 10 * minor")
def form(_w: World, i: Invocation) -> None:
    _, version = i.process.c.cuDriverGetVersion()
    assert version % 10 == 0
    assert version // 1000 in range(11, 100)


@entry.also("the same after cuInit")
def initialised(_w: World, i: Invocation) -> None:
    before = i.process.c.cuDriverGetVersion()
    i.process.c.cuInit(0)
    assert i.process.c.cuDriverGetVersion() == before


entry.also("in a fork of an initialised process")(in_a_fork)

test_driver_get_version = entry.test()
