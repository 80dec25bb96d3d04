"""What a capture, and the legacy stream while there is one, have to be for calls that ask of them."""

from __future__ import annotations

from fakecuda.codes import Result
from fakecuda.rules.core import Rule, manual, observed

LEGACY_STREAM_IS_FREE = Rule(
    "the legacy stream is not used while a stream that waits for it is being captured",
    Result.STREAM_CAPTURE_IMPLICIT,
    manual("cuStreamGetCaptureInfo", "while a stream not created with CU_STREAM_NON_BLOCKING is capturing"),
)
CAPTURE_IS_VALID = Rule(
    "nothing has broken the capture of the stream",
    Result.STREAM_CAPTURE_INVALIDATED,
    observed("cuMemsetD8Async", "in a stream whose capture was broken it answers STREAM_CAPTURE_INVALIDATED"),
)
