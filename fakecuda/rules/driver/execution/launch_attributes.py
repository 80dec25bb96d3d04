"""The attributes of a launch: their values, and what they request together. The last attribute of a kind counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.event.event_record import EVENT_IS_THE_STREAM_S
from fakecuda.rules.driver.event.event_record_with_flags import EXTERNAL, STREAM_IS_CAPTURING
from fakecuda.rules.driver.event.handle import DISABLE_TIMING, EVENT_IS_GIVEN, live_event_of
from fakecuda.rules.driver.execution.attributes import WHOLE
from fakecuda.rules.driver.stream.stream_set_attribute import (
    DOMAINS_ARE_THERE,
    HIT_RATIO_IS_A_SHARE,
    MISSES_DO_NOT_PERSIST,
    VALUE_IS_KNOWN,
    WINDOW_IS_NOT_TOO_LARGE,
    suits,
)
from fakecuda.spec import launch_config
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS
from fakecuda.spec.stream_values import DOMAIN, DOMAIN_MAP, NVLINK, POLICY, PRIORITY, WINDOW
from fakecuda.spec.versions import LAUNCH_ATTRIBUTES

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code.kernels import Dim
    from fakecuda.model.code.module import Function
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.stream import Stream

CALL = "cuLaunchKernelEx"
KNOWN = {number: LAUNCH_ATTRIBUTES.get(number, 0) for number in ENUMS["CUlaunchAttributeID"].values()}
"""The first driver version that knows each launch attribute."""
AMONG = {
    NVLINK: frozenset({0, 1}),
    launch_config.CARVEOUT: frozenset(range(WHOLE + 1)),
    launch_config.SCHEDULING: frozenset({0, 1, 2}),
    launch_config.PORTABLE: frozenset(ENUMS["CUlaunchAttributePortableClusterMode"].values()),
    launch_config.SHARED_MEMORY: frozenset(ENUMS["CUsharedMemoryMode"].values()),
}
"""The valid values of launch attributes with few values."""
OF_STREAMS = frozenset({WINDOW, DOMAIN_MAP, DOMAIN, PRIORITY})
"""Attributes that streams share, with the same rules."""

ATTRIBUTES_ARE_GIVEN = Rule(
    "`attrs` is not null if `numAttrs` is not 0",
    Result.INVALID_VALUE,
    manual(CALL, "The value of this pointer is not considered if CUlaunchConfig.numAttrs is zero"),
    fix="set attrs to an array of numAttrs attributes",
)
ATTRIBUTE_IS_A_LAUNCH_S = Rule(
    "`id` of each entry of `attrs` is a CUlaunchAttributeID that this driver version supports for launches",
    Result.INVALID_VALUE,
    manual(CALL, "CUlaunchAttribute.id is a unique enum identifying the attribute"),
    fix="pass a launch attribute that this driver version supports",
)
LAUNCH_VALUE_IS_KNOWN = Rule(
    "each launch attribute has a value of its enumeration or range, such as 0 to 100 for a shared-memory carveout",
    Result.INVALID_VALUE,
    observed(
        CALL,
        "the driver answers INVALID_VALUE to a scheduling policy of 9, a carveout of 101 and an NVLink attribute of 2",
    ),
    fix="pass a value that is valid for the attribute",
)
EVENT_TAKES_NO_TIME = Rule(
    "an event that a launch records has CU_EVENT_DISABLE_TIMING and is not an interprocess event",
    Result.NOT_SUPPORTED,
    manual(CALL, "The event must disable timing (i.e. created with CU_EVENT_DISABLE_TIMING flag set)"),
    fix="create the event with CU_EVENT_DISABLE_TIMING, and without CU_EVENT_INTERPROCESS",
)
OF_ATTRIBUTES = frozenset(
    [
        *(ATTRIBUTES_ARE_GIVEN, ATTRIBUTE_IS_A_LAUNCH_S, LAUNCH_VALUE_IS_KNOWN, VALUE_IS_KNOWN),
        *(DOMAINS_ARE_THERE, HIT_RATIO_IS_A_SHARE, MISSES_DO_NOT_PERSIST, WINDOW_IS_NOT_TOO_LARGE),
        *(EVENT_IS_GIVEN, EVENT_TAKES_NO_TIME),
    ]
)
"""Rules of launch attributes that are checked before the stream's capture."""
NODE_IS_CAPTURED = Rule(
    "the stream is captured if `attrs` has CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE",
    Result.NOT_SUPPORTED,
    manual(CALL, "passing it to a launch in a non-capturing stream results in an error"),
    fix="use this attribute only for launches in a captured stream",
)
RULES = (*OF_ATTRIBUTES, STREAM_IS_CAPTURING, EVENT_IS_THE_STREAM_S, NODE_IS_CAPTURED)
"""Rules of launch attributes, except those of event handles."""


