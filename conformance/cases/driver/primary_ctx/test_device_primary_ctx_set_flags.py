"""cuDevicePrimaryCtxSetFlags: set the flags of a device's primary context.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuDevicePrimaryCtxSetFlags", dev=0, flags=0)


entry = Entry("cuDevicePrimaryCtxSetFlags", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
entry.breaks("FLAGS_ARE_KNOWN", flags=1 | 2)
entry.breaks("FLAGS_ARE_KNOWN", flags=1 | 4)
entry.breaks("FLAGS_ARE_KNOWN", flags=8)
entry.breaks("FLAGS_ARE_KNOWN", flags=256)
for name in (
    "SCHED_SPIN",
    "SCHED_YIELD",
    "SCHED_BLOCKING_SYNC",
    "LMEM_RESIZE_TO_MAX",
    "COREDUMP_ENABLE",
    "USER_COREDUMP_ENABLE",
    "SYNC_MEMOPS",
):
    entry.also(name, flags=ENUMS["CUctx_flags"][f"CU_CTX_{name}"])


@entry.also("they overwrite those set before")
def overwritten(_w: World, i: Invocation) -> None:
    c = i.process.c
    c.cuDevicePrimaryCtxSetFlags(0, 4 | 128)
    c.cuDevicePrimaryCtxSetFlags(0, 1)
    assert c.cuDevicePrimaryCtxGetState(0) == (Result.SUCCESS, 1, 0)


@entry.also("an active context takes them")
def active(_w: World, i: Invocation) -> None:
    c = i.process.c
    c.cuCtxSetCurrent(c.cuDevicePrimaryCtxRetain(0)[1])
    c.cuDevicePrimaryCtxSetFlags(0, 4)
    assert c.cuCtxGetFlags() == (Result.SUCCESS, 4 | 8)


@entry.also("the next activation takes them")
def next_activation(_w: World, i: Invocation) -> None:
    c = i.process.c
    c.cuDevicePrimaryCtxSetFlags(0, 2)
    c.cuCtxSetCurrent(c.cuDevicePrimaryCtxRetain(0)[1])
    assert c.cuCtxGetFlags() == (Result.SUCCESS, 2 | 8)


test_device_primary_ctx_set_flags = entry.test()
