"""cuDevicePrimaryCtxGetState: whether a device's primary context is active.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuDevicePrimaryCtxGetState", dev=0)


entry = Entry("cuDevicePrimaryCtxGetState", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
entry.null("flags", "RESULT_IS_GIVEN")
entry.null("active", "RESULT_IS_GIVEN")


@entry.also("retained")
def retained(_w: World, i: Invocation) -> None:
    i.process.c.cuDevicePrimaryCtxRetain(0)


@entry.also("flags of an inactive context")
def flags(_w: World, i: Invocation) -> None:
    i.process.c.cuDevicePrimaryCtxSetFlags(0, 4)


@entry.also("another context of the device is not the primary one")
def other_context(w: World, _i: Invocation) -> Invocation:
    return w.process().call("cuDevicePrimaryCtxGetState", dev=0)


@entry.also("each process has its own")
def other_process(w: World, i: Invocation) -> None:
    b = w.process(context=False)
    b.c.cuDevicePrimaryCtxRetain(0)
    assert i.process.c.cuDevicePrimaryCtxGetState(0) == (Result.SUCCESS, 0, 0)


test_device_primary_ctx_get_state = entry.test()
