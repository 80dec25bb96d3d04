"""Rules of calls during a capture.

``fakecuda.rules.driver.stream.captured`` checks them before the operation's own rules.
"""

from __future__ import annotations

from fakecuda.rules.core import Rule, manual, observed
from fakecuda.spec.codes import Result

SAFE_WHILE_CAPTURING = Rule(
    "a call that a capture could miss is not made while a capture forbids it",
    Result.STREAM_CAPTURE_UNSUPPORTED,
    manual("cuThreadExchangeStreamCaptureMode", "this thread is prohibited from potentially unsafe API calls"),
    fix="make the call before the capture, capture in mode RELAXED, or change the mode by cuThreadExchangeStreamCaptureMode",
)
STREAM_IS_NOT_CAPTURED = Rule(
    "the stream of a call that adds no node is not being captured",
    Result.STREAM_CAPTURE_UNSUPPORTED,
    observed("cuStreamQuery", "of a stream that is captured it answers STREAM_CAPTURE_UNSUPPORTED, in each mode"),
    fix="make the call before the capture, or after cuStreamEndCapture",
)
CONTEXT_IS_NOT_CAPTURED = Rule(
    "no stream of the context is being captured during a call on the whole context",
    Result.STREAM_CAPTURE_UNSUPPORTED,
    observed("cuCtxSynchronize", "while a stream is captured it answers STREAM_CAPTURE_UNSUPPORTED, in each mode"),
    fix="make the call before the capture, or after cuStreamEndCapture",
)
EVENT_IS_NOT_CAPTURED = Rule(
    "the event's last record is not part of a capture",
    Result.CAPTURED_EVENT,
    manual("cuThreadExchangeStreamCaptureMode", "attempting cuEventQuery on an event that was last recorded inside a"),
    fix="query an event that was recorded outside of the capture, or with CU_EVENT_RECORD_EXTERNAL",
)
CAPTURE_OF_THE_EVENT_GOES_ON = Rule(
    "the capture in which the event was last recorded is still active",
    Result.INVALID_VALUE,
    observed("cuEventQuery", "once its capture has ended, or was broken, an event answers INVALID_VALUE"),
    fix="record the event again after the capture, or with CU_EVENT_RECORD_EXTERNAL in it",
)
EVENT_IS_OF_THE_CAPTURE = Rule(
    "a captured stream waits only for events of its own capture, or for events that were never recorded",
    Result.STREAM_CAPTURE_ISOLATION,
    observed(
        "cuStreamWaitEvent", "a stream that is captured and an event from outside answer STREAM_CAPTURE_ISOLATION"
    ),
    fix="wait before the capture, or with CU_EVENT_WAIT_EXTERNAL",
)
EVENT_IS_OF_ONE_PROCESS = Rule(
    "a captured stream records no event with CU_EVENT_INTERPROCESS and none that cuIpcOpenEventHandle opened, and waits for none, "
    "unless the record or the wait is external",
    Result.STREAM_CAPTURE_UNSUPPORTED,
    observed(
        "cuStreamWaitEvent",
        "an interprocess event that was never recorded answers STREAM_CAPTURE_UNSUPPORTED, and so does an opened event that its "
        "exporter has recorded; cuEventRecord answers so, too, and breaks no capture",
    ),
    fix="record it with CU_EVENT_RECORD_EXTERNAL and wait for it with CU_EVENT_WAIT_EXTERNAL, or do so outside of the capture",
)
CAPTURES_STAY_APART = Rule(
    "a captured stream does not wait for an event of another capture",
    Result.STREAM_CAPTURE_MERGE,
    observed("cuStreamWaitEvent", "an event of another capture answers STREAM_CAPTURE_MERGE"),
    fix="end one of the captures first, or use one capture for both streams",
)
GRAPH_IS_NOT_CAPTURED_TO = Rule(
    "no capture adds nodes to the graph that is destroyed or that loses a node",
    Result.ILLEGAL_STATE,
    observed("cuGraphDestroyNode", "a node of a graph that is being captured to answers ILLEGAL_STATE"),
    fix="end the capture with cuStreamEndCapture first",
)
MODELLED_WHILE_CAPTURING = Rule(
    "the model supports the call in a captured stream",
    Result.NOT_SUPPORTED,
    observed("cuMemAllocAsync", "fakecuda's own answer, not a driver's: a driver adds nodes that are not modelled"),
    fix="make the call before the capture, or after cuStreamEndCapture",
)

WHILE_CAPTURING = tuple(rule for rule in list(globals().values()) if isinstance(rule, Rule))
"""All rules of this module."""
