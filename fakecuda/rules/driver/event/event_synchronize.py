"""cuEventSynchronize: wait for the work that an event captured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.rules.driver.event.handle import awaited, usable_event_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuEventSynchronize")
def event_synchronize(call: Call, event: int) -> None:
    """Wait for the work of an event's last record.

    The call needs neither a current context nor cuInit, and works in a fork and in a host function.
    """
    # CHECK
    require_driver_up(call)
    asked = usable_event_of(call, event)
    # EFFECT
    awaited(call, asked, orders.SYNCHRONIZED)
