"""Devices of the runtime API: the current device of a thread, and queries of devices."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.model.os.process import DEINITIALIZED
from fakecuda.rules.core import Broken, Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.context.ctx_get_flags import ctx_get_flags
from fakecuda.rules.driver.core.driver_get_version import driver_get_version
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.stream import race
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import (
    device_at,
    given,
    initialised,
    openable,
    primary_at,
    primary_context,
    primary_of,
)
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

SCHEDULE_MASK = 7
BLOCKING_SYNC, MAP_HOST, LMEM_RESIZE_TO_MAX, SYNC_MEMOPS = 4, 8, 16, 128
FLAGS = SCHEDULE_MASK | MAP_HOST | LMEM_RESIZE_TO_MAX | SYNC_MEMOPS
FLAGS_ARE_VALID = 1
"""cudaInitDeviceFlagsAreValid, with which cudaInitDevice uses its device flags."""

VALID_DEVICES_FIT = Rule(
    "`len` is from 0 to the number of devices, and `device_arr` is not null unless `len` is 0",
    Result.INVALID_VALUE,
    observed(
        "cudaSetValidDevices",
        "the library answers cudaErrorInvalidValue for another length, and for null with a length, before it reads the list",
    ),
    fix="pass a list of device numbers with its length, at most the count that cudaGetDeviceCount returns",
)
LIBRARY_IS_UP = Rule(
    "the process is not shutting down",
    Result.DEINITIALIZED,
    undefined(
        "cudaDriverGetVersion",
        "the manual says nothing about a process that ends; libcudart 13.0 crashes (segmentation fault)",
    ),
    fix="make the call before the process exits, not in a finalizer that runs at exit",
)
FLAGS_ARE_KNOWN = Rule(
    "`flags` has only bits of cudaDeviceMask, and at most one scheduling flag",
    Result.INVALID_VALUE,
    manual("cudaSetDeviceFlags", "cudaErrorInvalidValue"),
    fix="pass flags of cudaSetDeviceFlags, with at most one cudaDeviceSchedule flag",
)


@RUNTIME.op("cudaGetDeviceCount")
def get_device_count(call: Call) -> int:
    """Return the number of devices that the process sees."""
    process = initialised(call)
    if call.nulls:
        given(call)
    return len(process.devices)


@RUNTIME.op("cudaGetDevice")
def get_device(call: Call) -> int:
    """Return the device of the current context, or else the device that the thread will use."""
    process = initialised(call)
    if call.nulls:
        given(call)
    require_initialized(call)
    return process.number_of(call.thread.stack[-1].device) if call.thread.stack else call.thread.device


@RUNTIME.op("cudaSetDevice")
def set_device(call: Call, device: int) -> None:
    """Set the thread's device, and make its primary context current."""
    # CHECK
    context = primary_at(call, device)
    # EFFECT
    call.thread.use(device, context)


@RUNTIME.op("cudaSetValidDevices")
def set_valid_devices(call: Call, device_arr: tuple[int, ...] | None, length: int) -> None:
    """Have the thread's calls try devices in turn while no context is current, unless it has called cudaSetDevice.

    What is current is so no longer.

    Args:
        call: The call.
        device_arr: The devices, the first one first.
        length: How many.
    """
    # CHECK
    devices = initialised(call).devices
    if not 0 <= length <= len(devices) or (length and device_arr is None):
        raise VALID_DEVICES_FIT.broken(device_arr=device_arr, length=length)
    numbers = device_arr[:length] if device_arr else ()
    for number in numbers:
        device_at(call, number)
    require_initialized(call)
    # EFFECT
    call.thread.prefer(numbers)


@RUNTIME.op("cudaInitDevice")
def init_device(call: Call, device: int, device_flags: int, flags: int) -> None:
    """Make the primary context of a device active, with flags. Only cudaSetDevice makes it current.

    Args:
        call: The call.
        device: The device.
        device_flags: As of cudaSetDeviceFlags.
        flags: cudaInitDeviceFlagsAreValid (1) for ``device_flags`` to count; other bits mean nothing.
    """
    # CHECK
    chosen = device_at(call, device)
    require_initialized(call)
    counts = flags & FLAGS_ARE_VALID
    if counts:
        known(device_flags)
    primary = openable(call, chosen)
    # EFFECT
    if counts:
        primary.set_flags(device_flags & ~MAP_HOST)
    primary_of(call, chosen)


@guard
def known(flags: int) -> None:
    """Check device flags."""
    if flags & ~FLAGS or (flags & SCHEDULE_MASK) not in {0, 1, 2, 4}:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)


@RUNTIME.op("cudaSetDeviceFlags")
def set_device_flags(call: Call, flags: int) -> None:
    """Set the flags of the primary context of the thread's device, and make it current if no context is."""
    # CHECK
    initialised(call)
    known(flags)
    context = primary_context(call)
    # EFFECT
    call.process.primary(context.device.ordinal).set_flags(flags & ~MAP_HOST)


@RUNTIME.op("cudaDeviceReset")
def device_reset(call: Call) -> None:
    """Reset the current primary context. The context stays current, and the next call creates it again.

    Where none is current, or another context of the driver API, there is nothing but state of the runtime library to be
    destroyed.
    """
    # CHECK
    process = initialised(call)
    require_initialized(call)
    if not call.thread.stack or not call.thread.stack[-1].primary:
        return
    race.destroyed(call, call.thread.stack[-1])
    # EFFECT
    primary = process.primary(call.thread.stack[-1].device.ordinal)
    context_effects.reset(process, primary, history.here(), held=True)


@RUNTIME.op("cudaRuntimeGetVersion")
def runtime_get_version(call: Call) -> int:
    """Return the version of the runtime library."""
    if call.nulls:
        given(call)
    return call.process.runtime_version


@RUNTIME.op("cudaDriverGetVersion")
def get_driver_version(call: Call) -> int:
    """Return the CUDA version that the driver supports, and initialise the driver if possible."""
    process = call.process
    if call.nulls:
        given(call)
    if process.state == DEINITIALIZED or (process.runtimes.over and process.runtimes.started):
        call.undefined(LIBRARY_IS_UP)
        raise LIBRARY_IS_UP.broken(process=process)
    if not process.runtimes.started:
        _try_to_initialise(call)
    return driver_get_version(call)


def _try_to_initialise(call: Call) -> None:
    with suppress(Broken):
        initialised(call)


@RUNTIME.op("cudaGetDeviceFlags")
def get_device_flags(call: Call) -> int:
    """Return the flags of the current context, even if destroyed, or the future flags of the thread's device."""
    process = initialised(call)
    if call.nulls:
        given(call)
    require_initialized(call)
    if call.thread.stack:
        return ctx_get_flags(call)
    return process.primary(process.devices[call.thread.device].ordinal).flags | MAP_HOST
