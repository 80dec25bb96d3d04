"""cuStreamWriteValue64: a stream writes a value of 64 bits to memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.rules.driver.stream.order import attend
from fakecuda.rules.driver.stream.stream_wait_value64 import WIDTH, wide
from fakecuda.rules.driver.stream.stream_write_value32 import written
from fakecuda.rules.driver.stream.valid import stream_of

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuStreamWriteValue64")
def stream_write_value64(call: Call, stream: int, addr: int, value: int, flags: int) -> None:
    """Have a stream write 64 bits to memory.

    Args:
        call: The call.
        stream: The stream.
        addr: Their device address.
        value: The value.
        flags: CU_STREAM_WRITE_VALUE_DEFAULT (0); the other one is of the first version of the call.
    """
    # CHECK
    writing = stream_of(call, stream, "cuStreamWriteValue64")
    wide(writing.context)
    write = written(call, writing.context, addr, value, WIDTH, flags)
    # EFFECT
    attend(call, writing, write, (addr, WIDTH))
