"""cuStreamDestroy: a stream ends; its work does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.model import history, lifetime
from fakecuda.model.stream import PER_THREAD
from fakecuda.rule import Rule, manual, op
from fakecuda.spec.stream.valid import stream_of

if TYPE_CHECKING:
    from fakecuda.model.process import Thread

STREAM_IS_CREATED = Rule(
    "the stream is no default stream", Result.INVALID_HANDLE, manual("cuStreamDestroy", "CUDA_ERROR_INVALID_HANDLE")
)


@op("cuStreamDestroy")
def stream_destroy(call: Thread, stream: int) -> None:
    """End a stream; work that it has left is done all the same, and nobody waits for it."""
    # CHECK
    ending = stream_of(call, stream, "cuStreamDestroy")
    if stream <= PER_THREAD:
        raise STREAM_IS_CREATED.broken(stream=ending)
    # EFFECT
    ending.destroyed = True
    lifetime.end_stream(call.process, ending, history.here())
