"""cuCtxSetSharedMemConfig: request a bank width of shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call

CONFIGS = set(ENUMS["CUsharedconfig"].values())

CONFIG_IS_KNOWN = Rule(
    "`config` is a CUsharedconfig",
    Result.INVALID_VALUE,
    manual("cuCtxSetSharedMemConfig", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass a CUsharedconfig, such as CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE",
)


@guard
def known(config: int) -> None:
    """Check that a bank width is a CUsharedconfig."""
    if config not in CONFIGS:
        raise CONFIG_IS_KNOWN.broken(config=config)


@DRIVER.op("cuCtxSetSharedMemConfig")
def ctx_set_shared_mem_config(call: Call, config: int) -> None:
    """Do nothing: the bank width of shared memory is fixed."""
    # CHECK
    current(call)
    known(config)
