"""cuInit: https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__INITIALIZE.html."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.case import Entry
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(init=False).call("cuInit", Flags=0)


entry = Entry("cuInit", valid)
entry.breaks("FLAGS_ARE_ZERO", Flags=1)


@entry.also("a second time")
def again(_w: World, i: Invocation) -> None:
    i.process.c.cuInit(0)


@entry.also("a failed attempt leaves the driver uninitialised")
def failed_before(_w: World, i: Invocation) -> None:
    i.process.c.cuInit(1)
    assert i.process.c.cuDeviceGetCount() == (Result.NOT_INITIALIZED, None)


@entry.also("it is the process that is initialised")
def every_thread(_w: World, i: Invocation) -> Invocation:
    i.process.c.cuInit(0)
    return i.process.thread("second").call("cuDeviceGetCount")


test_init = entry.test()


def test_device_is_there() -> None:
    with fakecuda.Machine(attrs.evolve(load("h200"), devices=())) as machine:
        assert machine.spawn().c.cuInit(0) == (Result.NO_DEVICE,)
