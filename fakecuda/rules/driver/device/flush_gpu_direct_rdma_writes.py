"""cuFlushGPUDirectRDMAWrites: make remote GPUDirect RDMA writes visible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call

TARGETS = frozenset(ENUMS["CUflushGPUDirectRDMAWritesTarget"].values())
SCOPES = frozenset(ENUMS["CUflushGPUDirectRDMAWritesScope"].values())

TARGET_IS_KNOWN = Rule(
    "`target` is CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX",
    Result.INVALID_VALUE,
    manual("cuFlushGPUDirectRDMAWrites", "The target of the operation, see CUflushGPUDirectRDMAWritesTarget"),
    fix="pass CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX for the target",
)
SCOPE_IS_KNOWN = Rule(
    "`scope` is a CUflushGPUDirectRDMAWritesScope: the owner or all devices",
    Result.INVALID_VALUE,
    manual("cuFlushGPUDirectRDMAWrites", "The scope of the operation, see CUflushGPUDirectRDMAWritesScope"),
    fix="pass CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER or CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES",
)


@DRIVER.op("cuFlushGPUDirectRDMAWrites")
def flush_gpu_direct_rdma_writes(call: Call, target: int, scope: int) -> None:
    """Wait until remote writes to the current context are visible.

    The model has no remote writers, so it waits for nothing.

    Args:
        call: The call.
        target: CUflushGPUDirectRDMAWritesTarget.
        scope: CUflushGPUDirectRDMAWritesScope.
    """
    # CHECK
    current(call)
    if target not in TARGETS:
        raise TARGET_IS_KNOWN.broken(target=target)
    if scope not in SCOPES:
        raise SCOPE_IS_KNOWN.broken(scope=scope)
