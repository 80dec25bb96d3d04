"""Rules of calls with a CUstream: the stream belongs to the calling process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import context_effects
from fakecuda.model.os.process import NOT_INITIALIZED
from fakecuda.model.work.stream import PER_THREAD, Stream
from fakecuda.rules.core import Rule, guard, undefined
from fakecuda.rules.driver.context.current import alive, current, failed
from fakecuda.rules.driver.context.handle import USE_AFTER_DESTRUCTION
from fakecuda.rules.driver.core.initialized import DRIVER_IS_INITIALIZED, require_calls_permitted, require_driver_up
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context

STREAM_IS_KNOWN = Rule(
    "each stream handle that the call uses is null, another default stream, or a stream of this process",
    Result.INVALID_HANDLE,
    undefined("cuStreamGetId", "Passing an invalid handle will result in undefined behavior"),
    fix="pass a stream that cuStreamCreate returned in this process",
)
STREAM_IS_LIVE = Rule(
    "no stream that the call uses has been destroyed",
    Result.INVALID_CONTEXT,
    undefined(
        "cuStreamDestroy",
        "the manual says nothing about a later use; driver 580 reads freed memory: calls that submit work answer "
        "INVALID_CONTEXT, and most other calls crash (segmentation fault)",
    ),
    fix="call cuStreamDestroy once, after the last use of the stream",
)
STREAM_HAS_A_CONTEXT = Rule(
    "the context of each stream that the call uses has not been destroyed",
    Result.INVALID_CONTEXT,
    USE_AFTER_DESTRUCTION,
    fix="destroy the stream before its context",
)
ASKING = frozenset(
    {
        "cuMemAllocAsync",
        "cuMemAllocFromPoolAsync",
        "cuMemFreeAsync",
        "cuMemcpyBatchAsync",
        "cuStreamAttachMemAsync",
        "cuStreamBatchMemOp",
        "cuStreamBeginCapture",
        "cuStreamBeginCaptureToGraph",
        "cuStreamEndCapture",
        "cuStreamQuery",
        "cuStreamSynchronize",
        "cuStreamWaitValue32",
        "cuStreamWaitValue64",
        "cuStreamWriteValue32",
        "cuStreamWriteValue64",
    }
)
"""Calls that check cuInit before the handle; the others crash without cuInit."""


@guard
def stream_of(call: Call, handle: int, name: str) -> Stream:
    """Return the stream of a handle; default streams are the current context's.

    Args:
        call: The call.
        handle: The CUstream: 0 for what the call's variant takes, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, or a created one.
        name: The call.
    """
    if handle <= PER_THREAD:
        return context_effects.default_stream(current(call), handle or call.default_stream, call.thread.name)
    return created_stream_of(call, handle, name)


@guard
def ready_stream_of(call: Call, handle: int, name: str) -> Stream:
    """Return the stream of a handle, as :func:`stream_of`.

    Though it be a created one cuInit is asked for, and that the current context, if there is one, was not destroyed.
    """
    alive(call)
    return stream_of(call, handle, name)


def using(call: Call, working: Stream) -> Context:
    """Return the context whose device must access the memory of a stream's copy.

    So two H200 answered; while none is current it is the stream's, and driver 580 crashes where access is missing.

    Args:
        call: The call.
        working: The stream.
    """
    stack = call.thread.stack
    return stack[-1] if stack else working.context


@guard
def permitted_stream_of(call: Call, handle: int, name: str) -> Stream:
    """Return the stream of a handle as :func:`stream_of`; refuse host functions."""
    stream = stream_of(call, handle, name)
    require_calls_permitted(call)
    return stream


@guard
def created_stream_of(call: Call, handle: int, name: str) -> Stream:
    """Return the created stream of a handle; stream and context are not destroyed.

    The call needs no current context, and works in a fork and in a host function. A process that never
    called cuInit has none.
    """
    require_driver_up(call)
    process = call.process
    stream = process.streams.get(handle) or process.freed.get(handle)
    if not isinstance(stream, Stream):
        if process.state == NOT_INITIALIZED and name in ASKING:
            raise DRIVER_IS_INITIALIZED.broken(process=process)
        call.undefined(STREAM_IS_KNOWN, stream=handle)
        raise STREAM_IS_KNOWN.broken(stream=handle)
    if stream.destroyed:
        call.undefined(STREAM_IS_LIVE, stream=stream)
        raise STREAM_IS_LIVE.broken(stream=stream)
    if stream.context.destroyed:
        call.undefined(STREAM_HAS_A_CONTEXT, stream=stream)
        raise STREAM_HAS_A_CONTEXT.broken(stream=stream)
    if stream.context.lost:
        failed(stream.context)
    return stream
