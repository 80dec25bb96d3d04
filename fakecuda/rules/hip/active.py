"""The first rules of HIP calls: the process sees devices, and the thread has a current device.

A hipCtx_t is a device. The model keeps what belongs to a device in a process in its primary context, which is active from
the first call that needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError, NotInLibrary
from fakecuda.model import context_effects, history
from fakecuda.model.os.process import FORKED, HALTED, READY
from fakecuda.rules.core import Broken, Rule, guard, hip_tests, source, undefined
from fakecuda.rules.driver.context.ctx_create import admitting
from fakecuda.rules.driver.context.current import require_usable_context
from fakecuda.rules.driver.core.init import DEVICE_IS_THERE as DEVICE_IS_THERE_AT_ALL
from fakecuda.rules.driver.core.init import PROCESS_IS_NO_FORK
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context, Device
    from fakecuda.model.os.process import Process

RESULTS_ARE_GIVEN = Rule(
    "no pointer to a result of the call is null",
    Result.INVALID_VALUE,
    hip_tests("hipMalloc", "HIP answers hipErrorInvalidValue to a null result pointer"),
    fix="pass an address for each result",
)
RESULT_IS_GIVEN = Rule(
    "no pointer to a result is null, which crashes HIP; hipMemGetAddressRange of HIP 7.2 accepts null",
    Result.INVALID_VALUE,
    undefined(
        "hipCtxGetCurrent",
        "the manual says nothing about a null argument; clr writes to the null pointer (segmentation fault), "
        "also in hipMemPtrGetInfo and, in clr of 2024, in hipMemGetAddressRange",
    ),
    fix="pass an address for each result: HIP writes to it without a check",
)
DEVICE_IS_THERE = Rule(
    "each device number names a device that the process sees",
    Result.INVALID_DEVICE,
    hip_tests("hipDeviceGet", "HIP answers hipErrorInvalidDevice to a negative number, and to the number of devices"),
    fix="pass a number below the count that hipGetDeviceCount returns in this process",
)
LOCATION_IS_A_DEVICE = Rule(
    "`location` is not null and is a device that the process sees",
    Result.INVALID_VALUE,
    source(
        "hipMemGetAccess",
        "clr answers hipErrorInvalidValue to a null location, to other location types and to other "
        "device numbers, also in calls with pools",
    ),
    fix="pass a hipMemLocation of hipMemLocationTypeDevice, with a number below the count that hipGetDeviceCount "
    "returns",
)
DEVICE = 1
"""hipMemLocationTypeDevice."""


def refuse(call: Call, rule: Rule, **facts: Any) -> None:
    """Raise a broken rule with the code of the machine's HIP runtime, or do nothing.

    Raises:
        Broken: The runtime checks the rule.
    """
    code = call.machine.profile.hip.rules.get(rule.id, int(rule.code))
    if code is not None:
        raise Broken(rule, facts, code)


@guard
def start(call: Call) -> None:
    """Initialise HIP in the calling process. A device that HIP_VISIBLE_DEVICES names twice counts once, as in clr (Device::init)."""
    # CHECK
    process = call.process
    require_driver_up(call)
    if process.state == FORKED:
        raise PROCESS_IS_NO_FORK.broken(process=process)
    seen = call.machine.seen_by(process)
    devices = seen if len(set(seen)) == len(seen) else tuple(dict.fromkeys(seen))
    if not devices:
        raise DEVICE_IS_THERE_AT_ALL.broken(visible_devices=process.visible_devices)
    # EFFECT
    if process.state not in HALTED:
        process.initialise(devices)


@guard
def entered(call: Call) -> Process:
    """Return the calling process; HIP is initialised in it by the first call.

    Raises:
        FakeCudaError: The machine has no HIP.
    """
    process = call.process
    hip = call.machine.profile.hip
    if not hip.name:
        msg = "the machine has no HIP library: use a profile with HIP, such as hip-clr-2026"
        raise FakeCudaError(msg)
    if process.state != READY:
        start(call)
    if hip.keeps_every_answer:
        call.thread.hip_error = 0
    return process


@guard
def arrived(call: Call, name: str) -> Process:
    """Return the calling process, for a call that some HIP runtimes lack.

    Raises:
        NotInLibrary: The machine's runtime does not have it.
    """
    hip = call.machine.profile.hip
    if name in hip.lacks:
        msg = (
            f"the machine's HIP library ({hip.name}) has no function {name}: use a profile with another HIP library, "
            "or do not call the function. hip-python raises a RuntimeError for the missing symbol"
        )
        raise NotInLibrary(msg)
    return entered(call)


@guard
def given(call: Call) -> None:
    """Check that no result pointer is null."""
    if call.nulls:
        refuse(call, RESULTS_ARE_GIVEN, nulls=call.nulls)


@guard
def written(call: Call) -> None:
    """Check a result pointer that clr writes through without a check."""
    if call.nulls:
        call.undefined(RESULT_IS_GIVEN, nulls=call.nulls)
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)


@guard
def answering(call: Call) -> Process:
    """Return the calling process, for a call that refuses null result pointers."""
    process, hip = call.process, call.machine.profile.hip
    if call.nulls or process.state != READY or hip.keeps_every_answer or not hip.name:  # nearly never
        entered(call)
        given(call)
    return process


@guard
def device_at(call: Call, ordinal: int) -> Device:
    """Return the device with an ordinal."""
    devices = call.process.devices
    if not 0 <= ordinal < len(devices):
        raise DEVICE_IS_THERE.broken(device=ordinal)
    return devices[ordinal]


@guard
def device_of(call: Call, location: tuple[int, int] | None) -> Device:
    """Return the device of a location ((type, id))."""
    devices = call.process.devices
    if location is None or location[0] != DEVICE or not 0 <= location[1] < len(devices):
        raise LOCATION_IS_A_DEVICE.broken(location=location)
    return devices[location[1]]


@guard
def context_on(call: Call, device: Device) -> Context:
    """Return the process's context on a device.

    A host function that a stream runs may ask for it, too: clr has no check of the thread (HIP_INIT_API).
    """
    # CHECK
    process = call.process
    primary = process.primaries.get(device.ordinal) or process.primary(device.ordinal)
    context = primary.context if primary.active else None
    if context is None:
        admitting(call, device)
    else:
        require_usable_context(context)
    # EFFECT
    if context is None or context.unheld:
        context = context_effects.hold(process, device, primary, history.here())
    return context


@guard
def active(call: Call) -> Context:
    """Return the process's context on the thread's device, which becomes current."""
    entered(call)
    return acting(call)


@guard
def acting(call: Call) -> Context:
    """Return the context of :func:`active`, for a call that has entered."""
    stack = call.thread.stack
    device = call.process.devices[call.thread.device]
    if stack:
        context = stack[-1]
        if (
            context.device is device and context.primary and not (context.unheld or context.destroyed or context.lost)
        ):  # nearly always: it is the device's, and sound
            return context
    context = context_on(call, device)
    if not stack or stack[-1] is not context:
        call.thread.make_current(context)
    return context


def reachable(call: Call, one: Device, other: Device) -> bool:
    """Return whether a device can access the memory of another."""
    link = call.machine.profile.peers.get((one.ordinal, other.ordinal))
    return link is not None and link.can_access


def does(call: Call, way: str) -> bool:
    """Return whether the machine's HIP runtime has a particular behaviour."""
    return way in call.machine.profile.hip.ways
