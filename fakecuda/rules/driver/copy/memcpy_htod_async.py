"""cuMemcpyHtoDAsync: a stream copies host memory to device memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.model.space import READ
from fakecuda.rules.driver.copy.memcpy_htod import HOST_IS_GIVEN
from fakecuda.rules.driver.copy.plan import Plan, on_host, queue
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE, written
from fakecuda.rules.driver.stream.valid import ready_stream_of
from fakecuda.rules.driver.unified.managed import is_managed

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemcpyHtoDAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_htod_async(call: Call, dst: int, src: int, count: int, stream: int) -> None:
    """Have a stream copy ``count`` bytes from host address ``src`` to device address ``dst``."""
    # CHECK
    working = ready_stream_of(call, stream, "cuMemcpyHtoDAsync")
    if not count:
        return
    if not src:
        raise HOST_IS_GIVEN.broken()
    targets = written(call, working.context, dst, count)
    sources = on_host(call, working.context, src, count, READ)
    waits = is_managed(call.process.memory.at(src))
    # EFFECT
    queue(call, working, "cuMemcpyHtoDAsync", Plan((dst, count), (src, count), targets, sources, waits=waits))
