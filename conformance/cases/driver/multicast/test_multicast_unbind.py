"""cuMulticastUnbind: unbind memory from a multicast object.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.multicast.fixtures import (
    SIZE,
    described,
    holds,
    mapped,
    memory,
    refuse,
    refuse_ranges,
    team,
)
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

HALF = SIZE // 2


def valid(w: World) -> Invocation:
    a = w.process()
    object_ = team(w, a)
    for device in (0, 1):
        a.ok.cuMulticastBindMem(object_, 0, memory(a, device), 0, HALF, 0)
    return a.call("cuMulticastUnbind", mcHandle=object_, dev=0, mcOffset=0, size=HALF)


def free(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the range is free on this device, and bound on the other one."""
    a, object_ = i.process, i.args["mcHandle"]
    a.ok.cuMulticastBindMem(object_, 0, memory(a), HALF, HALF, 0)
    other = memory(a, 1)
    assert a.c.cuMulticastBindMem(object_, 0, other, 0, HALF, 0) == (Result.INVALID_VALUE,)


entry = Entry("cuMulticastUnbind", valid, free)
refuse(entry)
refuse_ranges(entry)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative", dev=-1)
entry.undefined("BINDING_IS_THERE", "less", code=Result.INVALID_VALUE, size=GRANULE)
entry.undefined("BINDING_IS_THERE", "more", code=Result.INVALID_VALUE, size=SIZE)
entry.undefined("BINDING_IS_THERE", "another place", code=Result.INVALID_VALUE, mcOffset=HALF)
entry.undefined("BINDING_IS_THERE", "across its end", code=Result.INVALID_VALUE, mcOffset=GRANULE)
entry.also("the other device's", dev=1)


@entry.world("DEVICE_IS_OF_THE_TEAM")
def of_another_team(_: World, i: Invocation) -> Invocation:
    a = i.process
    alone = a.ok.cuMulticastCreate(described(1))
    a.ok.cuMulticastAddDevice(alone, 1)
    a.ok.cuMulticastBindMem(alone, 0, memory(a, 1), 0, HALF, 0)
    return i.evolve(mcHandle=alone)


@entry.undefined("BINDING_IS_THERE", "twice", code=Result.INVALID_VALUE)
def twice(_: World, i: Invocation) -> None:
    i.run()


@entry.undefined("BINDING_IS_THERE", "of a team that is not complete", code=Result.INVALID_VALUE)
def incomplete(_: World, i: Invocation) -> Invocation:
    object_ = i.process.ok.cuMulticastCreate(described())
    i.process.ok.cuMulticastAddDevice(object_, 0)
    return i.evolve(mcHandle=object_)


@entry.also("what is written does not reach it any more")
def apart(w: World, i: Invocation) -> None:
    a = i.process
    object_ = team(w, a)
    handles = [memory(a, device) for device in (0, 1)]
    for handle in handles:
        a.ok.cuMulticastBindMem(object_, HALF, handle, 0, HALF, 0)
    a.ok.cuMulticastUnbind(object_, 0, HALF, HALF)
    a.ok.cuMemsetD8(mapped(a, object_), 1, SIZE)
    one, other = (mapped(a, handle) for handle in handles)
    holds(a, [one], bytes(4))
    holds(a, [other], b"\1" * 4)


@entry.also("memory whose handle is released goes")
def goes(_: World, i: Invocation) -> None:
    a = i.process
    handle = memory(a)
    a.ok.cuMulticastBindMem(i.args["mcHandle"], HALF, handle, 0, HALF, 0)
    a.ok.cuMemRelease(handle)
    free = a.ok.cuMemGetInfo()[0]
    a.ok.cuMulticastUnbind(i.args["mcHandle"], 0, HALF, HALF)
    assert a.ok.cuMemGetInfo()[0] == free + SIZE


entry.alone("memory-whose-handle-is-released-goes")

test_multicast_unbind = entry.test()
