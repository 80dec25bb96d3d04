"""cuMemcpyDtoDAsync: a stream copies device memory to device memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.model.space import READ
from fakecuda.rules.driver.copy.plan import Plan, queue
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE, pieces, written
from fakecuda.rules.driver.stream.valid import ready_stream_of

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemcpyDtoDAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_dtod_async(call: Call, dst: int, src: int, count: int, stream: int) -> None:
    """Have a stream copy ``count`` bytes from device address ``src`` to device address ``dst``, of whichever device."""
    # CHECK
    working = ready_stream_of(call, stream, "cuMemcpyDtoDAsync")
    if not count:
        return
    targets = written(call, working.context, dst, count)
    sources = pieces(call, working.context, src, count, READ)
    # EFFECT
    queue(call, working, "cuMemcpyDtoDAsync", Plan((dst, count), (src, count), targets, sources))
