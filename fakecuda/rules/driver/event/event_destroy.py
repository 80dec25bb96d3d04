"""cuEventDestroy: destroy an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.rules.driver.event.handle import live_event_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuEventDestroy")
def event_destroy(call: Call, event: int) -> None:
    """Destroy an event of any context of the process. Other processes keep the events that they opened by its handle.

    The call needs neither a current context nor cuInit, and works in a fork and in a host function.
    """
    # CHECK
    require_driver_up(call)
    ending = live_event_of(call, event)
    # EFFECT
    context_effects.end_event(call.process, ending, history.here(), destroyed=True, again=True)
