"""cuStreamWriteValue32: a stream writes a value to memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.model import transfer
from fakecuda.model.memory import Registered
from fakecuda.model.space import WRITE
from fakecuda.rule import Rule, guard, manual, op
from fakecuda.spec.copy.range import MEMORY_IS_WRITABLE
from fakecuda.spec.stream.order import enqueue
from fakecuda.spec.stream.stream_wait_value32 import WIDTH, word_at
from fakecuda.spec.stream.valid import stream_of

if TYPE_CHECKING:
    from fakecuda.model.context import Context
    from fakecuda.model.process import Thread
    from fakecuda.spec.copy.range import Piece

NO_BARRIER = 1
"""CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER."""

FLAGS_ARE_KNOWN = Rule(
    "the flags are bits of CUstreamWriteValue_flags",
    Result.INVALID_VALUE,
    manual("cuStreamWriteValue32", "See CUstreamWriteValue_flags"),
)
BARRIER_IS_LEFT_IN = Rule(
    "the write has its memory barrier",
    Result.NOT_SUPPORTED,
    manual("CUstreamWriteValue_flags", "This flag is not supported in the v2 API"),
)


@guard
def target(call: Thread, context: Context, address: int, width: int, flags: int) -> Piece:
    """Return the memory that a stream writes a value to.

    Args:
        call: The calling thread.
        context: The stream's context.
        address: The value's device address.
        width: Its bytes.
        flags: CUstreamWriteValue_flags.
    """
    if flags & ~NO_BARRIER:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    if flags:
        raise BARRIER_IS_LEFT_IN.broken(flags=flags)
    return written_word(call, context, address, width)


@guard
def written_word(call: Thread, context: Context, address: int, width: int) -> Piece:
    """Return the memory behind a value that a stream changes; arguments as of :func:`word_at`."""
    memory = call.process.memory.at(address)
    if isinstance(memory, Registered) and memory.read_only:
        raise MEMORY_IS_WRITABLE.broken(memory=memory)
    return word_at(call, context, address, width, WRITE)


@op("cuStreamWriteValue32")
def stream_write_value32(call: Thread, stream: int, addr: int, value: int, flags: int) -> None:
    """Have a stream write 32 bits to memory.

    Args:
        call: The calling thread.
        stream: The stream.
        addr: Their device address.
        value: The value.
        flags: CU_STREAM_WRITE_VALUE_DEFAULT (0); the other one is of the first version of the call.
    """
    # CHECK
    writing = stream_of(call, stream, "cuStreamWriteValue32")
    piece = target(call, writing.context, addr, WIDTH, flags)
    # EFFECT
    enqueue(call, writing, lambda: transfer.fill([piece], value, WIDTH), (addr, WIDTH))
