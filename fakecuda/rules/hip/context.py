"""Contexts: each device is its own context. The context stack of a thread is only a list.

The thread's device stays what it is when the stack is popped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, source, undefined
from fakecuda.rules.hip.active import active, answering, context_on, device_at, entered, given, written
from fakecuda.rules.hip.device import CACHE_CONFIGS, FOUR_BYTE
from fakecuda.rules.registry import HIP
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device

DEVICE_HAS_A_CONTEXT = Rule(
    "`device` is a device that the process sees",
    Result.INVALID_VALUE,
    source("hipCtxCreate", "clr answers hipErrorInvalidValue, not hipErrorInvalidDevice, to an invalid device"),
    fix="pass a number below the count that hipGetDeviceCount returns in this process to hipCtxCreate",
)
CONTEXT_IS_GIVEN = Rule(
    "`ctx` is not null",
    Result.INVALID_VALUE,
    source("hipCtxDestroy", "clr answers hipErrorInvalidValue to null"),
    fix="pass the context that hipCtxCreate returned; do not call hipCtxDestroy without a context",
)
CONTEXT_TO_PUSH_IS_GIVEN = Rule(
    "`ctx` is not null",
    Result.INVALID_CONTEXT,
    source("hipCtxPushCurrent", "clr answers hipErrorInvalidContext to null"),
    fix="push a context that hipCtxCreate or hipDevicePrimaryCtxRetain returned; only hipCtxSetCurrent accepts null",
)
CONTEXT_IS_KNOWN = Rule(
    "`ctx`, if not null, is a context that HIP returned in this process, even if hipCtxDestroy was called for it",
    Result.INVALID_CONTEXT,
    undefined("hipCtxSetCurrent", "the manual says nothing about any other value; clr uses the value as a device"),
    fix="pass a context that hipCtxCreate or hipDevicePrimaryCtxRetain returned",
)
A_CONTEXT_WAS_PUSHED = Rule(
    "the context stack of the calling thread is not empty",
    Result.INVALID_CONTEXT,
    source("hipCtxPopCurrent", "clr answers hipErrorInvalidContext if the context stack is empty"),
    fix="call hipCtxPopCurrent once for each hipCtxCreate or hipCtxPushCurrent of this thread",
)
CONFIG_IS_KNOWN = Rule(
    "`cacheConfig` is a hipFuncCache_t",
    Result.INVALID_VALUE,
    source(
        "hipCtxSetCacheConfig", "clr answers hipErrorInvalidValue to unknown values, and another code to known values"
    ),
    fix="leave out hipCtxSetCacheConfig: HIP supports no configuration, and refuses unknown ones with another code",
)
CALL_IS_IMPLEMENTED = Rule(
    "HIP supports this call on AMD devices (HIP does not, so the call always fails)",
    Result.NOT_SUPPORTED,
    source("hipCtxSynchronize", "clr answers hipErrorNotSupported, also in other calls on contexts"),
    fix="use the corresponding call for devices, such as hipDeviceSynchronize instead of hipCtxSynchronize",
)
PRIMARY_FLAGS_STAY = Rule(
    "HIP supports setting the flags of a primary context (HIP does not, so the call always fails)",
    Result.CONTEXT_ALREADY_IN_USE,
    source("hipDevicePrimaryCtxSetFlags", "clr answers hipErrorContextAlreadyInUse for every existing device"),
    fix="call hipSetDeviceFlags instead; HIP cannot change the flags of a primary context",
)


@guard
def device_of(call: Call, handle: int) -> Device:
    """Return the device of a context."""
    process = call.process
    context = process.contexts.get(handle) or process.dead_contexts.get(handle)
    if context is None:
        call.undefined(CONTEXT_IS_KNOWN, context=handle)
        raise CONTEXT_IS_KNOWN.broken(context=handle)
    return context.device


@HIP.op("hipCtxCreate", several="it sets the device's flags and pushes its context")
def ctx_create(call: Call, flags: int, number: int) -> int:
    """Push a device's context and return it. The flags apply to the device, and the thread's device does not change."""
    # CHECK
    process = entered(call)
    if not 0 <= number < len(process.devices):
        raise DEVICE_HAS_A_CONTEXT.broken(device=number)
    written(call)
    context = context_on(call, process.devices[number])
    # EFFECT
    process.runtimes.hip_device(context.device.ordinal).set_flags(flags)
    call.thread.push_hip(context.device)
    return context.handle


@HIP.op("hipCtxDestroy")
def ctx_destroy(call: Call, handle: int) -> None:
    """Pop a context if it is on top of the stack. No context is destroyed."""
    # CHECK
    entered(call)
    if not handle:
        raise CONTEXT_IS_GIVEN.broken()
    device = device_of(call, handle)
    # EFFECT
    if call.thread.hip_contexts and call.thread.hip_contexts[-1] is device:
        call.thread.pop_hip()


@HIP.op("hipCtxSetCurrent")
def ctx_set_current(call: Call, handle: int) -> None:
    """Select a device for the thread, as the top of its stack. A null context only pops the context stack."""
    # CHECK
    process = entered(call)
    device = device_of(call, handle) if handle else None
    # EFFECT
    call.thread.replace_hip(device)
    if device:
        call.thread.choose(process.number_of(device))


@HIP.op("hipCtxGetCurrent")
def ctx_get_current(call: Call) -> int:
    """Return the context of the thread's device, whatever the context stack holds."""
    context = active(call)
    written(call)
    return context.handle


