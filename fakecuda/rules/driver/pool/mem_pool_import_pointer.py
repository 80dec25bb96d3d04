"""cuMemPoolImportPointer: import pool memory of another process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import pool_effects
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.pool.handle import IMPORTERS_FREE_FIRST, pool_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.pool import Pooled

DATA_IS_GIVEN = Rule(
    "the pointer to the export data is not null",
    Result.INVALID_VALUE,
    manual("cuMemPoolImportPointer", "data specifying the memory to import"),
    fix="pass the CUmemPoolPtrExportData that cuMemPoolExportPointer filled",
)
POOL_IS_IMPORTED = Rule(
    "the pool was imported by cuMemPoolImportFromShareableHandle",
    Result.INVALID_VALUE,
    manual("cuMemPoolImportPointer", "pool from which to import"),
    fix="pass the pool that cuMemPoolImportFromShareableHandle returned in this process",
)
DATA_IS_OF_THE_POOL = Rule(
    "the export data name an allocation of the pool that the passed pool was imported from",
    Result.INVALID_VALUE,
    manual("cuMemPoolImportPointer", "data specifying the memory to import"),
    fix="pass all 64 bytes of the data, and the pool imported from the same exported pool",
)
EXPORTER_HAS_IT = Rule(
    "the exporting process has not freed the memory that is imported",
    Result.SUCCESS,
    IMPORTERS_FREE_FIRST,
    fix="keep the memory in the exporter until the importer has freed it",
)
MEMORY_IS_NOT_MAPPED = Rule(
    "this process has not imported the memory already, if it is from a host pool",
    Result.ALREADY_MAPPED,
    observed(
        "cuMemPoolImportPointer",
        "the driver answers ALREADY_MAPPED to a second import of memory from a pool on a host NUMA node",
    ),
    fix="keep the address of the first import, or free the imported memory before you import the data again",
)
ADDRESSES_SUFFICE = Rule(
    "the process has free addresses for the memory and, if the exporter already freed it, its device has free memory",
    Result.OUT_OF_MEMORY,
    manual("cuMemPoolImportPointer", "CUDA_ERROR_OUT_OF_MEMORY"),
    fix="free imported memory or reservations first, and keep the exporter's memory until it is imported",
)


@guard
def exporter_has(call: Call, source: Pooled) -> None:
    """Report the import of memory that its exporter has freed."""
    if not source.live:
        call.undefined(EXPORTER_HAS_IT, memory=source)


@DRIVER.op("cuMemPoolImportPointer")
def mem_pool_import_pointer(call: Call, pool: int, data: bytes | None) -> int:
    """Map memory from a pool of another process. A second import returns the same address; one free ends it.

    Args:
        call: The call.
        pool: The imported pool.
        data: 64 bytes.
    """
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    into = pool_of(call, pool)
    if data is None:
        raise DATA_IS_GIVEN.broken()
    if into.source is None:
        raise POOL_IS_IMPORTED.broken(pool=into)
    source = call.machine.exchange.pool_shares.get(data)
    if source is None or source.pool is not into.source:
        raise DATA_IS_OF_THE_POOL.broken(data=data[:6].hex(), found=source)
    exporter_has(call, source)
    memory = into.imports.get(data)
    if memory is not None and into.on_host:
        raise MEMORY_IS_NOT_MAPPED.broken(memory=memory)
    # EFFECT
    if memory is not None:
        return memory.start
    memory = pool_effects.import_(into, source, history.here())
    if memory is None:
        raise ADDRESSES_SUFFICE.broken(memory=source)
    return memory.start
