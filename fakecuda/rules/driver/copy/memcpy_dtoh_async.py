"""cuMemcpyDtoHAsync: a stream copies device memory to host memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.model.space import READ, WRITE
from fakecuda.rules.driver.copy.memcpy_dtoh import HOST_IS_GIVEN
from fakecuda.rules.driver.copy.plan import Plan, on_host, queue
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE, pieces
from fakecuda.rules.driver.stream.valid import ready_stream_of
from fakecuda.rules.driver.unified.managed import is_managed

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemcpyDtoHAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_dtoh_async(call: Call, dst: int, src: int, count: int, stream: int) -> None:
    """Have a stream copy ``count`` bytes from device address ``src`` to host address ``dst``."""
    # CHECK
    working = ready_stream_of(call, stream, "cuMemcpyDtoHAsync")
    if not count:
        return
    if not dst:
        raise HOST_IS_GIVEN.broken()
    sources = pieces(call, working.context, src, count, READ)
    targets = on_host(call, working.context, dst, count, WRITE)
    waits = is_managed(call.process.memory.at(dst))
    # EFFECT
    queue(call, working, "cuMemcpyDtoHAsync", Plan((dst, count), (src, count), targets, sources, waits=waits))
