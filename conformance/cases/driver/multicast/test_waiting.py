"""Calls that block until a multicast team is complete, on the model only.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

import fakecuda
from conformance.cases.driver.multicast.fixtures import SIZE, described, mapped, memory
from conformance.kit.program import Recorder
from conformance.kit.world import Session
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.kit.world import Invocation

CALLS = ["cuMemMap", "cuMulticastBindAddr", "cuMulticastBindMem"]
SOON = 0.05


@pytest.fixture
def machine() -> Iterator[fakecuda.Machine]:
    """Return a machine like the driver."""
    with fakecuda.Machine("h200-x2", strict=False) as made:
        yield made


def waiting(machine: fakecuda.Machine, call: str) -> Invocation:
    """Return a call on an object whose team lacks the second device."""
    a = Session(Recorder(machine)).world(call).process()
    object_ = a.ok.cuMulticastCreate(described())
    a.ok.cuMulticastAddDevice(object_, 0)
    place = {"mcHandle": object_, "mcOffset": 0, "size": SIZE, "flags": 0}
    if call == "cuMemMap":
        ptr = a.ok.cuMemAddressReserve(SIZE, 0, 0, 0)
        return a.call(call, ptr=ptr, size=SIZE, offset=0, handle=object_, flags=0)
    if call == "cuMulticastBindAddr":
        return a.call(call, memptr=mapped(a, memory(a)), **place)
    return a.call(call, memHandle=memory(a), memOffset=0, **place)


def meanwhile(machine: fakecuda.Machine, call: str, name: str, *inputs: int) -> tuple[int, ...]:
    """Make a waiting call, and another in a second thread; return the first answer."""
    invocation = waiting(machine, call)
    object_ = invocation.args.get("mcHandle", invocation.args.get("handle"))
    process = machine.processes[invocation.process.name]
    answers = []

    def other() -> None:
        time.sleep(SOON)
        answers.append(getattr(process.c, name)(object_, *inputs))

    thread = threading.Thread(target=other)
    thread.start()
    try:
        answer = invocation.run()
    finally:
        thread.join()
    assert answers == [(0,)]
    return answer


@pytest.mark.parametrize("call", CALLS)
def test_the_last_device_ends_the_wait(machine: fakecuda.Machine, call: str) -> None:
    """The last device of the team ends the wait, and the call proceeds."""
    assert meanwhile(machine, call, "cuMulticastAddDevice", 1) == (0,)
    machine.check_invariants()


@pytest.mark.parametrize("call", CALLS)
def test_a_team_that_cannot_come_is_told(machine: fakecuda.Machine, call: str) -> None:
    """A single-threaded program that waits gets an error with the missing devices.

    Programs of the state machine met this when one drew the handle of an object whose team was not complete for cuMemMap.
    """
    machine.scheduler.census.alone = True
    invocation = waiting(machine, call)
    before = machine.snapshot()
    with pytest.raises(fakecuda.EndlessWait) as caught:
        invocation.run()
    size = f"{SIZE:#x}"
    assert str(caught.value).startswith(
        f"{call} in thread {invocation.thread} of process a waits for the other devices of a multicast object of {size} bytes "
        "with 1 of 2 devices, and no other thread or process can end the wait"
    )
    assert machine.snapshot() == before
    object_ = invocation.args.get("mcHandle", invocation.args.get("handle"))
    assert machine.processes[invocation.process.name].c.cuMulticastAddDevice(object_, 1) == (0,)
    assert invocation.run() == (0,)


@pytest.mark.parametrize("call", CALLS)
def test_an_object_that_is_released_meanwhile(
    machine: fakecuda.Machine, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An object released during the wait is unknown when the team is complete."""
    machine.scheduler.census.outside = lambda: ["this test"]
    invocation = waiting(machine, call)
    object_ = invocation.args.get("mcHandle", invocation.args.get("handle"))
    process = machine.processes[invocation.process.name]

    def released_and_complete(this: threading.Condition, timeout: float | None = None) -> bool:
        del this, timeout
        (found,) = machine.fabric.objects.values()
        process.c.cuMulticastAddDevice(object_, 1)
        process.c.cuMemRelease(object_)
        return found.complete

    monkeypatch.setattr(threading.Condition, "wait", released_and_complete)
    assert invocation.run() == (Result.INVALID_VALUE,)
    machine.check_invariants()
