"""cuMemcpyPeerAsync: a stream copies device memory to device memory, of two contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.model.space import READ
from fakecuda.rules.driver.copy.memcpy_peer import across, between
from fakecuda.rules.driver.copy.plan import Plan, queue
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE, POINTERS_ARE_GIVEN, pieces, written
from fakecuda.rules.driver.stream.valid import ready_stream_of

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemcpyPeerAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_peer_async(
    call: Call, dst: int, dst_context: int, src: int, src_context: int, count: int, stream: int
) -> None:
    """Have a stream copy ``count`` bytes from device address ``src`` to device address ``dst``.

    Args:
        call: The call.
        dst: Device address.
        dst_context: As cuMemcpyPeer's; the context of the stream stands for the current one.
        src: Device address.
        src_context: As ``dst_context``.
        count: Bytes.
        stream: The stream.
    """
    # CHECK
    working = ready_stream_of(call, stream, "cuMemcpyPeerAsync")
    if not count:
        return
    if not dst or not src:
        raise POINTERS_ARE_GIVEN.broken(dst=dst, src=src)
    between(call, dst_context, src_context)
    context = working.context
    targets = written(call, across(call, context, dst, dst_context, src_context), dst, count)
    sources = pieces(call, across(call, context, src, src_context, dst_context), src, count, READ)
    # EFFECT
    queue(call, working, "cuMemcpyPeerAsync", Plan((dst, count), (src, count), targets, sources))
