"""cuMemHostUnregister: make registered memory pageable again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import memory_effects
from fakecuda.model.memory.memory import Registered
from fakecuda.rules.core import Rule, manual, observed
from fakecuda.rules.driver.context.current import alive
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.order import settled
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

POINTER_IS_GIVEN = Rule(
    "the pointer is not null",
    Result.INVALID_VALUE,
    observed("cuMemHostUnregister", "the driver answers INVALID_VALUE to null, and not HOST_MEMORY_NOT_REGISTERED"),
    fix="pass a registered address, and skip cuMemHostUnregister if nothing is registered",
)
MEMORY_IS_REGISTERED = Rule(
    "the pointer lies in registered memory, or in other memory that CUDA allocated, mapped or imported",
    Result.HOST_MEMORY_NOT_REGISTERED,
    manual("cuMemHostUnregister", "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"),
    fix="call cuMemHostUnregister once for each cuMemHostRegister",
)
POINTER_IS_A_BASE = Rule(
    "the pointer is the start address of a range that is registered now",
    Result.INVALID_VALUE,
    manual("cuMemHostUnregister", "The base address must be the same one specified to cuMemHostRegister()"),
    fix="pass the address that you passed to cuMemHostRegister; free memory of cuMemHostAlloc with cuMemFreeHost",
)


@DRIVER.op("cuMemHostUnregister")
def mem_host_unregister(call: Call, p: int) -> None:
    """End the registration of the memory at ``p``; the memory stays the caller's."""
    # CHECK
    process = alive(call)
    if not p:
        raise POINTER_IS_GIVEN.broken()
    item = settled(call, p, orders.ENDED)
    if item is None:
        raise MEMORY_IS_REGISTERED.broken(pointer=p, found=process.freed.get(p))
    if not isinstance(item, Registered) or item.start != p:
        raise POINTER_IS_A_BASE.broken(pointer=p, found=item)
    race.ended(call, item)
    # EFFECT
    memory_effects.free(process, item, history.here())
