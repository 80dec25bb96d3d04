"""cuMemGetInfo: https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html"""

from __future__ import annotations

from conformance.case import Entry, Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuMemGetInfo")


entry = Entry("cuMemGetInfo", valid)
entry.null("free", None)
entry.null("total", None)
entry.null("free total", None)


@entry.also("the total is the device's")
def total(_w: World, i: Invocation) -> None:
    c = i.process.c
    assert c.cuMemGetInfo()[2] == c.cuDeviceTotalMem(0)[1]


@entry.also("less is free than there is")
def free(_w: World, i: Invocation) -> None:
    _, left, all_of_it = i.process.c.cuMemGetInfo()
    assert 0 < left < all_of_it


test_mem_get_info = entry.test()
