"""cuMemcpyAsync: a stream copies memory to memory; the addresses tell which of them is the host's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.model.space import READ, WRITE
from fakecuda.rules.driver.copy.memcpy import wherever
from fakecuda.rules.driver.copy.plan import Plan, queue
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE, POINTERS_ARE_GIVEN
from fakecuda.rules.driver.stream.valid import ready_stream_of

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemcpyAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_async(call: Call, dst: int, src: int, count: int, stream: int) -> None:
    """Have a stream copy ``count`` bytes from address ``src`` to address ``dst``, each of a device or of the host."""
    # CHECK
    working = ready_stream_of(call, stream, "cuMemcpyAsync")
    if not count:
        return
    if not dst or not src:
        raise POINTERS_ARE_GIVEN.broken(dst=dst, src=src)
    targets = wherever(call, working.context, dst, count, WRITE)
    sources = wherever(call, working.context, src, count, READ)
    # EFFECT
    queue(call, working, "cuMemcpyAsync", Plan((dst, count), (src, count), targets, sources))
