"""cuMemcpyDtoH: device memory to host memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.codes import Result
from fakecuda.model import timed
from fakecuda.model.space import READ, WRITE
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.plan import on_host
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE, pieces
from fakecuda.rules.driver.stream.order import launch

if TYPE_CHECKING:
    from fakecuda.model.call import Call

HOST_IS_GIVEN = Rule(
    "the host pointer is not null",
    Result.INVALID_VALUE,
    manual("cuMemcpyDtoH", "dstHost and srcDevice specify the base pointers of the destination and source"),
)


@DRIVER.op("cuMemcpyDtoH", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_dtoh(call: Call, dst: int, src: int, count: int) -> None:
    """Copy ``count`` bytes from device address ``src`` to host address ``dst``."""
    # CHECK
    context = current(call)
    if not count:
        return
    if not dst:
        raise HOST_IS_GIVEN.broken()
    sources = pieces(call, context, src, count, READ)
    targets = on_host(call, context, dst, count, WRITE)
    # EFFECT
    launch(call, context, lambda: timed.copy(call.machine.clock, targets, sources), (dst, count), (src, count))
