"""cuStreamWaitValue32, cuStreamWaitValue64: a stream waits for a value in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.memory import Managed, Registered
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.va import Mapping
from fakecuda.model.work.stream import nothing
from fakecuda.model.work.value import Value
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.copy.memset import PEER_IS_ENABLED
from fakecuda.rules.driver.copy.range import ACCESS_IS_GRANTED, RANGE_IS_ALLOCATED, accessible, registered_still
from fakecuda.rules.driver.pool.handle import not_freed
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.driver.stream.order import attend
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.rules.driver.copy.range import Piece

NARROW, WIDE = 4, 8
"""The sizes of a value in bytes."""
GEQ, EQ, AND, NOR = range(4)
FLUSH = 1 << 30
"""Values of CUstreamWaitValue_flags: the conditions, and the flush flag."""
WORDS = (
    "{:#x} or more (CU_STREAM_WAIT_VALUE_GEQ)",
    "{:#x} (CU_STREAM_WAIT_VALUE_EQ)",
    "a number that shares a bit with {:#x} (CU_STREAM_WAIT_VALUE_AND)",
    "a number that lacks a bit which {:#x} lacks, too (CU_STREAM_WAIT_VALUE_NOR)",
)
"""The wait conditions in words, for errors."""
CAN_NOR = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR"]
CAN_64 = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS"]
CAN_FLUSH = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES"]

WIDTH_IS_SUPPORTED = Rule(
    "the device supports 64-bit stream memory operations if the call waits for or writes a 64-bit value",
    Result.NOT_SUPPORTED,
    manual(
        "cuStreamWaitValue64",
        "Support for this can be queried with cuDeviceGetAttribute() and "
        "CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS",
    ),
    fix="use 32-bit values if CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS is 0",
)
FLAGS_ARE_KNOWN = Rule(
    "`flags` of each wait is a condition of CUstreamWaitValue_flags, with or without CU_STREAM_WAIT_VALUE_FLUSH",
    Result.INVALID_VALUE,
    manual("cuStreamWaitValue32", "Other condition types can be specified via flags"),
    fix="pass a condition such as CU_STREAM_WAIT_VALUE_GEQ, with or without CU_STREAM_WAIT_VALUE_FLUSH",
)
NOR_IS_SUPPORTED = Rule(
    "the device supports CU_STREAM_WAIT_VALUE_NOR if `flags` of a wait is that condition",
    Result.NOT_SUPPORTED,
    manual("cuStreamWaitValue32", "Support for CU_STREAM_WAIT_VALUE_NOR can be queried"),
    fix="wait for another condition if CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR is 0",
)
FLUSH_IS_SUPPORTED = Rule(
    "the device can flush remote writes if an operation, or `flags` of a wait, asks for a flush",
    Result.NOT_SUPPORTED,
    manual("CUstreamWaitValue_flags", "Support for this operation is restricted to selected platforms"),
    fix="drop CU_STREAM_WAIT_VALUE_FLUSH if CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES is 0",
)
ADDRESS_IS_ALIGNED = Rule(
    "each address is a multiple of the size of its value, 4 or 8 bytes",
    Result.INVALID_VALUE,
    manual("cuStreamWaitValue32", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass an address that is a multiple of the value's size",
)
MEMORY_IS_OF_NO_POOL = Rule(
    "no address lies in memory that was allocated from a pool",
    Result.INVALID_VALUE,
    observed("cuStreamWaitValue32", "waits and writes answer INVALID_VALUE to memory of any pool"),
    fix="put the value into memory of cuMemAlloc or cuMemHostAlloc, not of cuMemAllocAsync",
)
MEMORY_IS_NOT_MANAGED = Rule(
    "no address lies in memory from cuMemAllocManaged or in a managed variable",
    Result.INVALID_VALUE,
    manual("cuStreamWaitValue32", "This function cannot be used with managed memory"),
    fix="put the value into memory of cuMemAlloc or cuMemHostAlloc, not of cuMemAllocManaged",
)


@guard
def wide(context: Context) -> None:
    """Check that streams of a context support 64-bit values."""
    if not context.device.profile.attributes.get(CAN_64):
        raise WIDTH_IS_SUPPORTED.broken(device=context.device)


@guard
def aligned(address: int, width: int) -> None:
    """Check that an address is aligned to the size of a value."""
    if address % width:
        raise ADDRESS_IS_ALIGNED.broken(pointer=address)


@guard
def word_at(call: Call, context: Context, address: int, width: int) -> Piece:
    """Return the memory of a stream's value. Write access and end are not checked.

    Args:
        call: The call.
        context: The stream's context.
        address: Its device address.
        width: Its bytes.
    """
    aligned(address, width)
    memory = call.process.memory.at(address)
    if memory is None:
        not_freed(call, address)
        raise RANGE_IS_ALLOCATED.broken(pointer=address, size=width, found=call.process.freed.get(address))
    if isinstance(memory, Pooled):
        raise MEMORY_IS_OF_NO_POOL.broken(memory=memory)
    if isinstance(memory, Managed):
        raise MEMORY_IS_NOT_MANAGED.broken(memory=memory)
    if isinstance(memory, Mapping) and not memory.access.get(context.device.ordinal):
        raise ACCESS_IS_GRANTED.broken(mapping=memory, device=context.device)
    if not accessible(memory, context):
        raise PEER_IS_ENABLED.broken(memory=memory, context=context)
    size = min(width, memory.end - address)
    if isinstance(memory, Registered):
        registered_still(memory, address, size)
    return memory.extent, address - memory.origin, size


@guard
def comparable(context: Context, flags: int) -> None:
    """Check that a context's streams support these CUstreamWaitValue_flags."""
    if flags & ~FLUSH > NOR:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    supported = context.device.profile.attributes
    if flags & ~FLUSH == NOR and not supported.get(CAN_NOR):
        raise NOR_IS_SUPPORTED.broken(device=context.device)
    if flags & FLUSH and not supported.get(CAN_FLUSH):
        raise FLUSH_IS_SUPPORTED.broken(device=context.device)


