"""Stream memory operations: streams that wait for values and write values.

Of the memory nothing is asked but that the process has it: it may be a device's, the host's, managed or a pool's.
"""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING

from fakecuda.model.memory import transfer
from fakecuda.model.memory.memory import Registered
from fakecuda.model.work.stream import nothing
from fakecuda.model.work.value import Value
from fakecuda.rules.core import Rule, guard, source, undefined
from fakecuda.rules.driver.copy.range import accessible, registered_still
from fakecuda.rules.driver.stream import stream_wait_value
from fakecuda.rules.driver.stream.order import attend
from fakecuda.rules.hip.active import arrived, does, entered
from fakecuda.rules.hip.stream import stream_of
from fakecuda.rules.registry import HIP
from fakecuda.spec import mem_ops
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.work.stream import Stream
    from fakecuda.rules.driver.copy.range import Piece

GTE, EQ, AND, NOR = range(4)
WORDS = tuple(
    re.sub(r"CU_\w+", f"hipStreamWaitValue{name}", words)
    for name, words in zip(("Gte", "Eq", "And", "Nor"), stream_wait_value.WORDS, strict=True)
)
"""The wait conditions in words, for errors."""
"""hipStreamWaitValueGte and so on."""
INCREMENT, DECREMENT = 0x1000, 0x1001
"""hipExtStreamWriteValueIncrement and hipExtStreamWriteValueDecrement."""
WRITES: dict[int, Callable[[int, int], int]] = {
    0: lambda _there, value: value,
    INCREMENT: operator.add,
    DECREMENT: operator.sub,
}
NO_FLAGS = "hipStreamWriteValue.has-no-flags"
NARROW, WIDE = 4, 8
MOST = 256
IN_BATCHES = {mem_ops.WAIT_32: NARROW, mem_ops.WAIT_64: WIDE, mem_ops.WRITE_32: NARROW, mem_ops.WRITE_64: WIDE}
"""The value size of each operation in a batch; numbers are CUDA's."""

