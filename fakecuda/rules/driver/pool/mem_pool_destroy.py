"""cuMemPoolDestroy: destroy a memory pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import pool_lifetime
from fakecuda.rules.core import Rule, manual, observed
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.pool.handle import pool_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

POOL_IS_NO_DEFAULT = Rule(
    "the pool is not the default pool of a device or another location",
    Result.INVALID_VALUE,
    manual("cuMemPoolDestroy", "A device's default memory pool cannot be destroyed"),
    fix="do not destroy default pools; cuMemPoolTrimTo releases their unused memory",
)

IMPORTS_ARE_FREED = Rule(
    "all memory that was imported into the pool has been freed",
    Result.INVALID_VALUE,
    observed(
        "cuMemPoolDestroy",
        "the driver answers INVALID_VALUE for an imported pool with open imports, and does not destroy it",
    ),
    fix="call cuMemFreeAsync on all addresses of cuMemPoolImportPointer before cuMemPoolDestroy",
)


@DRIVER.op("cuMemPoolDestroy")
def mem_pool_destroy(call: Call, pool: int) -> None:
    """Destroy a pool, or an imported pool.

    The memory of the pool is released when all of it is freed. If the pool was a current pool, the default pool
    becomes current.
    """
    # CHECK
    require_initialized(call)
    ending = pool_of(call, pool)
    if ending.default:
        raise POOL_IS_NO_DEFAULT.broken(pool=ending)
    if ending.imports:
        raise IMPORTS_ARE_FREED.broken(pool=ending, open=list(ending.imports.values()))
    # EFFECT
    pool_lifetime.release_pool(ending, history.here())
