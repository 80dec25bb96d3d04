"""Events between streams and contexts: what they capture, and who waits for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.model.test_stream import blocked, busy, new, release, word

from .world import contents, done, started

if TYPE_CHECKING:
    from fakecuda import Machine

EQUAL = 1
NOT_READY = 600
INTERPROCESS = 6


def test_an_event_of_work_that_waits(machine: Machine) -> None:
    """It is not ready, in whatever process it was opened; the last record counts, however late an earlier one ends."""
    a, b = started(machine), started(machine)
    stream, gate = blocked(a)
    event = done(a.c.cuEventCreate(INTERPROCESS))
    opened = done(b.c.cuIpcOpenEventHandle(done(a.c.cuIpcGetEventHandle(event))))
    done(a.c.cuEventRecord(event, stream))
    assert a.c.cuEventQuery(event) == b.c.cuEventQuery(opened) == (NOT_READY,)
    done(b.c.cuEventRecord(opened, new(b)))
    assert a.c.cuEventQuery(event) == b.c.cuEventQuery(opened) == (0,)
    recorded = a.events[event].recorded
    release(a, gate)
    assert not machine.scheduler.pending
    assert a.events[event].recorded == recorded


def test_an_event_waits_for_a_context(machine: Machine) -> None:
    """One that cuCtxRecordEvent records captures the work of all streams, and none that is done by then."""
    a = started(machine)
    context = done(a.c.cuCtxGetCurrent())
    gates = [blocked(a)[1] for _ in range(2)]
    event, later = (done(a.c.cuEventCreate(0)) for _ in range(2))
    done(a.c.cuCtxRecordEvent(context, event))
    for gate in gates:
        assert a.c.cuEventQuery(event) == (NOT_READY,)
        release(a, gate)
    done(a.c.cuCtxRecordEvent(context, later))
    done(a.c.cuEventQuery(event))
    assert done(a.c.cuEventElapsedTime(event, later)) >= 0


def test_a_context_waits_for_an_event(machine: Machine) -> None:
    """All that comes later does, in every stream; two waits must both end, and then none is left."""
    a = started(machine)
    context = done(a.c.cuCtxGetCurrent())
    early, place = new(a), word(a)
    pairs = [blocked(a) for _ in range(2)]
    done(a.c.cuCtxCreate(None, 0, 0))
    outside = new(a)
    done(a.c.cuCtxPopCurrent())
    done(a.c.cuStreamWriteValue32(early, place, 1, 0))
    for stream, _ in pairs:
        event = done(a.c.cuEventCreate(0))
        done(a.c.cuEventRecord(event, stream))
        done(a.c.cuCtxWaitEvent(context, event))
    late = new(a)
    done(a.c.cuStreamWriteValue32(late, place, 2, 0))
    assert not busy(a, early)
    assert len(a.contexts[context].gates) == 2
    for _, gate in pairs:
        assert busy(a, late)
        done(a.c.cuStreamWriteValue32(outside, gate, 1, 0))
    assert not busy(a, late)
    assert contents(a, place, 4) == b"\2\0\0\0"
    done(a.c.cuStreamWaitValue32(late, pairs[0][1], 2, EQUAL))
    assert busy(a, late)
    assert a.contexts[context].gates == []
    done(a.c.cuStreamWriteValue32(outside, pairs[0][1], 2, 0))


def test_a_context_does_not_wait_for_an_event_that_is_done(machine: Machine) -> None:
    """There is nothing to wait for."""
    a = started(machine)
    context = done(a.c.cuCtxGetCurrent())
    event = done(a.c.cuEventCreate(0))
    done(a.c.cuEventRecord(event, 0))
    done(a.c.cuCtxWaitEvent(context, event))
    assert a.contexts[context].gates == []
