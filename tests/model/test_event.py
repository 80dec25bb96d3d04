"""Events: the time they hold, how they end, and what outlives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import fakecuda
from fakecuda.errors import UndefinedBehaviour
from fakecuda.spec.codes import Result

from .world import done, started

if TYPE_CHECKING:
    from fakecuda import Machine

INTERPROCESS = 6
DESTROYED = 709


def test_elapsed_time_is_in_milliseconds(machine: Machine) -> None:
    """It is exact to a tick, counts from the first event's last record, and is negative backwards."""
    a = started(machine)
    start, end = (done(a.c.cuEventCreate(0)) for _ in range(2))
    for event, passed in ((start, 1.0), (start, 1.0), (end, 0.0025001)):  # the record itself takes a tick
        machine.clock.advance(passed)
        done(a.c.cuEventRecord(event, 0))
    assert done(a.c.cuEventElapsedTime(start, end)) == 2.5005
    assert done(a.c.cuEventElapsedTime(end, start)) == -2.5005


def test_an_event_goes_with_its_context() -> None:
    """The handle answers so for good: also when a primary context, which keeps its handle, is active again."""
    machine = fakecuda.Machine("h200", strict=False)
    a = started(machine)
    primary = done(a.c.cuDevicePrimaryCtxRetain(0))
    done(a.c.cuCtxPushCurrent(primary))
    event = done(a.c.cuEventCreate(0))
    assert list(a.events) == [event]
    done(a.c.cuDevicePrimaryCtxReset(0))
    assert not a.events
    machine.check_invariants()
    done(a.c.cuDevicePrimaryCtxRetain(0))
    done(a.c.cuCtxSynchronize())
    for name in ("cuEventQuery", "cuEventDestroy"):
        assert getattr(a.c, name)(event) == (DESTROYED,)
    machine.check_invariants()
    machine.close()


def test_a_destroyed_event_tells_its_story(machine: Machine) -> None:
    """A use after cuEventDestroy is reported with where the event came from and where it ended."""
    a = started(machine)
    event = done(a.c.cuEventCreate(0))
    done(a.c.cuEventDestroy(event))
    with pytest.raises(UndefinedBehaviour) as report:
        a.c.cuEventQuery(event)
    assert report.value.finding.rule.id == "event.handle.EVENT_IS_LIVE"
    story = str(report.value)
    assert f"object     destroyed event {event:#x}" in story
    assert "created at " in story
    assert "ended at " in story
    assert story.count("test_a_destroyed_event_tells_its_story") == 3


def test_destroyed_with_its_context_alive_or_not() -> None:
    """What cuEventDestroy or cuCtxDestroy ended is undefined to use, and the report tells which."""
    with fakecuda.Machine("h200") as machine:
        a = started(machine)
        context = done(a.c.cuCtxCreate(None, 0, 0))
        destroyed, lost = (done(a.c.cuEventCreate(0)) for _ in range(2))
        done(a.c.cuEventDestroy(destroyed))
        done(a.c.cuCtxDestroy(context))
        for event, rule in ((lost, "EVENT_HAS_A_CONTEXT"), (destroyed, "EVENT_IS_LIVE")):
            with pytest.raises(UndefinedBehaviour) as report:
                a.c.cuEventQuery(event)
            assert report.value.finding.rule.id == f"event.handle.{rule}"


def test_an_exported_event_outlives_its_process(machine: Machine) -> None:
    """What a handle names can be opened and used when the exporter is gone; the process's own events are not kept."""
    a, b = started(machine), started(machine)
    event = done(b.c.cuEventCreate(INTERPROCESS))
    handle = done(b.c.cuIpcGetEventHandle(event))
    b.kill()
    assert not b.events
    machine.check_invariants()
    opened = done(a.c.cuIpcOpenEventHandle(handle))
    done(a.c.cuEventRecord(opened, 0))
    machine.check_invariants()
    a.exit()
    machine.check_invariants()


def test_a_capture_does_not_wait_for_an_event_of_another_process(machine: Machine) -> None:
    """The exporter has recorded it; an H200 says so, too."""
    a, b = started(machine), started(machine)
    event = done(b.c.cuEventCreate(INTERPROCESS))
    opened = done(a.c.cuIpcOpenEventHandle(done(b.c.cuIpcGetEventHandle(event))))
    done(b.c.cuEventRecord(event, 0))
    stream = done(a.c.cuStreamCreate(1))
    done(a.c.cuStreamBeginCapture(stream, 2))
    assert a.c.cuStreamWaitEvent(stream, opened, 0) == (Result.STREAM_CAPTURE_UNSUPPORTED,)
    assert a.c.cuStreamEndCapture(stream)[0] == Result.STREAM_CAPTURE_INVALIDATED


def test_a_fork_has_copies_of_events(machine: Machine) -> None:
    """They need no driver that is initialised; what becomes of them is nothing to the parent."""
    a = started(machine)
    event, gone = (done(a.c.cuEventCreate(0)) for _ in range(2))
    done(a.c.cuEventDestroy(gone))
    done(a.c.cuEventRecord(event, 0))
    for name in ("cuEventQuery", "cuEventSynchronize", "cuEventDestroy"):
        assert getattr(a.forked, name)(event) == (0,)
        with pytest.raises(UndefinedBehaviour):
            getattr(a.forked, name)(gone)
    assert a.forked.cuEventElapsedTime(event, event) == (0, 0)
    assert a.forked.cuEventRecord(event, 0) == (3,)
    done(a.c.cuEventRecord(event, 0))


def test_a_fork_leaves_the_places_of_its_parent_s_events(machine: Machine) -> None:
    """What a fork destroys keeps its place among those of the parent that other processes can open."""
    a = started(machine)
    event = done(a.c.cuEventCreate(INTERPROCESS))
    before = machine.snapshot()
    assert a.forked.cuEventDestroy(event) == (0,)
    assert machine.snapshot() == before
    done(a.c.cuEventCreate(INTERPROCESS))
    assert [one.place for one in a.events.values()] == [0, 1]


def test_a_fork_of_a_process_that_ends() -> None:
    """The driver answers it as any fork; the runtime library is what it was, and answers that the process ends."""
    a = fakecuda.Machine("h200").spawn()
    a.c.cudaSetDevice(0)
    a.begin_exit()
    assert a.forked.cuCtxGetCurrent() == (Result.NOT_INITIALIZED, None)
    assert a.forked.cudaGetDevice() == (Result.DEINITIALIZED, None)
