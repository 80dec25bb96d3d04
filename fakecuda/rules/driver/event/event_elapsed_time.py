"""cuEventElapsedTime: the time between two events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.work.clock import TICK
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.rules.driver.event.event_query import WORK_IS_DONE
from fakecuda.rules.driver.event.handle import DISABLE_TIMING, done, live_event_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.work.event import Event

MILLISECOND = 1_000_000
"""Nanoseconds in a millisecond."""

TIME_IS_GIVEN = Rule(
    "the result pointer for the milliseconds is not null",
    Result.INVALID_HANDLE,
    observed("cuEventElapsedTime", "the driver answers INVALID_HANDLE to a null pMilliseconds, even before cuInit"),
    fix="pass the address of a float for pMilliseconds",
)
EVENT_IS_TIMED = Rule(
    "neither event was created with CU_EVENT_DISABLE_TIMING",
    Result.INVALID_HANDLE,
    manual(
        "cuEventElapsedTime",
        "If either event was created with the CU_EVENT_DISABLE_TIMING flag, then this function will return "
        "CUDA_ERROR_INVALID_HANDLE",
    ),
    fix="create both events without CU_EVENT_DISABLE_TIMING",
)
EVENT_IS_RECORDED = Rule(
    "both events have been recorded",
    Result.INVALID_HANDLE,
    manual(
        "cuEventElapsedTime",
        "If cuEventRecord() has not been called on either event then CUDA_ERROR_INVALID_HANDLE is returned",
    ),
    fix="call cuEventRecord on both events first",
)
EVENTS_SHARE_A_CONTEXT = Rule(
    "both events belong to the same context",
    Result.INVALID_HANDLE,
    observed(
        "cuEventElapsedTime",
        "the driver answers INVALID_HANDLE to events of two contexts, on the same device or on two devices",
    ),
    fix="create both events while the same context is current",
)


def has_a_time(event: Event) -> bool:
    """Return whether an event was recorded and has a time."""
    return bool(event.records) and not event.flags & DISABLE_TIMING


@guard
def _timed(call: Call, handle: int) -> Event:
    """Return the event of a handle, whose records have a time."""
    event = live_event_of(call, handle)
    if event.flags & DISABLE_TIMING:
        raise EVENT_IS_TIMED.broken(event=event)
    if not event.records:
        raise EVENT_IS_RECORDED.broken(event=event)
    return event


@DRIVER.op("cuEventElapsedTime")
def event_elapsed_time(call: Call, start: int, end: int) -> float:
    """Return the milliseconds between the last records of two events, negative where ``end`` was recorded first.

    The resolution is half a microsecond, as the manual's. No context need be current, and cuInit is not asked for.
    """
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise TIME_IS_GIVEN.broken(nulls=call.nulls)
    first, last = _timed(call, start), _timed(call, end)
    if first.context is not last.context:
        raise EVENTS_SHARE_A_CONTEXT.broken(start=first, end=last)
    for event in (first, last):
        if event.pending:
            raise WORK_IS_DONE.broken(event=event)
    done(call, first, last, by=orders.QUERIED)
    # EFFECT
    assert first.recorded is not None
    assert last.recorded is not None
    return (last.recorded - first.recorded) * TICK / MILLISECOND
