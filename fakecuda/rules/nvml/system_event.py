"""System events: the driver binds or unbinds a card. A simulated machine has no system events.

One set of a process can be registered, until the library is shut down: so a driver has answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from fakecuda.model.work import waiting
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.nvml.arguments import ARGUMENTS_ARE_GIVEN, initialised, versioned
from fakecuda.rules.registry import NVML
from fakecuda.spec.codes import Nvml

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.nvml import SystemEventSet

Request: TypeAlias = tuple[int, ...] | None
"""The fields of a request struct, version first; None for a null pointer."""
BOUND_OR_UNBOUND = 3
"""nvmlSystemEventTypeGpuDriverUnbind and nvmlSystemEventTypeGpuDriverBind."""
CREATE, REGISTER, WAIT, FREE = (1, 16), (1, 24), (1, 32), (1, 16)
"""The version of each struct, and its size in bytes."""

SET_IS_KNOWN = Rule(
    "the event set is a system event set of this process that has not been freed",
    Nvml.INVALID_ARGUMENT,
    undefined(
        "nvmlSystemEventSetFree",
        "the manual says nothing about sets that were freed; the library uses the value as a pointer, and crashes",
    ),
    fix="call nvmlSystemEventSetFree once, after the last use of the set",
)
SET_IS_SOUND = Rule(
    "no nvmlSystemRegisterEvents for this event set has failed with NVML_ERROR_UNKNOWN",
    Nvml.INVALID_ARGUMENT,
    undefined("nvmlSystemRegisterEvents", "event set is in undefined state and should be freed"),
    fix="free the set, and register the events with a new one",
)
TYPES_ARE_GIVEN = Rule(
    "`eventTypes` is not 0",
    Nvml.INVALID_ARGUMENT,
    observed(
        "nvmlSystemRegisterEvents",
        "NVML answers INVALID_ARGUMENT if no bit is set; it accepts unknown bits, which register no event",
    ),
    fix="set at least one bit in eventTypes",
)
ONE_SET_IS_REGISTERED = Rule(
    "the process has not registered another event set since it initialised NVML",
    Nvml.UNKNOWN,
    observed(
        "nvmlSystemRegisterEvents", "NVML answers UNKNOWN to a second event set, even after the first set was freed"
    ),
    fix="register one set for each nvmlInit_v2, and reuse it",
)
EVENT_COMES_IN_TIME = Rule(
    "an event arrives within the timeout",
    Nvml.TIMEOUT,
    manual("nvmlSystemEventSetWait", "NVML_ERROR_TIMEOUT if no event notification after timeoutms"),
    fix="treat NVML_ERROR_TIMEOUT as no event: wait again, or stop",
)


@guard
def _set_of(call: Call, handle: int) -> SystemEventSet:
    if not handle:
        raise ARGUMENTS_ARE_GIVEN.broken()
    held = call.process.nvml.system_sets.get(handle)
    if held is None:
        call.undefined(SET_IS_KNOWN, set=handle)
        raise SET_IS_KNOWN.broken(set=handle)
    return held


@guard
def _requested(call: Call, request: Request, known: tuple[int, int]) -> list[int]:
    """Return the request of a struct without its version."""
    initialised(call)
    versioned(request[0] if request else None, known)
    return list(request or ())[1:]


@NVML.op("nvmlSystemEventSetCreate")
def system_event_set_create(call: Call, version: int | None) -> tuple[int]:
    """Create a system event set and return its handle."""
    # CHECK
    initialised(call)
    versioned(version, CREATE)
    # EFFECT
    return (call.process.nvml.make_system_set().handle,)


@NVML.op("nvmlSystemRegisterEvents", acts_before=(ONE_SET_IS_REGISTERED,))
def system_register_events(call: Call, request: Request) -> None:
    """Register the system event set in ``request`` for the event types in ``request``."""
    # CHECK
    types, handle = _requested(call, request, REGISTER)
    held = _set_of(call, handle)
    if not types:
        raise TYPES_ARE_GIVEN.broken()
    process = call.process.nvml
    if types & BOUND_OR_UNBOUND and process.listening not in {0, handle}:
        held.spoil()
        raise ONE_SET_IS_REGISTERED.broken(set=handle)
    # EFFECT
    if types & BOUND_OR_UNBOUND:
        process.listen(held)


@NVML.op("nvmlSystemEventSetWait")
def system_event_set_wait(call: Call, request: Request) -> tuple[int, ...]:
    """Return the request, with 0 events.

    Time does not pass on its own on a simulated machine: a call that would wait for some time lets other threads' calls go
    on for a moment, and answers that the time is over. A timeout of 0 is none: the call looks, and succeeds without an event.

    Args:
        call: The call.
        request: Milliseconds, the set, the array for events, and how many it has room for.
    """
    # CHECK
    timeout, handle, data, room, _ = _requested(call, request, WAIT)
    held = _set_of(call, handle)
    if not data or not room:
        raise ARGUMENTS_ARE_GIVEN.broken()
    if not held.sound:
        call.undefined(SET_IS_SOUND, set=handle)
    elif timeout:
        waiting.glance(call.machine)
        raise EVENT_COMES_IN_TIME.broken(timeout=timeout)
    return timeout, handle, data, room, 0


@NVML.op("nvmlSystemEventSetFree")
def system_event_set_free(call: Call, request: Request) -> None:
    """Free the system event set in ``request``."""
    # CHECK
    [handle] = _requested(call, request, FREE)
    if not handle:
        return
    held = _set_of(call, handle)
    # EFFECT
    call.process.nvml.free_system_set(held)
