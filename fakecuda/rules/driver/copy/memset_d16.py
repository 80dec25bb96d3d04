"""cuMemsetD16: device memory is filled with a value of 16 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.codes import Result
from fakecuda.model import timed
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.memset_d8 import fillable
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.stream.order import launch

if TYPE_CHECKING:
    from fakecuda.model.call import Call

WIDTH = 2
"""Bytes of a value."""

POINTER_IS_ALIGNED = Rule(
    "the pointer is a multiple of two bytes",
    Result.INVALID_VALUE,
    manual("cuMemsetD16", "The dstDevice pointer must be two byte aligned"),
)


@DRIVER.op("cuMemsetD16", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memset_d16(call: Call, dst: int, value: int, count: int) -> None:
    """Set ``count`` values of 16 bits from device address ``dst`` to ``value``."""
    # CHECK
    context = current(call)
    if not count:
        return
    if dst % WIDTH:
        raise POINTER_IS_ALIGNED.broken(pointer=dst)
    targets = fillable(call, context, dst, count * WIDTH)
    # EFFECT
    launch(call, context, lambda: timed.fill(call.machine.clock, targets, value, WIDTH), (dst, count * WIDTH))
