"""cuMulticastGetGranularity: the granularity of multicast sizes and offsets.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

import fakecuda
from conformance.cases.driver.multicast.fixtures import described
from conformance.kit.case import Entry
from conformance.kit.program import Recorder
from conformance.kit.world import Session
from fakecuda.profiles import Multicast, load
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

MINIMUM, RECOMMENDED = 0, 1


def valid(w: World) -> Invocation:
    w.needs_multicast()
    return w.process().call("cuMulticastGetGranularity", prop=described(), option=MINIMUM)


def aligned(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that an object of this size can be created, and no smaller one."""
    (granularity,) = results
    i.process.ok.cuMulticastCreate(described(size=granularity))
    assert i.c.cuMulticastCreate(described(size=granularity // 2)) == (Result.INVALID_VALUE, None)


entry = Entry("cuMulticastGetGranularity", valid, aligned)
entry.null("granularity", "RESULT_IS_GIVEN")
entry.breaks("PROPERTIES_ARE_GIVEN", prop=None)
entry.breaks("OPTION_IS_KNOWN", option=2)
entry.breaks("OPTION_IS_KNOWN", "negative", option=-1)
entry.also("recommended", option=RECOMMENDED)
entry.also("before the size is known", prop=described(size=0), then=aligned)


@entry.after("the recommended one is a multiple of it")
def multiple(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    assert i.process.ok.cuMulticastGetGranularity(described(), RECOMMENDED) % results[0] == 0


test_multicast_get_granularity = entry.test()


def test_granularities_are_the_profiles() -> None:
    """The profile decides the granularity of sizes, offsets and addresses."""
    coarse = Multicast(granularity=4 << 20, recommended=8 << 20)
    with fakecuda.Machine(attrs.evolve(load("h200-x2"), multicast=coarse)) as machine:
        a = Session(Recorder(machine)).world("coarse").process()
        assert [a.ok.cuMulticastGetGranularity(described(), option) for option in (0, 1)] == [4 << 20, 8 << 20]
        assert a.c.cuMulticastCreate(described(size=2 << 20)) == (Result.INVALID_VALUE, None)
        object_ = a.ok.cuMulticastCreate(described(1, 4 << 20))
        a.ok.cuMulticastAddDevice(object_, 0)
        ptr = a.ok.cuMemAddressReserve(8 << 20, 4 << 20, 0, 0)
        assert a.c.cuMemMap(ptr + (2 << 20), 4 << 20, 0, object_, 0) == (Result.INVALID_VALUE,)
        assert machine.log[-1].rule is not None
        assert machine.log[-1].rule.id == "va.mem_map.POINTER_IS_ALIGNED"
        a.ok.cuMemMap(ptr + (4 << 20), 4 << 20, 0, object_, 0)