POINTER_IS_GIVEN = Rule(
    "`ptr` is not null",
    Result.INVALID_VALUE,
    source(
        "hipStreamWaitValue32", "clr answers hipErrorInvalidValue to a null address, also in the other waits and writes"
    ),
    fix="pass the address of the value",
)
MEMORY_IS_KNOWN = Rule(
    "each address lies in memory that HIP allocated, registered, mapped or imported in this process",
    Result.INVALID_VALUE,
    source(
        "hipStreamWaitValue32",
        "clr answers hipErrorInvalidValue to any other argument, after it has checked the stream",
    ),
    fix="put the value into memory that HIP allocated, and keep it until the stream is done",
)
CONDITION_IS_KNOWN = Rule(
    "`flags` is hipStreamWaitValueGte, hipStreamWaitValueEq, hipStreamWaitValueAnd or hipStreamWaitValueNor",
    Result.INVALID_VALUE,
    source(
        "hipStreamWaitValue32", "clr answers hipErrorInvalidValue to any other flags, after it has checked the memory"
    ),
    fix="pass hipStreamWaitValueGte, hipStreamWaitValueEq, hipStreamWaitValueAnd or hipStreamWaitValueNor",
)
WRITE_IS_KNOWN = Rule(
    "`flags` is 0, hipExtStreamWriteValueIncrement or hipExtStreamWriteValueDecrement",
    Result.INVALID_VALUE,
    source(
        "hipStreamWriteValue32",
        "clr answers hipErrorInvalidValue to any other flags, after it has checked the "
        "memory; clr of 2024 accepts all flags",
    ),
    fix="pass 0 for the flags of hipStreamWriteValue32 and hipStreamWriteValue64",
)
DEVICE_CAN_ACCESS_IT = Rule(
    "the stream's device has access to each address, by peer access, hipMemSetAccess or hipMemPoolSetAccess where needed",
    Result.SUCCESS,
    undefined(
        "hipStreamWriteValue32", "the manual says nothing about this; clr accepts the call, and then the device faults"
    ),
    fix="enable peer access from the stream's device to the device of the memory",
)
BATCH_IS_GIVEN = Rule(
    "`paramArray` is not null, `count` is 1 to 256, and `flags` is 0",
    Result.INVALID_VALUE,
    source("hipStreamBatchMemOp", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass 1 to 256 operations, and 0 for the flags",
)
OPERATION_IS_SUPPORTED = Rule(
    "no operation is a barrier or a flush of remote writes",
    Result.INVALID_VALUE,
    source(
        "hipStreamBatchMemOp",
        "clr answers hipErrorInvalidValue to barriers and flushes, after it has checked the stream",
    ),
    fix="leave out hipStreamMemOpBarrier and hipStreamMemOpFlushRemoteWrites",
)
OPERATION_IS_KNOWN = Rule(
    "each entry of `paramArray` is a known wait or write, on memory that HIP allocated, registered, mapped or imported",
    Result.INVALID_VALUE,
    undefined(
        "hipStreamBatchMemOp",
        "the manual says nothing about any other value; clr passes it to the card without a check",
    ),
    fix="pass only operations of hipStreamBatchMemOpType, on memory that HIP allocated",
)


@guard
def piece_at(call: Call, stream: Stream, address: int, width: int) -> Piece:
    """Return the memory behind a value."""
    memory = call.process.memory.at(address)
    if memory is None:
        raise MEMORY_IS_KNOWN.broken(pointer=address, found=call.process.freed.get(address))
    if not accessible(memory, stream.context):
        call.undefined(DEVICE_CAN_ACCESS_IT, memory=memory, device=stream.context.device)
    size = min(width, memory.end - address)
    if isinstance(memory, Registered):
        registered_still(memory, address, size)
    return memory.extent, address - memory.origin, size


@guard
def target(call: Call, handle: int, address: int) -> Stream:
    """Return the stream that waits or writes."""
    entered(call)
    if not address:
        raise POINTER_IS_GIVEN.broken()
    return stream_of(call, handle)


def awaited(piece: Piece, place: tuple[int, int], value: int, mask: int, condition: int) -> Value:
    """Return a condition on a value in memory."""
    address, width = place
    every = (1 << 8 * width) - 1
    compare: Callable[[int], bool] = {
        GTE: lambda there: there >= value,
        EQ: lambda there: there == value,
        AND: lambda there: bool(there & value),
        NOR: lambda there: bool(~(there | (value & mask)) & every),
    }[condition]
    bits = "" if mask & every == every else f" in the bits {mask:#x}"
    wanted = WORDS[condition] + bits
    return Value(
        piece, address, wanted, value, lambda there: compare(there & mask), "hipStreamWriteValue32", mask | ~every
    )


@guard
def wait(call: Call, handle: int, place: tuple[int, int], value: int, flags: int, mask: int) -> None:
    """Have a stream's later work wait for a value in memory."""
    # CHECK
    address, width = place
    stream = target(call, handle, address)
    piece = piece_at(call, stream, address, width)
    if flags not in {GTE, EQ, AND, NOR}:
        raise CONDITION_IS_KNOWN.broken(flags=flags)
    # EFFECT
    attend(call, stream, nothing, place, awaited(piece, place, value, mask, flags))


def writer(piece: Piece, value: int, width: int, flags: int) -> Callable[[], None]:
    """Return a function that writes or changes a value."""
    change = WRITES[flags]
    every = (1 << 8 * width) - 1
    return lambda: transfer.change(piece, lambda there: change(there, value) & every)


@guard
def write(call: Call, handle: int, place: tuple[int, int], value: int, flags: int) -> None:
    """Have a stream write a value to memory."""
    # CHECK
    address, width = place
    stream = target(call, handle, address)
    piece = piece_at(call, stream, address, width)
    if does(call, NO_FLAGS):
        flags = 0
    elif flags not in WRITES:
        raise WRITE_IS_KNOWN.broken(flags=flags)
    # EFFECT
    attend(call, stream, writer(piece, value, width, flags), place, value=None if flags else value)


@HIP.op("hipStreamWaitValue32")
def wait_value32(call: Call, stream: int, ptr: int, value: int, flags: int, mask: int) -> None:
    """Have a stream's later work wait until 32 bits in memory fulfil a condition.

    Args:
        call: The call.
        stream: The stream.
        ptr: Their address.
        value: What they are compared with, without a sign.
        flags: The condition, hipStreamWaitValueGte and so on.
        mask: Which of them are compared.
    """
    wait(call, stream, (ptr, NARROW), value, flags, mask)


@HIP.op("hipStreamWaitValue64")
def wait_value64(call: Call, stream: int, ptr: int, value: int, flags: int, mask: int) -> None:
    """Have a stream's later work wait until 64 bits in memory fulfil a condition."""
    wait(call, stream, (ptr, WIDE), value, flags, mask)


@HIP.op("hipStreamWriteValue32")
def write_value32(call: Call, stream: int, ptr: int, value: int, flags: int) -> None:
    """Have a stream write a 32-bit value, or add to or subtract from memory."""
    write(call, stream, (ptr, NARROW), value, flags)


@HIP.op("hipStreamWriteValue64")
def write_value64(call: Call, stream: int, ptr: int, value: int, flags: int) -> None:
    """Have a stream write a 64-bit value, or add to or subtract from memory."""
    write(call, stream, (ptr, WIDE), value, flags)


@HIP.op("hipStreamBatchMemOp", several="each operation is work of its own")
def batch_mem_op(call: Call, handle: int, count: int, params: tuple[tuple[int, ...], ...] | None, flags: int) -> None:
    """Have a stream wait for values and write values, in the order of the array.

    Args:
        call: The call.
        handle: The stream.
        count: How many operations, 256 at most.
        params: The operations, as :mod:`fakecuda.spec.mem_ops` has them.
        flags: 0.
    """
    # CHECK
    arrived(call, "hipStreamBatchMemOp")
    if params is None or flags or not 0 < count <= MOST:
        raise BATCH_IS_GIVEN.broken(count=count, flags=flags)
    stream = stream_of(call, handle)
    for operation in params[:count]:
        if operation[0] in {mem_ops.BARRIER, mem_ops.FLUSH}:
            raise OPERATION_IS_SUPPORTED.broken(operation=operation[0])
    steps: list[tuple[Callable[[], None], tuple[int, int], Value | None, int | None]] = []
    for kind, *rest in params[:count]:
        width = IN_BATCHES.get(kind, 0)
        address, value, condition = rest if width else (0, 0, 0)
        if not address or call.process.memory.at(address) is None or condition > NOR:
            call.undefined(OPERATION_IS_KNOWN, operation=kind, pointer=address)
            raise OPERATION_IS_KNOWN.broken(operation=kind, pointer=address)
        piece = piece_at(call, stream, address, width)
        if kind in mem_ops.WAITS:
            every = (1 << 8 * width) - 1
            place = address, width
            steps.append((nothing, place, awaited(piece, place, value, every, condition), None))
        else:
            steps.append((writer(piece, value, width, 0), (address, width), None, value))
    # EFFECT
    for act, place, ready, written in steps:
        attend(call, stream, act, place, ready, written)
