"""Other calls on streams: host functions, attributes, compute units, and attached memory."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.model.memory.memory import Managed, Pinned
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.stream import PER_THREAD
from fakecuda.rules.core import Rule, guard, hip_tests, source, undefined
from fakecuda.rules.driver.stream.launch_host_func import FUNCTION
from fakecuda.rules.driver.stream.stream_add_callback import CALLBACK
from fakecuda.rules.hip.active import acting, arrived, entered, given
from fakecuda.rules.hip.stream import require_stream_to_ask, stream_of
from fakecuda.rules.registry import HIP
from fakecuda.spec.codes import Result
from fakecuda.spec.hip import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call

POLICY = ENUMS["hipLaunchAttributeID"]["hipLaunchAttributeSynchronizationPolicy"]
PRIORITY = ENUMS["hipLaunchAttributeID"]["hipLaunchAttributePriority"]
POLICIES = frozenset(ENUMS["hipSynchronizationPolicy"].values())
AUTO = ENUMS["hipSynchronizationPolicy"]["hipSyncPolicyAuto"]
CU_MASK = -1
"""The key of a stream's compute unit mask among its attributes."""
BITS = 32
ATTACH_GLOBAL, ATTACH_HOST, ATTACH_SINGLE = 1, 2, 4

FUNCTION_IS_GIVEN = Rule(
    "`fn` is not null",
    Result.INVALID_VALUE,
    source("hipLaunchHostFunc", "clr answers hipErrorInvalidValue to null"),
    fix="pass hipLaunchHostFunc a function",
)
CALLBACK_IS_GIVEN = Rule(
    "`callback` is not null, and `flags` is 0",
    Result.INVALID_VALUE,
    source("hipStreamAddCallback", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass hipStreamAddCallback a function, and 0 for the flags",
)
VALUE_IS_GIVEN = Rule(
    "`value` is not null",
    Result.INVALID_VALUE,
    source("hipStreamSetAttribute", "clr answers hipErrorInvalidValue to null"),
    fix="pass hipStreamSetAttribute the address of the value",
)
ATTRIBUTE_IS_KNOWN = Rule(
    "`attr` is the synchronization policy, or, if the call reads it, the priority",
    Result.INVALID_VALUE,
    source(
        "hipStreamGetAttribute", "clr answers hipErrorInvalidValue to any other attribute, and to setting the priority"
    ),
    fix="use hipLaunchAttributeSynchronizationPolicy; hipLaunchAttributePriority is read-only",
)
POLICY_IS_KNOWN = Rule(
    "the policy in `value` is a hipSynchronizationPolicy",
    Result.INVALID_VALUE,
    source("hipStreamSetAttribute", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="set a hipSynchronizationPolicy, such as hipSyncPolicyAuto",
)
STREAM_PLACE_IS_GIVEN = Rule(
    "`stream` is not null",
    Result.INVALID_HANDLE,
    source("hipExtStreamCreateWithCUMask", "clr answers hipErrorInvalidHandle to null"),
    fix="pass the address of a stream handle",
)
MASK_IS_GIVEN = Rule(
    "`cuMask` is not null, and `cuMaskSize` is not 0",
    Result.INVALID_VALUE,
    source("hipExtStreamCreateWithCUMask", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass the mask as an array of at least one 32-bit word, and its length",
)
MASK_FITS = Rule(
    "`cuMask` is not null, and `cuMaskSize` is large enough for a bit for every compute unit",
    Result.INVALID_VALUE,
    hip_tests("hipExtStreamGetCUMask", "HIP answers hipErrorInvalidValue to null, and to a size of 0"),
    fix="pass an array with one 32-bit word for every 32 compute units (multiProcessorCount)",
)
STREAM_OF_MASK_IS_LIVE = Rule(
    "`stream` is a default stream or a created stream that has not been destroyed",
    Result.INVALID_HANDLE,
    undefined(
        "hipExtStreamGetCUMask", "the manual says nothing about any other value; clr uses the value as a pointer"
    ),
    fix="call hipStreamDestroy once, after the last use of the stream",
)
MEMORY_IS_GIVEN = Rule(
    "`dev_ptr` is not null, and `flags` is hipMemAttachGlobal, hipMemAttachHost, or hipMemAttachSingle with a stream",
    Result.INVALID_VALUE,
    source("hipStreamAttachMemAsync", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass an address and one hipMemAttach flag; hipMemAttachSingle needs a created stream",
)
MEMORY_CAN_BE_ATTACHED = Rule(
    "HIP allocated or registered memory at `dev_ptr`, or the stream's device has pageableMemoryAccess and `length` is not 0",
    Result.INVALID_VALUE,
    source("hipStreamAttachMemAsync", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass memory of hipMallocManaged; ordinary host memory needs pageableMemoryAccess, and a length above 0",
)
LENGTH_IS_WHOLE = Rule(
    "`length` is 0 or the whole size if `dev_ptr` lies in managed memory or in host memory that HIP allocated",
    Result.INVALID_VALUE,
    source("hipStreamAttachMemAsync", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass 0 or the whole allocation's size for the length",
)


@HIP.op("hipLaunchHostFunc")
def launch_host_func(call: Call, handle: int, function: int, user_data: int) -> None:
    """Have a stream call a host function. Later work of the stream waits until the function returns."""
    # CHECK
    entered(call)
    stream = stream_of(call, handle)
    if not function:
        raise FUNCTION_IS_GIVEN.broken()
    # EFFECT
    stream_scheduler.call(stream, partial(call.process.system.function(FUNCTION, function), user_data))


@HIP.op("hipLaunchHostFunc_spt")
def launch_host_func_spt(call: Call, handle: int, function: int, user_data: int) -> None:
    """Have a stream call a host function. A null stream is the per-thread default stream."""
    launch_host_func(call, handle or PER_THREAD, function, user_data)


@HIP.op("hipStreamAddCallback")
def add_callback(call: Call, handle: int, callback: int, user_data: int, flags: int) -> None:
    """Have a stream call a host function with the stream and hipSuccess. Later work waits until it returns."""
    # CHECK
    entered(call)
    if not callback or flags:
        raise CALLBACK_IS_GIVEN.broken(callback=callback, flags=flags)
    stream = stream_of(call, handle)
    # EFFECT
    stream_scheduler.call(stream, partial(call.process.system.function(CALLBACK, callback), handle, 0, user_data))


@HIP.op("hipStreamAddCallback_spt")
def add_callback_spt(call: Call, handle: int, callback: int, user_data: int, flags: int) -> None:
    """Have a stream call a host function. A null stream is the per-thread default stream."""
    add_callback(call, handle or PER_THREAD, callback, user_data, flags)


@HIP.op("hipStreamGetAttribute")
def get_attribute(call: Call, handle: int, attribute: int) -> int:
    """Return a stream's synchronization policy or its priority."""
    arrived(call, "hipStreamGetAttribute")
    given(call)
    stream = require_stream_to_ask(call, handle)
    if attribute == PRIORITY:
        return stream.priority
    if attribute != POLICY:
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attribute)
    return int(stream.attributes.get(POLICY, AUTO))


@HIP.op("hipStreamSetAttribute")
def set_attribute(call: Call, handle: int, attribute: int, value: int | None) -> None:
    """Set a stream's synchronization policy."""
    # CHECK
    arrived(call, "hipStreamSetAttribute")
    if value is None:
        raise VALUE_IS_GIVEN.broken()
    stream = require_stream_to_ask(call, handle)
    if attribute != POLICY:
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attribute)
    if value not in POLICIES:
        raise POLICY_IS_KNOWN.broken(policy=value)
    # EFFECT
    stream.set_attribute(POLICY, value)


@HIP.op("hipStreamCopyAttributes")
def copy_attributes(call: Call, dst: int, src: int) -> None:
    """Copy the synchronization policy of a stream to another stream."""
    arrived(call, "hipStreamCopyAttributes")
    source_stream, target = require_stream_to_ask(call, src), require_stream_to_ask(call, dst)
    target.set_attribute(POLICY, source_stream.attributes.get(POLICY, AUTO))


@HIP.op("hipExtStreamCreateWithCUMask", several="it makes the stream and sets its mask")
def create_with_cu_mask(call: Call, size: int, mask: tuple[int, ...] | None) -> int:
    """Create a stream whose kernels run on the compute units in a bit mask of 32-bit words."""
    # CHECK
    entered(call)
    if call.nulls:
        raise STREAM_PLACE_IS_GIVEN.broken(nulls=call.nulls)
    if not size or mask is None:
        raise MASK_IS_GIVEN.broken(size=size)
    # EFFECT
    stream = context_effects.create_stream(acting(call), 0, 0, history.here())
    stream.set_attribute(CU_MASK, mask[:size])
    return stream.handle


@HIP.op("hipExtStreamGetCUMask")
def get_cu_mask(call: Call, handle: int, size: int) -> tuple[int, ...]:
    """Return the compute unit mask of a stream. All bits are set if the stream was created without a mask."""
    # CHECK
    process = entered(call)
    units = process.devices[call.thread.device].profile.hip.get("multiProcessorCount", 0)
    if call.nulls or size < -(-units // BITS):
        raise MASK_FITS.broken(nulls=call.nulls, size=size)
    stream = process.streams.get(handle)
    if stream is None and handle > PER_THREAD:
        call.undefined(STREAM_OF_MASK_IS_LIVE, stream=handle)
        raise STREAM_OF_MASK_IS_LIVE.broken(stream=handle, found=process.freed.get(handle))
    # EFFECT
    every = tuple((1 << min(BITS, units - first)) - 1 for first in range(0, units, BITS))
    own = stream.attributes.get(CU_MASK, ()) if stream else ()
    both = tuple(one & other for one, other in zip(own, every, strict=False))
    return both if any(both) else every


@guard
def attachable(call: Call, device: int, start: int, length: int) -> None:
    """Check that memory can be attached to a stream."""
    process = call.process
    item = process.memory.at(start)
    if item is None:
        if not length or not process.devices[device].profile.hip.get("pageableMemoryAccess"):
            raise MEMORY_CAN_BE_ATTACHED.broken(pointer=start, length=length, found=process.freed.get(start))
    elif isinstance(item, Managed | Pinned) and length not in {0, item.size}:
        raise LENGTH_IS_WHOLE.broken(memory=item, length=length)


@HIP.op("hipStreamAttachMemAsync")
def attach_mem_async(call: Call, handle: int, ptr: int, length: int, flags: int) -> None:
    """Attach managed memory to a stream, to the host or to all streams. Attaching memory has no further effect."""
    # CHECK
    process = entered(call)
    if not ptr or flags not in {ATTACH_GLOBAL, ATTACH_HOST, ATTACH_SINGLE} or (flags == ATTACH_SINGLE and not handle):
        raise MEMORY_IS_GIVEN.broken(pointer=ptr, flags=flags, stream=handle)
    stream = stream_of(call, handle)
    attachable(call, process.number_of(stream.context.device), ptr, length)
    # EFFECT
    stream_scheduler.occupy(stream)
