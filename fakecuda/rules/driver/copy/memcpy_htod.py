"""cuMemcpyHtoD: host memory to device memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.codes import Result
from fakecuda.model import timed
from fakecuda.model.space import READ
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.plan import on_host
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE, written
from fakecuda.rules.driver.stream.order import launch

if TYPE_CHECKING:
    from fakecuda.model.call import Call

HOST_IS_GIVEN = Rule(
    "the host pointer is not null",
    Result.INVALID_VALUE,
    manual("cuMemcpyHtoD", "dstDevice and srcHost are the base addresses of the destination and source"),
)


@DRIVER.op("cuMemcpyHtoD", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy_htod(call: Call, dst: int, src: int, count: int) -> None:
    """Copy ``count`` bytes from host address ``src`` to device address ``dst``."""
    # CHECK
    context = current(call)
    if not count:
        return
    if not src:
        raise HOST_IS_GIVEN.broken()
    targets = written(call, context, dst, count)
    sources = on_host(call, context, src, count, READ)
    # EFFECT
    launch(call, context, lambda: timed.copy(call.machine.clock, targets, sources), (dst, count), (src, count))
