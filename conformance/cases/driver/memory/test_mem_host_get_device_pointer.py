"""cuMemHostGetDevicePointer: the device address of page-locked memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import DEVICE_MAP, PAGE, READ_ONLY, WRITE_COMBINED, pointers, registered
from conformance.cases.driver.va.fixtures import half_mapped
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemHostGetDevicePointer", p=a.ok.cuMemHostAlloc(PAGE, DEVICE_MAP), Flags=0)


def itself(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that host and device addresses are equal."""
    assert results == (i.args["p"],)


entry = Entry("cuMemHostGetDevicePointer", valid, itself)
entry.null("pdptr", "RESULT_IS_GIVEN")
entry.breaks("FLAGS_ARE_ZERO", Flags=1)
entry.breaks("POINTER_IS_PAGE_LOCKED", "null", p=0)
entry.breaks("POINTER_IS_PAGE_LOCKED", "just behind", p=lambda i: i.args["p"] + PAGE)
for kind, args in pointers("p", "linear", "managed", "plain", "nowhere"):
    entry.breaks("POINTER_IS_PAGE_LOCKED", kind, **args)
entry.breaks("MAPPING_IS_ACCESSIBLE", p=lambda i: half_mapped(i.process, 0))
for kind, args in pointers("p", "mapped"):
    entry.also(kind, then=itself, **args)


@entry.world("POINTER_IS_PAGE_LOCKED", "freed")
def freed(_: World, i: Invocation) -> None:
    i.process.ok.cuMemFreeHost(i.args["p"])


entry.also("inside", p=lambda i: i.args["p"] + 5, then=itself)
entry.also("without the flag", p=lambda i: i.process.ok.cuMemHostAlloc(PAGE, 0), then=itself)
entry.also("write-combined", p=lambda i: i.process.ok.cuMemHostAlloc(PAGE, WRITE_COMBINED), then=itself)
entry.also("from cuMemAllocHost", p=lambda i: i.process.ok.cuMemAllocHost(PAGE), then=itself)
entry.also("registered", p=lambda i: registered(i.process), then=itself)
entry.also("registered as read-only", p=lambda i: registered(i.process, flags=READ_ONLY), then=itself)


@entry.also("of another context")
def other_context(_: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)


@entry.also("of another device")
def other_device(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)


test_mem_host_get_device_pointer = entry.test()
