"""cuEventSynchronize: an event's work is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rule import op
from fakecuda.spec.core.initialized import up
from fakecuda.spec.event.valid import usable_event_of

if TYPE_CHECKING:
    from fakecuda.model.process import Thread


@op("cuEventSynchronize")
def event_synchronize(call: Thread, event: int) -> None:
    """Wait for an event's work; work completes at once here, so there is nothing to wait for.

    No context need be current, and cuInit is not asked for: an event is enough, in a fork too.
    """
    # CHECK
    up(call)
    usable_event_of(call, event, "cuEventSynchronize")
