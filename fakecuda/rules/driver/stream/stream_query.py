"""cuStreamQuery: whether a stream's work is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.stream_scheduler import unfinished
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

WORK_IS_DONE = Rule(
    "all work of the stream, and the work that it waits for, is complete",
    Result.NOT_READY,
    manual("cuStreamQuery", "if all operations in the stream … have completed, or CUDA_ERROR_NOT_READY if not"),
    fix="call cuStreamSynchronize, or call cuStreamQuery again until it succeeds: the work is still running",
)


@DRIVER.op("cuStreamQuery")
def stream_query(call: Call, stream: int) -> None:
    """Succeed if all work of a stream is complete."""
    # CHECK
    asked = stream_of(call, stream, "cuStreamQuery")
    stream_scheduler.look(call.machine)
    if unfinished(asked):
        raise WORK_IS_DONE.broken(stream=asked)
    race.seen(call, asked, orders.QUERIED)
