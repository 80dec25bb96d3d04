"""cuMemcpy2D: a copy of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.copy.plan import perform
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.copy.shape import flat

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemcpy2D", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy2d(call: Call, copy: tuple[int, ...] | None) -> None:
    """Copy what a CUDA_MEMCPY2D describes."""
    # CHECK
    context = current(call)
    plan = flat(call, context, copy)
    if plan is None:
        return
    # EFFECT
    perform(call, context, plan)
