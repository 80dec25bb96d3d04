"""cuMemsetD2D16Async: a stream fills rows of device memory with a value of 16 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.model import timed
from fakecuda.rules.driver.copy.memset_d2d16 import aligned_rows
from fakecuda.rules.driver.copy.memset_d16 import WIDTH
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.stream.order import enqueue
from fakecuda.rules.driver.stream.valid import stream_of

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemsetD2D16Async", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d2d16_async(call: Call, dst: int, pitch: int, value: int, width: int, height: int, stream: int) -> None:
    """Have a stream set ``height`` rows of ``width`` values of 16 bits to ``value``.

    Args:
        call: The call.
        dst: Device address of the first row.
        pitch: Bytes from row to row.
        value: The value.
        width: Values of a row.
        height: Rows.
        stream: The stream.
    """
    # CHECK
    working = stream_of(call, stream, "cuMemsetD2D16Async")
    if not width or not height:
        return
    row = width * WIDTH
    targets = aligned_rows(call, working.context, dst, pitch, row, height)
    # EFFECT
    used = dst, (height - 1) * pitch + row
    enqueue(call, working, lambda: timed.fill_rows(call.machine.clock, targets, value, WIDTH, row, height, pitch), used)
