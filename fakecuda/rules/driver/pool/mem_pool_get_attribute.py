"""cuMemPoolGetAttribute: an attribute of a pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.pool.attribute import USED_HIGH, VALUES, known
from fakecuda.rules.driver.pool.handle import POOL_HAS_BOOKS, pool_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemPoolGetAttribute")
def mem_pool_get_attribute(call: Call, pool: int, attribute: int) -> int:
    """Return an attribute (CUmemPool_attribute) of a pool. An imported pool has no usage and no policies."""
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    asked = pool_of(call, pool)
    known(call, attribute)
    if asked.source is not None and attribute <= USED_HIGH:
        raise POOL_HAS_BOOKS.broken(pool=asked, attribute=attribute)
    # EFFECT
    return VALUES[attribute](asked)
