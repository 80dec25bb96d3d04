"""cuCtxGetExecAffinity: how many multiprocessors the current context may use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call

SM_COUNT = ENUMS["CUexecAffinityType"]["CU_EXEC_AFFINITY_TYPE_SM_COUNT"]
MULTIPROCESSORS = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT"]

AFFINITY_IS_KNOWN = Rule(
    "`type` is CU_EXEC_AFFINITY_TYPE_SM_COUNT",
    Result.UNSUPPORTED_EXEC_AFFINITY,
    manual("cuCtxGetExecAffinity", "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY"),
    fix="pass CU_EXEC_AFFINITY_TYPE_SM_COUNT",
)


@DRIVER.op("cuCtxGetExecAffinity")
def ctx_get_exec_affinity(call: Call, kind: int) -> tuple[int, tuple[int]]:
    """Return the CUexecAffinityParam of the current context: all multiprocessors of its device.

    Args:
        call: The call.
        kind: CUexecAffinityType.

    Returns:
        The type, and a structure of the count.
    """
    # CHECK
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if kind != SM_COUNT:
        raise AFFINITY_IS_KNOWN.broken(kind=kind)
    # EFFECT
    return kind, (context.device.profile.attributes.get(MULTIPROCESSORS, 0),)
