"""cuStreamSynchronize: wait for a stream's work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import pool_effects
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.driver.stream.order import waited
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuStreamSynchronize")
def stream_synchronize(call: Call, stream: int) -> None:
    """Wait for all work of a stream. For the legacy default stream, also wait for all blocking streams."""
    # CHECK
    awaited = stream_of(call, stream, "cuStreamSynchronize")
    # EFFECT
    waited(awaited.context, awaited, by=orders.SYNCHRONIZED, last=True)
    pool_effects.seen_of_stream(awaited)
