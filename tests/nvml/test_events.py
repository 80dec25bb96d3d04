"""Event sets: what a lost card and a failed kernel tell, and how calls wait for it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import EndlessWait, Machine, UndefinedBehaviour
from fakecuda.spec.codes import Nvml, Result
from tests.nvml.state import code, of

if TYPE_CHECKING:
    from fakecuda import Process

XID = 8
FOREVER = 0xFFFFFFFF


def test_events(process: Process, card: int) -> None:
    """A lost card tells its Xid once, to the sets that wait for it, and work that fails does."""
    c, machine = process.c, of(process)
    other = c.nvmlDeviceGetHandleByIndex_v2(1)[1]
    first, second = c.nvmlEventSetCreate()[1], c.nvmlEventSetCreate()[1]
    assert c.nvmlDeviceGetSupportedEventTypes(card)[1] & XID
    assert c.nvmlDeviceRegisterEvents(card, XID, first) == (0,)
    assert c.nvmlDeviceRegisterEvents(other, XID, first) == (0,)
    assert c.nvmlDeviceRegisterEvents(card, 1, second) == (0,)
    assert code(c.nvmlDeviceRegisterEvents(card, 1 << 40, first)) is Nvml.NOT_SUPPORTED
    assert code(c.nvmlDeviceRegisterEvents(card, XID, 0)) is Nvml.INVALID_ARGUMENT
    assert code(c.nvmlEventSetWait_v2(first, 5000)) is Nvml.TIMEOUT
    machine.lose_device(1)
    machine.lose_device(0, Result.NVLINK_UNCORRECTABLE)
    assert c.nvmlEventSetWait_v2(first, FOREVER)[1][:3] == (other, XID, 48)
    assert c.nvmlEventSetWait(first, 0)[1][:3] == (card, XID, 74)
    assert code(c.nvmlEventSetWait_v2(first, 0)) is Nvml.TIMEOUT
    assert code(c.nvmlEventSetWait_v2(second, 0)) is Nvml.TIMEOUT
    assert c.nvmlEventSetFree(first) == (0,)
    with pytest.raises(UndefinedBehaviour, match="`set` is an event set of this process that has not been freed"):
        c.nvmlEventSetWait_v2(first, 0)


def test_a_bad_kernel_is_an_event(process: Process, card: int) -> None:
    """Of the card whose context it poisons; codes without an Xid of their own are exceptions."""
    c = process.c
    c.cuInit(0)
    context = c.cuDevicePrimaryCtxRetain(0)[1]
    held = c.nvmlEventSetCreate()[1]
    c.nvmlDeviceRegisterEvents(card, XID, held)
    of(process).poison(process, context)
    of(process).poison(process, context, Result.LAUNCH_FAILED)
    assert [c.nvmlEventSetWait_v2(held, 0)[1][2] for _ in range(2)] == [31, 13]


def test_waiting_for_ever(process: Process, card: int) -> None:
    """It ends with an event that another thread brings about, or at once where nobody can."""
    c = process.c
    held = c.nvmlEventSetCreate()[1]
    c.nvmlDeviceRegisterEvents(card, XID, held)
    answers: list[Any] = []
    waiting = threading.Thread(target=lambda: answers.append(c.nvmlEventSetWait_v2(held, FOREVER)))
    waiting.start()
    while not process.machine.scheduler.census.waiting:
        pass
    of(process).lose_device(0)
    waiting.join()
    assert answers[0][1][:3] == (card, XID, 48)


def test_waiting_for_ever_alone(process: Process, by_itself: None) -> None:  # noqa: ARG001 - other threads are hidden
    """Nobody can bring an event about."""
    held = process.c.nvmlEventSetCreate()[1]
    with pytest.raises(EndlessWait):
        process.c.nvmlEventSetWait_v2(held, FOREVER)


def test_freed_sets_are_undefined() -> None:
    """A permissive machine refuses them; with the last shutdown every set is gone."""
    with Machine(strict=False) as machine:
        c = machine.spawn().c
        c.nvmlInit_v2()
        held = c.nvmlEventSetCreate()[1]
        c.nvmlShutdown()
        c.nvmlInit_v2()
        card = c.nvmlDeviceGetHandleByIndex_v2(0)[1]
        refused = (
            c.nvmlDeviceRegisterEvents(card, XID, held),
            c.nvmlEventSetWait(held, 0),
            c.nvmlEventSetWait_v2(held, 0),
            c.nvmlEventSetFree(held),
        )
        assert set(map(code, refused)) == {Nvml.INVALID_ARGUMENT}


CREATE, REGISTER, WAIT = 1 << 24 | 16, 1 << 24 | 24, 1 << 24 | 32
UNBIND, BIND = 1, 2


def wait(process: Process, held: int, timeout: int = 20, data: int = 1, room: int = 4) -> tuple[Any, ...]:
    """Wait for events of the system."""
    return process.c.nvmlSystemEventSetWait((WAIT, timeout, held, data, room, 0))


def test_events_of_the_system(process: Process) -> None:
    """None comes: a wait ends in time, and one without time tells that there are none."""
    c = process.c
    held = c.nvmlSystemEventSetCreate(CREATE)[1][0]
    assert c.nvmlSystemRegisterEvents((REGISTER, UNBIND | BIND, held)) == (0,)
    assert code(wait(process, held)) is Nvml.TIMEOUT
    assert wait(process, held, 0) == (0, (0, held, 1, 4, 0))
    assert c.nvmlSystemEventSetFree((CREATE, 0)) == (0,)
    assert c.nvmlSystemEventSetFree((CREATE, held)) == (0,)
    with pytest.raises(UndefinedBehaviour, match="the event set is a system event set of this process"):
        wait(process, held)


def test_requests_are_checked(process: Process) -> None:
    """Their version, the set, and what is to be registered and written."""
    c = process.c
    held = c.nvmlSystemEventSetCreate(CREATE)[1][0]
    refused = {
        Nvml.INVALID_ARGUMENT: [
            c.nvmlSystemEventSetCreate(None),
            c.nvmlSystemRegisterEvents(None),
            c.nvmlSystemRegisterEvents((REGISTER, UNBIND, 0)),
            c.nvmlSystemRegisterEvents((REGISTER, 0, held)),
            c.nvmlSystemEventSetWait(None),
            wait(process, 0),
            wait(process, held, data=0),
            wait(process, held, room=0),
            c.nvmlSystemEventSetFree(None),
        ],
        Nvml.ARGUMENT_VERSION_MISMATCH: [
            c.nvmlSystemEventSetCreate(2 << 24 | 16),
            c.nvmlSystemRegisterEvents((1 << 24 | 20, UNBIND, held)),
            c.nvmlSystemEventSetWait((0, 20, held, 1, 4, 0)),
            c.nvmlSystemEventSetFree((0, held)),
        ],
    }
    assert {answer: set(map(code, ones)) for answer, ones in refused.items()} == {one: {one} for one in refused}


def test_one_set_is_registered_until_the_shutdown(process: Process) -> None:
    """Freed or not; what registers for nothing is none. A set that was refused can only be freed."""
    c = process.c
    first, second = (c.nvmlSystemEventSetCreate(CREATE)[1][0] for _ in range(2))
    assert c.nvmlSystemRegisterEvents((REGISTER, UNBIND, first)) == (0,)
    assert c.nvmlSystemRegisterEvents((REGISTER, BIND, first)) == (0,)
    assert c.nvmlSystemRegisterEvents((REGISTER, 1 << 40, second)) == (0,)
    assert code(wait(process, second)) is Nvml.TIMEOUT
    assert c.nvmlSystemEventSetFree((CREATE, first)) == (0,)
    assert code(c.nvmlSystemRegisterEvents((REGISTER, UNBIND, second))) is Nvml.UNKNOWN
    with pytest.raises(UndefinedBehaviour, match="no nvmlSystemRegisterEvents for this event set has failed"):
        wait(process, second)
    assert c.nvmlSystemEventSetFree((CREATE, second)) == (0,)
    c.nvmlShutdown()
    c.nvmlInit_v2()
    third = c.nvmlSystemEventSetCreate(CREATE)[1][0]
    assert c.nvmlSystemRegisterEvents((REGISTER, UNBIND, third)) == (0,)


def test_freed_sets_of_the_system_are_undefined() -> None:
    """A permissive machine refuses them, and tells no events of one that is in no state to be asked."""
    with Machine(strict=False) as machine:
        process = machine.spawn()
        c = process.c
        c.nvmlInit_v2()
        first, second = (c.nvmlSystemEventSetCreate(CREATE)[1][0] for _ in range(2))
        c.nvmlSystemRegisterEvents((REGISTER, UNBIND, first))
        c.nvmlSystemRegisterEvents((REGISTER, UNBIND, second))
        assert wait(process, second) == (0, (20, second, 1, 4, 0))
        c.nvmlSystemEventSetFree((CREATE, first))
        refused = (
            wait(process, first),
            c.nvmlSystemRegisterEvents((REGISTER, UNBIND, first)),
            c.nvmlSystemEventSetFree((CREATE, first)),
        )
        assert set(map(code, refused)) == {Nvml.INVALID_ARGUMENT}
