"""Queries of captures, and the capture mode of a thread.

A thread's mode says which captures forbid it calls that are unsafe: its own that are not relaxed, and other threads' that
are global; or its own alone; or none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.graph import capture
from fakecuda.model.graph.capture import ACTIVE
from fakecuda.model.graph.graph import PLAIN
from fakecuda.rules.core import Rule, manual, undefined
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_cu_init_called, require_driver_up
from fakecuda.rules.driver.stream.stream_capture import asked_of, status_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.graph.graph import Data

    Info = tuple[int, int, int, tuple[int, ...], tuple[Data, ...], int]

STATUS, NODES, DATA = "captureStatus_out", "dependencies_out", "edgeData_out"

DATA_COME_WITH_NODES = Rule(
    "`edgeData_out` is null if `dependencies_out` is null",
    Result.INVALID_VALUE,
    manual("cuStreamGetCaptureInfo", "If `edgeData_out` is non-NULL then `dependencies_out` must be as well"),
    fix="pass dependencies_out as well, or pass null for edgeData_out",
)
MODE_IS_GIVEN = Rule(
    "`mode` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuThreadExchangeStreamCaptureMode",
        "the manual says nothing about a null pointer; driver 580 crashes (segmentation fault)",
    ),
    fix="pass the address of the new mode",
)
NO_DATA_ARE_LOST = Rule(
    "`edgeData_out` is not null if `dependencies_out` is not null and an edge from a dependency has data other than 0",
    Result.LOSSY_QUERY,
    manual("cuStreamGetCaptureInfo", "there is non-zero edge data for one or more of the current stream"),
    fix="pass an array for edgeData_out",
)


@DRIVER.op("cuStreamGetCaptureInfo")
def stream_get_capture_info(call: Call, stream: int) -> Info:
    """Return the status, id, graph and dependencies of a stream's capture.

    Args:
        call: The call.
        stream: The stream.

    Returns:
        CUstreamCaptureStatus; where that is active, the capture's id, its graph, the nodes that the stream's next node comes
        after, what the edges from those are like, and how many they are; else nulls.
    """
    # CHECK
    require_driver_up(call)
    if STATUS in call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    asked, found = asked_of(call, stream, "cuStreamGetCaptureInfo")
    status = status_of(found)
    if status == ACTIVE and NODES in call.nulls and DATA not in call.nulls:
        raise DATA_COME_WITH_NODES.broken(nulls=call.nulls)
    after = found.streams[asked] if found is not None and status == ACTIVE else {}
    if DATA in call.nulls and NODES not in call.nulls and any(data != PLAIN for data in after.values()):
        raise NO_DATA_ARE_LOST.broken(data=list(after.values()))
    # EFFECT
    if found is None or status != ACTIVE:
        return status, 0, 0, (), (), 0
    handles = tuple(node.handle for node in after)
    return status, found.number, found.graph.handle, handles, tuple(after.values()), len(after)


@DRIVER.op("cuThreadExchangeStreamCaptureMode")
def thread_exchange_stream_capture_mode(call: Call, mode: int) -> int:
    """Exchange the capture mode of the calling thread, and return its former mode.

    Args:
        call: The call.
        mode: CUstreamCaptureMode; the driver takes other numbers, too, which do what CU_STREAM_CAPTURE_MODE_THREAD_LOCAL does.
    """
    # CHECK
    require_cu_init_called(call)
    if call.nulls:
        call.undefined(MODE_IS_GIVEN, nulls=call.nulls)
        raise MODE_IS_GIVEN.broken(nulls=call.nulls)
    # EFFECT
    return capture.exchange(call.thread, mode)
