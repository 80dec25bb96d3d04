"""cudaGetLastError, cudaPeekAtLastError and the texts of error codes."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from fakecuda.rules.core import Broken, Rule, guard, manual
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import initialised
from fakecuda.spec.codes import RUNTIME_NAMES, Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.history import FailedCall

NO_CALL_HAS_FAILED = Rule(
    "no runtime API call has failed in the calling thread since the last cudaGetLastError",
    Result.UNKNOWN,
    manual("cudaGetLastError", "Returns the last error that has been produced by any of the runtime calls in the same"),
    fix="correct the earlier call that failed; cudaGetLastError only returns its error and clears it",
)
TEXTS: dict[int, bytes] = {
    int(code): text.encode()
    for code, text in tomllib.loads(Path(__file__).with_name("texts.toml").read_text(encoding="utf-8")).items()
}
"""The texts of cudaGetErrorString, by code."""
UNRECOGNIZED = b"unrecognized error code"


@RUNTIME.op("cudaGetLastError", remembered=False)
def get_last_error(call: Call) -> None:
    """Return the thread's last error and reset it. The error of a lost context is not reset."""
    initialised(call)
    error, failed = call.thread.last_error, call.thread.failed
    call.thread.last_error = call.thread.stack[-1].lost if call.thread.stack else 0
    if not call.thread.last_error:
        call.thread.failed = None
    _answer(error, failed)


@RUNTIME.op("cudaPeekAtLastError", remembered=False)
def peek_at_last_error(call: Call) -> None:
    """Return the thread's last error without resetting it."""
    initialised(call)
    _answer(call.thread.last_error, call.thread.failed)


@guard
def _answer(error: int, failed: FailedCall | None) -> None:
    if error:
        raise Broken(NO_CALL_HAS_FAILED, {"error": error} | ({"failed": failed} if failed else {}), error)


@RUNTIME.op("cudaGetErrorName", remembered=False)
def get_error_name(_call: Call, error: int) -> bytes:
    """Return the name of any cudaError_t, such as ``cudaErrorInvalidValue``; the call cannot fail."""
    return RUNTIME_NAMES[error].encode() if error in RUNTIME_NAMES else UNRECOGNIZED


@RUNTIME.op("cudaGetErrorString", remembered=False)
def get_error_string(_call: Call, error: int) -> bytes:
    """Return the description of a cudaError_t. Unknown numbers have a description, too, and the call cannot fail."""
    return TEXTS.get(error, UNRECOGNIZED)
