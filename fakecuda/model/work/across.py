"""Order between the default streams of two contexts, for copies between devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.effect import effect
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.stream import After, nothing

if TYPE_CHECKING:
    from fakecuda.model.work.stream import Stream
    from fakecuda.spec.orders import Order


@effect(beside="a copy between devices is ordered on both sides")
def follow(stream: Stream, other: Stream, by: Order) -> None:
    """Order a stream's later work after all work of another stream.

    Args:
        stream: The stream.
        other: The other stream.
        by: The order that this is.
    """
    races = stream.context.process.machine.races
    if races is not None and races.takes(by):
        captured = races.captured(other)
        if captured is not None:
            races.follow(stream, captured)
    work = stream_scheduler.submit(other, nothing)
    if work is not None:
        stream_scheduler.submit(stream, nothing, After((work,)))
