"""cuInit: initialise the driver in a process.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__INITIALIZE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

import fakecuda
from conformance.cases.driver.context.fixtures import described
from conformance.cases.driver.core.fixtures import in_a_fork
from conformance.kit.case import Entry
from conformance.kit.program import FORKED
from fakecuda.profiles import load
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(init=False).call("cuInit", Flags=0)


entry = Entry("cuInit", valid)
entry.breaks("FLAGS_ARE_ZERO", Flags=1)
entry.world("PROCESS_IS_NO_FORK")(in_a_fork)
entry.without("forked")


@entry.world("PROCESS_IS_NO_FORK", "whose parent's exit handlers have run")
def fork_of_an_ending_process(w: World, i: Invocation) -> Invocation:
    i = in_a_fork(w, i)
    i.process.begin_exit()
    return i


@entry.also("in a fork of a process that never called it")
def forked_before(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i, thread=FORKED)


@entry.also("a second time")
def again(_w: World, i: Invocation) -> None:
    i.process.c.cuInit(0)


@entry.also("a failed attempt leaves the driver uninitialised")
def failed_before(_w: World, i: Invocation) -> None:
    i.process.c.cuInit(1)
    assert i.process.c.cuDeviceGetCount() == (Result.NOT_INITIALIZED, None)


@entry.also("it is the process that is initialised")
def every_thread(w: World, i: Invocation) -> Invocation:
    i.process.c.cuInit(0)
    return i.process.thread(w.thread_name()).call("cuDeviceGetCount")


test_init = entry.test()


def test_proc_is_its_own() -> None:
    """Check that an initialised process stays initialised."""
    with fakecuda.Machine("h200") as machine:
        process = machine.spawn()
        process.foreign_proc = True
        assert process.c.cuInit(0) == (Result.OPERATING_SYSTEM,)
        assert process.c.cudaGetDeviceCount() == (Result.OPERATING_SYSTEM, None)
        process.foreign_proc = False
        assert process.c.cuInit(0) == (0,)


def test_device_is_there() -> None:
    with described(attrs.evolve(load("h200"), devices=()), init=False) as c:
        assert c.cuInit(0) == (Result.NO_DEVICE,)