@frozen
class Asked:
    """What the attributes of a launch ask for.

    Attributes:
        cooperative: Whether all blocks run at once.
        cluster: The cluster; None for none.
        preferred: The cluster that may take its place; None for none.
        mode: CUlaunchAttributePortableClusterMode.
        events: The handles of the events that are recorded behind the kernel, with flags.
    """

    cooperative: bool = False
    cluster: Dim | None = None
    preferred: Dim | None = None
    mode: int = 0
    events: tuple[tuple[int, int], ...] = ()


@guard
def asked_for(call: Call, function: Function, stream: Stream, attributes: tuple[Any, ...] | None) -> Asked:
    """Return what the attributes request; the launch allows each of them.

    Args:
        call: The call.
        function: The function that is launched.
        stream: Its stream.
        attributes: The attributes, as :mod:`fakecuda.spec.launch_config` has them.
    """
    if attributes is None:
        raise ATTRIBUTES_ARE_GIVEN.broken()
    values: dict[int, tuple[Any, ...]] = {}
    events: dict[int, tuple[int, int]] = {}
    version = call.machine.profile.driver_version
    for number, *value in attributes:
        if version < KNOWN.get(number, 1 << 31) or number == POLICY:
            raise ATTRIBUTE_IS_A_LAUNCH_S.broken(attribute=number)
        values[number] = tuple(value)
        if number in OF_STREAMS:
            suits(function.module.context.device, number, values[number])
        elif number in {launch_config.EVENT, launch_config.COMPLETION}:
            events[number] = (value[0], value[1])
        elif number == launch_config.UPDATABLE:
            _captured(call, stream, *value)
        elif number in AMONG and value[0] not in AMONG[number]:
            raise LAUNCH_VALUE_IS_KNOWN.broken(attribute=number, value=value[0])
    return Asked(
        bool(values.get(launch_config.COOPERATIVE, (0,))[0]),
        values.get(launch_config.CLUSTER),
        values.get(launch_config.PREFERRED_CLUSTER),
        values.get(launch_config.PORTABLE, (0,))[0],
        tuple(events.values()),
    )


@guard
def _captured(call: Call, stream: Stream, updatable: int, node: int) -> None:
    """Check the attribute that makes a captured kernel device-updatable."""
    captures = call.process.captures
    if captures is None or stream not in captures.of:
        raise NODE_IS_CAPTURED.broken(stream=stream)
    if updatable not in {0, 1} or node:
        raise LAUNCH_VALUE_IS_KNOWN.broken(attribute=launch_config.UPDATABLE, value=(updatable, node))


@guard
def recorded(call: Call, stream: Stream, asked: Asked) -> tuple[Event, ...]:
    """Return the events that a launch records; the driver checks them after the shape."""
    return tuple([_recorded(call, stream, *one) for one in asked.events])


@guard
def _recorded(call: Call, stream: Stream, handle: int, flags: int) -> Event:
    """Return an event that a launch may record. External needs a captured stream."""
    event = live_event_of(call, handle)
    if flags & ~EXTERNAL:
        raise LAUNCH_VALUE_IS_KNOWN.broken(flags=flags)
    captures = call.process.captures
    if flags and (captures is None or stream not in captures.of):
        raise STREAM_IS_CAPTURING.broken(stream=stream, flags=flags)
    if not event.flags & DISABLE_TIMING or event.interprocess:
        raise EVENT_TAKES_NO_TIME.broken(event=event)
    if event.context is not stream.context:
        raise EVENT_IS_THE_STREAM_S.broken(event=event, stream=stream)
    return event
