"""cuMemsetD8: device memory is filled with a byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.codes import Result
from fakecuda.model import timed
from fakecuda.model.memory import Allocation
from fakecuda.model.pool import Pooled
from fakecuda.model.space import WRITE
from fakecuda.rules.core import Rule, guard, observed
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE, accessible, pool_grants, written
from fakecuda.rules.driver.stream.order import launch

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.rules.driver.copy.range import Piece

PEER_IS_ENABLED = Rule(
    "the memory is one that the current context can access",
    Result.INVALID_VALUE,
    observed(
        "cuMemsetD8",
        "unlike copies, memsets need cuCtxEnablePeerAccess for memory on another device, and an IPC mapping's own context",
    ),
)


@DRIVER.op("cuMemsetD8", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d8(call: Call, dst: int, value: int, count: int) -> None:
    """Set ``count`` bytes at device address ``dst`` to ``value``."""
    # CHECK
    context = current(call)
    if not count:
        return
    targets = fillable(call, context, dst, count)
    # EFFECT
    launch(call, context, lambda: timed.fill(call.machine.clock, targets, value), (dst, count))


@guard
def fillable(call: Call, context: Context, dst: int, size: int) -> list[Piece]:
    """Return the memory behind a range of ``size`` bytes that a memset may write."""
    item = call.process.memory.at(dst)
    if type(item) is Allocation and item.context.device is context.device and dst + size <= item.end:
        block = item.block
        return [(block.extent, dst - block.start, size)]
    if isinstance(item, Pooled):
        pool_grants(context, item, WRITE)
    targets = written(call, context, dst, size)
    if item is not None and not accessible(item, context):
        raise PEER_IS_ENABLED.broken(memory=item, context=context)
    return targets
