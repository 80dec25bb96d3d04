"""cuCtxSynchronize: wait for the current context's work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import pool_effects
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.stream.order import waited
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuCtxSynchronize")
def ctx_synchronize(call: Call) -> None:
    """Wait for all work of the current context."""
    # CHECK
    context = current(call)
    # EFFECT
    waited(context, by=orders.SYNCHRONIZED, last=True)
    pool_effects.seen_of_context(context)
