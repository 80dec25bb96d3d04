"""The rule of all virtual memory management calls: devices support it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.os.process import READY
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.os.process import Process

VMM_IS_SUPPORTED = Rule(
    "every device supports virtual memory management",
    Result.NOT_SUPPORTED,
    manual("cuMemCreate", "CUDA_ERROR_NOT_SUPPORTED"),
    fix="use cuMemAlloc if CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED is 0 for any device",
)


@guard
def supported(call: Call) -> Process:
    """Return the calling process, initialised, whose devices support virtual memory."""
    process = call.process
    if process.state != READY or call.thread.in_function:
        require_initialized(call)
    if not call.machine.vmm:
        raise VMM_IS_SUPPORTED.broken(devices=len(process.devices))
    return process
