"""Rules of calls during a capture.

``fakecuda.rules.driver.stream.captured`` checks them before the operation's own rules.
"""

from __future__ import annotations

from fakecuda.rules.core import Rule, manual, observed
from fakecuda.spec.codes import Result

SAFE_WHILE_CAPTURING = Rule(
    "a call that a capture would not see is made when no capture forbids it",
    Result.STREAM_CAPTURE_UNSUPPORTED,
    manual("cuThreadExchangeStreamCaptureMode", "this thread is prohibited from potentially unsafe API calls"),
    fix="make the call before the capture, or begin it with CU_STREAM_CAPTURE_MODE_RELAXED",
)
STREAM_IS_NOT_CAPTURED = Rule(
    "the stream is not being captured, for a call that becomes no node",
    Result.STREAM_CAPTURE_UNSUPPORTED,
    observed("cuStreamQuery", "of a stream that is captured it answers STREAM_CAPTURE_UNSUPPORTED, in each mode"),
    fix="make the call before the capture, or after cuStreamEndCapture",
)
CONTEXT_IS_NOT_CAPTURED = Rule(
    "no stream of the context is being captured, for a call that is about all of them",
    Result.STREAM_CAPTURE_UNSUPPORTED,
    observed("cuCtxSynchronize", "while a stream is captured it answers STREAM_CAPTURE_UNSUPPORTED, in each mode"),
    fix="make the call before the capture, or after cuStreamEndCapture",
)
EVENT_IS_NOT_CAPTURED = Rule(
    "nobody asks of an event that was recorded last in a capture",
    Result.CAPTURED_EVENT,
    manual("cuThreadExchangeStreamCaptureMode", "attempting cuEventQuery on an event that was last recorded inside a"),
    fix="ask of an event that was recorded outside of the capture, or with CU_EVENT_RECORD_EXTERNAL",
)
CAPTURE_OF_THE_EVENT_GOES_ON = Rule(
    "an event that was recorded last in a capture is used while that goes on",
    Result.INVALID_VALUE,
    observed("cuEventQuery", "once its capture has ended, or was broken, an event answers INVALID_VALUE"),
    fix="record the event anew after the capture, or with CU_EVENT_RECORD_EXTERNAL in it",
)
EVENT_IS_OF_THE_CAPTURE = Rule(
    "a stream that is captured waits for events of its capture, or for none that was recorded",
    Result.STREAM_CAPTURE_ISOLATION,
    observed(
        "cuStreamWaitEvent", "a stream that is captured and an event from outside answer STREAM_CAPTURE_ISOLATION"
    ),
    fix="wait before the capture, or with CU_EVENT_WAIT_EXTERNAL",
)
CAPTURES_STAY_APART = Rule(
    "a stream that is captured waits for no event of another capture",
    Result.STREAM_CAPTURE_MERGE,
    observed("cuStreamWaitEvent", "an event of another capture answers STREAM_CAPTURE_MERGE"),
    fix="end the other capture first, or begin one capture for both streams",
)
GRAPH_IS_NOT_CAPTURED_TO = Rule(
    "a graph, or a node of it, is destroyed when no capture adds nodes to it",
    Result.ILLEGAL_STATE,
    observed("cuGraphDestroyNode", "a node of a graph that is being captured to answers ILLEGAL_STATE"),
    fix="end the capture with cuStreamEndCapture first",
)
MODELLED_WHILE_CAPTURING = Rule(
    "the call is modelled while a stream is captured",
    Result.NOT_SUPPORTED,
    observed("cuMemAllocAsync", "a driver adds nodes that are not modelled; so no driver's answer"),
    fix="make the call before the capture, or after cuStreamEndCapture",
)

WHILE_CAPTURING = tuple(rule for rule in list(globals().values()) if isinstance(rule, Rule))
"""All rules of this module."""
