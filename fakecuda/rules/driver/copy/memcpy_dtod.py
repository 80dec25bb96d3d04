"""cuMemcpyDtoD: device memory to device memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.model import timed
from fakecuda.model.space import READ
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE, pieces, written
from fakecuda.rules.driver.stream.order import launch

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemcpyDtoD", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_dtod(call: Call, dst: int, src: int, count: int) -> None:
    """Copy ``count`` bytes from device address ``src`` to device address ``dst``, of whichever device."""
    # CHECK
    context = current(call)
    if not count:
        return
    targets = written(call, context, dst, count)
    sources = pieces(call, context, src, count, READ)
    # EFFECT
    launch(call, context, lambda: timed.copy(call.machine.clock, targets, sources), (dst, count), (src, count))
