"""cuMemGetAllocationGranularity: the granularity of sizes and addresses.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.va.fixtures import HOST, HOST_NUMA, prop
from conformance.kit.case import Entry
from conformance.kit.world import DEVICE

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


MINIMUM, RECOMMENDED = 0, 1


def valid(w: World) -> Invocation:
    return w.process().call("cuMemGetAllocationGranularity", prop=prop(), option=MINIMUM)


def suffices(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that memory of this size can be created and mapped."""
    a, size = i.process, results[0]
    handle = a.ok.cuMemCreate(size, prop(), 0)
    a.ok.cuMemMap(a.ok.cuMemAddressReserve(size, size, 0, 0), size, 0, handle, 0)


entry = Entry("cuMemGetAllocationGranularity", valid, suffices)
entry.null("granularity", "RESULT_IS_GIVEN")
entry.breaks("PROPERTIES_ARE_GIVEN", prop=None)
entry.breaks("OPTION_IS_KNOWN", option=2)
entry.breaks("OPTION_IS_KNOWN", "negative", option=-1)

entry.also("recommended", option=RECOMMENDED, then=suffices)
entry.also("compressible", prop=prop(capabilities=(1, 0, 0)))
entry.also("on the host", prop=prop(location=(HOST, 0), handle_types=0))
entry.also("on a NUMA node", prop=prop(location=(HOST_NUMA, 0)))
entry.also("properties are not looked at", prop=prop(kind=9, location=(DEVICE, 99), handle_types=2))


@entry.also("the recommended one is a multiple of the minimum")
def multiple(_: World, i: Invocation) -> None:
    least, best = (i.process.ok.cuMemGetAllocationGranularity(prop(), option) for option in (MINIMUM, RECOMMENDED))
    assert best % least == 0


test_mem_get_allocation_granularity = entry.test()
