"""What calls of the runtime API act in: the current context, or the primary one of the thread's device, made when needed.

The runtime initialises the driver with the first call that needs it, and retains the primary context of a device with the
first call that needs a context; it keeps that reference until the process ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Error, Result
from fakecuda.model import history, lifetime
from fakecuda.model.process import READY
from fakecuda.rule import Rule, guard, manual
from fakecuda.spec.context.ctx_create import COMPUTE_MODE, PROHIBITED, admitting
from fakecuda.spec.context.current import sound
from fakecuda.spec.core.init import init
from fakecuda.spec.core.initialized import permitted, up

if TYPE_CHECKING:
    from fakecuda.model.context import Context, Device
    from fakecuda.model.process import Process, Thread

DEVICE_IS_THERE = Rule(
    "the device is one that the process sees",
    Result.INVALID_DEVICE,
    manual("cudaSetDevice", "cudaErrorInvalidDevice"),
)


DRIVER_IS_RECENT = Rule(
    "the driver is of the major version of the runtime library, or of a later one",
    Error.INSUFFICIENT_DRIVER,
    manual("cudaError_t", "the installed NVIDIA CUDA driver is older than the CUDA runtime library"),
)

RESULTS_ARE_GIVEN = Rule(
    "every result pointer that the call needs is given",
    Result.INVALID_VALUE,
    manual("cudaRuntimeGetVersion", "returns cudaErrorInvalidValue if the `runtimeVersion` argument is NULL"),
)


@guard
def sufficient(call: Thread) -> None:
    """Check that the driver can serve the runtime library: every call does, but those that ask for versions and texts."""
    process = call.process
    if process.served:
        return
    version = call.machine.profile.driver_version
    if version // 1000 < process.runtime_version // 1000:
        raise DRIVER_IS_RECENT.broken(driver_version=version)
    process.served = True


@guard
def initialised(call: Thread) -> Process:
    """Return the calling process; its driver is initialised."""
    process = call.process
    if not process.served:
        sufficient(call)
    if process.state != READY or call.in_function:
        up(call)
        permitted(call)
        init(call, 0)
    return process


DEVICE_IS_NOT_PROHIBITED = Rule(
    "the compute mode of the device admits contexts",
    Result.DEVICE_UNAVAILABLE,
    manual("cudaError_t", "Devices are often busy/unavailable due to use of cudaComputeModeProhibited"),
)


@guard
def given(call: Thread) -> None:
    """Check that every result pointer is given."""
    if call.nulls:
        raise RESULTS_ARE_GIVEN.broken(nulls=call.nulls)


@guard
def device_at(call: Thread, ordinal: int) -> Device:
    """Return the device of that number."""
    devices = initialised(call).devices
    if not 0 <= ordinal < len(devices):
        raise DEVICE_IS_THERE.broken(device=ordinal)
    return devices[ordinal]


@guard
def primary_of(call: Thread, device: Device) -> Context:
    """Return the primary context of a device, active; the runtime's first use of it is a reference."""
    process, ordinal = call.process, device.ordinal
    primary = process.primaries.get(ordinal) or process.primary(ordinal)
    if primary.active and ordinal in process.retained:
        assert primary.context is not None
        return primary.context
    if not primary.active:
        if device.profile.attributes.get(COMPUTE_MODE) == PROHIBITED:
            raise DEVICE_IS_NOT_PROHIBITED.broken(device=device)
        admitting(call, device)
    if ordinal not in process.retained:
        process.retained.add(ordinal)
        primary.references += 1
    if not primary.active:
        lifetime.activate(process, device, primary, history.here())
    assert primary.context is not None
    return primary.context


@guard
def primary_at(call: Thread, ordinal: int) -> Context:
    """Return the primary context of the device of that number, active, in a call that has a context."""
    devices = call.process.devices
    if not 0 <= ordinal < len(devices):
        raise DEVICE_IS_THERE.broken(device=ordinal)
    return primary_of(call, devices[ordinal])


@guard
def active(call: Thread) -> Context:
    """Return the context that a call acts in, which is current then."""
    process, stack = call.process, call.stack
    if stack and process.served and process.state == READY and not call.in_function:
        context = stack[-1]
        if not (context.destroyed or context.lost):  # nearly always, and with one look at each
            return context
    initialised(call)
    if stack and not (stack[-1].destroyed and stack[-1].primary):
        sound(stack[-1])
        return stack[-1]
    device = stack[-1].device if stack else process.devices[call.device]
    context = primary_of(call, device)
    stack[-1:] = [context]
    sound(context)
    return context
