"""cuMemGetDefaultMemPool: the memory pool that a location has from the beginning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.model import lifetime
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, ready
from fakecuda.rules.driver.device.pool import owner
from fakecuda.rules.driver.pool.kind import given, supported
from fakecuda.rules.driver.va.properties import DEVICE

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemGetDefaultMemPool")
def mem_get_default_mem_pool(call: Call, location: tuple[int, int] | None, allocation_type: int) -> int:
    """Return the default pool of a location ((type, id)) for an allocation type, one in each process."""
    # CHECK
    ready(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    kind = given(call, location, allocation_type)
    if kind[1] == DEVICE:
        owner(call, kind[2])
    device = supported(call, kind)
    # EFFECT
    return lifetime.default_pool(call.process, kind, device).handle
