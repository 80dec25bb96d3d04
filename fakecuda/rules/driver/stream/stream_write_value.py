"""cuStreamWriteValue32, cuStreamWriteValue64: a stream writes a value to memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.memory import Registered
from fakecuda.model.memory.space import WRITE
from fakecuda.model.memory.va import Mapping
from fakecuda.model.work import stream_scheduler, timed
from fakecuda.rules.core import Rule, guard, manual, undefined
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.driver.stream.order import attend
from fakecuda.rules.driver.stream.stream_wait_value import NARROW, WIDE, wide, word_at
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.work.stream import Memory
    from fakecuda.rules.driver.copy.range import Piece

FLAGS_ARE_KNOWN = Rule(
    "`flags` of each write is CU_STREAM_WRITE_VALUE_DEFAULT",
    Result.INVALID_VALUE,
    manual("CUstreamWriteValue_flags", "This flag is not supported in the v2 API"),
    fix="pass CU_STREAM_WRITE_VALUE_DEFAULT; CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER is no longer supported",
)
MEMORY_CAN_BE_WRITTEN = Rule(
    "the stream's device has write access to the memory at each address that the call changes",
    Result.SUCCESS,
    undefined(
        "cuStreamWriteValue32",
        "the manual says nothing about this; driver 580 accepts the call, and then the work and the process fail "
        "with LAUNCH_FAILED",
    ),
    fix="grant read and write access with cuMemSetAccess, or register without CU_MEMHOSTREGISTER_READ_ONLY",
)


@guard
def writable(flags: int) -> None:
    """Check that a stream supports a write with these CUstreamWriteValue_flags."""
    if flags:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)


@guard
def written(call: Call, context: Context, address: int, value: int, width: int, flags: int) -> Callable[[], None]:
    """Return a function that writes a value.

    Args:
        call: The call.
        context: The stream's context.
        address: The value's device address.
        value: The value.
        width: Its bytes.
        flags: CUstreamWriteValue_flags.
    """
    writable(flags)
    return changed(call, context, address, width, lambda piece: timed.set_value(call.machine, piece, value, width))


@guard
def changed(
    call: Call, context: Context, address: int, width: int, change: Callable[[Piece], None]
) -> Callable[[], None]:
    """Return a function that changes a value in memory.

    Args:
        call: The call.
        context: The stream's context.
        address: The value's device address.
        width: Its bytes.
        change: Changes it, given the memory behind it.
    """
    piece = word_at(call, context, address, width)
    memory = call.process.memory.at(address)
    if not is_writable(memory, context):
        call.undefined(MEMORY_CAN_BE_WRITTEN, memory=memory, device=context.device)
    return lambda: (
        change(piece) if is_writable(memory, context) else stream_scheduler.fail(context.process, Result.LAUNCH_FAILED)
    )


def is_writable(memory: Memory | None, context: Context) -> bool:
    """Return whether the device of a context may write memory that it can access."""
    if isinstance(memory, Mapping):
        return memory.access.get(context.device.ordinal, 0) == WRITE
    return not (isinstance(memory, Registered) and memory.read_only)


@DRIVER.op("cuStreamWriteValue32")
def stream_write_value32(call: Call, stream: int, addr: int, value: int, flags: int) -> None:
    """Have a stream write 32 bits to memory.

    Args:
        call: The call.
        stream: The stream.
        addr: Their device address.
        value: The value.
        flags: CU_STREAM_WRITE_VALUE_DEFAULT (0); the other one is of the first version of the call.
    """
    # CHECK
    writing = stream_of(call, stream, "cuStreamWriteValue32")
    write = written(call, writing.context, addr, value, NARROW, flags)
    # EFFECT
    attend(call, writing, write, (addr, NARROW), value=value)


@DRIVER.op("cuStreamWriteValue64")
def stream_write_value64(call: Call, stream: int, addr: int, value: int, flags: int) -> None:
    """Have a stream write 64 bits to memory.

    Arguments as for :func:`stream_write_value32`.
    """
    # CHECK
    writing = stream_of(call, stream, "cuStreamWriteValue64")
    wide(writing.context)
    write = written(call, writing.context, addr, value, WIDE, flags)
    # EFFECT
    attend(call, writing, write, (addr, WIDE), value=value)
