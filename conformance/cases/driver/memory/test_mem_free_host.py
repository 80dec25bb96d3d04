"""cuMemFreeHost: free page-locked memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import PAGE, WRITE_COMBINED, from_anywhere, pointers
from conformance.cases.driver.va.fixtures import imported
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemFreeHost", p=a.ok.cuMemHostAlloc(PAGE, 0))


def forgotten(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the pointer is unknown afterwards."""
    assert i.c.cuMemGetAddressRange(i.args["p"]) == (Result.NOT_FOUND, None, None)
    assert i.c.cuMemHostGetFlags(i.args["p"]) == (Result.INVALID_VALUE, None)


entry = Entry("cuMemFreeHost", valid, forgotten)
entry.without("no_context")  # none is needed
entry.breaks("POINTER_IS_A_BASE", p=lambda i: i.args["p"] + 512)
for kind, args in pointers("p", "linear", "registered", "managed", "mapped", "plain", "nowhere"):
    entry.breaks("POINTER_IS_A_BASE", kind, **args)


@entry.world("POINTER_IS_A_BASE", "freed")
def freed_before(_: World, i: Invocation) -> None:
    i.process.ok.cuMemFreeHost(i.args["p"])


@entry.world("POINTER_IS_A_BASE", "opened")
def opened(w: World, i: Invocation) -> Invocation:
    return i.evolve(p=imported(i.process, w.process())[0])


entry.also("null", p=0)
entry.also("write-combined", p=lambda i: i.process.ok.cuMemHostAlloc(PAGE, WRITE_COMBINED), then=forgotten)
entry.also("from cuMemAllocHost", p=lambda i: i.process.ok.cuMemAllocHost(PAGE), then=forgotten)
entry.also("large", p=lambda i: i.process.ok.cuMemHostAlloc(4 << 20, 0), then=forgotten)


from_anywhere(entry)


test_mem_free_host = entry.test()
