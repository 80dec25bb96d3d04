"""cuMemsetD8Async: a stream fills device memory with a byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.model import timed
from fakecuda.rules.driver.copy.memset_d8 import fillable
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.stream.order import enqueue
from fakecuda.rules.driver.stream.valid import stream_of

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemsetD8Async", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d8_async(call: Call, dst: int, value: int, count: int, stream: int) -> None:
    """Have a stream set ``count`` bytes at device address ``dst`` to ``value``."""
    # CHECK
    working = stream_of(call, stream, "cuMemsetD8Async")
    if not count:
        return
    targets = fillable(call, working.context, dst, count)
    # EFFECT
    enqueue(call, working, lambda: timed.fill(call.machine.clock, targets, value), (dst, count))
