"""cuMemPoolImportFromShareableHandle: import a pool of another process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import pool_lifetime
from fakecuda.model.memory.pool import Pool
from fakecuda.rules.core import Rule, manual, observed
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.va.properties import FABRIC, POSIX
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call

TYPES = frozenset({POSIX, ENUMS["CUmemAllocationHandleType"]["CU_MEM_HANDLE_TYPE_WIN32"], FABRIC})

FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    manual("cuMemPoolImportFromShareableHandle", "must be 0"),
    fix="pass 0 for the flags of cuMemPoolImportFromShareableHandle",
)
TYPE_IS_KNOWN = Rule(
    "`handleType` is CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, CU_MEM_HANDLE_TYPE_WIN32 or CU_MEM_HANDLE_TYPE_FABRIC",
    Result.INVALID_VALUE,
    manual("cuMemPoolImportFromShareableHandle", "The type of handle being imported"),
    fix="pass exactly one handle type of pools, such as CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR",
)
TYPE_IS_SUPPORTED = Rule(
    "`handleType` is CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, the only type that simulated systems support",
    Result.NOT_SUPPORTED,
    observed(
        "cuMemPoolImportFromShareableHandle",
        "the driver answers NOT_SUPPORTED to Windows handles, and to fabric handles on a system without fabric",
    ),
    fix="export and import the pool as CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR on this system",
)
DESCRIPTOR_IS_EXPORTED = Rule(
    "the file descriptor is open and comes from an export of a pool or of an allocation handle",
    Result.UNKNOWN,
    observed(
        "cuMemPoolImportFromShareableHandle",
        "the driver answers UNKNOWN to a closed descriptor and to the descriptor of another file",
    ),
    fix="pass a descriptor of cuMemPoolExportToShareableHandle, sent through a Unix socket and still open",
)
DESCRIPTOR_IS_A_POOL = Rule(
    "the file descriptor was exported from a pool, not from an allocation handle",
    Result.NOT_SUPPORTED,
    observed(
        "cuMemPoolImportFromShareableHandle",
        "the driver answers NOT_SUPPORTED to the descriptor of an allocation handle",
    ),
    fix="import a descriptor of memory with cuMemImportFromShareableHandle",
)


@DRIVER.op("cuMemPoolImportFromShareableHandle")
def mem_pool_import_from_shareable_handle(call: Call, descriptor: int, handle_type: int, flags: int) -> int:
    """Import a pool from a file descriptor. At first, only the pool's device can access the memory of the pool.

    A process has one such pool for each pool that it imports: what it imports again it must destroy as often.

    Args:
        call: The call.
        descriptor: A file descriptor.
        handle_type: CUmemAllocationHandleType.
        flags: 0.
    """
    # CHECK
    process = require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    if handle_type not in TYPES:
        raise TYPE_IS_KNOWN.broken(handle_type=handle_type)
    if handle_type != POSIX:
        raise TYPE_IS_SUPPORTED.broken(handle_type=handle_type)
    source = call.machine.exchange.exported(descriptor)
    if source is None:
        raise DESCRIPTOR_IS_EXPORTED.broken(descriptor=descriptor)
    if not isinstance(source, Pool):
        raise DESCRIPTOR_IS_A_POOL.broken(descriptor=descriptor)
    # EFFECT
    for pool in process.pools.live.values():
        if pool.source is source:
            pool.retain()
            return pool.handle
    props = source.props._replace(handle_types=0)
    return pool_lifetime.create_pool(process, props, source.device, history.here(), source=source).handle
