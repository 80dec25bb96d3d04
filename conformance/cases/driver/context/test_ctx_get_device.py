"""cuCtxGetDevice: the device of the current context.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxGetDevice")


entry = Entry("cuCtxGetDevice", valid)
entry.null("device", "RESULT_IS_GIVEN")


@entry.also("of another device")
def other_device(w: World, _i: Invocation) -> Invocation:
    return w.process(device=1).call("cuCtxGetDevice")


@entry.also("of the context on top")
def top(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)
    assert i.process.ok.cuCtxGetDevice() == 1
    i.process.ok.cuCtxPopCurrent()
    assert i.process.ok.cuCtxGetDevice() == 0


@entry.also("of a destroyed context")
def destroyed(w: World, i: Invocation) -> None:
    i.process.thread(w.thread_name()).ok.cuCtxDestroy(i.process.context)


test_ctx_get_device = entry.test()
