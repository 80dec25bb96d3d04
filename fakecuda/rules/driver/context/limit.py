"""Rules of every call with a CUlimit: the driver knows the limit, and the device supports it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.context import Context

LIMIT_IS_KNOWN = Rule(
    "`limit` is a CUlimit that this driver version supports",
    Result.INVALID_VALUE,
    observed(
        "cuCtxGetLimit", "the driver answers INVALID_VALUE to unknown limits and to CU_LIMIT_PER_BLOCK_MEMORY_SIZE"
    ),
    fix="pass a CUlimit, such as CU_LIMIT_STACK_SIZE or CU_LIMIT_MALLOC_HEAP_SIZE",
)
LIMIT_IS_SUPPORTED = Rule(
    "the current device supports `limit`",
    Result.UNSUPPORTED_LIMIT,
    manual(
        "cuCtxSetLimit",
        "Attempting to set this limit on devices of other compute capability versions will result in the error "
        "CUDA_ERROR_UNSUPPORTED_LIMIT being returned",
    ),
    fix="do not use this limit on the device; devices of compute capability 9.0 and later lack "
    "CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH",
)


@guard
def supported(context: Context, limit: int) -> int:
    """Return the default of a limit in a new context of the device."""
    limits = context.device.profile.limits
    if limit not in limits:
        raise LIMIT_IS_KNOWN.broken(limit=limit)
    default = limits[limit]
    if default is None:
        raise LIMIT_IS_SUPPORTED.broken(limit=limit, device=context.device)
    return default
