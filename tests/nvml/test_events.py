"""Event sets: what a lost card and a failed kernel tell, and how calls wait for it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import EndlessWait, Machine, UndefinedBehaviour
from fakecuda.codes import Nvml, Result
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
    with pytest.raises(UndefinedBehaviour, match="the event set is one that the process has"):
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
    while not process.machine.census.waiting:
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
