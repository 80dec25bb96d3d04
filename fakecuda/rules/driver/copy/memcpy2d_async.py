"""cuMemcpy2DAsync: a stream makes a copy of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.rules.driver.copy.plan import queue
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.copy.shape import flat
from fakecuda.rules.driver.stream.valid import ready_stream_of

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemcpy2DAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy2d_async(call: Call, copy: tuple[int, ...] | None, stream: int) -> None:
    """Have a stream copy what a CUDA_MEMCPY2D describes."""
    # CHECK
    working = ready_stream_of(call, stream, "cuMemcpy2DAsync")
    plan = flat(call, working.context, copy)
    if plan is None:
        return
    # EFFECT
    queue(call, working, "cuMemcpy2DAsync", plan)
