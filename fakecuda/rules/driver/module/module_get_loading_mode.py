"""cuModuleGetLoadingMode: whether code is loaded lazily."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, undefined
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call

EAGER, LAZY = (ENUMS["CUmoduleLoadingMode"][f"CU_MODULE_{when}_LOADING"] for when in ("EAGER", "LAZY"))

MODE_IS_GIVEN = Rule(
    "`mode` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuModuleGetLoadingMode",
        "the manual says nothing about a null argument; driver 580 writes to the null pointer (segmentation fault)",
    ),
    fix="pass the address of a CUmoduleLoadingMode",
)


@DRIVER.op("cuModuleGetLoadingMode")
def module_get_loading_mode(call: Call) -> int:
    """Return CU_MODULE_EAGER_LOADING if the process's CUDA_MODULE_LOADING is ``EAGER`` in any case, else lazy loading.

    The answers of other calls do not depend on it.
    """
    # CHECK
    require_initialized(call)
    if call.nulls:
        call.undefined(MODE_IS_GIVEN)
        raise MODE_IS_GIVEN.broken()
    # EFFECT
    return EAGER if (call.process.module_loading or "").upper() == "EAGER" else LAZY
