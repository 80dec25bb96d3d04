"""cuCtxGetSharedMemConfig: get the bank width of shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call

FOUR_BYTES = ENUMS["CUsharedconfig"]["CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE"]


@DRIVER.op("cuCtxGetSharedMemConfig")
def ctx_get_shared_mem_config(call: Call) -> int:
    """Return the CUsharedconfig of the device. No device since compute capability 5.0 lets a program change it."""
    # CHECK
    current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    # EFFECT
    return FOUR_BYTES
