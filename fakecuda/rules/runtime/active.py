"""The context of runtime calls: the current context, or the primary context of the thread's device, made when needed.

The runtime initialises the driver with the first call that needs it, and retains the primary context of a device with the
first call that needs a context; it keeps that reference until cudaDeviceReset or the last release of that context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.model.os.process import FORKED, READY, UP
from fakecuda.model.work.stream import PER_THREAD
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.context.ctx_create import COMPUTE_MODE, PROHIBITED, admitting, alike, is_taken
from fakecuda.rules.driver.context.current import failed
from fakecuda.rules.driver.context.fault import caused
from fakecuda.rules.driver.core.init import init
from fakecuda.rules.driver.core.initialized import (
    DRIVER_IS_UP,
    RESULT_IS_GIVEN,
    require_calls_permitted,
    require_initialized,
)
from fakecuda.spec.codes import Error, Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context, Device, PrimaryContext
    from fakecuda.model.os.process import Process

DEVICE_IS_THERE = Rule(
    "each device number names a device that the process sees",
    Result.INVALID_DEVICE,
    manual("cudaSetDevice", "cudaErrorInvalidDevice"),
    fix="pass a number below the count that cudaGetDeviceCount returns in this process",
)


CONTEXT_IS_ALIVE = Rule(
    "the calling thread's current context, unless it is a primary context, has not been destroyed",
    Result.INVALID_CONTEXT,
    observed(
        "cudaError_t",
        "the library answers cudaErrorDeviceUninitialized if the current context, made by the "
        "driver API, was destroyed",
    ),
    fix="make a context current that has not been destroyed",
)
CONTEXT_IS_PRIMARY = Rule(
    "the current context of the calling thread is a primary context",
    Error.INCOMPATIBLE_DRIVER_CONTEXT,
    manual("cudaError_t", "the Runtime API call expects a primary driver context"),
    fix="make the device's primary context current before calls of the runtime API",
)
DRIVER_IS_RECENT = Rule(
    "the driver's major version is not older than the runtime library's",
    Error.INSUFFICIENT_DRIVER,
    manual("cudaError_t", "the installed NVIDIA CUDA driver is older than the CUDA runtime library"),
    fix="install a driver of the runtime library's CUDA major version or later, or use an older runtime library",
)

RESULTS_ARE_GIVEN = Rule(
    "no pointer to a result of the call is null",
    Result.INVALID_VALUE,
    manual("cudaRuntimeGetVersion", "returns cudaErrorInvalidValue if the `runtimeVersion` argument is NULL"),
    fix="pass an address for each result",
)


@guard
def sufficient(call: Call) -> None:
    """Check that the driver is new enough for the runtime library."""
    version = call.machine.profile.driver_version
    if version // 1000 < call.process.runtime_version // 1000:
        raise DRIVER_IS_RECENT.broken(driver_version=version)


@guard
def initialised(call: Call) -> Process:
    """Return the calling process; initialise its driver and runtime if needed.

    In a fork the library is what it was in the parent: what it knows of the devices needs no driver, there and in a
    host function.
    """
    process = call.process
    if not process.runtimes.started or process.state not in UP:
        sufficient(call)
        if not process.runtimes.started:
            require_calls_permitted(call)
        elif process.runtimes.over:
            raise DRIVER_IS_UP.broken(process=process)
        if not process.runtimes.started or process.state != FORKED:
            init(call, 0)
        process.runtimes.start_runtime()
    return process


DEVICE_IS_NOT_PROHIBITED = Rule(
    "each device that the call uses has an active primary context, or its compute mode is not cudaComputeModeProhibited",
    Result.DEVICE_UNAVAILABLE,
    manual("cudaError_t", "Devices are often busy/unavailable due to use of cudaComputeModeProhibited"),
    fix="call cudaSetDevice for a device whose cudaDevAttrComputeMode is not cudaComputeModeProhibited",
)


PROCESS_HAS_NOT_FAILED = Rule(
    "no earlier work of this process failed by an address, or the primary context that the call uses is active",
    Result.DEVICE_UNAVAILABLE,
    observed(
        "cudaMalloc",
        "after a copy to an array without memory, calls that would make a primary context answer cudaErrorDevicesUnavailable; "
        "cuDevicePrimaryCtxRetain and cuCtxCreate answer the code of the failure",
    ),
    fix="find the work that used the invalid address, and start a new process: this one can create no more contexts",
)


@guard
def given(call: Call) -> None:
    """Check that no result pointer is null."""
    if call.nulls:
        raise RESULTS_ARE_GIVEN.broken(nulls=call.nulls)


@guard
def given_first(call: Call) -> None:
    """Check for null result pointers before a context is made."""
    if call.nulls:
        initialised(call)
        given(call)


@guard
def active_once_told(call: Call) -> None:
    """Make a context current, for a call that checks its result pointer first."""
    if call.nulls:
        initialised(call)
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    active(call)


@guard
def device_at(call: Call, ordinal: int) -> Device:
    """Return the device with an ordinal."""
    devices = initialised(call).devices
    if not 0 <= ordinal < len(devices):
        raise DEVICE_IS_THERE.broken(device=ordinal)
    return devices[ordinal]


@guard
def openable(call: Call, device: Device) -> PrimaryContext:
    """Return the primary context of a device, which is or can become active."""
    process = call.process
    if process.state != READY or call.thread.in_function:
        require_initialized(call)
    primary = process.primaries.get(device.ordinal) or process.primary(device.ordinal)
    if not primary.active:
        if device.profile.attributes.get(COMPUTE_MODE) == PROHIBITED:
            raise DEVICE_IS_NOT_PROHIBITED.broken(device=device)
        if process.fault:
            raise PROCESS_HAS_NOT_FAILED.broken(process=process, **caused(process))
        alike(call)
        admitting(call, device)
    return primary


@guard
def primary_of(call: Call, device: Device) -> Context:
    """Return the active primary context of a device; the first use retains it."""
    process = call.process
    known = process.primaries.get(device.ordinal)
    if known is not None and known.active and process.state in UP and not call.thread.in_function:
        context = known.context
        if context is not None and not context.unheld:  # nearly always
            return context
    primary = openable(call, device)
    return context_effects.hold(process, device, primary, history.here())


@guard
def primary_at(call: Call, ordinal: int) -> Context:
    """Return the active primary context of the device with an ordinal."""
    device = device_at(call, ordinal)
    return primary_of(call, device)


@guard
def active(call: Call) -> Context:
    """Return the context that a call acts in, whose work must not have failed."""
    context = acting(call)
    if context.lost:
        failed(context)
    return context


@guard
def active_for(call: Call, size: int) -> None:
    """Make a context current. If ``size`` is 0, its work may have failed."""
    if size:
        active(call)
    else:
        acting(call)


@guard
def acting(call: Call) -> Context:
    """Return the context that a call acts in, and make it current; it may have failed.

    Where none is current that is the first device's that can have one: of all, whatever cudaSetDevice chose before its
    context was popped; of those of cudaSetValidDevices if it chose none.
    """
    process, stack = call.process, call.thread.stack
    if stack and process.runtimes.started and process.state in UP and not call.thread.in_function:
        context = stack[-1]
        if not (context.destroyed or context.unheld):  # nearly always, and with one look at each
            return context
    initialised(call)
    if stack and not stack[-1].primary:
        context = stack[-1]
        if context.destroyed:
            raise CONTEXT_IS_ALIVE.broken(context=context)
    else:
        device = stack[-1].device if stack else _first(call)
        context = primary_of(call, device)
        call.thread.make_current(context)
    return context


def _first(call: Call) -> Device:
    """Return the first device that the thread tries and that allows a context."""
    thread, devices = call.thread, call.process.devices
    if thread.valid and not thread.chosen:
        devices = tuple(devices[number] for number in thread.valid)
    return next((device for device in devices if _is_open(call, device)), devices[0])


def _is_open(call: Call, device: Device) -> bool:
    """Return whether a device's compute mode allows the process's primary context."""
    primary = call.process.primaries.get(device.ordinal)
    if primary is not None and primary.active:
        return True
    return device.profile.attributes.get(COMPUTE_MODE) != PROHIBITED and not is_taken(call, device)


@guard
def on_stream(call: Call, stream: int) -> None:
    """Make a context current if the handle is a default stream."""
    if stream <= PER_THREAD:
        active(call)
    else:
        initialised(call)


@guard
def primary_context(call: Call) -> Context:
    """Return the context that a call acts in, which must be a primary context."""
    context = active(call)
    if not context.primary:
        raise CONTEXT_IS_PRIMARY.broken(context=context)
    return context
