"""cuEventQuery: whether the work that an event captured is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.work import stream_scheduler
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.rules.driver.event.handle import done, usable_event_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

WORK_IS_DONE = Rule(
    "the work that each event captured is complete",
    Result.NOT_READY,
    manual("cuEventQuery", "Returns CUDA_SUCCESS if all captured work has been completed, or CUDA_ERROR_NOT_READY"),
    fix="call cuEventSynchronize first, or query again until it succeeds: the work is still running",
)


@DRIVER.op("cuEventQuery")
def event_query(call: Call, event: int) -> None:
    """Succeed if the work of an event's last record is done, or if the event was never recorded.

    The call needs neither a current context nor cuInit, and works in a fork and in a host function.
    """
    # CHECK
    require_driver_up(call)
    asked = usable_event_of(call, event)
    stream_scheduler.look(call.machine)
    if asked.pending:
        raise WORK_IS_DONE.broken(event=asked)
    done(call, asked, by=orders.QUERIED)
