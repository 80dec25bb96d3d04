"""cuMemGetInfo: the total and the free memory of the current device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.context.current import current
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemGetInfo")
def mem_get_info(call: Call) -> tuple[int, int]:
    """Return free and total bytes of the current context's device; either result may be null."""
    # CHECK
    context = current(call)
    # EFFECT
    call.machine.exchange.reap()
    memory = context.card.memory
    return memory.total - memory.used, context.device.profile.total_memory
