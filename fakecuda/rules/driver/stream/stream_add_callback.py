"""cuStreamAddCallback: a stream calls a host function with a status code."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from fakecuda.model.os.system import CALLS_NULL
from fakecuda.model.work import stream_scheduler
from fakecuda.rules.core import Rule, manual, undefined
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.rules.driver.stream.function import called
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
"""CUstreamCallback."""

FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    manual("cuStreamAddCallback", "Reserved for future use, must be 0"),
    fix="pass 0 for the flags of cuStreamAddCallback",
)
CALLBACK_IS_GIVEN = Rule(
    "`callback` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuStreamAddCallback",
        "the manual says nothing about a null function; driver 580 answers INVALID_VALUE, but cuda.bindings "
        "wraps null in a callable, which then crashes",
    ),
    fix="pass cuStreamAddCallback a function",
)


@DRIVER.op("cuStreamAddCallback")
def stream_add_callback(call: Call, stream: int, callback: int, user_data: int, flags: int) -> None:
    """Have a stream call a host function, with the stream and SUCCESS. Later work of the stream waits until it returns.

    It may make no calls. When work of the context has failed it is called all the same, and told the code.

    Args:
        call: The call.
        stream: The stream.
        callback: The function's address.
        user_data: Its last argument.
        flags: 0.
    """
    # CHECK
    require_driver_up(call)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    if not callback:
        call.undefined(CALLBACK_IS_GIVEN)
        raise CALLBACK_IS_GIVEN.broken()
    calling = stream_of(call, stream, "cuStreamAddCallback")
    if callback == CALLS_NULL:
        call.undefined(CALLBACK_IS_GIVEN)
    # EFFECT
    function, context = called(call, CALLBACK_IS_GIVEN, CALLBACK, callback), calling.context

    def run() -> None:
        function(stream, context.lost or Result.SUCCESS, user_data)

    stream_scheduler.call(calling, run, stays=True)
