"""cuStreamDestroy: destroy a stream; its pending work still runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.model.memory import pool_effects
from fakecuda.model.os.process import FORKED
from fakecuda.model.work.stream import PER_THREAD
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.work.stream import Stream

STREAM_IS_GIVEN = Rule(
    "the stream is not null",
    Result.INVALID_HANDLE,
    observed(
        "cuStreamDestroy",
        "the driver answers INVALID_HANDLE to a null stream, even before cuInit, but not to the other default streams",
    ),
    fix="pass a stream that cuStreamCreate returned",
)
STREAM_IS_CREATED = Rule(
    "the stream is neither CU_STREAM_LEGACY nor CU_STREAM_PER_THREAD",
    Result.INVALID_HANDLE,
    manual("cuStreamDestroy", "CUDA_ERROR_INVALID_HANDLE"),
    fix="do not destroy default streams",
)
PROCESS_IS_NOT_FORKED = Rule(
    "the process created the stream itself, and did not inherit it by fork",
    Result.NOT_INITIALIZED,
    undefined(
        "cuStreamDestroy",
        "the manual says nothing about forks; driver 580 crashes a fork (segmentation fault), as prefetches do",
    ),
    fix="start the process with spawn instead of fork, or let the parent destroy the stream",
)


@guard
def destroyable(call: Call, stream: int) -> Stream:
    """Return a stream that the calling process can destroy.

    It needs neither a current context nor cuInit, and works in a host function.
    """
    require_driver_up(call)
    if not stream:
        raise STREAM_IS_GIVEN.broken()
    ending = stream_of(call, stream, "cuStreamDestroy")
    if stream <= PER_THREAD:
        raise STREAM_IS_CREATED.broken(stream=ending)
    if call.process.state == FORKED:
        call.undefined(PROCESS_IS_NOT_FORKED, stream=ending)
        raise PROCESS_IS_NOT_FORKED.broken(stream=ending)
    return ending


@DRIVER.op("cuStreamDestroy")
def stream_destroy(call: Call, stream: int) -> None:
    """Destroy a stream. The call does not wait for its pending work, which still runs.

    A card gives the handle to the next new stream of the context at once, also while work is pending.
    """
    # CHECK
    ending = destroyable(call, stream)
    # EFFECT
    pool_effects.seen_of_stream(ending)
    context_effects.end_stream(call.process, ending, history.here(), destroyed=True, again=True)