@HIP.op("hipCtxPushCurrent")
def ctx_push_current(call: Call, handle: int) -> None:
    """Select a device for the thread, and push the device's context."""
    # CHECK
    process = entered(call)
    if not handle:
        raise CONTEXT_TO_PUSH_IS_GIVEN.broken()
    device = device_of(call, handle)
    # EFFECT
    call.thread.push_hip(device)
    call.thread.choose(process.number_of(device))


@HIP.op("hipCtxPopCurrent")
def ctx_pop_current(call: Call) -> int:
    """Pop the context stack and return its former top. The thread's device does not change."""
    # CHECK
    entered(call)
    if not call.thread.hip_contexts:
        raise A_CONTEXT_WAS_PUSHED.broken(thread=call.thread.name)
    context = context_on(call, call.thread.hip_contexts[-1])
    # EFFECT
    call.thread.pop_hip()
    return context.handle


@HIP.op("hipCtxGetDevice")
def ctx_get_device(call: Call) -> int:
    """Return the thread's device."""
    answering(call)
    return call.thread.device


def unimplemented(name: str, count: int) -> None:
    """Declare a call to which the runtime answers hipErrorNotSupported.

    Args:
        name: The call.
        count: How many arguments it has.
    """

    def refused(call: Call, *_args: int) -> None:
        entered(call)
        raise CALL_IS_IMPLEMENTED.broken(call=name)

    refused.__doc__ = f"Answer hipErrorNotSupported, whatever the {count} arguments are."
    HIP.op(name)(refused)


unimplemented("hipCtxGetApiVersion", 1)
unimplemented("hipCtxGetCacheConfig", 0)
unimplemented("hipCtxGetFlags", 0)
unimplemented("hipCtxSetSharedMemConfig", 1)
unimplemented("hipCtxSynchronize", 0)


@HIP.op("hipCtxGetSharedMemConfig")
def get_shared_mem_config(call: Call) -> int:
    """Return hipSharedMemBankSizeFourByte."""
    entered(call)
    written(call)
    return FOUR_BYTE


@HIP.op("hipCtxSetCacheConfig")
def set_cache_config(call: Call, config: int) -> None:
    """Refuse the call, with another code for an unknown configuration."""
    entered(call)
    if config not in CACHE_CONFIGS:
        raise CONFIG_IS_KNOWN.broken(config=config)
    raise CALL_IS_IMPLEMENTED.broken(call="hipCtxSetCacheConfig")


@HIP.op("hipDevicePrimaryCtxGetState")
def primary_get_state(call: Call, number: int) -> tuple[int, int]:
    """Return the flags, always 0, and whether the process has used the device."""
    process = entered(call)
    device = device_at(call, number)
    return 0, int(process.runtimes.hip_device(device.ordinal).chosen or process.primary(device.ordinal).active)


@HIP.op("hipDevicePrimaryCtxRetain")
def primary_retain(call: Call, number: int) -> int:
    """Return the context of a device, without counting references."""
    entered(call)
    device = device_at(call, number)
    given(call)
    return context_on(call, device).handle


@HIP.op("hipDevicePrimaryCtxRelease")
def primary_release(call: Call, number: int) -> None:
    """Do nothing."""
    entered(call)
    device_at(call, number)


@HIP.op("hipDevicePrimaryCtxReset")
def primary_reset(call: Call, _number: int) -> None:
    """Do nothing, for every device."""
    entered(call)


@HIP.op("hipDevicePrimaryCtxSetFlags")
def primary_set_flags(call: Call, number: int, _flags: int) -> None:
    """Refuse the call."""
    entered(call)
    device = device_at(call, number)
    raise PRIMARY_FLAGS_STAY.broken(device=device)
