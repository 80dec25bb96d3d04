"""cuCtxSetLimit: set a limit of the current context, rounded for the hardware."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.rules.core import Rule, manual, observed
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.context.limit import supported
from fakecuda.rules.driver.stream.order import waited
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call

LIMIT = ENUMS["CUlimit"]
STACK = LIMIT["CU_LIMIT_STACK_SIZE"]
PERSISTING = LIMIT["CU_LIMIT_PERSISTING_L2_CACHE_SIZE"]
L2 = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE"]
MOST_PERSISTING = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE"]
WAYS = 16
"""The number of equal parts of the L2 cache that can be set aside."""

LIMIT_IS_SETTABLE = Rule(
    "`limit` is not one of the read-only limits CU_LIMIT_SHMEM_SIZE and CU_LIMIT_CIG_ENABLED",
    Result.NOT_PERMITTED,
    observed(
        "cuCtxSetLimit",
        "the driver answers NOT_PERMITTED to CU_LIMIT_SHMEM_SIZE and CU_LIMIT_CIG_ENABLED, whatever the value is",
    ),
    fix="do not set CU_LIMIT_SHMEM_SIZE or CU_LIMIT_CIG_ENABLED; cuCtxGetLimit reads them",
)
VALUE_IS_POSSIBLE = Rule(
    "`value` does not exceed what the device supports for `limit`",
    Result.INVALID_VALUE,
    manual("cuCtxSetLimit", "CUDA_ERROR_INVALID_VALUE"),
    fix="stay within 256 KiB of stack, 128 bytes of L2 fetch, or CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE",
)


@frozen
class Step:
    """The values that a limit can have.

    Attributes:
        unit: They are multiples of this; other values are rounded up.
        least: The smallest; smaller values are raised to it.
        most: The largest allowed value, or None.
    """

    unit: int = 1
    least: int = 0
    most: int | None = None

    def near(self, value: int) -> int:
        """Round a value to what the limit supports."""
        return max(self.least, value + -value % self.unit)


STEPS = {
    LIMIT["CU_LIMIT_STACK_SIZE"]: Step(unit=16, most=256 << 10),
    LIMIT["CU_LIMIT_PRINTF_FIFO_SIZE"]: Step(unit=256, least=512 << 10),
    LIMIT["CU_LIMIT_MALLOC_HEAP_SIZE"]: Step(unit=64 << 10, least=4 << 20),
    LIMIT["CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH"]: Step(),
    LIMIT["CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT"]: Step(least=32),
    LIMIT["CU_LIMIT_MAX_L2_FETCH_GRANULARITY"]: Step(most=128),
}
"""Valid values by limit, as driver 580 answers on an H200.

A stack of 256 KiB succeeds, and a stack of 512 KiB less 16 bytes fails.

For the synchronization depth, which no H200 has, the manual names no bounds.
"""


def step_of(limit: int, attributes: dict[int, int]) -> Step | None:
    """Return the valid values of a limit on a device; None if the limit is read-only."""
    if limit == PERSISTING:
        return Step(unit=attributes.get(L2, 0) // WAYS or 1, most=attributes.get(MOST_PERSISTING, 0))
    return STEPS.get(limit)


@DRIVER.op("cuCtxSetLimit")
def ctx_set_limit(call: Call, limit: int, value: int) -> None:
    """Set a limit; cuCtxGetLimit returns the rounded value.

    A new stack size or L2 cache size takes effect after the work of the context is done.

    Args:
        call: The call.
        limit: CUlimit.
        value: Bytes, or a count, as the limit says.
    """
    # CHECK
    context = current(call)
    default = supported(context, limit)
    device = context.device.profile
    step = step_of(limit, device.attributes)
    if step is None:
        raise LIMIT_IS_SETTABLE.broken(limit=limit)
    if step.most is not None and value > step.most:
        raise VALUE_IS_POSSIBLE.broken(limit=limit, value=value, most=step.most)
    # A driver lowers it further, to what its free memory allows.
    near = min(step.near(value), device.total_memory)
    if limit == PERSISTING or (limit == STACK and near != context.limits.get(limit, default)):
        waited(context, by=orders.LIMITED)
    # EFFECT
    context.set_limit(limit, near)
