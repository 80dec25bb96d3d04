"""cuMemAllocHost: allocate page-locked host memory, without flags.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.memory.test_mem_host_alloc import MIB, as_requested, large, nothing
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuMemAllocHost", bytesize=PAGE)


entry = Entry("cuMemAllocHost", valid, as_requested)
entry.null("pp", "RESULT_IS_GIVEN")
entry.breaks("MEMORY_SUFFICES", bytesize=1 << 46)

entry.also("no bytes", bytesize=0, then=nothing)
entry.also("1 byte", bytesize=1, then=as_requested)
entry.also("more than 1 MiB", bytesize=MIB + 1, then=large)


@entry.also("beside memory of cuMemHostAlloc")
def beside(_: World, i: Invocation) -> None:
    a = i.process
    others = [a.ok.cuMemHostAlloc(1, 0), a.ok.cuMemAllocHost(1), a.ok.cuMemHostAlloc(513, 0)]
    assert len(set(others)) == 3


@entry.also("a context of another device may use it")
def other_device(w: World, i: Invocation) -> None:
    """Check that another device uses the same address."""
    w.needs_devices(2)
    a, ptr = i.process, i.process.ok.cuMemAllocHost(PAGE)
    a.ok.cuCtxCreate(None, 0, 1)
    assert a.ok.cuMemHostGetDevicePointer(ptr, 0) == ptr
    a.ok.cuMemsetD8(ptr, 120, 4)
    assert content(a, ptr) == b"xxxx"
    a.ok.cuCtxPopCurrent()


test_mem_alloc_host = entry.test()
