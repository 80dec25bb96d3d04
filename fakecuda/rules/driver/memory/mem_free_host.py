"""cuMemFreeHost: free page-locked memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import memory_effects
from fakecuda.model.memory.memory import Pinned
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.current import alive
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.order import settled
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

POINTER_IS_A_BASE = Rule(
    "the pointer is null, or the start of memory from cuMemAllocHost or cuMemHostAlloc that has not been freed",
    Result.INVALID_VALUE,
    manual("cuMemFreeHost", "must have been returned by a previous call to cuMemAllocHost()"),
    fix="pass the address that cuMemAllocHost or cuMemHostAlloc returned, once; for registered memory call "
    "cuMemHostUnregister",
)


@DRIVER.op("cuMemFreeHost")
def mem_free_host(call: Call, p: int) -> None:
    """Free the page-locked memory at ``p``; freeing null does nothing."""
    # CHECK
    process = alive(call)
    if not p:
        return
    pinned = settled(call, p, orders.ENDED)
    if not isinstance(pinned, Pinned) or pinned.start != p:
        raise POINTER_IS_A_BASE.broken(pointer=p, found=pinned or process.freed.get(p))
    race.ended(call, pinned)
    # EFFECT
    memory_effects.free(process, pinned, history.here())
