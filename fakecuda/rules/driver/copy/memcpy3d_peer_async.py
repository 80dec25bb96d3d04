"""cuMemcpy3DPeerAsync: a stream makes a copy of slices of rows, of two contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.rules.driver.copy.plan import queue
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.copy.shape import across, described
from fakecuda.rules.driver.stream.valid import ready_stream_of

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemcpy3DPeerAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy3d_peer_async(call: Call, copy: tuple[int, ...] | None, stream: int) -> None:
    """Have a stream copy what a CUDA_MEMCPY3D_PEER describes."""
    # CHECK
    copy = described(call, copy)
    working = ready_stream_of(call, stream, "cuMemcpy3DPeerAsync")
    plan = across(call, working.context, copy)
    if plan is None:
        return
    # EFFECT
    queue(call, working, "cuMemcpy3DPeerAsync", plan)
