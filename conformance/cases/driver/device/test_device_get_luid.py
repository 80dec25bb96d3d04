"""cuDeviceGetLuid: the locally unique id of a device in graphics APIs.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.context.fixtures import described
from conformance.kit.case import Entry
from fakecuda.profiles import load
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuDeviceGetLuid", dev=0)


entry = Entry("cuDeviceGetLuid", valid, answers=Result.NOT_SUPPORTED)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
entry.null("luid", "RESULT_IS_GIVEN")
entry.null("deviceNodeMask", "RESULT_IS_GIVEN")


@entry.world("DEVICE_HAS_A_LUID", "on Linux")
def as_it_is(_w: World, _i: Invocation) -> None:
    pass


test_device_get_luid = entry.test()


def test_a_device_that_has_one() -> None:
    profile = load("h200")
    device = attrs.evolve(profile.devices[0], luid=b"graphics", node_mask=3)
    with described(attrs.evolve(profile, devices=(device,))) as c:
        assert c.cuDeviceGetLuid(0) == (Result.SUCCESS, b"graphics", 3)
