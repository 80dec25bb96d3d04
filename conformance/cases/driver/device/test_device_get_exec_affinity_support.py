"""cuDeviceGetExecAffinitySupport: whether contexts can use part of a device.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.context.fixtures import described
from conformance.kit.case import Entry
from fakecuda.profiles import load
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

SM_COUNT = ENUMS["CUexecAffinityType"]["CU_EXEC_AFFINITY_TYPE_SM_COUNT"]


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuDeviceGetExecAffinitySupport", type=SM_COUNT, dev=0)


entry = Entry("cuDeviceGetExecAffinitySupport", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
entry.null("pi", "RESULT_IS_GIVEN")
for number in (1, 2, -1, 99):
    entry.also(f"type {number} is none", type=number)

test_device_get_exec_affinity_support = entry.test()


def test_a_device_that_supports_it() -> None:
    """Some devices support it, such as devices under the multi-process service."""
    profile = load("h200")
    device = attrs.evolve(profile.devices[0], exec_affinities=frozenset({SM_COUNT}))
    with described(attrs.evolve(profile, devices=(device,))) as c:
        assert c.cuDeviceGetExecAffinitySupport(SM_COUNT, 0) == (0, 1)
        assert c.cuDeviceGetExecAffinitySupport(99, 0) == (0, 0)
