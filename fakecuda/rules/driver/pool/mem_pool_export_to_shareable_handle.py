"""cuMemPoolExportToShareableHandle: export a pool for other processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.rules.core import Rule, manual, observed
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.pool.handle import pool_of
from fakecuda.rules.driver.va.properties import FABRIC, POSIX
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    manual("cuMemPoolExportToShareableHandle", "must be 0"),
    fix="pass 0 for the flags of cuMemPoolExportToShareableHandle",
)
TYPE_WAS_REQUESTED = Rule(
    "`handleType` is one of the handle types that the pool was created with",
    Result.INVALID_VALUE,
    manual("cuMemPoolExportToShareableHandle", "Given an IPC capable mempool, create an OS handle to share the pool"),
    fix="set handleTypes in the CUmemPoolProps of cuMemPoolCreate; default pools cannot be exported",
)
FABRIC_IS_PERMITTED = Rule(
    "`handleType` is not CU_MEM_HANDLE_TYPE_FABRIC, as no simulated system has an IMEX channel for pools",
    Result.NOT_PERMITTED,
    observed(
        "cuMemPoolExportToShareableHandle",
        "without an IMEX channel the call answers NOT_PERMITTED for a pool with fabric handles",
    ),
    fix="export the pool as CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR; fabric handles need an IMEX channel",
)


@DRIVER.op("cuMemPoolExportToShareableHandle")
def mem_pool_export_to_shareable_handle(call: Call, pool: int, handle_type: int, flags: int) -> int:
    """Export a pool as a new file descriptor.

    Args:
        call: The call.
        pool: A pool that was created for this handle type; an imported pool cannot be exported.
        handle_type: CUmemAllocationHandleType.
        flags: 0.
    """
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    exported = pool_of(call, pool)
    if handle_type not in {POSIX, FABRIC} or not exported.props.handle_types & handle_type:
        raise TYPE_WAS_REQUESTED.broken(handle_type=handle_type, requested=exported.props.handle_types)
    if handle_type == FABRIC:
        raise FABRIC_IS_PERMITTED.broken(handle_type=handle_type)
    # EFFECT
    return exported.export(history.here())
