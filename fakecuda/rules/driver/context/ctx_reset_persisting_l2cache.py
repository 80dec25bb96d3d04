"""cuCtxResetPersistingL2Cache: reset persisting lines of the L2 cache to normal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.ctx_set_limit import MOST_PERSISTING
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

CACHE_CAN_PERSIST = Rule(
    "the current device supports persisting L2 cache lines",
    Result.NOT_SUPPORTED,
    manual("cuCtxResetPersistingL2Cache", "CUDA_ERROR_NOT_SUPPORTED"),
    fix="skip the call if CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE is 0",
)


@DRIVER.op("cuCtxResetPersistingL2Cache")
def ctx_reset_persisting_l2cache(call: Call) -> None:
    """Do nothing: the model has no L2 cache to reset."""
    # CHECK
    context = current(call)
    if not context.device.profile.attributes.get(MOST_PERSISTING):
        raise CACHE_CAN_PERSIST.broken(device=context.device)
