"""cuMemGetInfo: free and total memory of the current device.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuMemGetInfo")


def plausible(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the total is the device's, and that contexts use some of it."""
    free, total = results
    assert 0 < free < total == i.process.ok.cuDeviceTotalMem(0)


entry = Entry("cuMemGetInfo", valid, plausible)
entry.null("free", None)
entry.null("total", None)
entry.null("free total", None)


@entry.also("of the current context's device")
def other_device(w: World, i: Invocation) -> Invocation:
    return w.process(device=1).call(i.call)


@entry.also("memory of a killed process is free")
def killed(w: World, _: Invocation) -> None:
    b = w.process()
    b.ok.cuMemAlloc(4 << 20)
    b.kill()


entry.alone("memory-of-a-killed-process-is-free")

test_mem_get_info = entry.test()
