"""cuMemPoolImportFromShareableHandle: a pool that stands for another process's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.model import history, pooling
from fakecuda.model.pool import Pool
from fakecuda.rule import Rule, manual, op
from fakecuda.spec.core.initialized import RESULT_IS_GIVEN, ready
from fakecuda.spec.va.properties import FABRIC, POSIX

if TYPE_CHECKING:
    from fakecuda.model.process import Thread

FLAGS_ARE_ZERO = Rule(
    "the flags are 0", Result.INVALID_VALUE, manual("cuMemPoolImportFromShareableHandle", "must be 0")
)
FABRIC_IS_PERMITTED = Rule(
    "an IMEX channel is open to the user for fabric handles",
    Result.NOT_PERMITTED,
    manual(
        "cuMemPoolImportFromShareableHandle",
        "has not been granted access to the same IMEX channel as the exporter process, this API will error as "
        "CUDA_ERROR_NOT_PERMITTED",
    ),
)
TYPE_IS_SUPPORTED = Rule(
    "the handle type is a single one that the system supports",
    Result.INVALID_VALUE,
    manual("cuMemPoolImportFromShareableHandle", "The type of handle being imported"),
)
DESCRIPTOR_IS_A_POOL = Rule(
    "the descriptor stands for an exported pool",
    Result.INVALID_VALUE,
    manual("cuMemPoolImportFromShareableHandle", "OS handle of the pool to open"),
)


@op("cuMemPoolImportFromShareableHandle")
def mem_pool_import_from_shareable_handle(call: Thread, descriptor: int, handle_type: int, flags: int) -> int:
    """Return a new pool for the one that a descriptor stands for; its device alone can access it at first.

    Args:
        call: The calling thread.
        descriptor: A file descriptor.
        handle_type: CUmemAllocationHandleType.
        flags: 0.
    """
    # CHECK
    process = ready(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    if handle_type == FABRIC and not call.machine.profile.fabric:
        raise FABRIC_IS_PERMITTED.broken(handle_type=handle_type)
    if handle_type != POSIX:
        raise TYPE_IS_SUPPORTED.broken(handle_type=handle_type)
    source = call.machine.exported(descriptor)
    if not isinstance(source, Pool):
        raise DESCRIPTOR_IS_A_POOL.broken(descriptor=descriptor)
    # EFFECT
    props = source.props._replace(handle_types=0)
    return pooling.create(process, props, source.device, history.here(), source=source).handle