@guard
def condition(call: Call, context: Context, address: int, value: int, width: int, flags: int) -> Value:
    """Return the condition that a stream waits for.

    Args:
        call: The call.
        context: The stream's context.
        address: The value's device address.
        value: What it is compared with.
        width: Its bytes.
        flags: CUstreamWaitValue_flags.
    """
    comparable(context, flags)
    return awaited(word_at(call, context, address, width), address, value, width, flags & ~FLUSH)


def awaited(piece: Piece, address: int, value: int, width: int, condition: int) -> Value:
    """Return a value in memory with the condition that it must fulfil.

    Args:
        piece: Where it stands.
        address: Its device address.
        value: What it is compared with.
        width: Its bytes.
        condition: ``GEQ``, cyclic as of signed numbers, ``EQ``, ``AND`` or ``NOR``.
    """
    every = (1 << 8 * width) - 1
    compare: Callable[[int], bool] = {
        GEQ: lambda there: (there - value) & every <= every >> 1,
        EQ: lambda there: there == value & every,
        AND: lambda there: bool(there & value),
        NOR: lambda there: bool(~(there | value) & every),
    }[condition]
    return Value(piece, address, WORDS[condition], value, compare)


@DRIVER.op("cuStreamWaitValue32")
def stream_wait_value32(call: Call, stream: int, addr: int, value: int, flags: int) -> None:
    """Have a stream's later work wait until 32 bits in memory fulfil a condition.

    Args:
        call: The call.
        stream: The stream.
        addr: Their device address.
        value: What they are compared with.
        flags: A condition of CUstreamWaitValue_flags: by default cyclic greater-or-equal.
    """
    # CHECK
    waiting = stream_of(call, stream, "cuStreamWaitValue32")
    ready = condition(call, waiting.context, addr, value, NARROW, flags)
    # EFFECT
    attend(call, waiting, nothing, (addr, NARROW), ready)


@DRIVER.op("cuStreamWaitValue64")
def stream_wait_value64(call: Call, stream: int, addr: int, value: int, flags: int) -> None:
    """Have a stream's later work wait until 64 bits in memory fulfil a condition.

    Arguments as for :func:`stream_wait_value32`.
    """
    # CHECK
    waiting = stream_of(call, stream, "cuStreamWaitValue64")
    wide(waiting.context)
    ready = condition(call, waiting.context, addr, value, WIDE, flags)
    # EFFECT
    attend(call, waiting, nothing, (addr, WIDE), ready)
