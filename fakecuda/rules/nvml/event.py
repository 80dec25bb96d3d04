"""Events that a program registers for and waits for. A lost card and failing work cause an Xid event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.work import waiting
from fakecuda.rules.core import Rule, guard, manual, undefined
from fakecuda.rules.nvml.arguments import ARGUMENTS_ARE_GIVEN, given, initialised
from fakecuda.rules.nvml.identity import whole
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.nvml import EventSet

XID = 8
"""nvmlEventTypeXidCriticalError, the only event type of a simulated card."""
FOREVER = 0xFFFFFFFF
NO_INSTANCE = 0xFFFFFFFF

SET_IS_KNOWN = Rule(
    "`set` is an event set of this process that has not been freed",
    Nvml.INVALID_ARGUMENT,
    undefined(
        "nvmlEventSetWait_v2",
        "the manual says nothing about sets that were freed; the library uses the value as a pointer",
    ),
    fix="call nvmlEventSetFree once, after the last use of the set",
)
TYPES_ARE_SUPPORTED = Rule(
    "the card supports all event types in `eventTypes`",
    Nvml.NOT_SUPPORTED,
    manual("nvmlDeviceRegisterEvents", "NVML_ERROR_NOT_SUPPORTED if the platform does not support this feature"),
    fix="register only bits that nvmlDeviceGetSupportedEventTypes returns for the card",
)
EVENT_COMES_IN_TIME = Rule(
    "an event arrives within the timeout",
    Nvml.TIMEOUT,
    manual("nvmlEventSetWait_v2", "NVML_ERROR_TIMEOUT if no event arrived in specified timeout"),
    fix="treat NVML_ERROR_TIMEOUT as no event: wait again, or stop",
)


@guard
def _set_of(call: Call, handle: int) -> EventSet:
    if not handle:
        raise ARGUMENTS_ARE_GIVEN.broken()
    held = call.process.nvml.sets.get(handle)
    if held is None:
        call.undefined(SET_IS_KNOWN, set=handle)
        raise SET_IS_KNOWN.broken(set=handle)
    return held


@NVML.op("nvmlEventSetCreate")
def event_set_create(call: Call) -> int:
    """Create an event set, and return its handle."""
    # CHECK
    initialised(call)
    given(call)
    # EFFECT
    return call.process.nvml.make_set().handle


@NVML.op("nvmlDeviceGetSupportedEventTypes")
def device_get_supported_event_types(call: Call, device: int) -> int:
    """Return the supported event types of a card, as bits."""
    return whole(call, device).facts.events


@NVML.op("nvmlDeviceRegisterEvents")
def device_register_events(call: Call, device: int, types: int, held: int) -> None:
    """Register an event set for events of a card.

    Args:
        call: The call.
        device: The card's handle.
        types: The events, as bits.
        held: The set's handle.
    """
    # CHECK
    card = whole(call, device)
    events = _set_of(call, held)
    if types & ~card.facts.events:
        raise TYPES_ARE_SUPPORTED.broken(types=types)
    # EFFECT
    events.register(card.index, types)


@guard
def _wait(call: Call, handle: int, timeout: int) -> tuple[int, int, int, int, int]:
    # CHECK
    initialised(call)
    events = _set_of(call, handle)
    given(call)
    if timeout == FOREVER:
        waiting.wait(call.machine, "an event of a card", lambda: bool(events.events))
    elif timeout and not events.events:
        waiting.glance(call.machine)
    if not events.events:
        raise EVENT_COMES_IN_TIME.broken(timeout=timeout)
    # EFFECT
    card, kind, data = events.tell_oldest()
    return call.machine.cards[card].handle, kind, data, NO_INSTANCE, NO_INSTANCE


@NVML.op("nvmlEventSetWait_v2")
def event_set_wait(call: Call, held: int, timeout: int) -> tuple[int, int, int, int, int]:
    """Wait for an event, and return the card's handle, the event type, the Xid and the instances.

    Time does not pass on its own on a simulated machine: without an event a call that would wait for some time lets other
    threads' calls go on for a moment, and answers that the time is over. One that would wait for ever waits until another
    thread, or the test, brings an event about.

    Args:
        call: The call.
        held: The set's handle.
        timeout: Milliseconds; 0xFFFFFFFF to wait for ever.
    """
    return _wait(call, held, timeout)


@NVML.op("nvmlEventSetWait")
def event_set_wait_v1(call: Call, held: int, timeout: int) -> tuple[int, int, int, int, int]:
    """Wait for an event as nvmlEventSetWait_v2 does, and return an older struct."""
    return _wait(call, held, timeout)


@NVML.op("nvmlEventSetFree")
def event_set_free(call: Call, held: int) -> None:
    """Free an event set. Threads that wait for the set get no later events."""
    # CHECK
    initialised(call)
    events = _set_of(call, held)
    # EFFECT
    call.process.nvml.free_set(events)
