"""cuStreamWriteValue32: a stream writes a value to memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.model import transfer
from fakecuda.model.memory import Registered
from fakecuda.model.space import WRITE
from fakecuda.rule import Rule, manual, op
from fakecuda.spec.copy.range import MEMORY_IS_WRITABLE
from fakecuda.spec.stream.order import enqueue
from fakecuda.spec.stream.stream_wait_value32 import WIDTH, word_at
from fakecuda.spec.stream.valid import stream_of

if TYPE_CHECKING:
    from fakecuda.model.process import Thread

NO_BARRIER = 1
"""CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER."""

FLAGS_ARE_KNOWN = Rule(
    "the flags are bits of CUstreamWriteValue_flags",
    Result.INVALID_VALUE,
    manual("cuStreamWriteValue32", "See CUstreamWriteValue_flags"),
)


@op("cuStreamWriteValue32")
def stream_write_value32(call: Thread, stream: int, addr: int, value: int, flags: int) -> None:
    """Have a stream write 32 bits to memory.

    Args:
        call: The calling thread.
        stream: The stream.
        addr: Their device address.
        value: The value.
        flags: CUstreamWriteValue_flags; what other devices see in between makes no difference here.
    """
    # CHECK
    writing = stream_of(call, stream, "cuStreamWriteValue32")
    if flags & ~NO_BARRIER:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    memory = call.process.memory.at(addr)
    if isinstance(memory, Registered) and memory.read_only:
        raise MEMORY_IS_WRITABLE.broken(memory=memory)
    piece = word_at(call, writing.context, addr, WIDTH, WRITE)
    # EFFECT
    enqueue(call, writing, lambda: transfer.fill([piece], value, WIDTH), (addr, WIDTH))
